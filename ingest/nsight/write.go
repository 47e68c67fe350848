package nsight

import (
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// writer turns the events of a capture into rows.
type writer struct {
	*capture
	*ledger
	ops       [len(opNames)]table.Sym
	classes   [numClasses]table.Sym
	devices   map[int32]table.Sym // ordinals as text
	process   map[int32]table.Sym
	sums      []deviceSum
	pools     map[poolKey]table.Sym
	numbers   map[int32]int // pools of a device so far
	iteration table.Int     // of the event at hand
	seq       int64
}

// deviceSum is a device that several processes use.
type deviceSum struct {
	name  table.Sym
	level int64
	parts int
}

// poolKey is a memory pool of a process.
type poolKey struct {
	pid     int32
	address int64
}

// write writes all rows: the export is one snapshot, whose clock is that of the session.
func (c *capture) write() {
	w := &writer{capture: c, ledger: c.settle(), devices: map[int32]table.Sym{}, process: map[int32]table.Sym{}, pools: map[poolKey]table.Sym{}, numbers: map[int32]int{}}
	w.words()
	w.nameSeries()
	c.told()
	c.b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
	first := true
	c.events.each(true, func(e *event) {
		if first {
			c.writeTotals(e.at)
			first = false
		}
		w.event(e)
	})
}

func (w *writer) words() {
	for i, n := range opNames {
		w.ops[i] = w.b.Text(n)
	}
	for i, n := range classNames {
		w.classes[i] = w.b.Text(n)
	}
}

// nameSeries gives each level its scope, name and metric, and finds the devices that several processes use.
func (w *writer) nameSeries() {
	devices := map[string]int32{}
	for i := range w.list {
		s := &w.list[i]
		s.name = w.classes[s.class]
		switch {
		case s.class == noClass:
			s.scope, s.metric, s.name = w.b.Text("device"), w.b.Text("gpu_used"), w.b.Text(w.capture.devices.titleOf(s.pid, s.device))
			w.part(s, devices)
		case s.class >= cudaEvent:
			s.scope, s.metric = w.b.Text("handle"), w.b.Text("count")
		case w.hasMemory:
			s.scope, s.metric = w.b.Text("class"), w.b.Text("live_bytes")
		default:
			s.scope, s.metric = w.b.Text("class"), w.b.Text("live_count")
		}
	}
}

// part adds a series to the sum of its device, which is one however its processes number it.
func (w *writer) part(s *series, devices map[string]int32) {
	name, key := title(int64(s.device), ""), "#"+strconv.Itoa(int(s.device))
	if g := w.capture.devices.find(s.pid, s.device); g != nil {
		name, key = g.title(), strconv.FormatInt(g.id, 10)
	}
	i, ok := devices[key]
	if !ok {
		i = int32(len(w.sums))
		devices[key] = i
		w.sums = append(w.sums, deviceSum{name: w.b.Text(name)})
	}
	s.sum = i
	w.sums[i].parts++
	w.sums[i].level = sum(w.sums[i].level, s.level)
}

func (w *writer) event(e *event) {
	w.subject(e.pid)
	w.iteration = w.iterationAt(e.pid, e.at)
	if e.op == opRefused {
		detail := w.names[e.name] + " returned " + strconv.Itoa(outOfMemory)
		w.b.Fault(table.Fault{Kind: w.b.Text("gpu-oom"), Detail: w.b.Text(detail), Stack: w.stack(e), Line: int(e.row), At: e.at})
		return
	}
	w.b.Event(&table.Event{At: e.at, Seq: w.seq, TID: table.Int{V: int64(e.tid), OK: e.tid >= 0}, Op: w.ops[e.op], Class: w.classes[e.class], Object: e.object,
		HasObject: e.has&hasObject != 0, Size: table.Int{V: e.size, OK: e.has&hasSize != 0}, Device: w.device(e.device), Stack: w.stack(e), Line: int(e.row)})
	w.seq++
	if e.series >= 0 {
		w.level(e, &w.list[e.series])
	}
	if e.pool >= 0 {
		w.pool(e, &w.capture.pools[e.pool])
	}
}

// subject sets whose rows follow.
func (w *writer) subject(pid int32) {
	if pid < 0 {
		w.b.Process(table.Int{}, table.Null)
		return
	}
	name, ok := w.process[pid]
	if !ok {
		name = w.b.Text(w.processes[pid])
		w.process[pid] = name
	}
	w.b.Process(table.Known(int64(pid)), name)
}

func (w *writer) stack(e *event) int64 {
	if e.chain < 0 {
		return 0
	}
	return w.chains[e.chain]
}

func (w *writer) device(n int32) table.Sym {
	if n < 0 {
		return table.Null
	}
	y, ok := w.devices[n]
	if !ok {
		y = w.b.Text(strconv.Itoa(int(n)))
		w.devices[n] = y
	}
	return y
}

// level writes where an event leaves the level that it moves, and the sum of the device if several processes use it.
func (w *writer) level(e *event, s *series) {
	s.level = sum(s.level, e.delta())
	w.sample(e, s.scope, s.name, s.metric, s.level)
	if s.sum < 0 {
		return
	}
	d := &w.sums[s.sum]
	if d.level = sum(d.level, e.delta()); d.parts > 1 {
		w.b.Process(table.Int{}, table.Null)
		w.iteration = table.Int{}
		w.sample(e, s.scope, d.name, s.metric, d.level)
		w.subject(e.pid)
	}
}

func (w *writer) sample(e *event, scope, name, metric table.Sym, value int64) {
	w.b.Add(table.Sample{Scope: scope, Name: name, Metric: metric, Value: value, Line: int(e.row), Iteration: w.iteration, At: e.at})
}

// pool writes what a pool holds, and how much of it is handed out.
func (w *writer) pool(e *event, p *poolState) {
	key := poolKey{p.pid, p.address}
	name, ok := w.pools[key]
	if !ok {
		w.numbers[p.device]++
		name = w.b.Text(title(int64(max(p.device, 0)), "pool "+strconv.Itoa(w.numbers[p.device])))
		w.pools[key] = name
	}
	if p.size.OK {
		w.sample(e, w.b.Text("pool"), name, w.b.Text("gpu_reserved"), p.size.V)
	}
	if p.used.OK {
		w.sample(e, w.b.Text("pool"), name, w.b.Text("gpu_used"), p.used.V)
	}
}
