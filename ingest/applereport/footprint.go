package applereport

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffFootprint recognises the JSON of footprint -j.
func SniffFootprint(head []byte) bool {
	return holds(head, "{", `"bytes per unit"`, `"processes"`) || holds(head, "{", `"bytes per unit"`, `"samples"`)
}

// DecodeFootprint reads the JSON of footprint: samples of each process (footprint, footprint_peak) and of its categories
// (dirty, swap, clean, reclaimable, wired, count), and the dirty memory of all of them; a snapshot for each of its samples.
// All figures but the counts are in units that the file states.
func DecodeFootprint(in *source.Input, b *table.Builder) error {
	r, err := open(in, b)
	if err != nil {
		return err
	}
	r.all()
	for _, root := range r.roots {
		f := &footprintJSON{report: r}
		f.read(root)
	}
	if r.rows == 0 {
		return r.heldNothing("processes with a footprint or categories")
	}
	return nil
}

type footprintJSON struct {
	*report
	unit int64
}

func (f *footprintJSON) read(root value) {
	n := root.get("bytes per unit").int()
	if !n.OK || n.V <= 0 {
		f.b.Problems.Add(f.at(root), "want \"bytes per unit\" above 0, have %q: no figure is known", clip(root.get("bytes per unit").raw()))
		return
	}
	f.unit = n.V
	f.b.Fact("tool", "footprint")
	if root.get("processes").ok() {
		f.moment(root)
	}
	root.get("samples").each(func(_, s value) { f.moment(s) })
	f.failed(root)
}

// moment reads the processes of one time.
func (f *footprintJSON) moment(s value) {
	stamp := table.Stamp{Line: f.line(s)}
	if at := s.get("start_time", "wall_time_s"); at.ok() {
		stamp.Wall = scaled(at.text(), 1e9)
	}
	f.b.Snapshot(stamp)
	s.get("processes").each(func(_, p value) { f.process(p) })
	f.b.Process(table.Int{}, table.Null)
	if v := s.get("summary", "total", "dirty"); v.ok() {
		f.sample("system", "", "dirty", f.times(v, "dirty", f.unit), v)
	}
}

// footprintFigures are the figures of a category.
var footprintFigures = [...][2]string{{"dirty", "dirty"}, {"swapped", "swap"}, {"clean", "clean"}, {"reclaimable", "reclaimable"}, {"wired", "wired"}}

func (f *footprintJSON) process(p value) {
	f.b.Process(f.pid(p.get("pid")), p.get("name").sym(f.b))
	own := p.get("auxiliary", "phys_footprint")
	if !own.ok() {
		own = p.get("footprint")
	}
	f.sample("process", "", "footprint", f.times(own, "phys_footprint", f.unit), own)
	peak := p.get("auxiliary", "phys_footprint_peak")
	f.sample("process", "", "footprint_peak", f.times(peak, "phys_footprint_peak", f.unit), peak)
	p.get("categories").each(func(key, c value) {
		name := key.sym(f.b)
		for i, m := range footprintFigures {
			v := c.get(m[0])
			f.sampleAt(f.row(name, i, v), f.times(v, m[0], f.unit))
		}
		v := c.get("regions")
		f.sampleAt(f.row(name, len(footprintFigures), v), f.figure(v, "regions"))
	})
	f.failed(p)
}

// row is that of a figure of a category, without its value.
func (f *footprintJSON) row(name table.Sym, figure int, at value) table.Sample {
	metric := "count"
	if figure < len(footprintFigures) {
		metric = footprintFigures[figure][1]
	}
	if !at.ok() {
		return table.Sample{}
	}
	return table.Sample{Scope: f.word("category"), Name: name, Metric: f.word(metric), Line: f.line(at)}
}

// failed tells what footprint says in place of figures: the process was gone, or may not be looked at.
func (f *footprintJSON) failed(v value) {
	for _, key := range []string{"errors", "warnings"} {
		said := v.get(key)
		if first := said.item(0); first.ok() {
			f.b.Problems.Add(f.at(said), "footprint says: %s", clip(first.raw()))
		}
	}
}
