package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// decisive are the metrics of a process that decide a comparison; address space and peaks since the start only
// inform.
var decisive = []string{"footprint", "pss", "rss", "uss", "private_dirty", "dirty", "anonymous", "swap", "swap_pss", "heap_alloc", "gpu_used", "gpu_allocated", "live_bytes"}

// leading is the order in which one change is named in the summary.
var leading = []string{"pss", "footprint", "rss", "uss", "private_dirty"}

// findRegressions makes a finding of each decisive total that got worse, and marks findings of the after side that the
// before side has too.
func (r *Result) findRegressions() {
	before := map[string]bool{}
	for _, f := range r.Findings {
		if f.Side == "before" {
			before[f.Fingerprint] = true
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Side == "after" && before[f.Fingerprint] {
			f.Warnings = append(f.Warnings, "The before side has this finding too.")
		}
	}
	for i := range r.Deltas {
		if d := &r.Deltas[i]; d.Verdict == Regression && d.decides() {
			r.Findings = append(r.Findings, regression(d))
		}
	}
	r.sortFindings()
}

func (d *Delta) decides() bool {
	return d.Subject.Scope == "process" && slices.Contains(decisive, d.Subject.Metric)
}

func regression(d *Delta) Finding {
	f := Finding{Rule: "regression", Class: d.Subject.Metric, Severity: "warning", Side: "after", Subject: d.Subject, Evidence: []Evidence{}, Warnings: []string{},
		Message: fmt.Sprintf("%s rose from %s to %s: %s.", title(d.Subject), mebibytes(*d.Before.Median), mebibytes(*d.After.Median), d.change()),
		Stats:   map[string]float64{"shift": value(d.Shift), "shift_lo": value(d.ShiftLo), "shift_hi": value(d.ShiftHi), "relative": value(d.Relative)},
		Advice:  "See which categories and mappings carry the change; take heap profiles of both builds at the same moment and compare them.",
	}
	if d.Note != "" {
		f.Warnings = append(f.Warnings, d.Note)
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject)
	return f
}

// change writes a shift with its interval.
func (d *Delta) change() string {
	text := signed(value(d.Shift))
	if d.Relative != nil {
		text += fmt.Sprintf(" (%+.1f %%)", 100**d.Relative)
	}
	if d.ShiftLo != nil && d.ShiftHi != nil {
		text += fmt.Sprintf(", interval %s to %s", signed(*d.ShiftLo), signed(*d.ShiftHi))
	}
	return text
}

func signed(v float64) string {
	if v > 0 {
		return "+" + mebibytes(v)
	}
	return mebibytes(v)
}

// conclude sets the verdict of a comparison: fail if a decisive total got worse or the after side leaks where the
// before side does not; inconclusive if one is open; else pass.
func (c *comparison) conclude() {
	r := c.r
	var worse, better, open, same []*Delta
	for i := range r.Deltas {
		d := &r.Deltas[i]
		if !d.decides() {
			continue
		}
		switch d.Verdict {
		case Regression:
			worse = append(worse, d)
		case Improvement:
			better = append(better, d)
		case Unsettled:
			open = append(open, d)
		case Equivalent:
			same = append(same, d)
		}
	}
	fresh := r.freshLeaks()
	switch {
	case len(worse) > 0:
		r.Verdict, r.Summary = Fail, "Memory got worse: "+name(worse)
	case len(fresh) > 0:
		r.Verdict, r.Summary = Fail, "The after side leaks, the before side does not: "+fresh[0].Message
	case len(open) > 0:
		r.Verdict, r.Summary = Inconclusive, "It cannot be said whether memory changed: "+name(open)
	case len(better) > 0:
		r.Verdict, r.Summary = Pass, "Memory got better: "+name(better)
	case len(same) > 0:
		r.Verdict, r.Summary = Pass, "No change that matters: "+name(same)
	default:
		r.Verdict, r.Summary = Inconclusive, "The two sides have no metric of a process in common."
	}
	c.caveats()
}

// freshLeaks are the findings of growth that only the after side has.
func (r *Result) freshLeaks() []Finding {
	var out []Finding
	for _, f := range r.Findings {
		if f.Side == "after" && (f.Rule == "growth" || f.Rule == "handle-leak") && f.Severity != "note" && !slices.Contains(f.Warnings, "The before side has this finding too.") {
			out = append(out, f)
		}
	}
	return out
}

func name(ds []*Delta) string {
	slices.SortStableFunc(ds, func(a, b *Delta) int { return cmp.Compare(place(a), place(b)) })
	var out []string
	for _, d := range ds[:min(3, len(ds))] {
		out = append(out, d.Subject.Metric+" "+d.change())
	}
	text := strings.Join(out, "; ")
	if len(ds) > 3 {
		text += fmt.Sprintf("; and %d more", len(ds)-3)
	}
	return text + "."
}

func place(d *Delta) int {
	if i := slices.Index(leading, d.Subject.Metric); i >= 0 {
		return i
	}
	return len(leading)
}

// caveats says what the number of runs cannot carry.
func (c *comparison) caveats() {
	b, a := c.sides[0].runs, c.sides[1].runs
	if n := min(b, a); n < c.o.AB.MinRuns {
		c.warn("%d run before, %d after: the intervals cannot speak for the spread from run to run, so only changes over %g %% are called. Take at least %d runs a side.", b, a, 100*c.o.AB.SingleRun, c.o.AB.MinRuns)
	}
}
