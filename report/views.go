package report

import (
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// views lays what several captures say of the same sites side by side.
func (s *story) views() Section {
	section := Section{ID: "views", Title: "What each tool saw", Note: "Sites that at least one of the captures saw leak: what was alive or lost there at its end, by each."}
	v := s.Views
	if v == nil || len(v.Tools) == 0 || len(v.Sites) == 0 {
		section.Note = ""
		return section
	}
	var sizes []*float64
	for i := range v.Sites {
		for k := range v.Sites[i].Seen {
			sizes = append(sizes, v.Sites[i].Seen[k].Bytes)
		}
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "views-table", Caption: plural(len(v.Sites)+v.More, "site") + " by " + plural(len(v.Tools), "capture"), Columns: []Column{{Title: "site"}}}
	for _, w := range v.Tools {
		t.Columns = append(t.Columns, bytesColumn(s.witness(w), scale))
	}
	t.Columns = append(t.Columns, Column{Title: "why they differ"})
	for i := range v.Sites {
		t.Rows = append(t.Rows, sightRow(&v.Sites[i], scale, len(v.Tools)))
	}
	if v.More > 0 {
		t.Omitted = plural(v.More, "smaller site is", "smaller sites are") + " not listed."
	}
	section.Blocks = append(section.Blocks, t, s.witnesses(v))
	return section
}

// witness is what a capture is called in the head of a column.
func (s *story) witness(w analyze.Viewer) string {
	label := s.runLabel(analyze.Series{Run: w.Run})
	if label == "" {
		label = name(w.Run)
	}
	if w.Format == "" || strings.Contains(label, w.Format) {
		return label
	}
	return name(w.Format) + " " + label
}

func sightRow(of *analyze.View, scale unit.Scale, tools int) []Cell {
	row := []Cell{{Text: name(of.Site), Code: true}}
	for i := range tools {
		if i >= len(of.Seen) || !of.Seen[i].Listed {
			row = append(row, Cell{Text: unit.Unknown, Tone: Muted})
			continue
		}
		x := &of.Seen[i]
		c := number(scale, x.Bytes)
		c.Note, c.Tone, c.Mark = "no leak to it", Muted, ""
		if x.Rule != "" {
			c.Note, c.Tone, c.Mark = name(x.Rule), Bad, "✗"
		}
		if x.Objects != nil {
			c.Note = unit.Quantity(unit.Count, x.Objects) + " objects, " + c.Note
		}
		row = append(row, c)
	}
	var why []string
	for _, w := range of.Why {
		why = append(why, strings.TrimSuffix(sentence(w), "."))
	}
	if of.Agree {
		why = []string{"they agree"}
	}
	return append(row, Cell{Text: capital(strings.Join(why, "; "))})
}

// witnesses says what the captures say of themselves.
func (s *story) witnesses(v *analyze.Views) *Table {
	t := &Table{ID: "views-captures", Caption: "What the captures say of themselves", Folded: true, Columns: []Column{{Title: "capture"}, {Title: "format"}, {Title: "sizes"}, {Title: "times", Number: true}, {Title: "what to mind"}}}
	for _, w := range v.Tools {
		var mind []string
		for text, is := range map[string]bool{"sampled": w.Sampled, "events were lost": w.Lossy, "sees part only": w.Partial, "states what is lost, not what is reachable": w.Lost} {
			if is {
				mind = append(mind, text)
			}
		}
		slices.Sort(mind)
		t.Rows = append(t.Rows, []Cell{{Text: s.witness(w), Code: true}, {Text: name(w.Format), Code: true}, {Text: orUnknown(name(w.Unit))}, countCell(int64(w.Points)), {Text: strings.Join(mind, ", ")}})
	}
	return t
}
