package analyze

import (
	"fmt"
	"math"
	"slices"
)

// Check says what is wrong with a result that was read from a file: anybody may have changed it. What One and Compare
// return passes.
func (r *Result) Check() error {
	if r.Schema != Schema {
		return fmt.Errorf("want schema %q, have %q", Schema, r.Schema)
	}
	for i := range r.Timeline {
		if err := r.Timeline[i].check(); err != nil {
			return fmt.Errorf("timeline %d (%s): %w", i, title(r.Timeline[i].Subject), err)
		}
	}
	for i := range r.Anchors {
		if err := r.Anchors[i].check(); err != nil {
			return fmt.Errorf("anchors %d (%s): %w", i, r.Anchors[i].Run, err)
		}
	}
	if err := r.checkAlign(); err != nil {
		return err
	}
	for i := range r.Series {
		if err := r.Series[i].check(); err != nil {
			return fmt.Errorf("series %d (%s): %w", i, title(r.Series[i].Subject), err)
		}
	}
	return r.checkWords()
}

// checkWords holds that every verdict and severity is one that memtide gives: a renderer or a CI job looks them up.
func (r *Result) checkWords() error {
	if err := known("verdict", r.Verdict, outcomes); err != nil {
		return err
	}
	if err := r.checkHistories(); err != nil {
		return err
	}
	deltas := slices.Concat(r.Deltas, r.Release)
	for i := range deltas {
		d := &deltas[i]
		if err := known("verdict", d.Verdict, changes); err != nil {
			return fmt.Errorf("delta %d (%s): %w", i, title(d.Subject), err)
		}
	}
	for i := range r.Findings {
		if err := known("severity", r.Findings[i].Severity, severities); err != nil {
			return fmt.Errorf("finding %d (%s): %w", i, r.Findings[i].Rule, err)
		}
	}
	for i := range r.Checks {
		if err := known("outcome", r.Checks[i].Outcome, outcomes); err != nil {
			return fmt.Errorf("check %d (%s): %w", i, r.Checks[i].Name, err)
		}
	}
	return r.checkStacks()
}

var (
	outcomes   = []Outcome{Pass, Fail, Inconclusive}
	verdicts   = []Verdict{Leak, Step, WarmUp, Plateau, Stable, Falling, Undetermined}
	changes    = []Change{Regression, Improvement, Equivalent, Unsettled, New, Removed}
	severities = []string{"note", "warning", "critical"}
)

func known[T ~string](what string, have T, want []T) error {
	if slices.Contains(want, have) {
		return nil
	}
	return fmt.Errorf("want as %s one of %q, have %q", what, want, have)
}

func (s *Series) check() error {
	if s.N < 1 || s.DurationS < 0 {
		return fmt.Errorf("%d samples in %g s", s.N, s.DurationS)
	}
	for _, v := range []int64{s.First, s.Last, s.Median, s.Steady} {
		if v < s.Min || v > s.Max {
			return fmt.Errorf("%d is not between min %d and max %d", v, s.Min, s.Max)
		}
	}
	return known("verdict", s.Verdict, verdicts)
}

// most is beyond every size and time that a capture can hold, and far from where sums overflow.
const most = 4e18

func (l *Timeline) check() error {
	n := len(l.TimeS)
	if n == 0 || len(l.Min) != n || len(l.Mid) != n || len(l.Max) != n {
		return fmt.Errorf("want as many values as times, have %d times and %d, %d and %d values", n, len(l.Min), len(l.Mid), len(l.Max))
	}
	if !slices.IsSorted(l.TimeS) {
		return fmt.Errorf("want times in order")
	}
	for i := range l.TimeS {
		for _, v := range []float64{l.TimeS[i], l.Min[i], l.Mid[i], l.Max[i]} {
			if math.Abs(v) > most {
				return fmt.Errorf("column %d: %g is no size or time", i, v)
			}
		}
		if l.Min[i] > l.Mid[i] || l.Mid[i] > l.Max[i] {
			return fmt.Errorf("column %d: want min <= mid <= max, have %g, %g, %g", i, l.Min[i], l.Mid[i], l.Max[i])
		}
	}
	return nil
}
