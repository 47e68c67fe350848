package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/github"
	"github.com/memtide/memtide/report/gitlab"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/internal/example"
	reportjson "github.com/memtide/memtide/report/json"
	"github.com/memtide/memtide/report/junit"
	"github.com/memtide/memtide/report/markdown"
	"github.com/memtide/memtide/report/openmetrics"
	"github.com/memtide/memtide/report/sarif"
	"github.com/memtide/memtide/report/text"
)

// secrets are what must not be in a redacted report; each is somewhere in private().
var secrets = []string{"alice", "Alice", "zeppelin", "acme-corp", "secretproject", "carol", "buildhost7", "Bobby Tables", "dave", "intranet.example", "~~Q2x==", "quietfolder", "com.example.gallery", "imagecodec", "codec.c",
	"night-42", "meminfo-of-alice", "bug4711"}

var renderers = map[string]func(io.Writer, *report.Doc) error{"html": page, "text": text.Render, "markdown": markdown.Render, "json": reportjson.Render,
	"junit": junit.Render, "sarif": sarif.Render, "annotations": github.Annotations, "comment": github.Comment(markdown.Render), "summary": github.Summary(markdown.Render), "gitlab": gitlab.Render, "openmetrics": openmetrics.Render}

// page is the HTML without the scripts, which are the same in every report; what they work on stays.
func page(w io.Writer, doc *report.Doc) error {
	var b bytes.Buffer
	err := html.Render(&b, doc, html.Options{})
	_, werr := w.Write(regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAll(b.Bytes(), nil))
	return errors.Join(err, werr)
}

// private is a result with people in it.
func private() *analyze.Result {
	r := example.Compare()
	r.Command = "compare --before /home/alice/acme-corp/before --after /home/alice/acme-corp/after"
	r.Summary = "pss rose; see /home/alice/acme-corp/after/run-1/meminfo.txt (taken by alice; Alice will know)."
	r.Inputs[0].Path = "/home/alice/acme-corp/before/run-1/meminfo.txt"
	r.Inputs[1].Path = `C:\Users\Bobby Tables\captures\meminfo.txt`
	r.Inputs[2].Path = "secretproject/captures/run-3/meminfo.txt"
	r.Inputs[0].Tool = "adb on carol@buildhost7"
	r.Inputs[0].Facts = []analyze.Fact{{Name: "hostname", Value: "zeppelin"}, {Name: "kernel", Value: "Linux zeppelin 5.15.0-1 #1 SMP"}, {Name: "user", Value: "dave"},
		{Name: "source", Value: "https://dave:pw@intranet.example/captures/1"}}
	r.Problems[0].File = "secretproject/captures/run-3/meminfo.txt"
	r.Problems[0].Message = "want a size, have /Users/carol/Library/x (Zeppelin)"
	r.Warnings = append(r.Warnings, "secretproject/captures/run-3 holds no times; dave_tmp was left out.")
	r.Method[0].Meaning += " (policy of /home/alice/acme-corp/policy.yaml)"
	r.Findings[0].Evidence[0].File = "/home/alice/acme-corp/after/run-1/meminfo.txt"
	r.Findings[0].Stack = []string{"decode (secretproject/core/codec.c:12)", "main (/home/alice/acme-corp/src/main.c:3)"}
	r.Findings[0].Message = "Rises in /home/alice/acme-corp/lib/libx.so on zeppelin."
	r.Findings[1].Stats["of alice"] = 1
	r.Stacks = []analyze.StackDelta{{Run: "night-42-1", Process: "com.example.gallery", Stack: []analyze.StackFrame{{Function: "decode", Module: "libapp.so", File: "secretproject/core/codec.c"}, {Function: "main", File: "/home/alice/acme-corp/src/main.c"}}}}
	r.Deltas[len(r.Deltas)-1].Subject.Name = "/home/alice/acme-corp/lib/libx.so (deleted)"
	r.Series[5].Subject.Name = "[anon:dalvik-/home/alice/acme-corp/boot.art]"
	r.Warnings = append(r.Warnings, "Nothing in /quietfolder/x.smaps or /home/alice/acme-corp. Look again.", `C:\Users\Bobby Tables\captures holds more`)
	r.Timeline[0].Run = "secretproject/captures"
	for i := range r.Inputs[4:] {
		r.Inputs[4+i].Run, r.Inputs[4+i].Path = fmt.Sprintf("night-42-%d", i), fmt.Sprintf("night-42-%d/meminfo-of-alice.bug4711", i)
	}
	r.Series[0].Run, r.Findings[0].Run, r.Timeline[1].Run = "night-42-1", "night-42-2", "night-42-3"
	r.Redlines = append(r.Redlines, analyze.Margin{Line: "budget of com.example.gallery", Run: "night-42-1", Side: "after", Subject: r.Series[0].Subject, Note: "as night-42-1 has it"})
	r.Checks = example.Gate().Checks
	r.Policy = &analyze.PolicyRef{Path: "/home/alice/acme-corp/bug4711.yaml"}
	return r
}

func TestRedact(t *testing.T) {
	plain := private()
	whole, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if !strings.Contains(string(whole), s) {
			t.Fatalf("%q is not in the result: the test is worth nothing", s)
		}
	}
	redacted := report.Redact(plain)
	if again, _ := json.Marshal(plain); string(again) != string(whole) {
		t.Error("the original was changed")
	}
	doc := report.New(redacted, report.Options{Rows: 1000, Series: 1000})
	for name, render := range renderers {
		var b bytes.Buffer
		if err := render(&b, doc); err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if i := strings.Index(strings.ToLower(b.String()), strings.ToLower(s)); i >= 0 {
				t.Errorf("%s: %q in …%s…", name, s, b.String()[max(0, i-60):min(b.Len(), i+60)])
			}
		}
	}
}

func TestRedactKeepsWhatIsNotPrivate(t *testing.T) {
	plain, redacted := private(), report.Redact(private())
	if !reflect.DeepEqual(redacted, report.Redact(private())) {
		t.Error("two redactions of one result differ")
	}
	file := redacted.Inputs[0].Path
	if !strings.HasSuffix(file, "/meminfo.txt") || !strings.HasPrefix(file, "dir") {
		t.Errorf("path %q", file)
	}
	if got := redacted.Findings[0].Evidence[0].File; strings.Split(got, "/")[0] == strings.Split(file, "/")[0] {
		t.Errorf("different directories have one stand-in: %q and %q", got, file)
	}
	if redacted.Problems[0].File != redacted.Inputs[2].Path {
		t.Errorf("one file has two stand-ins: %q and %q", redacted.Problems[0].File, redacted.Inputs[2].Path)
	}
	for i, d := range plain.Deltas {
		if strings.HasPrefix(d.Subject.Name, "/system/") && redacted.Deltas[i].Subject.Name != d.Subject.Name {
			t.Errorf("%q became %q", d.Subject.Name, redacted.Deltas[i].Subject.Name)
		}
		if d.Verdict != redacted.Deltas[i].Verdict || *d.Shift != *redacted.Deltas[i].Shift || d.Subject.Metric != redacted.Deltas[i].Subject.Metric {
			t.Errorf("delta %d lost its numbers or words", i)
		}
	}
	if redacted.Inputs[3].SHA256 != plain.Inputs[3].SHA256 || redacted.Inputs[3].Side != "before" || redacted.Inputs[3].Process[0] != "app1" {
		t.Errorf("input 3: %+v", redacted.Inputs[3])
	}
	if report.Redact(nil) != nil {
		t.Error("nothing became something")
	}
}
