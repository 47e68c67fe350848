// Package html writes a report as one HTML file that loads nothing and runs nothing. Every number, table and chart is
// there when the file is written: charts are inline SVG drawn with presentation attributes, so that the page reads
// well where styles are blocked (the default Content-Security-Policy of Jenkins), in print and by a screen reader.
// The style only adds. Only this package knows HTML, SVG and CSS.
package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
)

//go:embed style.css
var style string

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"kind":   kind,
	"plot":   newPlot,
	"narrow": narrowPlot,
	"fall":   newFall,
	"barsOf": newBars,
	"spark":  newSpark,
	"cells":  cells,
	"anchor": anchor,
	"twice":  twice,
	"mark":   func(o string) string { return outcomes[o].mark },
	"word":   func(o string) string { return outcomes[o].word },
}).Parse(pageText))

// outcomes are how verdicts look: a word and a shape beside the colour.
var outcomes = map[string]struct{ mark, word string }{
	"pass": {"✓", "Pass"}, "fail": {"✗", "Fail"}, "inconclusive": {"?", "Inconclusive"}, "": {"–", "No verdict"},
}

// Render writes the page. An error is one of w; the same Doc gives the same bytes.
func Render(w io.Writer, doc *report.Doc) error {
	sum := sha256.Sum256([]byte(style))
	return page.Execute(w, struct {
		*report.Doc
		Style  template.CSS
		Policy string
		Groups []group
	}{doc, template.CSS(style), policy(base64.StdEncoding.EncodeToString(sum[:])), groups(doc.Sections)})
}

// policy allows this page's own style and nothing else: no script, no image, no request.
func policy(hash string) string {
	return "default-src 'none'; style-src 'sha256-" + hash + "'; base-uri 'none'; form-action 'none'"
}

// group is a section with its blocks, small charts that follow one another put side by side.
type group struct {
	report.Section
	Rows []any
}

// pair is a row of small charts.
type pair []*report.Chart

func groups(sections []report.Section) []group {
	out := make([]group, 0, len(sections))
	for _, s := range sections {
		g := group{Section: s}
		for _, b := range s.Blocks {
			c, ok := b.(*report.Chart)
			if !ok || !c.Small {
				g.Rows = append(g.Rows, b)
				continue
			}
			if n := len(g.Rows); n > 0 {
				if row, ok := g.Rows[n-1].(pair); ok {
					g.Rows[n-1] = append(row, c)
					continue
				}
			}
			g.Rows = append(g.Rows, pair{c})
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
	case *report.Waterfall:
		return "waterfall"
	case *report.Findings:
		return "findings"
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
