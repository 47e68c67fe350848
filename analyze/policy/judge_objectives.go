package policy

import (
	"fmt"

	"github.com/memtide/memtide/analyze"
)

// objectives makes a check of each objective and series.
func (j *judge) objectives() {
	groups := make([]grouped, len(j.p.objectives))
	for i := range j.r.Services {
		s := &j.r.Services[i]
		for k, g := range j.p.objectives {
			if g.title == s.Objective && g.fits(s.Subject) && gated(s.Side) {
				j.covered[covering{"objective", s.Subject}] = true
				groups[k].add(g.check(s))
			}
		}
	}
	for k := range groups {
		if len(groups[k].order) == 0 {
			j.unmatched(j.p.objectives[k].rule)
		}
		groups[k].into(j, false)
	}
}

func (g objective) check(s *analyze.Service) analyze.Check {
	worst := s.Limit * (1 + s.Worst)
	if s.Below {
		worst = s.Limit * (1 - s.Worst)
	}
	c := analyze.Check{Name: g.title + ": " + who(s.Subject), Rule: "objective", Subject: s.Subject, Severity: g.severity, Value: &worst, Limit: &s.Limit, Fingerprint: s.Subject.Fingerprint("objective", s.Objective)}
	switch {
	case s.Windows == 0:
		c.Outcome, c.Value, c.Message = analyze.Inconclusive, nil, fmt.Sprintf("%s cannot be held against %s: %s.", who(s.Subject), g.title, s.Note)
	case len(s.Breaches) > 0:
		v := s.Breaches[0]
		c.Outcome = analyze.Fail
		c.Message = fmt.Sprintf("%s missed %s, %s: %d of %d windows of %s did, %d times %d or more in a row; first from %s on, known %s later; the worst had a median of %s.", who(s.Subject), g.title,
			amountOf(s.Subject.Metric, s.Limit), s.Broken, s.Windows, span(s.WindowS), len(s.Breaches), s.InRow, span(v.StartS), span(v.DetectS-v.StartS), amountOf(s.Subject.Metric, worst))
	default:
		c.Outcome = analyze.Pass
		c.Message = fmt.Sprintf("%s kept %s, %s: %d of %d windows of %s missed it, never %d in a row.", who(s.Subject), g.title, amountOf(s.Subject.Metric, s.Limit), s.Broken, s.Windows, span(s.WindowS), s.InRow)
	}
	return c
}
