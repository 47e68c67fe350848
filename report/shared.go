package report

import (
	"fmt"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// shared tells which files and regions several processes have in common, and what sharing them saves.
func (s *story) shared() Section {
	section := Section{ID: "shared", Title: "Shared between processes"}
	if len(s.Shared) == 0 {
		return section
	}
	var sizes []float64
	for i := range s.Shared {
		sizes = append(sizes, s.Shared[i].RSS)
		sizes = append(sizes, present([]*float64{s.Shared[i].Held, s.Shared[i].Saved})...)
	}
	scale := scaleOf(unit.Bytes, sizes)
	t := &Table{ID: "shared-table", Caption: "Mappings of one file in several processes, at their last snapshots: resident in all together, what it takes by pss, and what each keeps for itself",
		Columns: []Column{{Title: "mapping"}, {Title: "users", Number: true}, bytesColumn("resident", scale), bytesColumn("held", scale), bytesColumn("saved", scale), bytesColumn("private", scale), bytesColumn("written", scale)}}
	most := min(len(s.Shared), s.limit.Series)
	for i := range s.Shared[:most] {
		t.Rows = append(t.Rows, sharedRow(&s.Shared[i], scale))
	}
	if left := len(s.Shared) - most; left > 0 {
		t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(left, "mapping is", "mappings are"))
	}
	t.gather()
	section.Blocks = append(section.Blocks, t)
	return section
}

func sharedRow(x *analyze.Shared, scale unit.Scale) []Cell {
	users, written := float64(len(x.Users)), Cell{Text: scale.Text(&x.Written), Value: &x.Written}
	if x.Written > 0.1*x.RSS {
		written.Tone = Warn
	}
	return []Cell{{Text: x.Path, Code: true}, {Text: fmt.Sprint(len(x.Users)), Value: &users}, number(scale, &x.RSS), number(scale, x.Held), number(scale, x.Saved), number(scale, &x.Private), written}
}
