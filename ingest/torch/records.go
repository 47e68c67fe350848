package torch

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// records are what a snapshot holds, each kind in the order in which it was read.
type records struct {
	root        [numKeys]value // of the dict that is the snapshot
	whole       object         // what stands outermost: the dict, or the list of segments of torch 1.12
	events      store
	segments    []segment
	blocks      []block
	annotations []annotation
	histories   []history
	frees       map[int32]int64 // device_free of events that are out of memory
	placed      []placedEvent   // where the events of segments, and those that are out of memory, are
	ranges      []span
	kinds       []shape // of the records in each range
	lists       [][]value
	settings    []byte
	stacks
	segmentsCut, tracesCut bool // the capture was cut in this part
}

// span is a run of records.
type span struct{ first, n int32 }

// event is an entry of a trace. It is kept small.
type event struct {
	addr    uint64
	size    int64
	time    int64 // us
	line    int64
	stack   int32
	action  uint8 // word less vAlloc
	hasAddr bool
	hasSize bool
	hasTime bool
}

type segment struct {
	device, total int64
	hasTotal      bool
	address       uint64
	hasAddress    bool
	stack         int32
	line          int64
	blocks        span
	placing
}

// block is a piece of a segment; inactive ones hold nothing.
type block struct {
	size   int64
	line   int64
	stack  int32
	known  bool // size is known
	active bool
	unsure bool  // a state that is none: it may be active or not
	room   int64 // what it takes of its segment, -1 if that is not known: size is what was asked for

	address uint64 // as it is stated; 0 where it is not
}

// annotation is the start of an optimizer's step.
type annotation struct{ device, time int64 }

// history is what torch before 2.1 kept of the allocations that a block served.
type history struct {
	size  value
	stack int32
}

const optimizerStep = "Optimizer.step"

var errPieces = errors.New("want the items of a record in one piece")

// set puts pairs of keys and values into a dict, which becomes the record that its keys tell.
func (m *machine) set(o *object, pairs []value) error {
	if len(pairs)&1 != 0 {
		return errors.New("want a value for each key, have none for the last")
	}
	s := o.shape()
	if s != sDict && s != sRoot && s != sOther {
		return errPieces
	}
	var f item
	for i := 0; i < len(pairs); i += 2 {
		if k := pairs[i]; k.kind == kText && k.n < numKeys {
			f.values[k.n] = pairs[i+1]
			f.has |= 1 << k.n
		}
	}
	switch {
	case s == sRoot || f.any(wSegments, wTraces):
		return m.setRoot(o, &f)
	case m.owner() == wSettings:
		m.note(pairs)
	}
	if s == sDict {
		*o = m.record(&f, o.n())
	}
	if o.shape() == sOther && anyTrue(pairs) {
		*o = newObject(sOther, 1)
	}
	return nil
}

// item is the known members of a dict.
type item struct {
	values [numKeys]value
	has    uint32
}

func (f *item) any(keys ...word) bool {
	for _, k := range keys {
		if f.has&(1<<k) != 0 {
			return true
		}
	}
	return false
}

// number gives an integer member; false if it is not there or not an integer that fits.
func (f *item) number(k word) (int64, bool) {
	v := f.values[k]
	return v.n, v.kind == kInt
}

// address gives a member that is an address.
func (f *item) address(k word) (uint64, bool) {
	v := f.values[k]
	return uint64(v.n), v.kind == kUint || v.kind == kInt && v.n >= 0
}

// size is number for what cannot be below 0.
func (f *item) size(k word) (int64, bool) {
	n, ok := f.number(k)
	return n, ok && n >= 0
}

// owner is the key that the dict on top of the stack is the value of; -1 if it is none.
func (m *machine) owner() word {
	if len(m.stack) >= 2 {
		if k := m.stack[len(m.stack)-2]; k.kind == kText && k.n < numKeys {
			return k.n
		}
	}
	return -1
}

func (m *machine) setRoot(o *object, f *item) error {
	if m.whole.shape() == sRoot && *o != m.whole {
		return errors.New("want one snapshot, have another inside it")
	}
	*o = newObject(sRoot, 0)
	m.whole = *o
	for k, v := range f.values {
		if f.has&(1<<k) != 0 {
			m.root[k] = v
		}
	}
	return nil
}

// record is the object that the members of a dict make.
func (m *machine) record(f *item, line int64) object {
	switch {
	case f.any(wAction):
		m.events.add(m.event(f, line))
		return newObject(sEvent, int64(m.events.n-1))
	case f.any(wBlocks) && f.any(wTotalSize):
		m.segments = append(m.segments, m.segment(f, line))
		return newObject(sSegment, int64(len(m.segments)-1))
	case f.any(wState):
		m.blocks = append(m.blocks, m.block(f, line))
		return newObject(sBlock, int64(len(m.blocks)-1))
	case f.any(wFilename) && f.any(wName):
		n, _ := f.number(wLine)
		return newObject(sFrame, m.frame(m.symbol(f.values[wName]), m.symbol(f.values[wFilename]), n))
	case f.any(wRealSize):
		m.histories = append(m.histories, history{f.values[wRealSize], m.stackOf(f)})
		return newObject(sHistory, int64(len(m.histories)-1))
	case f.any(wStage):
		device, _ := f.number(wDevice)
		at, ok := f.number(wTime)
		if f.values[wStage] == (value{vStart, kText}) && ok && strings.HasPrefix(m.text(f.values[wName]), optimizerStep) {
			m.annotations = append(m.annotations, annotation{device, at})
		}
		return newObject(sAnnotation, 0)
	}
	return newObject(sOther, 0)
}

func (m *machine) event(f *item, line int64) event {
	e := event{line: line, stack: m.stackOf(f), action: unknownAction}
	if a := f.values[wAction]; a.kind == kText && a.n >= vAlloc && a.n <= vOOM {
		e.action = uint8(a.n - vAlloc)
	} else {
		m.b.Problems.Count(m.place(), "an action that memtide does not know: %q", clip(m.text(a)))
	}
	e.addr, e.hasAddr = f.address(wAddr)
	if e.size, e.hasSize = f.size(wSize); !e.hasSize && f.any(wSize) {
		m.b.Problems.Count(m.place(), "want a number of bytes as the size of an event, have something else")
	}
	e.time, e.hasTime = f.number(wTime)
	if e.time < 0 || e.time > math.MaxInt64/1000 {
		m.b.Problems.Count(m.place(), "want a time in microseconds that fits in 63 bits of nanoseconds, have another")
		e.hasTime = false
	}
	if free, ok := f.size(wFree); ok && e.action == outOfMemory {
		if m.frees == nil {
			m.frees = map[int32]int64{}
		}
		m.frees[int32(m.events.n)] = free
	}
	if e.action == outOfMemory || e.action < outOfMemory && deeds[e.action].segment {
		m.placed = append(m.placed, placedEvent{int32(m.events.n), m.placing(f, wPool)})
	}
	return e
}

func (m *machine) segment(f *item, line int64) segment {
	s := segment{line: line, stack: m.stackOf(f)}
	var ok bool
	if s.device, ok = f.number(wDevice); !ok && f.any(wDevice) {
		m.b.Problems.Count(m.place(), "want a number as the device of a segment, have something else: taken as 0")
	}
	if s.total, s.hasTotal = f.size(wTotalSize); !s.hasTotal {
		m.b.Problems.Count(m.place(), "want a number of bytes as the total_size of a segment, have something else: what is reserved is not known")
	}
	if s.address, s.hasAddress = f.address(wAddress); !s.hasAddress && f.any(wAddress) {
		m.b.Problems.Count(m.place(), "want a number as the address of a segment, have something else: what is free in it is not known")
	}
	s.placing = m.placing(f, wSegmentPool)
	s.blocks = m.takeRange(f.values[wBlocks], sBlock)
	if shape, _ := m.shapeOf(f.values[wBlocks]); s.blocks.n == 0 && shape != sList {
		m.b.Problems.Count(m.place(), "want the blocks of a segment, have something else")
	}
	return s
}

func (m *machine) block(f *item, line int64) block {
	b := block{line: line, stack: m.stackOf(f)}
	b.room = -1
	b.active, b.unsure = m.stateOf(f)
	b.address, _ = f.address(wAddress)
	if n, ok := f.size(wSize); ok {
		b.room = n
	} else if f.any(wSize) {
		m.b.Problems.Count(m.place(), "want a number of bytes as the size of a block, have something else: what is free in its segment is not known")
	}
	if b.size, b.known = f.size(wRequested); b.known {
		return b
	}
	b.size, b.known = f.size(wSize)
	if s, n := m.shapeOf(f.values[wHistory]); s == sHistory {
		h := &m.histories[n]
		b.stack = h.stack
		if h.size.kind == kInt && h.size.n >= 0 {
			b.size, b.known = h.size.n, true
		}
	}
	return b
}

// stateOf says whether a block is in use, or that it does not tell. One that waits for another stream is in use.
func (m *machine) stateOf(f *item) (active, unsure bool) {
	v := f.values[wState]
	if v.kind == kText {
		switch v.n {
		case vInactive:
			return false, false
		case vAllocated, vAwaiting, vPending:
			return true, false
		}
	}
	m.b.Problems.Count(m.place(), "want active_allocated, active_awaiting_free, active_pending_free or inactive as the state of a block, have %q: whether it is in use is not known", clip(m.text(v)))
	return false, true
}

// note keeps the settings of the allocator as one line.
func (m *machine) note(pairs []value) {
	for i := 0; i < len(pairs) && len(m.settings) < 4096; i += 2 {
		key, v := m.text(pairs[i]), pairs[i+1]
		if key == "" || v.kind == kObject || v.kind == kOther {
			continue
		}
		if len(m.settings) > 0 {
			m.settings = append(m.settings, ", "...)
		}
		m.settings = append(append(m.settings, clip(key)...), '=')
		switch v.kind {
		case kFalse, kTrue:
			m.settings = strconv.AppendBool(m.settings, v.kind == kTrue)
		case kInt:
			m.settings = strconv.AppendInt(m.settings, v.n, 10)
		case kFloat:
			m.settings = strconv.AppendFloat(m.settings, math.Float64frombits(uint64(v.n)), 'g', -1, 64)
		case kText:
			m.settings = append(m.settings, clip(m.text(v))...)
		}
	}
}

func anyTrue(items []value) bool {
	for _, v := range items {
		if v.kind == kTrue {
			return true
		}
	}
	return false
}

// clip keeps messages short.
func clip(s string) string { return s[:min(len(s), 200)] }

func (m *machine) symbol(v value) table.Sym {
	if s := m.text(v); s != "" {
		return m.b.Text(strings.ToValidUTF8(s, "\ufffd"))
	}
	return table.Null
}
