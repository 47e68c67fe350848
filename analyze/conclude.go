package analyze

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// decisive are the metrics of a process that decide a comparison; address space and peaks since the start only
// inform.
var decisive = []string{"footprint", "pss", "rss", "uss", "private_dirty", "dirty", "anonymous", "swap", "swap_pss", "heap_alloc", "gpu_used", "gpu_allocated", "live_bytes"}

// leading is the order in which one change is named in the summary.
var leading = []string{"pss", "footprint", "rss", "uss", "private_dirty"}

// findRegressions makes a finding of each process of which a decisive total got worse.
func (r *Result) findRegressions() {
	worse := map[string][]*Delta{}
	var order []string
	for i := range r.Deltas {
		if d := &r.Deltas[i]; d.Verdict == Regression && d.Decides() {
			if worse[d.Subject.Process] == nil {
				order = append(order, d.Subject.Process)
			}
			worse[d.Subject.Process] = append(worse[d.Subject.Process], d)
		}
	}
	for _, process := range order {
		r.Findings = append(r.Findings, r.regression(worse[process]))
	}
	r.sortFindings()
}

// Decides says whether the verdict of a comparison follows from a row: it is the total of a process, in a metric of what it
// uses now.
func (d *Delta) Decides() bool {
	return d.Subject.Scope == "process" && slices.Contains(decisive, d.Subject.Metric)
}

// regression is one finding for a process: its leading metric, the others beside it, and the parts that carry it.
func (r *Result) regression(worse []*Delta) Finding {
	slices.SortStableFunc(worse, func(a, b *Delta) int { return cmp.Compare(place(a), place(b)) })
	d := worse[0]
	f := Finding{Rule: "regression", Class: d.Subject.Metric, Severity: "warning", Side: "after", Status: StatusNew, Subject: d.Subject, Evidence: []Evidence{}, Warnings: []string{},
		Message: fmt.Sprintf("%s rose from %s to %s: %s%s.", title(d.Subject), amount(d.Subject, *d.Before.Median), amount(d.Subject, *d.After.Median), d.change(), r.carriers(d)),
		Stats:   map[string]float64{"shift": value(d.Shift), "shift_lo": value(d.ShiftLo), "shift_hi": value(d.ShiftHi), "relative": value(d.Relative)},
		Advice:  "Take heap profiles of both builds at the same moment and compare them; the mappings that changed most stand above.",
	}
	if also := metrics(worse[1:]); also != "" {
		f.Message += " So did " + also + "."
	}
	if d.Note != "" {
		f.Warnings = append(f.Warnings, d.Note)
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject)
	return f
}

// carriers names the categories that make up most of a change.
func (r *Result) carriers(total *Delta) string {
	var parts []*Delta
	for i := range r.Deltas {
		d := &r.Deltas[i]
		if d.Subject.Scope == "category" && d.Subject.Process == total.Subject.Process && d.Subject.Metric == total.Subject.Metric && value(d.Share) >= 0.1 {
			parts = append(parts, d)
		}
	}
	slices.SortStableFunc(parts, func(a, b *Delta) int { return cmp.Compare(*b.Share, *a.Share) })
	var out []string
	for _, d := range parts[:min(3, len(parts))] {
		out = append(out, fmt.Sprintf("%s %.0f %%", d.Subject.Name, 100**d.Share))
	}
	if len(out) == 0 {
		return ""
	}
	return ", carried by " + strings.Join(out, ", ")
}

func metrics(ds []*Delta) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Subject.Metric)
	}
	return strings.Join(out, ", ")
}

// change writes a shift with its interval.
func (d *Delta) change() string {
	text := signedAmount(d.Subject, value(d.Shift))
	if d.Relative != nil {
		text += fmt.Sprintf(" (%+.1f %%)", 100**d.Relative)
	}
	if d.ShiftLo != nil && d.ShiftHi != nil {
		text += fmt.Sprintf(", interval %s to %s", signedAmount(d.Subject, *d.ShiftLo), signedAmount(d.Subject, *d.ShiftHi))
	}
	return text
}

func signed(v float64) string {
	if v > 0 {
		return "+" + mebibytes(v)
	}
	return mebibytes(v)
}

// conclude sets the verdict of a comparison: fail if a decisive total got worse or the after side has a finding that the
// before side does not have; inconclusive if one is open; else pass.
func (c *comparison) conclude() {
	r := c.r
	var worse, better, open, same []*Delta
	for i := range r.Deltas {
		d := &r.Deltas[i]
		if !d.Decides() {
			continue
		}
		switch d.Verdict {
		case Regression:
			worse = append(worse, d)
		case Improvement:
			better = append(better, d)
		case Unsettled:
			if d.Shift != nil {
				open = append(open, d)
			}
		case Equivalent:
			same = append(same, d)
		}
	}
	fresh := r.fresh()
	switch {
	case c.incomparable() && len(worse)+len(better)+len(same) == 0:
		r.Verdict, r.Summary = Inconclusive, fmt.Sprintf("The two sides come from different tools (%s before, %s after): their figures are shown beside each other and no verdict is given.", c.formats("before"), c.formats("after"))
	case len(worse) > 0:
		r.Verdict, r.Summary = Fail, "Memory got worse: "+name(worse)
	case len(fresh) > 0:
		r.Verdict, r.Summary = Fail, freshly(&fresh[0])+fresh[0].Message
	case r.unknown() != nil:
		r.Verdict, r.Summary = Inconclusive, "Captures of the before side are not whole, so it cannot be said whether this is new: "+r.unknown().Message
	case len(open) > 0:
		r.Verdict, r.Summary = Inconclusive, "It cannot be said whether memory changed: "+name(open)
	case len(better) > 0:
		r.Verdict, r.Summary = Pass, "Memory got better: "+name(better)
	case len(same) > 0 && unmoved(r.Deltas):
		r.Verdict, r.Summary = Pass, "Nothing changed: both sides have the same values."+r.kept()
	case len(same) > 0:
		r.Verdict, r.Summary = Pass, "No change that matters: "+name(same)
	default:
		r.Verdict, r.Summary = r.bySites()
	}
	c.caveats()
}

// kept reminds of growth that both sides have: no change, and no good news either.
func (r *Result) kept() string {
	for _, f := range r.Findings {
		if f.Status == StatusKept && slices.Contains([]string{"growth", "leaked", "handle-leak"}, f.Rule) && f.Severity != "note" {
			return " Both sides leak."
		}
	}
	return ""
}

// unmoved says whether no subject differs at all.
func unmoved(ds []Delta) bool {
	return !slices.ContainsFunc(ds, func(d Delta) bool { return d.Verdict != Equivalent || value(d.Shift) != 0 })
}

// name tells of several totals by the leading one, with the metrics of the others.
func name(ds []*Delta) string {
	slices.SortStableFunc(ds, func(a, b *Delta) int { return cmp.Compare(place(a), place(b)) })
	d := ds[0]
	text := fmt.Sprintf("%s %s", title(d.Subject), signedAmount(d.Subject, value(d.Shift)))
	if d.Relative != nil {
		text += fmt.Sprintf(" (%+.1f %%)", 100**d.Relative)
	}
	var also []string
	for _, o := range ds[1:] {
		if o.Subject.Process == d.Subject.Process {
			also = append(also, o.Subject.Metric)
		}
	}
	if len(also) > 0 {
		text += "; likewise " + strings.Join(also[:min(4, len(also))], ", ")
	}
	return text + "."
}

func place(d *Delta) int {
	if i := slices.Index(leading, d.Subject.Metric); i >= 0 {
		return i
	}
	return len(leading)
}

// caveats says what the captures cannot carry: too few runs, formats that measure by different means.
func (c *comparison) caveats() {
	if f := c.formats("before"); f != c.formats("after") && !c.incomparable() {
		c.warn("The two sides are of different formats (%s before, %s after): what both measure is compared, but tools differ in how they count.", f, c.formats("after"))
	}
	for _, side := range []string{"before", "after"} {
		if c.mixed(side) {
			c.warn("The %s side holds runs of a folder named before and of one named after: was one of them meant?", side)
		}
	}
	b, a := c.sides[0].runs, c.sides[1].runs
	if n := min(b, a); n < c.o.AB.MinRuns {
		c.warn("%s before, %d after: the intervals cannot speak for the spread from run to run, so only changes over %g %% are called. Take at least %d runs a side.", plural(b, "run"), a, 100*c.o.AB.SingleRun, c.o.AB.MinRuns)
	}
}

// mixed says whether the runs of a side lie in folders of both names: a parent of both was given in place of one.
func (c *comparison) mixed(side string) bool {
	found := map[string]bool{}
	for _, in := range c.r.Inputs {
		if in.Side == side {
			found[path.Base(path.Dir(in.Path))] = true
		}
	}
	return found["before"] && found["after"]
}

func (c *comparison) formats(side string) string { return strings.Join(c.formatList(side), ", ") }

func (c *comparison) formatList(side string) []string {
	var out []string
	for _, in := range c.r.Inputs {
		if in.Side == side {
			out = append(out, in.Format)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// partial takes back the verdicts on totals of which a side has only a part: a capture that was cut adds up to less.
func (c *comparison) partial() {
	for _, in := range c.r.Inputs {
		for _, f := range in.Facts {
			if f.Name != "truncated" || f.Value != "true" {
				continue
			}
			for i := range c.r.Deltas {
				if d := &c.r.Deltas[i]; d.Shift != nil && (d.Verdict == Regression || d.Verdict == Improvement) {
					d.Verdict, d.Note = Unsettled, "a capture of the "+in.Side+" side is cut: its totals are of a part"
				}
			}
			c.warn("%s is cut: totals are of the part that is there.", in.Path)
			return
		}
	}
}

// sameMeasure are metrics that the system itself counts: every tool reads the same figure, so that two of them can be compared.
var sameMeasure = []string{"footprint", "footprint_peak", "vm_hwm", "gpu_used", "gpu_total"}

// soften takes back the verdicts on rows that different tools measured.
func (c *comparison) soften() {
	if !c.incomparable() {
		return
	}
	for i := range c.r.Deltas {
		if d := &c.r.Deltas[i]; d.Shift != nil && !slices.Contains(sameMeasure, d.Subject.Metric) {
			d.Verdict, d.Note = Unsettled, "measured by different tools"
		}
	}
}

// incomparable says whether the sides have no format in common.
func (c *comparison) incomparable() bool {
	b, a := c.formatList("before"), c.formatList("after")
	return len(b) > 0 && len(a) > 0 && !slices.ContainsFunc(b, func(f string) bool { return slices.Contains(a, f) })
}
