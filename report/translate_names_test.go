package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/lang"
	"github.com/memtide/memtide/report/markdown"
	"github.com/memtide/memtide/report/text"
)

// Names that look like words of the program stay as they are in another language, in every renderer.
func TestNamesAreNotTranslated(t *testing.T) {
	doc := report.Translate(report.New(namedLikeWords(), report.Options{}), lang.Chinese)
	for _, r := range []struct {
		name   string
		render func(io.Writer, *report.Doc) error
		want   []string
	}{
		{"text", text.Render, []string{"leak · ", " · end · ", "heap · none", "PASS · none"}},
		{"html", func(w io.Writer, d *report.Doc) error { return html.Render(w, d, html.Options{}) }, []string{"leak · ", " · end · ", "heap · none", "PASS · none", "<code>stable</code>"}},
		{"markdown", markdown.Render, []string{"leak · ", " · end · ", "heap · none"}},
	} {
		var b bytes.Buffer
		if err := r.render(&b, doc); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"泄漏 ·", "· 稳定", "· 无", "· 结束"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s: %q in\n%s", r.name, bad, b.String())
			}
		}
		for _, want := range r.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", r.name, want, b.String())
			}
		}
	}
}

// namedLikeWords is a process "leak" in the runs "none" and "stable" on the device "end" with the mappings "heap" and "PASS".
func namedLikeWords() *analyze.Result {
	r := &analyze.Result{Schema: analyze.Schema, Verdict: analyze.Fail}
	for _, run := range []string{"none", "stable"} {
		r.Inputs = append(r.Inputs, analyze.Input{Run: run, Path: run, Format: "smaps", Process: []string{"leak"}, Device: "end", Samples: 30, Duration: 60})
		for _, sub := range []analyze.Subject{{Process: "leak", Scope: "process", Metric: "pss"}, {Process: "leak", Scope: "mapping", Name: "heap", Metric: "pss"}, {Process: "leak", Scope: "mapping", Name: "PASS", Metric: "pss"}} {
			grown := float64(8 << 20)
			r.Series = append(r.Series, analyze.Series{Run: run, Subject: sub, N: 30, DurationS: 60, First: 1 << 20, Last: 9 << 20, Max: 9 << 20, Verdict: analyze.Leak, Confidence: "high", Growth: &grown, Reason: "It grows."})
		}
	}
	return r
}
