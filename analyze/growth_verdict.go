package analyze

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/memtide/memtide/analyze/stat"
)

// leak states growth that passed every gate.
func (g *grower) leak(c *candidate) Judgement {
	rate, onset := g.rate(c)
	j := g.stated(rate)
	j.Verdict, j.Basis = Leak, c.basis
	j.P = &c.trend.PUp
	j.Confidence = g.confidence(c)
	if onset > 0 {
		j.OnsetS = &rate.since
	}
	g.weigh(&j, rate)
	j.Reason = fmt.Sprintf("grew by %s%s; p %s on %s, the end still rises, and neither steps nor a curve that levels off explain it as well%s%s",
		g.speed(j), g.since(j), small(c.trend.PUp), c.describe(), g.perIterationText(j.Iteration), g.omitted())
	return j
}

// rated is the line that is reported: over seconds, with what it was fitted to.
type rated struct {
	points
	line  stat.Line
	basis string
	p     float64
	since float64 // seconds; growth is counted from there to the last sample
	mean  float64 // slope over that time: the line may be of its later part
	seen  float64 // half the interval that growth was told by
	start float64 // level at since, by the line over that time
}

// rate fits the points of the candidate again, over seconds, and from the bend on if the series was level before it.
func (g *grower) rate(c *candidate) (r rated, onset int) {
	p, since := c.points, g.s.t[c.start]
	if onset = c.bend(); onset > 0 {
		p = p.from(onset)
		since = p.t[0]
	}
	r = rated{points: p, since: since}
	r.line, r.seen = lineOf(p.t, p.y, g.c.Level)
	r.mean, r.start = r.line.Slope, r.line.Intercept+r.line.Slope*since
	return r.straight(g.c.Level), onset
}

// straight leaves out the first half for as long as the rest rises at another rate than the whole: what a warm-up, a hump or a
// falling cache leaves behind in the rate of a leak. At least 20 points stay, since a few hardly tell a bend from chance.
func (r rated) straight(level float64) rated {
	for r.len() >= 40 {
		late := r.points.from(r.len() / 2)
		line, _ := lineOf(late.t, late.y, level)
		if line.Lo <= r.line.Slope && r.line.Slope <= line.Hi {
			break
		}
		r.points, r.line = late, line
	}
	return r
}

// lineOf fits a line whose interval knows of the memory of the noise, and gives half the interval that does not, by which growth
// is told. Where the wider one would take in 0 though the other does not, the lower end of that stays.
func lineOf(t, y []float64, level float64) (line stat.Line, seen float64) {
	slope := stat.TheilSen(t, y, 0, level).Slope
	trend := stat.HamedRao(t, y, slope)
	line = stat.TheilSen(t, y, trend.Var, level)
	seen = (line.Hi - line.Lo) / 2
	if more := memoryOf(t, y, slope) / trend.F; more > 1 {
		wide := stat.TheilSen(t, y, trend.Var*more, level)
		if wide.Lo <= 0 {
			wide.Lo = max(wide.Lo, line.Lo)
		}
		line = wide
	}
	return line, seen
}

// memoryOf is by how much the variance of a trend is greater than that of independent residuals, if they remember the one before
// by a share of rho: (1+rho)/(1-rho). The line that was taken out hides part of it, 2+4·rho of n.
func memoryOf(t, y []float64, slope float64) float64 {
	n := float64(len(y))
	if n < 10 {
		return 1
	}
	d := make([]float64, len(y))
	for i := range d {
		d[i] = y[i] - slope*t[i]
	}
	rho := stat.Autocorrelation(d)[1]
	if rho < 1.96/math.Sqrt(n) {
		return 1
	}
	rho = min((rho+2/n)/(1-4/n), 1-2/n)
	return (1 + rho) / (1 - rho)
}

// bend finds the point from which the series rises, if a level before it fits clearly better than a line
// throughout: by a third of the squares, and with a slope that is a tenth steeper. 0 if it rises from the start.
func (c *candidate) bend() int {
	m := c.len()
	f := newCurves(c.x, c.y)
	line, _ := f.fit(f.u)
	best, at, steep := 0.67*line, 0, 0.0
	column := make([]float64, m)
	for k := m / 8; k <= m-5; k++ {
		left, co := f.fit(f.of(column, func(u float64) float64 { return max(0, u-f.u[k]) }))
		if left < best {
			best, at, steep = left, k, co[1]
		}
	}
	if steep < 1.1*c.gain {
		return 0
	}
	return at
}

// confidence is high when the second half is significant by itself, and there is more than a handful of samples.
func (g *grower) confidence(c *candidate) string {
	h := c.from(c.len() / 2)
	late := stat.HamedRao(h.x, h.y, stat.TheilSen(h.x, h.y, 0, g.c.Level).Slope)
	if g.n > 7 && late.PUp <= 0.05 {
		return "high"
	}
	return "medium"
}

// stated fills in the numbers of a line.
func (g *grower) stated(r rated) Judgement {
	span := g.s.t[g.s.len()-1] - r.since
	growth, resolvable := g.within(r.mean*span, r.since), r.seen*span
	j := Judgement{N: g.n, Dropped: g.dropped, DurationS: g.duration(), SlopePerS: &r.line.Slope, SlopeLo: &r.line.Lo, SlopeHi: &r.line.Hi,
		Growth: &growth, GrowthS: span, Resolvable: &resolvable, Iteration: g.byIteration()}
	if r.mean != r.line.Slope {
		rate := g.s.t[g.s.len()-1] - r.t[0]
		j.RateS = &rate
	}
	return j
}

// within holds growth to what the series did: a line through points that do not lie on it can rise by more than they span.
func (g *grower) within(growth, since float64) float64 {
	from := sort.SearchFloat64s(g.s.t, since)
	if from >= g.s.len() {
		return growth
	}
	span := slices.Max(g.s.y[from:]) - slices.Min(g.s.y[from:])
	return max(min(growth, span), -span)
}

// weigh says whether growth matters: by its size against a floor, by what it is of the level it began at, and by the time it
// leaves to the limit.
func (g *grower) weigh(j *Judgement, r rated) {
	last := g.s.y[g.s.len()-1]
	if g.in.Limit > 0 && *j.SlopePerS > 0 {
		eta := max(g.in.Limit-last, 0) / *j.SlopePerS
		j.EtaS = &eta
	}
	floor := g.floor()
	switch {
	case *j.Growth <= floor && !g.lasts(j, r.start):
		j.Severity = "note"
	case j.EtaS != nil && *j.EtaS <= g.c.CriticalS:
		j.Severity = "critical"
	case *j.Growth >= g.c.Critical*math.Abs(r.start) && *j.Growth > 4*floor:
		j.Severity = "critical"
	default:
		j.Severity = "warning"
	}
}

// lasts says whether growth that is small beside its level matters all the same: it is certain, more than the least that matters of
// anything, and went on for an hour or more at a rate that adds a twentieth of the level in a day.
func (g *grower) lasts(j *Judgement, level float64) bool {
	return (g.in.Kind == Bytes || g.in.Kind == "") && g.in.Tick == "" && j.Confidence == "high" && *j.Growth > g.c.Floors[Bytes] && j.GrowthS >= 3600 &&
		*j.SlopePerS*86400 >= 0.05*math.Abs(level)
}

// floor is the growth from which it matters.
func (g *grower) floor() float64 {
	floor := g.c.Floors[g.in.Kind]
	if g.in.Kind == Bytes || g.in.Kind == "" {
		floor = max(g.c.Floors[Bytes], g.c.Share*stat.Median(g.s.y))
	}
	return floor
}

// patterned states growth that was found by its form.
func (g *grower) patterned(f *finding) Judgement {
	r := rated{points: f.points, since: f.t[0]}
	r.line, r.seen = lineOf(f.t, f.y, g.c.Level)
	span := (f.x[f.len()-1] - f.x[0]) / (f.t[f.len()-1] - f.t[0])
	r.start = r.line.Intercept + r.line.Slope*r.since
	slope := f.slope * span
	r.line.Lo, r.line.Hi = min(r.line.Lo, slope), max(r.line.Hi, slope)
	r.line.Slope, r.mean = slope, slope
	j := g.stated(r)
	j.Verdict, j.Confidence, j.Basis = Leak, "medium", f.basis
	g.weigh(&j, r)
	j.Reason = fmt.Sprintf("grew by %s: %s%s%s", g.speed(j), f.why, g.perIterationText(j.Iteration), g.omitted())
	return j
}

// noLeak tells apart what does not grow. The line stated is that of the troughs, or of the narrowest interval, so that a
// saw-tooth is not called noisy when its floor is known well.
func (g *grower) noLeak(main []candidate) Judgement {
	best := g.narrowest(main)
	best.since, best.mean, best.seen = g.s.t[main[0].start], best.line.Slope, (best.line.Hi-best.line.Lo)/2
	j := g.stated(best)
	first := &main[0]
	if first.line.Pairs == 0 {
		first.fit()
	}
	j.Basis, j.P = best.basis, &best.p
	j.Verdict, j.Reason = g.instead(first, &j)
	j.Reason += g.perIterationText(j.Iteration) + g.omitted()
	return j
}

func (g *grower) narrowest(main []candidate) rated {
	var best rated
	for i := range main {
		c := &main[i]
		trend := stat.HamedRao(c.t, c.y, stat.TheilSen(c.t, c.y, 0, g.c.Level).Slope)
		r := rated{points: c.points, line: stat.TheilSen(c.t, c.y, trend.Var, g.c.Level), basis: c.basis, p: trend.PUp}
		if c.basis == "trough" {
			return r
		}
		if best.y == nil || r.line.Hi-r.line.Lo < best.line.Hi-best.line.Lo {
			best = r
		}
	}
	return best
}

// instead names what the series did instead of growing, and says by what.
func (g *grower) instead(c *candidate, j *Judgement) (Verdict, string) {
	head, tail := c.ends()
	resolution := fmt.Sprintf("growth of more than %s would have shown", g.amount(*j.Resolvable))
	step := stat.StepFit(g.s.y)
	noise := stat.NoiseSD(c.y)
	rise := step.After - step.Before
	switch {
	case stat.MAD(g.s.y) == 0 && g.s.y[0] == g.s.y[g.s.len()-1] && spread(g.s.y) == 0:
		return Stable, fmt.Sprintf("the same value, %s, in all %d samples", g.amount(g.s.y[0]), g.n)
	case g.isStep(step, noise) && rise > 0:
		return Step, fmt.Sprintf("one step of %s at %s explains it better than steady growth; it has stayed for %s", g.amount(rise), g.clock(g.s.t[step.Index]), plural(g.s.len()-step.Index, "sample"))
	case c.failed != "significant" && c.failed != "":
		return g.halted(c, resolution)
	case c.trend.P < 2*g.c.Alpha && c.line.Hi < 0:
		return Falling, fmt.Sprintf("fell from about %s to %s (p %s)", g.amount(head), g.amount(tail), small(c.trend.P))
	case g.rose(c):
		return Plateau, fmt.Sprintf("rose to about %s at the start and has been level since (p %s for growth after it); %s", g.amount(tail), small(c.trend.PUp), resolution)
	case *j.Resolvable > g.floor() && (*j.P < 0.2 || *j.Resolvable > 0.25*stat.Median(g.s.y)):
		return Undetermined, fmt.Sprintf("no growth is certain (p %s), but %s, and that is more than the %s that would matter", small(*j.P), resolution, g.amount(g.floor()))
	}
	return Stable, fmt.Sprintf("no growth (p %s); %s", small(*j.P), resolution)
}

// halted names a rise that a gate stopped.
func (g *grower) halted(c *candidate, resolution string) (Verdict, string) {
	rose := fmt.Sprintf("rose by %s (p %s), but ", g.amount(c.gain), small(c.trend.PUp))
	switch c.failed {
	case "late", "tail", "flat":
		if c.notFlat() {
			return WarmUp, rose + fmt.Sprintf("slows down: the second half rises at %.0f %% of the mean rate; %s", 100*max(c.lateRatio(), 0), resolution)
		}
		return Plateau, rose + "has stopped rising; " + resolution
	case "levels off":
		return WarmUp, rose + "a curve that levels off explains it as well; " + resolution
	case "step":
		return Step, rose + "in one step rather than steadily"
	case "drift":
		return Undetermined, rose + "in so few and uneven moves that chance or a load may be why; " + resolution
	}
	return Undetermined, rose + "its ups and downs are as large, and its floor does not clearly rise; " + resolution
}

// isStep asks for two levels that fit much better than a line, clearly apart.
func (g *grower) isStep(step stat.Step, noise float64) bool {
	n := g.s.len()
	if step.Index < max(3, n/20) || n-step.Index < max(1, n/50) || step.After-step.Before < 6*noise {
		return false
	}
	line, cost := stat.TheilSen(g.binned(g.s).x, g.binned(g.s).y, 0, g.c.Level), 0.0
	for i := range g.s.y {
		cost += math.Abs(g.s.y[i] - line.Intercept - line.Slope*g.s.x[i])
	}
	before, after := g.s.y[:step.Index], g.s.y[step.Index:]
	return step.Cost < 0.4*cost && step.After-step.Before > 8*max(stat.MAD(before), stat.MAD(after))
}

// rose says whether the start lies clearly below the rest.
func (g *grower) rose(c *candidate) bool {
	head := g.s.y[:max(c.start/2, 1)]
	rest := g.s.y[c.start:]
	return stat.Median(rest)-stat.Median(head) > max(6*stat.MAD(rest), g.floor())
}

// ends are the levels of the first and last tenth.
func (c *candidate) ends() (head, tail float64) {
	k := max(c.len()/10, 1)
	return stat.Median(c.y[:k]), stat.Median(c.y[c.len()-k:])
}
