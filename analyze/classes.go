package analyze

import (
	"fmt"
	"slices"
	"strings"
)

// ClassConfig says which classes of objects a user asks after.
type ClassConfig struct {
	Patterns []string    // of class names; * stands for any text
	Pairs    [][2]string // classes of which there should be as many of one as of the other
}

// ClassCount is how many objects of a class there are, at each moment that was captured: before, after, and after each repetition
// of a scenario.
type ClassCount struct {
	Side    string    `json:"side,omitempty"`
	Run     string    `json:"run"`
	Subject Subject   `json:"subject"`
	TimeS   []float64 `json:"t"`
	Counts  []float64 `json:"counts"`
	Left    float64   `json:"left"`    // more at the last moment than at the first
	Returns string    `json:"returns"` // yes, no, partly, or unknown
	Message string    `json:"message"`
}

// mostMoments is from how many moments on a series of counts has a verdict of its own that says more than this.
const mostMoments = 12

// classes follows the classes that were asked for. Where a class rises by at least one in every repetition behind the first,
// something of it stays (the rule of CPython's own checks); where it comes back to its count it does not.
func (r *Result) classes(c *Capture, tracks []*track, o ClassConfig) {
	for _, k := range tracks {
		if k.subject.Scope != "class" || !strings.HasSuffix(k.subject.Metric, "count") || !o.asks(k.subject.Name) || len(k.y) == 0 {
			continue
		}
		one := k.follow()
		r.Classes = append(r.Classes, one)
		if (one.Returns == "no" || one.Returns == "partly" && len(k.y) > 2) && len(k.y) <= mostMoments && r.open(k) {
			r.Findings = append(r.Findings, one.finding(k))
		}
	}
	for _, p := range o.Pairs {
		r.pair(c, tracks, p)
	}
}

func (o ClassConfig) asks(name string) bool {
	return slices.ContainsFunc(o.Patterns, func(p string) bool { return Glob(p, name) })
}

// open says whether no verdict of its own was given to a series.
func (r *Result) open(k *track) bool {
	for i := range r.Series {
		if s := &r.Series[i]; s.Subject == k.subject && s.Run == k.run && s.Side == k.side && s.Part == k.part {
			return s.Verdict == Undetermined
		}
	}
	return true
}

func (k *track) follow() ClassCount {
	c := ClassCount{Side: k.side, Run: k.run, Subject: k.subject, TimeS: k.t, Counts: k.y, Returns: "unknown"}
	n := len(k.y)
	if n < 2 {
		c.Message = fmt.Sprintf("%s: %.0f, at one moment", k.subject.Name, k.y[0])
		return c
	}
	c.Left = k.y[n-1] - k.y[0]
	behind := k.y[min(1, n-2):] // the first repetition is warm-up
	rises := len(behind) >= 3
	for i := 1; i < len(behind); i++ {
		rises = rises && behind[i]-behind[i-1] >= 1
	}
	switch {
	case rises:
		c.Returns = "no"
		c.Message = fmt.Sprintf("%s: %s; there are more after every repetition", k.subject.Name, arrows(k.y))
	case c.Left <= 0:
		c.Returns = "yes"
		c.Message = fmt.Sprintf("%s: %s; it comes back to its count", k.subject.Name, arrows(k.y))
	default:
		c.Returns = "partly"
		c.Message = fmt.Sprintf("%s: %s; %.0f of at most %.0f more did not return", k.subject.Name, arrows(k.y), c.Left, slices.Max(k.y)-k.y[0])
	}
	return c
}

// arrows writes the counts of up to a dozen moments.
func arrows(y []float64) string {
	var parts []string
	for i, v := range y {
		if i >= mostMoments {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%.0f", v))
	}
	return strings.Join(parts, " → ")
}

func (c *ClassCount) finding(k *track) Finding {
	f := Finding{Rule: "growth", Class: "class", Severity: "warning", Side: c.Side, Run: c.Run, Subject: c.Subject, Message: sentence(c.Message), Evidence: []Evidence{k.place(0), k.place(len(k.y) - 1)}, Warnings: []string{},
		Stats:  map[string]float64{"n": float64(len(k.y)), "left": c.Left},
		Advice: "Objects of this class outlive what made them: look for what still refers to them (a cycle, a cache, an observer that is not removed)."}
	if c.Returns == "partly" {
		f.Severity, f.settled = "note", true
	}
	f.Fingerprint = fingerprint(f.Rule, c.Subject)
	return f
}

// unmatchedClasses warns of patterns that no capture has a class for.
func (r *Result) unmatchedClasses(o ClassConfig) {
	for _, p := range o.Patterns {
		if !slices.ContainsFunc(r.Classes, func(c ClassCount) bool { return Glob(p, c.Subject.Name) }) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("Class %s fits no class of objects in the captures.", p))
		}
	}
}

// pair holds the last counts of two classes against each other.
func (r *Result) pair(c *Capture, tracks []*track, p [2]string) {
	count := func(name string) (float64, *track) {
		for _, k := range tracks {
			if k.subject.Scope == "class" && k.subject.Name == name && strings.HasSuffix(k.subject.Metric, "count") && len(k.y) > 0 {
				return k.y[len(k.y)-1], k
			}
		}
		return 0, nil
	}
	a, first := count(p[0])
	b, second := count(p[1])
	if first == nil || second == nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("Pair %s=%s: the capture %s does not have both.", p[0], p[1], c.Name))
		return
	}
	if a == b {
		return
	}
	f := Finding{Rule: "mismatched-pair", Class: "pair", Severity: "warning", Side: c.Side, Run: c.Name, Subject: Subject{first.subject.Process, "class", p[0], first.subject.Metric},
		Message: fmt.Sprintf("There are %.0f of %s and %.0f of %s, and there should be as many.", a, p[0], b, p[1]), Stats: map[string]float64{"count": a, "other": b}, Warnings: []string{},
		Evidence: []Evidence{first.place(len(first.y) - 1), second.place(len(second.y) - 1)}, Advice: "See which of the two outlives the other, and what refers to it."}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, p[1])
	r.Findings = append(r.Findings, f)
}
