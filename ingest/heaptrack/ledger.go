package heaptrack

import (
	"math"

	"github.com/memtide/memtide/ingest/blocks"
	"github.com/memtide/memtide/ingest/table"
)

// ledger counts what each stack has allocated and freed, and keeps the states at time stamps that become rows.
type ledger struct {
	infos      []info // nearly all lines look one up
	sites      blocks.List[site]
	ofFrame    []int32 // frame of the leaf to sites, -1 where there is none yet
	heap       int64   // live bytes of all
	events     int
	unread     int // events of a kind that could not be read
	unreadLine int // the last of them
	epoch      uint32
	dirty      []int32 // sites that changed since the last stamp
	journal
}

// info is a size at a trace, which events name by its number.
type info struct {
	size int64 // -1 for one that could not be read
	live int64
	site int32
}

// site is a stack that allocates.
type site struct {
	state
	class      table.Sym
	frame      int32
	epoch      uint32
	suppressed bool
	line       int
}

// state is what a stack has allocated so far.
type state struct{ liveBytes, liveCount, totalBytes, totalCount int64 }

// block is one allocation of a raw file that is not freed.
type block struct {
	size int64
	site int32
}

// info reads "a SIZE TRACE". One that cannot be read keeps its number.
func (r *reader) info(f *fields) bool {
	size, ok := f.hex()
	trace, ok2 := f.index()
	if !ok || !ok2 || size > math.MaxInt64 || trace >= r.stacks.traces.Len() {
		r.ledger.infos = append(r.ledger.infos, info{size: -1})
		return false
	}
	r.ledger.infos = append(r.ledger.infos, info{size: int64(size), site: r.site(trace)})
	return true
}

// site finds the row that a trace counts for: traces that differ in addresses alone are one stack.
func (r *reader) site(trace int) int32 {
	g, n := &r.ledger, r.stacks.traces.At(trace)
	if n.site >= 0 {
		return n.site
	}
	for int(n.frame) >= len(g.ofFrame) {
		g.ofFrame = append(g.ofFrame, -1)
	}
	if n.site = g.ofFrame[n.frame]; n.site < 0 {
		n.site = int32(g.sites.Add(site{class: r.stacks.class(n), frame: n.frame, epoch: g.epoch - 1, line: r.l.Line(), suppressed: n.suppressed}))
		g.ofFrame[n.frame] = n.site
	}
	return n.site
}

// event reads an allocation or a free: "+ INFO" and "- INFO", or "+ SIZE TRACE ADDRESS" and "- ADDRESS".
func (r *reader) event(op byte, f *fields) bool {
	if !r.indexed {
		return r.pointer(op, f)
	}
	i, ok := f.hex()
	if !ok || i >= uint64(len(r.ledger.infos)) {
		return false
	}
	x := &r.ledger.infos[i]
	if x.size < 0 {
		r.ledger.unread++
		r.ledger.unreadLine = r.l.Line()
	} else if !r.ledger.count(op, x) {
		r.unbalanced(op)
	}
	return true
}

// unbalanced tells of an event that cannot be counted.
func (r *reader) unbalanced(op byte) {
	if op == '-' {
		r.b.Problems.Count(r.l.Pos(1), "want a free of a block that is allocated, have one more than allocations of its kind")
		return
	}
	r.b.Problems.Count(r.l.Pos(1), "want bytes that add up to less than 2^63, have more: the allocation is not counted")
}

// count takes one event; false for what no program does.
func (g *ledger) count(op byte, x *info) bool {
	if op == '-' {
		if x.live == 0 {
			return false
		}
		x.live--
		g.free(x.site, x.size)
		return true
	}
	if !g.alloc(x.site, x.size) {
		return false
	}
	x.live++
	return true
}

func (g *ledger) alloc(i int32, size int64) bool {
	s := g.sites.At(int(i))
	if s.totalBytes+size < 0 || g.heap+size < 0 {
		return false
	}
	g.touch(i, s)
	s.liveBytes += size
	s.liveCount++
	s.totalBytes += size
	s.totalCount++
	g.heap += size
	return true
}

func (g *ledger) free(i int32, size int64) {
	s := g.sites.At(int(i))
	g.touch(i, s)
	s.liveBytes -= size
	s.liveCount--
	g.heap -= size
}

// touch notes that a site has changed since the last stamp.
func (g *ledger) touch(i int32, s *site) {
	g.events++
	if s.epoch != g.epoch {
		s.epoch = g.epoch
		g.dirty = append(g.dirty, i)
	}
}

// pointer reads an event that names its block by the address. Frees of blocks that are not known, from before the
// capture, have no row.
func (r *reader) pointer(op byte, f *fields) bool {
	if op == '-' {
		addr, ok := f.hex()
		if b, known := r.live[addr]; ok && known {
			delete(r.live, addr)
			r.ledger.free(b.site, b.size)
		}
		return ok
	}
	size, ok := f.hex()
	trace, ok2 := f.index()
	addr, ok3 := f.hex()
	if !ok || !ok2 || !ok3 || size > math.MaxInt64 || trace >= r.stacks.traces.Len() {
		return false
	}
	if b, known := r.live[addr]; known {
		r.b.Fact("lossy", "true")
		r.b.Problems.Count(r.l.Pos(f.pos+1), "want a block that is free, have the address of a live one: its free is missing")
		delete(r.live, addr)
		r.ledger.free(b.site, b.size)
	}
	at := r.site(trace)
	if !r.ledger.alloc(at, int64(size)) {
		r.unbalanced('+')
		return true
	}
	r.live[addr] = block{int64(size), at}
	return true
}

// rush takes allocations and frees straight from memory: nearly all lines are of that kind. It stops before the first
// line that is anything else.
func (r *reader) rush() {
	buf, infos := r.l.Ahead(), r.ledger.infos
	pos, lines := 0, 0
	for pos+3 < len(buf) {
		op := buf[pos]
		if op != '+' && op != '-' || buf[pos+1] != ' ' {
			break
		}
		i, v := pos+2, uint64(0)
		for i < len(buf) && digits[buf[i]] != 0xff {
			v = v<<4 | uint64(digits[buf[i]])
			i++
		}
		if i == pos+2 || i > pos+10 || i >= len(buf) || buf[i] != '\n' || v >= uint64(len(infos)) {
			break
		}
		if x := &infos[v]; x.size < 0 || !r.ledger.count(op, x) {
			break
		}
		pos, lines = i+1, lines+1
	}
	r.l.Skip(pos, lines)
}

// row gives a state of a site as a row.
func (r *reader) row(i int32, s state, at int64) {
	x := r.ledger.sites.At(int(i))
	r.b.Site(table.Site{Class: x.class, Stack: int64(x.frame), Line: x.line, At: at,
		LiveBytes: table.Known(s.liveBytes), LiveCount: table.Known(s.liveCount),
		TotalBytes: table.Known(s.totalBytes), TotalCount: table.Known(s.totalCount)})
}
