package html

import (
	"github.com/memtide/memtide/report"
)

// moments are findings on an axis of time in the coordinates of their SVG.
type moments struct {
	*report.Moments
	Width, Height, Left, Right, Bottom float64
	XTicks                             []tick
	Lanes                              []lane
}

// lane is the row of one finding: a mark for each time, and a bar from the first to the last.
type lane struct {
	report.Moment
	Y, From, To float64
	Text        string
	Colour      string
	Marks       []float64
}

const laneHeight = 22

var toneColours = map[report.Tone]string{report.Bad: upColour, report.Warn: afterColour, report.Good: downColour}

func newMoments(m *report.Moments) *moments {
	out := &moments{Moments: m, Width: 760, Left: 300, Right: 744}
	out.Bottom = float64(len(m.Rows)*laneHeight + 4)
	out.Height = out.Bottom + 24
	axis := plot{Chart: &report.Chart{Axis: m.Axis}, Left: out.Left, Right: out.Right}
	axis.xAxis(m.From, m.To)
	out.XTicks = axis.XTicks
	x := func(t float64) float64 {
		return round1(out.Left + (t-m.From)/positive(m.To-m.From)*(out.Right-out.Left))
	}
	for i, r := range m.Rows {
		l := lane{Moment: r, Y: float64(i*laneHeight) + 14, Text: cutTo(r.Label, 48), Colour: toneColours[r.Tone], From: x(r.Times[0]), To: x(r.Times[len(r.Times)-1])}
		if l.Colour == "" {
			l.Colour = trendColour
		}
		for _, t := range r.Times {
			l.Marks = append(l.Marks, x(t))
		}
		out.Lanes = append(out.Lanes, l)
	}
	return out
}
