package analyze

import (
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// A gate is a reason not to call a rise growth. All must be passed; the cheap ones stand first.
type gate struct {
	name string
	pass func(*candidate) bool
}

var gates = []gate{
	{"significant", (*candidate).significant},
	{"late", (*candidate).stillRises},
	{"step", (*candidate).noStep},
	{"drift", (*candidate).drifts},
	{"drawdown", (*candidate).keeps},
	{"agree", (*candidate).agrees},
	{"record", (*candidate).isRecord},
	{"tail", (*candidate).tailRises},
	{"flat", (*candidate).notFlat},
	{"levels off", (*candidate).doesNotLevelOff},
}

// passes sends the candidate through the gates and notes where it was stopped.
func (c *candidate) passes() bool {
	for _, g := range gates {
		if !g.pass(c) {
			c.failed = g.name
			return false
		}
	}
	return true
}

func (c *candidate) alpha() float64 {
	switch {
	case c.late:
		return c.g.c.WindowAlpha
	case c.basis == "floor":
		return c.g.c.FloorAlpha
	}
	return c.g.c.Alpha
}

// significant is the test of Mann and Kendall as modified by Hamed and Rao, and the interval of Theil and Sen above
// zero. The plain test comes first: the correction can only raise its p.
func (c *candidate) significant() bool {
	c.trend = stat.MannKendall(c.y)
	if c.trend.PUp > c.alpha() {
		return false
	}
	c.fit()
	return c.trend.PUp <= c.alpha() && c.line.Lo > 0 && c.gain > 0
}

// fit computes trend, line and gain.
func (c *candidate) fit() {
	slope := stat.TheilSen(c.x, c.y, 0, c.g.c.Level).Slope
	c.trend = stat.HamedRao(c.x, c.y, slope)
	c.line = stat.TheilSen(c.x, c.y, c.trend.Var, c.g.c.Level)
	c.gain = c.line.Slope * (c.x[c.len()-1] - c.x[0])
}

// lateRatio is the slope of the second half over that of the whole.
func (c *candidate) lateRatio() float64 {
	p := c.held(c.points).from(c.len() / 2)
	return stat.TheilSen(p.x, p.y, 0, c.g.c.Level).Slope / c.line.Slope
}

func (c *candidate) stillRises() bool { return c.lateRatio() >= c.g.c.LateRatio }

// noStep holds the best two levels against the line, by the sums of absolute distances.
func (c *candidate) noStep() bool {
	cost := 0.0
	for i := range c.y {
		cost += math.Abs(c.y[i] - c.line.Intercept - c.line.Slope*c.x[i])
	}
	return stat.StepFit(c.y).Cost >= c.g.c.StepRatio*cost
}

// drifts asks that the rise be spread over the time: the t value of the mean difference between the medians of 8 blocks.
// Its variance is that of Newey and West (1987) with one lag, so that noise about a line, whose neighbouring differences
// cancel, is not held against it; the differences of a random walk do not cancel, and a single step has t = 1.
func (c *candidate) drifts() bool {
	k := min(c.len(), 8)
	block := make([]float64, k)
	for i := range block {
		block[i] = stat.Median(c.y[i*c.len()/k : (i+1)*c.len()/k])
	}
	mean := (block[k-1] - block[0]) / float64(k-1)
	squares, lagged, last := 0.0, 0.0, 0.0
	for i := 1; i < k; i++ {
		d := block[i] - block[i-1] - mean
		squares, lagged, last = squares+d*d, lagged+d*last, d
	}
	variance := max(squares+lagged, 0.3*squares) / float64(k-2)
	return mean*math.Sqrt(float64(k-1)) >= c.least()*math.Sqrt(variance)
}

// least is the t value asked for: less of a short series, which has few differences to tell by.
func (c *candidate) least() float64 {
	if c.late {
		return c.g.c.WindowDrift
	}
	return c.g.c.Drift * min(max(float64(c.g.n)/40, 0.75), 1)
}

// keeps bounds the greatest fall below an earlier level, noise allowed for, by a share of the gain. A series that falls
// further is judged by its floors.
func (c *candidate) keeps() bool {
	y := c.y
	if len(y) >= 24 {
		y = smooth(y)
	}
	top, fall := y[0], 0.0
	for _, v := range y {
		top = max(top, v)
		fall = max(fall, top-v)
	}
	third := len(c.y) / 3
	noise := max(stat.NoiseSD(c.y[:third+1]), stat.NoiseSD(c.y[third:2*third+1]), stat.NoiseSD(c.y[2*third:]))
	return fall-4*noise <= c.g.c.Drawdown*c.gain
}

// smooth takes the median of each value and its two neighbours on either side.
func smooth(y []float64) []float64 {
	out := make([]float64, len(y))
	for i := range out {
		out[i] = stat.Median(y[max(i-2, 0):min(i+3, len(y))])
	}
	return out
}

// agrees asks the low sixth of 5 and of 8 blocks whether it rose in the last half as well. Troughs are asked already.
func (c *candidate) agrees() bool {
	if c.basis == "trough" || c.basis == "cycles" || c.basis == "releases" {
		return true
	}
	s := c.g.s.from(c.start)
	for _, k := range []int{5, 8} {
		if s.len()/k < 3 {
			continue
		}
		f := s.low(k)
		if c.basis == "floor" {
			f = s.floors(k).from(k / 2)
		}
		if stat.TheilSen(f.x, f.y, 0, c.g.c.Level).Slope < c.agreement()*c.line.Slope {
			return false
		}
	}
	return true
}

// agreement is less for floors, which are asked nearly the same question twice.
func (c *candidate) agreement() float64 {
	if c.basis == "floor" {
		return c.g.c.FloorAgree
	}
	return c.g.c.Agree
}

// isRecord asks, where more than the warm-up was cut off, that the floor at the end stand above every floor before the
// cut: the rising half of a cycle that has been seen before is no growth.
func (c *candidate) isRecord() bool {
	y := c.g.s.y
	k := max(len(y)/12, 1)
	if !c.late {
		return true
	}
	if c.returned(y[:max(len(y)/25, 1)]) {
		return true
	}
	end := slices.Min(y[len(y)-k:])
	for i := 0; i+k <= c.start; i += max(k/2, 1) {
		if end-slices.Min(y[i:i+k]) < c.g.c.Record*c.gain {
			return false
		}
	}
	return true
}

// returned says whether what was cut off was one excursion from the line: the series began on the line that it follows since,
// and that is nearly all there is in it since.
func (c *candidate) returned(head []float64) bool {
	if c.start > len(c.g.s.y)*2/5 {
		return false
	}
	off := stat.Median(head) - c.line.Intercept - c.line.Slope*c.g.s.x[len(head)/2]
	f := newCurves(c.x, c.y)
	all, _ := f.fit()
	left, _ := f.fit(f.u)
	return math.Abs(off) < 0.5*c.gain && left < 0.2*all
}

// tailRises holds the least-squares slope of the last quarter of all time against the claimed one; where noise hides
// a quarter, of a longer part, up to half.
func (c *candidate) tailRises() bool {
	m, sd := c.len(), stat.NoiseSD(c.y)
	all := c.g.s.x
	from := all[len(all)-1] - 0.25*(all[len(all)-1]-all[0])
	i, _ := slices.BinarySearch(c.x, from)
	for i = min(i, m-3); i > m/2; i-- {
		se := sd * math.Sqrt(12/float64(m-i)) / (c.x[m-1] - c.x[i])
		if se < 0.25*c.line.Slope {
			break
		}
	}
	p := c.held(c.points).from(i)
	slope, _ := tangent(p.x, p.y)
	return slope >= c.g.c.TailRatio*c.line.Slope
}

// notFlat asks whether the last fifth, quarter or third has clearly stopped rising beneath: whether the upper limit of
// its slope lies under the share of the claimed one. It must have stopped by time and by the number of the sample: a
// program that slows down as it fills up is sampled ever more thinly, and seems flat by the clock alone.
func (c *candidate) notFlat() bool {
	s := c.held(c.beneath())
	numbered := points{s.t, numbers(s.len()), s.y}
	perNumber := c.line.Slope * (s.x[s.len()-1] - s.x[c.start]) / float64(s.len()-1-c.start)
	return c.risesAtEnd(s, c.line.Slope) || c.risesAtEnd(numbered, perNumber)
}

func (c *candidate) risesAtEnd(s points, claimed float64) bool {
	for _, share := range []float64{0.2, 0.25, 0.33} {
		from := s.x[s.len()-1] - share*(s.x[s.len()-1]-s.x[0])
		i, _ := slices.BinarySearch(s.x, from)
		tail := s.from(i)
		if tail.len() < 8 {
			continue
		}
		if tail.len() > 80 {
			tail = tail.reduce(40)
		}
		slope, se := tangent(tail.x, tail.y)
		if slope+2*se < c.g.c.TailRatio*claimed {
			return false
		}
	}
	return true
}

// held is the series with its releases undone, where there are no more than three: falls of at least a twelfth of the gain
// that are clearly no noise. A leak that is interrupted by a release goes on, whatever the end looks like when the
// release falls into it; how far the series may fall at all is another gate's business.
func (c *candidate) held(p points) points {
	reversal := max(c.gain/6, 6*stat.NoiseSD(c.g.s.y))
	falls := waysDown(p.y, reversal)
	if len(falls) == 0 || len(falls) > 3 {
		return p
	}
	return points{p.t, p.x, undo(p.y, falls)}
}

// undo lifts what follows a fall by its height, and levels the fall itself.
func undo(before []float64, falls []fall) []float64 {
	y := slices.Clone(before)
	lost := 0.0
	for k, f := range falls {
		for i := f.top; i <= f.bottom; i++ {
			y[i] = before[f.top] + lost
		}
		lost += before[f.top] - before[f.bottom]
		end := len(y)
		if k+1 < len(falls) {
			end = falls[k+1].top
		}
		for i := f.bottom; i < end; i++ {
			y[i] = before[i] + lost
		}
	}
	return y
}

// fall is a way down of a zig-zag.
type fall struct{ top, bottom int }

// waysDown are the ways down of at least reversal, up to where the series rises again by as much or ends.
func waysDown(y []float64, reversal float64) []fall {
	var out []fall
	top, bottom := 0, -1
	for i, v := range y {
		switch {
		case bottom < 0 && v > y[top]:
			top = i
		case bottom < 0 && y[top]-v >= reversal:
			bottom = i
		case bottom >= 0 && v < y[bottom]:
			bottom = i
		case bottom >= 0 && v-y[bottom] >= reversal:
			out = append(out, fall{top, bottom})
			top, bottom = i, -1
		}
	}
	if bottom >= 0 {
		out = append(out, fall{top, bottom})
	}
	return out
}

// tangent is the least-squares slope and its standard error, with the number of residuals reduced by their autocorrelation.
func tangent(x, y []float64) (slope, se float64) {
	n := float64(len(x))
	var mx, my, xx, xy, rr float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if xx == 0 {
		return 0, math.Inf(1)
	}
	slope = xy / xx
	r := make([]float64, len(x))
	for i := range x {
		r[i] = y[i] - my - slope*(x[i]-mx)
		rr += r[i] * r[i]
	}
	rho := 0.0
	if len(r) > 1 {
		rho = min(stat.Autocorrelation(r)[1], 0.95)
	}
	return slope, math.Sqrt(rr / max(stat.EffectiveN(len(x), rho), 3) / xx)
}
