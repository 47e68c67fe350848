package sarif_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
	"github.com/memtide/memtide/report/sarif"
)

func render(t *testing.T, r *analyze.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func indented(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The golden files are indented, so that a difference can be read.
func TestGolden(t *testing.T) {
	golden.Check(t, "compare.sarif", indented(t, render(t, example.Compare())))
	golden.Check(t, "gate.sarif", indented(t, render(t, example.Gate())))
}

func samples() map[string]*analyze.Result {
	return map[string]*analyze.Result{"compare": example.Compare(), "single": example.Single(), "gate": example.Gate(), "hostile": example.Hostile(), "many": example.Many(50), "nothing": nil,
		"names": named("](http://x) {0} ]]>\n\x1b[0m%0A\xff" + strings.Repeat("x", 10_000))}
}

func TestSchema(t *testing.T) {
	s := loadSchema(t)
	for name, r := range samples() {
		for _, fault := range s.validate(render(t, r)) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	good := string(render(t, example.Gate()))
	for _, c := range []struct{ what, old, new string }{
		{"enum", `"level":"error"`, `"level":"fatal"`}, {"required", `"driver"`, `"drivers"`}, {"unknown member", `"ruleId"`, `"rule_id"`}, {"type", `"version":"2.1.0"`, `"version":2`},
		{"minimum", `"startLine":44`, `"startLine":0`}, {"reference", `"uri":"after/run-1/meminfo.txt"`, `"uri":"after run"`}, {"suppression", `"external"`, `"internal"`},
	} {
		if bad := strings.ReplaceAll(good, c.old, c.new); bad == good || len(s.validate([]byte(bad))) == 0 {
			t.Errorf("%s: not found", c.what)
		}
	}
}

func TestRules(t *testing.T) {
	for name, r := range samples() {
		text := render(t, r)
		for _, breach := range breaches(text) {
			t.Errorf("%s: %s", name, breach)
		}
		if !bytes.Equal(text, render(t, r)) {
			t.Errorf("%s: two writings differ", name)
		}
	}
}

func TestStates(t *testing.T) {
	var l logFile
	if err := json.Unmarshal(render(t, example.Gate()), &l); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range l.Runs[0].Results {
		got = append(got, strings.Join([]string{r.RuleID, r.Kind, r.Level, r.BaselineState, fmt.Sprint(len(r.Suppressions))}, " "))
	}
	want := []string{"growth  error  0", "regression  warning  0", "regression open none  0", "finding  warning  1", "growth pass none absent 0"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// many makes findings of which each is another bug.
func many(n int) *analyze.Result {
	r := &analyze.Result{Verdict: analyze.Fail}
	for i := range n {
		r.Findings = append(r.Findings, analyze.Finding{Rule: "growth", Severity: []string{"note", "critical"}[i%2], Fingerprint: fmt.Sprint(i), Message: fmt.Sprintf("mapping %d grows by %d KiB.", i, i*7919%4096),
			Subject: analyze.Subject{Process: "p", Name: fmt.Sprintf("lib%d.so", i), Metric: "pss"}, Evidence: []analyze.Evidence{{File: fmt.Sprintf("run-%d/smaps.txt", i%50), Line: int64(i)}}})
	}
	return r
}

func left(t *testing.T, text []byte) (results int, said string) {
	t.Helper()
	var l logFile
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	for _, n := range l.Runs[0].Invocations[0].ToolExecutionNotifications {
		said += n.Message.Text + "\n"
	}
	return len(l.Runs[0].Results), said
}

func zipped(text []byte) int {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Len()
}

func TestLimitOfResults(t *testing.T) {
	text := render(t, many(26_000))
	n, said := left(t, text)
	if n != 25_000 || !strings.Contains(said, "1000 more issues") || zipped(text) > 10e6 {
		t.Errorf("%d results, %d bytes compressed, said %q", n, zipped(text), said)
	}
	for _, b := range breaches(text) {
		t.Error(b)
	}
	t.Logf("25,000 results: %d bytes, %d compressed", len(text), zipped(text))
}

// Names that do not compress reach the limit of size before that of number.
func TestLimitOfSize(t *testing.T) {
	r := many(24_000)
	state := uint64(1)
	for i := range r.Findings {
		var noise strings.Builder
		for range 60 {
			state = state*6364136223846793005 + 1442695040888963407
			fmt.Fprintf(&noise, "%x ", state)
		}
		r.Findings[i].Message = noise.String()
	}
	text := render(t, r)
	n, said := left(t, text)
	if size := zipped(text); size > 10e6 || size < 8e6 || n >= 24_000 || !strings.Contains(said, fmt.Sprintf("%d more issues", 24_000-n)) {
		t.Errorf("%d results, %d bytes compressed, said %q", n, size, said)
	}
	t.Logf("%d results: %d bytes, %d compressed", n, len(text), zipped(text))
}

func TestLimitsOfAResult(t *testing.T) {
	r := many(1)
	for i := range 2500 {
		r.Findings[0].Evidence = append(r.Findings[0].Evidence, analyze.Evidence{File: "f", Line: int64(i + 1)})
	}
	for i := range 30 {
		f := many(1).Findings[0]
		f.Class, f.Fingerprint = fmt.Sprintf("class %d", i), fmt.Sprintf("other %d", i)
		r.Findings = append(r.Findings, f, f)
	}
	text := render(t, r)
	for _, b := range breaches(text) {
		t.Error(b)
	}
	if !bytes.Contains(text, []byte("1501 more places")) || !bytes.Contains(text, []byte(`"tagsLeftOut":11`)) {
		t.Errorf("what is left out is not said: %.3000s", text)
	}
}

func named(name string) *analyze.Result {
	s := analyze.Subject{Process: name, Scope: name, Name: name, Metric: name}
	return &analyze.Result{Verdict: analyze.Fail, Summary: name, Command: name, Tool: analyze.Tool{Version: name}, Inputs: []analyze.Input{{Path: name, SHA256: name, Bytes: -5}}, Warnings: []string{name},
		Findings: []analyze.Finding{{Rule: name, Class: name, Subject: s, Message: name, Stack: []string{name}, Advice: name, Evidence: []analyze.Evidence{{File: name, Line: -1}}, Stats: map[string]float64{name: 1}}}}
}

func FuzzNames(f *testing.F) {
	for _, s := range append([]string{"a:b", "//host/x", "?q#f", "../..", "%2e%2e/", "](x)", "{0}"}, example.Hostiles...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, b := range breaches(render(t, named(name))) {
			t.Errorf("%q: %s", name, b)
		}
	})
}
