package analyze_test

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

func compared(before, after []analyze.Capture, lines ...analyze.Redline) *analyze.Result {
	o := analyze.Defaults()
	o.Redlines.Lines = lines
	return analyze.Compare(before, after, o)
}

func status(r *analyze.Result) string {
	var out []string
	for _, f := range r.Findings {
		if f.Rule != "regression" {
			out = append(out, f.Rule+" "+f.Status+" "+f.Side)
		}
	}
	return strings.Join(out, ", ")
}

func runs(c ...analyze.Capture) []analyze.Capture { return c }

func TestStatusOfFindings(t *testing.T) {
	leak, flat := func(n string) analyze.Capture { return growing(n, 60, mib, 0) }, func(n string) analyze.Capture { return growing(n, 60, 0, 0) }
	line := analyze.Redline{Name: "budget", Match: analyze.Match{Scope: "process", Metric: "pss"}, Limit: 300 * mib}
	snapshot := growing("s", 1, 0, 0)
	other := capture("o", 60, func(i int) []row { return []row{{"renamed", "process", "", "pss", int64(250+i) * mib}} })
	for _, c := range []struct {
		name          string
		before, after []analyze.Capture
		lines         []analyze.Redline
		want          string
		verdict       analyze.Outcome
	}{
		{"nothing", runs(flat("b")), runs(flat("a")), nil, "", analyze.Pass},
		{"new", runs(flat("b")), runs(leak("a")), nil, "growth new after", analyze.Fail},
		{"fixed", runs(leak("b")), runs(flat("a")), nil, "growth fixed before", analyze.Pass},
		{"kept", runs(leak("b")), runs(leak("a")), nil, "growth kept after", analyze.Pass},
		{"fixed, shown once", runs(leak("b1"), leak("b2")), runs(flat("a1"), flat("a2")), nil, "growth fixed before", analyze.Pass},
		{"kept in some runs", runs(leak("b1"), flat("b2")), runs(flat("a1"), leak("a2")), nil, "growth kept after", analyze.Inconclusive},
		{"the after side could not show it", runs(leak("b")), runs(snapshot), nil, "growth  before", ""},
		{"under another name", runs(capture("b", 60, func(i int) []row { return []row{{"app", "process", "", "pss", int64(250+i) * mib}} })), runs(other), nil, "growth kept after", analyze.Pass},
		{"a red line, new", runs(flat("b")), runs(leak("a")), []analyze.Redline{line}, "redline new after, growth new after", analyze.Fail},
		{"a red line, fixed", runs(leak("b")), runs(flat("a")), []analyze.Redline{line}, "redline fixed before, growth fixed before", analyze.Pass},
	} {
		r := compared(c.before, c.after, c.lines...)
		if have := status(r); have != c.want {
			t.Errorf("%s: %q, want %q", c.name, have, c.want)
		}
		if c.verdict != "" && r.Verdict != c.verdict {
			t.Errorf("%s: %s (%s), want %s", c.name, r.Verdict, r.Summary, c.verdict)
		}
	}
}

func TestStatusCountsRuns(t *testing.T) {
	r := compared(runs(growing("b1", 60, 0, 0), growing("b2", 60, 0, 0)), runs(growing("a1", 60, mib, 0), growing("a2", 60, 0, 0)))
	if len(r.Findings) == 0 || !strings.Contains(strings.Join(r.Findings[0].Warnings, " "), "In 0 of 2 runs before, 1 of 2 after.") {
		t.Errorf("%+v", r.Findings)
	}
}

func TestComparisonWithItselfHasNothingNew(t *testing.T) {
	c := growing("x", 60, mib, -mib)
	for _, f := range compared(runs(c), runs(c)).Findings {
		if f.Status != analyze.StatusKept {
			t.Errorf("%s is %s", f.Rule, f.Status)
		}
	}
}
