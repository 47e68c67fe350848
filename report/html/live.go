package html

import (
	"encoding/json"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/unit"
)

// chart is a chart as the script draws it: the options of ECharts without the numbers, and the numbers.
type chart struct {
	Title  string         `json:"title"`
	Unit   string         `json:"unit"`
	Factor float64        `json:"factor"` // raw units in one of Unit
	Low    float64        `json:"low"`    // the axis of values, in Unit, as it is drawn in the file
	High   float64        `json:"high"`
	Small  bool           `json:"small,omitempty"`
	Per    string         `json:"per,omitempty"`  // what the axis counts, if that is not time
	Zero   string         `json:"zero,omitempty"` // what stands at 0 in the file, if that is not the start
	Option map[string]any `json:"option,omitempty"`
	Limits []limit        `json:"limits,omitempty"`
	Lines  []line         `json:"lines"`
}

type limit struct {
	Label string  `json:"label"`
	Value float64 `json:"value"`
}

// line is one line with its numbers packed: see pack.
type line struct {
	Side   string `json:"side,omitempty"`
	Label  string `json:"label"`
	Colour string `json:"colour"`
	Dash   []int  `json:"dash,omitempty"`

	Began   float64 `json:"began,omitempty"`   // where its runs began, in seconds of the axis
	Anchors int     `json:"anchors,omitempty"` // number of its anchors in the data, from 1
	packed
}

func newChart(c *report.Chart, withOptions bool, known *anchorList) chart {
	out := chart{Title: c.Title, Unit: c.Scale.Unit, Factor: factor(c), Small: c.Small, Per: c.Axis.Per, Zero: c.Axis.Zero, Lines: []line{}}
	if withOptions {
		out.Option = options(c)
	}
	low, high, _, _ := bounds(c.Lines)
	if !math.IsInf(low, 0) {
		for _, l := range c.Limits {
			low, high = min(low, l.Value), max(high, l.Value)
		}
		from, to, _ := (&plot{Chart: c}).yRange(low, high)
		out.Low, out.High = from/factor(c), to/factor(c)
	}
	for _, l := range c.Limits {
		out.Limits = append(out.Limits, limit{l.Label, l.Value})
	}
	for i, l := range c.Lines {
		if len(l.Points) == 0 {
			continue
		}
		look := penOf(l, i)
		label := l.Label
		if label == "" {
			label = c.Title
		}
		out.Lines = append(out.Lines, line{Side: l.Side, Label: label, Colour: look.colour, Dash: dashes[look.dash], Began: l.Start,
			Anchors: known.number(l.Anchors), packed: pack(l.Points)})
	}
	return out
}

// dashes are those of the pens as lists.
var dashes = map[string][]int{"5 3": {5, 3}, "7 5": {7, 5}, "6 2": {6, 2}, "2 2": {2, 2}, "8 2 2 2": {8, 2, 2, 2}}

// options are those of ECharts for a chart, made by go-echarts: axes, zoom, brush. The script adds colours and numbers.
func options(c *report.Chart) map[string]any {
	l := charts.NewLine()
	zooms := []opts.DataZoom{{Type: "inside", FilterMode: "none"}}
	if !c.Small {
		zooms = append(zooms, opts.DataZoom{Type: "slider", FilterMode: "none"})
	}
	l.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithXAxisOpts(opts.XAxis{Type: "value"}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: c.Scale.Unit, Scale: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis", AxisPointer: &opts.AxisPointer{Type: "line"}}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithDataZoomOpts(zooms...))
	l.Validate()
	out := l.JSON()
	for _, key := range []string{"title", "series", "color", "toolbox", "legend"} {
		delete(out, key) // empty, or the script's
	}
	out["brush"] = map[string]any{"xAxisIndex": "all", "brushType": "lineX", "brushMode": "single", "toolbox": []string{}}
	return out
}

// packed are the points of a line in whole numbers, most of them small: times as steps of Tick seconds, values as steps of
// Unit from Base, each from the one before; Low and High are how far the band reaches from the line, left out where it is
// the line itself. A step of time that is the same everywhere stands once.
type packed struct {
	Start float64 `json:"t0"`
	Tick  float64 `json:"tick,omitempty"` // a millisecond if it is 0; less for a line shorter than a second
	Steps []int64 `json:"dt"`
	Count int     `json:"n"`
	Base  float64 `json:"base"`
	Unit  float64 `json:"q"`
	Mid   []int64 `json:"mid"`
	Low   []int64 `json:"lo,omitempty"`
	High  []int64 `json:"hi,omitempty"`
	Gaps  []int   `json:"gap,omitempty"` // points that nothing is known before
}

// finest is into how many steps the range of a line is divided at most.
const finest = 20_000

func pack(points []report.Point) packed {
	p := packed{Start: points[0].T, Count: len(points), Base: math.Inf(1), Steps: []int64{}}
	top := math.Inf(-1)
	for _, q := range points {
		p.Base, top = min(p.Base, q.Min), max(top, q.Max)
	}
	p.Unit = max(1, math.Ceil((top-p.Base)/finest))
	banded, tick := false, 0.001
	if span := points[len(points)-1].T - p.Start; span > 0 && span < 1 {
		tick = span / finest
		p.Tick = tick
	}
	var time, mid int64
	for i, q := range points {
		now, m := int64(math.Round((q.T-p.Start)/tick)), int64(math.Round((q.Mid-p.Base)/p.Unit))
		if i > 0 {
			p.Steps = append(p.Steps, now-time)
		}
		p.Mid = append(p.Mid, m-mid)
		lo, hi := int64(math.Round((q.Mid-q.Min)/p.Unit)), int64(math.Round((q.Max-q.Mid)/p.Unit))
		p.Low, p.High = append(p.Low, lo), append(p.High, hi)
		banded = banded || lo != 0 || hi != 0
		if q.Gap {
			p.Gaps = append(p.Gaps, i)
		}
		time, mid = now, m
	}
	if !banded {
		p.Low, p.High = nil, nil
	}
	p.Steps = once(p.Steps)
	return p
}

// once is a list whose numbers are all the same, as one number.
func once(steps []int64) []int64 {
	for _, s := range steps {
		if s != steps[0] {
			return steps
		}
	}
	return steps[:min(1, len(steps))]
}

// explore is the table of all series: strings stand once, rows refer to them.
type explore struct {
	Sides   bool     `json:"sides"`
	Strings []string `json:"strings"`
	Rows    []row    `json:"rows"`
	Lines   []chart  `json:"lines"`
	Omitted string   `json:"omitted,omitempty"`
}

// row is written as a list: id, process, scope, name, metric (numbers of strings), 1 for counts, from, to, change, verdict,
// mark and tone (numbers of strings), and the number of its chart or -1.
type row struct {
	id              string
	words           [7]int // process, scope, name, metric, verdict, mark, tone
	count           int
	from, to, moved *float64
	chart           int
}

// MarshalJSON writes the list.
func (r row) MarshalJSON() ([]byte, error) {
	w := r.words
	return json.Marshal([]any{r.id, w[0], w[1], w[2], w[3], r.count, r.from, r.to, r.moved, w[4], w[5], w[6], r.chart})
}

func newExplore(e *report.Explore, lines bool, known *anchorList) *explore {
	out := &explore{Sides: e.Sides, Omitted: e.Omitted, Strings: []string{}, Lines: []chart{}}
	index := map[string]int{}
	number := func(text string) int {
		n, ok := index[text]
		if !ok {
			n = len(out.Strings)
			index[text] = n
			out.Strings = append(out.Strings, text)
		}
		return n
	}
	for _, r := range e.Rows {
		one := row{id: r.ID, from: r.From, to: r.To, moved: r.Change, chart: -1}
		for i, text := range []string{r.Process, r.Scope, r.Name, r.Metric, r.Verdict, r.Mark, string(r.Tone)} {
			one.words[i] = number(text)
		}
		if r.Kind == unit.Count {
			one.count = 1
		}
		if lines && r.Chart != nil {
			one.chart = len(out.Lines)
			out.Lines = append(out.Lines, newChart(r.Chart, false, known))
		}
		out.Rows = append(out.Rows, one)
	}
	return out
}
