package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// candidate is one way to look at a series: the part after start, by its samples or by what lies beneath them.
type candidate struct {
	g     *grower
	basis string // samples, floor or trough
	start int    // first point of g.s that is in it
	scale int    // points over which a floor is sought; 0 for samples
	late  bool   // more than the warm-up was cut off
	points
	trend  stat.Trend
	line   stat.Line // of y on x
	gain   float64   // slope times length
	failed string    // the first gate that did not let it pass
	lower  points    // what lies beneath, at full resolution; see beneath
}

// candidates are the ways to look at what is left after a share of the samples was cut off: the samples themselves; the
// troughs of a zig-zag and the means between them; the least values of 24, 12, 8 and 6 blocks; and the series with its
// releases undone. Loads that come and go do not lift a floor taken over a longer time than they last, leaks do.
func (g *grower) candidates(share float64) []candidate {
	start := int(share * float64(g.s.len()))
	s := g.s.from(start)
	late := share > g.c.WarmUp
	if late && s.len() < 16 {
		return nil
	}
	out := []candidate{{g: g, basis: "samples", start: start, late: late, points: g.binned(s)}}
	if index := g.troughs(s, out[0].points); len(index) >= 5 {
		scale := 3 * (index[len(index)-1] - index[0]) / (2 * (len(index) - 1))
		troughs := g.binned(s.at(index))
		out = append(out, candidate{g: g, basis: "trough", start: start, late: late, scale: scale, points: troughs})
		if p := g.binned(s.means(index)); g.rateOf(troughs) >= 0.5*g.rateOf(p) && p.len() >= 5 {
			out = append(out, candidate{g: g, basis: "cycles", start: start, late: late, scale: scale, points: p})
		}
	}
	for _, k := range []int{24, 12, 8, 6} {
		if s.len()/k >= 4 && !(late && k == 6) {
			out = append(out, candidate{g: g, basis: "floor", start: start, late: late, scale: s.len() / k, points: s.floors(k)})
		}
	}
	if p, ok := g.withoutReleases(s); ok && !late {
		out = append(out, candidate{g: g, basis: "releases", start: start, points: p})
	}
	return out
}

// binned reduces more than 120 points to the medians of Bins blocks.
func (g *grower) binned(s points) points {
	if s.len() > 120 {
		return s.reduce(g.c.Bins)
	}
	return s
}

// floors takes the lowest point of each of k blocks.
func (p points) floors(k int) points {
	index := make([]int, k)
	for i := range index {
		a, b := i*p.len()/k, (i+1)*p.len()/k
		index[i] = a
		for j := a; j < b; j++ {
			if p.y[j] < p.y[index[i]] {
				index[i] = j
			}
		}
	}
	return p.at(index)
}

// low takes the value that a sixth of each of k blocks lies below: a floor that single low samples do not move.
func (p points) low(k int) points {
	q := points{make([]float64, k), make([]float64, k), make([]float64, k)}
	for i := range k {
		a, b := i*p.len()/k, (i+1)*p.len()/k
		q.t[i], q.x[i], q.y[i] = stat.Median(p.t[a:b]), stat.Median(p.x[a:b]), stat.Quantile(p.y[a:b], 1.0/6)
	}
	return q
}

// means of the stretches between the given points: few samples in a tooth blur its trough by its height over their
// number, its mean by much less. Where the troughs do not rise as well, it is only the load that grows.
func (p points) means(index []int) points {
	q := points{}
	for k := 1; k < len(index); k++ {
		var t, x, y, n float64
		for i := index[k-1]; i < index[k]; i++ {
			t, x, y, n = t+p.t[i], x+p.x[i], y+p.y[i], n+1
		}
		q.t, q.x, q.y = append(q.t, t/n), append(q.x, x/n), append(q.y, y/n)
	}
	return q
}

func (g *grower) rateOf(p points) float64 { return stat.TheilSen(p.x, p.y, 0, g.c.Level).Slope }

// withoutReleases undoes up to three falls, each of at most two thirds of what the series had risen until then, and
// takes the outcome for growth only if it is as good as a straight line.
func (g *grower) withoutReleases(s points) (points, bool) {
	s = g.binned(s)
	noise := stat.NoiseSD(s.y)
	s = points{s.t, s.x, smooth(s.y)}
	reversal := max((slices.Max(s.y)-slices.Min(s.y))/12, 3*noise)
	falls := waysDown(s.y, reversal)
	if len(falls) == 0 || len(falls) > 3 {
		return s, false
	}
	for _, f := range falls {
		if s.y[f.top]-s.y[f.bottom] > 0.65*(s.y[f.top]-slices.Min(s.y[:f.top+1])) {
			return s, false
		}
	}
	p := points{s.t, s.x, undo(s.y, falls)}
	f := newCurves(p.x, p.y)
	all, _ := f.fit()
	line, _ := f.fit(f.u)
	return p, line < 0.05*all
}

// troughs of the zig-zag whose reversal is half the spread about a straight line, and at least six times the noise; unless
// the series repeats itself, for then a few samples to a tooth look like noise to its differences.
func (g *grower) troughs(s, binned points) []int {
	slope := stat.TheilSen(binned.x, binned.y, 0, g.c.Level).Slope
	d := make([]float64, binned.len())
	for i := range d {
		d[i] = binned.y[i] - slope*(binned.x[i]-binned.x[0])
	}
	reversal := 0.5 * (stat.Quantile(d, 0.95) - stat.Quantile(d, 0.05))
	if noise := 6 * stat.NoiseSD(s.y); reversal < noise && !repeats(s, slope) {
		reversal = noise
	}
	if reversal <= 0 {
		return nil
	}
	return stat.Troughs(s.y, reversal)
}

// beneath is the part of the series from a point on, each value replaced by the least one within scale after it: loads
// that go again within that time are gone, and what only rises is as it was, to the last sample.
func (c *candidate) beneath() points {
	if c.lower.y == nil {
		s := c.g.s
		c.lower = points{s.t, s.x, forwardMin(s.y, c.scale)}
	}
	return c.lower
}

// forwardMin is the least value from each place to w places later, as far as there are any: a queue of rising values
// makes it one pass.
func forwardMin(y []float64, w int) []float64 {
	out := make([]float64, len(y))
	var queue []int
	for i := len(y) - 1; i >= 0; i-- {
		for len(queue) > 0 && y[queue[len(queue)-1]] >= y[i] {
			queue = queue[:len(queue)-1]
		}
		queue = append(queue, i)
		if queue[0] > i+w {
			queue = queue[1:]
		}
		out[i] = y[queue[0]]
	}
	return out
}

// describe names the basis in a sentence.
func (c *candidate) describe() string {
	switch c.basis {
	case "floor":
		return fmt.Sprintf("the least values of %d blocks", c.len())
	case "cycles":
		return fmt.Sprintf("the means of %d cycles", c.len())
	case "releases":
		return "the series with its releases undone"
	case "trough":
		return fmt.Sprintf("%d troughs", c.len())
	}
	if c.len() < c.g.s.len()-c.start || c.g.s.len() < c.g.n {
		return fmt.Sprintf("the medians of %d bins", c.len())
	}
	return fmt.Sprintf("%d samples", c.len())
}

// repeats says whether the series about a line is like itself some way on: three samples or more, up to a quarter of it.
func repeats(s points, slope float64) bool {
	d := make([]float64, s.len())
	for i := range d {
		d[i] = s.y[i] - slope*s.x[i]
	}
	rho := stat.Autocorrelation(d)
	sunk := false
	for k := 1; k < len(rho)/4; k++ {
		sunk = sunk || rho[k] < 0
		if k >= 3 && sunk && rho[k] > max(0.3, 4/math.Sqrt(float64(len(d)))) {
			return true
		}
	}
	return false
}
