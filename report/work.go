package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// work tells how memory goes with the work that was given.
func (s *story) work() Section {
	section := Section{ID: "work", Title: "Against the work given"}
	for _, kind := range unit.Kinds {
		of := slices.DeleteFunc(slices.Clone(s.Couplings), func(c analyze.Coupling) bool { return kindOf(c.Subject.Metric) != kind })
		if len(of) == 0 {
			continue
		}
		id := "work" + cmp.Or(kindWords[kind], "-table")
		t := s.couplingTable(of[:min(len(of), s.limit.Series)], kind, id)
		if left := len(of) - len(t.Rows); left > 0 {
			t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(left, "series is", "series are"))
		}
		section.Blocks = append(section.Blocks, t)
	}
	return section
}

func (s *story) couplingTable(of []analyze.Coupling, kind unit.Kind, id string) *Table {
	var values []float64
	for i := range of {
		values = append(values, of[i].Growth)
	}
	scale := scaleOf(kind, values)
	t := &Table{ID: id, Caption: "Memory held against requests, iterations, batch size: so much for each, or a power of it", Columns: []Column{{Title: "series"}, {Title: "work"}, {Title: "for each, or power", Number: true},
		{Title: "95 % interval", Number: true}, {Title: "from", Number: true}, {Title: "to", Number: true}, {Title: "growth over it", Unit: scale.Unit, Number: true}, {Title: "explains", Number: true}}}
	for i := range of {
		c := &of[i]
		series := Cell{Text: s.seriesName(analyze.Series{Side: c.Side, Run: c.Run, Subject: c.Subject}, true), Code: c.Subject.Name != "", Note: reduced[c.Of]}
		each, interval := couplingFigures(c, kind)
		explains := c.Follows * 100
		t.Rows = append(t.Rows, []Cell{series, {Text: c.Driver, Code: true}, each, interval, plainNumber(c.From), plainNumber(c.To),
			{Text: scale.Signed(&c.Growth), Value: &c.Growth}, {Text: fmt.Sprintf("%.0f %%", explains), Value: &explains}})
	}
	t.gather()
	return t
}

// reduced says what of a run was held against the work.
var reduced = map[string]string{"peak": "the peak of each run", "growth": "the growth of each run", "iteration_slope": "the growth per iteration of each run"}

func couplingFigures(c *analyze.Coupling, kind unit.Kind) (each, interval Cell) {
	if c.Form == "power" {
		each = Cell{Text: fmt.Sprintf("power %.2f", value(c.Exponent)), Value: c.Exponent}
		if c.ExponentLo != nil && c.ExponentHi != nil {
			interval = Cell{Text: fmt.Sprintf("%.2f to %.2f", *c.ExponentLo, *c.ExponentHi)}
		}
		if value(c.ExponentLo) > 1 {
			each.Tone, each.Mark = Warn, "▲"
		}
		return each, interval
	}
	own := scaleOf(kind, []float64{value(c.Slope)})
	each = Cell{Text: own.Text(c.Slope) + " " + own.Unit, Value: c.Slope}
	if c.SlopeLo != nil && c.SlopeHi != nil {
		interval = Cell{Text: own.Text(c.SlopeLo) + " to " + own.Text(c.SlopeHi)}
	}
	return each, interval
}

func plainNumber(v float64) Cell { return Cell{Text: fmt.Sprintf("%.6g", v), Value: &v} }

// objectives tells how levels of service were kept.
func (s *story) objectives() Section {
	section := Section{ID: "objectives", Title: "Objectives"}
	if len(s.Services) == 0 {
		return section
	}
	of := slices.Clone(s.Services)
	slices.SortStableFunc(of, func(a, b analyze.Service) int { return len(b.Breaches) - len(a.Breaches) })
	t := &Table{ID: "objectives-table", Caption: "Windows in which a level was missed; so many in a row break an objective", Columns: []Column{{Title: "series"}, {Title: "objective"}, {Title: "window", Number: true},
		{Title: "windows", Number: true}, {Title: "missed", Number: true}, {Title: "first from", Number: true}, {Title: "time to detect", Number: true}, {Title: "at worst", Number: true}, {Title: "verdict"}}}
	for i := range of[:min(len(of), s.limit.Series)] {
		t.Rows = append(t.Rows, s.objectiveRow(&of[i]))
	}
	if left := len(of) - len(t.Rows); left > 0 {
		t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(left, "series is", "series are"))
	}
	t.gather()
	section.Blocks = append(section.Blocks, t)
	return section
}

func (s *story) objectiveRow(v *analyze.Service) []Cell {
	windows, missed, worst := float64(v.Windows), float64(v.Broken), v.Worst*100
	row := []Cell{{Text: s.seriesName(analyze.Series{Side: v.Side, Run: v.Run, Subject: v.Subject}, true), Code: v.Subject.Name != "", Note: sentence(v.Note)}, {Text: v.Objective},
		{Text: fmt.Sprintf("%s, %d in a row", unit.Duration(v.WindowS), v.InRow)}, {Text: fmt.Sprint(v.Windows), Value: &windows}, {Text: fmt.Sprint(v.Broken), Value: &missed}}
	if len(v.Breaches) == 0 {
		verdict := Cell{Text: "kept", Mark: "=", Tone: Muted}
		if v.Windows == 0 {
			verdict = Cell{Text: "not known", Mark: "?", Tone: Muted}
		}
		return append(row, Cell{Text: unit.Unknown, Tone: Muted}, Cell{Text: unit.Unknown, Tone: Muted}, Cell{Text: fmt.Sprintf("%+.3g %%", worst), Value: &worst}, verdict)
	}
	first, detect := v.Breaches[0].StartS, v.Breaches[0].DetectS-v.Breaches[0].StartS
	return append(row, Cell{Text: unit.Duration(first), Value: &first}, Cell{Text: unit.Duration(detect), Value: &detect}, Cell{Text: fmt.Sprintf("%+.3g %%", worst), Value: &worst, Tone: Bad},
		Cell{Text: plural(len(v.Breaches), "violation", "violations"), Mark: "✗", Tone: severityTone[v.Severity]})
}
