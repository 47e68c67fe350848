package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// conclude sets the verdict of a history: fail if a change for the worse is in force or the newest builds have drifted; inconclusive
// if the total that tells most of a process is open; else pass.
func (h *histories) conclude() {
	r := h.r
	leads := h.leads()
	var better, open []*History
	for _, t := range leads {
		switch t.Verdict {
		case Improvement:
			better = append(better, t)
		case Unsettled:
			open = append(open, t)
		}
	}
	switch {
	case len(leads) == 0:
		r.Verdict, r.Summary = Inconclusive, "The newest build and those before it have no total in common."
	case len(r.Findings) > 0 && h.lead == nil: // the level did not change, but is too high
		r.Verdict, r.Summary = Fail, "A red line was crossed: "+r.Findings[0].Message
	case len(r.Findings) > 0:
		r.Verdict, r.Summary = Fail, h.lead.text()+more(len(r.Findings)-1)+"."+h.lead.carriers()
	case len(open) > 0:
		r.Verdict, r.Summary = Inconclusive, "It cannot be said whether memory changed: "+open[0].openText()+"."
	case len(better) > 0:
		r.Verdict, r.Summary = Pass, "Memory got better: "+better[0].betterText()+"."
	default:
		r.Verdict, r.Summary = Pass, fmt.Sprintf("No change that matters in %s: %s.", plural(h.measured(), "build"), leads[0].calmText())
	}
}

// text is the worst in a sentence without its end: with which build, and by how much.
func (f *fault) text() string {
	if f.p == nil {
		d := &f.h.Drift.Delta
		return fmt.Sprintf("Memory got worse since %s: %s %s", f.h.Drift.Against, title(f.h.Subject), d.change())
	}
	d := Delta{Shift: &f.p.Shift, ShiftLo: &f.p.ShiftLo, ShiftHi: &f.p.ShiftHi, Relative: f.p.Relative}
	return fmt.Sprintf("Memory got worse with %s: %s %s", buildWord(f.p.Build), title(f.h.Subject), d.change())
}

// carriers is a sentence on the categories that carry it.
func (f *fault) carriers() string {
	if f.p == nil {
		return ""
	}
	if text := carried(f.p.Parts); text != "" {
		return " " + sentence(strings.TrimPrefix(text, ", "))
	}
	return ""
}

// leads are the histories that speak for each process or device: of those that decide, the one that tells most.
func (h *histories) leads() (out []*History) {
	best := map[Subject]int{}
	for i := range h.r.Histories {
		t := &h.r.Histories[i]
		if !h.r.decidesHistory(t) || t.Verdict == Removed || t.Verdict == New {
			continue
		}
		key := Subject{Process: t.Subject.Process, Scope: t.Subject.Scope, Name: t.Subject.Name}
		k, seen := best[key]
		switch {
		case !seen:
			best[key] = len(out)
			out = append(out, t)
		case t.place() < out[k].place():
			out[k] = t
		}
	}
	slices.SortStableFunc(out, func(a, b *History) int { return cmp.Compare(now(b), now(a)) })
	return out
}

// now is the level in the newest build.
func now(t *History) float64 { return value(t.Builds[len(t.Builds)-1].Median) }

func (t *History) openText() string {
	text := title(t.Subject)
	if t.Drift != nil && t.Drift.Shift != nil {
		text += fmt.Sprintf(" %s against %s", (&Delta{Shift: t.Drift.Shift, Relative: t.Drift.Relative}).change(), t.Drift.Against)
	}
	if note := cmp.Or(t.Note, driftNote(t.Drift)); note != "" {
		text += "; " + note
	}
	return text
}

func driftNote(d *Drift) string {
	if d == nil {
		return ""
	}
	return d.Note
}

func (t *History) betterText() string {
	for i := range t.Changes {
		if p := &t.Changes[len(t.Changes)-1-i]; p.Verdict == Improvement && p.UndoneBy == "" {
			d := Delta{Shift: &p.Shift, ShiftLo: &p.ShiftLo, ShiftHi: &p.ShiftHi, Relative: p.Relative}
			return fmt.Sprintf("%s with %s: %s", title(t.Subject), buildWord(p.Build), d.change())
		}
	}
	return fmt.Sprintf("%s against %s: %s", title(t.Subject), t.Drift.Against, t.Drift.change())
}

func (t *History) calmText() string {
	text := fmt.Sprintf("%s is %s", title(t.Subject), amount(t.Subject, now(t)))
	if t.Resolvable != nil {
		text += fmt.Sprintf("; a lasting change of %s would have been told", amount(t.Subject, *t.Resolvable))
	}
	return text
}
