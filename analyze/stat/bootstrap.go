package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// EffectiveN is the number of independent samples that n samples of lag-1 autocorrelation rho are worth:
// n(1-rho)/(1+rho), no more than n and no less than 1.
func EffectiveN(n int, rho float64) float64 {
	rho = min(max(rho, 0), 1)
	return max(float64(n)*(1-rho)/(1+rho), math.Min(1, float64(n)))
}

// BlockLength is the length of the blocks of a moving-block bootstrap of n samples of lag-1 autocorrelation rho:
// ⌈(2rho/(1-rho²))^(2/3)·n^(1/3)⌉ (Carlstein 1986), between 1 and n.
func BlockLength(n int, rho float64) int {
	if n < 1 || rho <= 0 {
		return 1
	}
	if rho >= 1 {
		return n
	}
	b := math.Ceil(math.Pow(2*rho/(1-rho*rho), 2.0/3) * math.Cbrt(float64(n)))
	return int(min(b, float64(n)))
}

// Bootstrap says how to resample.
type Bootstrap struct {
	Repeats int     // how often; 2,000 is usual
	Seed    uint64  // of the PCG generator: the same seed gives the same interval
	Level   float64 // confidence, as 0.95
}

// MedianShift is the interval of median(b) - median(a) when each is one autocorrelated series: moving blocks
// (Kuensch 1989) of the BlockLength of each side, percentile interval. It speaks for the scatter within the two series
// and for nothing else. An empty side gives NaN.
func (c Bootstrap) MedianShift(a, b []float64) (lo, hi float64) {
	if len(a) == 0 || len(b) == 0 || c.Repeats < 1 {
		return math.NaN(), math.NaN()
	}
	r := rand.New(rand.NewPCG(c.Seed, 0))
	ra, rb := newResampler(a), newResampler(b)
	d := make([]float64, c.Repeats)
	for i := range d {
		d[i] = rb.median(r) - ra.median(r)
	}
	slices.Sort(d)
	return sortedQuantile(d, (1-c.Level)/2), sortedQuantile(d, (1+c.Level)/2)
}

// resampler draws from a series by blocks. It keeps the rank of each sample, so that a resample's median is a count
// over the ranks and not a sort.
type resampler struct {
	sorted []float64
	rank   []int
	count  []int
	block  int
}

func newResampler(x []float64) *resampler {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(x[i], x[j]) })
	s := &resampler{sorted: make([]float64, n), rank: make([]int, n), count: make([]int, n), block: 1}
	for k, i := range order {
		s.sorted[k], s.rank[i] = x[i], k
	}
	if n > 2 {
		s.block = BlockLength(n, Autocorrelation(x)[1])
	}
	return s
}

func (s *resampler) median(r *rand.Rand) float64 {
	clear(s.count)
	n := len(s.rank)
	for drawn := 0; drawn < n; {
		start := r.IntN(n - s.block + 1)
		for k := 0; k < s.block && drawn < n; k++ {
			s.count[s.rank[start+k]]++
			drawn++
		}
	}
	return (s.at((n-1)/2) + s.at(n/2)) / 2
}

// at is the order statistic k, counted from 0, of the resample.
func (s *resampler) at(k int) float64 {
	for i, c := range s.count {
		if k -= c; k < 0 {
			return s.sorted[i]
		}
	}
	return s.sorted[len(s.sorted)-1]
}
