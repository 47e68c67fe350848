package html_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/unit"
)

// blocks renders blocks of one section, without head and foot and the blanks between elements.
func blocks(t *testing.T, s report.Section) string {
	t.Helper()
	s.ID = "x"
	var b bytes.Buffer
	if err := html.Render(&b, &report.Doc{Tool: "memtide", Sections: []report.Section{s}}, html.Options{Static: true}); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(b.String(), "<main>")
	body, _, _ := strings.Cut(rest, "<nav")
	return regexp.MustCompile(`>\s+<`).ReplaceAllString(strings.TrimSpace(body), "><")
}

func TestBlocks(t *testing.T) {
	v := -2048.0
	cell := report.Cell{Text: "−2.0", Value: &v, Tone: report.Good}
	for _, c := range []struct {
		name    string
		section report.Section
		want    []string
		not     []string
	}{
		{"a heading", report.Section{Title: "What <grew>"}, []string{`<h2 id="x-title">What &lt;grew&gt;</h2>`, `aria-labelledby="x-title"`}, []string{"<details"}},
		{"a folded section", report.Section{Title: "Inputs", Folded: true, Note: "a note"}, []string{`<details><summary><h2 id="x-title">Inputs</h2></summary>`, "a note"}, []string{"<details open"}},
		{"a paragraph", report.Section{Blocks: []report.Block{&report.Paragraph{Text: "a & b", Tone: report.Warn}}}, []string{`<p class="note warn">a &amp; b</p>`}, []string{"<a "}},
		{"a paragraph that leads somewhere", report.Section{Blocks: []report.Block{&report.Paragraph{Text: "see", Link: "findings"}}}, []string{`<a href="#findings">see</a>`}, nil},
		{"a table", report.Section{Blocks: []report.Block{&report.Table{ID: "t", Caption: "cap", Omitted: "7 left out.",
			Columns: []report.Column{{Title: "name"}, {Title: "change", Unit: "KiB", Number: true}}, Rows: [][]report.Cell{{{Text: "/a/b", Code: true, Note: "why"}, cell}}}}},
			[]string{`<p class="caption" id="t-caption">cap</p>`, `<th scope="col" class="n" align="right">change <span class="unit">KiB</span></th>`,
				`<th scope="row" align="left"><code>/a/<wbr>b</code><br><small>why</small></th>`, `<td class="n" align="right" data-v="-2048"><span class="good">−2.0</span></td>`, "7 left out."},
			[]string{"<details", "why\"><td colspan"}},
		{"a folded table", report.Section{Blocks: []report.Block{&report.Table{ID: "t", Caption: "cap", Folded: true}}}, []string{`<details class="more"><summary>cap</summary>`}, nil},
		{"a wide table", report.Section{Blocks: []report.Block{&report.Table{ID: "t", Wide: true, Columns: []report.Column{{Title: "name"}, {Title: "verdict"}},
			Rows: [][]report.Cell{{{Text: "pss", Note: "because"}, {Text: "leak", Mark: "✗", Tone: report.Bad}}}}}},
			[]string{`<tbody class="rec"><tr>`, `<tr class="why"><td colspan="2"><div>because</div></td></tr></tbody>`, `<span class="nowrap bad"><span class="mark">✗</span> leak</span>`}, []string{"<small>"}},
		{"a finding", report.Section{Blocks: []report.Block{&report.Findings{Omitted: "more", Items: []report.Finding{{ID: "finding-1", Severity: "critical", Tone: report.Bad, Status: "new",
			Title: "growth", Message: "It grows.", Evidence: []string{"a.txt:7"}, Stack: []string{"malloc", "new", "f", "g", "main"}, Advice: "Look.", Print: "f:1"}}}}},
			[]string{`<article id="finding-1" class="finding bad" data-print="f:1">`, `<span class="tag">critical</span>`, `<dt>Try</dt><dd>Look.</dd>`, `<code>a.txt:7</code>`, "5 frames", "<dt>Top frames</dt><dd><code>malloc</code><br>", "<li><code>malloc</code></li>", "<code>f:1</code>", "more"},
			[]string{"<dt>But</dt>", "<dt>Numbers</dt>"}},
		{"a list", report.Section{Blocks: []report.Block{&report.List{Omitted: "2 more.", Items: []report.Item{{Term: "swap", Text: "unknown"}, {Text: "x", Tone: report.Warn}}}}},
			[]string{"<li><b>swap</b> unknown</li>", `<li class="warn">x</li>`, "2 more."}, nil},
		{"a waterfall", report.Section{Blocks: []report.Block{&report.Waterfall{ID: "w", Caption: "pss", Scale: unit.Scale{Unit: "B"},
			Steps: []report.Step{{Label: "before", Total: true, Side: "before", To: 10}, {Label: "heap", From: 10, To: 4, Note: "removed"}, {Label: "after", Total: true, Side: "after", To: 4}}}}},
			[]string{`<tr class="total">`, "−6 <span class=\"unit\">B</span>", "<small>removed</small>", `fill-opacity="0.15"`}, nil},
		{"a chart", report.Section{Blocks: []report.Block{&report.Chart{ID: "c", Title: "pss over time", Desc: "it rises", Scale: unit.Scale{Unit: "B"}, Lines: []report.Line{
			{Side: "before", Label: "before", Points: []report.Point{{T: 0, Min: 1, Mid: 2, Max: 3}, {T: 9, Min: 4, Mid: 5, Max: 6}}}}}}},
			[]string{`role="img" aria-labelledby="c-t c-d"`, `<title id="c-t">pss over time</title><desc id="c-d">it rises</desc>`, `stroke-dasharray="5 3"`, "before, ends at 5"}, []string{"style="}},
	} {
		got := blocks(t, c.section)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", c.name, want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %s in\n%s", c.name, not, got)
			}
		}
	}
}

func TestOutcomes(t *testing.T) {
	for outcome, want := range map[string]string{"fail": "✗ Fail", "pass": "✓ Pass", "inconclusive": "? Inconclusive", "": "– No verdict"} {
		doc := &report.Doc{Headline: "h"}
		switch outcome {
		case "fail":
			doc.Outcome = "fail"
		case "pass":
			doc.Outcome = "pass"
		case "inconclusive":
			doc.Outcome = "inconclusive"
		}
		var b bytes.Buffer
		if err := html.Render(&b, doc, html.Options{Static: true}); err != nil || !strings.Contains(b.String(), `">`+want+"</strong>") {
			t.Errorf("%q: %v, no %q", outcome, err, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorIsReturned(t *testing.T) {
	if err := html.Render(full{}, &report.Doc{}, html.Options{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}
