package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// group says which columns of a table of deltas share a scale.
type group int

const (
	words  group = iota
	levels       // before and after: to be compared with one another
	shifts       // the change and its interval
)

// column is one column of a table of deltas.
type column struct {
	Column
	group  group
	values func(d analyze.Delta) []*float64
	cell   func(d analyze.Delta, s unit.Scale) Cell
}

var (
	beforeColumn = column{Column{Title: "before", Number: true, Side: "before"}, levels,
		func(d analyze.Delta) []*float64 { return []*float64{d.Before.Median} },
		func(d analyze.Delta, s unit.Scale) Cell { return number(s, d.Before.Median) }}
	afterColumn = column{Column{Title: "after", Number: true, Side: "after"}, levels,
		func(d analyze.Delta) []*float64 { return []*float64{d.After.Median} },
		func(d analyze.Delta, s unit.Scale) Cell { return number(s, d.After.Median) }}
	changeColumn = column{Column{Title: "change", Number: true}, shifts,
		func(d analyze.Delta) []*float64 { return []*float64{moved(d)} }, changeCell}
	intervalColumn = column{Column{Title: "95 % interval", Number: true}, shifts,
		func(d analyze.Delta) []*float64 { return []*float64{d.ShiftLo, d.ShiftHi} },
		func(d analyze.Delta, s unit.Scale) Cell {
			return Cell{Text: s.Interval(d.ShiftLo, d.ShiftHi), Tone: Muted}
		}}
	relativeColumn = column{Column: Column{Title: "relative", Number: true}, cell: relativeCell}
	shareColumn    = column{Column: Column{Title: "share", Number: true},
		cell: func(d analyze.Delta, _ unit.Scale) Cell {
			return number(unit.Scale{Factor: 0.01, Digits: 1}, d.Share).with(" %")
		}}
	pColumn = column{Column: Column{Title: "p, adjusted", Number: true, Extra: true},
		cell: func(d analyze.Delta, _ unit.Scale) Cell { return probability(d.PAdjusted) }}
	barColumn = column{Column: Column{Title: "", Bar: true, Extra: true},
		cell: func(d analyze.Delta, _ unit.Scale) Cell { return Cell{Value: moved(d)} }}
	verdictColumn = column{Column: Column{Title: "verdict"}, cell: verdictCell}
)

func nameColumn(title string, code bool) column {
	return column{Column: Column{Title: title}, cell: func(d analyze.Delta, _ unit.Scale) Cell {
		return Cell{Text: label(d.Subject), Code: code, Note: sentence(d.Note)}
	}}
}

// deltaTable writes deltas of one kind in the columns given, one scale a group of columns.
func deltaTable(ds []analyze.Delta, kind unit.Kind, columns ...column) *Table {
	scales := groupScales(ds, kind, columns)
	t := &Table{}
	for _, c := range columns {
		c.Unit = scales[c.group].Unit
		t.Columns = append(t.Columns, c.Column)
	}
	for _, d := range ds {
		row := make([]Cell, len(columns))
		for i, c := range columns {
			if row[i] = c.cell(d, scales[c.group]); row[i].Text == unit.Unknown {
				row[i].Value, row[i].Tone = nil, Muted
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.gather()
	return t
}

// groupScales is one scale for each group of columns. A group that holds no size (nothing known, nothing changed) has
// the unit of the levels beside it, or none.
func groupScales(ds []analyze.Delta, kind unit.Kind, columns []column) map[group]unit.Scale {
	values := map[group][]float64{}
	for _, c := range columns {
		for _, d := range ds {
			if c.values != nil {
				values[c.group] = append(values[c.group], present(c.values(d))...)
			}
		}
	}
	scales := map[group]unit.Scale{levels: scaleOf(kind, values[levels]), shifts: scaleOf(kind, values[shifts])}
	if slices.IndexFunc(values[shifts], func(v float64) bool { return v != 0 }) < 0 && len(values[shifts]) > 0 {
		scales[shifts] = scales[levels]
	}
	for _, d := range ds {
		if scale := scales[shifts]; scale.Digits == 1 && d.ShiftLo != nil && d.ShiftHi != nil && *d.ShiftLo != *d.ShiftHi && scale.Text(d.ShiftLo) == scale.Text(d.ShiftHi) {
			scale.Digits = 2 // an interval that looks like a point says too much
			scales[shifts] = scale
		}
	}
	return scales
}

// scaleOf is the common scale of what is known; nothing has no unit.
func scaleOf(kind unit.Kind, values []float64) unit.Scale {
	if len(values) == 0 {
		return unit.Scale{}
	}
	return unit.CommonScale(kind, values...)
}

func present(values []*float64) []float64 {
	var out []float64
	for _, v := range values {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

func number(s unit.Scale, v *float64) Cell { return Cell{Text: s.Text(v), Value: v} }

// with adds a unit that stands in the cell, unless nothing is known.
func (c Cell) with(suffix string) Cell {
	if c.Text != unit.Unknown {
		c.Text += suffix
	}
	return c
}

func changeCell(d analyze.Delta, s unit.Scale) Cell {
	v := moved(d)
	return Cell{Text: s.Signed(v), Value: v, Tone: changeTone[d.Verdict]}
}

// relativeCell has a ~ before what cannot be told from no change; what came or went as a whole has no ratio.
func relativeCell(d analyze.Delta, _ unit.Scale) Cell {
	if d.Verdict == analyze.New || d.Verdict == analyze.Removed {
		return Cell{Text: string(d.Verdict)}
	}
	c := Cell{Text: unit.Percent(d.Relative), Value: d.Relative}
	if d.Relative != nil && *d.Relative > 1 {
		c.Text = unit.Times(d.Before.Median, d.After.Median)
	}
	if unsettled(d) && c.Text != unit.Unknown && value(moved(d)) != 0 {
		c.Text = "~ " + c.Text
	}
	return c
}

var changeTone = map[analyze.Change]Tone{
	analyze.Regression: Bad, analyze.Improvement: Good, analyze.Unsettled: Warn, analyze.Equivalent: Muted,
}

var changeMark = map[analyze.Change]string{
	analyze.Regression: "✗", analyze.Improvement: "✓", analyze.Unsettled: "?", analyze.Equivalent: "=", analyze.New: "+", analyze.Removed: "−",
}

func verdictCell(d analyze.Delta, _ unit.Scale) Cell {
	if d.Verdict == "" {
		return Cell{Text: unit.Unknown}
	}
	return Cell{Text: clean(string(d.Verdict)), Tone: changeTone[d.Verdict], Mark: changeMark[d.Verdict]}
}

// probability writes p to two figures and never as 0.
func probability(p *float64) Cell {
	switch {
	case p == nil || math.IsNaN(*p) || math.IsInf(*p, 0):
		return Cell{Text: unit.Unknown}
	case *p < 0.0001:
		return Cell{Text: "< 0.0001", Value: p}
	}
	return Cell{Text: strings.TrimSuffix(fmt.Sprintf("%.4f", *p), "00"), Value: p}
}
