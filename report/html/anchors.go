package html

import (
	"math"

	"github.com/memtide/memtide/report"
)

// anchorList are the points that lines can be aligned at: those of the same runs stand once.
type anchorList struct {
	all   []anchors
	index map[*report.Anchors]int
}

// anchors are the numbers of iterations with their times, and marks as pairs of name and time; seconds to the nanosecond.
type anchors struct {
	Iteration []int64   `json:"n,omitempty"`
	Times     []float64 `json:"t,omitempty"`
	Marks     [][2]any  `json:"marks,omitempty"`
}

// number is the place of anchors in the list, from 1; 0 for none.
func (l *anchorList) number(a *report.Anchors) int {
	if a == nil {
		return 0
	}
	if n := l.index[a]; n > 0 {
		return n
	}
	ns := func(t float64) float64 { return math.Round(t*1e9) / 1e9 }
	one := anchors{Iteration: a.Iteration}
	for _, t := range a.IterationS {
		one.Times = append(one.Times, ns(t))
	}
	for _, m := range a.Marks {
		one.Marks = append(one.Marks, [2]any{m.Name, ns(m.TimeS)})
	}
	if l.index == nil {
		l.index = map[*report.Anchors]int{}
	}
	l.all = append(l.all, one)
	l.index[a] = len(l.all)
	return len(l.all)
}
