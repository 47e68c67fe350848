package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
)

// spread is a chart of one line between two places of its axis.
func spread(axis report.Axis, from, to float64) *report.Chart {
	return &report.Chart{ID: "chart-1", Axis: axis, Lines: []report.Line{{Side: "after", Points: []report.Point{{T: from, Min: 1, Mid: 1, Max: 1}, {T: to, Min: 2, Mid: 2, Max: 2}}}}}
}

// The labels of an axis say what it counts, and what stands at 0; the unit stands once.
func TestAxisLabels(t *testing.T) {
	for _, c := range []struct {
		axis     report.Axis
		from, to float64
		want     string
	}{
		{report.Axis{}, 0, 60, "0 s|10|20|30|40|50|60"},
		{report.Axis{Zero: "login"}, -25, 290, "login|1 min|2|3|4"},
		{report.Axis{Zero: "iteration 20"}, -130, 130, "−2 min|−1|iteration 20|1|2"},
		{report.Axis{Zero: "a mark of a very long name"}, -10, 10, "−10 s|−5|a mark of a v…|5|10"},
		{report.Axis{Per: "sample"}, 0, 4, "sample 0|1|2|3|4"},
		{report.Axis{Per: "1e9 instructions"}, 0, 0.012, "0 M instructions|2|4|6|8|10|12"},
		{report.Axis{Per: "GB allocated"}, 0, 30, "0 GB allocated|5|10|15|20|25|30"},
	} {
		var got []string
		for _, x := range newPlot(spread(c.axis, c.from, c.to)).XTicks {
			got = append(got, x.Text)
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%v from %g to %g: %s, want %s", c.axis, c.from, c.to, text, c.want)
		}
	}
}

// Marks stand at their time, in the colour of their side; of two at one place one is named, of more than eight none is drawn.
func TestMarksAreDrawn(t *testing.T) {
	c := spread(report.Axis{Zero: "login"}, -10, 90)
	c.Lines = append(c.Lines, c.Lines[0])
	c.Lines[0].Side = "before"
	for i := range c.Lines {
		c.Lines[i].Anchors = &analyze.Anchors{Marks: []analyze.Mark{{Name: "begin", TimeS: -5}, {Name: "login", TimeS: 0}, {Name: "out", TimeS: 40 + float64(i)}, {Name: "far", TimeS: 500}}}
	}
	p := newPlot(c)
	at := func(s float64) float64 { return round1(p.Left + (s+10)/100*(p.Right-p.Left)) }
	want := fmt.Sprint([]markLine{{at(-5), "begin", beforeColour}, {at(-5), "", afterColour}, {at(0), "", trendColour}, {at(40), "out", beforeColour}, {at(41), "", afterColour}})
	if got := fmt.Sprint(p.Marks); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range 9 {
		c.Lines[0].Anchors.Marks = append(c.Lines[0].Anchors.Marks, analyze.Mark{Name: fmt.Sprint(i), TimeS: float64(i)})
	}
	if n := len(newPlot(c).Marks); n != 3 {
		t.Errorf("%d marks, want what stands at 0 and two of the side that has few", n)
	}
}
