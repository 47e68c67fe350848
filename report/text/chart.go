package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtide/memtide/report"
)

// bars are the eight heights of a line drawn in characters.
const bars = "▁▂▃▄▅▆▇█"

// longLabel is how much room the name of a line gets beside its 60 characters.
const longLabel = 38

// chart draws each line in one row of characters, all on the same scale.
func (p *printer) chart(c *report.Chart) {
	if c.Small {
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	long := 0
	for _, l := range c.Lines {
		if l.Side == "trend" {
			continue
		}
		for _, point := range l.Points {
			low, high = min(low, point.Mid), max(high, point.Mid)
		}
		long = max(long, columns(snip(l.Label, longLabel)))
	}
	if math.IsInf(low, 0) {
		return
	}
	p.wrap(" ", p.lang.Sprintf("%s, %s to %s %s", snip(c.Title, widest), c.Scale.Text(&low), c.Scale.Text(&high), c.Scale.Unit)+limits(c))
	for _, l := range c.Lines {
		if l.Side != "trend" && len(l.Points) > 0 {
			label := snip(l.Label, longLabel)
			label = strings.TrimLeft(label+strings.Repeat(" ", long-columns(label)+1), " ")
			p.line(" " + label + spark(l.Points, low, high))
		}
	}
}

// limits names the red lines of a chart, which rows of characters cannot draw.
func limits(c *report.Chart) string {
	text := ""
	for _, l := range c.Limits {
		text += fmt.Sprintf("; %s %s %s", l.Label, c.Scale.Text(&l.Value), c.Scale.Unit)
	}
	return text
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
	if len(w.Steps) < 3 {
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
		parts = append(parts, p.lang.Sprintf("%d more %s", hidden, w.Scale.Signed(&rest)))
	}
	from, to, metric := w.Steps[0], w.Steps[len(w.Steps)-1], ""
	if w.Metric != "" {
		metric = w.Metric + " "
	}
	p.wrap(" ", fmt.Sprintf("%s%s → %s %s: %s.", metric, w.Scale.Text(&from.To), w.Scale.Text(&to.To), w.Scale.Unit,
		strings.Join(parts, ", ")))
}
