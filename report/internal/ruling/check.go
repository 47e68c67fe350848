package ruling

import (
	"cmp"
	"fmt"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// checks are the demands of the policy, in its order.
func checks(r *analyze.Result) []Ruling {
	spoken := map[string][]*analyze.Finding{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Side != "before" && f.Fingerprint != "" {
			spoken[f.Fingerprint] = append(spoken[f.Fingerprint], f)
		}
	}
	var out []Ruling
	for i := range r.Checks {
		out = append(out, check(r, &r.Checks[i], spoken[r.Checks[i].Fingerprint]))
	}
	return out
}

// check is one demand with the evidence of the findings that have its fingerprint.
func check(r *analyze.Result, c *analyze.Check, about []*analyze.Finding) Ruling {
	out := Ruling{Suite: "gate." + cmp.Or(short(c.Rule), "check"), Name: cmp.Or(short(c.Name), title(c.Subject)), Rule: cmp.Or(short(c.Rule), "check"), Class: short(c.Subject.Metric),
		Metric: short(c.Subject.Metric), Severity: severity(c.Severity), Message: sentence(c.Message), Policy: true, Subject: c.Subject, Excuse: sentence(c.Excused),
		Known: known(c.Fingerprint), Fingerprint: identity("check", c.Name, c.Rule, c.Fingerprint, subjectKey(c.Subject))}
	out.Outcome = map[analyze.Outcome]Outcome{analyze.Pass: Held, analyze.Fail: Broken}[c.Outcome]
	out.Outcome = cmp.Or(out.Outcome, Open)
	if c.Excused != "" {
		out.Outcome = Excused
	}
	kind := KindOf(c.Subject.Metric)
	(*numbers)(&out.Numbers).quantity("value", kind, c.Value)
	(*numbers)(&out.Numbers).quantity("limit", kind, c.Limit)
	if c.Rule == "limit" && c.Limit != nil { // other limits may follow from what was measured before
		out.Name += " (limit " + unit.Quantity(kind, c.Limit) + ")"
	}
	if out.Message == "" {
		out.Message = fmt.Sprintf("%s: %s.", out.Name, out.Outcome)
	}
	var evidence []analyze.Evidence
	for _, f := range about {
		evidence = append(evidence, f.Evidence...)
		out.Stack, out.Advice = clean(f.Stack), sentence(f.Advice)
	}
	out.Places = places(r, evidence, c.Subject)
	return out
}
