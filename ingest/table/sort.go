package table

import (
	"cmp"
	"slices"
)

// ref is a row of a set.
type ref struct {
	batch, row int32
}

// sort puts the rows of every table but frames in order of time, file name and line. Captures are written in that
// order, so in nearly all runs only whole batches move.
func (s *Set) sort() {
	for t := ID(0); t < NumTables; t++ {
		if t == Frames || len(s.tables[t]) == 0 {
			continue
		}
		slices.SortStableFunc(s.tables[t], func(a, b *Batch) int { return s.compare(t, a, 0, b, 0) })
		if !s.ordered(t) {
			s.gather(t)
		}
	}
}

// compare orders row i of a against row j of b.
func (s *Set) compare(t ID, a *Batch, i int, b *Batch, j int) int {
	file := len(Schemas[t].Columns) - 2
	if c := cmp.Compare(a.cols[0].ints[i], b.cols[0].ints[j]); c != 0 {
		return c
	}
	if x, y := a.cols[file].syms[i], b.cols[file].syms[j]; x != y {
		if c := cmp.Compare(s.strings[x], s.strings[y]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.cols[file+1].ints[i], b.cols[file+1].ints[j])
}

func (s *Set) ordered(t ID) bool {
	var before *Batch
	for _, b := range s.tables[t] {
		for i := 0; i < b.n; i++ {
			if i > 0 && s.compare(t, b, i-1, b, i) > 0 {
				return false
			}
		}
		if before != nil && s.compare(t, before, before.n-1, b, 0) > 0 {
			return false
		}
		before = b
	}
	return true
}

func (s *Set) gather(t ID) {
	old := s.tables[t]
	refs := make([]ref, 0, s.Len(t))
	for k, b := range old {
		for i := 0; i < b.n; i++ {
			refs = append(refs, ref{int32(k), int32(i)})
		}
	}
	slices.SortStableFunc(refs, func(x, y ref) int {
		return s.compare(t, old[x.batch], int(x.row), old[y.batch], int(y.row))
	})
	s.tables[t] = nil
	for len(refs) > 0 {
		n := min(len(refs), batchRows)
		s.tables[t] = append(s.tables[t], gathered(t, old, refs[:n]))
		refs = refs[n:]
	}
}

func gathered(t ID, from []*Batch, refs []ref) *Batch {
	b := newBatch(Schemas[t])
	var rows []int
	for i, r := range refs {
		rows = append(rows, int(r.row))
		if i+1 == len(refs) || refs[i+1].batch != r.batch {
			b.gather(from[r.batch], rows)
			rows = rows[:0]
		}
	}
	return b
}
