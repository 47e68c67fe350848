package report

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/walk"
	"github.com/memtide/memtide/report/lang"
)

// Translate gives a report in another language: all that is prose in it. Names from captures, code, numbers, the result
// that it was made from and what renderers go by (sides, tones, IDs) stay. Doc is not changed.
func Translate(doc *Doc, to lang.Tag) *Doc {
	if to.English() {
		return doc
	}
	t := &tongue{to: lang.New(to), names: namesOf(doc.Result)}
	t.to.Keep(slices.Collect(maps.Keys(t.names))...)
	t.wholes(doc.Result)
	out := *doc
	out.Lang = to
	out.Title, out.Context = t.text(doc.Title), t.text(doc.Context)
	out.Headline = t.text(doc.Headline)
	out.Sides = each(doc.Sides, func(s Side) Side { return Side{s.Name, t.text(s.Text), t.text(s.Dates)} })
	out.Sections = each(doc.Sections, t.section)
	if doc.Explore != nil {
		e := *doc.Explore
		e.Omitted, e.Rows = t.text(e.Omitted), each(e.Rows, t.entry)
		out.Explore = &e
	}
	return &out
}

func each[T any](items []T, f func(T) T) []T {
	if items == nil {
		return nil
	}
	out := make([]T, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}

// tongue translates the parts of a report.
type tongue struct {
	to    *lang.Translator
	names map[string]bool  // of the captures: they stay
	cut   map[string]piece // what was cut from longer texts
}

// piece is the beginning or the rest of a text that a report parts, or a text that it cuts.
type piece struct {
	whole string
	rest  bool
}

// wholes finds again what a report cuts or parts, since only a whole sentence can be translated.
func (t *tongue) wholes(r *analyze.Result) {
	t.cut = map[string]piece{}
	if r == nil {
		return
	}
	note := func(text string) {
		whole := minus(clean(text))
		if len(whole) <= mostHeadline {
			return
		}
		if short := sentence(text); short != whole {
			t.cut[short] = piece{whole: whole}
		}
		for _, of := range []string{whole, capital(sentence(text))} {
			if head, rest := split(of); rest != "" {
				t.cut[head], t.cut[rest] = piece{whole: whole}, piece{whole, true}
			}
		}
	}
	note(r.Summary)
	for _, f := range r.Findings {
		walk.Copy(f, walk.Editor{String: func(text string) string { note(text); return text }})
	}
}

func (t *tongue) text(text string) string {
	if t.names[text] {
		return text
	}
	p, ok := t.cut[text]
	if !ok {
		return t.to.Text(text)
	}
	head, rest := parted(t.to.Text(p.whole))
	switch {
	case p.rest:
		return rest
	case strings.Contains(text, "…") && utf8.RuneCountInString(text) > mostHeadline:
		return cut(t.to.Text(p.whole), 3*longest)
	}
	return head
}

// parted parts a Chinese text that is too long for a headline, as split does an English one.
func parted(text string) (head, rest string) {
	if utf8.RuneCountInString(text) <= mostHeadline {
		return text, ""
	}
	for _, mark := range []string{"。", "；", "："} {
		at, n := 0, 0
		for i, r := range text {
			if n++; n > mostHeadline {
				break
			}
			if string(r) == mark && n > mostHeadline/4 {
				at = i
			}
		}
		if rest := strings.TrimSpace(text[at+len(mark):]); at > 0 && rest != "" {
			return text[:at] + "。", rest
		}
	}
	return string([]rune(text)[:mostHeadline-1]) + "…", text
}

func (t *tongue) section(s Section) Section {
	s.Title, s.Note = t.text(s.Title), t.text(s.Note)
	blocks := make([]Block, 0, len(s.Blocks))
	for _, b := range s.Blocks {
		b = t.block(b)
		if p, ok := b.(*Paragraph); ok && p.Text == "" { // the headline says it, being shorter now
			continue
		}
		blocks = append(blocks, b)
	}
	s.Blocks = blocks
	return s
}

func (t *tongue) block(b Block) Block {
	switch b := b.(type) {
	case *Paragraph:
		return &Paragraph{t.text(b.Text), b.Tone, b.Link}
	case *Table:
		return t.table(b)
	case *Chart:
		return t.chart(b)
	case *Course:
		return t.course(b)
	case *Waterfall:
		out := *b
		out.Caption = t.text(b.Caption)
		out.Steps = each(b.Steps, func(s Step) Step { s.Label, s.Note = t.label(s.Label), t.text(s.Note); return s })
		return &out
	case *Findings:
		return &Findings{each(b.Items, t.finding), t.text(b.Omitted)}
	case *Moments:
		out := *b
		out.Caption, out.Axis.Zero = t.text(b.Caption), t.label(b.Axis.Zero)
		out.Rows = each(b.Rows, func(m Moment) Moment { m.Label = t.text(m.Label); return m })
		return &out
	case *Flame:
		return t.flame(b)
	case *List:
		return &List{each(b.Items, t.item), t.text(b.Omitted)}
	}
	return b
}

// word is a short text of the program: a verdict, the head of a column.
func (t *tongue) word(text string) string { return t.to.Text(text) }

// label is a short text that may be a name of the capture or a word of the program.
func (t *tongue) label(text string) string {
	if t.names[text] {
		return text
	}
	return t.to.Text(text)
}

func (t *tongue) item(i Item) Item { return Item{t.label(i.Term), t.text(i.Text), i.Tone} }

func (t *tongue) table(from *Table) *Table {
	out := *from
	out.Caption, out.Omitted = t.text(from.Caption), t.text(from.Omitted)
	out.Columns = each(from.Columns, func(c Column) Column { c.Title = t.word(c.Title); return c })
	out.Rows = each(from.Rows, t.row)
	out.Notes = each(from.Notes, func(n Note) Note { n.Text = t.text(n.Text); return n })
	return &out
}

// row translates the cells of a row: the first says what it is about, and may be a name.
func (t *tongue) row(cells []Cell) []Cell {
	out := each(cells, t.cell)
	if len(cells) > 0 && cells[0].Mark == "" && t.names[cells[0].Text] {
		out[0].Text = cells[0].Text
	}
	return out
}

func (t *tongue) cell(c Cell) Cell {
	if c.Code {
		c.Text = t.code(c.Text)
	} else {
		c.Text = t.word(c.Text)
	}
	c.Note = t.text(c.Note)
	return c
}

// counted begins the row that stands for several: "3 more mappings", "12 smaller categories".
var counted = regexp.MustCompile(`^\d+ (more|smaller|other) `)

// code translates what the report itself says beside a name: which run it is of, and that it is of the whole system.
func (t *tongue) code(text string) string {
	if counted.MatchString(text) {
		return t.text(text)
	}
	parts := strings.Split(text, " · ")
	if rest, ok := strings.CutPrefix(parts[0], "whole system "); ok {
		parts[0] = t.label("whole system") + " " + rest
	}
	for i := range parts[1:] {
		parts[i+1] = t.label(parts[i+1])
	}
	return strings.Join(parts, " · ")
}

func (t *tongue) chart(from *Chart) *Chart {
	if from == nil {
		return nil
	}
	out := *from
	out.Axis.Zero = t.label(from.Axis.Zero)
	out.Title, out.Desc, out.Beyond = t.text(from.Title), t.text(from.Desc), t.text(from.Beyond)
	out.Lines = each(from.Lines, func(l Line) Line { l.Label = t.label(l.Label); return l })
	out.Limits = each(from.Limits, func(l Limit) Limit { l.Label = t.label(l.Label); return l })
	return &out
}

func (t *tongue) course(from *Course) *Course {
	out := *from
	out.Title, out.Desc, out.Beyond = t.text(from.Title), t.text(from.Desc), t.text(from.Beyond)
	out.Limits = each(from.Limits, func(l Limit) Limit { l.Label = t.label(l.Label); return l })
	return &out
}

// flame translates what stands for several chains; frames are code.
func (t *tongue) flame(from *Flame) *Flame {
	out := *from
	out.Caption = t.text(from.Caption)
	out.Chains = each(from.Chains, func(c Chain) Chain {
		if c.Rest {
			c.Frames = each(c.Frames, t.text)
		}
		return c
	})
	return &out
}

func (t *tongue) finding(f Finding) Finding {
	f.Severity, f.Title = t.word(f.Severity), t.title(f.Title)
	if f.Status == analyze.StatusKept {
		f.Status = "still there" // that a red line is kept is another word
	}
	f.Status = t.word(f.Status)
	f.Message, f.Advice = t.text(f.Message), t.text(f.Advice)
	f.Evidence = each(f.Evidence, t.text)
	f.Numbers = each(f.Numbers, t.item)
	f.Warnings = each(f.Warnings, t.text)
	return f
}

// title is that of a finding: the rule is a word, whatever a process is called.
func (t *tongue) title(text string) string {
	rule, rest, ok := strings.Cut(text, " · ")
	if !ok || !t.names[rule] {
		return t.text(text)
	}
	return t.word(rule) + " · " + t.label(rest)
}

func (t *tongue) entry(e Entry) Entry {
	e.Process, e.Verdict, e.Chart = t.label(e.Process), t.word(e.Verdict), t.chart(e.Chart)
	return e
}
