package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// finding of a pattern: growth in a form that no straight line fits.
type finding struct {
	basis  string
	points         // what the slope is taken from
	slope  float64 // per x
	why    string
}

// cycles looks for growth under few and regular cycles, which hide it from every floor: a line and a wave of two
// harmonics, of any period that is seen at least 1.4 times. It is growth if the two leave little over and no trend in
// that, if the wave alone leaves clearly more, and if the line rises by about the height of the wave, or by less where more
// periods were seen. A rise from one level to another looks much like it, and must fit worse.
func (g *grower) cycles(main *candidate) *finding {
	m := main.len()
	if m < 24 || stat.MannKendall(main.y).PUp > g.c.Alpha {
		return nil
	}
	f := newCurves(main.x, main.y)
	var wave [4][]float64
	for i := range wave {
		wave[i] = make([]float64, m)
	}
	total, _ := f.fit()
	alone, best := math.Inf(1), cycle{left: math.Inf(1)}
	try := func(periods float64) {
		for i, u := range f.u {
			w := 2 * math.Pi * periods * u
			wave[0][i], wave[1][i] = math.Sincos(w)
			wave[2][i], wave[3][i] = math.Sincos(2 * w)
		}
		left, _ := f.fit(wave[:]...)
		alone = min(alone, left)
		if periods < 1.4 {
			return
		}
		columns := append(slices.Clone(wave[:]), f.u)
		if left, co := f.fit(columns...); left < best.left {
			best = cycle{periods, left, co[5], 2 * (math.Hypot(co[1], co[2]) + math.Hypot(co[3], co[4])), stat.Autocorrelation(f.residuals(co, columns...))[1]}
		}
	}
	for periods := 0.9; periods < 8; periods *= 1.03 {
		try(periods)
	}
	for factor := 1.015; factor > 1.001 && best.periods > 0; factor = math.Sqrt(factor) {
		middle := best.periods
		try(middle * factor)
		try(middle / factor)
	}
	if best.gain < 0.8*best.height/(best.periods-0.4) || best.left > 0.2*total {
		return nil
	}
	if alone < 2.5*best.left && (alone/best.left-1)*float64(m) < 60 {
		return nil
	}
	structured := best.memory > 0.5 || math.Sqrt(best.left/float64(m)) > 1.3*stat.NoiseSD(main.y)
	if structured && best.left > 0.001*total {
		return nil
	}
	if f.ramps() < 1.5*best.left {
		return nil
	}
	return &finding{basis: "cycle", points: main.points, slope: best.gain / (main.x[m-1] - main.x[0]),
		why: fmt.Sprintf("a line under a wave of %.1f periods leaves %.2g of the variance, the wave alone %.2g", best.periods, best.left/total, alone/total)}
}

// ramps is what is left of the best of all rises from one level to another, steep or slow.
func (f *curves) ramps() float64 {
	least, column := math.Inf(1), make([]float64, len(f.u))
	for from := 0.0; from < 0.95; from += 0.05 {
		for _, over := range []float64{1e-6, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7} {
			left, _ := f.fit(f.of(column, func(u float64) float64 { return min(max((u-from)/over, 0), 1) }))
			least = min(least, left)
		}
	}
	return least
}

type cycle struct{ periods, left, gain, height, memory float64 }

// doubling looks for a table that is enlarged by a factor whenever it is full: steps whose heights and whose distances
// grow by about the same factor, and no longer rest since the last one than the next is due. Between the steps nothing
// moves, so every other gate takes it for a step or a plateau.
func (g *grower) doubling(*candidate) *finding {
	s := g.s
	at := jumps(s.y)
	n := len(at)
	if n < 3 {
		return nil
	}
	level := levels(s.y, at)
	size := func(i int) float64 { return level[i+1] - level[i] }
	gap := func(i int) float64 { return s.x[at[i]] - s.x[at[i-1]] }
	k := n - 1
	for ; k >= 2; k-- {
		factor, stretch := size(k)/size(k-1), gap(k)/gap(k-1)
		if size(k-1) <= 0 || factor < 1.4 || factor > 2.8 || stretch > 1.5*factor || stretch < factor/1.5 {
			break
		}
	}
	factor, rest := size(n-1)/size(n-2), s.x[s.len()-1]-s.x[at[n-1]]
	if n-1-k < 2 || rest > 1.2*factor*gap(n-1) {
		return nil
	}
	first := at[k-1]
	span := s.x[at[n-1]] - s.x[first]
	return &finding{basis: "doubling", points: s, slope: (level[n] - level[k]) / span,
		why: fmt.Sprintf("the last %d steps grow by a factor of about %.1f in height and in distance, as a table does that is enlarged whenever it is full; the next is not overdue", n-k+1, factor)}
}

// levels are the medians between the jumps.
func levels(y []float64, at []int) []float64 {
	var out []float64
	from := 0
	for _, i := range append(slices.Clone(at), len(y)) {
		out = append(out, stat.Median(y[from:i]))
		from = i
	}
	return out
}

// jumps cuts a series into levels by binary segmentation: where the sum of squares falls the most, as long as it falls by
// 40 variances of the noise.
func jumps(y []float64) []int {
	sum, squares := make([]float64, len(y)+1), make([]float64, len(y)+1)
	for i, v := range y {
		v -= y[0]
		sum[i+1], squares[i+1] = sum[i]+v, squares[i]+v*v
	}
	cost := func(a, b int) float64 {
		m := sum[b] - sum[a]
		return max(squares[b]-squares[a]-m*m/float64(b-a), 0)
	}
	noise := max(stat.NoiseSD(y), 1e-3*(slices.Max(y)-slices.Min(y)))
	var out []int
	var cut func(a, b, depth int)
	cut = func(a, b, depth int) {
		gain, k := 0.0, a
		for i := a + 1; i < b; i++ {
			if v := cost(a, b) - cost(a, i) - cost(i, b); v > gain {
				gain, k = v, i
			}
		}
		if k == a || gain < 40*noise*noise || depth == 0 {
			return
		}
		cut(a, k, depth-1)
		out = append(out, k)
		cut(k, b, depth-1)
	}
	cut(0, len(y), 8)
	return out
}

// everyIteration is the rule of iterations: at least four differences after warm-up, all of them positive, the weakest no
// mere trickle. It finds what few cycles are too few for otherwise.
func (g *grower) everyIteration(main *candidate) *finding {
	it := g.byIteration()
	if it == nil || it.Cycles < 4 || !it.EveryRises || it.Weakest < 0.3 {
		return nil
	}
	return &finding{basis: "iterations", points: main.points, slope: it.Slope, why: fmt.Sprintf("all %d iterations after warm-up add to it, the weakest %.2f of the mean", it.Cycles, it.Weakest)}
}
