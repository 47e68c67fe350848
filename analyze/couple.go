package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
	"github.com/memtide/memtide/ingest/table"
)

// Coupling is how a series goes with the work that was given: a driver is a column of counts (requests, batch_size), the
// marks of a log, or a number in the name of each run.
type Coupling struct {
	Side    string  `json:"side,omitempty"`
	Run     string  `json:"run,omitempty"` // empty where each run is one value of the driver
	Subject Subject `json:"subject"`
	Driver  string  `json:"driver"`
	Form    string  `json:"form"`     // linear, or power: base + factor × driver^exponent
	Of      string  `json:"of"`       // what was held against the driver: level, peak, growth or iteration_slope
	N       int     `json:"n"`        // values of the driver, or samples
	From    float64 `json:"from"`     // least value of the driver
	To      float64 `json:"to"`       // greatest
	Level   float64 `json:"level"`    // at the greatest value of the driver
	Growth  float64 `json:"growth"`   // from the least value of the driver to the greatest, by the fit
	Follows float64 `json:"explains"` // share of the variance that the fit explains

	Slope      *float64 `json:"slope,omitempty"` // of a line, in the metric's unit for one of the driver
	SlopeLo    *float64 `json:"slope_lo,omitempty"`
	SlopeHi    *float64 `json:"slope_hi,omitempty"`
	Exponent   *float64 `json:"exponent,omitempty"`
	ExponentLo *float64 `json:"exponent_lo,omitempty"`
	ExponentHi *float64 `json:"exponent_hi,omitempty"`
	Message    string   `json:"message"`
}

// driver is the work given over the time of a run.
type driver struct {
	name   string
	t, v   []float64
	counts bool // it only rises: a count of what was done, not a setting
}

func (c *Capture) drivers(totals []*track) (drivers []driver, rest []*track) {
	for _, k := range totals {
		if k.subject.Scope == "driver" {
			drivers = append(drivers, newDriver(k.subject.Name, k.t, k.y))
		} else {
			rest = append(rest, k)
		}
	}
	if c.Set == nil {
		return drivers, rest
	}
	for _, s := range table.MarksOf(c.Set) {
		drivers = append(drivers, newDriver(s.Name, seconds(s.TimeNS), floats(s.Value)))
	}
	return drivers, rest
}

func newDriver(name string, t, v []float64) driver {
	return driver{name, t, v, slices.IsSorted(v) && len(v) > 1 && v[len(v)-1] > v[0]}
}

// along gives the value of the driver at each time: the last one known. Nil if the driver begins too late to say it of nine
// tenths of them.
func (d driver) along(t []float64) []float64 {
	out := make([]float64, len(t))
	i, unknown := -1, 0
	for k, at := range t {
		for i+1 < len(d.t) && d.t[i+1] <= at {
			i++
		}
		if i < 0 {
			unknown++
			out[k] = d.v[0]
			continue
		}
		out[k] = d.v[i]
	}
	if 10*unknown > len(t) {
		return nil
	}
	return out
}

// couple holds the totals of a run against its drivers.
func (r *Result) couple(c *Capture, totals []*track, drivers []driver, o Options) {
	leaks := map[Subject]bool{}
	for i := range r.Series {
		if s := &r.Series[i]; s.Run == c.Name && s.Verdict == Leak {
			leaks[s.Subject] = true
		}
	}
	for _, k := range totals {
		if s := k.subject; !k.coupled() || s.Scope != "process" && s.Scope != "device" && !leaks[s] {
			continue
		}
		for _, d := range drivers {
			var one *Coupling
			if v := d.along(k.t); v == nil {
				continue
			} else if d.counts {
				one = k.perUnit(d.name, v, o.Growth)
			} else {
				one = k.power(d.name, v, o.Growth.Level)
			}
			if one != nil {
				r.Couplings = append(r.Couplings, *one)
				r.superlinear(one, []*track{k})
			}
		}
	}
}

// coupled says whether a track is one of those that may be held against a driver: memory in use, of a process, device, class
// or pool.
func (k *track) coupled() bool {
	s := k.subject
	return len(k.y) >= DefaultGrowth.MinSamples && slices.Contains([]string{"process", "device", "class", "pool", "site", "category"}, s.Scope) && !rising(s.Metric)
}

// perUnit judges the growth of a track on the axis of a count of work: so much for each request.
func (k *track) perUnit(name string, v []float64, c GrowthConfig) *Coupling {
	j := JudgeGrowth(GrowthInput{T: k.t, Y: k.y, Iterations: v, Kind: kindOf(k.subject)}, c)
	if j.Verdict != Leak || j.Iteration == nil || !(j.Iteration.Lo > 0) {
		return nil
	}
	it := j.Iteration
	one := k.newCoupling(name, "linear", "level", v)
	one.Slope, one.SlopeLo, one.SlopeHi = finite(&it.Slope), finite(&it.Lo), finite(&it.Hi)
	one.Growth, one.Follows = it.Slope*(one.To-one.From), correlation(v, k.y)
	one.Message = fmt.Sprintf("%s grows by %s for each of %s (95 %% interval %s to %s): %s from %.6g to %.6g", title(k.subject), k.amount(it.Slope), name,
		k.amount(it.Lo), k.amount(it.Hi), k.amount(one.Growth), one.From, one.To)
	return one
}

// power fits a level that goes with a setting: a base, and a power of the setting.
func (k *track) power(name string, v []float64, level float64) *Coupling {
	x, y := medians(v, k.y)
	return k.newPower(name, "level", x, y, stat.BasePower(x, y, level))
}

// newPower makes a coupling of a fit that says anything: an exponent clearly above 0, a curve that explains what is there.
func (k *track) newPower(name, of string, x, y []float64, p stat.Power) *Coupling {
	if math.IsNaN(p.Exponent) || !(p.Factor > 0) || !(p.Lo > 0) || p.Explained < 0.8 {
		return nil
	}
	one := k.newCoupling(name, "power", of, x)
	one.N, one.Follows = len(x), p.Explained
	one.Exponent, one.ExponentLo, one.ExponentHi = finite(&p.Exponent), finite(&p.Lo), finite(&p.Hi)
	one.Growth = p.Factor * (math.Pow(one.To, p.Exponent) - math.Pow(one.From, p.Exponent))
	what := map[string]string{"level": "", "peak": "the peak of ", "growth": "the growth of ", "iteration_slope": "the growth per iteration of "}[of]
	one.Message = fmt.Sprintf("%s%s rises with %s to the power %.2f (95 %% interval %s), over %d values from %.6g to %.6g", what, title(k.subject), name, p.Exponent,
		bounds(p.Lo, p.Hi), len(x), one.From, one.To)
	return one
}

func bounds(lo, hi float64) string {
	if math.IsInf(hi, 1) {
		return fmt.Sprintf("from %.2f up", lo)
	}
	return fmt.Sprintf("%.2f to %.2f", lo, hi)
}

func (k *track) newCoupling(name, form, of string, v []float64) *Coupling {
	top := slices.Max(v)
	var there []float64
	for i := range v {
		if v[i] == top && len(v) == len(k.y) {
			there = append(there, k.y[i])
		}
	}
	level := slices.Max(k.y)
	if len(there) > 0 {
		level = stat.Median(there)
	}
	return &Coupling{Level: level, Side: k.side, Run: k.run, Subject: k.subject, Driver: name, Form: form, Of: of, N: len(v), From: slices.Min(v), To: slices.Max(v)}
}

// amount writes a figure of the track's metric.
func (k *track) amount(v float64) string {
	if kind := kindOf(k.subject); kind != Objects && kind != Handles {
		return amount(k.subject, v)
	}
	return fmt.Sprintf("%.3g", v)
}

// medians gives the different values of x above 0, in order, with the median of the y at each.
func medians(x, y []float64) (u, v []float64) {
	groups := map[float64][]float64{}
	for i := range x {
		if x[i] > 0 && y[i] >= 0 && y[i] < absurd {
			groups[x[i]] = append(groups[x[i]], y[i])
		}
	}
	for k := range groups {
		u = append(u, k)
	}
	slices.Sort(u)
	for _, k := range u {
		v = append(v, stat.Median(groups[k]))
	}
	return u, v
}

// correlation is the square of Pearson's coefficient.
func correlation(x, y []float64) float64 {
	var mx, my, sxx, syy, sxy float64
	n := float64(len(x))
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		a, b := x[i]-mx, y[i]-my
		sxx, syy, sxy = sxx+a*a, syy+b*b, sxy+a*b
	}
	if sxx == 0 || syy == 0 {
		return 0
	}
	return sxy * sxy / (sxx * syy)
}

// goesWith adds to a finding of growth which work it goes with: the driver that explains it best.
func (r *Result) goesWith(f *Finding) {
	var best *Coupling
	for i := range r.Couplings {
		c := &r.Couplings[i]
		if c.Form == "linear" && c.Subject == f.Subject && c.Side == f.Side && c.Run == f.Run && (best == nil || c.Follows > best.Follows) {
			best = c
		}
	}
	if best == nil {
		return
	}
	per := &track{subject: f.Subject}
	f.Message += fmt.Sprintf(" It goes with %s: %s for each (95 %% interval %s to %s), %s from %.6g to %.6g.", best.Driver, per.amount(value(best.Slope)),
		per.amount(value(best.SlopeLo)), per.amount(value(best.SlopeHi)), per.amount(best.Growth), best.From, best.To)
	f.Stats["per_"+best.Driver] = value(best.Slope)
}
