package stat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// EDivisive finds the places at which the distribution of a series changes, by the energy statistic (Matteson and James
// 2014, exponent 1): the best split of the whole, then of the parts, for as long as a permutation test finds the best
// split of a part better than chance. The test takes values for exchangeable: where neighbours are alike it finds too many, and
// what it finds has to be confirmed with that in mind (see Noise).
type EDivisive struct {
	MinSegment int     // fewest values between two changes
	Repeats    int     // of the permutation test; 999 is usual
	Alpha      float64 // a split counts if its p value is at most this
	Seed       uint64  // of the PCG generator that permutes
}

// Split is a place at which a series changes.
type Split struct {
	Index int     // first value after the change
	Q     float64 // energy statistic of the two parts
	P     float64 // of the permutation test
}

// Energy is the statistic of a split into x and y: mn/(m+n) times twice the mean distance between the parts less the mean
// distances within them. A part of one value has no distance within. An empty part gives 0.
func Energy(x, y []float64) float64 {
	m, n := float64(len(x)), float64(len(y))
	if m == 0 || n == 0 {
		return 0
	}
	between := 0.0
	for _, a := range x {
		for _, b := range y {
			between += math.Abs(a - b)
		}
	}
	return energy(m, n, between, distances(x), distances(y))
}

func energy(m, n, between, inX, inY float64) float64 {
	pairs := func(k float64) float64 { return max(k*(k-1)/2, 1) }
	return m * n / (m + n) * (2*between/(m*n) - inX/pairs(m) - inY/pairs(n))
}

func distances(x []float64) float64 {
	sum := 0.0
	for i, a := range x {
		for _, b := range x[:i] {
			sum += math.Abs(a - b)
		}
	}
	return sum
}

// Changes are the splits that are better than chance, in order. It takes O(n²) for each permutation.
func (d EDivisive) Changes(y []float64) []Split {
	d.MinSegment = max(d.MinSegment, 1)
	rng := rand.New(rand.NewPCG(d.Seed, uint64(len(y))))
	var out []Split
	var divide func(from, to int)
	divide = func(from, to int) {
		if s, ok := d.find(y, from, to, rng); ok {
			out = append(out, s)
			divide(from, s.Index)
			divide(s.Index, to)
		}
	}
	divide(0, len(y))
	slices.SortFunc(out, func(a, b Split) int { return cmp.Compare(a.Index, b.Index) })
	return out
}

// find is the best split of a part if it is better than chance. A rise that is followed by a fall makes no good split of the
// whole; so where there is none, the first and the last two thirds are looked at by themselves, at a quarter of the level each.
func (d EDivisive) find(y []float64, from, to int, rng *rand.Rand) (Split, bool) {
	s, ok := d.tested(y, from, to, d.Alpha, rng)
	third := (to - from) / 3
	if ok || third < d.MinSegment {
		return s, ok
	}
	a, okA := d.tested(y, from, to-third, d.Alpha/4, rng)
	b, okB := d.tested(y, from+third, to, d.Alpha/4, rng)
	if okA && (!okB || a.Q >= b.Q) {
		return a, true
	}
	return b, okB
}

func (d EDivisive) tested(y []float64, from, to int, alpha float64, rng *rand.Rand) (Split, bool) {
	s, ok := d.best(y[from:to])
	if ok {
		s.P = d.chance(y[from:to], s.Q, rng)
	}
	s.Index += from
	return s, ok && s.P <= alpha
}

// best is the split with the greatest statistic; of equal ones the first.
func (d EDivisive) best(y []float64) (Split, bool) {
	n := len(y)
	if n < 2*d.MinSegment {
		return Split{}, false
	}
	inX, inY, between := 0.0, distances(y), 0.0
	out := Split{Q: math.Inf(-1)}
	for i, v := range y[:n-d.MinSegment] { // v goes from the right part to the left one
		left, right := 0.0, 0.0
		for _, a := range y[:i] {
			left += math.Abs(v - a)
		}
		for _, b := range y[i+1:] {
			right += math.Abs(v - b)
		}
		inX, inY, between = inX+left, inY-right, between-left+right
		if k := i + 1; k >= d.MinSegment {
			if q := energy(float64(k), float64(n-k), between, inX, inY); q > out.Q+1e-12*math.Abs(q) {
				out.Index, out.Q = k, q
			}
		}
	}
	return out, true
}

// chance is how often the best split of a permutation is at least as good. It stops when that is settled to be above Alpha.
func (d EDivisive) chance(y []float64, q float64, rng *rand.Rand) float64 {
	repeats := max(d.Repeats, 1)
	enough := int(10*d.Alpha*float64(repeats)) + 10
	p, hits := slices.Clone(y), 0
	for i := range repeats {
		rng.Shuffle(len(p), func(a, b int) { p[a], p[b] = p[b], p[a] })
		if s, _ := d.best(p); s.Q >= q*(1-1e-9) {
			hits++
		}
		if hits >= enough {
			return float64(hits+1) / float64(i+2)
		}
	}
	return float64(hits+1) / float64(repeats+1)
}
