package series

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decoder turns records into rows.
type decoder struct {
	*header
	in      *source.Input
	b       *table.Builder
	r       *records
	time    clock
	group   grouping
	lastNS  int64
	lastIt  table.Int
	marked  string // what the mark column said last
	skipped []string
	values  int
	joined  []byte
}

func decodeSeries(in *source.Input, b *table.Builder, h *header, r *records, headerLine int) error {
	d := &decoder{header: h, in: in, b: b, r: r}
	if h.clock >= 0 {
		d.time = clock{comma: h.comma, unit: int64(h.columns[h.clock].unit)}
	}
	if !d.prepare(headerLine) {
		return source.Errorf(in.At(headerLine, 1), "held nothing: want a column with a figure of memory, have %q", clip(h.text))
	}
	for r.next() {
		d.record()
	}
	d.facts()
	if d.values == 0 {
		return source.Errorf(in.At(headerLine, 0), "held nothing: a header and no value below it, %q", clip(h.text))
	}
	return nil
}

// prepare interns the strings of every column, and refuses what cannot be read.
func (d *decoder) prepare(line int) bool {
	seen := map[target]string{}
	for i := range d.columns {
		c := &d.columns[i]
		switch c.role {
		case refused:
			d.b.Problems.Add(d.in.At(line, c.at), "want bytes, kB or MB, have column %q in pages, whose size the file does not tell: not read", c.name)
		case skipped:
			d.skipped = append(d.skipped, c.name)
		case figure, guess:
			if other, ok := seen[c.target]; ok {
				d.b.Problems.Add(d.in.At(line, c.at), "want one column for each figure, have %q beside %q: not read", c.name, other)
				c.role = refused
				continue
			}
			seen[c.target] = c.name
			c.syms = [3]table.Sym{d.b.Text(c.scope), d.b.Text(c.target.name), d.b.Text(c.metric)}
		}
	}
	return len(seen) > 0
}

// record reads one line; a line whose time, pid or number of cells is wrong gives no row.
func (d *decoder) record() {
	cells := d.r.cells
	if bytes.Equal(d.r.text, d.text) {
		return // the header again: logs that were joined
	}
	if len(cells) != len(d.columns) {
		d.b.Problems.Add(d.wrongWidth(cells), "want %d cells, have %d", len(d.columns), len(cells))
		return
	}
	lastColumn := &d.columns[len(cells)-1]
	if cell := cells[len(cells)-1]; !d.r.ended && mayGoOn(cell) && lastColumn.role != skipped && lastColumn.role != refused && !d.isWords(lastColumn, cell) {
		d.b.Problems.Add(d.at(cell), "want the end of the line behind %q, have the end of the file: the cell may be cut and is left out", clip(cell))
		if lastColumn.role != figure && lastColumn.role != guess {
			return // whose figures they are, or of when, is not known
		}
		cells = cells[:len(cells)-1]
	}
	who, ok := d.subject(cells)
	if !ok || !d.begin(cells, who) {
		return
	}
	d.noteMark(cells)
	for i := range cells {
		if r := d.columns[i].role; r == figure || r == guess {
			d.figure(&d.columns[i], cells[i])
		}
	}
}

func (d *decoder) at(cell []byte) source.Pos { return d.in.At(d.r.line, columnOf(d.r.text, cell)) }

func (d *decoder) wrongWidth(cells [][]byte) source.Pos {
	if len(cells) > len(d.columns) {
		return d.at(cells[len(d.columns)])
	}
	return d.in.At(d.r.line, len(d.r.text)+1)
}

func (d *decoder) subject(cells [][]byte) (subject, bool) {
	var s subject
	if d.app >= 0 {
		if name := unquote(cells[d.app]); len(name) > 0 {
			s.process = d.b.Sym(name)
		}
	}
	if d.pid >= 0 {
		cell := unquote(cells[d.pid])
		if missing(cell) {
			return s, true
		}
		v, ok := integer(cell)
		if !ok {
			d.b.Problems.Add(d.at(cells[d.pid]), "want a pid, have %q", clip(cell))
			return s, false
		}
		s.pid = table.Known(v)
	}
	return s, true
}

// begin settles the time of a record, and begins a sample unless the record is another process of the same one.
func (d *decoder) begin(cells [][]byte, who subject) bool {
	stamp := table.Stamp{Line: d.r.line}
	moved := d.pid < 0 && d.app < 0
	if d.clock >= 0 {
		cell := d.timeCell(cells)
		ns, ok := d.time.read(cell)
		if !ok {
			want := "a time"
			if d.time.far {
				want = "a time at most 2^63 ns (292 years) from all others of the file"
			}
			d.b.Problems.Add(d.at(cells[d.clock]), "want %s, have %q", want, clip(cell))
			return false
		}
		moved = moved || ns != d.lastNS
		d.lastNS = ns
		stamp = d.time.stamp(ns, d.r.line)
	}
	if d.iteration >= 0 {
		it := d.round(cells[d.iteration])
		moved = moved || it != d.lastIt
		d.lastIt = it
	}
	if d.group.begins(who, moved) {
		d.b.Snapshot(stamp)
	}
	d.b.Process(who.pid, who.process)
	return true
}

func (d *decoder) timeCell(cells [][]byte) []byte {
	cell := unquote(cells[d.clock])
	if d.dayTime < 0 {
		return cell
	}
	d.joined = append(append(append(d.joined[:0], cell...), ' '), unquote(cells[d.dayTime])...)
	return d.joined
}

func (d *decoder) round(cell []byte) table.Int {
	text := unquote(cell)
	if missing(text) {
		return table.Int{}
	}
	n, ok := parseDecimal(text, d.comma)
	v, fits := n.times(1)
	if !ok || !fits || n.mant%pow10[n.scale] != 0 {
		d.b.Problems.Add(d.at(cell), "want the number of an iteration, have %q", clip(text))
		return table.Int{}
	}
	return table.Known(v)
}

// noteMark makes an event of a mark where it changes: of a phase that stands in each of its lines, where it begins.
func (d *decoder) noteMark(cells [][]byte) {
	if d.mark < 0 || d.mark >= len(cells) {
		return
	}
	text := unquote(cells[d.mark])
	if string(text) == d.marked {
		return
	}
	d.marked = string(text)
	if !missing(text) {
		d.b.Event(&table.Event{Op: d.b.Text("mark"), Class: d.b.Sym(text), Line: d.r.line})
	}
}

// figure writes the row of one cell.
func (d *decoder) figure(c *column, cell []byte) {
	text := unquote(cell)
	if missing(text) {
		c.missing++
		return
	}
	n, ok := parseDecimal(text, d.comma)
	if !ok && c.role == guess && !c.confirmed {
		d.doubt(c, cell, text)
		return
	}
	if c.confirmed = true; c.odd > 0 {
		d.b.Problems.Add(c.oddAt, "want %s for %s, have %q", c.kind(), c.name, c.oddText)
		c.odd = 0
	}
	if !ok || n.neg && n.mant > 0 && c.metric != "lost_ram" {
		d.b.Problems.Add(d.at(cell), "want %s for %s, have %q", c.kind(), c.name, clip(text))
		return
	}
	v, ok := n.times(c.unit)
	if !ok {
		d.b.Problems.Add(d.at(cell), "want %s for %s below 2^63, have %q", c.kind(), c.name, clip(text))
		return
	}
	d.values++
	d.b.Add(table.Sample{Scope: c.syms[0], Name: c.syms[1], Metric: c.syms[2], Value: v, Line: d.r.line, Iteration: d.lastIt})
}

// isWords says whether a cell is one more without a figure in a column that has none yet.
func (d *decoder) isWords(c *column, cell []byte) bool {
	_, ok := parseDecimal(unquote(cell), d.comma)
	return c.odd > 0 && !ok
}

// doubt notes that a column begins with what is no figure. It is one of words if that goes on in the next line, else its
// first cell is damaged.
func (d *decoder) doubt(c *column, cell, text []byte) {
	if c.odd++; c.odd > 1 {
		c.role = skipped
		d.skipped = append(d.skipped, c.name)
		return
	}
	c.oddAt, c.oddText = d.at(cell), string(clip(text))
}

func (c *column) kind() string {
	if c.metric == "count" {
		return "a count"
	}
	return "a size"
}

// facts tells what was left out, and how units were read.
func (d *decoder) facts() {
	var missing []string
	binary := false
	for i := range d.columns {
		c := &d.columns[i]
		if c.role == guess && c.odd > 0 {
			d.skipped = append(d.skipped, c.name)
		}
		if c.missing > 0 {
			missing = append(missing, fmt.Sprintf("%s %d", c.name, c.missing))
		}
		binary = binary || c.binary && (c.role == figure || c.role == guess)
	}
	if len(missing) > 0 {
		d.b.Fact("missing values", strings.Join(missing, ", "))
	}
	if len(d.skipped) > 0 {
		d.b.Fact("columns skipped", strings.Join(d.skipped, ", "))
	}
	if binary {
		d.b.Fact("units", "kB, MB and GB are read as 1024, 1024² and 1024³ bytes")
	}
}
