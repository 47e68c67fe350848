package report

import (
	"maps"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// rankProcesses orders the processes by how much a reader should care: the worst verdict of a total, then the
// greatest change, then what holds most, then the name.
func (s *story) rankProcesses() []string {
	type weight struct {
		process      string
		worst        int
		change, size float64
	}
	weights := map[string]*weight{}
	at := func(process string) *weight {
		if weights[process] == nil {
			weights[process] = &weight{process: process}
		}
		return weights[process]
	}
	for _, d := range s.Deltas {
		w := at(d.Subject.Process)
		if isHead(d.Subject) && kindOf(d.Subject.Metric) == unit.Bytes {
			w.worst, w.change = max(w.worst, changeWeight[d.Verdict]), max(w.change, math.Abs(value(moved(d))))
			if slices.Contains(telling, d.Subject.Metric) {
				w.size = max(w.size, value(d.After.Median))
			}
		}
	}
	for _, v := range s.Series {
		if len(s.Deltas) > 0 {
			break
		}
		w := at(v.Subject.Process)
		if isHead(v.Subject) {
			w.worst, w.change, w.size = max(w.worst, weightOf(v)), max(w.change, math.Abs(value(v.Growth))), max(w.size, float64(v.Last))
		}
	}
	all := sorted(slices.Collect(maps.Values(weights)),
		by(func(w *weight) int { return -w.worst }),
		by(func(w *weight) float64 { return -w.change }),
		by(func(w *weight) float64 { return -w.size }),
		by(func(w *weight) string { return w.process }))
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = w.process
	}
	return names
}

// fewest is how many samples a series needs to be judged for growth.
const fewest = 5

// weightOf is how much a reader cares for a series; one that is too short to judge says nothing and comes last.
func weightOf(v analyze.Series) int {
	if v.Verdict == analyze.Undetermined && v.N < fewest {
		return 0
	}
	return seriesWeight[v.Verdict]
}

// changeWeight and seriesWeight order verdicts, greater is worse.
var changeWeight = map[analyze.Change]int{
	analyze.Regression: 5, analyze.New: 4, analyze.Unsettled: 3, analyze.Improvement: 2, analyze.Removed: 2, analyze.Equivalent: 1,
}

var seriesWeight = map[analyze.Verdict]int{
	analyze.Leak: 7, analyze.Step: 6, analyze.Undetermined: 5, analyze.WarmUp: 4, analyze.Plateau: 3, analyze.Falling: 2, analyze.Stable: 1,
}

// deltas finds those of a process that hold, best metric first.
func (s *story) deltas(process string, hold func(analyze.Subject) bool) []analyze.Delta {
	var out []analyze.Delta
	for _, d := range s.deltasOf[process] {
		if hold(d.Subject) {
			out = append(out, d)
		}
	}
	return sorted(out,
		by(func(d analyze.Delta) int { return rank(d.Subject.Metric) }),
		by(func(d analyze.Delta) string { return d.Subject.Name }))
}

// moved is the change of a delta: its shift, or what came or went as a whole.
func moved(d analyze.Delta) *float64 {
	switch {
	case d.Shift != nil:
		return d.Shift
	case d.Verdict == analyze.New && d.After.Median != nil:
		return d.After.Median
	case d.Verdict == analyze.Removed && d.Before.Median != nil:
		gone := -*d.Before.Median
		return &gone
	case d.Before.Median != nil && d.After.Median != nil:
		diff := *d.After.Median - *d.Before.Median
		return &diff
	}
	return nil
}

// value is for ordering and summing only: what is not known weighs nothing there.
func value(v *float64) float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return 0
	}
	return *v
}

// index finds the deltas and series of each process, in their order.
func (s *story) index() {
	s.deltasOf, s.seriesOf = map[string][]analyze.Delta{}, map[string][]analyze.Series{}
	for _, d := range s.Deltas {
		s.deltasOf[d.Subject.Process] = append(s.deltasOf[d.Subject.Process], d)
	}
	for _, v := range s.Series {
		s.seriesOf[v.Subject.Process] = append(s.seriesOf[v.Subject.Process], v)
	}
}

func floatOf(v int64) *float64 {
	f := float64(v)
	return &f
}

// unsettled says that a change cannot be told from none: its interval holds 0.
func unsettled(d analyze.Delta) bool {
	if d.ShiftLo == nil || d.ShiftHi == nil {
		return d.Verdict == analyze.Unsettled
	}
	return *d.ShiftLo <= 0 && *d.ShiftHi >= 0
}
