// Package markdown writes a report as GitHub-flavoured Markdown, for a ticket, a merge request or a job summary:
// the story first, the reference material folded below it.
package markdown

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
)

// rows is how many rows of a table are written: comments on tickets have limits of size (64 KB), and readers too.
const rows = 25

// Render writes the report. An error is one of w; the same Doc gives the same bytes.
func Render(w io.Writer, doc *report.Doc) error {
	p := &printer{bufio.NewWriter(w), doc.Lang}
	p.line("## " + p.lang.Word(marks[string(doc.Outcome)]) + p.lang.Space() + escape(doc.Headline))
	if doc.Context != "" {
		p.line("")
		p.line(escape(doc.Context))
	}
	for i, side := range doc.Sides {
		if i == 0 {
			p.line("")
		}
		p.line("- **" + escape(p.lang.Word(side.Name)) + ":** " + escape(side.Text+dates(side)))
	}
	for _, s := range doc.Sections {
		p.section(s)
	}
	p.line("")
	p.line("<sub>" + p.lang.Sprintf("Written by %s.", escape(doc.Tool)) + "</sub>")
	return p.Flush()
}

// dates stand in brackets.
func dates(s report.Side) string {
	if s.Dates == "" {
		return ""
	}
	return " (" + s.Dates + ")"
}

var marks = map[string]string{"pass": "✓ Pass:", "fail": "✗ Fail:", "inconclusive": "? Inconclusive:", "": "No verdict:"}

// printer collects what is written; its writer remembers the first error for Flush.
type printer struct {
	*bufio.Writer
	lang lang.Tag
}

func (p *printer) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

// section writes a section; what a summary leaves out is folded.
func (p *printer) section(s report.Section) {
	folded := s.Brief == 0 && s.Title != ""
	p.line("")
	switch {
	case folded:
		p.line("<details><summary>" + entities(s.Title) + "</summary>")
		p.line("")
	case s.Title != "":
		p.line("### " + escape(s.Title))
		p.line("")
	}
	if s.Note != "" {
		p.line(escape(s.Note))
		p.line("")
	}
	for _, b := range s.Blocks {
		p.block(b)
	}
	if folded {
		p.line("</details>")
	}
}

func (p *printer) block(b report.Block) {
	switch b := b.(type) {
	case *report.Paragraph:
		p.line(escape(b.Text))
	case *report.Table:
		p.table(b)
	case *report.Chart:
		p.line("**" + escape(b.Title) + ":** " + escape(strings.TrimSpace(b.Desc+" "+b.Beyond)))
	case *report.Waterfall:
		p.waterfall(b)
	case *report.Findings:
		p.findings(b)
	case *report.List:
		p.list(b)
	case *report.Moments, *report.Flame: // pictures
		return
	}
	p.line("")
}

func (p *printer) table(t *report.Table) {
	folded := t.Folded || t.Extra
	if folded {
		p.line("<details><summary>" + entities(t.Caption) + "</summary>")
	} else {
		p.line(escape(t.Caption))
	}
	p.line("")
	var heads, rules []string
	for _, c := range t.Columns {
		if c.Bar {
			continue
		}
		head, rule := c.Title, "---"
		if c.Unit != "" {
			head += " " + c.Unit
		}
		if c.Number {
			rule = "--:"
		}
		heads, rules = append(heads, escape(head)), append(rules, rule)
	}
	p.row(heads)
	p.row(rules)
	for i, row := range t.Rows {
		if i == rows && len(t.Rows) > rows+1 {
			break
		}
		var cells []string
		for j, c := range row {
			if !t.Columns[j].Bar {
				cells = append(cells, cell(c))
			}
		}
		p.row(cells)
	}
	for _, n := range t.Notes {
		p.line("")
		p.line(escape(n.Text))
	}
	more := len(t.Rows) - rows
	if more == 1 {
		more = 0
	}
	p.omitted(t.Omitted, more)
	if folded {
		p.line("")
		p.line("</details>")
	}
}

func (p *printer) row(cells []string) { p.line("| " + strings.Join(cells, " | ") + " |") }

func (p *printer) omitted(text string, more int) {
	if more > 0 {
		text = strings.TrimSpace(p.lang.Sprintf("%d more rows in the full report. %s", more, text))
	}
	if text != "" {
		p.line("")
		p.line(escape(text))
	}
}

func cell(c report.Cell) string {
	text := escape(c.Text)
	if c.Code {
		text = code(c.Text)
	}
	if c.Mark != "" {
		text = escape(c.Mark) + " " + text
	}
	return text
}

func (p *printer) waterfall(w *report.Waterfall) {
	p.line(escape(w.Caption))
	p.line("")
	p.row([]string{p.lang.Word("part"), escape(w.Scale.Unit)})
	p.row([]string{"---", "--:"})
	for _, s := range w.Steps {
		change := s.To - s.From
		label, text := escape(s.Label), w.Scale.Signed(&change)
		if s.Total {
			label, text = "**"+label+"**", "**"+w.Scale.Text(&s.To)+"**"
		}
		if s.Note != "" {
			label += " (" + escape(s.Note) + ")"
		}
		p.row([]string{label, text})
	}
}

func (p *printer) findings(f *report.Findings) {
	for _, item := range f.Items {
		head := strings.TrimSpace(item.Severity + " " + item.Status)
		p.line("- **" + escape(head) + "** " + escape(item.Title) + ": " + escape(item.Message))
		if item.Advice != "" {
			p.line("  " + p.lang.Word("Try:") + p.lang.Space() + escape(item.Advice))
		}
		if len(item.Evidence) > 0 {
			places := make([]string, len(item.Evidence))
			for i, e := range item.Evidence {
				places[i] = code(e)
			}
			p.line("  " + p.lang.Word("Evidence:") + p.lang.Space() + strings.Join(places, ", "))
		}
		for i, frame := range item.Stack {
			if i == 0 {
				p.line("  " + p.lang.Word("Stack, innermost first:"))
			}
			p.line("  " + fmt.Sprint(i+1) + ". " + code(frame))
		}
		for _, line := range item.Source {
			p.line("  " + code(line) + "\\")
		}
	}
	if f.Omitted != "" {
		p.line("")
		p.line(escape(f.Omitted))
	}
}

func (p *printer) list(l *report.List) {
	for _, item := range l.Items {
		text := escape(item.Text)
		if item.Term != "" {
			text = "**" + escape(item.Term) + "** " + text
		}
		p.line("- " + text)
	}
	if l.Omitted != "" {
		p.line("")
		p.line(escape(l.Omitted))
	}
}
