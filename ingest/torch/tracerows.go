package torch

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memtide/memtide/ingest/table"
)

// write writes the rows in order of time: the file lists events thread by thread.
func (t *trace) write() {
	slices.SortStableFunc(t.events, func(x, y memoryEvent) int { return cmp.Compare(x.time, y.time) })
	slices.SortStableFunc(t.steps, func(x, y step) int { return cmp.Compare(x.start, y.start) })
	t.facts()
	zero := t.events[0].time
	stamp := zero
	if sum, ok := table.Sum(zero, t.base); ok {
		stamp = sum
	}
	t.b.Snapshot(table.Stamp{Trace: table.Known(stamp)})
	w := traceWords{alloc: t.b.Text("alloc"), free: t.b.Text("free"), memory: t.b.Text("gpu-memory"), host: t.b.Text("host-memory"), scope: t.b.Text("device"),
		allocated: t.b.Text("gpu_allocated"), reserved: t.b.Text("gpu_reserved"), devices: map[int64]deviceWords{}, processes: map[int64]table.Sym{}}
	t.totals(&w)
	for i := range t.events {
		if at, ok := table.Sum(t.events[i].time, -zero); ok {
			t.rows(&w, &t.events[i], at)
		}
	}
}

// traceWords are the strings of rows.
type traceWords struct {
	alloc, free, memory, host, scope, allocated, reserved table.Sym
	devices                                               map[int64]deviceWords
	processes                                             map[int64]table.Sym
}

type deviceWords struct{ title, number table.Sym }

// device gives the name of a device; -1 is one of which the number is not known.
func (t *trace) device(w *traceWords, id table.Int) deviceWords {
	if !id.OK {
		id.V = -1
	}
	d, ok := w.devices[id.V]
	if !ok {
		if d.title = t.b.Text(t.title(id.V)); id.OK {
			d.number = t.b.Text(decimal(id.V))
		}
		w.devices[id.V] = d
	}
	return d
}

func (t *trace) title(id int64) string {
	name := "GPU"
	if id >= 0 {
		name += " " + decimal(id)
	}
	if product := t.devices[id].name; product != "" {
		name += " " + product
	}
	return name
}

// totals writes what the devices have that are in use here.
func (t *trace) totals(w *traceWords) {
	t.b.Process(table.Int{}, table.Null)
	metric := t.b.Text("gpu_total")
	for _, id := range t.used() {
		if g := t.devices[id]; g.total > 0 {
			t.b.Add(table.Sample{Scope: w.scope, Name: t.device(w, table.Known(id)).title, Metric: metric, Value: g.total, Line: int(t.events[0].line)})
		}
	}
}

// used gives the numbers of the devices that have memory events, in order.
func (t *trace) used() []int64 {
	seen := map[int64]bool{}
	for i := range t.events {
		if e := &t.events[i]; e.onDevice && e.device.OK {
			seen[e.device.V] = true
		}
	}
	var ids []int64
	for id := range seen {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (t *trace) rows(w *traceWords, e *memoryEvent, at int64) {
	t.b.Process(e.pid, t.process(w, e.pid))
	row := table.Event{At: at, Seq: e.seq, TID: e.tid, Op: w.alloc, Class: w.host, Object: e.addr, HasObject: e.hasAddr, Size: table.Known(e.bytes), Line: int(e.line)}
	if e.bytes < 0 {
		row.Op, row.Size.V = w.free, -e.bytes
	}
	var d deviceWords
	if e.onDevice {
		d = t.device(w, e.device)
		row.Class, row.Device = w.memory, d.number
	}
	if e.bytes != 0 {
		t.b.Event(&row)
	}
	if !e.onDevice {
		return
	}
	s := table.Sample{Scope: w.scope, Name: d.title, Line: int(e.line), At: at, Iteration: t.iteration(e.time)}
	if s.Metric, s.Value = w.allocated, e.allocated.V; e.allocated.OK {
		t.b.Add(s)
	}
	if s.Metric, s.Value = w.reserved, e.reserved.V; e.reserved.OK {
		t.b.Add(s)
	}
}

func (t *trace) process(w *traceWords, pid table.Int) table.Sym {
	if !pid.OK {
		return table.Null
	}
	name, ok := w.processes[pid.V]
	if !ok {
		if s := t.names[pid.V]; s != "" {
			name = t.b.Text(s)
		}
		w.processes[pid.V] = name
	}
	return name
}

// iteration gives the step of the profiler that a time is in: the one begun last.
func (t *trace) iteration(at int64) table.Int {
	i, _ := slices.BinarySearchFunc(t.steps, at, func(s step, at int64) int {
		if s.start <= at {
			return -1
		}
		return 1
	})
	if i > 0 && at <= t.steps[i-1].end {
		return table.Known(t.steps[i-1].number)
	}
	return table.Int{}
}

func (t *trace) facts() {
	t.b.Fact("tool", "torch.profiler")
	t.b.Fact("clock", "trace")
	t.b.Fact("unit", "usable")
	if t.rank.OK {
		t.b.Fact("rank", decimal(t.rank.V))
	}
	if start, ok := table.Sum(t.base, t.events[0].time); ok && t.base > 0 {
		t.b.Fact("start", time.Unix(0, start).UTC().Format(time.RFC3339Nano))
	}
	var names []string
	for _, id := range t.used() {
		if t.devices[id].name != "" && len(names) < 64 {
			names = append(names, t.title(id))
		}
	}
	if len(names) > 0 {
		t.b.Fact("device", strings.Join(names, ", "))
	}
}
