package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

// coupleRuns holds runs against each other of which each was made at another value of a driver, as its name or a constant
// column tells. Growth comes first: what a run gains shows a cost that stays, its peak only one that it needs.
func (r *Result) coupleRuns(runs [][]*track, values [][]setting, o Options) {
	for _, name := range settings(values) {
		bySubject := map[Subject][]point{}
		var order []Subject
		for i := range runs {
			v, ok := valueOf(values[i], name)
			if !ok {
				continue
			}
			for _, k := range runs[i] {
				if !k.coupled() {
					continue
				}
				if bySubject[k.subject] == nil {
					order = append(order, k.subject)
				}
				bySubject[k.subject] = append(bySubject[k.subject], point{v, k})
			}
		}
		for _, s := range order {
			if one := r.alongRuns(name, bySubject[s], o); one != nil {
				r.Couplings = append(r.Couplings, *one)
				r.superlinear(one, ofPoints(bySubject[s]))
			}
		}
	}
}

// setting is a driver that has one value in a run.
type setting struct {
	name  string
	value float64
}

// point is a series of one run and the setting it was made at.
type point struct {
	x float64
	k *track
}

// settingsOf are the drivers that a run has one value of: constant columns, and numbers that stand behind a name in the name
// of the run (batch_size=8, batch-16).
func settingsOf(c *Capture, drivers []driver, names []string) (out []setting) {
	for _, d := range drivers {
		if !d.counts && slices.Min(d.v) == slices.Max(d.v) {
			out = append(out, setting{d.name, d.v[0]})
		}
	}
	for _, n := range append(slices.Clone(names), "batch_size", "batch", "sessions", "concurrency") {
		if v, ok := numberBehind(c.Name, n); ok && !slices.ContainsFunc(out, func(s setting) bool { return s.name == n }) {
			out = append(out, setting{n, v})
		}
	}
	return out
}

// numberBehind finds a number behind a name and one of = - _ or nothing.
func numberBehind(text, name string) (float64, bool) {
	for rest := strings.ToLower(text); ; {
		i := strings.Index(rest, strings.ToLower(name))
		if i < 0 {
			return 0, false
		}
		rest = strings.TrimLeft(rest[i+len(name):], "=-_")
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if v, err := strconv.ParseFloat(rest[:n], 64); err == nil {
			return v, true
		}
	}
}

func settings(values [][]setting) (out []string) {
	for _, list := range values {
		for _, s := range list {
			if !slices.Contains(out, s.name) {
				out = append(out, s.name)
			}
		}
	}
	return out
}

func valueOf(list []setting, name string) (float64, bool) {
	i := slices.IndexFunc(list, func(s setting) bool { return s.name == name })
	if i < 0 {
		return 0, false
	}
	return list[i].value, true
}

// alongRuns fits what the runs gained, or their peaks where they gained nothing clear.
func (r *Result) alongRuns(name string, points []point, o Options) *Coupling {
	for _, of := range []string{"iteration_slope", "growth", "peak"} {
		var x, y []float64
		for _, p := range points {
			if v, ok := r.quantity(p.k, of); ok {
				x, y = append(x, p.x), append(y, v)
			}
		}
		u, v := medians(x, y)
		if len(u) < 4 {
			continue
		}
		fit := stat.LogPower(u, v, o.Growth.Level)
		if of == "peak" {
			fit = stat.BasePower(u, v, o.Growth.Level)
		}
		one := points[0].k.newPower(name, of, u, v, fit)
		if one != nil {
			one.Run = ""
			return one
		}
	}
	return nil
}

// quantity is what a run is reduced to.
func (r *Result) quantity(k *track, of string) (float64, bool) {
	if of == "peak" {
		return slices.Max(k.y), true
	}
	for i := range r.Series {
		s := &r.Series[i]
		if s.Side != k.side || s.Run != k.run || s.Subject != k.subject || s.Part != k.part || s.Verdict != Leak {
			continue
		}
		if of == "growth" {
			return value(s.SlopePerS), s.SlopePerS != nil
		}
		return value(s.IterationSlope), s.IterationSlope != nil && *s.IterationSlope > 0
	}
	return 0, false
}

func ofPoints(points []point) (out []*track) {
	for _, p := range points {
		out = append(out, p.k)
	}
	return out
}

// superlinear makes a finding of memory that rises faster than the driver: the mark of something kept for each pair of what
// is in a batch. Where it is a level that comes and goes with the setting, it is a cost and not a loss: a note.
func (r *Result) superlinear(c *Coupling, tracks []*track) {
	if c.Form != "power" || value(c.ExponentLo) < 1.2 {
		return
	}
	severity := "warning"
	if c.Of == "level" || c.Of == "peak" {
		severity = "note"
	}
	class := "superlinear"
	if *c.ExponentLo <= 2.05 && (c.ExponentHi == nil || *c.ExponentHi >= 1.95) {
		class = "quadratic"
	}
	f := Finding{Rule: "coupled-growth", Class: class, Severity: severity, Side: c.Side, Run: c.Run, Subject: c.Subject, Message: sentence(c.Message), Stats: map[string]float64{"exponent": *c.Exponent, "n": float64(c.N), "growth": c.Growth},
		Advice:   fmt.Sprintf("Look for what is kept for each pair of elements of %s: a closure that keeps its inputs (gradient checkpoints), a score or mask of all against all.", c.Driver),
		Warnings: []string{}, Evidence: []Evidence{}}
	for name, v := range map[string]*float64{"exponent_lo": c.ExponentLo, "exponent_hi": c.ExponentHi} {
		if v != nil {
			f.Stats[name] = *v
		}
	}
	for _, k := range tracks {
		f.Evidence = append(f.Evidence, k.place(len(k.y)-1))
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, c.Driver)
	r.Findings = append(r.Findings, f)
}
