package stat

import (
	"math"
	"slices"
)

// Median is the middle value, the mean of the two middle ones when their number is even; NaN of nothing.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Quantile is the value below which the fraction p of x lies, interpolated linearly between order statistics
// (type 7 of Hyndman and Fan 1996, the default of R and numpy); NaN of nothing.
func Quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Clone(x)
	h := min(max(p, 0), 1) * float64(len(s)-1)
	i := int(h)
	a := nth(s, i)
	if f := h - float64(i); f > 0 {
		return a*(1-f) + slices.Min(s[i+1:])*f
	}
	return a
}

// sortedQuantile is Quantile of values in rising order.
func sortedQuantile(s []float64, p float64) float64 {
	h := min(max(p, 0), 1) * float64(len(s)-1)
	i := int(h)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	f := h - float64(i)
	return s[i]*(1-f) + s[i+1]*f
}

// MAD is the median of the absolute distances from the median. Times 1.4826 it estimates the standard deviation of
// a normal sample and does not care about outliers below half of the data.
func MAD(x []float64) float64 {
	m := Median(x)
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - m)
	}
	return Median(d)
}

// NoiseSD estimates the standard deviation of the noise around any slowly moving level from the first differences:
// 1.4826·MAD(y[i+1]-y[i])/√2. It is 0 for fewer than two values.
func NoiseSD(y []float64) float64 {
	if len(y) < 2 {
		return 0
	}
	d := make([]float64, len(y)-1)
	for i := range d {
		d[i] = y[i+1] - y[i]
	}
	return 1.4826 * MAD(d) / math.Sqrt2
}

// ranks gives each value its rank from 1, equal values the mean of theirs, and the sizes of the groups of equals.
func ranks(x []float64) (r []float64, ties []int) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compare(x[a], x[b]) })
	r = make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j+1) / 2
		}
		if j-i > 1 {
			ties = append(ties, j-i)
		}
		i = j
	}
	return r, ties
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
