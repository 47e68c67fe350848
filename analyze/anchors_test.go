package analyze

import (
	"errors"
	"fmt"
	"testing"
)

// Of thousands of iterations 400 are kept; what lies between is in proportion, what is not there is not known.
func TestAnchorTimes(t *testing.T) {
	few := Anchors{Count: 3, Iteration: []int64{1, 2, 10}, IterationS: []float64{5, 6, 9}, Marks: []Mark{{"login", 4}}}
	many := Anchors{Count: 9000}
	for _, i := range evenly(9000, maxIterations) {
		many.Iteration, many.IterationS = append(many.Iteration, int64(i)), append(many.IterationS, float64(i)*2)
	}
	if n := len(many.Iteration); n != maxIterations || many.Iteration[0] != 0 || many.Iteration[n-1] != 8999 {
		t.Fatalf("%d are kept, from %d to %d", n, many.Iteration[0], many.Iteration[n-1])
	}
	for _, c := range []struct {
		of     *Anchors
		number int64
		want   string
	}{{&few, 2, "6 true"}, {&few, 10, "9 true"}, {&few, 5, "0 false"}, {&few, 0, "0 false"}, {&few, 11, "0 false"},
		{&many, 0, "0 true"}, {&many, 8999, "17998 true"}, {&many, 4321, "8642 true"}, {&many, 9000, "0 false"}, {&Anchors{}, 1, "0 false"}} {
		at, ok := c.of.TimeOf(c.number)
		if got := fmt.Sprint(at, ok); got != c.want {
			t.Errorf("iteration %d: %s, want %s", c.number, got, c.want)
		}
	}
}

// Several runs have what all of them have, at the median of their times after their shifts.
func TestMedianAnchors(t *testing.T) {
	runs := []Anchors{
		{Side: "after", Count: 3, Iteration: []int64{1, 2, 3}, IterationS: []float64{1, 2, 3}, Marks: []Mark{{"a", 1}, {"b", 2}}},
		{Side: "after", Count: 2, Iteration: []int64{1, 2}, IterationS: []float64{11, 14}, Marks: []Mark{{"b", 10}}},
		{Side: "after", Count: 2, Iteration: []int64{1, 2}, IterationS: []float64{3, 4}, Marks: []Mark{{"b", 3}, {"a", 1}}},
	}
	got := fmt.Sprint(MedianAnchors(runs, []float64{0, -10, 0}))
	if want := "{after  2 [1 2] [1 4] [{b 2}] 0}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSetAlign(t *testing.T) {
	r := &Result{
		Timeline: []Timeline{{Side: "before", Run: "x", TimeS: []float64{0, 50}}, {Side: "after", Run: "y", TimeS: []float64{0, 70}}},
		Anchors: []Anchors{{Side: "before", Run: "x", Count: 1, Iteration: []int64{3}, IterationS: []float64{7}, Marks: []Mark{{"login", 5}, {"out", 9}}},
			{Side: "after", Run: "y", Count: 1, Iteration: []int64{3}, IterationS: []float64{8}, Marks: []Mark{{"login", 6}}}},
	}
	for _, c := range []struct {
		text, missing string
		before, after float64
	}{{"start", "", 0, 0}, {"end", "", 50, 70}, {"iteration:3", "", 7, 8}, {"mark:login", "", 5, 6}, {"mark:out", "y", 0, 0}, {"iteration:4", "x", 0, 0}} {
		where, err := ParseAlignAt(c.text)
		if err != nil || where.String() != c.text {
			t.Fatalf("%s: %v, %v", c.text, where, err)
		}
		r.Align = nil
		var missing *NoAnchor
		if errors.As(r.SetAlign(where), &missing) != (c.missing != "") || missing != nil && missing.Run != c.missing {
			t.Errorf("%s: %v, want that %q lacks it", c.text, missing, c.missing)
		}
		if b, a := r.Zero("before", "x"), r.Zero("after", "y"); b != c.before || a != c.after {
			t.Errorf("%s: counts from %g and %g, want %g and %g", c.text, b, a, c.before, c.after)
		}
	}
	for _, bad := range []string{"", "mark:", "iteration:", "iteration:x", "iteration:1.5", "begin"} {
		if where, err := ParseAlignAt(bad); err == nil {
			t.Errorf("%q is read as %v", bad, where)
		}
	}
}
