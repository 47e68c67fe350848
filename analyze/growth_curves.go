package analyze

import (
	"math"

	"github.com/memtide/memtide/analyze/stat"
)

// curves fits sums of given columns to values by least squares. One workspace serves all fits of a series.
type curves struct {
	y, one, u []float64 // values, a constant, the axis from 0 to 1
}

func newCurves(x, y []float64) *curves {
	f := &curves{y: y, one: make([]float64, len(y)), u: make([]float64, len(y))}
	span := x[len(x)-1] - x[0]
	for i := range x {
		f.one[i], f.u[i] = 1, (x[i]-x[0])/span
	}
	return f
}

// fit gives the sum of squares that is left, and the coefficients: the constant first, then one for each column.
func (f *curves) fit(columns ...[]float64) (left float64, coefficients []float64) {
	columns = append([][]float64{f.one}, columns...)
	co := solve(normal(columns, f.y))
	for i, v := range f.y {
		for k, c := range columns {
			v -= co[k] * c[i]
		}
		left += v * v
	}
	return left, co
}

// residuals of a fit.
func (f *curves) residuals(co []float64, columns ...[]float64) []float64 {
	r := make([]float64, len(f.y))
	for i, v := range f.y {
		r[i] = v - co[0]
		for k, c := range columns {
			r[i] -= co[k+1] * c[i]
		}
	}
	return r
}

// normal are the normal equations, the right side in the last column.
func normal(columns [][]float64, y []float64) [][]float64 {
	a := make([][]float64, len(columns))
	for i, ci := range columns {
		a[i] = make([]float64, len(columns)+1)
		for j := 0; j < i; j++ {
			a[i][j] = a[j][i]
		}
		for j := i; j < len(columns); j++ {
			for p, v := range columns[j] {
				a[i][j] += ci[p] * v
			}
		}
		for p, v := range y {
			a[i][len(columns)] += ci[p] * v
		}
	}
	return a
}

// solve by Gauss and Jordan; a column that depends on the others gets the coefficient 0.
func solve(a [][]float64) []float64 {
	co := make([]float64, len(a))
	for i := range a {
		best := i
		for r := i; r < len(a); r++ {
			if math.Abs(a[r][i]) > math.Abs(a[best][i]) {
				best = r
			}
		}
		a[i], a[best] = a[best], a[i]
		if math.Abs(a[i][i]) < 1e-9 {
			continue
		}
		for r := range a {
			if r == i {
				continue
			}
			f := a[r][i] / a[i][i]
			for q := i; q <= len(a); q++ {
				a[r][q] -= f * a[i][q]
			}
		}
	}
	for i := range co {
		if math.Abs(a[i][i]) >= 1e-9 {
			co[i] = a[i][len(a)] / a[i][i]
		}
	}
	return co
}

// of evaluates a column on the axis.
func (f *curves) of(column []float64, fn func(u float64) float64) []float64 {
	for i, u := range f.u {
		column[i] = fn(u)
	}
	return column
}

// doesNotLevelOff holds curves that level off against those that go on: see levelsOff. A program that slows down as it
// fills up is sampled ever more thinly, and is straight only by the number of the sample: to level off, a series must do so by
// both axes.
func (c *candidate) doesNotLevelOff() bool {
	s := c.g.binned(c.held(c.beneath()))
	return !newCurves(s.x, s.y).levelsOff() || !newCurves(numbers(s.len()), s.y).levelsOff()
}

func numbers(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// levelsOff says whether the whole series, warm-up included, is described by a curve that levels off: an exponential one
// with a time constant of at most 0.45 of the length. Against it stand a line, a line after such a curve, a line that begins
// later, and a line with a step in it. It wins if it beats the plain line and none of the others beats it clearly: by an F of
// 12 on the number of residuals their autocorrelation leaves.
func (f *curves) levelsOff() bool {
	line, co := f.fit(f.u)
	best := growing{line, f.residuals(co, f.u)}
	column := make([]float64, len(f.u))
	flat, tau := math.Inf(1), 0.1
	try := func(at float64) {
		f.of(column, func(u float64) float64 { return 1 - math.Exp(-u/at) })
		if left, co := f.fit(column); co[1] > 0 && left < flat {
			flat, tau = left, at
		}
		best.try(f, 2, column, f.u)
	}
	for _, at := range []float64{0.02, 0.03, 0.045, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4} {
		try(at)
	}
	for factor := 1.2; factor > 1.005; factor = math.Sqrt(factor) {
		middle := tau
		try(min(middle*factor, 0.45))
		try(middle / factor)
	}
	for k := 0.1; k < 0.75; k += 0.05 {
		best.try(f, 1, f.of(column, func(u float64) float64 { return max(0, u-k) }))
	}
	for k := 0.02; k < 0.9 && flat <= line; k += 0.01 {
		best.try(f, 2, f.of(column, func(u float64) float64 { return math.Ceil(max(0, u-k)) }), f.u)
	}
	all, _ := f.fit()
	if flat > 0.3*all || best.left <= 0 {
		return false
	}
	n := stat.EffectiveN(len(f.u), min(stat.Autocorrelation(best.residuals)[1], 0.9))
	return flat <= line/(1+4/n) && (flat/best.left-1)*n <= 12
}

// growing is the best curve so far that goes on rising.
type growing struct {
	left      float64
	residuals []float64
}

// try takes the fit of the columns if it is better and the coefficient that makes it rise is positive.
func (b *growing) try(f *curves, rising int, columns ...[]float64) {
	if left, co := f.fit(columns...); co[rising] > 0 && left < b.left {
		b.left, b.residuals = left, f.residuals(co, columns...)
	}
}
