package instruments

import (
	"math/bits"

	"github.com/memtide/memtide/ingest/table"
)

// tally adds up rows by class and stack, in the order in which these are met.
type tally struct {
	list  []site
	index map[siteKey]int32
	last  siteKey
	at    int32
}

type siteKey struct {
	class table.Sym
	stack int64
}

// site is what the allocations of one class and stack add up to.
type site struct {
	siteKey
	line                                         int
	liveBytes, liveCount, totalBytes, totalCount sum
}

// sum is unknown once a part of it was.
type sum struct {
	v       int64
	unknown bool
}

func (s *sum) add(n table.Int) {
	v, ok := table.Sum(s.v, n.V)
	if s.unknown = s.unknown || !n.OK || !ok; !s.unknown {
		s.v = v
	}
}

func (s *sum) int() table.Int { return table.Int{V: s.v, OK: !s.unknown} }

func (s *site) row() table.Site {
	return table.Site{Class: s.class, Stack: s.stack, Line: s.line,
		LiveBytes: s.liveBytes.int(), LiveCount: s.liveCount.int(), TotalBytes: s.totalBytes.int(), TotalCount: s.totalCount.int()}
}

// add joins the sums of another.
func (s *site) join(o *site) {
	s.liveBytes.add(o.liveBytes.int())
	s.liveCount.add(o.liveCount.int())
	s.totalBytes.add(o.totalBytes.int())
	s.totalCount.add(o.totalCount.int())
}

// site gives the sums of a class and stack.
func (t *tally) site(class table.Sym, stack int64, line int) *site {
	key := siteKey{class, stack}
	if len(t.list) > 0 && key == t.last {
		return &t.list[t.at]
	}
	i, ok := t.index[key]
	if !ok {
		if t.index == nil {
			t.index = map[siteKey]int32{}
		}
		i = int32(len(t.list))
		t.index[key] = i
		t.list = append(t.list, site{siteKey: key, line: line})
	}
	t.last, t.at = key, i
	return &t.list[i]
}

// times is size × count; not known beyond 63 bits.
func times(size, count table.Int) table.Int {
	hi, lo := bits.Mul64(uint64(size.V), uint64(count.V))
	if !size.OK || !count.OK || hi > 0 || int64(lo) < 0 {
		return table.Int{}
	}
	return table.Known(int64(lo))
}
