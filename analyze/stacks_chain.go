package analyze

import (
	"cmp"

	"github.com/memtide/memtide/ingest/blocks"
	"github.com/memtide/memtide/ingest/table"
)

// pileChain is one call chain of a pile.
type pileChain struct {
	group  int32 // of the pile
	hash   uint64
	frames chainFrames
	run    pileSum // of the run that is being added
	sides  [2]pileSum
	count  int // chains, of a rest
}

// chainFrames are the frames of a chain, leaf first, as numbers of a pile: a list, or those of a stack in the tables of a run. Stacks
// are walked anew each time they are asked for, since the trie has them once where chains would have each many times.
type chainFrames struct {
	list  []uint32
	of    *numbering
	stack int64
}

// numbering has the numbers that frames of a run have in a pile.
type numbering struct {
	set  *table.Set
	pile *pile
	of   []uint32 // by id of frame; numbers are shifted by one bit, and 1 where the frame goes into an equal one before it
}

// Numbers of frames that stand for none.
const (
	notNumbered = iota // yet
	noFrame            // an address that is none
	firstNumber
)

// number is what of has, filled in when it is asked for.
func (x *numbering) number(id int64) uint32 {
	if x.of[id] == notNumbered {
		c, ok := x.set.Call(id)
		if x.of[id] = noFrame; ok && !c.Garbage() {
			f := frameOf(&c)
			x.of[id] = (x.pile.number(f)+firstNumber)<<1 | uint32(b2i(c.Function == "" && f.Module != ""))
		}
	}
	return x.of[id]
}

// chainWalk goes through the frames of a chain.
type chainWalk struct {
	chainFrames
	n    int
	last int64 // -1 before the first
}

func (c *chainFrames) walk() chainWalk { return chainWalk{*c, 0, -1} }

// next is the number of the next frame; -1 behind the last. Calls in a row that are known by their module alone are one.
func (w *chainWalk) next() int64 {
	if w.of == nil {
		if w.n == len(w.list) {
			return -1
		}
		w.n++
		return int64(w.list[w.n-1])
	}
	for ; w.stack > 0 && w.n < table.MaxStack; w.n++ {
		x := w.of.number(w.stack)
		w.stack = w.of.set.Caller(w.stack)
		f := int64(x>>1) - firstNumber
		if x == noFrame || x&1 != 0 && f == w.last {
			continue
		}
		w.n++
		w.last = f
		return f
	}
	return -1
}

// appendTo appends all numbers.
func (c *chainFrames) appendTo(out []uint32) []uint32 {
	w := c.walk()
	for f := w.next(); f >= 0; f = w.next() {
		out = append(out, uint32(f))
	}
	return out
}

// is says whether the chain has these frames.
func (c *chainFrames) is(frames []uint32) bool {
	w := c.walk()
	for _, f := range frames {
		if w.next() != int64(f) {
			return false
		}
	}
	return w.next() < 0
}

// number numbers a frame.
func (p *pile) number(f StackFrame) uint32 {
	n, ok := p.frames[f]
	if !ok {
		n = uint32(len(p.list))
		p.frames[f] = n
		p.list = append(p.list, f)
	}
	return n
}

// numbersOf begins the numbers of a run.
func (p *pile) numbersOf(s *table.Set) *numbering {
	return &numbering{s, p, make([]uint32, s.Len(table.Frames)+1)}
}

// numbers are those of a list of frames.
func (p *pile) numbers(frames []StackFrame) (out []uint32) {
	for _, f := range frames {
		out = append(out, p.number(f))
	}
	return out
}

// chain is the index of the chain of a group that has these frames; it is added where there is none.
func (p *pile) chain(g pileGroup, frames chainFrames) int {
	group, ok := p.groupOf[g]
	if !ok {
		group = int32(len(p.groups))
		p.groupOf[g] = group
		p.groups = append(p.groups, g)
	}
	p.scratch = frames.appendTo(p.scratch[:0])
	h := uint64(group)
	for _, f := range p.scratch {
		h = blocks.Mix(h, uint64(f))
	}
	at := p.index.Find(uint32(h), uint32(h>>32), func(i uint32) bool {
		c := p.chains.At(int(i))
		return c.hash == h && c.group == group && c.frames.is(p.scratch)
	})
	if at < 0 {
		at = p.chains.Add(pileChain{group: group, hash: h, frames: frames})
		p.index.Add(uint32(h), uint32(h>>32), func(i uint32) (near, hash uint32) {
			h := p.chains.At(int(i)).hash
			return uint32(h), uint32(h >> 32)
		})
	}
	return at
}

// order compares the texts of two chains, leaf first.
func (p *pile) order(x, y *pileChain) int {
	v, w := x.frames.walk(), y.frames.walk()
	for {
		a, b := v.next(), w.next()
		switch {
		case a < 0 || b < 0:
			return cmp.Compare(min(a, 0), min(b, 0)) // the shorter first
		case a == b:
			continue
		}
		f, g := &p.list[a], &p.list[b]
		if c := cmp.Or(cmp.Compare(f.Function, g.Function), cmp.Compare(f.Module, g.Module), cmp.Compare(f.File, g.File)); c != 0 {
			return c
		}
	}
}

// stackOf are the frames of a chain.
func (p *pile) stackOf(c *pileChain) []StackFrame {
	numbers := c.frames.appendTo(nil)
	out := make([]StackFrame, len(numbers))
	for i, f := range numbers {
		out[i] = p.list[f]
	}
	return out
}
