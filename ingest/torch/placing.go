package torch

import (
	"cmp"
	"slices"
)

// placing says which requests the memory of a segment can serve: those of its stream and of its pool, small ones from
// small segments only and large ones from large ones.
type placing struct {
	stream, pool int64 // pool is commonPool, or that of a graph or a MemPool
	small        bool
	expandable   bool
	hasStream    bool
}

const (
	commonPool  = 0       // of requests that ask for no other; the id (0, 0)
	unknownPool = -1      // an id that is none
	smallest    = 1 << 20 // up to it a request is small (kSmallSize)
	smallMemory = 2 << 20 // a segment of small blocks (kSmallBuffer)
	rounding    = 512     // blocks are multiples of it (kMinBlockSize)
	pairBits    = 24
)

// placedEvent is the placing of an event of a segment, or of one that is out of memory.
type placedEvent struct {
	event int32
	placing
}

// placing reads the stream, pool and kind of a record; pool is the key of its pool.
func (m *machine) placing(f *item, pool word) placing {
	p := placing{small: f.values[wSegmentType] == value{vSmall, kText}, expandable: f.values[wExpandable].kind == kTrue}
	p.stream, p.hasStream = f.number(wStream)
	v := f.values[pool]
	switch s, n := m.shapeOf(v); {
	case v.kind == kPair:
		p.pool = v.n
	case s == sPair:
		p.pool = n
	case v != value{}:
		p.pool = unknownPool
	}
	return p
}

// placingOf gives the placing of an event that has one.
func (r *records) placingOf(event int) placing {
	i, _ := slices.BinarySearchFunc(r.placed, int32(event), func(p placedEvent, n int32) int { return cmp.Compare(p.event, n) })
	if i < len(r.placed) && r.placed[i].event == int32(event) {
		return r.placed[i].placing
	}
	return placing{}
}

// pairOf is the value of a tuple: both numbers of one of two small ones, else nothing.
func pairOf(items []value) value {
	if len(items) != 2 || items[0].kind != kInt || items[1].kind != kInt {
		return value{}
	}
	a, b := items[0].n, items[1].n
	if a < 0 || b < 0 || a >= 1<<pairBits || b >= 1<<pairBits {
		return value{}
	}
	return value{a<<pairBits | b, kPair}
}

// serves says whether the free memory of a segment can serve a request. Of a request without a stream that is not asked.
func (p *placing) serves(r *placing) bool {
	return p.pool == r.pool && p.small == r.small && (!r.hasStream || p.stream == r.stream)
}
