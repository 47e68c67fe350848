package nsight

import "github.com/memtide/memtide/ingest/table"

// seriesKey is what a level is of.
type seriesKey struct {
	pid    int32
	device int32 // -1 where the level is of a class
	class  class // noClass for the memory of a device
}

// series is a level that events raise and lower. It begins with what was there before the capture: what is freed later
// without having been seen. So it never falls below 0.
type series struct {
	seriesKey
	scope, name, metric table.Sym
	level               int64
	sum                 int32 // the device it is a part of, -1 for none
}

// ledger holds the levels of a capture.
type ledger struct {
	list  []series
	index map[seriesKey]int32
	open  map[objectKey][]place // allocated and not freed
}

// objectKey is an address of a process. Devices and contexts of a process share one address space, and a pool may free
// in another context than it allocated in.
type objectKey struct {
	pid     int32
	address uint64
}

// place is where an allocation was counted.
type place struct {
	series int32
	size   int64
}

// settle finds the level that each event moves, and what was there before the first of them.
func (c *capture) settle() *ledger {
	l := &ledger{index: map[seriesKey]int32{}, open: map[objectKey][]place{}}
	var at, low []int64 // of series that count objects: now, and the least so far
	c.events.each(false, func(e *event) {
		switch {
		case e.op == opMark || e.op == opRefused:
			return
		case e.has&hasSize != 0:
			if was := l.memory(e); was != e.size {
				c.b.Problems.Count(c.in.At(int(e.row), 0), "%s: want the size of the allocation in its deallocation, have another", memoryTable)
				e.size = was
			}
			return
		}
		e.series = l.of(seriesKey{e.pid, -1, e.class})
		for len(at) < len(l.list) {
			at, low = append(at, 0), append(low, 0)
		}
		if at[e.series] += e.delta(); at[e.series] < low[e.series] {
			low[e.series] = at[e.series]
			e.has |= unexpected
		}
	})
	for s := range low {
		l.list[s].level -= low[s]
	}
	return l
}

// memory counts a memory event and gives its size, which of a free is that of the allocation. An address that is freed
// belongs to the allocation of it that was made last.
func (l *ledger) memory(e *event) int64 {
	key := seriesKey{e.pid, -1, e.class}
	if e.class.onDevice() {
		key.class, key.device = noClass, e.device
	}
	object := objectKey{e.pid, e.object}
	stack := l.open[object]
	if e.op == opAlloc {
		e.series = l.of(key)
		l.open[object] = append(stack, place{e.series, e.size})
		return e.size
	}
	if n := len(stack); n > 0 {
		if e.series = stack[n-1].series; n == 1 {
			delete(l.open, object)
		} else {
			l.open[object] = stack[:n-1]
		}
		return stack[n-1].size
	}
	e.series = l.of(key)
	e.has |= unexpected
	s := &l.list[e.series]
	s.level = sum(s.level, e.size)
	return e.size
}

// of gives the number of a series.
func (l *ledger) of(key seriesKey) int32 {
	if i, ok := l.index[key]; ok {
		return i
	}
	i := int32(len(l.list))
	l.index[key] = i
	l.list = append(l.list, series{seriesKey: key, sum: -1})
	return i
}

// sum adds, and stays where the sum is beyond what an int64 holds.
func sum(a, b int64) int64 {
	if v, ok := table.Sum(a, b); ok {
		return v
	}
	return a
}
