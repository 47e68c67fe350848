package github_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/github"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
	"github.com/memtide/memtide/report/markdown"
)

func render(t *testing.T, f func(io.Writer, *report.Doc) error, r *analyze.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	golden.Check(t, "gate.github.txt", []byte(render(t, github.Annotations, example.Gate())))
	golden.Check(t, "compare.github.txt", []byte(render(t, github.Annotations, example.Compare())))
}

// shape is a workflow command that the runner understands as it was meant: known name, properties without a bare comma
// or colon, every % the start of one of its five escapes.
var (
	escaped  = `(?:[^%\r\n]|%25|%0D|%0A)*`
	property = `(?:[^%,:\r\n]|%25|%0D|%0A|%3A|%2C)+`
	shape    = regexp.MustCompile(`^::(error|warning|notice) (?:file=` + property + `,line=[1-9][0-9]*,)?title=` + property + `::` + escaped + `$`)
)

// commands are the lines, each checked.
func commands(t *testing.T, text string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := shape.FindStringSubmatch(line)
		if m == nil || strings.ContainsFunc(line, unicode.IsControl) || !utf8.ValidString(line) {
			t.Errorf("no workflow command: %q", line)
			continue
		}
		n[m[1]]++
	}
	if n["notice"] != 1 || n["error"] > 10 || n["warning"] > 10 {
		t.Errorf("%v", n)
	}
	return n
}

func named(name string) *analyze.Result {
	s := analyze.Subject{Process: name, Scope: name, Name: name, Metric: name}
	return &analyze.Result{Verdict: analyze.Fail, Summary: name, Findings: []analyze.Finding{
		{Rule: name, Class: name, Severity: "critical", Subject: s, Message: name, Advice: name, Evidence: []analyze.Evidence{{File: name, Line: -1}}}}}
}

func TestCommands(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "gate": example.Gate(), "hostile": example.Hostile(), "nothing": nil} {
		text := render(t, github.Annotations, r)
		commands(t, text)
		if text != render(t, github.Annotations, r) {
			t.Errorf("%s: two writings differ", name)
		}
	}
	for _, name := range append([]string{"::error::x", "\n::set-env name=A::b", "%0A::stop-commands::x", "a,b:c%", "\x1b[31m", "\xff", "##[add-mask]x", strings.Repeat("x", 10_000)}, example.Hostiles...) {
		if n := commands(t, render(t, github.Annotations, named(name))); n["error"] != 1 {
			t.Errorf("%.40q: %v", name, n)
		}
	}
}

func FuzzCommands(f *testing.F) {
	for _, s := range example.Hostiles {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) { commands(t, render(t, github.Annotations, named(name))) })
}

func TestLimitOfAnnotations(t *testing.T) {
	r := &analyze.Result{Verdict: analyze.Fail, Summary: "Much is wrong."}
	for i := range 40 {
		r.Findings = append(r.Findings, analyze.Finding{Rule: "growth", Severity: []string{"note", "warning", "critical", "critical"}[i%4], Fingerprint: fmt.Sprint(i), Message: fmt.Sprintf("number %d.", i)})
	}
	r.Findings = append(r.Findings, analyze.Finding{Rule: "growth", Fingerprint: "gone", Status: "fixed", Message: "gone."})
	text := render(t, github.Annotations, r)
	if n := commands(t, text); n["error"] != 10 || n["warning"] != 10 {
		t.Errorf("%v", n)
	}
	want := "::notice title=memtide::Fail. Much is wrong. Not annotated: 10 more errors, 10 notes, 1 fixed; the report has them.\n"
	if !strings.HasSuffix(text, want) || !strings.HasPrefix(text, "::error ") {
		t.Errorf("no %q in\n%s", want, text)
	}
}

func TestNothingMeasured(t *testing.T) {
	text := render(t, github.Annotations, &analyze.Result{Verdict: analyze.Pass})
	if n := commands(t, text); n["error"] != 1 || strings.Contains(text, "Pass") {
		t.Errorf("%s", text)
	}
}

// A report that fits is the report, and whole.
func TestCommentIsTheReport(t *testing.T) {
	plain := render(t, markdown.Render, example.Gate())
	if got := render(t, github.Comment(markdown.Render), example.Gate()); got != "<!-- memtide -->\n"+plain {
		t.Errorf("the comment is another text:\n%s", got)
	}
	if got := render(t, github.Summary(markdown.Render), example.Gate()); got != plain {
		t.Errorf("the summary is another text:\n%s", got)
	}
}

// long is Markdown of about a number of bytes: sections, of which every other one is folded, with tables.
func long(size int) func(io.Writer, *report.Doc) error {
	return func(w io.Writer, _ *report.Doc) error {
		var b strings.Builder
		b.WriteString("## ✗ Fail: the verdict\n\ncontext\n")
		row := "| `a row of the table` | 1.0 | 2.0 |\n"
		for i := 0; b.Len() < size; i++ {
			table := "| a | b | c |\n| --- | --: | --: |\n" + strings.Repeat(row, 25)
			if i%2 == 0 {
				fmt.Fprintf(&b, "\n### Section %d\n\nA sentence.\n\n%s\n<details><summary>more of %d</summary>\n\n%s\n</details>\n\n", i, table, i, table)
				continue
			}
			fmt.Fprintf(&b, "\n<details><summary>Folded %d</summary>\n\n%s\n%s\n</details>\n", i, table, table)
		}
		b.WriteString("\n<sub>Written by memtide.</sub>\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		what   string
		render func(func(io.Writer, *report.Doc) error) func(io.Writer, *report.Doc) error
		limit  int
	}{{"comment", github.Comment, 64 << 10}, {"summary", github.Summary, 1 << 20}} {
		got := render(t, c.render(long(2*c.limit)), example.Gate())
		if len(got) > c.limit || len(got) < c.limit*9/10 {
			t.Errorf("%s: %d bytes of %d", c.what, len(got), c.limit)
		}
		if strings.Count(got, "<details>") != strings.Count(got, "</details>") {
			t.Errorf("%s: a fold is not closed", c.what)
		}
		if !strings.Contains(got, "## ✗ Fail: the verdict") || !strings.Contains(got, "<sub>Written by memtide.</sub>") {
			t.Errorf("%s: no head or foot", c.what)
		}
		tail := got[strings.LastIndex(got, "\n**Left out"):]
		if !regexp.MustCompile(`^\n\*\*Left out for length:\*\* \d+ blocks \(\d+ bytes\) of: .*(, Folded \d+| and \d+ more sections)\. The full report has them\.\n$`).MatchString(tail) {
			t.Errorf("%s: what is left out is not named: %q", c.what, tail)
		}
		for _, block := range strings.Split(got, "| a | b | c |\n")[1:] {
			if n := strings.Count(block[:strings.Index(block+"\n\n", "\n\n")], "a row"); n != 25 {
				t.Errorf("%s: a table was cut to %d rows", c.what, n)
			}
		}
		t.Logf("%s: %d bytes of a limit of %d", c.what, len(got), c.limit)
	}
}
