package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/memtide/memtide/report"
)

// widest is how many columns of the terminal one cell takes at most.
const widest = 52

func columns(text string) int { return prettytext.StringWidthWithoutEscSequences(text) }

// table writes the first rows of a table, without its marginal columns.
func (p *printer) table(s report.Section, t *report.Table) {
	w := table.NewWriter()
	w.SetStyle(style())
	header := table.Row{}
	var configs []table.ColumnConfig
	var shown []int
	for i, c := range t.Columns {
		if c.Extra || c.Bar {
			continue
		}
		shown = append(shown, i)
		title := c.Title
		if c.Unit != "" {
			title += " " + c.Unit
		}
		config := table.ColumnConfig{Number: len(shown), WidthMax: widest, WidthMaxEnforcer: snip}
		if c.Number {
			config.Align, config.AlignHeader = prettytext.AlignRight, prettytext.AlignRight
		}
		header, configs = append(header, title), append(configs, config)
	}
	w.AppendHeader(header)
	w.SetColumnConfigs(configs)
	for i, row := range t.Rows {
		if i == s.Brief {
			break
		}
		cells := table.Row{}
		for _, j := range shown {
			cells = append(cells, cellText(row[j]))
		}
		w.AppendRow(cells)
	}
	for line := range strings.Lines(w.Render()) {
		p.line(strings.TrimRight(line, "\n"))
	}
	if more := len(t.Rows) - s.Brief; more > 0 {
		p.line(fmt.Sprintf(" … %d more row%s", more, map[bool]string{true: "s"}[more > 1]))
	}
}

func cellText(c report.Cell) string {
	if c.Mark != "" {
		return c.Mark + " " + c.Text
	}
	return c.Text
}

// snip leaves out the middle of what is too wide: names differ at their ends.
func snip(text string, most int) string {
	if columns(text) <= most {
		return text
	}
	runes := []rune(text)
	half := (most - 1) / 2
	for columns(string(runes[:half]))+1+columns(string(runes[len(runes)-half:])) > most && half > 1 {
		half--
	}
	return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
}

// style is columns and nothing else: no lines, no capitals.
func style() table.Style {
	st := table.StyleDefault
	st.Options = table.OptionsNoBordersAndSeparators
	st.Format = table.FormatOptions{}
	st.Box.PaddingLeft, st.Box.PaddingRight = " ", " "
	return st
}

// bars are the eight heights of a line drawn in characters.
const bars = "▁▂▃▄▅▆▇█"

// chart draws each line in one row of characters, all on the same scale.
func (p *printer) chart(c *report.Chart) {
	if c.Small {
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	long := 0
	for _, l := range c.Lines {
		for _, point := range l.Points {
			low, high = min(low, point.Mid), max(high, point.Mid)
		}
		long = max(long, columns(l.Label))
	}
	if math.IsInf(low, 0) {
		return
	}
	p.line(fmt.Sprintf(" %s, %s to %s %s", c.Title, c.Scale.Text(&low), c.Scale.Text(&high), c.Scale.Unit))
	for _, l := range c.Lines {
		if l.Side != "trend" && len(l.Points) > 0 {
			p.line(" " + l.Label + strings.Repeat(" ", long-columns(l.Label)) + " " + spark(l.Points, low, high))
		}
	}
}

// spark puts points into at most 60 characters by time.
func spark(points []report.Point, low, high float64) string {
	const wide = 60
	n := min(wide, len(points))
	heights := []rune(bars)
	var b strings.Builder
	for i := range n {
		v := points[i*len(points)/n].Mid
		level := 0
		if high > low {
			level = int(math.Round((v - low) / (high - low) * float64(len(heights)-1)))
		}
		b.WriteRune(heights[max(0, min(level, len(heights)-1))])
	}
	return b.String()
}

// waterfall writes the ends and the greatest steps as one sentence that still sums.
func (p *printer) waterfall(w *report.Waterfall, most int) {
	if len(w.Steps) < 2 {
		return
	}
	var parts []string
	rest, hidden := 0.0, 0
	for _, s := range w.Steps[1 : len(w.Steps)-1] {
		change := s.To - s.From
		if len(parts) == most {
			rest, hidden = rest+change, hidden+1
			continue
		}
		parts = append(parts, snip(s.Label, widest)+" "+w.Scale.Signed(&change))
	}
	if hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d smaller steps %s", hidden, w.Scale.Signed(&rest)))
	}
	from, to := w.Steps[0], w.Steps[len(w.Steps)-1]
	p.wrap(" ", fmt.Sprintf("%s %s, %s %s %s: %s.", from.Label, w.Scale.Text(&from.To), to.Label, w.Scale.Text(&to.To), w.Scale.Unit,
		strings.Join(parts, ", ")))
}
