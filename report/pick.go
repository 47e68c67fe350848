package report

import (
	"math"
	"slices"

	"github.com/memtide/memtide/analyze"
)

// rankProcesses orders the processes by how much a reader should care: the worst verdict of a total, then the
// greatest change, then the name.
func (s *story) rankProcesses() []string {
	type weight struct {
		process string
		worst   int
		change  float64
	}
	var all []weight
	at := func(process string) *weight {
		i := slices.IndexFunc(all, func(w weight) bool { return w.process == process })
		if i < 0 {
			all, i = append(all, weight{process: process}), len(all)
		}
		return &all[i]
	}
	for _, d := range s.Deltas {
		w := at(d.Subject.Process)
		if isHead(d.Subject) && kindOf(d.Subject.Metric) == 0 {
			w.worst, w.change = max(w.worst, changeWeight[d.Verdict]), max(w.change, math.Abs(value(moved(d))))
		}
	}
	for _, v := range s.Series {
		w := at(v.Subject.Process)
		if isHead(v.Subject) && len(s.Deltas) == 0 {
			w.worst, w.change = max(w.worst, seriesWeight[v.Verdict]), max(w.change, math.Abs(value(v.Growth)))
		}
	}
	all = sorted(all,
		by(func(w weight) int { return -w.worst }),
		by(func(w weight) float64 { return -w.change }),
		by(func(w weight) string { return w.process }))
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = w.process
	}
	return names
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
	for _, d := range s.Deltas {
		if d.Subject.Process == process && hold(d.Subject) {
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
