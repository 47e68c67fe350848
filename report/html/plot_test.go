package html

import (
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/unit"
)

const mib = 1 << 20

func chartOf(side string, values ...float64) *report.Chart {
	c := &report.Chart{ID: "c", Title: "pss over time", Scale: unit.CommonScale(unit.Bytes, values...), Lines: []report.Line{{Side: side, Label: side}}}
	for i, v := range values {
		c.Lines[0].Points = append(c.Lines[0].Points, report.Point{T: float64(i) * 30, Min: v - mib, Mid: v, Max: v + mib})
	}
	return c
}

func texts(ticks []tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Text)
	}
	return strings.Join(out, " ")
}

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		name        string
		values      []float64
		x, y        string
		fromNotZero bool
	}{
		{"far from 0", []float64{382 * mib, 400 * mib, 415 * mib}, "0 s 10 20 30 40 50 60", "380 390 400 410 420", true},
		{"down to 0", []float64{2 * mib, 40 * mib}, "0 s 5 10 15 20 25 30", "0 20 40 60", false},
		{"flat", []float64{100 * mib, 100 * mib}, "0 s 5 10 15 20 25 30", "99.0 99.5 100.0 100.5 101.0", true},
		{"one point", []float64{100 * mib}, "0 s", "99.0 99.5 100.0 100.5 101.0", true},
		{"below 0", []float64{-20 * mib, 20 * mib}, "0 s 5 10 15 20 25 30", "−40 −20 0 20 40", false},
	} {
		p := newPlot(chartOf("after", c.values...))
		if got := texts(p.XTicks); got != c.x {
			t.Errorf("%s: x %q, want %q", c.name, got, c.x)
		}
		if got := texts(p.YTicks); got != c.y {
			t.Errorf("%s: y %q, want %q", c.name, got, c.y)
		}
		if got := strings.Contains(p.Note, "not at 0"); got != c.fromNotZero {
			t.Errorf("%s: note %q", c.name, p.Note)
		}
	}
}

func TestTimeAxis(t *testing.T) {
	for _, c := range []struct {
		end  float64
		want string
	}{
		{0.0002, "0 µs 50 100 150 200"}, {0.004, "0 ms 1 2 3 4"}, {45, "0 s 10 20 30 40"}, {600, "0 min 2 4 6 8 10"}, {1770, "0 min 5 10 15 20 25"},
		{7 * 3600, "0 h 1 2 3 4 5 6 7"}, {86400 * 2, "0 h 12 24 36 48"}, {86400 * 30, "0 d 5 10 15 20 25 30"},
	} {
		p := newPlot(chartOf("", 1, 2))
		p.XTicks = nil
		p.xAxis(0, c.end)
		if got := texts(p.XTicks); got != c.want {
			t.Errorf("0 to %v s: %q, want %q", c.end, got, c.want)
		}
	}
}

func TestNiceStep(t *testing.T) {
	for _, c := range []struct {
		span float64
		n    int
		want float64
	}{{100, 5, 20}, {74, 5, 20}, {0.3, 3, 0.1}, {1e12, 4, 5e11}, {0, 5, 0.2}, {11, 5, 5}} {
		if got := niceStep(c.span, c.n); math.Abs(got-c.want) > c.want*1e-9 {
			t.Errorf("niceStep(%v, %d) = %v, want %v", c.span, c.n, got, c.want)
		}
	}
}

func TestLinesDifferInMoreThanColour(t *testing.T) {
	before, after := newPlot(chartOf("before", mib, 2*mib)).Curves[0], newPlot(chartOf("after", mib, 2*mib)).Curves[0]
	if before.Colour == after.Colour || before.Dash == after.Dash || before.Open == after.Open {
		t.Errorf("before %+v and after %+v look alike", before, after)
	}
}

func TestGapsBreakTheLine(t *testing.T) {
	c := chartOf("", mib, 2*mib, 3*mib, 4*mib)
	c.Lines[0].Points[2].Gap = true
	curve := newPlot(c).Curves[0]
	if n := strings.Count(curve.Path, "M"); n != 2 {
		t.Errorf("%d pieces of line in %q", n, curve.Path)
	}
	if n := strings.Count(curve.Band, "Z"); n != 2 {
		t.Errorf("%d pieces of band in %q", n, curve.Band)
	}
}

func TestNamesAtTheEndDoNotOverlap(t *testing.T) {
	c := chartOf("before", 100*mib, 101*mib)
	c.Lines = append(c.Lines, chartOf("after", 100*mib, 101.2*mib).Lines[0])
	p := newPlot(c)
	if d := math.Abs(p.Curves[0].LabelY - p.Curves[1].LabelY); d < 13.9 {
		t.Errorf("names are %v apart", d)
	}
	if p.Curves[1].LabelY > p.Curves[0].LabelY {
		t.Error("the upper line has the lower name")
	}
}

func TestEmptyChart(t *testing.T) {
	p := newPlot(&report.Chart{Lines: []report.Line{{Side: "before"}}})
	if len(p.Curves) != 0 || len(p.YTicks) != 0 {
		t.Errorf("%+v", p)
	}
}

// The line of a slope is on top of the values and of another colour, thinner than they are.
func TestTrendCanBeSeen(t *testing.T) {
	points := []report.Point{{T: 0, Min: 1, Mid: 1, Max: 1}, {T: 1, Min: 2, Mid: 2, Max: 2}}
	p := newPlot(&report.Chart{Lines: []report.Line{{Points: points}, {Side: "trend", Points: points}}})
	line, trend := p.Curves[0], p.Curves[1]
	if trend.Colour != "currentColor" || trend.Wide >= line.Wide || trend.Dash == "" || trend.Path != line.Path {
		t.Errorf("%+v over %+v", trend, line)
	}
}

// A red line within or near the range stands in the picture.
func TestRedLinesAreInThePicture(t *testing.T) {
	points := []report.Point{{T: 0, Min: 300, Mid: 300, Max: 300}, {T: 1, Min: 400, Mid: 400, Max: 400}}
	for _, limit := range []float64{250, 350, 500} {
		p := newPlot(&report.Chart{Lines: []report.Line{{Points: points}}, Limits: []report.Limit{{Label: "red line x", Value: limit}}})
		if len(p.Lines) != 1 || p.Lines[0].At < p.Top || p.Lines[0].At > p.Bottom || !strings.HasPrefix(p.Lines[0].Text, "red line x ") {
			t.Errorf("%v: %+v between %v and %v", limit, p.Lines, p.Top, p.Bottom)
		}
	}
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		line  report.Line
		small bool
		want  string
	}{
		{report.Line{Side: "before", Label: "before (median of 5 runs)"}, false, "before (median of 5 runs), ends at 1.0"},
		{report.Line{Side: "before", Label: "before (median of 5 runs)"}, true, "before 1.0"},
		{report.Line{}, false, "ends at 1.0"}, {report.Line{Side: "trend", Label: "slope"}, false, "slope (Theil–Sen)"},
		{report.Line{Label: "run-2"}, true, "run-2, ends at 1.0"},
	} {
		if got := key(c.line, "1.0", c.small); got != c.want {
			t.Errorf("key(%+v) = %q, want %q", c.line, got, c.want)
		}
	}
}
