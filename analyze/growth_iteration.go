package analyze

import (
	"math"

	"github.com/memtide/memtide/analyze/stat"
)

// byIteration is the growth per iteration: one value for each (the median of its samples), the first tenth and at least
// one left out as warm-up. Nil where there is no axis of iterations or too little of it.
func (g *grower) byIteration() *IterationGrowth {
	if !g.iterations {
		return nil
	}
	x, y := perIteration(g.s)
	warm := max(int(g.c.WarmUp*float64(len(x))), 1)
	if len(x)-warm < 2 {
		return nil
	}
	x, y = x[warm:], y[warm:]
	it := &IterationGrowth{Cycles: len(x) - 1, EveryRises: true}
	least, sum := math.Inf(1), 0.0
	for i := 1; i < len(x); i++ {
		d := (y[i] - y[i-1]) / (x[i] - x[i-1])
		it.EveryRises = it.EveryRises && d > 0
		least, sum = min(least, d), sum+d
	}
	if sum != 0 {
		it.Weakest = least / (sum / float64(it.Cycles))
	}
	trend := stat.HamedRao(x, y, stat.TheilSen(x, y, 0, g.c.Level).Slope)
	line := stat.TheilSen(x, y, trend.Var, g.c.Level)
	it.Slope, it.Lo, it.Hi = line.Slope, line.Lo, line.Hi
	return it
}

func perIteration(s points) (x, y []float64) {
	for i := 0; i < s.len(); {
		j := i + 1
		for j < s.len() && s.x[j] == s.x[i] {
			j++
		}
		x, y = append(x, s.x[i]), append(y, stat.Median(s.y[i:j]))
		i = j
	}
	return x, y
}
