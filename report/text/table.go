package text

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
)

// widest is how many columns of the terminal one cell takes at most, and narrowest what the first cell of a row is
// left at least.
const widest, narrowest = 52, 20

func columns(text string) int { return prettytext.StringWidthWithoutEscSequences(text) }

// table writes the first rows of a table, without its marginal columns, and what is said under it.
func (p *printer) table(s report.Section, t *report.Table) {
	rows := min(len(t.Rows), s.Brief)
	if len(t.Rows) == rows+1 {
		rows++ // takes the room of saying that there is one more
	}
	grid := newGrid(t, rows, p.lang)
	grid.fit()
	for line := range strings.Lines(grid.render()) {
		p.line(strings.TrimRight(line, "\n"))
	}
	var notes []string
	for _, n := range t.Notes {
		if !n.Extra && !p.said[n.Text] {
			p.said[n.Text] = true
			notes = append(notes, n.Text)
		}
	}
	if len(notes) > 0 {
		p.wrap(" ", strings.Join(notes, p.lang.Space()))
	}
}

// grid is a table in cells of text, the head first.
type grid struct {
	numbers []bool // by column: right-aligned
	rows    [][]string
	names   []string // the first cells as they are
}

func newGrid(t *report.Table, rows int, l lang.Tag) *grid {
	g := &grid{rows: make([][]string, rows+1)}
	unit := commonUnit(t)
	for i, c := range t.Columns {
		if c.Extra || c.Bar {
			continue
		}
		title := c.Title
		if first := len(g.numbers) == 0; first && rows < len(t.Rows) {
			title = l.Sprintf("%s (%d of %d)", title, rows, len(t.Rows))
		}
		switch {
		case len(g.numbers) == 0 && unit != "":
			title += ", " + unit
		case c.Unit != "" && unit == "":
			title += " " + c.Unit
		}
		g.numbers = append(g.numbers, c.Number)
		g.rows[0] = append(g.rows[0], title)
		cells := make([]string, rows)
		for r := range rows {
			cells[r] = cellText(t.Rows[r][i])
		}
		if len(g.numbers) == 1 {
			g.names = append([]string{title}, cells...)
		}
		for r, text := range snipAll(cells, widest) {
			g.rows[r+1] = append(g.rows[r+1], text)
		}
	}
	return g
}

// commonUnit is the unit of all columns that have one; it is said once, in the head of the rows.
func commonUnit(t *report.Table) string {
	unit := ""
	for _, c := range t.Columns {
		if c.Extra || c.Bar || c.Unit == "" {
			continue
		}
		if unit != "" && unit != c.Unit {
			return ""
		}
		unit = c.Unit
	}
	return unit
}

// fit makes the table as narrow as a line: the names first, then it leaves out columns, those before the last.
func (g *grid) fit() {
	for {
		over := g.width() - width
		if over <= 0 {
			return
		}
		if g.shortenNames(over) {
			continue
		}
		if len(g.numbers) < 3 {
			return
		}
		g.drop(len(g.numbers) - 2)
	}
}

// shortenNames cuts the first cell of all rows by so much, and says whether that made any narrower.
func (g *grid) shortenNames(over int) bool {
	most := 0
	for _, row := range g.rows {
		most = max(most, widthOf(row[0]))
	}
	to := max(narrowest, most-over)
	if to >= most {
		return false
	}
	for i, text := range snipAll(g.names, to) {
		g.rows[i][0] = text
	}
	return true
}

func (g *grid) drop(column int) {
	g.numbers = append(g.numbers[:column], g.numbers[column+1:]...)
	for i, row := range g.rows {
		g.rows[i] = append(row[:column], row[column+1:]...)
	}
}

// width is how wide the table is written, with a blank on each side of a cell.
func (g *grid) width() int {
	sum := 0
	for i := range g.numbers {
		most := 0
		for _, row := range g.rows {
			most = max(most, widthOf(row[i]))
		}
		sum += most + 2
	}
	return sum - 1
}

func (g *grid) render() string {
	w := table.NewWriter()
	w.SetStyle(style())
	var configs []table.ColumnConfig
	for i, number := range g.numbers {
		c := table.ColumnConfig{Number: i + 1}
		if number {
			c.Align, c.AlignHeader = prettytext.AlignRight, prettytext.AlignRight
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	for i, row := range g.rows {
		cells := table.Row{}
		for _, text := range row {
			cells = append(cells, text)
		}
		if i == 0 {
			w.AppendHeader(cells)
		} else {
			w.AppendRow(cells)
		}
	}
	return w.Render()
}

func cellText(c report.Cell) string {
	if c.Mark != "" {
		return c.Mark + " " + c.Text
	}
	return c.Text
}

// style is columns and nothing else: no lines, no capitals.
func style() table.Style {
	st := table.StyleDefault
	st.Options = table.OptionsNoBordersAndSeparators
	st.Format = table.FormatOptions{}
	st.Box.PaddingLeft, st.Box.PaddingRight = " ", " "
	return st
}
