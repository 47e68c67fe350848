package analyze

import (
	"fmt"
	"slices"
)

// What a comparison says of a finding.
const (
	StatusNew   = "new"   // only the after side has it
	StatusKept  = "kept"  // both have it; that of the after side is shown
	StatusFixed = "fixed" // only the before side has it, and the after side would have shown it
	// StatusUnknown is of what only the after side shows while the captures of the before side are not whole.
	StatusUnknown = "unknown"
)

// settle gives the findings of both sides their status and keeps one of each: the worst of the after side, or of the before
// side if it is gone. A finding that the after side could not have shown is not called fixed: it keeps an empty status.
func (c *comparison) settle() {
	c.r.sortFindings()
	had := [2]map[string]map[string]bool{{}, {}} // by side and identity: the runs
	for i := range c.r.Findings {
		f := &c.r.Findings[i]
		id, side := c.identity(f), had[b2i(f.Side == "after")]
		if side[id] == nil {
			side[id] = map[string]bool{}
		}
		side[id][f.Run] = true
	}
	var out []Finding
	shown := map[string]bool{}
	for _, f := range c.r.Findings {
		id := c.identity(&f)
		before, after := len(had[0][id]), len(had[1][id])
		if shown[id] || f.Side == "before" && after > 0 {
			continue
		}
		shown[id] = true
		c.state(&f, before, after)
		out = append(out, f)
	}
	c.r.Findings = append([]Finding{}, out...)
}

// state sets the status of a finding that so many runs of the two sides have.
func (c *comparison) state(f *Finding, before, after int) {
	switch {
	case before > 0 && after > 0:
		f.Status = StatusKept
	case after > 0:
		f.Status = StatusNew
		if c.cut("before") && f.Rule != "growth" && f.Rule != "redline" {
			f.Status = StatusUnknown
			f.Warnings = append(f.Warnings, "Captures of the before side are not whole: it may have had it too.")
		} else if !c.shows("before", f) {
			f.Warnings = append(f.Warnings, "The before side could not have shown it: it may be older.")
		}
	case c.cut("after"):
		f.Warnings = append(f.Warnings, "Captures of the after side are not whole: it may be there still.")
	case c.shows("after", f):
		f.Status = StatusFixed
	default:
		f.Warnings = append(f.Warnings, "The after side does not show it, but could not have: it may be there still.")
	}
	c.repeated(f, before, after)
	if b, a := c.sides[0].runs, c.sides[1].runs; b > 1 || a > 1 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("In %d of %d runs before, %d of %d after.", before, b, after, a))
	}
}

// identity is what a finding is known by on both sides: its fingerprint, with the process under the name it has on the after
// side. That a process as a whole grows is one thing, whichever of its metrics tells it best in a run.
func (c *comparison) identity(f *Finding) string {
	s := f.Subject
	if f.Side == "before" && c.renamed[s.Process] != "" {
		s.Process = c.renamed[s.Process]
	}
	if f.Rule == "growth" && s.Scope == "process" {
		s.Metric = ""
	}
	if s == f.Subject {
		return f.Fingerprint
	}
	return fingerprint(f.Rule, s, f.suspects...)
}

// shows says whether a side measured what a finding is about well enough that it would have it, were it there.
func (c *comparison) shows(side string, f *Finding) bool {
	same := func(s Subject) bool {
		s.Metric = f.Subject.Metric
		if side == "after" && c.renamed[f.Subject.Process] != "" {
			f := f.Subject
			f.Process = c.renamed[f.Process]
			return s == f
		}
		return s == f.Subject || side == "before" && s.Process != "" && c.renamed[s.Process] == f.Subject.Process
	}
	switch f.Rule {
	case "growth", "handle-leak":
		return slices.ContainsFunc(c.r.Series, func(s Series) bool {
			return s.Side == side && s.Verdict != Undetermined && same(s.Subject) && (s.Subject.Metric == f.Subject.Metric || f.Subject.Scope == "process")
		})
	case "redline":
		return slices.ContainsFunc(c.r.Redlines, func(m Margin) bool {
			return m.Side == side && m.Line == f.Class && m.Headroom != nil && m.Subject.Metric == f.Subject.Metric && same(m.Subject)
		})
	}
	return !c.incomparable()
}

// cut says whether a capture of a side has records that could not be read.
func (c *comparison) cut(side string) bool {
	return slices.ContainsFunc(c.r.Inputs, func(in Input) bool { return in.Side == side && in.Problems > 0 })
}

// unknown is the worst finding of which it is not known whether the before side has it.
func (r *Result) unknown() *Finding {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Status == StatusUnknown && f.Severity != "note" {
			return f
		}
	}
	return nil
}

// fresh are the findings that matter and that only the after side has. Regressions are told by themselves.
func (r *Result) fresh() []Finding {
	var out []Finding
	for _, f := range r.Findings {
		if f.Status == StatusNew && f.Rule != "regression" && f.Severity != "note" {
			out = append(out, f)
		}
	}
	return out
}

// freshly begins the sentence about a new finding.
func freshly(f *Finding) string {
	switch f.Rule {
	case "growth", "handle-leak":
		return "The after side leaks, the before side does not: "
	case "redline":
		return "The after side crosses a red line that the before side keeps: "
	case "fault":
		return "The after side reports a fault that the before side does not: "
	}
	return "The after side has a fault that the before side does not have: "
}

// repeated makes a note of growth that only a minority of the runs of either side has.
func (c *comparison) repeated(f *Finding, before, after int) {
	if f.Rule != "growth" || min(c.sides[0].runs, c.sides[1].runs) < 3 || f.Severity == "note" {
		return
	}
	if 2*before > c.sides[0].runs || 2*after > c.sides[1].runs {
		return
	}
	f.Severity, f.settled = "note", true
	f.Message += " Most runs do not have it."
}
