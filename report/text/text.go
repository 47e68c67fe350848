// Package text writes a report for a terminal: the story in some thirty lines, without colours or markup.
package text

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
)

// width is where sentences are wrapped; tables may be wider.
const width = 110

// Render writes the summary of a report. An error is one of w.
func Render(w io.Writer, doc *report.Doc) error {
	p := &printer{Writer: bufio.NewWriter(w)}
	p.wrap("", verdict(doc)+": "+doc.Headline)
	if doc.Context != "" {
		p.wrap("", doc.Context)
	}
	for _, s := range doc.Sections {
		if s.Brief > 0 {
			p.section(s)
		}
	}
	p.left(doc)
	return p.Flush()
}

// printer collects what is written; its writer remembers the first error for Flush.
type printer struct {
	*bufio.Writer
}

func (p *printer) line(text string) {
	p.WriteString(strings.TrimRight(text, " ") + "\n")
}

func verdict(doc *report.Doc) string {
	if doc.Outcome == "" {
		return "NO VERDICT"
	}
	return strings.ToUpper(string(doc.Outcome))
}

func (p *printer) section(s report.Section) {
	if s.Title != "" && hasBrief(s) {
		p.line("")
		p.line(strings.ToUpper(s.Title))
	}
	for _, b := range s.Blocks {
		switch b := b.(type) {
		case *report.Paragraph:
			if b.Tone != report.Muted {
				p.wrap("", b.Text)
			}
		case *report.Table:
			if !b.Extra {
				p.table(s, b)
			}
		case *report.Chart:
			p.chart(b)
		case *report.Waterfall:
			p.waterfall(b, s.Brief)
		case *report.Findings:
			p.findings(b, s.Brief)
		case *report.List:
			p.list(b, s.Brief)
		}
	}
}

// hasBrief says whether anything of a section is shown in a summary.
func hasBrief(s report.Section) bool {
	for _, b := range s.Blocks {
		switch b := b.(type) {
		case *report.Table:
			if !b.Extra {
				return true
			}
		case *report.Paragraph:
			if b.Tone != report.Muted {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// left names the sections that a summary leaves out.
func (p *printer) left(doc *report.Doc) {
	var names []string
	for _, s := range doc.Sections {
		if s.Brief == 0 && s.Title != "" {
			names = append(names, strings.ToLower(s.Title[:1])+s.Title[1:])
		}
	}
	if len(names) > 0 {
		p.line("")
		p.wrap("", "In the full report (-o report.html): "+strings.Join(names, ", ")+".")
	}
}

// wrap writes a text in lines of the width, the second and later ones indented as the first one's text is.
func (p *printer) wrap(prefix, text string) {
	indent := strings.Repeat(" ", columns(prefix))
	line := prefix
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && columns(line)+1+columns(word) > width {
			p.line(line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	p.line(line)
}

func (p *printer) findings(f *report.Findings, most int) {
	for i, item := range f.Items {
		if i == most {
			p.line(fmt.Sprintf("  … %d more", len(f.Items)-most))
			return
		}
		head := strings.TrimSpace(item.Severity + " " + item.Status)
		text := head + ": " + item.Message
		if len(item.Evidence) > 0 {
			text += " See " + item.Evidence[0] + "."
		}
		p.wrap("! ", text)
		if item.Advice != "" && item.Status != "fixed" {
			p.wrap("  try: ", item.Advice)
		}
	}
	if f.Omitted != "" {
		p.line("  " + f.Omitted)
	}
}

func (p *printer) list(l *report.List, most int) {
	for i, item := range l.Items {
		if i == most {
			p.line(fmt.Sprintf("  … %d more", len(l.Items)-most))
			return
		}
		text := item.Text
		if item.Term != "" {
			text = item.Term + ": " + text
		}
		p.wrap("- ", text)
	}
}
