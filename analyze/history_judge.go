package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
	"github.com/memtide/memtide/ingest/table"
)

// of judges one subject.
func (h *histories) of(s Subject) History {
	out := History{Subject: s, Changes: []ChangePoint{}}
	var y []float64
	var at []int // the build of each value
	for i := range h.builds {
		l := h.builds[i].at(s)
		out.Builds = append(out.Builds, l)
		if l.Runs > 0 && l.Median != nil {
			y, at = append(y, *l.Median), append(at, i)
		}
	}
	if skip := len(y) - h.c.MaxBuilds; skip > 0 {
		y, at = y[skip:], at[skip:]
	}
	newest := len(h.builds) - 1
	switch {
	case at[len(at)-1] != newest:
		out.Verdict, out.Note = Removed, "not measured in the newest build"
		return out
	case len(y) == 1:
		out.Verdict, out.Note = New, "measured in the newest build only"
	}
	out.Band = h.o.AB.band(s, stat.Median(y[:max(len(y)-1, 1)]))
	f := h.detect(s, y)
	trend := f.trend(h.c, h.matters(s))
	if trend != nil {
		f = newFit(rest(y, *trend), nil)
		f.y = y
	}
	for i := range f.jumps {
		out.Changes = append(out.Changes, h.change(s, f, i, at))
	}
	undone(out.Changes)
	out.Drift = h.drift(s, y, f, trend)
	h.rule(&out, f)
	return out
}

func (h *histories) matters(s Subject) func(level, shift float64) bool {
	return func(level, shift float64) bool {
		return shift != 0 && math.Abs(shift) >= h.o.AB.band(s, math.Abs(level))
	}
}

func (h *histories) detect(s Subject, y []float64) fit {
	return h.c.detect(y, h.o.Seed, h.matters(s))
}

// incline is a steady rise or fall over the builds.
type incline struct {
	slope, base float64 // per build; at the first one
	lo, hi      float64 // interval of the slope
	p           float64
}

func rest(y []float64, l incline) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = v - l.base - l.slope*float64(i)
	}
	return out
}

// trend is the line through all builds, where it is significant, large enough, and tells them at least as well as the jumps
// do: then no single build brought the change.
func (f fit) trend(c HistoryConfig, matters func(level, shift float64) bool) *incline {
	n := len(f.y)
	if n < 2*c.MinSegment {
		return nil
	}
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i)
	}
	k := stat.HamedRao(t, f.y, stat.TheilSen(t, f.y, 1, c.Level).Slope)
	s := stat.TheilSen(t, f.y, k.Var, c.Level)
	l := incline{s.Slope, s.Intercept, s.Lo, s.Hi, k.P}
	if k.P > c.Guard || !matters(s.Intercept, s.Slope*float64(n-1)) {
		return nil
	}
	steps, flat, sloped := 0.0, spreadOf(f.y), 0.0
	for _, p := range f.parts() {
		steps += spreadOf(p)
	}
	for _, v := range rest(f.y, l) {
		sloped += math.Abs(v)
	}
	if sloped > steps || len(f.jumps) == 0 && sloped > 0.8*flat {
		return nil
	}
	return &l
}

// change writes down one jump.
func (h *histories) change(s Subject, f fit, i int, at []int) ChangePoint {
	j := f.jumps[i]
	before, after := f.part(i), f.part(i+1)
	p := ChangePoint{Build: h.builds[at[j.at]].Name, Index: at[j.at], After: len(after), From: stat.Median(before), To: stat.Median(after),
		Shift: j.shift.Shift, ShiftLo: j.shift.Lo, ShiftHi: j.shift.Hi, P: j.split.P, Basis: "history", Verdict: worsening(s, j.shift.Shift)}
	if p.From != 0 {
		relative := p.Shift / p.From
		p.Relative = &relative
	}
	if j.at > 0 && at[j.at]-at[j.at-1] > 1 {
		p.Note = fmt.Sprintf("the builds from %s on were not measured: it may be one of them", h.builds[at[j.at-1]+1].Name)
	}
	if j.newest {
		p.Basis, p.P = "newest", j.shift.P
	}
	p.Confidence = h.c.confidence(before, after, j)
	return p
}

// confidence is high where Perfherder's rule, as a second vote, agrees, or where the means are apart beyond any doubt; low where
// one or two builds carry it.
func (c HistoryConfig) confidence(before, after []float64, j jump) string {
	if j.newest {
		if len(after) < 3 {
			return "low"
		}
		return "medium"
	}
	if min(len(before), len(after)) >= stat.PerfherderWindow {
		back := slices.Clone(before)
		slices.Reverse(back)
		if t, relative := stat.Perfherder(back, after); t > c.Alert && math.Abs(relative) >= 0.02 {
			return "high"
		}
		return "medium"
	}
	if j.shift.P < 1e-6 {
		return "high"
	}
	return "medium"
}

// worsening says whether a shift of a subject is for the worse.
func worsening(s Subject, shift float64) Change {
	if (shift > 0) == (table.MetricOf(s.Metric).Better == "lower") {
		return Regression
	}
	return Improvement
}

// undone marks the changes of which less than half is left at the newest build, with the first change back.
func undone(changes []ChangePoint) {
	if len(changes) == 0 {
		return
	}
	now := changes[len(changes)-1].To
	for i := range changes {
		p := &changes[i]
		if left := (now - p.From) / (p.To - p.From); !(left < 0.5) {
			continue
		}
		for _, later := range changes[i+1:] {
			if later.Verdict != p.Verdict {
				p.UndoneBy = later.Build
				break
			}
		}
	}
}

// drift holds the newest builds of the present level against the release or the first build. The scatter is that of the
// builds of the history; where these are too few, that of the runs.
func (h *histories) drift(s Subject, y []float64, f fit, trend *incline) *Drift {
	base, name := h.base(s)
	if base.Runs == 0 || base.Median == nil || len(y) < 2 && h.release == nil {
		return nil
	}
	d := &Drift{Against: name, Release: h.release != nil, Newest: 1, Delta: Delta{Subject: s, Before: base, After: h.builds[len(h.builds)-1].at(s).Level}}
	d.Band = h.o.AB.band(s, *base.Median)
	if len(y) <= h.c.MinSegment {
		d.few(h.o)
	} else {
		present := f.part(len(f.jumps))
		d.Newest = min(len(present), h.c.MinSegment)
		newest := y[len(y)-d.Newest:]
		lo, hi := slices.Min(newest), slices.Max(newest)
		d.After = Level{Runs: d.Newest, Median: median(newest), Lo: &lo, Hi: &hi, Values: slices.Clone(newest)}
		m := f.noise.Shift([]float64{*base.Median}, newest, h.c.Level)
		if trend != nil && h.release == nil {
			span := float64(len(y) - 1)
			m.Shift, m.Lo, m.Hi, m.P = trend.slope*span, trend.lo*span, trend.hi*span, trend.p
		}
		d.Shift, d.ShiftLo, d.ShiftHi, d.P = &m.Shift, &m.Lo, &m.Hi, finite(&m.P)
		if d.Verdict = d.hold(m.Lo, m.Hi); d.Verdict != Equivalent && m.P > h.c.Newest {
			d.Verdict = Unsettled
		}
	}
	if trend != nil {
		d.PerBuild = &trend.slope
	}
	if d.Shift != nil && *base.Median != 0 {
		relative := *d.Shift / *base.Median
		d.Relative = &relative
	}
	return d
}

// base is what the newest builds are held against: the release, else the first build that was measured.
func (h *histories) base(s Subject) (Level, string) {
	if h.release != nil {
		return h.release.at(s).Level, h.release.Name
	}
	first := max(0, slices.IndexFunc(h.builds, func(b Build) bool { return !b.Empty() }))
	return h.builds[first].at(s).Level, h.builds[first].Name
}

// few compares the runs of two builds, as compare does.
func (d *Drift) few(o Options) {
	switch b, a := len(d.Before.Values), len(d.After.Values); {
	case min(b, a) == 0:
		d.Verdict, d.Note = Unsettled, "the runs are not known"
	case min(b, a) >= o.AB.MinRuns:
		d.byRuns(o.AB)
	case max(b, a) == 1:
		d.describe()
		d.Verdict = d.bySize(*d.Shift, *d.Shift, o.AB, d.Verdict)
		if d.Note == "" && d.Verdict != Equivalent {
			d.Note = "one run a build: a difference without an interval"
		}
	default:
		d.byFewRuns(o.AB)
	}
}

// rule gives the history its verdict.
func (h *histories) rule(out *History, f fit) {
	n := len(f.y)
	if n > h.c.MinSegment {
		k := 1
		if n >= 2*h.c.MinSegment {
			k = h.c.MinSegment
		}
		m := f.noise.Shift(f.y[:n-k], f.y[n-k:], 1-h.c.Guard)
		seen := math.Max((m.Hi-m.Lo)/2, out.Band)
		out.Noise, out.Resolvable = finite(&f.noise.SD), finite(&seen)
	}
	if out.Verdict == New {
		return
	}
	out.Verdict = Unsettled
	now := *out.Builds[len(out.Builds)-1].Median
	switch {
	case slices.ContainsFunc(out.Changes, func(p ChangePoint) bool { return p.Verdict == Regression && p.UndoneBy == "" }):
		out.Verdict = Regression
	case out.Drift != nil && out.Drift.Verdict == Regression:
		out.Verdict = Regression
	case slices.ContainsFunc(out.Changes, func(p ChangePoint) bool { return p.Verdict == Improvement && p.UndoneBy == "" }):
		out.Verdict = Improvement
	case out.Drift != nil && (n <= h.c.MinSegment || out.Drift.Verdict == Improvement):
		out.Verdict = out.Drift.Verdict
	case out.Resolvable != nil && *out.Resolvable <= math.Max(out.Band, h.o.AB.SingleRun*math.Abs(now)):
		out.Verdict = Equivalent
	default:
		out.Note = "the builds scatter too much for a change of 10 % to be told"
	}
}
