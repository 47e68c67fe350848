package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/unit"
)

// rect is a bar in a picture 1000 wide; Hollow bars are decreases.
type rect struct {
	X, W   float64
	Colour string
	Hollow bool
	Mid    float64 // a decrease is drawn as a frame: where its inner edges are
}

// fall is a waterfall with a bar beside each step.
type fall struct {
	*report.Waterfall
	Rows []fallRow
	Note string
}

type fallRow struct {
	report.Step
	rect
	Text, Unit string
	Link       float64 // where the level after this step is, for the line to the next
	Last       bool
}

// newFall lays out a waterfall. Where the steps are small beside the totals the bars do not start at 0, and the note
// says where they start.
func newFall(w *report.Waterfall) *fall {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range w.Steps {
		for _, v := range []float64{s.To, s.From} {
			if v != 0 || !s.Total {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
	}
	f := &fall{Waterfall: w}
	base := 0.0
	if low > high/2 && high > low {
		base = low - (high-low)/4
		f.Note = fmt.Sprintf("The bars start at %s %s, not at 0.", w.Scale.Text(&base), w.Scale.Unit)
	} else {
		low = math.Min(low, 0)
		base = low
	}
	x := func(v float64) float64 { return round1((v - base) / positive(high-base) * 1000) }
	for i, s := range w.Steps {
		row := fallRow{Step: s, Unit: w.Scale.Unit, Link: x(s.To), Last: i == len(w.Steps)-1}
		change := s.To - s.From
		row.Text = w.Scale.Signed(&change)
		from, to := x(s.From), x(s.To)
		row.Colour, row.Hollow = upColour, change < 0
		if row.Hollow {
			row.Colour = downColour
		}
		if s.Total {
			row.Text, row.Hollow = w.Scale.Text(&s.To), false
			row.Colour, from = trendColour, x(math.Max(base, 0))
			if look, ok := pens[s.Side]; ok {
				row.Colour = look.colour
			}
		}
		row.X, row.W = math.Min(from, to), math.Max(math.Abs(to-from), 2)
		f.Rows = append(f.Rows, row)
	}
	return f
}

// bars are the bars of the column of a table that wants them: left of zero for what fell.
type bars struct {
	column int
	zero   float64
	rows   []rect
}

func newBars(t *report.Table) *bars {
	b := &bars{column: -1}
	for i, c := range t.Columns {
		if c.Bar {
			b.column = i
		}
	}
	if b.column < 0 {
		return b
	}
	low, high := 0.0, 0.0
	for _, row := range t.Rows {
		if v := row[b.column].Value; v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			low, high = math.Min(low, *v), math.Max(high, *v)
		}
	}
	x := func(v float64) float64 { return round1((v - low) / positive(high-low) * 1000) }
	b.zero = x(0)
	for _, row := range t.Rows {
		r := rect{X: b.zero}
		if v := row[b.column].Value; v != nil && !math.IsNaN(*v) && *v != 0 {
			r = rect{X: math.Min(b.zero, x(*v)), W: math.Max(math.Abs(x(*v)-b.zero), 4), Colour: upColour, Hollow: *v < 0}
			if r.Hollow {
				r.Colour = downColour
			}
			if t.Columns[b.column].Size {
				r.Colour = sizeColour
			}
		}
		b.rows = append(b.rows, r)
	}
	return b
}

// cell is what the template needs to know of one entry of a table.
type cell struct {
	report.Cell
	Column  report.Column
	Head    bool // the first cell names the row
	Raw     string
	Pieces  []string     // the text, parted where a long name may be broken
	Verdict *report.Cell // for a row's name: the marked cell, which a narrow screen does not reach
	Bar     *rect
	Zero    float64
	Twice   bool // it stands under the row's name too, where the screen is narrow
}

// twice says whether a column holds the verdicts, which a narrow screen shows under the names of the rows.
func twice(t *report.Table, column int) bool {
	return column > 1 && len(t.Rows) > 0 && slices.ContainsFunc(t.Rows, func(row []report.Cell) bool { return row[column].Mark != "" })
}

// cells pairs a row with its columns.
func cells(t *report.Table, b *bars, i int) []cell {
	out := make([]cell, len(t.Rows[i]))
	for j, c := range t.Rows[i] {
		out[j] = cell{Cell: c, Column: t.Columns[j], Head: j == 0, Pieces: []string{c.Text}}
		if out[j].Twice = twice(t, j); out[j].Twice && c.Mark != "" {
			out[0].Verdict = &t.Rows[i][j]
		}
		if j == 0 && t.Wide {
			out[j].Note = ""
		}
		if c.Code {
			out[j].Pieces = pieces(c.Text)
		}
		if c.Value != nil && t.Columns[j].Number && c.Text != unit.Unknown {
			out[j].Raw = strconv.FormatFloat(*c.Value, 'g', 12, 64)
		}
		if j == b.column {
			out[j].Bar, out[j].Zero = &b.rows[i], b.zero
		}
	}
	return out
}

// Short says whether a name is better never parted, not at its dashes either.
func (c cell) Short() bool { return c.Code && !c.Head && len(c.Text) <= 20 }

// unbroken is how many characters of a name stay together at most.
const unbroken = 32

// pieces parts a path after its slashes, and what is long between them.
func pieces(text string) []string {
	var out []string
	n, start := 0, 0
	for i, r := range text {
		if n >= unbroken {
			out, start, n = append(out, text[start:i]), i, 0
		}
		switch n++; {
		case r == ' ': // it is a place to part at by itself
			n = 0
		case r == '/' && n > 1:
			out, start, n = append(out, text[start:i+1]), i+1, 0
		}
	}
	return append(out, text[start:])
}
