package profile

import (
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// frames numbers the frames of a file, each once, and has stacks as such numbers: root first, one behind the other.
type frames[F comparable] struct {
	of      func(*table.Call) F
	list    []F
	numbers map[F]uint32
	flat    []uint32
}

// stack is a part of the flat list.
type stack struct{ from, to int }

func newFrames[F comparable](of func(*table.Call) F) *frames[F] {
	return &frames[F]{of: of, list: []F{}, numbers: map[F]uint32{}}
}

func (f *frames[F]) add(c *table.Call) {
	x := f.of(c)
	n, ok := f.numbers[x]
	if !ok {
		n = uint32(len(f.list))
		f.numbers[x] = n
		f.list = append(f.list, x)
	}
	f.flat = append(f.flat, n)
}

// stack adds that of a sample, below the roots that tell it from others.
func (f *frames[F]) stack(p *Profile, by parts, s *Sample) stack {
	from := len(f.flat)
	for _, root := range by.roots(s) {
		f.add(&table.Call{Function: root})
	}
	roots := len(f.flat)
	for c := range p.calls(s) {
		f.add(c)
	}
	if len(f.flat) == roots {
		f.add(&table.Call{Function: "[no stack]"})
	}
	slices.Reverse(f.flat[roots:])
	return stack{from, len(f.flat)}
}

func (f *frames[F]) at(s stack) []uint32 { return f.flat[s.from:s.to] }
