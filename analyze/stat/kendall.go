package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat/distuv"
)

// ExactKendall is the longest series whose p value comes from the exact distribution of S when it has no ties.
const ExactKendall = 10

// Trend is the outcome of a Mann-Kendall test for a monotonic trend.
type Trend struct {
	N     int
	S     float64 // pairs that rise minus pairs that fall, in the order of time
	Var   float64 // variance of S under no trend, with ties (and autocorrelation, for HamedRao) allowed for
	Z     float64 // S in standard deviations, with continuity correction
	F     float64 // the factor autocorrelation puts on the variance: 1 for MannKendall, at least 1 for HamedRao
	PUp   float64 // one-sided p value against a rise
	P     float64 // two-sided
	Exact bool    // p from the exact distribution (at most ExactKendall values, no ties)
}

// MannKendall tests values that stand in the order of time for a monotonic trend (Mann 1945, Kendall 1975). S is
// counted in O(n log n) by merge sort (Knight 1966). Fewer than two values, or all equal ones, have S = 0 and p = 1.
func MannKendall(y []float64) Trend { return trend(y, 1) }

// HamedRao is MannKendall with the variance corrected for autocorrelation (Hamed and Rao 1998): the lags 1 … n-1 of
// the ranks of the detrended series whose autocorrelation exceeds 1.96/√n. slope is the Theil-Sen slope of y on t.
// The sum over the lags enters by its absolute value, so the correction only ever makes the test more careful.
// Autocorrelations are summed directly for short series and by Fourier transform for long ones: O(n log n).
func HamedRao(t, y []float64, slope float64) Trend {
	n := len(y)
	if n < 3 {
		return trend(y, 1)
	}
	r, _ := ranks(detrended(t, y, slope))
	rho, limit, sum := Autocorrelation(r), 1.96/math.Sqrt(float64(n)), 0.0
	for k := 1; k < n; k++ {
		if math.Abs(rho[k]) > limit {
			m := float64(n - k)
			sum += m * (m - 1) * (m - 2) * rho[k]
		}
	}
	m := float64(n)
	return trend(y, 1+2/(m*(m-1)*(m-2))*math.Abs(sum))
}

// detrended is y - slope·t; all zero for an exact line, whose residuals are rounding and would have the ranks of the last
// bits.
func detrended(t, y []float64, slope float64) []float64 {
	d, size := make([]float64, len(y)), 0.0
	for i := range d {
		d[i] = y[i] - slope*t[i]
		size = max(size, math.Abs(y[i]), math.Abs(slope*t[i]))
	}
	if slices.Max(d)-slices.Min(d) <= size*1e-13*float64(len(d)) {
		clear(d)
	}
	return d
}

func trend(y []float64, f float64) Trend {
	n := len(y)
	t := Trend{N: n, F: f, PUp: 1, P: 1}
	if n < 2 {
		return t
	}
	ties := tieGroups(y)
	t.S = kendallS(y, ties)
	t.Var = kendallVar(n, ties) * f
	switch {
	case t.Var <= 0: // all values are equal
		return t
	case t.S > 0:
		t.Z = (t.S - 1) / math.Sqrt(t.Var)
	case t.S < 0:
		t.Z = (t.S + 1) / math.Sqrt(t.Var)
	}
	t.PUp, t.P = normalTail(t.Z), math.Min(1, 2*normalTail(math.Abs(t.Z)))
	if n <= ExactKendall && len(ties) == 0 {
		t.Exact = true
		t.PUp = kendallTail(n, t.S)
		t.P = math.Min(1, 2*kendallTail(n, math.Abs(t.S)))
	}
	return t
}

func normalTail(z float64) float64 { return distuv.UnitNormal.Survival(z) }

// tieGroups lists the sizes of the groups of equal values.
func tieGroups(y []float64) []int {
	s := slices.Clone(y)
	slices.Sort(s)
	var groups []int
	for i := 0; i < len(s); {
		j := i + 1
		for j < len(s) && s[j] == s[i] {
			j++
		}
		if j-i > 1 {
			groups = append(groups, j-i)
		}
		i = j
	}
	return groups
}

// kendallS is all pairs less the tied ones less twice the inverted ones.
func kendallS(y []float64, ties []int) float64 {
	n := float64(len(y))
	s := n * (n - 1) / 2
	for _, c := range ties {
		s -= float64(c) * float64(c-1) / 2
	}
	return s - 2*float64(inversions(slices.Clone(y), make([]float64, len(y))))
}

// inversions counts the pairs i < j with a[i] > a[j] and sorts a.
func inversions(a, tmp []float64) int64 {
	if len(a) < 2 {
		return 0
	}
	if len(a) <= 24 {
		return insertionInversions(a)
	}
	m := len(a) / 2
	c := inversions(a[:m], tmp[:m]) + inversions(a[m:], tmp[m:])
	copy(tmp, a)
	i, j := 0, m
	for k := range a {
		if j >= len(a) || (i < m && tmp[i] <= tmp[j]) {
			a[k] = tmp[i]
			i++
			continue
		}
		a[k] = tmp[j]
		j++
		c += int64(m - i)
	}
	return c
}

func insertionInversions(a []float64) (c int64) {
	for i := 1; i < len(a); i++ {
		v, j := a[i], i
		for ; j > 0 && a[j-1] > v; j-- {
			a[j] = a[j-1]
		}
		a[j] = v
		c += int64(i - j)
	}
	return c
}

func kendallVar(n int, ties []int) float64 {
	term := func(c float64) float64 { return c * (c - 1) * (2*c + 5) }
	v := term(float64(n))
	for _, c := range ties {
		v -= term(float64(c))
	}
	return v / 18
}

// kendallTail is P(S >= s) over all orders of n different values: the number of permutations by inversions grows
// by one factor (1 + x + … + x^k) for each value added.
func kendallTail(n int, s float64) float64 {
	count := []float64{1}
	for k := 1; k < n; k++ {
		next := make([]float64, len(count)+k)
		for i, c := range count {
			for j := 0; j <= k; j++ {
				next[i+j] += c
			}
		}
		count = next
	}
	pairs, tail, all := float64(n*(n-1)/2), 0.0, 0.0
	for inv, c := range count {
		all += c
		if pairs-2*float64(inv) >= s {
			tail += c
		}
	}
	return tail / all
}

// Autocorrelation of x about its mean at the lags 0 … n-1, each sum divided by that of lag 0; 0 from lag 1 on for a
// constant.
func Autocorrelation(x []float64) []float64 {
	n, mean := len(x), 0.0
	if n == 0 {
		return nil
	}
	if slices.Min(x) == slices.Max(x) { // rounding in the mean would make something of it
		c := make([]float64, n)
		c[0] = 1
		return c
	}
	for _, v := range x {
		mean += v / float64(n)
	}
	d := make([]float64, n)
	for i, v := range x {
		d[i] = v - mean
	}
	c := correlate(d)
	zero := c[0]
	for i := range c {
		c[i] /= zero
	}
	return c
}

// correlate sums d[i]·d[i+k] for every lag k. Above 256 values the transform is the cheaper way.
func correlate(d []float64) []float64 {
	n := len(d)
	if n <= 256 {
		c := make([]float64, n)
		for k := range c {
			for i := 0; i+k < n; i++ {
				c[k] += d[i] * d[i+k]
			}
		}
		return c
	}
	size := 1
	for size < 2*n {
		size *= 2
	}
	padded := make([]float64, size)
	copy(padded, d)
	fft := fourier.NewFFT(size)
	f := fft.Coefficients(nil, padded)
	for i, v := range f {
		f[i] = complex(real(v)*real(v)+imag(v)*imag(v), 0)
	}
	fft.Sequence(padded, f)
	for i := range padded[:n] {
		padded[i] /= float64(size)
	}
	return padded[:n]
}
