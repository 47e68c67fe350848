package report

import (
	"fmt"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// resident holds heap totals against resident sets, and the views of a device against each other.
func (s *story) resident() Section {
	section := Section{ID: "resident", Title: "Against the resident set"}
	for i := range s.Reconciliations[:min(len(s.Reconciliations), mostDetailed)] {
		x := &s.Reconciliations[i]
		section.Blocks = append(section.Blocks, s.reconciled(x, fmt.Sprintf("resident-%d", i+1)))
	}
	if left := len(s.Reconciliations) - len(section.Blocks); left > 0 {
		section = section.with(plural(left, "more reconciliation is", "more reconciliations are") + " in the JSON result.")
	}
	return section
}

func (s *story) reconciled(x *analyze.Reconciliation, id string) *Table {
	values := []*float64{&x.Whole, &x.Unseen}
	for i := range x.Parts {
		values = append(values, &x.Parts[i].Bytes)
	}
	scale := sizesOf(values...)
	t := &Table{ID: id, Caption: s.of(x.Side, x.Run, x.Subject, full(x.Subject)) + ", " + unit.Duration(x.AtS) + " into the run", Columns: []Column{{Title: "part"}, {Title: "taken from"}, bytesColumn("size", scale),
		{Title: "share", Number: true}, {Bar: true, Size: true, Extra: true}}, Notes: []Note{{Text: sentence(x.Message)}}}
	add := func(what, from string, v *float64, tone Tone) {
		share := shareOf(v, &x.Whole)
		t.Rows = append(t.Rows, []Cell{{Text: what, Tone: tone}, {Text: from, Code: true}, number(scale, v), share, {Value: v}})
	}
	for i := range x.Parts {
		add(name(x.Parts[i].Name), name(x.Parts[i].Metric), &x.Parts[i].Bytes, Plain)
	}
	left := map[bool]string{false: "not seen by the profiler", true: "outside of the framework"}[x.Subject.Scope == "device"]
	if x.Beyond > 0 {
		beyond := -x.Beyond
		add("asked for and not in memory", "", &beyond, Muted)
	} else if x.Unseen > 0 {
		add(left, "", &x.Unseen, Warn)
	}
	add("whole", name(x.Subject.Metric), &x.Whole, Plain)
	return t
}
