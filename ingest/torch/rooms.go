package torch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// mostPools bounds the pools of a device that are told apart: each stream has its own.
const mostPools = 100

// rooms writes what is free at the end in the segments of a device, in all and by pool.
func (s *snapshot) rooms(d *device) {
	if d.arena == nil {
		return
	}
	var all, common room
	pools := map[placing]*room{}
	ok := d.arena.walk(func(r *region, gaps []gap, holds bool) {
		all.add(r, gaps, holds)
		if r.pool == commonPool {
			common.add(r, gaps, holds)
		}
		key := r.placing
		key.expandable = false
		if pools[key] == nil {
			pools[key] = &room{}
		}
		pools[key].add(r, gaps, holds)
	})
	if !ok {
		return
	}
	s.room(s.words.scope, d.name, s.words.inactive, all.inactive, d)
	s.room(s.words.scope, d.name, s.words.largest, exactly(common.largest), d)
	s.room(s.words.scope, d.name, s.words.stuck, all.stuck, d)
	s.byPool(d, pools)
}

func exactly(v int64) known { return known{v: v} }

// room writes a figure. A sum that does not fit is told and has no row.
func (s *snapshot) room(scope, name, metric table.Sym, v known, d *device) {
	if v.bad {
		s.tooLarge(metric, d)
		return
	}
	s.b.Add(table.Sample{Scope: scope, Name: name, Metric: metric, Value: v.v, Line: int(d.line), At: s.end, Iteration: table.Int{V: int64(len(d.steps)), OK: len(d.steps) > 0}})
}

func (s *snapshot) tooLarge(metric table.Sym, d *device) {
	s.b.Problems.Count(s.in.At(int(d.line), 0), "want sizes on a device that add up to less than 2^63, have more: its %s is not known", s.b.String(metric))
}

// byPool writes what is in use and free in each pool: memory that is free in one serves no request of another.
func (s *snapshot) byPool(d *device, pools map[placing]*room) {
	keys := slices.SortedFunc(maps.Keys(pools), placing.compare)
	streams := streamsOf(keys)
	for i, k := range keys {
		if i == mostPools {
			s.b.Problems.Count(s.in.At(int(d.line), 0), "want at most %d pools and streams of a device, have more: the others are in its sums only", mostPools)
			return
		}
		name := s.b.Text(s.b.String(d.name) + " " + k.name(streams))
		p := pools[k]
		s.room(s.words.pool, name, s.words.active, p.reserved.less(p.inactive), d)
		s.room(s.words.pool, name, s.words.inactive, p.inactive, d)
		s.room(s.words.pool, name, s.words.largest, exactly(p.largest), d)
		s.room(s.words.pool, name, s.words.split, exactly(p.split), d)
	}
}

func (p placing) compare(o placing) int {
	big := func(small bool) int {
		if small {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.pool, o.pool), cmp.Compare(big(p.small), big(o.small)), cmp.Compare(p.stream, o.stream))
}

// streamsOf numbers the streams beside the default one. Their ids are addresses, which differ from run to run.
func streamsOf(keys []placing) map[int64]int {
	var ids []int64
	for _, k := range keys {
		if k.stream != 0 {
			ids = append(ids, k.stream)
		}
	}
	slices.Sort(ids)
	out := map[int64]int{}
	for i, id := range slices.Compact(ids) {
		out[id] = i + 1
	}
	return out
}

func (p placing) name(streams map[int64]int) string {
	name := "large"
	if p.small {
		name = "small"
	}
	switch {
	case p.pool == unknownPool:
		name += " of an unknown pool"
	case p.pool != commonPool:
		name += fmt.Sprintf(" of pool (%d, %d)", p.pool>>pairBits, p.pool&(1<<pairBits-1))
	}
	if n := streams[p.stream]; n > 0 {
		name += fmt.Sprintf(", stream %d", n)
	}
	return name
}

// detail says in the words of a fault what was free when a request was refused.
func (x *shortage) detail() string {
	if x == nil {
		return ""
	}
	if x.all.inactive.bad || x.fit.inactive.bad {
		return ""
	}
	out := fmt.Sprintf(", inactive %d, fitting %d, largest_free %d", x.all.inactive.v, x.fit.inactive.v, x.fit.largest)
	if x.all.slack > 0 {
		out += fmt.Sprintf(", slack %d", x.all.slack)
	}
	if x.pool {
		out += ", private pool"
	}
	if x.grows {
		out += ", expandable"
	}
	return out
}
