package ruling

import (
	"cmp"
	"slices"

	"github.com/memtide/memtide/analyze"
)

// found is a finding as a ruling, with the fingerprint that checks name it by.
type found struct {
	Ruling
	key string
}

// findings are those of a result in its order, the same bug once: later ones with its fingerprint add their places. A
// finding of the before side that the after side has too is told by the one after.
func findings(r *analyze.Result) []found {
	sides := map[string]map[string]bool{"before": {}, "after": {}}
	for i := range r.Findings {
		if keys := sides[r.Findings[i].Side]; keys != nil {
			keys[keyOf(&r.Findings[i])] = true
		}
	}
	at := map[string]int{}
	var out []found
	for i := range r.Findings {
		f := &r.Findings[i]
		key := keyOf(f)
		if f.Side == "before" && sides["after"][key] {
			continue
		}
		k, seen := at[key]
		if !seen {
			at[key] = len(out)
			out = append(out, found{finding(r, f, key, statusOf(f, sides["before"][key])), f.Fingerprint})
			continue
		}
		out[k].Places = append(out[k].Places, places(r, f.Evidence, f.Subject)...)
		if f.Run != "" {
			out[k].Notes = append(out[k].Notes, "Also in "+short(f.Run)+".")
		}
	}
	return out
}

// keyOf is the fingerprint of a finding; one without is told apart by what it is about.
func keyOf(f *analyze.Finding) string {
	return cmp.Or(f.Fingerprint, identity(f.Rule, f.Class, subjectKey(f.Subject)))
}

var statuses = []string{"new", "kept", "fixed"}

// statusOf is what the comparison said of a finding; where it said nothing, the sides tell.
func statusOf(f *analyze.Finding, before bool) string {
	switch {
	case slices.Contains(statuses, f.Status):
		return f.Status
	case f.Side == "before":
		return "fixed"
	case f.Side != "after":
		return ""
	case before:
		return "kept"
	}
	return "new"
}

func finding(r *analyze.Result, f *analyze.Finding, key, status string) Ruling {
	out := Ruling{Suite: "finding." + cmp.Or(short(f.Rule), "memtide"), Name: title(f.Subject), Rule: cmp.Or(short(f.Rule), "memtide"), Class: short(f.Class), Metric: short(f.Subject.Metric),
		Outcome: Broken, Severity: severity(f.Severity), Status: status, Message: cmp.Or(sentence(f.Message), title(f.Subject)+"."), Subject: f.Subject,
		Stack: clean(f.Stack), Advice: sentence(f.Advice), Notes: clean(f.Warnings), Known: known(f.Fingerprint), Fingerprint: identity("finding", key),
		Places: places(r, f.Evidence, f.Subject)}
	if f.Class != "" && f.Class != f.Subject.Metric && f.Class != f.Subject.Name {
		out.Name += " (" + short(f.Class) + ")"
	}
	if status == "fixed" {
		out.Outcome = Held
	}
	(*numbers)(&out.Numbers).stats(KindOf(f.Subject.Metric), f.Stats)
	return out
}

func clean(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, sentence(t))
	}
	return out
}
