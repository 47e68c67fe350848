package analyze

import (
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// HistoryConfig holds the thresholds of History.
type HistoryConfig struct {
	MinSegment int     // fewest builds on each side of a change that is found by the whole history
	Window     int     // builds before the newest ones that these are held against, at most
	Alpha      float64 // level of the permutation test of a split
	Confirm    float64 // two-sided level of Welch's test that has to confirm it
	Guard      float64 // the same, with the scatter of the whole history and neighbours that are alike allowed for
	Newest     float64 // two-sided level at which builds fewer than MinSegment are called changed
	Level      float64 // confidence of the intervals
	Repeats    int     // of the permutation test
	MaxBuilds  int     // the newest builds that are looked at
	Alert      float64 // t of Perfherder's rule from which it agrees
}

// DefaultHistory are the thresholds in force.
var DefaultHistory = HistoryConfig{MinSegment: 6, Window: 12, Alpha: 0.01, Confirm: 0.001, Guard: 0.0005, Newest: 0.001, Level: 0.95, Repeats: 999, MaxBuilds: 400, Alert: 7}

// jump is a place at which the values of a history change.
type jump struct {
	at     int // first value after it
	shift  stat.MeanShift
	split  stat.Split // of the whole history; of the newest builds only the index
	newest bool       // judged from fewer builds after it than a split takes
}

// fit is what a history comes to: levels between jumps, and the noise about them.
type fit struct {
	y     []float64
	jumps []jump
	noise stat.Noise
}

// detect finds the jumps in the values of builds in their order. matters says whether a shift from a level is large enough
// to be told.
func (c HistoryConfig) detect(y []float64, seed uint64, matters func(level, shift float64) bool) fit {
	f := c.divide(y, seed, matters)
	if j, ok := c.newest(y, f, matters); ok {
		f = c.divide(y[:j.at], seed, matters) // without what would draw a split towards it
		if again, ok := c.newest(y, f, matters); ok {
			j = again
		}
		f = newFit(y, append(f.jumps, j))
	}
	return f
}

// divide finds the jumps with enough builds on both sides.
func (c HistoryConfig) divide(y []float64, seed uint64, matters func(level, shift float64) bool) fit {
	d := stat.EDivisive{MinSegment: c.MinSegment, Repeats: c.Repeats, Alpha: c.Alpha, Seed: seed}
	return c.confirm(newFit(y, c.places(d.Changes(y), y)), matters)
}

// places moves each split to where two levels fit its surroundings best, and leaves out those that come too near to the
// end or to each other for it.
func (c HistoryConfig) places(splits []stat.Split, y []float64) []jump {
	var out []jump
	for i, s := range splits {
		from, to := 0, len(y)
		if i > 0 {
			from = splits[i-1].Index
		}
		if i+1 < len(splits) {
			to = splits[i+1].Index
		}
		s.Index = from + stat.StepFit(y[from:to]).Index
		if s.Index >= c.MinSegment && s.Index <= len(y)-c.MinSegment && (len(out) == 0 || s.Index > out[len(out)-1].at+1) {
			out = append(out, jump{at: s.Index, split: s})
		}
	}
	return out
}

// confirm takes away the weakest jump for as long as one does not stand between the levels beside it.
func (c HistoryConfig) confirm(f fit, matters func(level, shift float64) bool) fit {
	for {
		weakest, most := -1, 1.0
		for i := range f.jumps {
			before, after := f.part(i), f.part(i+1)
			w := f.noise.Shift(before, after, c.Level)
			f.jumps[i].shift = w
			doubt := max(w.P/c.Guard, stat.Welch(before, after, c.Level).P/c.Confirm)
			if !matters(stat.Median(before), w.Shift) {
				doubt = math.Inf(1)
			}
			if doubt > most {
				weakest, most = i, doubt
			}
		}
		if weakest < 0 {
			return f
		}
		f = newFit(f.y, slices.Delete(slices.Clone(f.jumps), weakest, weakest+1))
	}
}

// newest holds the last builds, fewer than a split takes, against those before them. Which of them are the new level is
// said by the best fit of two levels.
func (c HistoryConfig) newest(y []float64, f fit, matters func(level, shift float64) bool) (jump, bool) {
	start := 0
	if len(f.jumps) > 0 {
		start = f.jumps[len(f.jumps)-1].at
	}
	n := len(y) - start
	best, least, from := 0, math.Inf(1), len(y)-min(n, c.MinSegment-1+c.Window)
	for k := 1; k < c.MinSegment && n-k >= c.MinSegment; k++ {
		if cost := spreadOf(y[from:len(y)-k]) + spreadOf(y[len(y)-k:]); cost < least*(1-1e-9) {
			best, least = k, cost
		}
	}
	if best == 0 {
		return jump{}, false
	}
	at := len(y) - best
	before := y[at-min(n-best, c.Window) : at]
	j := jump{at: at, split: stat.Split{Index: at}, newest: true}
	j.shift = newFit(y, append(slices.Clone(f.jumps), j)).noise.Shift(before, y[at:], c.Level)
	return j, j.shift.P <= c.Newest && matters(stat.Median(before), j.shift.Shift)
}

// spreadOf is the sum of the distances from the median.
func spreadOf(y []float64) float64 {
	m, sum := stat.Median(y), 0.0
	for _, v := range y {
		sum += math.Abs(v - m)
	}
	return sum
}

func newFit(y []float64, jumps []jump) fit {
	f := fit{y: y, jumps: jumps}
	f.noise = stat.NoiseOf(f.parts())
	return f
}

func (f fit) parts() (out [][]float64) {
	for i := range len(f.jumps) + 1 {
		out = append(out, f.part(i))
	}
	return out
}

// part is the values of one level: the i-th, from 0.
func (f fit) part(i int) []float64 {
	from, to := 0, len(f.y)
	if i > 0 {
		from = f.jumps[i-1].at
	}
	if i < len(f.jumps) {
		to = f.jumps[i].at
	}
	return f.y[from:to]
}
