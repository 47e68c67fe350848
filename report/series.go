package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// verdicts is the section of series verdicts, each beside the smallest growth the capture could have shown.
func (s *story) verdicts(title, id string, brief int) Section {
	section := Section{ID: id, Title: title, Brief: brief,
		Note: "“Could have shown” is the least growth over the whole capture that would have been seen; a slower leak can hide under it."}
	section.Blocks = append(section.Blocks, s.seriesTables(id)...)
	return section
}

// mostSeries is how many series a table shows before it is folded.
const mostSeries = 12

func (s *story) seriesTables(id string) []Block {
	var blocks []Block
	for _, kind := range []unit.Kind{unit.Bytes, unit.Count} {
		var of []analyze.Series
		for _, v := range s.Series {
			if kindOf(v.Subject.Metric) == kind {
				of = append(of, v)
			}
		}
		of = matters(of)
		caption := tally(of)
		if kind == unit.Count {
			id += "-counts"
		}
		if n := len(of); n > 0 {
			blocks = append(blocks, s.seriesTable(of[:min(n, mostSeries)], kind, id+"-verdicts", caption))
		}
		if n := len(of) - mostSeries; n > 0 {
			rest := s.seriesTable(of[mostSeries:][:min(n, s.limit.Series)], kind, id+"-more", plural(n, "more series", "more series"))
			rest.Folded, rest.Extra = true, true
			if hidden := n - s.limit.Series; hidden > 0 {
				rest.Omitted = fmt.Sprintf("%s, all further down in this order, not listed; all are in the JSON result.", plural(hidden, "series is", "series are"))
			}
			blocks = append(blocks, rest)
		}
	}
	return blocks
}

// matters orders series: the worst verdict first, totals before parts, then the greatest growth.
func matters(of []analyze.Series) []analyze.Series {
	return sorted(of,
		by(func(v analyze.Series) int { return -seriesWeight[v.Verdict] }),
		by(func(v analyze.Series) int { return severityWeight[v.Severity] * -1 }),
		by(func(v analyze.Series) bool2 { return order(!isHead(v.Subject)) }),
		by(func(v analyze.Series) float64 { return -math.Abs(value(v.Growth)) }),
		by(func(v analyze.Series) string { return v.Subject.Process + "\x00" + v.Subject.Name }),
		by(func(v analyze.Series) int { return rank(v.Subject.Metric) }),
		by(func(v analyze.Series) string { return v.Side + "\x00" + v.Run }),
		by(func(v analyze.Series) int { return v.Part }))
}

// bool2 is a truth value that can be ordered.
type bool2 int

func order(b bool) bool2 {
	if b {
		return 1
	}
	return 0
}

// seriesTable writes series, in the order given.
func (s *story) seriesTable(of []analyze.Series, kind unit.Kind, id, caption string) *Table {
	var levels, rates, grown []float64
	for _, v := range of {
		levels = append(levels, float64(v.First), float64(v.Last))
		rates = append(rates, present([]*float64{v.SlopePerS, v.SlopeLo, v.SlopeHi})...)
		grown = append(grown, present([]*float64{v.Growth, v.Resolvable})...)
	}
	level, rate, growth := unit.CommonScale(kind, levels...), unit.RateScale(kind, rates...), unit.CommonScale(kind, grown...)
	t := &Table{ID: id, Caption: caption, Wide: true, Columns: []Column{
		{Title: "series"}, {Title: "verdict"}, {Title: "growth", Unit: growth.Unit, Number: true},
		{Title: "could have shown", Unit: growth.Unit, Number: true}, {Title: "slope", Unit: rate.Unit, Number: true},
		{Title: "95 % interval", Unit: rate.Unit, Number: true, Extra: true}, {Title: "first", Unit: level.Unit, Number: true, Extra: true},
		{Title: "last", Unit: level.Unit, Number: true, Extra: true}, {Title: "samples", Number: true, Extra: true}, {Title: "time", Number: true, Extra: true}}}
	for _, v := range of {
		t.Rows = append(t.Rows, []Cell{
			{Text: s.seriesName(v), Code: v.Subject.Name != "", Note: sentence(v.Reason)}, seriesVerdict(v),
			{Text: growth.Signed(v.Growth), Value: v.Growth, Tone: seriesTone(v)}, number(growth, v.Resolvable),
			{Text: rate.Signed(v.SlopePerS), Value: v.SlopePerS}, {Text: rate.Interval(v.SlopeLo, v.SlopeHi), Tone: Muted},
			number(level, floatOf(v.First)), number(level, floatOf(v.Last)),
			{Text: unit.Integer(int64(v.N)), Value: floatOf(int64(v.N))}, {Text: unit.Duration(v.DurationS), Value: &v.DurationS},
		})
	}
	return t
}

// tally counts verdicts: "2 leak, 1 step, 40 stable".
func tally(of []analyze.Series) string {
	text := ""
	for _, v := range []analyze.Verdict{analyze.Leak, analyze.Step, analyze.Undetermined, analyze.WarmUp, analyze.Plateau, analyze.Falling, analyze.Stable} {
		n := 0
		for _, one := range of {
			if one.Verdict == v {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(", %d %s", n, v)
		}
	}
	if text == "" {
		return plural(len(of), "series", "series")
	}
	return plural(len(of), "series", "series") + ": " + text[2:]
}

// seriesName says which series a row is, with the side, run and part only where there are several.
func (s *story) seriesName(v analyze.Series) string {
	text := full(v.Subject)
	if len(s.processes) > 1 {
		text = processName(v.Subject.Process) + " " + text
	}
	if v.Side != "" || s.runs("") > 1 {
		text += " · " + name(v.Side+" "+v.Run)
	}
	if v.Part > 0 {
		text += fmt.Sprintf(" · after restart %d", v.Part)
	}
	return text
}

func seriesTone(v analyze.Series) Tone {
	switch v.Verdict {
	case analyze.Leak:
		if v.Severity == "note" {
			return Warn
		}
		return Bad
	case analyze.Step, analyze.Undetermined:
		return Warn
	}
	return Plain
}

var seriesMark = map[analyze.Verdict]string{
	analyze.Leak: "✗", analyze.Step: "▟", analyze.Undetermined: "?", analyze.WarmUp: "◠", analyze.Plateau: "◠", analyze.Falling: "↘", analyze.Stable: "=",
}

func seriesVerdict(v analyze.Series) Cell {
	c := Cell{Text: clean(string(v.Verdict)), Tone: seriesTone(v), Mark: seriesMark[v.Verdict]}
	if c.Text == "" {
		return Cell{Text: unit.Unknown}
	}
	var notes []string
	if v.Severity == "note" {
		notes = append(notes, "small")
	}
	if v.Confidence != "" {
		notes = append(notes, clean(v.Confidence)+" confidence")
	}
	c.Note = strings.Join(notes, "; ")
	return c
}
