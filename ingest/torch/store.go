package torch

const storeBits = 14 // of the number of events in a chunk

// store holds events in chunks, so that growing it copies nothing, and what was written can be given back.
type store struct {
	chunks [][]event
	n      int
}

func (s *store) add(e event) {
	if s.n&(1<<storeBits-1) == 0 {
		s.chunks = append(s.chunks, make([]event, 0, min(1<<storeBits, s.n))) // the first one grows: most captures are small
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, e)
	s.n++
}

func (s *store) get(i int) *event { return &s.chunks[i>>storeBits][i&(1<<storeBits-1)] }

// release gives back the memory of a chunk once all events up to number i were used.
func (s *store) release(i int) {
	if i&(1<<storeBits-1) == 1<<storeBits-1 {
		s.chunks[i>>storeBits] = nil
	}
}
