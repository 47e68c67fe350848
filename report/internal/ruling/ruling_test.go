package ruling_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/example"
	_ "github.com/memtide/memtide/report/internal/golden" // takes -update
	"github.com/memtide/memtide/report/internal/ruling"
)

// told is a ruling in a line: outcome, status, severity, name.
func told(list []ruling.Ruling) []string {
	var out []string
	for _, r := range list {
		out = append(out, strings.Join(strings.Fields(fmt.Sprint(r.Outcome, " ", r.Status, " ", r.Severity, " ", r.Name)), " "))
	}
	return out
}

func TestTestsOfAPolicy(t *testing.T) {
	if diff := cmp.Diff([]string{
		"held critical limit pss of com.example.gallery (limit 512.0 MiB)",
		"held note limit live_count of com.example.gallery (limit 2,000)",
		"broken critical growth of Native Heap",
		"broken warning regression of pss",
		"open warning regression of swap",
		"excused warning finding regression:gl:77aa01",
	}, told(ruling.Tests(example.Gate()))); diff != "" {
		t.Error(diff)
	}
}

func TestIssuesOfAPolicy(t *testing.T) {
	got := ruling.Issues(example.Gate())
	if diff := cmp.Diff([]string{
		"broken critical growth of Native Heap",
		"broken warning regression of pss",
		"open warning regression of swap",
		"excused warning finding regression:gl:77aa01",
		"held fixed warning com.example.gallery: pss of Dalvik Heap (dalvik-heap)",
	}, told(got)); diff != "" {
		t.Error(diff)
	}
	if got[0].Places[0].String() != "after/run-1/meminfo.txt:44 (at 0 s, 150.0 MiB)" || len(got[0].Stack) != 3 || got[0].Advice == "" {
		t.Errorf("a check has nothing of its finding: %+v", got[0])
	}
	if got[1].Places[0].String() != "after/run-1/meminfo.txt:1" {
		t.Errorf("a check without a finding points at %v", got[1].Places)
	}
}

func series(side string, v analyze.Verdict, severity string) analyze.Series {
	return analyze.Series{Side: side, Verdict: v, Severity: severity, Subject: analyze.Subject{Process: "p", Scope: "process", Metric: "pss"}}
}

func TestOutcomesOfSeries(t *testing.T) {
	for _, c := range []struct {
		name   string
		series []analyze.Series
		want   []string
	}{
		{"each verdict", []analyze.Series{series("", analyze.Leak, "warning"), series("", analyze.Stable, ""), series("", analyze.Undetermined, ""), series("", "odd", "")},
			[]string{"broken", "held", "open", "open"}},
		{"a leak that does not matter", []analyze.Series{series("", analyze.Leak, "note")}, []string{"held"}},
		{"the before side is not tested", []analyze.Series{series("before", analyze.Leak, ""), series("after", analyze.Stable, "")}, []string{"held"}},
		{"a leak of both sides is open", []analyze.Series{series("before", analyze.Leak, ""), series("after", analyze.Leak, "")}, []string{"open"}},
	} {
		var got []string
		for _, r := range ruling.Tests(&analyze.Result{Series: c.series}) {
			got = append(got, string(r.Outcome))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func finding(side, print, severity string) analyze.Finding {
	return analyze.Finding{Rule: "growth", Side: side, Severity: severity, Fingerprint: print, Run: side + "-run", Message: "grows", Subject: analyze.Subject{Process: "p", Metric: "pss"}}
}

func TestStatusOfFindings(t *testing.T) {
	r := &analyze.Result{Verdict: analyze.Fail, Findings: []analyze.Finding{finding("before", "a", "critical"), finding("before", "b", "critical"), finding("after", "b", "critical"),
		finding("after", "c", "note"), finding("after", "d", "warning")}}
	if diff := cmp.Diff([]string{"broken new warning p: pss", "broken new note p: pss", "broken kept critical p: pss", "held fixed critical p: pss"}, told(ruling.Issues(r))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"held fixed critical p: pss", "open kept critical p: pss", "held new note p: pss", "broken new warning p: pss"}, told(ruling.Tests(r))); diff != "" {
		t.Error(diff)
	}
}

// The same bug in several runs is one issue; without fingerprints the subject tells.
func TestOneIssueForABug(t *testing.T) {
	r := &analyze.Result{Verdict: analyze.Fail, Findings: []analyze.Finding{finding("", "a", "warning"), finding("", "a", "warning"), finding("", "", "warning"), finding("", "", "warning")}}
	for i := range r.Findings {
		r.Findings[i].Evidence = []analyze.Evidence{{File: "f", Line: int64(i)}}
	}
	got := ruling.Issues(r)
	if len(got) != 2 || len(got[0].Places) != 2 || len(got[1].Places) != 2 || got[0].Fingerprint == got[1].Fingerprint {
		t.Errorf("%+v", got)
	}
}

// A fingerprint outlives another verdict, value or line.
func TestFingerprintIsStable(t *testing.T) {
	a, b := finding("after", "x", "critical"), finding("after", "x", "note")
	b.Message, b.Evidence = "other", []analyze.Evidence{{File: "g", Line: 7}}
	first := ruling.Issues(&analyze.Result{Findings: []analyze.Finding{a}})[0]
	then := ruling.Issues(&analyze.Result{Findings: []analyze.Finding{finding("before", "x", "note"), b}})[0]
	if first.Fingerprint != then.Fingerprint || then.Status != "kept" {
		t.Errorf("%+v\n%+v", first, then)
	}
}

func TestNothingIsNeverGood(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"empty": {}, "empty, said to pass": {Verdict: analyze.Pass}, "failed without a reason": {Verdict: analyze.Fail, Series: []analyze.Series{{}}}} {
		got := ruling.Issues(r)
		if len(got) != 1 || got[0].Outcome != ruling.Broken || got[0].Severity != "critical" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := ruling.Issues(&analyze.Result{Verdict: analyze.Inconclusive, Series: []analyze.Series{{}}}); len(got) != 1 || got[0].Outcome != ruling.Open {
		t.Errorf("inconclusive: %+v", got)
	}
	if got := ruling.Issues(&analyze.Result{Verdict: analyze.Pass, Series: []analyze.Series{{}}}); len(got) != 0 {
		t.Errorf("passed: %+v", got)
	}
}

// The policy has the last word on a finding that it names; an open check has none.
func TestPolicyOnAFinding(t *testing.T) {
	for outcome, want := range map[analyze.Outcome]string{
		analyze.Fail: "[broken warning the check]", analyze.Pass: "[broken note p: pss]", analyze.Inconclusive: "[broken critical p: pss open warning the check]",
	} {
		r := &analyze.Result{Verdict: outcome, Findings: []analyze.Finding{finding("", "x", "critical")},
			Checks: []analyze.Check{{Name: "the check", Rule: "growth", Outcome: outcome, Severity: "warning", Fingerprint: "x"}}}
		if got := fmt.Sprint(told(ruling.Issues(r))); got != want {
			t.Errorf("%s: %s, want %s", outcome, got, want)
		}
	}
}

func TestFingerprintsAreUnique(t *testing.T) {
	r := example.Gate()
	r.Checks = append(r.Checks, r.Checks...)
	seen := map[string]bool{}
	for _, i := range append(ruling.Issues(r), ruling.Issues(example.Hostile())...) {
		if seen[i.Fingerprint] {
			t.Errorf("%s twice", i.Fingerprint)
		}
		seen[i.Fingerprint] = true
	}
}

func TestPath(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.txt": "a/b.txt", "/home/x/b.txt": "home/x/b.txt", `C:\runs\b.txt`: "runs/b.txt", "../../b.txt": "b.txt", "./a//b": "a/b", "": "unknown", "/": "unknown", "..": "unknown",
		"zip!/a": "zip!/a", "-": "-", "javascript:alert(1)": "javascript:alert(1)",
	} {
		if got := (ruling.Place{File: in}).Path(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// The metrics that decide are those of analyze, which does not export them.
func TestDecisiveInStep(t *testing.T) {
	of := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`var decisive = .*`).FindString(string(text))
	}
	if ours, theirs := of("tests.go"), of("../../../analyze/conclude.go"); ours == "" || ours != theirs {
		t.Errorf("here:    %s\nanalyze: %s", ours, theirs)
	}
}

func TestTextIsWhole(t *testing.T) {
	text := ruling.Issues(example.Gate())[0].Text()
	for _, want := range []string{"Native Heap grows by 37.4 MiB/h", "severity: critical", "value: 37.4 MiB", "limit: 5.0 MiB", "at: after/run-1/meminfo.txt:44", "scudo_malloc", "try: Take a native", "fingerprint: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
