package ruling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Tests are the test cases of a result: one for each check of its policy. A result without checks has one for each
// series that was judged, each decisive change and each finding. The series of the before side are left out, since
// what is tested is the build after. A growth or finding that is only a note holds; one that the before side has too
// is open: a comparison does not fail for what did not change, and does not call it good.
func Tests(r *analyze.Result) []Ruling {
	var out []Ruling
	if len(r.Checks) > 0 {
		return checks(r)
	}
	twoSided := slices.ContainsFunc(r.Series, func(s analyze.Series) bool { return s.Side == "after" })
	known := map[string]bool{}
	for _, s := range r.Series {
		if twoSided && s.Side == "before" && s.Verdict == analyze.Leak {
			known[subjectKey(s.Subject)] = true
		}
	}
	for _, s := range r.Series {
		if !twoSided || s.Side != "before" {
			out = append(out, series(s, known[subjectKey(s.Subject)]))
		}
	}
	for _, d := range r.Deltas {
		if d.Subject.Scope == "process" && slices.Contains(decisive, d.Subject.Metric) {
			out = append(out, delta(d))
		}
	}
	for _, f := range findings(r) {
		out = append(out, tested(f.Ruling))
	}
	return out
}

// decisive are the metrics of a process whose change decides a comparison, as in analyze (a test holds the two against
// each other).
var decisive = []string{"footprint", "pss", "rss", "uss", "private_dirty", "dirty", "anonymous", "swap", "swap_pss", "heap_alloc", "gpu_used", "gpu_allocated", "live_bytes"}

// tested is a finding as a test case.
func tested(f Ruling) Ruling {
	switch {
	case f.Outcome != Broken:
	case f.Severity == "note":
		f.Outcome = Held
	case f.Status == "kept":
		f.Outcome, f.Message = Open, "The before side has it too. "+f.Message
	}
	return f
}

// series is the test that a series does not leak.
func series(s analyze.Series, known bool) Ruling {
	out := Ruling{Suite: "growth", Name: title(s.Subject), Rule: "growth", Class: short(s.Subject.Scope), Metric: short(s.Subject.Metric), Severity: severity(s.Severity),
		Subject: s.Subject, Fingerprint: identity("series", s.Run, fmt.Sprint(s.Part), subjectKey(s.Subject))}
	if s.Run != "" {
		out.Name += " in " + short(s.Run)
	}
	if s.Part > 0 {
		out.Name += fmt.Sprintf(", part %d", s.Part+1)
	}
	switch s.Verdict {
	case analyze.Step, analyze.WarmUp, analyze.Plateau, analyze.Stable, analyze.Falling:
		out.Outcome = Held
	case analyze.Leak:
		out.Outcome = Broken
		if known {
			out.Status = "kept"
		}
	default:
		out.Outcome = Open
	}
	out.Message = strings.TrimSpace(strings.TrimSpace(short(string(s.Verdict))+" "+short(s.Confidence)) + ": " + sentence(s.Reason))
	kind, n := KindOf(s.Subject.Metric), (*numbers)(&out.Numbers)
	steady, peak := float64(s.Steady), float64(s.Max)
	n.quantity("steady_median", kind, &steady)
	n.quantity("peak", kind, &peak)
	n.change("growth", kind, s.Growth)
	n.rate("slope_per_s", kind, s.SlopePerS)
	n.quantity("resolvable", kind, s.Resolvable)
	n.plain("p", s.P)
	return tested(out)
}

// delta is the test that a decisive metric did not get worse.
func delta(d analyze.Delta) Ruling {
	out := Ruling{Suite: "compare", Name: title(d.Subject), Rule: "regression", Class: short(d.Subject.Metric), Metric: short(d.Subject.Metric), Severity: "warning",
		Subject: d.Subject, Fingerprint: identity("delta", subjectKey(d.Subject))}
	switch d.Verdict {
	case analyze.Regression:
		out.Outcome = Broken
	case analyze.Improvement, analyze.Equivalent, analyze.New, analyze.Removed:
		out.Outcome = Held
	default:
		out.Outcome = Open
	}
	kind, n := KindOf(d.Subject.Metric), (*numbers)(&out.Numbers)
	n.quantity("before", kind, d.Before.Median)
	n.quantity("after", kind, d.After.Median)
	n.change("shift", kind, d.Shift)
	n.change("shift_lo", kind, d.ShiftLo)
	n.change("shift_hi", kind, d.ShiftHi)
	n.add("relative", d.Relative, unit.Percent)
	n.plain("p", d.P)
	n.quantity("band", kind, &d.Band)
	out.Message = fmt.Sprintf("%s: %s before, %s after: %s (%s), interval %s to %s, tolerance %s.", short(string(d.Verdict)), unit.Quantity(kind, d.Before.Median),
		unit.Quantity(kind, d.After.Median), unit.Change(kind, d.Shift), unit.Percent(d.Relative), unit.Change(kind, d.ShiftLo), unit.Change(kind, d.ShiftHi), unit.Quantity(kind, &d.Band))
	if d.Note != "" {
		out.Message += " " + sentence(d.Note) + "."
	}
	return out
}
