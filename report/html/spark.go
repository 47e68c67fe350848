package html

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/report"
)

// spark is a small line in a cell: a step a build, a dashed line where the level changed.
type spark struct {
	Width, Height float64
	Path, Desc    string
	Marks         []tick // Text is the colour
	EndX, EndY    float64
}

var markColours = map[report.Tone]string{report.Bad: upColour, report.Good: downColour}

// newSpark lays out the drawing of a cell. A build that is not known is a gap.
func newSpark(c report.Cell) *spark {
	values := c.Spark.Values
	out := &spark{Width: 220, Height: 34, Desc: c.Spark.Desc()}
	low, high := c.Spark.Range()
	x := func(i float64) float64 {
		return round1(4 + i/positive(float64(len(values)-1))*(out.Width-8))
	}
	var path strings.Builder
	pen := "M"
	for i, v := range values {
		if v == nil {
			pen = "M"
			continue
		}
		out.EndX, out.EndY = x(float64(i)), round1(out.Height-4-(*v-low)/positive(high-low)*(out.Height-8))
		fmt.Fprintf(&path, "%s%g %g", pen, out.EndX, out.EndY)
		if pen == "M" {
			path.WriteString("h0") // a build between two gaps is a dot
		}
		pen = "L"
	}
	out.Path = path.String()
	for _, m := range c.Spark.Marks {
		colour := markColours[m.Tone]
		if colour == "" {
			colour = trendColour
		}
		out.Marks = append(out.Marks, tick{x(float64(m.Index) - 0.5), colour})
	}
	return out
}
