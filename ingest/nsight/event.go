package nsight

import (
	"cmp"
	"slices"
)

// event is one call, memory event or event of a pool, before it becomes rows. Captures hold millions: it is kept small.
type event struct {
	at, row  int64
	ref      int64 // start of a call; correlation id of a memory event, 0 for none
	chain    int64 // call chain, -1 for none
	size     int64
	object   uint64
	pid, tid int32 // -1 if not known
	series   int32 // its level, -1 for none
	pool     int32 // its figures of a pool, -1 for none
	device   int32 // CUDA ordinal, -1 for none
	name     int32 // of a call: index into capture.names
	op       op
	class    class
	has      flags
}

// flags say what is known of an event.
type flags uint8

const (
	isCall     flags = 1 << iota
	isDriver         // a call of the driver
	hasObject        // object is known
	hasSize          // size is known
	unexpected       // it frees what was not seen to be allocated
)

// none is an event of which nothing is known.
var none = event{chain: -1, pid: -1, tid: -1, series: -1, pool: -1, device: -1}

// delta is what an event adds to its level: bytes where they are known, else one object.
func (e *event) delta() int64 {
	by := int64(1)
	if e.has&hasSize != 0 {
		by = e.size
	}
	if e.op == opFree || e.op == opDestroy {
		return -by
	}
	return by
}

// before orders events by time, those of one time by their rows.
func (e *event) before(o *event) int {
	return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(e.row, o.row))
}

const storeBits = 14 // of the number of events in a chunk

// store holds the events of one table, in chunks, so that growing it copies nothing.
type store struct {
	chunks [][]event
	order  []int32 // by time; nil if they were stored so
	n      int
}

func (s *store) add(e event) {
	if s.n&(1<<storeBits-1) == 0 {
		s.chunks = append(s.chunks, make([]event, 0, 1<<storeBits))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, e)
	s.n++
}

func (s *store) stored(i int) *event { return &s.chunks[i>>storeBits][i&(1<<storeBits-1)] }

// get gives the event that is number i in order of time.
func (s *store) get(i int) *event {
	if s.order != nil {
		i = int(s.order[i])
	}
	return s.stored(i)
}

// release gives the memory of the events before i back, where they are stored in order.
func (s *store) release(i int) {
	if s.order == nil && i&(1<<storeBits-1) == 0 && i > 0 {
		s.chunks[i>>storeBits-1] = nil
	}
}

// sort finds the order of time.
func (s *store) sort() {
	sorted := true
	for i := 1; i < s.n && sorted; i++ {
		sorted = s.stored(i-1).before(s.stored(i)) <= 0
	}
	if sorted {
		return
	}
	s.order = make([]int32, s.n)
	for i := range s.order {
		s.order[i] = int32(i)
	}
	slices.SortStableFunc(s.order, func(x, y int32) int { return s.stored(int(x)).before(s.stored(int(y))) })
}

// list are the stores of a capture: memory events, events of pools, calls.
type list [3]store

// each visits all events in order of time. With last, what was visited is not needed again.
func (l *list) each(last bool, visit func(*event)) {
	var at [len(l)]int
	for {
		best := -1
		var first *event
		for k := range l {
			if at[k] == l[k].n {
				continue
			}
			if e := l[k].get(at[k]); best < 0 || e.before(first) < 0 {
				best, first = k, e
			}
		}
		if best < 0 {
			return
		}
		if first.op != opNone {
			visit(first)
		}
		at[best]++
		if last {
			l[best].release(at[best])
		}
	}
}

// any says whether there is an event.
func (l *list) any() bool {
	for k := range l {
		for i := range l[k].n {
			if l[k].stored(i).op != opNone {
				return true
			}
		}
	}
	return false
}
