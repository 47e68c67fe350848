package policy

import (
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze"
)

// findings makes a check of each finding that no rule of the policy speaks for. That there is none is a check as well, if the
// captures were long enough to show one.
func (j *judge) findings() {
	seen := map[string]bool{}
	broken := false
	for _, f := range j.r.Findings {
		if !gated(f.Side) || f.Status == analyze.StatusFixed || j.speaks(&f) || seen[f.Fingerprint] {
			continue
		}
		seen[f.Fingerprint] = true
		c := analyze.Check{Name: f.Rule + " " + f.Class + ": " + who(f.Subject), Rule: "finding", Subject: f.Subject, Outcome: analyze.Fail, Severity: f.Severity,
			Message: f.Message, Fingerprint: f.Fingerprint}
		if f.Status == analyze.StatusKept && j.p.onKept != "fail" {
			c.Outcome, c.Excused = analyze.Pass, "the before side has it too"
			if j.p.onKept == "warn" {
				j.warn("Kept: %s", f.Message)
			}
		}
		if f.Status == analyze.StatusUnknown {
			c.Outcome, c.Message = analyze.Inconclusive, c.Message+" Captures of the before side are not whole: it may have had it too."
		}
		broken = broken || c.Outcome == analyze.Fail
		j.add(c)
	}
	if !broken {
		j.none()
	}
}

// speaks says whether another check is about the finding.
func (j *judge) speaks(f *analyze.Finding) bool {
	switch f.Rule {
	case "redline":
		return true
	case "handle-leak", "growth":
		return j.covered[covering{"growth", f.Subject}]
	case "objective":
		return j.covered[covering{"objective", f.Subject}]
	case "regression":
		return f.Class != "release" && j.covered[covering{"regression", f.Subject}] // no rule looks at the release
	}
	return false
}

// none states that nothing was found, with how many series say so.
func (j *judge) none() {
	judged := 0
	for _, s := range j.r.Series {
		if gated(s.Side) && s.Verdict != analyze.Undetermined {
			judged++
		}
	}
	c := analyze.Check{Name: "findings", Rule: "finding", Severity: "critical", Outcome: analyze.Pass, Message: fmt.Sprintf("No other finding in %d series.", judged)}
	switch {
	case len(j.r.Histories) > 0:
		c.Message = fmt.Sprintf("No other finding in %d histories.", len(j.r.Histories))
		if j.r.Verdict == analyze.Inconclusive {
			c.Outcome, c.Message = analyze.Inconclusive, j.r.Summary
		}
		j.add(c)
	case judged > 0:
		j.add(c)
	case len(j.r.Series) > 0 && !slices.ContainsFunc(j.checks, func(c analyze.Check) bool { return c.Outcome == analyze.Pass }):
		c.Outcome, c.Message = analyze.Inconclusive, "No series is long enough to say whether memory grows: take at least 5 samples, better 30."
		j.add(c)
	}
}
