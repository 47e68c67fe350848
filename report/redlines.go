package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// near is the share of a limit from which a reader is told on the first screen how near a series came to it.
const near = 0.8

// redlines tells how far the series kept from their red lines: of each side, line and series the worst run.
func (s *story) redlines() Section {
	section := Section{ID: "redlines", Title: "Red lines"}
	margins := s.worstMargins()
	for _, kind := range unit.Kinds {
		of := slices.DeleteFunc(slices.Clone(margins), func(m analyze.Margin) bool { return kindOf(m.Subject.Metric) != kind })
		if len(of) == 0 {
			continue
		}
		id := "redlines" + cmp.Or(kindWords[kind], "-table")
		n := len(of)
		if n > mostRows+2 {
			n = mostRows
		}
		section.Blocks = append(section.Blocks, s.marginTable(of[:n], kind, id, marginCaption(of)))
		if n == len(of) {
			continue
		}
		end := min(len(of), n+s.limit.Series)
		rest := s.marginTable(of[n:end], kind, id+"-more", plural(len(of)-n, "more series", "more series")+", further from their lines")
		rest.Folded = true
		if left := len(of) - end; left > 0 {
			rest.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(left, "series is", "series are"))
		}
		section.Blocks = append(section.Blocks, rest)
	}
	return section
}

func marginCaption(of []analyze.Margin) string {
	crossed := 0
	for i := range of {
		crossed += int(order(of[i].Crossed()))
	}
	text := fmt.Sprintf("%s held against a red line, %d crossed it", plural(len(of), "series", "series"), crossed)
	return text + ", the nearest first"
}

// worstMargins are the margins, nearest first; of several runs the nearest one stands for all.
func (s *story) worstMargins() []analyze.Margin {
	type key struct {
		side, line string
		subject    analyze.Subject
	}
	var out []analyze.Margin
	seen := map[key]bool{}
	for _, m := range sorted(s.Redlines, by(func(m analyze.Margin) float64 { return -nearness(m) })) {
		k := key{m.Side, m.Line, m.Subject}
		if !seen[k] {
			seen[k] = true
			out = append(out, m)
		}
	}
	return out
}

// nearness is 1 at the limit and more beyond it, 0 where the limit or the value is not known.
func nearness(m analyze.Margin) float64 {
	limit, peak := value(m.Limit), value(m.Peak)
	if m.Limit == nil || m.Peak == nil {
		return 0
	}
	if m.Below {
		limit, peak = peak, limit
	}
	return math.Max(peak, 0) / math.Max(limit, 1)
}

func (s *story) marginTable(of []analyze.Margin, kind unit.Kind, id, caption string) *Table {
	var values []float64
	for _, m := range of {
		values = append(values, present([]*float64{m.Peak, m.Limit, m.Headroom})...)
	}
	scale := scaleOf(kind, values)
	sized := func(title string) Column { return Column{Title: title, Unit: scale.Unit, Number: true} }
	t := &Table{ID: id, Caption: caption, Columns: []Column{{Title: "series"}, {Title: "red line"}, sized("peak"), sized("limit"), sized("headroom"),
		{Title: "time beyond", Number: true}, {Title: "time to limit", Number: true}, {Title: "verdict"}}}
	for i := range of {
		m := &of[i]
		beyond := Cell{Text: unit.Unknown, Tone: Muted}
		if m.Limit != nil && len(s.Histories) == 0 { // builds have no time
			beyond = Cell{Text: unit.Duration(m.AboveS), Value: &m.AboveS}
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: s.seriesName(analyze.Series{Side: m.Side, Run: m.Run, Subject: m.Subject}, true), Code: m.Subject.Name != "", Note: sentence(m.Note)}, {Text: name(m.Line)},
			{Text: scale.Text(m.Peak), Value: m.Peak, Note: peakNote(m)}, number(scale, m.Limit), {Text: scale.Text(m.Headroom), Value: m.Headroom, Tone: headroomTone(m)},
			beyond, timeToLimit(m), marginVerdict(m)})
	}
	t.gather()
	return t
}

// peakNote says where the peak is from, if it is no sample, and that the least value counts where less is worse.
func peakNote(m *analyze.Margin) string {
	switch {
	case m.Below:
		return "the least"
	case m.PeakOf != "" && m.PeakOf != "samples":
		return "by " + name(m.PeakOf)
	}
	return ""
}

func timeToLimit(m *analyze.Margin) Cell {
	if m.EtaS == nil {
		return Cell{Text: unit.Unknown, Tone: Muted}
	}
	c := Cell{Text: unit.Duration(*m.EtaS), Value: m.EtaS, Tone: Warn}
	if m.EtaLo != nil && m.EtaHi != nil {
		lo, hi := math.Min(*m.EtaLo, *m.EtaHi), math.Max(*m.EtaLo, *m.EtaHi)
		c.Note = unit.Duration(lo) + " to " + unit.Duration(hi)
	}
	return c
}

func headroomTone(m *analyze.Margin) Tone {
	switch {
	case m.Crossed():
		return Bad
	case nearness(*m) >= near:
		return Warn
	}
	return Plain
}

func marginVerdict(m *analyze.Margin) Cell {
	switch {
	case m.Headroom == nil:
		return Cell{Text: "not known", Mark: "?", Tone: Muted}
	case m.Crossed():
		return Cell{Text: cmp.Or(map[int]string{0: "crossed", 1: "crossed"}[m.Crossings], fmt.Sprintf("crossed %d times", m.Crossings)), Mark: "✗", Tone: severityTone[m.Severity]}
	}
	return Cell{Text: "kept", Mark: "=", Tone: Muted}
}

// redlineText is the sentence on the red line that a series crossed, comes near, or will reach; none if all are far.
func (s *story) redlineText() (text string, tone Tone) {
	all := s.worstMargins()
	if len(all) == 0 {
		return "", Plain
	}
	m := all[0]
	if at := slices.IndexFunc(all, func(m analyze.Margin) bool { return m.EtaS != nil }); at >= 0 && nearness(m) < near {
		m = all[at]
	}
	if m.Limit == nil || m.Peak == nil || nearness(m) < near && m.EtaS == nil {
		return "", Plain
	}
	kind := kindOf(m.Subject.Metric)
	who := full(m.Subject)
	if len(s.processes) > 1 || m.Subject.Process == machine {
		who = s.processName(m.Subject.Process) + " " + who
	}
	who += s.which(analyze.Series{Side: m.Side, Run: m.Run, Subject: m.Subject})
	text = fmt.Sprintf("Red line %s: %s %s %s, limit %s", name(m.Line), who, map[bool]string{false: "peaks at", true: "falls to"}[m.Below],
		unit.Quantity(kind, m.Peak), unit.Quantity(kind, m.Limit))
	switch {
	case m.Crossed():
		if tone = Bad; m.AboveS > 0 {
			text = fmt.Sprintf("%s, crossed for %s", text, unit.Duration(m.AboveS))
		} else { // what is known is one value: a peak, the level of a build
			text += ", crossed"
		}
	case m.EtaS != nil:
		text, tone = fmt.Sprintf("%s, reached in %s", text, unit.Duration(*m.EtaS)), Warn
	default:
		tone = Warn
	}
	return text + ".", tone
}

// limits puts the red lines of the timelines into a chart: where the values would still fill a third of its height, as
// lines, else in words.
func (c *Chart) limits(of []analyze.Timeline, margins []analyze.Margin, kind unit.Kind) {
	low, high := c.rangeOf()
	if math.IsInf(low, 0) {
		return
	}
	base := low
	if low >= 0 && low < high/2 {
		base = 0
	}
	span := math.Max(high-base, 1)
	var beyond, told []string
	for _, t := range of {
		if t.Limit == nil || math.IsNaN(*t.Limit) || math.IsInf(*t.Limit, 0) {
			continue
		}
		l := Limit{Label: "red line" + lineName(t, margins), Value: *t.Limit}
		if slices.ContainsFunc(c.Limits, func(o Limit) bool { return o.Value == l.Value }) {
			continue
		}
		if *t.Limit-base <= 3*span && high-*t.Limit <= 3*span && len(c.Limits) < 3 {
			c.Limits = append(c.Limits, l)
			told = append(told, fmt.Sprintf("%s at %s", l.Label, unit.Quantity(kind, t.Limit)))
			continue
		}
		text := fmt.Sprintf("%s at %s is outside of the chart", l.Label, unit.Quantity(kind, t.Limit))
		if !slices.Contains(beyond, text) && len(beyond) < 3 {
			beyond = append(beyond, text)
		}
	}
	if len(told) > 0 {
		c.Desc += " " + capital(strings.Join(told, "; ")) + "."
	}
	if len(beyond) > 0 {
		c.Beyond = capital(strings.Join(beyond, "; ")) + "."
	}
}

// lineName finds the name of the red line that a timeline has.
func lineName(t analyze.Timeline, margins []analyze.Margin) string {
	for _, m := range margins {
		if m.Side == t.Side && m.Subject == t.Subject && m.Limit != nil && *m.Limit == *t.Limit {
			return " " + name(m.Line)
		}
	}
	return ""
}

// rangeOf is the least and the greatest value of the lines, trends left out.
func (c *Chart) rangeOf() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if l.Side != "trend" {
				low, high = math.Min(low, p.Min), math.Max(high, p.Max)
			}
		}
	}
	return low, high
}
