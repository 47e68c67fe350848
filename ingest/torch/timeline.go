package torch

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffTimeline claims the raw memory timeline of PyTorch's profiler: a list of rows of four numbers.
func SniffTimeline(head []byte) bool {
	w := &window{in: &source.Input{}, buf: head, end: len(head), eof: true}
	if c, ok := w.next(); !ok || c != '[' {
		return false
	}
	w.pos++
	for range 3 {
		if c, ok := w.next(); !ok || c != '[' {
			return false
		}
		row, why := timelineRow(w)
		if why != "" || !row.sound() {
			return false
		}
		switch c, ok := w.next(); {
		case ok && c == ']':
			return true
		case !ok || c != ',':
			return false
		}
		w.pos++
	}
	return true
}

// categories are those of torch/profiler/_memory_profiler.py, in the order of their numbers.
var categories = [...]string{"unknown", "parameter", "optimizer-state", "input", "temporary", "activation", "gradient", "autograd-detail"}

// recategorised is the action that moves bytes from one category to another: two rows, the first with bytes below 0.
const recategorised = 3

// timeRow is a row of the timeline: time in ns, -1 for what was there before; an action from 1 to 4; bytes that are
// added; a category.
type timeRow [4]int64

func (r timeRow) sound() bool {
	return r[0] >= -1 && r[1] >= 1 && r[1] <= 4 && r[3] >= 0 && r[3] < int64(len(categories))
}

// DecodeTimeline reads a raw memory timeline (export_memory_timeline with a name that ends in .raw.json or .raw.json.gz).
// It fails on one without a row.
func DecodeTimeline(in *source.Input, b *table.Builder) error {
	w := newWindow(in)
	d := timeline{w: w, b: b}
	d.begin()
	why := d.read()
	switch {
	case w.err != nil:
		return w.err
	case !b.HasData():
		return source.Errorf(w.at(), "held nothing: want rows of four numbers, have none: %s", orNone(why))
	case why != "":
		b.Problems.Add(w.at(), "%s: the rows are those of what stands before", why)
		b.Fact("partial", "true")
	}
	return nil
}

func orNone(why string) string {
	if why == "" {
		return "an empty list"
	}
	return why
}

type timeline struct {
	w     *window
	b     *table.Builder
	zero  table.Int // time of the first row that has one
	sums  [len(categories)]int64
	total int64

	scope, device, title, metric table.Sym
	names                        [len(categories)]table.Sym
}

func (d *timeline) begin() {
	b := d.b
	b.Fact("tool", "torch.profiler")
	b.Fact("clock", "trace")
	b.Fact("unit", "usable")
	d.scope, d.device, d.title, d.metric = b.Text("category"), b.Text("device"), b.Text("GPU"), b.Text("gpu_allocated")
	for i, c := range categories {
		d.names[i] = b.Text(c)
	}
	b.Snapshot(table.Stamp{})
	b.Process(table.Int{}, table.Null)
}

// read reads rows up to the end of the list; why tells what ended it before.
func (d *timeline) read() (why string) {
	if c, ok := d.w.next(); !ok || c != '[' {
		return "want a list"
	}
	d.w.pos++
	for {
		c, ok := d.w.next()
		switch {
		case !ok:
			return "the file ends inside the list"
		case c == ']':
			return ""
		case c == ',':
			d.w.pos++
			continue
		case c != '[':
			return "want a row of four numbers"
		}
		line := d.w.lineNow()
		row, why := timelineRow(d.w)
		switch {
		case why != "":
			return why
		case !row.sound():
			d.b.Problems.Count(d.w.at(), "want a time from -1 on, an action from 1 to 4 and a category from 0 to 7, have others")
		default:
			d.row(row, line)
		}
	}
}

// timelineRow takes a row of four whole numbers.
func timelineRow(w *window) (row timeRow, why string) {
	w.pos++
	for i := range row {
		if _, ok := w.next(); !ok {
			return row, "the file ends inside a row"
		}
		n, ok := integer(w.word())
		c, more := w.next()
		switch {
		case !more:
			return row, "the file ends inside a row"
		case !ok:
			return row, "want a whole number"
		case i < 3 && c != ',' || i == 3 && c != ']':
			return row, "want four numbers in a row"
		}
		row[i] = n
		w.pos++
	}
	return row, ""
}

// row writes the level of its category and that of the device. Between the two rows of a move the bytes are in no
// category, but on the device all the same: there is no sample of the device between them.
func (d *timeline) row(row timeRow, line int) {
	category := row[3]
	sum, fits := table.Sum(d.sums[category], row[2])
	total, all := table.Sum(d.total, row[2])
	if !fits || !all {
		d.b.Problems.Count(d.w.at(), "want sums that fit in 63 bits, have larger ones")
		return
	}
	d.sums[category], d.total = sum, total
	d.level(d.scope, d.names[category], sum, row[0], line)
	if row[1] != recategorised || row[2] >= 0 {
		d.level(d.device, d.title, total, row[0], line)
	}
}

func (d *timeline) level(scope, name table.Sym, v, at int64, line int) {
	if at >= 0 && !d.zero.OK {
		d.zero = table.Known(at)
		d.b.Stamp(func(s *table.Stamp) { s.Trace = d.zero })
	}
	if v < 0 {
		d.b.Problems.Count(d.w.at(), "want rows that free no more than there was, have a sum below 0")
		return
	}
	if at >= 0 {
		at -= d.zero.V
	} else {
		at = 0
	}
	d.b.Add(table.Sample{Scope: scope, Name: name, Metric: d.metric, Value: v, Line: line, At: at})
}
