// Package html writes a report as one HTML file that loads nothing. Every number, table and chart is there when the file
// is written: charts are inline SVG drawn with presentation attributes, so that the page reads well where styles and
// scripts are blocked (the default Content-Security-Policy of Jenkins), in print and by a screen reader. The style and
// the script only add. Only this package knows HTML, SVG, CSS and JavaScript.
package html

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
)

// Options say what a page has beside what everybody can read. The zero value is a whole page.
type Options struct {
	Static  bool   // no script: what the script would add is left out
	MaxSize int    // bytes; DefaultMaxSize if it is 0
	Data    []byte // the result as compressed JSON, to be put into the page for memtide to read again
}

// DefaultMaxSize is what trackers take: 8 MB.
const DefaultMaxSize = 8_000_000

// outcomes are how verdicts look: a word and a shape beside the colour.
var outcomes = map[string]struct{ mark, word string }{
	"pass": {"✓", "Pass"}, "fail": {"✗", "Fail"}, "inconclusive": {"?", "Inconclusive"}, "": {"–", "No verdict"},
}

// Render writes the page. What does not fit into MaxSize is left out, the least needed first, and named at the foot; a page
// whose text alone is too large is an error. Any other error is one of w. The same Doc and Options give the same bytes.
func Render(w io.Writer, doc *report.Doc, o Options) error {
	if o.MaxSize <= 0 {
		o.MaxSize = DefaultMaxSize
	}
	var out bytes.Buffer
	for l := whole(o); ; {
		out.Reset()
		if err := l.write(&out, doc); err != nil {
			return err
		}
		if out.Len() <= o.MaxSize {
			break
		}
		if !l.less() {
			return fmt.Errorf("the page has %d bytes without all that can be left out; at most %d are allowed", out.Len(), o.MaxSize)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// write makes the page with what a layer has.
func (l *layer) write(w io.Writer, doc *report.Doc) error {
	code, err := l.code(doc)
	if err != nil {
		return err
	}
	return pages[lang.Tag(doc.Lang.String())]().Execute(w, struct {
		*report.Doc
		Layer  *layer
		Style  template.HTML
		Code   template.HTML
		Policy string
		Groups []group
	}{doc, l, template.HTML("<style>" + l.style() + "</style>"), code.html(), policy(l.style(), code.scripts), groups(doc.Sections)})
}

// group is a section with its blocks, small charts that follow one another put side by side.
type group struct {
	report.Section
	Rows []any
}

// pair is a row of small charts.
type pair []any

// small says whether a block may stand beside another one.
func small(b any) bool {
	switch b := b.(type) {
	case *report.Chart:
		return b.Small
	case *report.Course:
		return b.Small
	}
	return false
}

func groups(sections []report.Section) []group {
	out := make([]group, 0, len(sections))
	for _, s := range sections {
		g := group{Section: s}
		for _, b := range s.Blocks {
			if !small(b) {
				g.Rows = append(g.Rows, b)
				continue
			}
			if n := len(g.Rows); n > 0 {
				if row, ok := g.Rows[n-1].(pair); ok {
					g.Rows[n-1] = append(row, b)
					continue
				}
			}
			g.Rows = append(g.Rows, pair{b})
		}
		out = append(out, g)
	}
	return out
}

// kind names a block for the template.
func kind(b any) string {
	switch b.(type) {
	case *report.Paragraph:
		return "paragraph"
	case *report.Table:
		return "table"
	case *report.Chart:
		return "chart"
	case *report.Course:
		return "course"
	case *report.Waterfall:
		return "waterfall"
	case *report.Findings:
		return "findings"
	case *report.Moments:
		return "moments"
	case *report.Flame:
		return "flame"
	case *report.List:
		return "list"
	case pair:
		return "pair"
	}
	return ""
}

// anchor makes a name fit for an id: letters, digits and dashes.
func anchor(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, text)
}
