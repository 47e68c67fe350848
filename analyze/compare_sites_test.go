package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

func siteSubject(name, metric string) analyze.Subject {
	return analyze.Subject{Process: "app", Scope: "class", Name: name, Metric: metric}
}

// A site that a complete capture does not list has nothing alive: it is new or removed, with figures, a share and, where before is
// more than 0, a relative change.
func TestSitesThatComeAndGo(t *testing.T) {
	r := compareRuns(list(dumps("b", true, heap{"grows": 100000, "gone": 40000})), list(dumps("a", true, heap{"grows": 150000, "came": 60000})))
	for _, c := range []struct {
		name                 string
		before, after, share float64
		relative             float64 // 0 stands for none
		verdict              analyze.Change
	}{
		{"grows", 100000, 150000, 50.0 / 70, 0.5, analyze.Regression},
		{"gone", 40000, 0, -40.0 / 70, -1, analyze.Removed},
		{"came", 0, 60000, 60.0 / 70, 0, analyze.New},
	} {
		d := delta(t, r, siteSubject(c.name, "live_bytes"))
		if *d.Before.Median != c.before || *d.After.Median != c.after || *d.Shift != c.after-c.before || d.Verdict != c.verdict {
			t.Errorf("%s: %+v", c.name, d)
		}
		near(t, c.name+" share", *d.Share, c.share, 1e-12)
		if have := d.Relative; (have == nil) != (c.relative == 0) || have != nil && *have != c.relative {
			t.Errorf("%s: relative %v, want %v", c.name, have, c.relative)
		}
		if d.ShiftLo != nil || d.ShiftHi != nil || !strings.Contains(d.Note, "one value a side: a difference without an interval") {
			t.Errorf("%s: an interval of one value a side, or no word of it: %v %v %q", c.name, d.ShiftLo, d.ShiftHi, d.Note)
		}
		if d.Band > 4096 {
			t.Errorf("%s: a band of %g", c.name, d.Band)
		}
	}
}

// A difference beyond the tolerance and within the spread of runs is told with both facts.
func TestOneValueWithinTheSpreadOfRuns(t *testing.T) {
	d := delta(t, compareRuns(list(dumps("b", true, heap{"f": 1000000})), list(dumps("a", true, heap{"f": 1050000}))), siteSubject("f", "live_bytes"))
	if d.Verdict != analyze.Unsettled || !strings.Contains(d.Note, "without an interval") || !strings.Contains(d.Note, "known to differ") {
		t.Errorf("%s: %s", d.Verdict, d.Note)
	}
}

// A run of several in which a site is missing counts as 0.
func TestSiteMissingInOneRun(t *testing.T) {
	d := delta(t, compareRuns(list(dumps("b1", true, heap{"f": 9000, "g": 5000}), dumps("b2", true, heap{"f": 9000})), list(dumps("a", true, heap{"f": 9000, "g": 5000}))),
		siteSubject("g", "live_bytes"))
	if d.Before.Runs != 2 || *d.Before.Lo != 0 || *d.Before.Median != 2500 {
		t.Errorf("%+v", d.Before)
	}
}

// More sites than get a verdict of their own: one that shrank to the least of them is no new one, and what has no row is in a sentence.
func TestManySites(t *testing.T) {
	b, a := heap{}, heap{}
	for i := range 300 {
		b[fmt.Sprintf("f%03d", i)], a[fmt.Sprintf("f%03d", i)] = int64(1e6+10000*i), int64(1e6+9000*i)
	}
	r := compareRuns(list(dumps("b", true, b)), list(dumps("a", true, a)))
	rows, sum := 0, 0.0
	for _, d := range r.Deltas {
		if d.Subject.Metric != "live_bytes" {
			continue
		}
		rows++
		sum += *d.Shift
		if d.Verdict == analyze.New || d.Verdict == analyze.Removed {
			t.Errorf("%s is %s", d.Subject.Name, d.Verdict)
		}
	}
	rest := -1000.0 * 99 * 100 / 2
	if want := fmt.Sprintf("99 more sites changed their live_bytes by less than those listed, by %+.0f in sum.", rest); rows != 200 || sum+rest != -1000.0*299*300/2 || !strings.Contains(strings.Join(r.Warnings, "\n"), want) {
		t.Errorf("%d rows with %g in sum; warnings %q, want %q", rows, sum, r.Warnings, want)
	}
}

// What a checker states as lost is exact: one block more is a change, one value a side or not, and so is a class that is gone.
func TestLostIsExact(t *testing.T) {
	lost := func(name string, total int64, classes ...string) analyze.Capture {
		return capture(name, 1, func(int) []row {
			rows := []row{{"app", "process", "", "leaked_count", total}}
			for i, c := range classes {
				rows = append(rows, row{"app", "class", c, "leaked_count", int64(100 + i)})
			}
			return rows
		})
	}
	r := compareRuns(list(lost("b", 201, "A", "B")), list(lost("a", 202, "A", "C")))
	d := delta(t, r, analyze.Subject{Process: "app", Scope: "process", Metric: "leaked_count"})
	if d.Verdict != analyze.Regression || *d.Shift != 1 || d.Band != 0 || d.ShiftLo != nil || !strings.HasPrefix(d.Note, "exact") {
		t.Errorf("%+v", d)
	}
	for name, want := range map[string]analyze.Change{"A": analyze.Equivalent, "B": analyze.Removed, "C": analyze.New} {
		if d := delta(t, r, siteSubject(name, "leaked_count")); d.Verdict != want || d.Shift == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := delta(t, compareRuns(list(lost("b", 100, "A")), list(lost("a", 0))), siteSubject("A", "leaked_count")); d.Verdict != analyze.Removed || *d.Shift != -100 {
		t.Errorf("all fixed: %+v", d)
	}
}

// Where sites are all that was measured, no change passes, and the greatest change is named without a verdict on the whole.
func TestVerdictOfSitesAlone(t *testing.T) {
	b := heap{"f": 100000, "g": 50000}
	for _, c := range []struct {
		after   heap
		verdict analyze.Outcome
		words   string
	}{
		{b, analyze.Pass, "Nothing changed at 2 sites"},
		{heap{"f": 150000, "g": 50000}, analyze.Inconclusive, "Of 2 sites one changed most: app: live_bytes of f +48.8 KiB (+50.0 %)."},
		{heap{"f": 100000, "g": 50000, "h": 8192}, analyze.Inconclusive, "Of 3 sites one changed most: app: live_bytes of h +8 KiB (new)."},
	} {
		r := compareRuns(list(dumps("b", true, b)), list(dumps("a", true, c.after)))
		if r.Verdict != c.verdict || !strings.Contains(r.Summary, c.words) {
			t.Errorf("%s: %s", r.Verdict, r.Summary)
		}
	}
}
