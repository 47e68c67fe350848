package ruling

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze"
)

// Issues are what is wrong, worst first: the checks of the policy that do not hold, and the findings that no such
// check speaks of; one that the policy allows is a note. A finding that several runs have is one issue with all their
// places. What was found before and is gone after is in it with the status fixed and the outcome held. A result that
// failed, or that settles nothing, is never without an issue: its own summary is one. To have measured nothing is as
// bad as to have failed.
func Issues(r *analyze.Result) []Ruling {
	var out []Ruling
	spoken := map[string]Outcome{} // by fingerprint: what the policy says of a finding
	for i, c := range checks(r) {
		if c.Outcome != Held {
			out = append(out, c)
		}
		if print := r.Checks[i].Fingerprint; print != "" && c.Outcome != Open && spoken[print] != Broken {
			spoken[print] = c.Outcome
		}
	}
	for _, f := range findings(r) {
		switch spoken[f.key] {
		case Broken, Excused:
			continue
		case Held:
			f.Severity, f.Notes = "note", append(f.Notes, "The policy allows it.")
		}
		out = append(out, f.Ruling)
	}
	distinguish(out)
	if bad := slices.ContainsFunc(out, func(i Ruling) bool { return i.Outcome != Held }); !bad && (r.Verdict != analyze.Pass || Empty(r)) {
		out = append(out, verdict(r))
	}
	slices.SortStableFunc(out, func(a, b Ruling) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)))
	})
	return out
}

// weight puts what is broken and new first, then what is broken and known, open, excused, and last what was fixed.
func weight(r Ruling) int {
	w := map[Outcome]int{Broken: 0, Open: 2, Excused: 3, Held: 4}[r.Outcome]
	if r.Outcome == Broken && r.Status == "kept" {
		w++
	}
	return w
}

// verdict is the result's own verdict as an issue.
func verdict(r *analyze.Result) Ruling {
	out := Ruling{Suite: "verdict", Name: "verdict", Rule: "verdict", Class: "verdict", Metric: "verdict", Outcome: Open, Severity: "warning", Message: Summary(r),
		Fingerprint: identity("verdict"), Places: capture(r, analyze.Subject{})}
	if r.Verdict == analyze.Fail || Empty(r) {
		out.Outcome, out.Severity = Broken, "critical"
	}
	return out
}

// Summary is the verdict of the result in a sentence.
func Summary(r *analyze.Result) string {
	switch {
	case Empty(r):
		return "Nothing was measured: no series, no comparison and no finding."
	case r.Summary != "":
		return sentence(r.Summary)
	}
	return fmt.Sprintf("The verdict is: %s.", cmp.Or(short(string(r.Verdict)), "none"))
}

// Empty says whether a result rests on nothing. Such a result never passes.
func Empty(r *analyze.Result) bool {
	return len(r.Series)+len(r.Deltas)+len(r.Findings)+len(r.Checks)+len(r.Histories) == 0
}

// distinguish gives rulings with one fingerprint, such as a check that is there twice, one of their own each.
func distinguish(list []Ruling) {
	seen := map[string]int{}
	for i := range list {
		print := list[i].Fingerprint
		if n := seen[print]; n > 0 {
			list[i].Fingerprint = identity(print, fmt.Sprint(n))
		}
		seen[print]++
	}
}
