package series

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// dump reads back what this program wrote of its own table samples: every line names its thing and its metric.
type dump struct {
	in                                                        *source.Input
	b                                                         *table.Builder
	r                                                         *records
	time, iteration, pid, process, scope, name, metric, value int
	begun                                                     bool
	last                                                      int64
	width, rows                                               int
}

func decodeDump(in *source.Input, b *table.Builder, h *header, r *records) error {
	d := &dump{in: in, b: b, r: r, width: len(h.columns), time: h.find("time_ns"), iteration: h.find("iteration"), pid: h.find("pid"),
		process: h.find("process"), scope: h.find("scope"), name: h.find("name"), metric: h.find("metric"), value: h.find("value")}
	for r.next() {
		if !bytes.Equal(r.text, h.text) {
			d.record()
		}
	}
	if d.rows == 0 {
		return source.Errorf(in.At(1, 0), "held nothing: the header of a dump and no row below it, %q", clip(h.text))
	}
	return nil
}

func (d *dump) record() {
	cells := d.r.cells
	if len(cells) != d.width {
		d.b.Problems.Add(d.in.At(d.r.line, len(d.r.text)+1), "want %d cells, have %d", d.width, len(cells))
		return
	}
	if !d.r.ended && mayGoOn(cells[d.width-1]) {
		d.b.Problems.Add(d.in.At(d.r.line, len(d.r.text)+1), "want a whole line, have one without an end: taken for cut")
		return
	}
	ns, okTime := d.number(cells[d.time])
	v, okValue := d.number(cells[d.value])
	if !okTime || !okValue || len(cells[d.scope]) == 0 || len(cells[d.metric]) == 0 {
		d.b.Problems.Add(d.in.At(d.r.line, 1), "want time_ns, scope, metric and value, have %q", clip(d.r.text))
		return
	}
	d.begin(ns)
	d.b.Process(d.maybe(cells, d.pid), d.word(cells, d.process))
	d.b.Add(table.Sample{Scope: d.b.Sym(unquote(cells[d.scope])), Name: d.b.Sym(unquote(cells[d.name])), Metric: d.b.Sym(unquote(cells[d.metric])),
		Value: v, Line: d.r.line, Iteration: d.maybe(cells, d.iteration)})
	d.rows++
}

// begin starts a sample where the time changes: a dump is in order of time.
func (d *dump) begin(ns int64) {
	if d.begun && ns == d.last {
		return
	}
	d.begun, d.last = true, ns
	d.b.Snapshot(table.Stamp{Trace: table.Known(ns), Line: d.r.line})
}

func (d *dump) number(cell []byte) (int64, bool) {
	n, ok := parseDecimal(unquote(cell), false)
	if !ok || n.scale != 0 {
		return 0, false
	}
	return n.times(1)
}

// maybe is a cell that may be empty, or a column that may be absent.
func (d *dump) maybe(cells [][]byte, i int) table.Int {
	if i < 0 || len(cells[i]) == 0 {
		return table.Int{}
	}
	v, ok := d.number(cells[i])
	if !ok {
		d.b.Problems.Add(d.in.At(d.r.line, columnOf(d.r.text, cells[i])), "want a number, have %q", clip(cells[i]))
		return table.Int{}
	}
	return table.Known(v)
}

func (d *dump) word(cells [][]byte, i int) table.Sym {
	if i < 0 || len(cells[i]) == 0 {
		return table.Null
	}
	return d.b.Sym(unquote(cells[i]))
}
