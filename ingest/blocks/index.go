package blocks

import "math/bits"

// Index is a table of the numbers of things, from 0, by their hashes; the things lie elsewhere. It is a quarter empty at least. A thing
// stands in the line of what it is near to or, where that is full, at the place of its hash: things that are looked for one after
// the other are near to each other, so that most are found in memory that was just used.
type Index struct {
	slots []slot
	used  int
}

// slot holds a number plus one; 0 is empty.
type slot struct{ hash, at uint32 }

// line is how many slots a line of the processor's cache has.
const line = 8

// Find gives the number of the thing that fits; -1 if there is none.
func (x *Index) Find(near, hash uint32, fits func(uint32) bool) int {
	if len(x.slots) == 0 {
		return -1
	}
	mask := uint32(len(x.slots) - 1)
	first := near * line & mask
	for n, i := 0, first; ; n, i = n+1, i+1 {
		if n == line {
			i = hash
		}
		s := x.slots[i&mask]
		if s.at == 0 {
			return -1
		}
		if s.hash == hash && fits(s.at-1) {
			return int(s.at - 1)
		}
	}
}

// Add puts in the thing that comes next, which was not found. Of says of one where it belongs, when all must be moved.
func (x *Index) Add(near, hash uint32, of func(i uint32) (near, hash uint32)) {
	if 4*(x.used+1) > 3*len(x.slots) {
		x.slots = make([]slot, max(64, 2*len(x.slots)))
		for i := range uint32(x.used) {
			near, hash := of(i)
			x.put(near, slot{hash, i + 1})
		}
	}
	x.used++
	x.put(near, slot{hash, uint32(x.used)})
}

func (x *Index) put(near uint32, s slot) {
	mask := uint32(len(x.slots) - 1)
	first := near * line & mask
	for n, i := 0, first; ; n, i = n+1, i+1 {
		if n == line {
			i = s.hash
		}
		if x.slots[i&mask].at == 0 {
			x.slots[i&mask] = s
			return
		}
	}
}

// Mix is a hash of two words.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}
