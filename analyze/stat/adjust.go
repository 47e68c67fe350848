package stat

import (
	"slices"
)

// BenjaminiHochberg adjusts p values so that those at or below q have a false discovery rate of at most q when the
// tests are independent or positively dependent (Benjamini and Hochberg 1995): p(k)·m/k, and from the greatest
// downwards no larger than the one before. The order of p is kept.
func BenjaminiHochberg(p []float64) []float64 { return stepUp(p, 1) }

// BenjaminiYekutieli is the same under any dependence (Benjamini and Yekutieli 2001), at the price of the factor
// 1 + 1/2 + … + 1/m.
func BenjaminiYekutieli(p []float64) []float64 {
	c := 0.0
	for i := range p {
		c += 1 / float64(i+1)
	}
	return stepUp(p, c)
}

func stepUp(p []float64, factor float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(p[a], p[b]) })
	out, least := make([]float64, len(p)), 1.0
	for k := len(p) - 1; k >= 0; k-- {
		least = min(least, p[order[k]]*factor*float64(len(p))/float64(k+1))
		out[order[k]] = least
	}
	return out
}
