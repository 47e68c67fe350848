package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/report"
)

// The colours are of middle lightness: they stand out from a white and from a black page, in print, and for readers
// who do not tell red from green. Lines and bars also differ in shape.
const (
	beforeColour = "#4f83c2"
	afterColour  = "#d9772b"
	trendColour  = "#8a8f98"
	upColour     = "#cf5a45"
	downColour   = "#3d9166"
	sizeColour   = "#7d93ad"
)

// pen is how a line is drawn.
type pen struct{ colour, dash string }

var pens = map[string]pen{"before": {beforeColour, "5 3"}, "after": {afterColour, ""}, "trend": {"currentColor", "7 5"}}

// runPens are for lines without a side.
var runPens = []pen{{beforeColour, ""}, {afterColour, "6 2"}, {downColour, "2 2"}, {"#a06cc0", "8 2 2 2"}}

// penOf is the pen of the i-th line of a chart.
func penOf(l report.Line, i int) pen {
	if look, ok := pens[l.Side]; ok {
		return look
	}
	return runPens[i%len(runPens)]
}

// plot is a chart in the coordinates of its SVG.
type plot struct {
	*report.Chart
	Width, Height            float64
	Left, Right, Top, Bottom float64 // edges of the drawing
	YTicks, XTicks           []tick
	Curves                   []curve
	Lines                    []tick // red lines
	Marks                    []markLine
	Font                     int
	Note                     string
}

type tick struct {
	At   float64
	Text string
}

// curve is one line: its band as a closed path, the line itself, and where its name stands.
type curve struct {
	Line         report.Line
	Colour, Dash string
	Wide         float64 // of the line
	Band, Path   string
	EndX, EndY   float64
	LabelY       float64
	Last         string
	Key          string // what stands in the legend
	Open         bool   // the mark at its end is a ring, not a disc
}

// newPlot lays out a chart.
func newPlot(c *report.Chart) *plot {
	p := &plot{Chart: c, Width: 760, Height: 196, Left: 52, Right: 676, Top: 10, Bottom: 168, Font: 10}
	if c.Small {
		p.Width, p.Height, p.Left, p.Right, p.Top, p.Bottom, p.Font = 360, 150, 44, 350, 10, 124, 9
	}
	low, high, start, end := bounds(c.Lines)
	if math.IsInf(low, 0) {
		return p
	}
	for _, l := range c.Limits {
		low, high = math.Min(low, l.Value), math.Max(high, l.Value)
	}
	p.yAxis(low, high)
	p.margin()
	p.xAxis(start, end)
	p.marks(start, end)
	y0, y1, _ := p.yRange(low, high)
	x := func(t float64) float64 { return p.Left + (t-start)/positive(end-start)*(p.Right-p.Left) }
	y := func(v float64) float64 { return p.Bottom - (v-y0)/positive(y1-y0)*(p.Bottom-p.Top) }
	for i, l := range c.Lines {
		if len(l.Points) > 0 {
			p.Curves = append(p.Curves, newCurve(l, i, p, x, y))
		}
	}
	for _, l := range c.Limits {
		p.Lines = append(p.Lines, tick{round1(y(l.Value)), strings.TrimSpace(l.Label + " " + p.Scale.Text(&l.Value) + " " + p.Scale.Unit)})
	}
	p.spread()
	return p
}

// narrowPlot lays out a wide chart once more for a narrow screen, where the wide one would be too low to be read. It is
// nil for a chart that is small anyway.
func narrowPlot(p *plot) *plot {
	if p.Small {
		return nil
	}
	c := *p.Chart
	c.Small = true
	return newPlot(&c)
}

func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return 1
}

func bounds(lines []report.Line) (low, high, start, end float64) {
	low, high, start, end = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, p := range l.Points {
			low, high = math.Min(low, p.Min), math.Max(high, p.Max)
			start, end = math.Min(start, p.T), math.Max(end, p.T)
		}
	}
	return low, high, start, end
}

// yRange is the axis: from 0 where the values reach down to half of their greatest, else around the values, which
// the note then says.
func (p *plot) yRange(low, high float64) (from, to, step float64) {
	if low >= 0 && low < high/2 || low == 0 {
		low = 0
	}
	if low == high {
		high = low + math.Max(1, math.Abs(low)*0.1)
	}
	step = niceStep((high-low)/factor(p.Chart), p.ticks()) * factor(p.Chart)
	return math.Floor(low/step+1e-9) * step, math.Ceil(high/step-1e-9) * step, step
}

// ticks is about how many steps the value axis has.
func (p *plot) ticks() int {
	if p.Small {
		return 3
	}
	return 4
}

func factor(c *report.Chart) float64 {
	if c.Scale.Factor > 0 {
		return c.Scale.Factor
	}
	return 1
}

func (p *plot) yAxis(low, high float64) {
	y0, y1, step := p.yRange(low, high)
	scale := p.Scale
	scale.Digits = int(math.Max(0, math.Ceil(-math.Log10(step/factor(p.Chart))-1e-9)))
	for i := 0; i <= 12; i++ {
		v := y0 + float64(i)*step
		if v > y1+step/1000 {
			break
		}
		p.YTicks = append(p.YTicks, tick{round1(p.Bottom - (v-y0)/(y1-y0)*(p.Bottom-p.Top)), scale.Text(&v)})
	}
	if !p.Small && banded(p.Chart.Lines) {
		p.Note = "Line: median. Band: least and greatest value. "
	}
	if y0 > 0 {
		p.Note += fmt.Sprintf("The axis starts at %s %s, not at 0.", scale.Text(&y0), p.Scale.Unit)
	}
}

// banded says whether any line has a band to explain.
func banded(lines []report.Line) bool {
	return slices.ContainsFunc(lines, func(l report.Line) bool {
		return l.Side != "trend" && slices.ContainsFunc(l.Points, func(q report.Point) bool { return q.Min < q.Max })
	})
}

// margin makes room for the longest label of the value axis.
func (p *plot) margin() {
	longest := 0
	for _, t := range p.YTicks {
		longest = max(longest, len(t.Text))
	}
	p.Left = math.Max(24, 8+0.6*float64(p.Font*longest))
}

// niceStep is 1, 2 or 5 times a power of ten, about n of them to the range.
func niceStep(span float64, n int) float64 {
	raw := positive(span) / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*1.0000001 {
			return m * power
		}
	}
	return 10 * power
}

func newCurve(l report.Line, i int, p *plot, x, y func(float64) float64) curve {
	look := penOf(l, i)
	last := l.Points[len(l.Points)-1]
	c := curve{Line: l, Colour: look.colour, Dash: look.dash, Wide: 1.7, Last: p.Scale.Text(&last.Mid), Open: l.Side == "before",
		EndX: round1(x(last.T)), EndY: round1(y(last.Mid))}
	c.LabelY = c.EndY
	c.Key = key(l, c.Last, p.Small)
	var line, band strings.Builder
	for start := 0; start < len(l.Points); {
		stop := start + 1
		for stop < len(l.Points) && !l.Points[stop].Gap {
			stop++
		}
		trace(&line, l.Points[start:stop], x, y, func(q report.Point) float64 { return q.Mid })
		outline(&band, l.Points[start:stop], x, y)
		start = stop
	}
	c.Path, c.Band = line.String(), band.String()
	if l.Side == "trend" {
		c.Band, c.Wide = "", 1.3
	}
	return c
}

// key is the legend's entry: what the line is and where it ends.
func key(l report.Line, last string, small bool) string {
	switch {
	case l.Side == "trend":
		return "slope (Theil–Sen)"
	case small && l.Side != "":
		return l.Side + " " + last
	case l.Label == "":
		return "ends at " + last
	}
	return l.Label + ", ends at " + last
}

func trace(b *strings.Builder, points []report.Point, x, y func(float64) float64, pick func(report.Point) float64) {
	for i, q := range points {
		op := byte('L')
		if i == 0 {
			op = 'M'
		}
		fmt.Fprintf(b, "%c%g %g", op, round1(x(q.T)), round1(y(pick(q))))
	}
	if len(points) == 1 {
		b.WriteString("h0.1")
	}
}

// outline goes along the greatest values and back along the least.
func outline(b *strings.Builder, points []report.Point, x, y func(float64) float64) {
	trace(b, points, x, y, func(q report.Point) float64 { return q.Max })
	for i := len(points) - 1; i >= 0; i-- {
		fmt.Fprintf(b, "L%g %g", round1(x(points[i].T)), round1(y(points[i].Min)))
	}
	b.WriteByte('Z')
}

// spread moves the names of two lines apart that end at the same height.
func (p *plot) spread() {
	const room = 14
	for i := range p.Curves {
		for j := range i {
			a, b := &p.Curves[j], &p.Curves[i]
			d := b.LabelY - a.LabelY
			if math.Abs(d) >= room || a.Line.Side == "trend" || b.Line.Side == "trend" {
				continue
			}
			push := (room - math.Abs(d)) / 2
			if d < 0 {
				push = -push
			}
			a.LabelY, b.LabelY = round1(a.LabelY-push), round1(b.LabelY+push)
		}
	}
}

func round1(v float64) float64 { return math.Round(v*10) / 10 }
