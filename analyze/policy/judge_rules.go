package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtide/memtide/analyze"
)

// limits makes a check of each red line and subject: those of the policy first, then the built-in ones.
func (j *judge) limits() {
	margins := map[string]*grouped{}
	var builtIn []string
	own := map[string]limit{}
	for _, l := range j.p.limits {
		own[l.title] = l
	}
	for i := range j.r.Redlines {
		m := &j.r.Redlines[i]
		l, ours := own[m.Line]
		if !gated(m.Side) || ours && l.bytes != (unitOf(m.Subject.Metric) == "bytes") {
			continue
		}
		c := j.limit(m)
		if !ours && c.Outcome == analyze.Pass && m.Severity != "critical" {
			continue // of lesser lines only crossings are told: one holds for every process of a phone
		}
		if margins[m.Line] == nil {
			margins[m.Line] = &grouped{}
			if !ours {
				builtIn = append(builtIn, m.Line)
			}
		}
		margins[m.Line].add(c)
	}
	for _, l := range j.p.limits {
		if margins[l.title] == nil {
			j.unmatched(l.rule)
			continue
		}
		margins[l.title].into(j, true)
	}
	for _, name := range builtIn {
		margins[name].into(j, true)
	}
}

// unitOf is the unit of a metric that was measured: bytes unless it is known to be another.
func unitOf(metric string) string { return cmp.Or(counts(metric), "bytes") }

func (j *judge) limit(m *analyze.Margin) analyze.Check {
	c := analyze.Check{Name: m.Line + ": " + who(m.Subject), Rule: "limit", Subject: m.Subject, Outcome: analyze.Pass, Severity: m.Severity,
		Value: m.Peak, Limit: m.Limit, Fingerprint: m.Fingerprint}
	switch {
	case m.Limit == nil || m.Peak == nil:
		c.Outcome, c.Message = analyze.Inconclusive, fmt.Sprintf("%s cannot be held against %s: %s.", who(m.Subject), m.Line, m.Note)
	case m.Crossed():
		c.Outcome, c.Message = analyze.Fail, j.said(m)
	default:
		c.Message = fmt.Sprintf("%s kept %s from %s, %s: it came to %s by %s%s.", who(m.Subject), amountOf(m.Subject.Metric, *m.Headroom), m.Line, amountOf(m.Subject.Metric, *m.Limit),
			amountOf(m.Subject.Metric, *m.Peak), m.PeakOf, ahead(m))
	}
	return c
}

// said is the message of the finding that a crossing made.
func (j *judge) said(m *analyze.Margin) string {
	for _, f := range j.r.Findings {
		if f.Rule == "redline" && f.Fingerprint == m.Fingerprint && f.Run == m.Run && gated(f.Side) {
			return f.Message
		}
	}
	return fmt.Sprintf("%s crossed %s, %s: it came to %s by %s.", who(m.Subject), m.Line, amountOf(m.Subject.Metric, *m.Limit), amountOf(m.Subject.Metric, *m.Peak), m.PeakOf)
}

func ahead(m *analyze.Margin) string {
	if m.EtaS == nil {
		return ""
	}
	text := fmt.Sprintf("; at its growth it gets there in %s", span(*m.EtaS))
	if m.EtaLo != nil && m.EtaHi != nil {
		text += fmt.Sprintf(" (%s to %s)", span(*m.EtaLo), span(*m.EtaHi))
	}
	return text
}

// growths makes a check of each series that a growth rule fits: the first one.
func (j *judge) growths() {
	groups := make([]grouped, len(j.p.growth))
	for i := range j.r.Series {
		s := &j.r.Series[i]
		at := slices.IndexFunc(j.p.growth, func(g growth) bool { return !g.over(j.day) && g.fits(s.Subject) })
		if at < 0 || !gated(s.Side) {
			continue
		}
		j.covered[covering{"growth", s.Subject}] = true
		groups[at].add(j.p.growth[at].check(s))
	}
	for i, g := range j.p.growth {
		switch {
		case g.over(j.day):
			j.warn("%s (%s:%d) held until %s and holds no more: it can be taken out.", g.title, j.p.name, g.at.line, g.expires.Format(time.DateOnly))
		case len(groups[i].order) == 0 && !slices.ContainsFunc(j.r.Series, func(s analyze.Series) bool { return gated(s.Side) && g.fits(s.Subject) }):
			j.unmatched(g.rule)
		}
		groups[i].most(j)
	}
}

// over says whether the last day of the rule is past.
func (g growth) over(day time.Time) bool { return !g.expires.IsZero() && day.After(g.expires) }

// fits leaves out, for a pattern of metrics, what says nothing by rising (totals since the start) and what has another unit.
func (r rule) fits(s analyze.Subject) bool {
	if !r.match.Fits(s) || r.bytes != (unitOf(s.Metric) == "bytes") {
		return false
	}
	return !strings.Contains(r.metric, "*") || lowerIsBetter(s.Metric)
}

func lowerIsBetter(metric string) bool {
	for _, m := range analyze.Metrics() {
		if m.Name == metric {
			return m.Better == "lower"
		}
	}
	return false
}

// check holds one series against a limit of growth.
func (g growth) check(s *analyze.Series) analyze.Check {
	rule := "growth"
	if s.Subject.Scope == "handle" {
		rule = "handle-leak"
	}
	c := analyze.Check{Name: g.title + ": " + who(s.Subject), Rule: "growth", Subject: s.Subject, Severity: g.severity, Limit: &g.max.v, Fingerprint: s.Subject.Fingerprint(rule)}
	v, unseen := g.measure(s)
	c.Value = v
	allowed := "the policy allows " + g.max.text
	switch {
	case g.max.seconds > 0 && s.Per != "":
		c.Value, c.Outcome = nil, analyze.Inconclusive
		c.Message = fmt.Sprintf("%s: the capture has no time, so no growth by the hour is known; %s.", who(s.Subject), allowed)
	case v == nil:
		c.Outcome, c.Message = analyze.Inconclusive, fmt.Sprintf("%s: its growth is not known (%s); %s.", who(s.Subject), s.Reason, allowed)
	case s.Verdict == analyze.Leak || s.Verdict == analyze.Step && g.perRun():
		c.Outcome = analyze.Pass
		if *v > g.max.v {
			c.Outcome = analyze.Fail
		}
		c.Message = fmt.Sprintf("%s grows by %s, %s: it %s.", who(s.Subject), g.pace(s, *v), allowed, s.Reason)
	case *unseen <= g.max.v || s.Verdict == analyze.WarmUp || s.Verdict == analyze.Plateau || s.Verdict == analyze.Falling || s.Verdict == analyze.Step:
		c.Outcome, c.Message = analyze.Pass, fmt.Sprintf("%s does not keep growing (%s), %s.", who(s.Subject), s.Verdict, allowed)
	default:
		c.Outcome = analyze.Inconclusive
		c.Message = fmt.Sprintf("%s: no growth is certain, but this capture would not have shown less than %s, and %s: take a longer one.", who(s.Subject), g.pace(s, *unseen), allowed)
	}
	return c
}

func (g growth) perRun() bool { return g.max.seconds == 0 && !g.max.iteration }

// measure gives the growth of a series in the terms of the rule, and the least growth that the series could not have hidden.
func (g growth) measure(s *analyze.Series) (v, unseen *float64) {
	if s.SlopePerS == nil || s.SlopeHi == nil || s.Growth == nil {
		return nil, nil
	}
	switch {
	case g.max.iteration && s.IterationSlope == nil:
		return nil, nil
	case g.max.iteration && *s.SlopePerS != 0:
		hi := *s.SlopeHi / *s.SlopePerS * *s.IterationSlope
		hi = max(hi, *s.IterationSlope)
		return s.IterationSlope, &hi
	case g.max.iteration:
		return s.IterationSlope, s.IterationSlope
	case g.max.seconds > 0:
		rate, hi := *s.SlopePerS*g.max.seconds, *s.SlopeHi*g.max.seconds
		return &rate, &hi
	}
	total, hi := *s.Growth, *s.SlopeHi*s.DurationS
	if s.Verdict == analyze.Step {
		total = float64(s.Last - s.First)
	}
	return &total, &hi
}

// pace writes growth in the terms of the rule.
func (g growth) pace(s *analyze.Series, v float64) string {
	text := amountOf(s.Subject.Metric, v)
	if _, per, ok := strings.Cut(g.max.text, "/"); ok {
		return text + "/" + strings.TrimSpace(per)
	}
	return text + " in the run"
}

// regressions makes a check of each difference that a rule fits; without rules, of each that decides a comparison.
func (j *judge) regressions() {
	used := make([]bool, len(j.p.regressions))
	for i := range j.r.Deltas {
		d := &j.r.Deltas[i]
		at := slices.IndexFunc(j.p.regressions, func(r regression) bool { return r.fits(d.Subject) })
		switch {
		case at >= 0:
			used[at] = true
			j.difference(d, j.p.regressions[at].title, j.p.regressions[at].severity)
		case len(used) == 0 && d.Decides():
			j.difference(d, "regression", "critical")
		}
	}
	for i, r := range j.p.regressions {
		if !used[i] && j.comparison {
			j.unmatched(r.rule)
		}
		if !j.comparison && r.require {
			j.unmatched(r.rule)
		}
	}
}

// release checks the totals against the release, as against the parent.
func (j *judge) release() {
	for i := range j.r.Release {
		d := &j.r.Release[i]
		at := slices.IndexFunc(j.p.regressions, func(r regression) bool { return r.fits(d.Subject) })
		switch {
		case at >= 0:
			j.against(d, j.p.regressions[at].title+" against the release", j.p.regressions[at].severity)
		case len(j.p.regressions) == 0 && d.Decides():
			j.against(d, "regression against the release", "critical")
		}
	}
}

// fits asks for the unit only where the tolerance has one.
func (r regression) fits(s analyze.Subject) bool {
	one := r.rule
	if r.absolute == nil || *r.absolute == 0 {
		one.bytes = unitOf(s.Metric) == "bytes"
	}
	return one.fits(s)
}

// difference checks one row of a comparison.
func (j *judge) difference(d *analyze.Delta, title, severity string) {
	j.covered[covering{"regression", d.Subject}] = true
	j.against(d, title, severity)
}

func (j *judge) against(d *analyze.Delta, title, severity string) {
	c := analyze.Check{Name: title + ": " + who(d.Subject), Rule: "regression", Subject: d.Subject, Outcome: analyze.Pass, Severity: severity, Value: d.Shift, Limit: &d.Band,
		Fingerprint: d.Subject.Fingerprint("regression")}
	c.Message = fmt.Sprintf("%s: %s", who(d.Subject), d.Verdict)
	if d.Shift != nil {
		c.Message += fmt.Sprintf(", %s%s", signed(d.Subject.Metric, *d.Shift), interval(d))
	}
	c.Message += fmt.Sprintf("; tolerated is %s.", amountOf(d.Subject.Metric, d.Band))
	if d.Note != "" {
		c.Message += " " + strings.ToUpper(d.Note[:1]) + d.Note[1:] + "."
	}
	switch d.Verdict {
	case analyze.Regression:
		c.Outcome = analyze.Fail
	case analyze.Unsettled:
		c.Outcome = analyze.Inconclusive
	case analyze.New, analyze.Removed:
		c.Outcome = cameOrWent(d)
	}
	j.add(c)
}

// cameOrWent judges what only one side has: by its size, if both sides would have shown it.
func cameOrWent(d *analyze.Delta) analyze.Outcome {
	switch {
	case d.Shift == nil:
		return analyze.Inconclusive
	case *d.Shift > d.Band:
		return analyze.Fail
	}
	return analyze.Pass
}

func interval(d *analyze.Delta) string {
	if d.ShiftLo == nil || d.ShiftHi == nil {
		return ""
	}
	return fmt.Sprintf(" (interval %s to %s)", signed(d.Subject.Metric, *d.ShiftLo), signed(d.Subject.Metric, *d.ShiftHi))
}
