package arrowipc

import (
	"encoding/binary"
	"math"
)

// flat is the flatbuffer of a message. A place outside of it is read as 0 and marks it as bad, so that a damaged one is
// walked without a check at every step; who walks it asks at the end, and bounds his loops by the length.
type flat struct {
	b   []byte
	bad bool
}

// uint reads a little-endian number of 1, 2, 4 or 8 bytes.
func (f *flat) uint(at, width int) uint64 {
	if at < 0 || at > len(f.b)-width {
		f.bad = true
		return 0
	}
	return number(f.b[at:], width)
}

func number(b []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// follow goes where an offset points, which counts from its own place.
func (f *flat) follow(at int) int {
	if to := f.uint(at, 4); to > 0 && to < math.MaxInt32 {
		return at + int(to)
	}
	f.bad = true
	return -1
}

func (f *flat) root() object { return f.object(f.follow(0)) }

// object is a table of a flatbuffer: its values stand where its vtable says, and a value that is left out is not in it.
type object struct {
	*flat
	at, vtable, size int
}

func (f *flat) object(at int) object {
	vtable := at - int(int32(f.uint(at, 4)))
	return object{f, at, vtable, int(f.uint(vtable, 2))}
}

// place is where a value stands, 0 if it is left out.
func (o object) place(slot int) int {
	if 6+2*slot > o.size {
		return 0
	}
	if to := int(o.uint(o.vtable+4+2*slot, 2)); to > 0 {
		return o.at + to
	}
	return 0
}

// num reads a signed number.
func (o object) num(slot, width int, absent int64) int64 {
	at := o.place(slot)
	if at == 0 {
		return absent
	}
	shift := 64 - 8*width
	return int64(o.uint(at, width)<<shift) >> shift
}

func (o object) child(slot int) (object, bool) {
	at := o.place(slot)
	if at == 0 {
		return object{}, false
	}
	c := o.object(o.follow(at))
	return c, !o.bad
}

// list gives where the elements of a vector stand, each of so many bytes, and how many there are.
func (o object) list(slot, width int) (at, n int) {
	at = o.place(slot)
	if at == 0 {
		return 0, 0
	}
	at = o.follow(at)
	n = int(o.uint(at, 4))
	if at += 4; o.bad || n > (len(o.b)-at)/width {
		o.bad = true
		return 0, 0
	}
	return at, n
}

func (o object) text(slot int) []byte {
	at, n := o.list(slot, 1)
	return o.b[at : at+n]
}
