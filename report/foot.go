package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report/unit"
)

// foot is what a careful reader checks: inputs, problems, method, words.
func (s *story) foot() []Section {
	return []Section{s.inputs(), s.problems(), s.method(), s.glossary()}
}

func (s *story) inputs() Section {
	section := Section{ID: "inputs", Title: "Inputs", Folded: true}
	if len(s.Inputs) == 0 {
		return section
	}
	var sizes []float64
	for _, in := range s.Inputs {
		sizes = append(sizes, float64(in.Bytes))
	}
	size := unit.CommonScale(unit.Bytes, sizes...)
	t := &Table{ID: "inputs-table", Caption: plural(len(s.Inputs), "input"), Columns: []Column{
		{Title: "file"}, {Title: "side"}, {Title: "run"}, {Title: "format"}, {Title: "size", Unit: size.Unit, Number: true},
		{Title: "samples", Number: true}, {Title: "no data", Number: true}, {Title: "problems", Number: true}, {Title: "clock"}, {Title: "start"}, {Title: "sha256"}}}
	if !s.twoSided() {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	for i, in := range s.Inputs {
		if i == s.limit.Series {
			t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(len(s.Inputs)-i, "input is", "inputs are"))
			break
		}
		row := inputRow(in, size)
		if !s.twoSided() {
			row = slices.Delete(row, 1, 2)
		}
		t.Rows = append(t.Rows, row)
	}
	section.Blocks = append(section.Blocks, t)
	if facts := s.facts(); len(facts) > 0 {
		section.Blocks = append(section.Blocks, &List{Items: facts})
	}
	return section
}

func inputRow(in analyze.Input, size unit.Scale) []Cell {
	path := Cell{Text: name(in.Path), Code: true}
	if in.Lossy {
		path.Note = "lossy"
	}
	count := func(n int) Cell { return Cell{Text: unit.Integer(int64(n)), Value: floatOf(int64(n))} }
	return []Cell{path, {Text: orUnknown(in.Side)}, {Text: orUnknown(in.Run)}, {Text: orUnknown(in.Format)}, number(size, floatOf(in.Bytes)),
		count(in.Samples), count(in.NoData), count(in.Problems), {Text: orUnknown(in.Clock)}, {Text: orUnknown(in.Start)}, digest(in.SHA256)}
}

// digest is the beginning of a hash: enough to compare by eye, and all of it for those who look.
func digest(hash string) Cell {
	c := Cell{Text: orUnknown(hash), Code: true}
	if len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == "" {
		c.Text, c.Whole = c.Text[:12], c.Text
	}
	return c
}

func orUnknown(text string) string {
	if text == "" {
		return unit.Unknown
	}
	return name(text)
}

// facts are what the captures say about themselves; a fact with several values names them with their side.
func (s *story) facts() []Item {
	type fact struct{ name, value string }
	var order []string
	values := map[string][]string{}
	add := func(f fact) {
		if f.value == "" {
			return
		}
		if values[f.name] == nil {
			order = append(order, f.name)
		}
		if !slices.Contains(values[f.name], f.value) {
			values[f.name] = append(values[f.name], f.value)
		}
	}
	for _, in := range s.Inputs {
		add(fact{"device", in.Device})
		add(fact{"tool", in.Tool})
		add(fact{"process", strings.Join(in.Process, ", ")})
		for _, f := range in.Facts {
			add(fact{f.Name, f.Value})
		}
	}
	var items []Item
	for _, n := range order {
		items = append(items, Item{Term: name(n), Text: enumerate(values[n], 4)})
	}
	return items
}

func (s *story) problems() Section {
	section := Section{ID: "problems", Title: "Problems in the inputs", Folded: true}
	if len(s.Problems) == 0 {
		return section
	}
	t := &Table{ID: "problems-table", Columns: []Column{{Title: "where"}, {Title: "expected and found"}, {Title: "times", Number: true}}}
	for i, p := range s.Problems {
		count := max(p.Count, 1)
		if i >= s.limit.Series {
			continue
		}
		t.Rows = append(t.Rows, []Cell{{Text: where(p), Code: true}, {Text: sentence(p.Message)},
			{Text: unit.Integer(int64(count)), Value: floatOf(int64(count))}})
	}
	t.Caption = fmt.Sprintf("%s of %s; what could not be read was left out, with nothing put in its place",
		s.unread().count(), plural(len(s.Problems), "kind"))
	if hidden := len(s.Problems) - len(t.Rows); hidden > 0 {
		t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(hidden, "kind is", "kinds are"))
	}
	section.Blocks = []Block{t}
	return section
}

// where is file:line:column, as far as known.
func where(p analyze.Problem) string {
	text := name(p.File)
	for _, n := range []int{p.Line, p.Column} {
		if n <= 0 {
			break
		}
		text += fmt.Sprintf(":%d", n)
	}
	return text
}

func (s *story) method() Section {
	section := Section{ID: "method", Title: "Method and thresholds in force", Folded: true}
	list := &List{}
	for _, m := range s.Method {
		text := sentence(m.Value)
		if m.Meaning != "" {
			text += ": " + sentence(m.Meaning)
		}
		list.Items = append(list.Items, Item{Term: name(m.Name), Text: text})
	}
	list.Items = append(list.Items,
		Item{Term: "command", Text: orUnknown(s.Command)},
		Item{Term: "seed", Text: fmt.Sprintf("%d: the seed of the bootstrap, so that the same input gives the same numbers", s.Seed)},
		Item{Term: "schema", Text: orUnknown(s.Schema)})
	section.Blocks = []Block{list, &Paragraph{Tone: Muted, Text: tilde + " —: not known, which is not 0; " +
		"<0.01 is not 0 but too small for its column. 1 KiB is 1,024 bytes, 1 MiB is 1,024 KiB. p, adjusted, is the probability after Benjamini and Hochberg, over all parts of one total. " +
		"All numbers are medians unless they say otherwise."}}
	return section
}

// glossary explains the measures that occur, in the order of tables.
func (s *story) glossary() Section {
	section := Section{ID: "glossary", Title: "What the measures mean", Folded: true}
	used := map[string]bool{}
	for _, d := range s.Deltas {
		used[d.Subject.Metric] = true
	}
	for _, v := range s.Series {
		used[v.Subject.Metric] = true
	}
	list := &List{}
	for _, m := range table.Metrics {
		if used[m.Name] {
			list.Items = append(list.Items, Item{Term: m.Name, Text: meaning(m)})
		}
	}
	if len(list.Items) > 0 {
		section.Blocks = []Block{list}
	}
	return section
}

// meaning is what a metric means as a sentence, and whether it may be added.
func meaning(m table.Metric) string {
	text := sentenceCase(m.Meaning) + "."
	if !m.Additive && m.Better == "lower" && m.Unit == "bytes" {
		text += " Not to be added over processes."
	}
	return text
}
