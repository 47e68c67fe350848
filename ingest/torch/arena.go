package torch

import (
	"cmp"
	"maps"
	"slices"
)

// arena is what the allocator holds of a device at one moment: the regions that it reserved, and the blocks in them that are
// not free. Free memory is what lies between.
type arena struct {
	regions []region // by address, they do not overlap
	live    map[uint64]blockAt
}

// region is reserved memory in one piece: a segment, or the mapped part of one that can grow. Its last byte stands in place of its
// end, which for one at the top of the address space would be 2⁶⁴.
type region struct {
	start, last uint64
	placing
}

func (r *region) size() uint64 { return r.last - r.start + 1 }

// blockAt is a block that is not free. Of one that was freed later only what was asked for is known, not how much the
// allocator gave: it keeps up to smallest with a block of a large segment rather than split it off.
type blockAt struct {
	size    uint64
	guessed bool
}

// lay builds the arenas of the devices from their segments. A device whose blocks do not say where everything is has none.
func (s *snapshot) lay() {
	if s.segmentsCut {
		return
	}
	unknown := map[int64]bool{}
	r := s.rangeOf(s.root[wSegments], sSegment)
	for i := r.first; i < r.first+r.n; i++ {
		g := &s.segments[i]
		d := s.device(g.device)
		if d.arena == nil {
			d.arena = &arena{live: map[uint64]blockAt{}}
		}
		unknown[g.device] = unknown[g.device] || !s.put(d.arena, g)
	}
	for i := range s.devices {
		d := &s.devices[i]
		overlap := d.arena != nil && !d.arena.sort()
		if overlap {
			s.unlaid(d.line, "segments of a device that do not overlap")
		}
		if overlap || unknown[d.number] {
			d.arena = nil
		}
	}
}

// sort puts the regions in order; false if two overlap.
func (a *arena) sort() bool {
	slices.SortFunc(a.regions, func(x, y region) int { return cmp.Compare(x.start, y.start) })
	for i := 1; i < len(a.regions); i++ {
		if a.regions[i].start <= a.regions[i-1].last {
			return false
		}
	}
	return true
}

// unlaid tells why it is not known what lies where.
func (s *snapshot) unlaid(line int64, want string) {
	s.b.Problems.Count(s.in.At(int(line), 0), "want %s, have some that do not: what is free in the segments of this device is not known", want)
}

// put puts a segment into an arena. Its blocks follow each other without a gap and fill it.
func (s *snapshot) put(a *arena, g *segment) bool {
	if !g.hasAddress || !g.hasTotal || g.blocks.n == 0 && g.total > 0 {
		return false // it does not say what is in it
	}
	total, at := uint64(g.total), uint64(0)
	if total > 0 && g.address+(total-1) < g.address {
		s.unlaid(g.line, "segments that end below 2^64")
		return false
	}
	for k := g.blocks.first; k < g.blocks.first+g.blocks.n; k++ {
		b := &s.blocks[k]
		switch {
		case b.room < 0 || b.unsure:
			return false
		case uint64(b.room) > total-at:
			s.unlaid(g.line, "blocks that fill their segment")
			return false
		case b.address != 0 && b.address != g.address+at:
			s.unlaid(b.line, "blocks whose addresses follow each other from that of their segment")
			return false
		}
		if b.active && b.room > 0 {
			a.live[g.address+at] = blockAt{size: uint64(b.room)}
		}
		at += uint64(b.room)
	}
	if at != total {
		s.unlaid(g.line, "blocks that fill their segment")
		return false
	}
	if total > 0 {
		a.regions = append(a.regions, region{g.address, g.address + (total - 1), g.placing})
	}
	return true
}

// gap is what is free between two blocks.
type gap struct {
	size  uint64
	loose bool // the block before it may reach into it, by up to smallest
}

// walk visits the regions, each with its free gaps and whether a block is in it. It is false where a block is in no region,
// or in that of another.
func (a *arena) walk(visit func(r *region, gaps []gap, holds bool)) bool {
	starts := slices.Sorted(maps.Keys(a.live))
	var gaps []gap
	for i := range a.regions {
		r := &a.regions[i]
		gaps, holds, at := gaps[:0], false, uint64(0) // behind the start
		for guessed := false; ; {
			next, done := r.size(), len(starts) == 0 || starts[0] > r.last
			if !done {
				next = starts[0] - r.start
			}
			if !done && starts[0] < r.start || next < at {
				return false
			}
			if n := next - at; n > 0 && !(guessed && r.keeps(n)) {
				gaps = append(gaps, gap{n, guessed && r.keeps(1)})
			}
			if done {
				break
			}
			b := a.live[starts[0]]
			if b.size > r.size()-next {
				return false
			}
			at, guessed, holds, starts = next+b.size, b.guessed, true, starts[1:]
		}
		visit(r, gaps, holds)
	}
	return len(starts) == 0
}

// keeps says whether the allocator leaves so much with a block rather than split it off.
func (r *region) keeps(n uint64) bool { return !r.small && !r.expandable && n <= smallest }

// room is what is free in some regions, in bytes.
type room struct {
	reserved, inactive known
	largest            int64
	split              int64 // segments that hold blocks and free memory: they cannot be given back
	slack              int64 // by how much inactive may be too high; largest by up to smallest of it
	stuck              known // what is free in these; not of those that can grow, which give back their free pages
}

func (m *room) add(r *region, gaps []gap, holds bool) {
	free := uint64(0)
	for _, g := range gaps {
		free += g.size
		if g.loose {
			m.slack += smallest
		}
		m.largest = max(m.largest, int64(g.size))
	}
	m.reserved.addBytes(r.size())
	m.inactive.addBytes(free)
	if holds && free > 0 && !r.expandable {
		m.split++
		m.stuck.addBytes(free)
	}
}
