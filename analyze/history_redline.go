package analyze

import (
	"cmp"
	"fmt"
	"slices"
)

// HoldHistories holds the newest build of each history against the red lines of a policy, by the greatest or least sample of
// any of its runs. Lines that are a share of a total
// need a capture and are left out. What an earlier holding left is taken away first, so that a result that was read from a
// file can be held against another policy.
func (r *Result) HoldHistories(o RedlineConfig) {
	if len(r.Histories) == 0 {
		return
	}
	r.Redlines = nil
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.Rule == "redline" })
	for _, l := range o.Lines {
		for i := range r.Histories {
			if h := &r.Histories[i]; l.Of == "" && l.Match.Fits(h.Subject) {
				r.holdNewest(h, l)
			}
		}
	}
}

// holdNewest adds the margin of the newest build, and a finding if it crossed the line.
func (r *Result) holdNewest(h *History, l Redline) {
	b := h.Builds[len(h.Builds)-1]
	reached := cmp.Or(b.Greatest, b.Peak) // older histories do not have what the samples came to
	if l.Below {
		reached = cmp.Or(b.Least, b.Lo)
	}
	if b.Runs == 0 || reached == nil {
		return
	}
	headroom := l.Limit - *reached
	if l.Below {
		headroom = -headroom
	}
	m := Margin{Line: l.Name, Severity: cmp.Or(l.Severity, "critical"), Run: b.Build, Subject: h.Subject, Below: l.Below, Limit: &l.Limit, Peak: reached,
		PeakOf: "samples", Headroom: &headroom, Fingerprint: fingerprint("redline", h.Subject, l.Name)}
	m.Crossings = b2i(m.Crossed())
	r.Redlines = append(r.Redlines, m)
	if m.Crossed() {
		r.Findings = append(r.Findings, Finding{Rule: "redline", Class: l.Name, Severity: m.Severity, Run: b.Build, Subject: h.Subject, Message: m.newestSentence(),
			Stats: map[string]float64{"limit": l.Limit, "peak": *reached, "headroom": headroom}, Advice: adviceOn(&m), Evidence: []Evidence{}, Warnings: []string{}, Fingerprint: m.Fingerprint})
	}
}

// newestSentence tells of a line that the newest build of a history crossed.
func (m *Margin) newestSentence() string {
	over := "went over"
	if m.Below {
		over = "fell below"
	}
	return fmt.Sprintf("%s %s the red line %s, %s, in %s: it came to %s.", title(m.Subject), over, m.Line, m.amount(*m.Limit), buildWord(m.Run), m.amount(*m.Peak))
}
