package report

import (
	"slices"

	"github.com/memtide/memtide/analyze"
)

// objects are what became of the objects of logs of events.
func (s *story) objects() Section {
	section := Section{ID: "objects", Title: "Objects", Note: "What became of the objects of each kind, by the log of events. An object is dwelling when it is still held after its last use or release."}
	if len(s.Lifetimes) == 0 {
		section.Note = ""
		return section
	}
	section.Blocks = append(section.Blocks, s.lifetimeTable().capped(s.limit.Series, "kind", "kinds"))
	if t := s.dwellTable(); len(t.Rows) > 0 {
		section.Blocks = append(section.Blocks, t.capped(s.limit.Series, "kind", "kinds"))
	}
	return section
}

func (s *story) lifetimeName(l *analyze.Lifetime) Cell {
	return Cell{Text: s.of(l.Side, l.Run, analyze.Subject{Process: l.Process}, name(l.Kind)), Code: true}
}

func (s *story) lifetimeTable() *Table {
	var sizes []*float64
	for i := range s.Lifetimes {
		sizes = append(sizes, s.Lifetimes[i].MeanBytes, floatOf(s.Lifetimes[i].NeverEnded))
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "objects-table", Caption: plural(len(s.Lifetimes), "kind of objects", "kinds of objects"), Columns: []Column{{Title: "kind"}, {Title: "made", Number: true}, {Title: "ended", Number: true},
		{Title: "alive", Number: true}, bytesColumn("never ended", scale), bytesColumn("mean size", scale), {Title: "mean life", Number: true}, {Title: "from before", Number: true}}}
	for i := range s.Lifetimes {
		l := &s.Lifetimes[i]
		row := []Cell{s.lifetimeName(l), countCell(l.Made), countCell(l.Ended), countCell(l.Alive), number(scale, floatOf(l.NeverEnded)), number(scale, l.MeanBytes), timeCell(l.MeanLifeS), countCell(l.PreExisting)}
		if l.Overwritten > 0 {
			row[0].Note = plural(int(l.Overwritten), "object was", "objects were") + " made at the address of one alive: events were missed"
		}
		t.Rows = append(t.Rows, row)
	}
	if slices.ContainsFunc(s.Lifetimes, func(l analyze.Lifetime) bool { return l.PreExisting > 0 }) {
		t.Notes = append(t.Notes, Note{Text: "From before: first seen by their end or use, so made before the log began; they are counted and never accused.", Extra: true})
	}
	return t
}

func (s *story) dwellTable() *Table {
	var sizes []*float64
	for i := range s.Lifetimes {
		if d := s.Lifetimes[i].Dwell; d != nil {
			sizes = append(sizes, d.MeanBytes)
		}
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "objects-dwell", Caption: "Held after the last use or release, until the end", Columns: []Column{{Title: "kind"}, {Title: "objects", Number: true}, bytesColumn("mean size held", scale),
		{Title: "mean time", Number: true}, {Title: "longest", Number: true}}}
	for i := range s.Lifetimes {
		l := &s.Lifetimes[i]
		if d := l.Dwell; d != nil {
			t.Rows = append(t.Rows, []Cell{s.lifetimeName(l), countCell(d.Objects), number(scale, d.MeanBytes), timeCell(&d.MeanS), timeCell(&d.MostS)})
		}
	}
	return t
}
