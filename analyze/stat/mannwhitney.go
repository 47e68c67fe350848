package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactRuns is the largest side for which the distribution of U is counted out.
const exactRuns = 25

// Shift compares two independent samples by ranks.
type Shift struct {
	U      float64 // pairs in which b is the greater, ties half
	CLES   float64 // U/(mn): the chance that a random b exceeds a random a
	P      float64 // two-sided
	Exact  bool    // p and interval from the exact distribution of U
	HL     float64 // Hodges-Lehmann: median of all differences b - a
	Lo, Hi float64 // interval of the shift at Level
	Level  float64 // confidence reached; the one asked for, unless small exact samples force another
}

// MannWhitney tests whether b is shifted against a (Mann and Whitney 1947) and estimates by how much (Hodges and Lehmann
// 1963). Without ties and with at most 25 values a side, p is exact and the interval runs from the K-th to the
// (mn+1-K)-th difference, K the greatest with P(U < K) <= (1-level)/2; if even K = 1 is too much to ask (3 against 3 at
// 95 %), the interval is the whole range and Level says what it is worth. Otherwise the normal approximation with tie and continuity correction
// serves for both. An empty side gives NaN.
func MannWhitney(a, b []float64, level float64) Shift {
	m, n := len(a), len(b)
	if m == 0 || n == 0 {
		nan := math.NaN()
		return Shift{U: nan, CLES: nan, P: nan, HL: nan, Lo: nan, Hi: nan}
	}
	r, ties := ranks(slices.Concat(a, b))
	u := -float64(n) * float64(n+1) / 2
	for _, v := range r[m:] {
		u += v
	}
	d := differences(a, b)
	s := Shift{U: u, CLES: u / float64(m*n), HL: sortedQuantile(d, 0.5), Level: level}
	var k int
	if s.Exact = len(ties) == 0 && m <= exactRuns && n <= exactRuns; s.Exact {
		k = s.exact(m, n, level)
	} else {
		k = s.approximate(m, n, ties, level)
	}
	s.Lo, s.Hi = d[k-1], d[len(d)-k]
	return s
}

// exact sets P and Level and returns K.
func (s *Shift) exact(m, n int, level float64) int {
	dist := mannWhitneyCounts(m, n)
	tail := func(u float64) float64 { // P(U >= u)
		sum := 0.0
		for i, c := range dist {
			if float64(i) >= u {
				sum += c
			}
		}
		return sum
	}
	s.P = math.Min(1, 2*tail(max(s.U, float64(m*n)-s.U)))
	k, below := 0, 0.0
	for k < m*n/2 && below+dist[k] <= (1-level)/2+1e-12 {
		below += dist[k]
		k++
	}
	if k == 0 {
		k, below = 1, dist[0]
	}
	s.Level = 1 - 2*below
	return k
}

// approximate sets P and returns K by the normal approximation.
func (s *Shift) approximate(m, n int, ties []int, level float64) int {
	mn, all, t := float64(m)*float64(n), float64(m+n), 0.0
	for _, c := range ties {
		t += float64(c) * float64(c) * float64(c)
		t -= float64(c)
	}
	v := mn / 12 * (all + 1)
	if all > 1 {
		v -= mn / 12 * t / (all * (all - 1))
	}
	if s.P = 1; v > 0 {
		z := (math.Abs(s.U-mn/2) - 0.5) / math.Sqrt(v)
		s.P = math.Min(1, 2*normalTail(z))
	}
	z := distuv.UnitNormal.Quantile(0.5 + level/2)
	k := int(math.Floor(mn/2 - z*math.Sqrt(max(v, 0))))
	return min(max(k, 1), (m*n+1)/2)
}

// mannWhitneyCounts is the distribution of U for m and n different values: the Gaussian binomial coefficient,
// multiplied up by (1-x^(n+i)) and divided by (1-x^i) for i = 1 … m.
func mannWhitneyCounts(m, n int) []float64 {
	p := make([]float64, m*n+1)
	p[0] = 1
	for i := 1; i <= m; i++ {
		for j := len(p) - 1; j >= n+i; j-- {
			p[j] -= p[j-n-i]
		}
		for j := i; j < len(p); j++ {
			p[j] += p[j-i]
		}
	}
	all := 0.0
	for _, c := range p {
		all += c
	}
	for i := range p {
		p[i] /= all
	}
	return p
}

func differences(a, b []float64) []float64 {
	d := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			d = append(d, y-x)
		}
	}
	slices.Sort(d)
	return d
}
