package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/memtide/memtide/analyze/stat"
	"github.com/memtide/memtide/ingest/table"
)

// Anchors are the points of a run that it can be aligned at with others: the iterations of its scenario, and its named marks.
// Times are seconds on the axis of the run's series.
type Anchors struct {
	Side       string    `json:"side,omitempty"`
	Run        string    `json:"run"`
	Count      int       `json:"iterations"`            // how many iterations the run has
	Iteration  []int64   `json:"iteration,omitempty"`   // their numbers, rising: at most 400, evenly chosen with the first and the last
	IterationS []float64 `json:"iteration_t,omitempty"` // when each is first seen
	Marks      []Mark    `json:"marks,omitempty"`       // the first 100 names, each where it is first seen
	LeftOut    int       `json:"marks_left_out,omitempty"`
}

// Mark is a named point in time of a run.
type Mark struct {
	Name  string  `json:"name"`
	TimeS float64 `json:"t"`
}

// The bounds of Anchors: between two iterations that are kept the time is interpolated.
const (
	maxIterations = 400
	maxMarks      = 100
)

// anchor adds what a run can be aligned at to the result; nothing for a run that has neither iterations nor marks.
func (r *Result) anchor(c *Capture) {
	if c.Set == nil {
		for _, a := range c.Earlier.Anchors {
			a.Side, a.Run = c.Side, cmp.Or(a.Run, c.Name)
			r.Anchors = append(r.Anchors, a)
		}
		return
	}
	a := Anchors{Side: c.Side, Run: c.Name}
	all := table.Iterations(c.Set)
	a.Count = len(all)
	for _, i := range evenly(len(all), maxIterations) {
		a.Iteration, a.IterationS = append(a.Iteration, all[i].Number), append(a.IterationS, float64(all[i].TimeNS)/1e9)
	}
	marks := table.FirstMarks(c.Set)
	a.LeftOut = max(0, len(marks)-maxMarks)
	for _, m := range marks[:min(len(marks), maxMarks)] {
		a.Marks = append(a.Marks, Mark{m.Name, float64(m.TimeNS) / 1e9})
	}
	if a.Count > 0 || len(a.Marks) > 0 {
		r.Anchors = append(r.Anchors, a)
	}
}

// evenly are at most k of n places, with the first and the last.
func evenly(n, k int) []int {
	out := make([]int, 0, min(n, k))
	for i := range min(n, k) {
		if n > k {
			i = i * (n - 1) / (k - 1)
		}
		out = append(out, i)
	}
	return out
}

// TimeOf is when an iteration begins. Of a run with more of them than are kept, one between two that are kept is
// interpolated; false if the run does not have it.
func (a *Anchors) TimeOf(number int64) (float64, bool) {
	n := min(len(a.Iteration), len(a.IterationS))
	i := sort.Search(n, func(i int) bool { return a.Iteration[i] >= number })
	switch {
	case i == n:
		return 0, false
	case a.Iteration[i] == number:
		return a.IterationS[i], true
	case i == 0 || a.Count <= n:
		return 0, false
	}
	part := float64(number-a.Iteration[i-1]) / float64(a.Iteration[i]-a.Iteration[i-1])
	return a.IterationS[i-1] + part*(a.IterationS[i]-a.IterationS[i-1]), true
}

// TimeOfMark is when a mark stands first; false if the run does not have it.
func (a *Anchors) TimeOfMark(name string) (float64, bool) {
	i := slices.IndexFunc(a.Marks, func(m Mark) bool { return m.Name == name })
	if i < 0 {
		return 0, false
	}
	return a.Marks[i].TimeS, true
}

// MedianAnchors are those that all of several runs have, each at the median of its times after the shift of its run.
func MedianAnchors(runs []Anchors, shifts []float64) Anchors {
	if len(runs) == 0 {
		return Anchors{}
	}
	out := Anchors{Side: runs[0].Side}
	across := func(at func(a *Anchors) (float64, bool)) (float64, bool) {
		var times []float64
		for i := range runs {
			t, ok := at(&runs[i])
			if !ok {
				return 0, false
			}
			times = append(times, t+shifts[i])
		}
		return stat.Median(times), true
	}
	for _, n := range runs[0].Iteration[:min(len(runs[0].Iteration), len(runs[0].IterationS))] {
		t, ok := across(func(a *Anchors) (float64, bool) { return a.TimeOf(n) })
		if k := len(out.IterationS); ok && (k == 0 || t >= out.IterationS[k-1]) {
			out.Iteration, out.IterationS = append(out.Iteration, n), append(out.IterationS, t)
		}
	}
	out.Count = len(out.Iteration)
	if len(runs) == 1 {
		out.Count = runs[0].Count
	}
	for _, m := range runs[0].Marks {
		if t, ok := across(func(a *Anchors) (float64, bool) { return a.TimeOfMark(m.Name) }); ok {
			out.Marks = append(out.Marks, Mark{m.Name, t})
		}
	}
	return out
}

func (a *Anchors) check() error {
	if len(a.Iteration) != len(a.IterationS) || a.Count < len(a.Iteration) {
		return fmt.Errorf("%d iterations with %d numbers and %d times", a.Count, len(a.Iteration), len(a.IterationS))
	}
	for i, t := range a.IterationS {
		if math.Abs(t) > most {
			return fmt.Errorf("iteration %d: %g s is no time", a.Iteration[i], t)
		}
	}
	for _, m := range a.Marks {
		if math.Abs(m.TimeS) > most {
			return fmt.Errorf("mark %q: %g s is no time", m.Name, m.TimeS)
		}
	}
	for i := 1; i < len(a.Iteration); i++ {
		if a.Iteration[i] <= a.Iteration[i-1] || a.IterationS[i] < a.IterationS[i-1] {
			return fmt.Errorf("iteration %d at %g s behind %d at %g s", a.Iteration[i], a.IterationS[i], a.Iteration[i-1], a.IterationS[i-1])
		}
	}
	return nil
}
