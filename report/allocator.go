package report

import (
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// allocator tells what is free inside the segments that a framework's allocator holds of a device, in which pieces, and what it
// could not serve.
func (s *story) allocator() Section {
	section := Section{ID: "allocator", Title: "Inside the GPU allocator", Brief: 4}
	for _, t := range []*Table{s.rooms("device"), s.refusals(), s.rooms("pool")} {
		if t != nil {
			section.Blocks = append(section.Blocks, t)
		}
	}
	if len(section.Blocks) > 0 {
		section.Note = "Free memory inside the segments that the allocator holds serves a request only in one piece, and only of its own stream and pool."
	}
	return section
}

// roomMetrics are the columns of a table of rooms, behind what is reserved.
var roomMetrics = []string{"gpu_inactive", "gpu_non_releasable", "gpu_largest_free"}

// rooms is what is reserved, in use and free at the end, by device or by pool.
func (s *story) rooms(scope string) *Table {
	var rows [][4]*float64
	var of []analyze.Series
	var all []*float64
	for _, v := range s.Series {
		if v.Subject.Scope != scope || v.Subject.Metric != roomMetrics[0] {
			continue
		}
		row := [4]*float64{s.lastOf(v, "gpu_reserved")}
		if active := s.lastOf(v, "gpu_active"); active != nil {
			whole := *active + float64(v.Last)
			row[0] = &whole
		}
		for i, m := range roomMetrics {
			row[i+1] = s.lastOf(v, m)
		}
		of, rows, all = append(of, v), append(rows, row), append(all, row[:]...)
	}
	if len(rows) == 0 {
		return nil
	}
	return s.roomTable(scope, of, rows, sizesOf(all...))
}

func (s *story) roomTable(scope string, of []analyze.Series, rows [][4]*float64, scale unit.Scale) *Table {
	t := &Table{ID: "allocator-" + scope, Caption: "What the allocator holds of each device at the end", Columns: []Column{{Title: "at the end"}, bytesColumn("reserved", scale), bytesColumn("in blocks", scale),
		bytesColumn("free inside", scale), {Title: "share", Number: true}, {Bar: true, Size: true, Extra: true}, bytesColumn("cannot be given back", scale), bytesColumn("largest free block", scale)}}
	if scope == "pool" {
		t.Caption, t.Folded, t.Extra = "The same by pool and stream", true, true
		t.Columns = append(slices.Delete(t.Columns, 6, 7), Column{Title: "segments in part free", Number: true})
	}
	for i, row := range rows {
		cells := []Cell{{Text: s.of(of[i].Side, of[i].Run, of[i].Subject, name(of[i].Subject.Name))}, number(scale, row[0]), number(scale, less(row[0], row[1])), number(scale, row[1]), shareOf(row[1], row[0]), {Value: row[1]}}
		if scope == "pool" {
			split := s.lastOf(of[i], "gpu_split_segments")
			cells = append(cells, number(scale, row[3]), Cell{Text: unit.Quantity(unit.Count, split), Value: split})
		} else {
			cells = append(cells, number(scale, row[2]), number(scale, row[3]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t.capped(s.limit.Rows, scope, scope+"s")
}

// lastOf is the last value of another metric of the subject of a series, in the same run.
func (s *story) lastOf(v analyze.Series, metric string) *float64 {
	want := v.Subject
	want.Metric = metric
	for i := len(s.Series) - 1; i >= 0; i-- {
		if o := &s.Series[i]; o.Subject == want && o.Run == v.Run && o.Side == v.Side {
			return floatOf(o.Last)
		}
	}
	return nil
}

func less(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := *a - *b
	return &d
}

// refusals are the requests that the device could not meet, of which it is known what was free in the segments.
func (s *story) refusals() *Table {
	var of []*analyze.Finding
	var all []*float64
	keys := []string{"size", "device_free", "inactive", "fitting", "largest_free"}
	for i := range s.Findings {
		if f := &s.Findings[i]; f.Class == "gpu-oom" && stat(f, "inactive") != nil {
			of = append(of, f)
			for _, k := range keys {
				all = append(all, stat(f, k))
			}
		}
	}
	if len(of) == 0 {
		return nil
	}
	scale := sizesOf(all...)
	t := &Table{ID: "allocator-refusals", Caption: "Requests that were refused, and what was free then", Columns: []Column{{Title: "when refused"}, bytesColumn("asked for", scale), bytesColumn("free on the device", scale),
		bytesColumn("free inside", scale), bytesColumn("could serve it", scale), bytesColumn("largest such block", scale), {Title: "cause"}}}
	for _, f := range of {
		row := []Cell{{Text: s.of(f.Side, f.Run, f.Subject, "GPU "+unit.Integer(int64(f.Stats["device"])))}}
		for _, k := range keys {
			row = append(row, number(scale, stat(f, k)))
		}
		t.Rows = append(t.Rows, append(row, causeOf(f)))
	}
	return t.capped(s.limit.Rows, "request", "requests")
}

func stat(f *analyze.Finding, key string) *float64 {
	if v, ok := f.Stats[key]; ok {
		return &v
	}
	return nil
}

// causeOf says in a word why a request was refused.
func causeOf(f *analyze.Finding) Cell {
	size, broken := value(stat(f, "size")), stat(f, "fragmentation")
	switch {
	case broken == nil || f.Stats["largest_free"] >= size:
		return Cell{Text: "not known", Tone: Muted}
	case *broken == 0:
		return Cell{Text: "the device was full"}
	case f.Stats["fitting"] < size && f.Stats["inactive"] >= size:
		return Cell{Text: "free in other pools or streams", Mark: "▲", Tone: Bad}
	case f.Stats["inactive"] < size:
		return Cell{Text: "fragmentation in part", Mark: "▲", Tone: Bad}
	}
	return Cell{Text: "fragmentation", Mark: "▲", Tone: Bad}
}
