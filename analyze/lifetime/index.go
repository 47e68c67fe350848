package lifetime

import "math/bits"

// index finds objects by where they are. It is open-addressed, and objects lie in blocks that hold no pointer: a log of hundreds
// of millions of events costs no map and nothing to the garbage collector.
type index struct {
	slots  []slot
	used   int
	blocks [][]object
	next   int32   // of objects never given out
	spare  []int32 // objects that were forgotten
}

// slot is a place of the table. At is the number of an object plus one; 0 is empty.
type slot struct {
	hash uint32
	at   int32
}

// key is where an object is: an address of a space of a process.
type key struct {
	object uint64
	space  uint64 // number of the process, and of the space of addresses
}

const (
	blockBits = 12
	block     = 1 << blockBits
	leastSize = 1 << 10
)

func (k key) hash() uint32 {
	hi, lo := bits.Mul64(k.object^k.space*0x9e3779b97f4a7c15, 0xa0761d6478bd642f)
	return uint32((hi ^ lo) >> 16)
}

func (x *index) at(i int32) *object { return &x.blocks[i>>blockBits][i&(block-1)] }

// find gives the object at a place; nil if none is known.
func (x *index) find(k key) *object {
	if len(x.slots) == 0 {
		return nil
	}
	h := k.hash()
	mask := uint32(len(x.slots) - 1)
	for p := h & mask; ; p = (p + 1) & mask {
		s := x.slots[p]
		if s.at == 0 {
			return nil
		}
		if s.hash == h {
			if o := x.at(s.at - 1); o.key == k {
				return o
			}
		}
	}
}

// add gives a new object at a place where none is.
func (x *index) add(k key) *object {
	if 4*(x.used+1) > 3*len(x.slots) {
		x.grow()
	}
	i := x.place()
	o := x.at(i)
	*o = object{key: k, number: i}
	x.put(slot{k.hash(), i + 1})
	x.used++
	return o
}

// place is the number of an object that is free.
func (x *index) place() int32 {
	if n := len(x.spare); n > 0 {
		i := x.spare[n-1]
		x.spare = x.spare[:n-1]
		return i
	}
	if int(x.next) == len(x.blocks)<<blockBits {
		x.blocks = append(x.blocks, make([]object, block))
	}
	x.next++
	return x.next - 1
}

func (x *index) put(s slot) {
	mask := uint32(len(x.slots) - 1)
	p := s.hash & mask
	for x.slots[p].at != 0 {
		p = (p + 1) & mask
	}
	x.slots[p] = s
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]slot, max(leastSize, 2*len(old)))
	for _, s := range old {
		if s.at != 0 {
			x.put(s)
		}
	}
}

// forget takes an object out; those behind it move up, so that nothing is left of it.
func (x *index) forget(o *object) {
	mask := uint32(len(x.slots) - 1)
	p := o.key.hash() & mask
	for x.slots[p].at != o.number+1 {
		p = (p + 1) & mask
	}
	for q := (p + 1) & mask; x.slots[q].at != 0; q = (q + 1) & mask {
		if home := x.slots[q].hash & mask; (q-home)&mask >= (q-p)&mask {
			x.slots[p], p = x.slots[q], q
		}
	}
	x.slots[p] = slot{}
	x.used--
	x.spare = append(x.spare, o.number)
	o.number = -1
}

// each visits all objects, in the order in which their places were first taken.
func (x *index) each(visit func(*object)) {
	for i := range x.next {
		if o := x.at(i); o.number >= 0 {
			visit(o)
		}
	}
}
