package torch

import "github.com/memtide/memtide/ingest/table"

// listed writes the segments and the blocks in use that the snapshot lists and whose making its trace does not show: it was lost
// from the ring, or nothing was recorded. Their addresses are what other captures know them by.
func (s *snapshot) listed() {
	r := s.rangeOf(s.root[wSegments], sSegment)
	for _, g := range s.segments[r.first : r.first+r.n] {
		if !g.hasAddress {
			continue
		}
		d := &s.devices[s.byNumber[g.device]]
		if !d.seen[place{g.address, true}] {
			s.live(d, s.words.segment, g.address, table.Int{V: g.total, OK: g.hasTotal}, g.stack, g.line)
		}
		s.listedBlocks(d, &g)
	}
}

// listedBlocks goes through the blocks of a segment, which lie one behind the other from its begin.
func (s *snapshot) listedBlocks(d *device, g *segment) {
	addr := g.address
	for i := range s.blocks[g.blocks.first : g.blocks.first+g.blocks.n] {
		b := &s.blocks[int(g.blocks.first)+i]
		if b.address != 0 && b.address != addr {
			return // told where the arena is laid: its addresses are not known
		}
		if b.active && !d.seen[place{addr, false}] {
			s.live(d, s.words.memory, addr, table.Int{V: b.size, OK: b.known}, b.stack, b.line)
		}
		if b.room < 0 || addr+uint64(b.room) < addr {
			return
		}
		addr += uint64(b.room)
	}
}

func (s *snapshot) live(d *device, class table.Sym, addr uint64, size table.Int, stack int32, line int64) {
	s.b.Event(&table.Event{At: s.end, Seq: int64(d.trace.n) + d.listed, Op: s.words.live, Class: class, Object: addr, HasObject: true,
		Size: size, Device: d.index, Stack: s.leaf(stack, line), Line: int(line)})
	d.listed++
}
