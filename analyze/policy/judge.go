package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/memtide/memtide/analyze"
)

// Judge holds a result against the policy: it fills in its checks, its verdict and its summary. The result should come from an
// analysis with Options. Exceptions are held against today; one is good to the end of its day.
//
// A result passes only if at least one check was decided and none was broken.
func (p *Policy) Judge(r *analyze.Result, today time.Time) {
	day := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	j := &judge{p: p, r: r, day: day, comparison: len(r.Deltas) > 0, covered: map[covering]bool{}}
	r.Policy = &analyze.PolicyRef{Path: p.name, SHA256: p.sha256}
	r.Method = append(r.Method,
		analyze.Setting{Name: "policy.fail_on", Value: p.failOn, Meaning: "least severity that breaks the policy"},
		analyze.Setting{Name: "policy.on_inconclusive", Value: p.onInconclusive, Meaning: "what becomes of checks that could not be decided"},
		analyze.Setting{Name: "policy.on_kept", Value: p.onKept, Meaning: "what becomes of findings that both sides of a comparison have"})
	j.limits()
	j.growths()
	j.objectives()
	j.regressions()
	j.release()
	j.findings()
	j.excuse()
	j.conclude()
}

// judge is the work of one Judge.
type judge struct {
	p          *Policy
	r          *analyze.Result
	day        time.Time // today
	comparison bool
	checks     []analyze.Check
	nothing    int               // rules that fit nothing
	covered    map[covering]bool // growth and regressions that a check of a rule speaks for
}

type covering struct {
	rule    string
	subject analyze.Subject
}

// gated says whether a side is the one that is judged: the before side of a comparison is what it is held against.
func gated(side string) bool { return side != "before" }

func (j *judge) add(c analyze.Check) { j.checks = append(j.checks, c) }

func (j *judge) warn(format string, args ...any) {
	j.r.Warnings = append(j.r.Warnings, fmt.Sprintf(format, args...))
}

// unmatched deals with a rule that fits nothing.
func (j *judge) unmatched(r rule) {
	message := fmt.Sprintf("%s (%s:%d) fits nothing in what was measured.", r.title, j.p.name, r.at.line)
	if !r.require {
		j.warn("%s", message)
		j.nothing++
		return
	}
	s := analyze.Subject{Process: r.match.Process, Scope: r.match.Scope, Name: r.match.Name, Metric: r.metric}
	j.add(analyze.Check{Name: "require " + r.title, Rule: "require", Subject: s, Outcome: analyze.Fail, Severity: "critical", Message: message + " The policy requires that it does.",
		Fingerprint: s.Fingerprint("require")})
}

// verdicts are the outcomes that one check had over the runs and parts of a series.
type verdicts struct {
	checks []analyze.Check
	strict bool // what could not be decided in one run is not made good by another
}

// worst is the check that speaks for all: one that is broken, else what is open, else the one nearest to its limit.
func (v verdicts) worst() analyze.Check {
	rank := map[analyze.Outcome]int{analyze.Fail: 0, analyze.Pass: 1, analyze.Inconclusive: 2}
	if v.strict {
		rank = map[analyze.Outcome]int{analyze.Fail: 0, analyze.Inconclusive: 1, analyze.Pass: 2}
	}
	slices.SortStableFunc(v.checks, func(a, b analyze.Check) int {
		return cmp.Or(cmp.Compare(rank[a.Outcome], rank[b.Outcome]), cmp.Compare(excess(b), excess(a)))
	})
	return v.checks[0]
}

func excess(c analyze.Check) float64 {
	if c.Value == nil || c.Limit == nil {
		return 0
	}
	return *c.Value - *c.Limit
}

// grouped gathers the checks of one subject in order of their first.
type grouped struct {
	order []analyze.Subject
	of    map[analyze.Subject][]analyze.Check
}

func (g *grouped) add(c analyze.Check) {
	if g.of == nil {
		g.of = map[analyze.Subject][]analyze.Check{}
	}
	if g.of[c.Subject] == nil {
		g.order = append(g.order, c.Subject)
	}
	g.of[c.Subject] = append(g.of[c.Subject], c)
}

// most adds what most runs of a subject show, where there are three or more: growth that one of them has may be chance. With
// fewer, the worst speaks.
func (g *grouped) most(j *judge) {
	for _, s := range g.order {
		of := g.of[s]
		broken := 0
		for _, c := range of {
			if c.Outcome == analyze.Fail {
				broken++
			}
		}
		worst := verdicts{of, false}.worst()
		if broken > 0 && len(of) > 1 {
			worst.Message += fmt.Sprintf(" So it is in %d of %d runs.", broken, len(of))
		}
		if len(of) >= 3 && broken > 0 && 2*broken <= len(of) {
			worst.Outcome, worst.Excused = analyze.Pass, "most runs do not have it"
			j.warn("Let through: %s", worst.Message)
		}
		j.add(worst)
	}
}

func (g *grouped) into(j *judge, strict bool) {
	for _, s := range g.order {
		j.add(verdicts{g.of[s], strict}.worst())
	}
}

// excuse lets through what the policy knows, and what is less severe than it minds. An exception that has expired excuses
// nothing and is a check of its own.
func (j *judge) excuse() {
	for _, k := range j.p.known {
		used := false
		for i := range j.checks {
			c := &j.checks[i]
			if c.Fingerprint != k.fingerprint || c.Outcome != analyze.Fail && c.Excused == "" {
				continue
			}
			if used = true; c.Outcome == analyze.Fail && !j.day.After(k.expires) {
				c.Outcome, c.Excused = analyze.Pass, k.reason
			}
		}
		until := k.expires.Format(time.DateOnly)
		switch {
		case j.day.After(k.expires):
			j.add(analyze.Check{Name: "known finding " + k.fingerprint, Rule: "known", Outcome: analyze.Fail, Severity: "critical", Fingerprint: k.fingerprint,
				Message: fmt.Sprintf("The exception for %s (%s, %s:%d) expired on %s: mend the finding, or set a new date.", k.fingerprint, k.reason, j.p.name, k.at.line, until)})
		case !used:
			j.warn("The known finding %s (%s, %s:%d) is not there any more: its exception can be taken out.", k.fingerprint, k.reason, j.p.name, k.at.line)
		}
	}
	for i := range j.checks {
		c := &j.checks[i]
		if c.Outcome == analyze.Fail && slices.Index(severities, c.Severity) < slices.Index(severities, j.p.failOn) {
			c.Outcome, c.Excused = analyze.Pass, fmt.Sprintf("its severity %s is below fail_on: %s", c.Severity, j.p.failOn)
		}
	}
}

// conclude sets the verdict.
func (j *judge) conclude() {
	count := map[analyze.Outcome]int{}
	excused, firstOpen := 0, ""
	var leads *analyze.Check
	for i, c := range j.checks {
		count[c.Outcome]++
		switch {
		case c.Excused != "":
			excused++
		case c.Outcome == analyze.Fail && (leads == nil || c.Rule == leads.Rule && leading(c) < leading(*leads)):
			leads = &j.checks[i]
		case c.Outcome == analyze.Inconclusive:
			firstOpen = cmp.Or(firstOpen, c.Message)
			if j.p.onInconclusive == "warn" {
				j.warn("Not decided: %s", c.Message)
			}
		}
	}
	r := j.r
	r.Checks = j.checks
	passed, failed, open := count[analyze.Pass], count[analyze.Fail], count[analyze.Inconclusive]
	switch {
	case failed > 0:
		r.Verdict, r.Summary = analyze.Fail, fmt.Sprintf("The policy is broken in %s: %s", number(failed, passed+failed+open), leads.Message)
	case !j.measured():
		r.Verdict, r.Summary = analyze.Inconclusive, "Nothing was measured that the policy could be held against."
	case passed == 0 && open == 0:
		r.Verdict, r.Summary = analyze.Inconclusive, "The policy demands nothing of what was measured: no check was made."
	case passed == 0 || open > 0 && j.p.onInconclusive == "fail":
		r.Verdict, r.Summary = analyze.Inconclusive, fmt.Sprintf("%s could not be decided: %s", number(open, passed+open), firstOpen)
	default:
		r.Verdict, r.Summary = analyze.Pass, fmt.Sprintf("The policy holds: %s passed%s%s.", number(passed, passed+open), also(excused, "let through"), also(open, "not decided")+unfit(j.nothing))
	}
}

// leading ranks checks of one rule: that of the metric that tells most is named.
func leading(c analyze.Check) int {
	if i := slices.Index(told, c.Subject.Metric); i >= 0 && c.Subject.Scope == "process" {
		return i
	}
	return len(told)
}

// unfit reminds of rules that hold of nothing: a name that is mistyped would let everything pass.
func unfit(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 rule fits nothing that was measured"
	}
	return fmt.Sprintf("; %d rules fit nothing that was measured", n)
}

func number(n, of int) string {
	if of == 1 {
		return "1 of 1 check"
	}
	return fmt.Sprintf("%d of %d checks", n, of)
}

func also(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s", n, what)
}

// measured says whether the judged side has any series at all.
func (j *judge) measured() bool {
	return len(j.r.Histories) > 0 || slices.ContainsFunc(j.r.Series, func(s analyze.Series) bool { return gated(s.Side) && s.N > 0 })
}
