package html

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/memtide/memtide/report"
)

// course is a chart over builds in the coordinates of its SVG.
type course struct {
	*report.Course
	plot
	Names                []buildName
	Marks                []buildMark
	Gaps                 []rect
	ReleaseLine          *tick
	Path, Dots, Whiskers string
	Last                 string // what the newest build has
	LastY                float64
	Dot, Thin            float64 // width of a build's dot and of its range
	Spread               bool    // any build has several runs that differ
}

// buildName is a build on the axis.
type buildName struct {
	At, TextX    float64
	Text, Anchor string
	from, to     float64 // about where the text begins and ends
}

// buildMark is a change of level.
type buildMark struct {
	buildName
	Y                  float64 // where its name stands
	Build, Row, Colour string
}

// Tall is the height of the drawing.
func (c *course) Tall() float64 { return c.Bottom - c.Top }

// newCourse lays out a chart over builds.
func newCourse(from *report.Course) *course {
	c := &course{Course: from, plot: plot{Chart: &report.Chart{Scale: from.Scale, Small: from.Small}, Width: 760, Height: 216, Right: 700, Top: 10, Bottom: 188, Font: 10}}
	if from.Small {
		c.Width, c.Height, c.Right, c.Bottom, c.Font = 360, 164, 350, 138, 9
	}
	low, high := reach(from)
	if math.IsInf(low, 0) {
		return c
	}
	c.yAxis(low, high)
	c.margin()
	c.headroom(c.marks())
	c.YTicks, c.Note = nil, ""
	c.yAxis(low, high)
	y0, y1, _ := c.yRange(low, high)
	c.layout(func(v float64) float64 { return round1(c.Bottom - (v-y0)/positive(y1-y0)*(c.Bottom-c.Top)) })
	return c
}

// narrowCourse lays a wide one out once more for a narrow screen.
func narrowCourse(c *course) *course {
	if c.Course.Small {
		return nil
	}
	from := *c.Course
	from.Small = true
	return newCourse(&from)
}

// reach is what the axis of values has to span.
func reach(c *report.Course) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	span := func(values ...*float64) {
		for _, v := range values {
			if v != nil {
				low, high = math.Min(low, *v), math.Max(high, *v)
			}
		}
	}
	for _, b := range c.Builds {
		span(b.Low, b.Mid, b.High)
	}
	if math.IsInf(low, 0) {
		return low, high
	}
	if c.Release != nil {
		span(&c.Release.Value)
	}
	for i := range c.Limits {
		span(&c.Limits[i].Value)
	}
	if high-low < math.Abs(high)/20 { // noise looks like noise
		low = high - math.Abs(high)/20
	}
	return low, high
}

// x is where a build stands: each in the middle of its share of the width.
func (c *course) x(i float64) float64 {
	return round1(c.Left + (i+0.5)*(c.Right-c.Left)/positive(float64(len(c.Builds))))
}

func (c *course) layout(y func(float64) float64) {
	room := (c.Right - c.Left) / positive(float64(len(c.Builds)))
	c.Dot, c.Thin = math.Min(5, math.Max(1.8, round1(room*0.6))), math.Min(3, math.Max(0.8, round1(room*0.25)))
	c.levels(y)
	c.names(room)
	at := func(l report.Limit) tick {
		text := strings.TrimSpace(l.Label + " " + c.Course.Scale.Text(&l.Value) + " " + c.Course.Scale.Unit)
		return tick{y(l.Value), text}
	}
	if c.Release != nil {
		line := at(*c.Release)
		c.ReleaseLine = &line
	}
	for _, l := range c.Course.Limits {
		c.Lines = append(c.Lines, at(l))
	}
}

// levels draws the medians as a line that gaps break, and the range of the runs of each build.
func (c *course) levels(y func(float64) float64) {
	var line, dots, whiskers strings.Builder
	open := false
	for i, b := range c.Builds {
		x := c.x(float64(i))
		if b.Mid == nil {
			c.gap(i, open || i == 0)
			open = false
			continue
		}
		op := 'M'
		if open {
			op = 'L'
		}
		fmt.Fprintf(&line, "%c%g %g", op, x, y(*b.Mid))
		fmt.Fprintf(&dots, "M%g %gh0", x, y(*b.Mid))
		if *b.Low < *b.High {
			c.Spread = true
			fmt.Fprintf(&whiskers, "M%g %gV%g", x, y(*b.Low), y(*b.High))
		}
		open = true
		c.Last, c.LastY = c.Course.Scale.Text(b.Mid), y(*b.Mid)
	}
	c.Path, c.Dots, c.Whiskers = line.String(), dots.String(), whiskers.String()
}

// gap shades a build of which nothing is known; those that follow one another are one shade.
func (c *course) gap(i int, first bool) {
	from, to := c.x(float64(i)-0.5), c.x(float64(i)+0.5)
	if n := len(c.Gaps); n > 0 && !first {
		c.Gaps[n-1].W = round1(to - c.Gaps[n-1].X)
		return
	}
	c.Gaps = append(c.Gaps, rect{X: from, W: round1(to - from)})
}

// names writes as many names of builds under the axis as there is room for, the first and the last before others.
func (c *course) names(room float64) {
	last, widest := len(c.Builds)-1, 0.0
	for _, b := range c.Builds {
		widest = math.Max(widest, c.wide(short(b.Name)))
	}
	end := c.name(last)
	step, free := max(1, int(math.Ceil((widest+8)/positive(room)))), -math.MaxFloat64
	for i := 0; i < last; i += step {
		n := c.name(i)
		if n.from >= free && (i == 0 || n.to+8 <= end.from) {
			c.Names, free = append(c.Names, n), n.to+8
		}
	}
	if end.from >= free {
		c.Names = append(c.Names, end)
	}
}

// name lays out the name of a build under the axis; one that would leave the drawing is moved into it.
func (c *course) name(i int) buildName {
	n := buildName{At: c.x(float64(i)), Text: short(c.Builds[i].Name), Anchor: "middle"}
	wide := c.wide(n.Text)
	n.from = math.Max(0, math.Min(n.At-wide/2, c.Width-wide))
	n.TextX, n.to = round1(n.from+wide/2), n.from+wide
	return n
}

// wide is about how wide a text is.
func (c *course) wide(text string) float64 {
	n := 0.0
	for _, r := range text {
		if n += 0.6; r > 0x2e80 { // Chinese
			n += 0.4
		}
	}
	return n * float64(c.Font)
}

// short is a name that fits under an axis: of a commit its beginning, of what is long besides also its end, where builds differ.
func short(name string) string {
	n := utf8.RuneCountInString(name)
	if n <= 14 {
		return name
	}
	if strings.Trim(name, "0123456789abcdef") == "" {
		return name[:8]
	}
	runes := []rune(name)
	return string(runes[:4]) + "…" + string(runes[n-8:])
}

// changeColour is grey for what another build undid.
func changeColour(p report.CourseChange) string {
	if p.Undone {
		return trendColour
	}
	return markColours[p.Tone]
}

// marks writes what changed over the drawing, in up to three lines so that names do not lie on each other; one without room
// keeps its line only, the table names it. It gives the height that they take.
func (c *course) marks() (high float64) {
	const lines = 3
	line := float64(c.Font) + 4
	var ends [lines]float64
	for _, p := range c.Changes {
		b := c.Builds[p.Index]
		m := buildMark{buildName: buildName{At: c.x(float64(p.Index)), Anchor: "start"}, Build: short(b.Name), Row: b.Row, Colour: changeColour(p)}
		wide := c.wide(m.Build + " " + p.Text)
		m.TextX = m.At + 5
		from := m.TextX
		if from+wide > c.Width { // to the left of its line, where there is none to the right
			m.TextX, m.Anchor, from = m.At-5, "end", m.At-5-wide
		}
		for k := range lines {
			if from >= ends[k] {
				m.Text, m.Y, ends[k] = p.Text, float64(k)*line, from+wide+8
				high = math.Max(high, m.Y+line)
				break
			}
		}
		c.Marks = append(c.Marks, m)
	}
	return high
}

// headroom makes the drawing higher, for what is written over it.
func (c *course) headroom(by float64) {
	c.Top, c.Bottom, c.Height = c.Top+by, c.Bottom+by, c.Height+by
}
