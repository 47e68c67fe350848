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
		return fmt.Errorf("schema %q, have %q", Schema, r.Schema)
	}
	for i := range r.Timeline {
		if err := r.Timeline[i].check(); err != nil {
			return fmt.Errorf("timeline %d (%s): %w", i, title(r.Timeline[i].Subject), err)
		}
	}
	for i := range r.Series {
		if s := &r.Series[i]; s.N < 1 || s.DurationS < 0 {
			return fmt.Errorf("series %d (%s): %d samples in %g s", i, title(s.Subject), s.N, s.DurationS)
		}
	}
	return nil
}

// most is beyond every size and time that a capture can hold, and far from where sums overflow.
const most = 1e18

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
