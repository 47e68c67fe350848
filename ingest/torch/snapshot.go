package torch

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// snapshot writes the rows of what the machine read.
type snapshot struct {
	*machine
	devices  []device
	byNumber map[int64]int // number of a device to its place in devices
	timed    bool          // events have times; else their order is the clock
	zero     int64         // us, of the first event
	end      int64         // ns after zero, of the last event
	orphans  int64         // frees of what was not seen to be allocated
	words    rowWords
}

// device is one GPU: its trace, and what its segments say of the end.
type device struct {
	number              int64
	name, index         table.Sym
	trace               span
	partial             bool  // the trace was cut
	allocated, reserved known // at the end
	netAlloc, netSeg    known // what the trace adds to both
	moves, segmentMoves int   // events that do
	steps               []int64
	hasSegments         bool
	line                int64 // of its last segment
	arena               *arena
	refusals            map[int]*shortage // by number of the event
	seen                map[place]bool    // alive at the end by the trace
	listed              int64             // rows of what it lists and its trace does not show
}

// known is a sum; one that is too large, or with a part that is not known, is not.
type known struct {
	v     int64
	bad   bool
	large bool // bad since it is too large
}

func (k *known) add(v int64, ok bool) {
	sum, fits := table.Sum(k.v, v)
	if !ok || !fits {
		k.bad, k.large = true, k.large || ok
		return
	}
	k.v = sum
}

// addBytes is add for a number that may not fit itself.
func (k *known) addBytes(v uint64) {
	if k.add(int64(v), v <= math.MaxInt64); k.bad {
		k.large = true
	}
}

// less is the difference, known where both are.
func (k known) less(o known) known {
	k.add(-o.v, !o.bad)
	k.large = k.large || o.large
	return k
}

// rowWords are the strings of rows.
type rowWords struct {
	ops                                         [outOfMemory]table.Sym
	memory, segment, scope, allocated, reserved table.Sym
	oom, pool, live                             table.Sym
	active, inactive, largest, stuck, split     table.Sym
}

// The actions of events, in the order of their words.
const (
	alloc uint8 = iota
	freeRequested
	freeCompleted
	segmentAlloc
	segmentMap
	segmentFree
	segmentUnmap
	snapshotTaken
	workspaceTaken
	annotated
	outOfMemory // a fault, not an event
	unknownAction
)

// deeds says for each action of an event what it does: op, of a segment or of memory in one, and the sign by which it
// moves the level.
var deeds = [outOfMemory]struct {
	op      string
	segment bool
	sign    int64
}{
	alloc: {"alloc", false, 1}, freeRequested: {"release", false, 0}, freeCompleted: {"free", false, -1},
	segmentAlloc: {"alloc", true, 1}, segmentMap: {"alloc", true, 1}, segmentFree: {"free", true, -1}, segmentUnmap: {"free", true, -1},
	snapshotTaken: {"mark", false, 0}, workspaceTaken: {"mark", false, 0}, annotated: {"mark", false, 0},
}

const (
	order     = 1_000_000_000 // ns from one event to the next where the capture has no times
	microsecs = 1000
)

// find takes the parts of the snapshot from where the machine left them. It is false where there are none.
func (s *snapshot) find() bool {
	if len(s.stack) == 0 {
		return false
	}
	v := s.stack[len(s.stack)-1]
	if s.whole.shape() != sRoot {
		if r := s.rangeOf(v, sSegment); r.n > 0 {
			s.root[wSegments] = v
			return true
		}
		return false
	}
	if kind, _ := s.shapeOf(v); kind != sRoot {
		return false
	}
	return true
}

// write makes all rows. It is false where there is none.
func (s *snapshot) write() bool {
	s.collect()
	s.intern()
	s.facts()
	if s.timed {
		s.b.Snapshot(table.Stamp{Trace: table.Known(s.zero * microsecs)})
	} else {
		s.b.Snapshot(table.Stamp{})
	}
	s.b.Process(table.Int{}, table.Null)
	for i := range s.devices {
		s.trace(&s.devices[i])
	}
	s.sites()
	s.listed()
	return s.b.HasData()
}

// collect finds the devices, and what their traces and segments come to.
func (s *snapshot) collect() {
	for i, v := range s.traces() {
		if r := s.takeRange(v, sEvent); r.n > 0 {
			s.device(int64(i)).trace = r
		} else if kind, _ := s.shapeOf(v); kind != sList {
			s.b.Problems.Count(s.place(), "want a list of events in device_traces, have something else")
		}
	}
	r := s.rangeOf(s.root[wSegments], sSegment)
	for i := r.first; i < r.first+r.n; i++ {
		g := &s.segments[i]
		d := s.device(g.device)
		d.hasSegments, d.line = true, g.line
		d.reserved.add(g.total, g.hasTotal)
		for k := g.blocks.first; k < g.blocks.first+g.blocks.n; k++ {
			if b := &s.blocks[k]; b.active || b.unsure {
				d.allocated.add(b.size, b.known && !b.unsure)
			}
		}
	}
	if n := len(s.traces()); s.tracesCut && n > 0 {
		s.device(int64(n - 1)).partial = true
	}
	s.sortDevices()
	for i := range s.devices {
		s.survey(&s.devices[i])
	}
	for i := range s.devices {
		s.span(&s.devices[i])
	}
	s.lay()
	for i := range s.devices {
		s.shortages(&s.devices[i])
	}
	for _, a := range s.annotations {
		if i, ok := s.byNumber[a.device]; ok && s.timed {
			s.devices[i].steps = append(s.devices[i].steps, a.time)
		}
	}
}

func (s *snapshot) traces() []value {
	if kind, n := s.shapeOf(s.root[wTraces]); kind == sLists {
		return s.lists[n]
	}
	return nil
}

// device finds or makes the device of a number.
func (s *snapshot) device(number int64) *device {
	if i, ok := s.byNumber[number]; ok {
		return &s.devices[i]
	}
	if s.byNumber == nil {
		s.byNumber = map[int64]int{}
	}
	s.byNumber[number] = len(s.devices)
	s.devices = append(s.devices, device{number: number})
	return &s.devices[len(s.devices)-1]
}

// survey sums up a trace, and looks for frees of what it does not show: the ring in which events are kept was full, or
// the recording began late.
func (s *snapshot) survey(d *device) {
	d.seen = map[place]bool{}
	for i := int(d.trace.first); i < int(d.trace.first+d.trace.n); i++ {
		e := s.events.get(i)
		if e.hasTime && !s.timed {
			s.timed, s.zero = true, e.time
		}
		if e.action >= outOfMemory {
			continue
		}
		switch deed := &deeds[e.action]; {
		case deed.sign == 0:
			continue
		case deed.segment:
			d.see(e, deed.sign)
			d.netSeg.add(deed.sign*e.size, e.hasSize)
			d.segmentMoves++
			continue
		default:
			d.netAlloc.add(deed.sign*e.size, e.hasSize)
			d.moves++
		}
		if !d.see(e, deeds[e.action].sign) {
			s.orphans++
		}
	}
}

// place is where something is that a trace makes and frees: a segment begins where its first block does.
type place struct {
	addr    uint64
	segment bool
}

// see notes what is made or freed. It is false for what is freed and was not seen made.
func (d *device) see(e *event, sign int64) bool {
	at := place{e.addr, deeds[e.action].segment}
	was := d.seen[at]
	if sign > 0 {
		d.seen[at] = true
		return true
	}
	delete(d.seen, at)
	return was
}

// span finds the end of the capture, and gives events without a time, where others have one, that of the one before.
func (s *snapshot) span(d *device) {
	now := s.zero
	for i := int(d.trace.first); i < int(d.trace.first+d.trace.n); i++ {
		e := s.events.get(i)
		if s.timed && !e.hasTime {
			s.b.Problems.Count(s.in.At(int(e.line), 0), "want a time_us in every event of this snapshot, have one without: it is taken to be that of the event before")
			e.time = now
		}
		now = e.time
		s.end = max(s.end, s.timeOf(d, i, e))
	}
}

// timeOf is the time of an event, in ns after that of the snapshot.
func (s *snapshot) timeOf(d *device, i int, e *event) int64 {
	if s.timed {
		return (e.time - s.zero) * microsecs
	}
	return int64(i-int(d.trace.first)) * order
}

func (s *snapshot) sortDevices() {
	slices.SortFunc(s.devices, func(x, y device) int { return cmp.Compare(x.number, y.number) })
	clear(s.byNumber)
	for i := range s.devices {
		s.byNumber[s.devices[i].number] = i
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
