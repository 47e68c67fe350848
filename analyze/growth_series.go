package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// fineSamples is how many points are looked at one by one; a longer series is reduced to medians of as many blocks, so that
// the cost of a verdict grows with its length only through that one pass.
const fineSamples = 2000

// absurd is the value from which a sample is no measurement: counters that wrapped (2^64-1) and markers of "none".
const absurd = 1 << 60

// grower is one series on its way through the gates.
type grower struct {
	c          GrowthConfig
	in         GrowthInput
	s          points
	iterations bool // s.x counts iterations
	n          int  // samples left after cleaning
	dropped    int
	backward   int // samples that stood before an earlier one in time
	filled     int // single samples out of line with both neighbours
}

// points are samples in order: t in seconds, x on the axis that is judged (iterations where there are some, else t).
type points struct{ t, x, y []float64 }

func (p points) len() int { return len(p.y) }

func (p points) from(i int) points { return points{p.t[i:], p.x[i:], p.y[i:]} }

// at picks single points.
func (p points) at(index []int) points {
	q := points{make([]float64, len(index)), make([]float64, len(index)), make([]float64, len(index))}
	for k, i := range index {
		q.t[k], q.x[k], q.y[k] = p.t[i], p.x[i], p.y[i]
	}
	return q
}

// reduce takes the medians of k blocks of equally many points.
func (p points) reduce(k int) points {
	n := p.len()
	if n <= k {
		return p
	}
	q := points{make([]float64, k), make([]float64, k), make([]float64, k)}
	for i := range k {
		a, b := i*n/k, (i+1)*n/k
		q.t[i], q.x[i], q.y[i] = stat.Median(p.t[a:b]), stat.Median(p.x[a:b]), stat.Median(p.y[a:b])
	}
	return q
}

func newGrower(in GrowthInput, c GrowthConfig) *grower {
	g := &grower{c: c, in: in}
	index := make([]int, 0, len(in.Y))
	last := math.Inf(-1)
	for i, v := range in.Y {
		if !(v >= 0 && v < absurd) || i >= len(in.T) || math.IsNaN(in.T[i]) || math.IsInf(in.T[i], 0) {
			g.dropped++
			continue
		}
		if in.T[i] < last {
			g.backward++
		}
		last = max(last, in.T[i])
		index = append(index, i)
	}
	if g.backward > 0 {
		slices.SortStableFunc(index, func(a, b int) int {
			switch {
			case in.T[a] < in.T[b]:
				return -1
			case in.T[a] > in.T[b]:
				return 1
			}
			return 0
		})
	}
	g.n = len(index)
	x := in.T
	if g.iterations = iterates(in, index); g.iterations {
		x = in.Iterations
	}
	g.s = points{in.T, x, in.Y}.at(index)
	g.fill()
	g.s = g.s.reduce(fineSamples)
	return g
}

// iterates says whether the iterations can be the axis: known for all samples, never falling, and more than one.
func iterates(in GrowthInput, index []int) bool {
	if len(in.Iterations) != len(in.Y) || len(index) == 0 {
		return false
	}
	last := math.Inf(-1)
	for _, i := range index {
		if v := in.Iterations[i]; !(v >= last) {
			return false
		}
		last = in.Iterations[i]
	}
	return last > in.Iterations[index[0]]
}

// fill replaces single samples that stand far from both neighbours when these agree with each other: a sample read
// twice over, or half. Where they are many they are no accidents and stay. The teeth of a saw-tooth stay as well, as
// their neighbours do not agree.
func (g *grower) fill() {
	y := g.s.y
	limit := 12 * stat.NoiseSD(y)
	var odd []int
	for i := 1; i+1 < len(y); i++ {
		lo, hi := min(y[i-1], y[i+1]), max(y[i-1], y[i+1])
		if max(lo-y[i], y[i]-hi) > max(limit, 2*(hi-lo)) {
			odd = append(odd, i)
		}
	}
	if len(odd) > max(2, len(y)/20) {
		return
	}
	g.filled = len(odd)
	before := slices.Clone(y)
	for _, i := range odd {
		y[i] = (before[i-1] + before[i+1]) / 2
	}
}

func (g *grower) duration() float64 {
	if g.n == 0 {
		return 0
	}
	return g.s.t[g.s.len()-1] - g.s.t[0]
}

// unfit says why nothing can be said, or nothing.
func (g *grower) unfit() string {
	switch {
	case g.n == 0:
		return "no sample with a value"
	case g.n < g.c.MinSamples:
		return fmt.Sprintf("%s, and at least %d are needed", plural(g.n, "sample"), g.c.MinSamples)
	case g.duration() <= 0:
		return fmt.Sprintf("all %d samples carry the same time", g.n)
	}
	return ""
}

// omitted says what was done to the samples before they were judged.
func (g *grower) omitted() (s string) {
	if g.dropped > 0 {
		s += fmt.Sprintf("; %s without a usable value left out", plural(g.dropped, "sample"))
	}
	if g.backward > 0 {
		s += fmt.Sprintf("; the clock went back %s, the samples were put in order of time", times(g.backward))
	}
	if g.filled > 0 {
		s += fmt.Sprintf("; %s far from both neighbours smoothed", plural(g.filled, "single sample"))
	}
	return s
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
