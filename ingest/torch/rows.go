package torch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

func (s *snapshot) intern() {
	w := &s.words
	for i := range deeds {
		w.ops[i] = s.b.Text(deeds[i].op)
	}
	w.live = s.b.Text("live")
	w.memory, w.segment, w.scope = s.b.Text("gpu-memory"), s.b.Text("gpu-segment"), s.b.Text("device")
	w.allocated, w.reserved, w.oom = s.b.Text("gpu_allocated"), s.b.Text("gpu_reserved"), s.b.Text("gpu-oom")
	w.pool, w.inactive, w.largest = s.b.Text("pool"), s.b.Text("gpu_inactive"), s.b.Text("gpu_largest_free")
	w.active = s.b.Text("gpu_active")
	w.stuck, w.split = s.b.Text("gpu_non_releasable"), s.b.Text("gpu_split_segments")
	for i := range s.devices {
		d := &s.devices[i]
		n := decimal(d.number)
		d.name, d.index = s.b.Text("GPU "+n), s.b.Text(n)
		slices.Sort(d.steps)
	}
}

func (s *snapshot) facts() {
	s.b.Fact("tool", "torch.cuda.memory")
	s.b.Fact("unit", "requested")
	if s.timed {
		s.b.Fact("clock", "trace")
	} else {
		s.b.Fact("clock", "order")
	}
	if len(s.settings) > 0 {
		s.b.Fact("allocator_settings", strings.ToValidUTF8(string(s.settings), "\ufffd"))
	}
	over := s.overflowed()
	if over {
		s.b.Fact("trace_alloc_overflowed", "true")
	}
	if s.orphans > 0 {
		s.b.Fact("preexisting_frees", decimal(s.orphans))
	}
	if over || s.orphans > 0 {
		s.b.Fact("lossy", "true")
	}
}

// overflowed says whether the ring in which events are kept was full on a device. It stands as one value, or as one for
// each device.
func (s *snapshot) overflowed() bool {
	v := s.root[wOverflowed]
	kind, n := s.shapeOf(v)
	return v.kind == kTrue || v.kind == kInt && v.n != 0 || v.kind == kObject && kind == sOther && n == 1
}

// gauge is a level that events move: what it is before the first is what makes it come out right at the end.
type gauge struct {
	metric table.Sym
	at     int64
	ok     bool
}

func (s *snapshot) gauge(metric table.Sym, end, net known, d *device) gauge {
	kind, _ := s.shapeOf(s.root[wSegments])
	whole := (kind == sRange || kind == sList) && !s.segmentsCut && !d.partial
	at, fits := table.Sum(end.v, -net.v)
	return gauge{metric, at, whole && fits && !end.bad && !net.bad}
}

// trace writes the events of a device, and its levels after each event that moves them.
func (s *snapshot) trace(d *device) {
	allocated, reserved := s.gauge(s.words.allocated, d.allocated, d.netAlloc, d), s.gauge(s.words.reserved, d.reserved, d.netSeg, d)
	steps := 0
	for i := int(d.trace.first); i < int(d.trace.first+d.trace.n); i++ {
		e := s.events.get(i)
		at := s.timeOf(d, i, e)
		switch {
		case e.action == outOfMemory:
			s.refused(d, i, e, at)
		case e.action < outOfMemory:
			s.event(d, i, e, at)
			for steps < len(d.steps) && d.steps[steps] <= e.time {
				steps++
			}
			if deed := &deeds[e.action]; deed.sign != 0 {
				g := &allocated
				if deed.segment {
					g = &reserved
				}
				s.move(g, deed.sign*e.size)
				s.level(g, d, at, e.line, steps)
			}
		}
		s.events.release(i)
	}
	if d.moves == 0 && d.hasSegments {
		s.level(&allocated, d, s.end, d.line, len(d.steps))
	}
	if d.reserved.large {
		s.tooLarge(s.words.reserved, d)
	}
	if d.allocated.large {
		s.tooLarge(s.words.allocated, d)
	}
	if d.segmentMoves == 0 && d.hasSegments {
		s.level(&reserved, d, s.end, d.line, len(d.steps))
	}
	s.rooms(d)
}

func (s *snapshot) event(d *device, i int, e *event, at int64) {
	class := s.words.memory
	if deeds[e.action].segment {
		class = s.words.segment
	}
	s.b.Event(&table.Event{At: at, Seq: int64(i - int(d.trace.first)), Op: s.words.ops[e.action], Class: class, Object: e.addr, HasObject: e.hasAddr,
		Size: table.Int{V: e.size, OK: e.hasSize}, Device: d.index, Stack: s.leaf(e.stack, e.line), Line: int(e.line)})
}

// refused writes a request that the device could not meet.
func (s *snapshot) refused(d *device, i int, e *event, at int64) {
	detail := s.b.String(d.name)
	if free, ok := s.frees[int32(i)]; ok {
		detail += ", device_free " + strconv.FormatInt(free, 10)
	}
	detail += d.refusals[i].detail()
	s.b.Fault(table.Fault{Kind: s.words.oom, Size: table.Int{V: e.size, OK: e.hasSize}, Detail: s.b.Text(detail), Stack: s.leaf(e.stack, e.line), Line: int(e.line), At: at})
}

func (s *snapshot) move(g *gauge, by int64) {
	sum, fits := table.Sum(g.at, by)
	g.at, g.ok = sum, g.ok && fits
}

// level writes a level, which is never below 0: a trace that frees more than there was does not belong to its segments.
func (s *snapshot) level(g *gauge, d *device, at, line int64, steps int) {
	if !g.ok {
		return
	}
	if g.at < 0 {
		s.b.Problems.Count(s.in.At(int(line), 0), "want a trace that fits the segments, have one of %s that brings %s below 0", s.b.String(d.name), s.b.String(g.metric))
		return
	}
	s.b.Add(table.Sample{Scope: s.words.scope, Name: d.name, Metric: g.metric, Value: g.at, Line: int(line), At: at,
		Iteration: table.Int{V: int64(steps), OK: len(d.steps) > 0}})
}

// sites writes what is live at the end, by device and stack.
func (s *snapshot) sites() {
	type key struct {
		device int
		stack  int32
	}
	type sum struct {
		key
		bytes known
		count int64
		line  int64
	}
	var list []sum
	index := map[key]int{}
	r := s.rangeOf(s.root[wSegments], sSegment)
	for _, g := range s.segments[r.first : r.first+r.n] {
		for i := range s.blocks[g.blocks.first : g.blocks.first+g.blocks.n] {
			b := &s.blocks[int(g.blocks.first)+i]
			if !b.active {
				continue
			}
			k := key{s.byNumber[g.device], b.stack}
			at, ok := index[k]
			if !ok {
				at, index[k] = len(list), len(list)
				list = append(list, sum{key: k, line: b.line})
			}
			list[at].bytes.add(b.size, b.known)
			list[at].count++
		}
	}
	for i := range list {
		x := &list[i]
		s.b.Site(table.Site{Device: s.devices[x.device].index, Class: s.words.memory, Stack: s.leaf(x.stack, x.line),
			LiveBytes: table.Int{V: x.bytes.v, OK: !x.bytes.bad}, LiveCount: table.Known(x.count), Line: int(x.line), At: s.end})
	}
}
