// Package text writes a report for a terminal: the story in 20 to 40 lines of at most 100 columns, without colours or
// markup.
package text

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
)

// width is where sentences are wrapped and what tables are made to fit.
const width = 100

// longest is how much of a finding or of a doubt is told: three lines.
const longest = 280

// longestFirst is how much of the first finding is told: its cause comes last.
const longestFirst = 460

// Render writes the summary of a report. An error is one of w.
func Render(w io.Writer, doc *report.Doc) error {
	p := &printer{Writer: bufio.NewWriter(w), said: map[string]bool{}, lang: doc.Lang}
	p.wrap("", verdict(doc)+doc.Lang.Colon()+doc.Headline)
	if doc.Context != "" {
		p.wrap("", doc.Context)
	}
	p.sides(doc.Sides)
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
	said map[string]bool // notes under tables, each said once
	lang lang.Tag
}

func (p *printer) line(text string) {
	p.WriteString(strings.TrimRight(text, " ") + "\n")
}

func verdict(doc *report.Doc) string {
	if doc.Outcome == "" {
		return strings.ToUpper(doc.Lang.Word("no verdict"))
	}
	return strings.ToUpper(doc.Lang.Word(string(doc.Outcome)))
}

func (p *printer) section(s report.Section) {
	if s.Title != "" && hasBrief(s) {
		p.line("")
		p.line(snip(strings.ToUpper(s.Title), width-20) + p.ofAll(s))
	}
	for i := 0; i < len(s.Blocks); i++ {
		switch b := s.Blocks[i].(type) {
		case *report.Paragraph:
			i += p.paragraphs(s.Blocks[i:]) - 1
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

// ofAll says in a heading how many entries of a section are not shown.
func (p *printer) ofAll(s report.Section) string {
	for _, b := range s.Blocks {
		all, shown := 0, 0
		switch b := b.(type) {
		case *report.Findings:
			all, shown = len(b.Items), p.firstFindings(b, s.Brief)
		case *report.List:
			items := p.unsaid(b)
			all, shown = len(items), firstItems(items, s.Brief)
		}
		if shown < all {
			return p.lang.Space() + p.lang.Sprintf("(%d OF %d)", shown, all)
		}
	}
	return ""
}

// sides says what was compared: on one line if both fit, else on two.
func (p *printer) sides(of []report.Side) {
	var texts []string
	for _, side := range of {
		texts = append(texts, p.lang.Word(side.Name)+p.lang.Colon()+side.Text)
	}
	if one := strings.Join(texts, " · "); one != "" && columns(one) <= width {
		texts = []string{one}
	}
	for _, text := range texts {
		p.wrap("", text)
	}
}

// paragraphs writes the paragraphs that blocks begin with as one, and says how many these are.
func (p *printer) paragraphs(blocks []report.Block) int {
	var texts []string
	n := 0
	for ; n < len(blocks); n++ {
		b, ok := blocks[n].(*report.Paragraph)
		if !ok {
			break
		}
		if b.Tone != report.Muted {
			texts = append(texts, b.Text)
			p.said[b.Text] = true
		}
	}
	if len(texts) > 0 {
		p.wrap("", strings.Join(texts, p.lang.Space()))
	}
	return n
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

// left says where the full report is, or how to get it.
func (p *printer) left(doc *report.Doc) {
	p.line("")
	if doc.Written != "" {
		p.wrap("", p.lang.Sprintf("The full report is %s.", doc.Written))
		return
	}
	p.line(p.lang.Word("The full report: add -o report.html") + p.lang.Stop())
}

// stop ends a sentence, unless it was cut short.
func stop(text string) string {
	if text = strings.TrimRight(text, ". "); strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

func (p *printer) stop(text string) string {
	if p.lang.English() {
		return stop(text)
	}
	return strings.TrimSuffix(strings.TrimSuffix(stop(text), "."), "。") + p.lang.Stop()
}

// shorten ends a long sentence at a word.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	text = string(runes[:most])
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		text = text[:at]
	}
	return text + " …"
}

// wrap writes a text in lines of the width, the second and later ones indented as the first one's text is.
func (p *printer) wrap(prefix, text string) {
	indent := strings.Repeat(" ", columns(prefix))
	line := prefix
	empty := true
	for _, word := range words(text, width-columns(prefix)) {
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

// words are the words of a text; what is longer than a line, a path without a blank, is parted.
func words(text string, most int) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		runes := []rune(word)
		for columns(string(runes)) > most {
			n := most
			for columns(string(runes[:min(n, len(runes))])) > most {
				n--
			}
			out, runes = append(out, string(runes[:n])), runes[n:]
		}
		out = append(out, string(runes))
	}
	return out
}

func (p *printer) findings(f *report.Findings, most int) {
	for i, item := range f.Items[:p.firstFindings(f, most)] {
		text := p.findingText(item, i)
		if see := place(item.Evidence); i < most && see != "" {
			text = p.stop(text) + p.lang.Space() + p.lang.Sprintf("See %s.", see)
		}
		p.wrap("! ", text)
		if len(item.Stack) > 0 && i < most {
			p.line("  " + p.lang.Word("at:") + p.lang.Space() + snip(strings.Join(item.Top(), " ← "), width-6))
		}
		if i < most {
			for _, line := range item.Source {
				p.line("  " + shorten(line, width-2))
			}
		}
		if item.Advice != "" && i == 0 {
			p.line("  " + p.lang.Word("try:") + p.lang.Space() + shorten(item.Advice, width-9))
		}
	}
	if f.Omitted != "" && p.firstFindings(f, most) == len(f.Items) {
		p.line("  " + f.Omitted)
	}
}

func (p *printer) findingText(item report.Finding, i int) string {
	most := longest
	if i == 0 {
		most = longestFirst
	}
	return strings.TrimSpace(item.Severity+" "+item.Status) + p.lang.Colon() + shorten(item.Message, most)
}

// firstFindings counts the findings that are told: so many, and the last one if it takes one line.
func (p *printer) firstFindings(f *report.Findings, most int) int {
	if n := len(f.Items); n <= most || n == most+1 && columns("! "+p.findingText(f.Items[most], most)) <= width {
		return n
	}
	return most
}

// place is the first place of a finding's evidence, without what stood there.
func place(evidence []string) string {
	if len(evidence) == 0 {
		return ""
	}
	text, _, _ := strings.Cut(evidence[0], " (")
	return text
}

// list writes the first items.
func (p *printer) list(l *report.List, most int) {
	items := p.unsaid(l)
	for _, item := range items[:firstItems(items, most)] {
		p.wrap("- ", itemText(item))
	}
}

// unsaid are the items of a list without those that the first screen has said.
func (p *printer) unsaid(l *report.List) []report.Item {
	return slices.DeleteFunc(slices.Clone(l.Items), func(i report.Item) bool { return p.said[i.Text] })
}

// firstItems counts the items that are written: so many, and the last one if it takes one line.
func firstItems(items []report.Item, most int) int {
	if n := len(items); n <= most || n == most+1 && columns("- "+itemText(items[most])) <= width {
		return n
	}
	return most
}

func itemText(i report.Item) string {
	text := i.Text
	if i.Term != "" {
		text = i.Term + ": " + text
	}
	return shorten(text, longest)
}
