package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// peaks tell what held the memory when most was alive; of two sides, the greatest peak of each against that of the other.
func (s *story) peaks() Section {
	section := Section{ID: "peaks", Title: "At the peak", Note: "What was alive when most was, by where it was allocated. Sites are kept in steps of time: a shorter peak between two of them does not show."}
	all := sorted(s.Peaks, by(func(p analyze.Peak) float64 { return -p.Peak }))
	var pairs [][2]*analyze.Peak
	if s.twoSided() {
		pairs, all = pairedPeaks(all)
	}
	for i, p := range pairs {
		section.Blocks = append(section.Blocks, s.peakPair(p[0], p[1], fmt.Sprintf("peaks-pair-%d", i+1)))
	}
	for i := range all {
		section.Blocks = append(section.Blocks, s.peakTable(&all[i], fmt.Sprintf("peaks-%d", i+1)))
	}
	for i, b := range section.Blocks {
		b.(*Table).Folded = i >= s.limit.Processes
	}
	if left := len(section.Blocks) - mostDetailed; left > 0 {
		section.Blocks = section.Blocks[:mostDetailed]
		section = section.with(plural(left, "smaller peak is", "smaller peaks are") + " in the JSON result.")
	}
	if len(section.Blocks) == 0 {
		section.Note = ""
	}
	return section
}

// pairedPeaks finds the greatest peak of each side of one subject; what is on one side only stands by itself. The only process of
// each side is one whatever its name.
func pairedPeaks(all []analyze.Peak) (pairs [][2]*analyze.Peak, rest []analyze.Peak) {
	greatest := map[string]map[analyze.Subject]*analyze.Peak{"before": {}, "after": {}}
	processes := map[string]map[string]bool{"before": {}, "after": {}}
	var order []analyze.Subject
	for i := range all { // greatest first
		p := &all[i]
		if of := greatest[p.Side]; of != nil {
			processes[p.Side][p.Subject.Process] = true
			if of[p.Subject] == nil {
				of[p.Subject] = p
				order = append(order, p.Subject)
			}
		}
	}
	one := len(processes["before"]) == 1 && len(processes["after"]) == 1
	used := map[*analyze.Peak]bool{}
	for _, sub := range order {
		b := greatest["before"][sub]
		for i := range all {
			a := &all[i]
			same := a.Subject == sub || one && a.Subject.Scope == sub.Scope && a.Subject.Name == sub.Name
			if b == nil || used[b] || a.Side != "after" || used[a] || !same {
				continue
			}
			used[b], used[a] = true, true
			pairs = append(pairs, [2]*analyze.Peak{b, a})
		}
	}
	for _, side := range []string{"before", "after"} {
		for _, sub := range order {
			if p := greatest[side][sub]; p != nil && !used[p] && p.Side == side && !slices.ContainsFunc(rest, func(o analyze.Peak) bool { return o.Subject == sub && o.Side == side }) {
				rest = append(rest, *p)
			}
		}
	}
	return pairs, rest
}

// peakName is the device, with its process where there are several, or the process.
func (s *story) peakName(p *analyze.Peak, withRun bool) string {
	side, run := p.Side, p.Run
	if !withRun {
		side, run = "", ""
	}
	return s.of(side, run, p.Subject, name(p.Subject.Name))
}

// leastChain is the share of the whole from which the call chain of a site is told.
const leastChain = 0.01

func holderCell(h *analyze.Holder) Cell {
	c := Cell{Text: name(h.Name), Code: h.Sites > 0}
	if h.Sites > 1 {
		c.Text, c.Code = plural(h.Sites, "other site"), false
	}
	if len(h.Stack) > 1 && h.Share >= leastChain {
		c.Note = chainText(h.Stack)
	}
	return c
}

func (s *story) peakTable(p *analyze.Peak, id string) *Table {
	t := holderTable(p.Holders, &p.Peak)
	t.ID = id
	t.Caption = fmt.Sprintf("%s: %s alive at the peak, %s into the run; %s at the start, %s at the end", s.peakName(p, true), unit.Quantity(unit.Bytes, &p.Peak), unit.Duration(p.AtS),
		unit.Quantity(unit.Bytes, &p.Start), unit.Quantity(unit.Bytes, &p.End))
	if value(p.Highest) > 1.01*p.Peak {
		t.Notes = append(t.Notes, Note{Text: "Between two steps the allocator counted up to " + unit.Quantity(unit.Bytes, p.Highest) + ".", Extra: true})
	}
	return t
}

// holderTable lists what held memory at a moment.
func holderTable(of []analyze.Holder, whole *float64) *Table {
	var values []*float64
	for i := range of {
		values = append(values, &of[i].Start, &of[i].Peak, &of[i].End)
	}
	scale := sizesOf(values...)
	t := &Table{Columns: []Column{{Title: "site"}, bytesColumn("at the peak", scale), {Title: "share", Number: true}, {Bar: true, Size: true, Extra: true}, bytesColumn("at the start", scale), bytesColumn("at the end", scale)}}
	for i := range of {
		h := &of[i]
		t.Rows = append(t.Rows, []Cell{holderCell(h), number(scale, &h.Peak), shareOf(&h.Peak, whole), {Value: &h.Peak}, number(scale, &h.Start), number(scale, &h.End)})
	}
	return t
}

// missing is what a site held that a peak does not list: nothing where all are listed, else it is not known.
func missing(p *analyze.Peak) *float64 {
	if slices.ContainsFunc(p.Holders, func(h analyze.Holder) bool { return h.Sites > 1 }) {
		return nil
	}
	return new(float64)
}

// peakPair holds two peaks against each other by site.
func (s *story) peakPair(before, after *analyze.Peak, id string) *Table {
	type row struct {
		h             *analyze.Holder
		before, after *float64
	}
	var rows []*row
	index := map[string]*row{}
	for side, p := range []*analyze.Peak{before, after} {
		for i := range p.Holders {
			h := &p.Holders[i]
			key := h.Kind + "\x00" + h.Name
			if index[key] == nil {
				index[key] = &row{h: h}
				rows = append(rows, index[key])
			}
			if r := index[key]; side == 0 {
				r.before = &h.Peak
			} else {
				r.h, r.after = h, &h.Peak
			}
		}
	}
	for _, r := range rows {
		r.before, r.after = cmp.Or(r.before, missing(before)), cmp.Or(r.after, missing(after))
	}
	change := func(r *row) float64 { return value(r.after) - value(r.before) }
	rows = sorted(rows, by(func(r *row) float64 { return -max(change(r), -change(r)) }))
	values := []*float64{&before.Peak, &after.Peak}
	for _, r := range rows {
		values = append(values, r.before, r.after)
	}
	scale := sizesOf(values...)
	t := &Table{ID: id, Caption: cmp.Or(s.peakName(after, false), "process") + ": the greatest peak of each side, the sites that changed most first", Columns: []Column{{Title: "site"},
		{Title: "before", Unit: scale.Unit, Number: true, Side: "before"}, {Title: "after", Unit: scale.Unit, Number: true, Side: "after"}, bytesColumn("change", scale), {Bar: true, Extra: true}}}
	add := func(c Cell, b, a *float64) {
		row := []Cell{c, number(scale, b), number(scale, a), {Text: unit.Unknown}, {}}
		if b != nil && a != nil {
			d := *a - *b
			row[3], row[4] = Cell{Text: scale.Signed(&d), Value: &d}, Cell{Value: &d}
		}
		t.Rows = append(t.Rows, row)
	}
	add(Cell{Text: "all"}, &before.Peak, &after.Peak)
	for _, r := range rows {
		add(holderCell(r.h), r.before, r.after)
	}
	if missing(before) == nil || missing(after) == nil {
		t.Notes = append(t.Notes, Note{Text: "A site that only one side lists is not among the first of the other, or not there.", Extra: true})
	}
	return t
}
