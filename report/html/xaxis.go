package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/report"
)

// timeSteps are the steps of a time axis in seconds, with the unit that their labels are in.
var timeSteps = []struct {
	step, per float64
	unit      string
}{
	{1, 1, "s"}, {2, 1, "s"}, {5, 1, "s"}, {10, 1, "s"}, {30, 1, "s"}, {60, 60, "min"}, {120, 60, "min"}, {300, 60, "min"}, {600, 60, "min"},
	{1800, 60, "min"}, {3600, 3600, "h"}, {7200, 3600, "h"}, {14400, 3600, "h"}, {43200, 3600, "h"}, {86400, 86400, "d"}, {172800, 86400, "d"},
}

// ruler is how an axis is divided: its step, and what one of its unit is.
type ruler struct {
	step, per float64
	text      func(number string) string // of the label that has the unit
}

func (p *plot) xAxis(start, end float64) {
	most := 7.0
	if p.Small {
		most = 4
	}
	span := positive(end - start)
	r, unsaid := p.ruler(span, most), true
	for i := 0; i <= 12; i++ {
		v := math.Ceil(start/r.step-1e-9)*r.step + float64(i)*r.step
		if v > end {
			break
		}
		text := strings.ReplaceAll(fmt.Sprintf("%.6g", math.Round(v/r.per*1e6)/1e6+0), "-", "−")
		switch {
		case v == 0 && p.Axis.Zero != "":
			text = cutTo(p.Axis.Zero, 14)
		case unsaid || v == 0:
			text, unsaid = r.text(text), false
		}
		p.XTicks = append(p.XTicks, tick{round1(p.Left + (v-start)/span*(p.Right-p.Left)), text})
	}
}

// ruler divides a span of the axis into at most so many steps.
func (p *plot) ruler(span, most float64) ruler {
	if p.Axis.Per != "" {
		return countRuler(p.Axis, span, most)
	}
	r := ruler{niceStep(span, int(most)), 1, behind("s")}
	for _, t := range []struct {
		below, per float64
		unit       string
	}{{2e-3, 1e-6, "µs"}, {0.1, 1e-3, "ms"}} {
		if span < t.below {
			return ruler{niceStep(span/t.per, int(most)) * t.per, t.per, behind(t.unit)}
		}
	}
	if span > timeSteps[len(timeSteps)-1].step*most {
		return ruler{niceStep(span/86400, int(most)) * 86400, 86400, behind("d")}
	}
	for _, t := range timeSteps {
		if span >= 1 && span/t.step <= most {
			return ruler{t.step, t.per, behind(t.unit)}
		}
	}
	return r
}

func behind(unit string) func(string) string {
	return func(number string) string { return number + " " + unit }
}

// countRuler divides an axis that counts samples, instructions or bytes.
func countRuler(a report.Axis, span, most float64) ruler {
	per, prefix := a.Prefix(span)
	step := niceStep(span/per, int(most)) * per
	if a.Per == "sample" {
		return ruler{max(1, step), 1, func(number string) string { return "sample " + number }}
	}
	return ruler{step, per, behind(a.Unit(prefix))}
}

// markLine is a mark of a line, or what stands at 0, in the coordinates of the plot.
type markLine struct {
	At     float64
	Text   string // empty where there is no room for it
	Colour string
}

// mostMarks is how many marks of a line are drawn; of a line that has more none is, since they would hide it.
const mostMarks = 8

// marks lays out the marks of all lines, and what stands at 0 where that is not the start.
func (p *plot) marks(start, end float64) {
	x := func(t float64) float64 { return round1(p.Left + (t-start)/positive(end-start)*(p.Right-p.Left)) }
	if p.Axis.Zero != "" && start <= 0 && end >= 0 {
		p.Marks = append(p.Marks, markLine{x(0), p.Axis.Zero, trendColour})
	}
	for i, l := range p.Chart.Lines {
		if l.Anchors == nil || len(l.Anchors.Marks) > mostMarks {
			continue
		}
		for _, m := range l.Anchors.Marks {
			if m.TimeS >= start && m.TimeS <= end && m.Name != p.Axis.Zero {
				p.Marks = append(p.Marks, markLine{x(m.TimeS), m.Name, penOf(l, i).colour})
			}
		}
	}
	slices.SortStableFunc(p.Marks, func(a, b markLine) int { return cmp.Compare(a.At, b.At) })
	free := p.Left - 1
	for i := range p.Marks {
		m := &p.Marks[i]
		m.Text = cutTo(m.Text, 20)
		wide := 0.58*float64(p.Font*len([]rune(m.Text))) + 8
		if p.Small || m.At < free || m.At+wide > p.Right {
			m.Text = ""
			continue
		}
		free = m.At + wide
	}
}
