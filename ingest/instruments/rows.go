package instruments

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// words are the strings of rows, numbered once.
type words struct {
	process, category, class, empty           table.Sym
	alloc, free, use, mark                    table.Sym
	liveBytes, liveCount, totalBytes          table.Sym
	totalCount, leakedBytes, leakedCount, gpu table.Sym
}

func newWords(b *table.Builder) words {
	return words{
		process: b.Text("process"), category: b.Text("category"), class: b.Text("class"), empty: b.Text(""),
		alloc: b.Text("alloc"), free: b.Text("free"), use: b.Text("use"), mark: b.Text("mark"),
		liveBytes: b.Text("live_bytes"), liveCount: b.Text("live_count"), totalBytes: b.Text("total_bytes"), totalCount: b.Text("total_count"),
		leakedBytes: b.Text("leaked_bytes"), leakedCount: b.Text("leaked_count"), gpu: b.Text("gpu_allocated"),
	}
}

// cell is the value in the column of a role.
func (d *document) cell(r role) value { return d.column(d.plan.at[r]) }

func (d *document) column(i int) value {
	if uint(i) < uint(len(d.list)) {
		return d.list[i]
	}
	return void
}

// number is a figure of 0 and more.
func (d *document) number(v value) table.Int {
	switch v.kind() {
	case number, huge:
		return d.int(v)
	case text, negative:
		d.b.Problems.Count(d.at(), "want a number of 0 and more in a column of %s, have something else: it is left out", d.plan.schema)
	}
	return table.Int{}
}

// time is that of the row; a row without one has no place.
func (d *document) time() (int64, bool) {
	v := d.cell(timeRole)
	t := d.int(v)
	if !t.OK {
		d.b.Problems.Count(d.at(), "want a time in ns in a row of %s, have none: the row is left out", d.plan.schema)
	}
	return t.V, t.OK
}

// subject is the process of the row: never one inside its stack.
func (d *document) subject() processOf {
	p := d.process(d.cell(processRole))
	if t := d.cell(threadRole); t.kind() == thread && p == (processOf{}) {
		p = d.process(t)
	}
	if !p.pid.OK {
		p.pid = d.id(d.cell(pidRole))
	}
	return p
}

// levelRow is a sample of a process with the figures of its memory.
func (d *document) levelRow() {
	at, ok := d.time()
	if !ok {
		return
	}
	p := d.subject()
	d.b.Process(p.pid, p.name)
	for _, m := range d.plan.metrics {
		if v := d.number(d.column(m.column)); v.OK {
			d.b.Add(table.Sample{Scope: d.words.process, Name: d.words.empty, Metric: m.metric, Value: v.V, At: at, Line: d.line})
		}
	}
}

func (d *document) metalLevelRow() {
	at, ok := d.time()
	v := d.number(d.cell(sizeRole))
	if !ok || !v.OK {
		return
	}
	p := d.subject()
	d.b.Process(p.pid, p.name)
	d.b.Add(table.Sample{Scope: d.words.process, Name: d.words.empty, Metric: d.words.gpu, Value: v.V, At: at, Line: d.line})
}

// event writes a row of events of a process.
func (d *document) event(e table.Event, p processOf) {
	d.b.Process(p.pid, p.name)
	if t := d.cell(threadRole); t.kind() == thread {
		e.TID = d.threads.list[t.index()].tid
	}
	e.Seq, e.Line = d.events, d.line
	d.events++
	d.b.Event(&e)
}

// metalRow is the birth or death of a Metal resource. Its identity is not exported.
func (d *document) metalRow() {
	at, ok := d.time()
	if !ok {
		return
	}
	e := table.Event{At: at, Class: d.text(d.cell(labelRole)), Size: d.number(d.cell(sizeRole))}
	p, sign := d.subject(), int64(1)
	switch op := []byte(d.b.String(d.text(d.cell(opRole)))); {
	case bytes.HasPrefix(op, []byte("Alloc")):
		e.Op = d.words.alloc
	case bytes.HasPrefix(op, []byte("Dealloc")):
		e.Op, sign = d.words.free, -1
	default:
		d.b.Problems.Count(d.at(), "want Allocation or Deallocation, have %q: the row is left out", clip(op))
		return
	}
	d.event(e, p)
	if e.Size.OK {
		d.gpu.add(at, p, sign*e.Size.V, d.line)
	} else {
		d.b.Problems.Count(d.at(), "want the size of a Metal resource, have none: gpu_allocated is without it")
	}
}

// faultRow is a page fault: traffic, not memory held.
func (d *document) faultRow() {
	at, ok := d.time()
	if !ok {
		return
	}
	e := table.Event{At: at, Op: d.words.use, Class: d.text(d.cell(opRole)), Size: d.number(d.cell(sizeRole)), Stack: d.cell(stackRole).stackID()}
	e.Object, e.HasObject = d.bits(d.cell(objectRole))
	d.event(e, d.subject())
}

// markRow is a signpost: one mark, and a second at the end of an interval.
func (d *document) markRow() {
	at, ok := d.time()
	if !ok {
		return
	}
	e := table.Event{At: at, Op: d.words.mark, Class: d.text(d.cell(labelRole)), Stack: d.cell(stackRole).stackID()}
	e.Object, e.HasObject = d.bits(d.cell(objectRole))
	p := d.subject()
	d.event(e, p)
	if length := d.number(d.cell(durationRole)); length.OK {
		if end, ok := table.Sum(at, length.V); ok {
			e.At = end
			d.event(e, p)
		}
	}
}
