package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Axis is what the charts of a series count along. The zero value is time since the start of each run.
type Axis struct {
	Per  string // what a second stands for, where a capture has no time: sample, 1e9 instructions, GB allocated; else empty
	Zero string // what stands at 0, if it is not the start of each run: "iteration 5", "end", the name of a mark
}

// Anchors are the points that a line can be aligned at, on the axis of its chart.
type Anchors = analyze.Anchors

// runKey tells runs apart: both sides may have one of the same name.
type runKey struct{ side, run string }

// align moves what is drawn so that 0 is where the result wants it. The result's own times stay.
func (s *story) align() {
	s.zeros, s.anchored = map[runKey]float64{}, map[string]*analyze.Anchors{}
	for i := range s.Timeline {
		l := &s.Timeline[i]
		key := runKey{l.Side, l.Run}
		if _, ok := s.zeros[key]; !ok {
			s.zeros[key] = s.Zero(l.Side, l.Run)
		}
		if zero := s.zeros[key]; zero != 0 {
			l.TimeS = each(l.TimeS, func(t float64) float64 { return t - zero })
		}
	}
}

// zero is the time that charts of a run count from; of a finding that names no run, that of the runs of its side.
func (s *story) zero(side, run string) float64 {
	if zero, ok := s.zeros[runKey{side, run}]; ok {
		return zero
	}
	var all []float64
	for key, zero := range s.zeros {
		if key.side == side || side == "" {
			all = append(all, zero)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return median(all)
}

// zeroText names what stands at 0 of the axis of time; empty for the start.
func (s *story) zeroText() string {
	switch a := s.Align; {
	case a == nil || a.At == analyze.AtStart:
		return ""
	case a.At == analyze.AtMark:
		return name(a.Name)
	case a.At == analyze.AtIteration:
		return fmt.Sprintf("iteration %d", a.Number)
	}
	return s.Align.At
}

// alignText says how charts are aligned, as the flag and the links of a page do.
func (s *story) alignText() string {
	if s.Align == nil {
		return analyze.AtStart
	}
	a := *s.Align
	a.Name = name(a.Name)
	return a.String()
}

// anchorsOf are the points that a line of these runs can be aligned at, on the axis of the chart: those that all of the runs
// have, each at its median. Nil if there are none; names are cleaned. Lines of the same runs share them.
func (s *story) anchorsOf(runs [][]analyze.Timeline) *analyze.Anchors {
	key := ""
	for _, r := range runs {
		key += r[0].Side + "\x00" + r[0].Run + "\x00"
	}
	if found, ok := s.anchored[key]; ok {
		return found
	}
	s.anchored[key] = s.commonAnchors(runs)
	return s.anchored[key]
}

func (s *story) commonAnchors(runs [][]analyze.Timeline) *analyze.Anchors {
	var all []analyze.Anchors
	var shifts []float64
	for _, r := range runs {
		i := slices.IndexFunc(s.Anchors, func(a analyze.Anchors) bool { return a.Side == r[0].Side && a.Run == r[0].Run })
		if i < 0 {
			return nil
		}
		all, shifts = append(all, s.Anchors[i]), append(shifts, -s.zero(r[0].Side, r[0].Run))
	}
	out := analyze.MedianAnchors(all, shifts)
	out.Marks = each(out.Marks, func(m analyze.Mark) analyze.Mark { m.Name = name(m.Name); return m })
	if len(out.Iteration) == 0 && len(out.Marks) == 0 {
		return nil
	}
	return &out
}

// startOf is where the runs of a line began, on the axis of the chart: the median.
func (s *story) startOf(runs [][]analyze.Timeline) float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, -s.zero(r[0].Side, r[0].Run))
	}
	return median(all)
}

// axis is what the charts of a subject count along. Captures of which some have time and some have none have no axis in
// common: the text says what a second of it is.
func (s *story) axis(subject analyze.Subject) (a Axis, said string) {
	a.Zero = s.zeroText()
	pers := distinct(s.Series, func(v analyze.Series) string {
		if v.Subject != subject {
			return ""
		}
		return cmp.Or(v.Per, "s")
	})
	of := slices.DeleteFunc(slices.Clone(pers), func(per string) bool { return per == "s" })
	switch {
	case len(of) == 0:
		return a, ""
	case len(pers) == 1:
		a.Per = of[0]
		return a, axisNotes[a.Per]
	}
	return a, fmt.Sprintf("Some of the captures have no time: a second of the axis stands for 1 %s of theirs.", of[0])
}

// commonAxis is the axis that all series have, else that of time.
func (s *story) commonAxis() Axis {
	a := Axis{Zero: s.zeroText()}
	if pers := distinct(s.Series, func(v analyze.Series) string { return cmp.Or(v.Per, "s") }); len(pers) == 1 && pers[0] != "s" {
		a.Per = pers[0]
	}
	return a
}

// axisNotes say what an axis counts that is not time.
var axisNotes = map[string]string{
	"sample":           "The captures have no time: the axis counts samples.",
	"1e9 instructions": "The captures count no time: the axis counts instructions.",
	"GB allocated":     "The captures count no time: the axis counts bytes that were allocated.",
}

// Span writes a length of the axis.
func (a Axis) Span(t float64) string {
	switch a.Per {
	case "":
		return unit.Duration(t)
	case "sample":
		return fmt.Sprintf("%.6g samples", t)
	}
	per, prefix := a.Prefix(t)
	return fmt.Sprintf("%.4g %s", t/per, a.Unit(prefix))
}

// Unit is what the axis counts, with an SI prefix; empty for time.
func (a Axis) Unit(prefix string) string {
	switch a.Per {
	case "sample":
		return a.Per
	case "1e9 instructions":
		return strings.TrimSpace(prefix + " instructions")
	case "GB allocated":
		return prefix + "B allocated"
	}
	return ""
}

// Prefix is the SI prefix in which the counts of an axis without time are written up to a greatest value, and how much of the
// axis is one of it. Samples have none.
func (a Axis) Prefix(most float64) (per float64, prefix string) {
	if a.Per == "sample" {
		return 1, ""
	}
	for _, p := range []struct {
		per    float64
		prefix string
	}{{1e3, "T"}, {1, "G"}, {1e-3, "M"}, {1e-6, "k"}} {
		if most >= p.per {
			return p.per, p.prefix
		}
	}
	return 1e-9, ""
}
