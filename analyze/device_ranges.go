package analyze

import (
	"cmp"
	"slices"
)

// lifeRef names a life by its log and its place in it.
type lifeRef struct{ log, life int }

// addressRange is the bytes of one life, from the first to the last.
type addressRange struct {
	lo, hi uint64
	of     lifeRef
	most   uint64 // greatest last byte of the half of the list that it is the middle of
}

// addressRanges finds those that overlap a range: a list by first byte that is searched as a balanced tree.
type addressRanges []addressRange

func newRanges(all []addressRange) addressRanges {
	slices.SortFunc(all, func(a, b addressRange) int {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.of.log, b.of.log), cmp.Compare(a.of.life, b.of.life))
	})
	out := addressRanges(all)
	out.fill()
	return out
}

func (r addressRanges) fill() uint64 {
	if len(r) == 0 {
		return 0
	}
	mid := len(r) / 2
	r[mid].most = max(r[mid].hi, r[:mid].fill(), r[mid+1:].fill())
	return r[mid].most
}

// mostHits bounds the ranges that are looked at for one address: more of them at one place say nothing.
const mostHits = 64

// overlapping appends the ranges that share a byte with one, at most one more than mostHits.
func (r addressRanges) overlapping(lo, hi uint64, to []addressRange) []addressRange {
	if len(r) == 0 || r[len(r)/2].most < lo || len(to) > mostHits {
		return to
	}
	mid := len(r) / 2
	to = r[:mid].overlapping(lo, hi, to)
	if r[mid].lo > hi || len(to) > mostHits {
		return to
	}
	if r[mid].hi >= lo {
		to = append(to, r[mid])
	}
	return r[mid+1:].overlapping(lo, hi, to)
}
