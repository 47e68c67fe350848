package report

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// chart draws one total of a process: a line a side, or a line a run where there are no sides.
func (s *story) chart(process, metric string, small bool) *Chart {
	return s.draw(func(sub analyze.Subject) bool {
		return sub.Process == process && sub.Metric == metric && isHead(sub)
	}, small)
}

// draw draws the first subject that holds.
func (s *story) draw(hold func(analyze.Subject) bool, small bool) *Chart {
	var lines []analyze.Timeline
	var subject *analyze.Subject
	for _, t := range s.Timeline {
		if subject == nil && hold(t.Subject) && len(t.TimeS) > 0 {
			subject = &t.Subject
		}
		if subject != nil && t.Subject == *subject {
			lines = append(lines, t)
		}
	}
	if subject == nil {
		return nil
	}
	return s.lines(subject, lines, small)
}

// lines draws the timelines of one subject.
func (s *story) lines(subject *analyze.Subject, lines []analyze.Timeline, small bool) *Chart {
	c := &Chart{ID: anchor("chart", *subject), Title: label(*subject) + " over time", Small: small}
	if !isHead(*subject) {
		c.Title = full(*subject) + " over time"
	}
	for _, side := range distinct(lines, func(t analyze.Timeline) string { return "side " + t.Side }) {
		c.Lines = append(c.Lines, s.sideLines(lines, strings.TrimPrefix(side, "side "))...)
	}
	axis, said := s.axis(*subject)
	c.Axis = axis
	c.finish(kindOf(subject.Metric))
	c.limits(lines, s.Redlines, kindOf(subject.Metric))
	c.Beyond = strings.TrimSpace(c.Beyond + " " + said)
	return c
}

// sideLines makes the lines of one side; the runs of a side are one line, runs without a side up to four lines.
func (s *story) sideLines(all []analyze.Timeline, side string) []Line {
	var runs [][]analyze.Timeline
	index := map[string]int{}
	for _, t := range all {
		if t.Side != side || usable(t) == 0 {
			continue
		}
		i, ok := index[t.Run]
		if !ok {
			i = len(runs)
			index[t.Run], runs = i, append(runs, nil)
		}
		runs[i] = append(runs[i], t)
	}
	switch {
	case len(runs) == 0:
		return nil
	case side == "" && len(runs) > 1 && len(runs) <= 4:
		var lines []Line
		for _, r := range runs {
			of := [][]analyze.Timeline{r}
			lines = append(lines, Line{Label: s.runLabel(analyze.Series{Run: r[0].Run}), Points: joined(r, s.limit.Columns), Start: s.startOf(of), Anchors: s.anchorsOf(of)})
		}
		return lines
	}
	text := side
	if len(runs) > 1 {
		text = strings.TrimSpace(fmt.Sprintf("%s (median of %d runs)", side, len(runs)))
	}
	return []Line{{Side: side, Label: text, Points: overRuns(runs, s.limit.Columns), Start: s.startOf(runs), Anchors: s.anchorsOf(runs)}}
}

// finish gives the chart its scale and says in words what it shows.
func (c *Chart) finish(kind unit.Kind) {
	var values []float64
	var parts []string
	for _, l := range c.Lines {
		if len(l.Points) == 0 {
			continue
		}
		low, high := l.Points[0].Min, l.Points[0].Max
		for _, p := range l.Points {
			low, high = math.Min(low, p.Min), math.Max(high, p.Max)
			values = append(values, p.Mid)
		}
		first, last := l.Points[0], l.Points[len(l.Points)-1]
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s from %s to %s in %s, between %s and %s", l.Label,
			unit.Quantity(kind, &first.Mid), unit.Quantity(kind, &last.Mid), c.Axis.Span(last.T-first.T),
			unit.Quantity(kind, &low), unit.Quantity(kind, &high))))
	}
	c.Scale = unit.CommonScale(kind, values...)
	c.Desc = strings.Join(parts, "; ") + "."
}

// trend adds the line of a series' slope through the middle of the points that it was taken from: those at the end, for as
// long as is said or else as growth at that slope takes.
func (c *Chart) trend(v *analyze.Series) {
	if v == nil || v.SlopePerS == nil || len(c.Lines) != 1 || len(c.Lines[0].Points) < 3 {
		return
	}
	slope, points := v.SlopePerS, c.Lines[0].Points
	if *slope != 0 && v.Growth != nil {
		over := *v.Growth / *slope
		if v.GrowthS > 0 {
			over = v.GrowthS
		}
		if v.RateS != nil {
			over = *v.RateS
		}
		start := points[len(points)-1].T - over*(1+1e-9)
		points = points[min(sort.Search(len(points), func(i int) bool { return points[i].T >= start }), len(points)-2):]
	}
	times, rests := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		times[i], rests[i] = p.T, p.Mid-*slope*p.T
	}
	base := median(rests)
	line := Line{Side: "trend", Label: "slope"}
	for _, t := range []float64{times[0], times[len(times)-1]} {
		y := base + *slope*t
		line.Points = append(line.Points, Point{T: t, Min: y, Mid: y, Max: y})
	}
	c.Lines = append(c.Lines, line)
}

// charts are the totals besides the first one, small.
func (s *story) charts(process, id string) Section {
	section := Section{ID: id, Title: "Other measures over time"}
	first, twins := s.chartMetric(process), s.twins(process)
	drawn, left := []*Chart{s.chart(process, first, true)}, []string{}
	for _, m := range s.drawn(process) {
		if m == first {
			continue
		}
		c := s.chart(process, m, true)
		twin := slices.Contains(twins, m) || slices.ContainsFunc(drawn, func(o *Chart) bool { return sameLines(o, c) })
		if twin || len(section.Blocks) == s.limit.Charts {
			left = append(left, m)
			continue
		}
		drawn = append(drawn, c)
		section.Blocks = append(section.Blocks, c)
	}
	if len(section.Blocks) > 0 && len(left) > 0 {
		return section.with(fmt.Sprintf("Not drawn, the same as another or further down in the order: %s.", enumerate(left, 8)))
	}
	return section
}

// sameLines says whether a reader could not tell two charts apart.
func sameLines(a, b *Chart) bool {
	if a == nil || b == nil || len(a.Lines) != len(b.Lines) {
		return false
	}
	for i, l := range a.Lines {
		if len(l.Points) != len(b.Lines[i].Points) {
			return false
		}
		for j, p := range l.Points {
			if !alike(&p.Mid, &b.Lines[i].Points[j].Mid, unit.Bytes) {
				return false
			}
		}
	}
	return true
}

// anchor makes an ID of a subject that is the same in every report of it.
func anchor(prefix string, s analyze.Subject) string {
	text := strings.Join([]string{s.Process, s.Scope, s.Name, s.Metric}, "\x00")
	h := uint64(14695981039346656037) // FNV-1a, 64 bit
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return fmt.Sprintf("%s-%012x", prefix, h>>16)
}
