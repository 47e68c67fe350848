package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// categories are runs of a process with twelve categories of 50 MiB, named c0 … c11; level gives what category c has in run k
// beyond that, in MiB.
func categories(name string, runs int, level func(k, c int) float64) []analyze.Capture {
	var out []analyze.Capture
	for k := range runs {
		total, rows := 0.0, []row(nil)
		for c := range 12 {
			v := 50 + level(k, c)
			total += v
			rows = append(rows, row{"app", "category", fmt.Sprint("c", c), "pss", int64(v * mib)})
		}
		rows = append(rows, row{"app", "process", "", "pss", int64(total * mib)})
		out = append(out, capture(fmt.Sprint(name, k), 8, func(int) []row { return rows }))
	}
	return out
}

// jitter is a spread between runs of ±1 MiB that no two categories share.
func jitter(k, c int) float64 { return float64((k*7+c*5)%11)/5 - 1 }

func category(c int) analyze.Subject {
	return analyze.Subject{Process: "app", Scope: "category", Name: fmt.Sprint("c", c), Metric: "pss"}
}

// With five runs a side no p is below 1/126, and among twelve categories it takes two of those to stand: one that carries the whole
// change by itself is named all the same, and only that one.
func TestOneCategoryOfTwelveIsNamed(t *testing.T) {
	r := analyze.Compare(categories("b", 5, jitter), categories("a", 5, func(k, c int) float64 {
		if c == 3 {
			return 30 + jitter(k, c)
		}
		return jitter(k+2, c)
	}), analyze.Defaults())
	if d := delta(t, r, pss); d.Verdict != analyze.Regression {
		t.Fatalf("the total: %+v", d)
	}
	for c := range 12 {
		d := delta(t, r, category(c))
		if named := d.Verdict == analyze.Regression; named != (c == 3) {
			t.Errorf("c%d is %s: %s", c, d.Verdict, d.Note)
		}
	}
	if d := delta(t, r, category(3)); *d.PAdjusted <= 0.05 || !strings.Contains(d.Note, "do not overlap") {
		t.Errorf("adjusted p %v, %q", *d.PAdjusted, d.Note)
	}
}

// Ten runs a side are enough to stand among twelve rows: there the adjusted p decides.
func TestAdjustedPDecidesWhereItCan(t *testing.T) {
	r := analyze.Compare(categories("b", 10, jitter), categories("a", 10, func(k, c int) float64 { return 2*jitter(k, c) + 30*float64(c/11) }), analyze.Defaults())
	if d := delta(t, r, category(11)); d.Verdict != analyze.Regression || *d.PAdjusted > 0.05 || d.Note != "" {
		t.Errorf("%s, adjusted p %v, %q", d.Verdict, *d.PAdjusted, d.Note)
	}
}

// A total whose spread hides the change is open. A part that alone changed by more than is tolerated of the total is named; a
// part that changed by less is not.
func TestPartBelowAnOpenTotal(t *testing.T) {
	noisy := func(rise float64) func(k, c int) float64 {
		return func(k, c int) float64 {
			switch c {
			case 0:
				return 15*float64(k) - 30
			case 3:
				return rise + 0.1*float64(k)
			}
			return 0
		}
	}
	for rise, want := range map[float64]analyze.Change{30: analyze.Regression, 10: analyze.Unsettled} {
		r := analyze.Compare(categories("b", 5, noisy(0)), categories("a", 5, noisy(rise)), analyze.Defaults())
		if d := delta(t, r, pss); d.Verdict != analyze.Unsettled {
			t.Fatalf("the total: %+v", d)
		}
		if d := delta(t, r, category(3)); d.Verdict != want || !strings.HasPrefix(d.Note, "the total is not settled") {
			t.Errorf("a part that rose by %v MiB is %s: %q", rise, d.Verdict, d.Note)
		}
	}
}
