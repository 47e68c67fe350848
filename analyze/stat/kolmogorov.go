package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// exactPaths bounds m·n for the exact distribution of the Kolmogorov-Smirnov statistic.
const exactPaths = 1_000_000

// KolmogorovSmirnov is the greatest distance between the distribution functions of two samples and its two-sided p
// value: whether they differ in any way, shape included. p counts lattice paths (Hodges 1957) up to m·n = 1,000,000 and takes the
// limit distribution beyond; with ties it is conservative. An empty side gives NaN.
func KolmogorovSmirnov(a, b []float64) (d, p float64) {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN(), math.NaN()
	}
	x, y := slices.Clone(a), slices.Clone(b)
	slices.Sort(x)
	slices.Sort(y)
	d = stat.KolmogorovSmirnov(x, nil, y, nil)
	if len(a) > exactPaths/len(b) {
		return d, kolmogorovLimit(d * math.Sqrt(float64(len(a))*float64(len(b))/float64(len(a)+len(b))))
	}
	return d, 1 - pathsInside(len(a), len(b), d)
}

// pathsInside is the share of lattice paths from (0,0) to (m,n) that stay nearer than d to the diagonal. Each cell
// holds a probability, so nothing overflows.
func pathsInside(m, n int, d float64) float64 {
	limit := d - 1e-9
	p := make([]float64, n+1)
	for i := 0; i <= m; i++ {
		for j := 0; j <= n; j++ {
			if i == 0 && j == 0 {
				p[0] = 1
				continue
			}
			if math.Abs(float64(i)/float64(m)-float64(j)/float64(n)) >= limit {
				p[j] = 0
				continue
			}
			// The share of the paths to (i,j) that come from above is i/(i+j), from the left j/(i+j).
			v := 0.0
			if i > 0 {
				v = p[j] * float64(i) / float64(i+j)
			}
			if j > 0 {
				v += p[j-1] * float64(j) / float64(i+j)
			}
			p[j] = v
		}
	}
	return p[n]
}

func kolmogorovLimit(l float64) float64 {
	if l < 0.2 {
		return 1
	}
	s := 0.0
	for k := 1.0; k <= 100; k++ {
		s += 2 * math.Pow(-1, k-1) * math.Exp(-2*k*k*l*l)
	}
	return min(max(s, 0), 1)
}
