package table

import "math/bits"

// probes is a table of the numbers of things, from 0, by their hashes; the things lie elsewhere. It is a quarter empty at least. A thing
// stands in the line of what it is near to or, where that is full, at the place of its hash: things that are looked for one after
// the other are near to each other, so that most are found in memory that was just used.
type probes struct {
	slots []probe
	used  int
}

// probe holds a number plus one; 0 is empty.
type probe struct{ hash, at uint32 }

// line is how many slots a line of the processor's cache has.
const line = 8

// find gives the number of the thing that fits; -1 if there is none.
func (p *probes) find(near, hash uint32, fits func(uint32) bool) int {
	if len(p.slots) == 0 {
		return -1
	}
	mask := uint32(len(p.slots) - 1)
	first := near * line & mask
	for n, i := 0, first; ; n, i = n+1, i+1 {
		if n == line {
			i = hash
		}
		s := p.slots[i&mask]
		if s.at == 0 {
			return -1
		}
		if s.hash == hash && fits(s.at-1) {
			return int(s.at - 1)
		}
	}
}

// add puts in the thing that comes next, which was not found. Of says of one where it belongs, when all must be moved.
func (p *probes) add(near, hash uint32, of func(i uint32) (near, hash uint32)) {
	if 4*(p.used+1) > 3*len(p.slots) {
		p.slots = make([]probe, max(64, 2*len(p.slots)))
		for i := range uint32(p.used) {
			near, hash := of(i)
			p.put(near, probe{hash, i + 1})
		}
	}
	p.used++
	p.put(near, probe{hash, uint32(p.used)})
}

func (p *probes) put(near uint32, s probe) {
	mask := uint32(len(p.slots) - 1)
	first := near * line & mask
	for n, i := 0, first; ; n, i = n+1, i+1 {
		if n == line {
			i = s.hash
		}
		if p.slots[i&mask].at == 0 {
			p.slots[i&mask] = s
			return
		}
	}
}

// mix is a hash of two words.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}
