package regions

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// field is what a column holds: a size of the mapping (from 0), or one of these.
type field int

const (
	skipped field = -1 - iota // a number that is not stored
	start
	end
	word // one word that is not stored
	object
)

// showmapColumns are the titles, as they stand in the two header lines over each other.
var showmapColumns = map[string]field{
	"virtual size": field(table.MapSize), "RSS": field(table.MapRSS), "PSS": field(table.MapPSS),
	"shared clean": field(table.MapSharedClean), "shared dirty": field(table.MapSharedDirty),
	"private clean": field(table.MapPrivateClean), "private dirty": field(table.MapPrivateDirty),
	"swap": field(table.MapSwap), "swapPSS": field(table.MapSwapPSS),
	"Anon HugePages": skipped, "Shmem PmdMapped": skipped, "File PmdMapped": skipped, "Shared Hugetlb": skipped, "Private Hugetlb": skipped,
	"Locked": skipped, "#": skipped, "start addr": start, "end addr": end, "flags": word, "object": object,
}

// showmap is the state of the decoder. A table is: two header lines and a rule, rows, then a rule, the header lines and
// a rule again, and the row TOTAL.
type showmap struct {
	*book
	titles  [2][]byte // the last two lines, which a rule makes to header lines
	columns []field
	open    bool // a table has begun
	foot    bool // its header came again: TOTAL follows
	owner   owner
	metrics [table.NumSizes]table.Sym
	process table.Sym
	empty   table.Sym
}

// DecodeShowmap reads the tables of showmap: a mapping for each row, and the TOTAL row as samples of the process.
func DecodeShowmap(in *source.Input, b *table.Builder) error {
	d := &showmap{book: newBook(in, b), process: b.Text("process"), empty: b.Text("")}
	d.android = true
	for s := range d.metrics {
		d.metrics[s] = b.Text(sizeMetric(table.Size(s)))
	}
	for d.l.Scan() {
		line := d.l.Bytes()
		d.line(line)
		d.titles[0], d.titles[1] = d.titles[1], append(d.titles[0][:0], line...)
	}
	d.close("the file ends before its TOTAL")
	return d.log.End("a table of showmap")
}

// sizeMetric is the metric that a size column of mappings adds up to.
func sizeMetric(s table.Size) string {
	if s == table.MapSize {
		return "vss"
	}
	return table.Schemas[table.Mappings].Columns[table.Schemas[table.Mappings].Column("size")+int(s)].Name
}

func (d *showmap) line(line []byte) {
	switch {
	case isRules(line):
		d.rule(line)
	case d.columns != nil && d.open && d.row(line):
	case len(line) > 0 && !isTitle(line):
		if o, ok := showmapBanner(line, d.b); ok {
			d.close("another begins before its TOTAL")
			d.owner = o
			return
		}
		d.log.Other(line, func() {
			d.close("another sample begins before its TOTAL")
			d.owner = owner{}
		})
	}
}

// isRules says whether a line is the rule under the header: runs of '-' alone, the first of eight or more.
func isRules(line []byte) bool {
	runs := 0
	for t := (tokens{line: line}); ; runs++ {
		w := t.next()
		if len(w) == 0 {
			return runs >= 5
		}
		if len(bytes.Trim(w, "-")) > 0 {
			return false
		}
	}
}

func isTitle(line []byte) bool {
	return hasWords(line, "virtual", "shared", "private") || hasWords(line, "size", "RSS", "PSS")
}

// rule reads the columns from the two lines above it: a title is what stands over a run of the rule. The rule that ends
// the rows has no titles above it.
func (d *showmap) rule(line []byte) {
	if !isTitle(d.titles[1]) {
		return
	}
	if d.open && !d.foot {
		d.foot = true
		return
	}
	d.close("another begins before its TOTAL")
	d.columns, d.open, d.first = d.columns[:0], true, d.l.Line()
	for t := (tokens{line: line}); len(t.next()) > 0; {
		title := joined(over(d.titles[0], t.at, t.end), over(d.titles[1], t.at, t.end))
		f, known := showmapColumns[title]
		if !known {
			d.b.Problems.Count(d.l.Pos(t.at+1), "unknown column %q", title)
			f = skipped
		}
		d.columns = append(d.columns, f)
	}
	if n := len(d.columns); d.columns[n-1] != object {
		d.b.Problems.Add(d.l.Pos(0), "want a last column \"object\" in the header of showmap, have %q", clip(d.titles[1]))
		d.columns, d.open = nil, false
	}
}

// over is the part of a header line that stands over the columns [from, to) of the rule.
func over(title []byte, from, to int) []byte {
	return trim(title[min(from, len(title)):min(to, len(title))])
}

func joined(above, below []byte) string {
	if len(above) == 0 {
		return string(below)
	}
	return string(above) + " " + string(below)
}

// row takes a line of numbers and a name. It is false if the line is none.
func (d *showmap) row(line []byte) bool {
	m := table.Mapping{Line: d.l.Line()}
	t := tokens{line: line}
	total := d.foot && bytes.HasSuffix(line, []byte(" TOTAL"))
	for i, f := range d.columns[:len(d.columns)-1] {
		if total && (f == start || f == end || f == word) {
			continue // blank in that row
		}
		w := t.next()
		ok := true
		switch f {
		case start:
			m.Start, ok = hex(w)
		case end:
			m.End, ok = hex(w)
			m.HasRange = ok
		case word:
		default:
			var v int64
			if v, ok = kilobytes(w); ok && f >= 0 {
				m.Set(table.Size(f), v)
			}
		}
		if !ok {
			return d.badRow(line, &t, i)
		}
	}
	name := t.rest()
	if total && string(name) == "TOTAL" {
		d.total(&m)
		return true
	}
	if d.foot {
		d.again()
	}
	m.Path = d.b.Sym(name)
	d.rows = append(d.rows, m)
	return true
}

// badRow tells a row with an odd word from a line that is no row at all.
func (d *showmap) badRow(line []byte, t *tokens, column int) bool {
	if column == 0 {
		return false
	}
	if d.l.Ended() {
		d.b.Problems.Add(d.l.Pos(t.at+1), "want a number of kB, have %q", clip(line))
	}
	return true
}

// again takes a header that was thought to come again for the one of the next table: the first was cut.
func (d *showmap) again() {
	d.drop(d.first, "another begins before its TOTAL")
	d.foot, d.first = false, d.l.Line()
}

// total writes the table. An empty one, of a kernel thread, gives nothing.
func (d *showmap) total(t *table.Mapping) {
	if len(d.rows) > 0 {
		d.log.Record(d.owner.pid, d.owner.name, d.first)
		for s, metric := range d.metrics {
			if t.Has&(1<<s) != 0 {
				d.b.Add(table.Sample{Scope: d.process, Name: d.empty, Metric: metric, Value: t.Sizes[s], Line: t.Line})
			}
		}
		known := func(s table.Size) table.Int { return table.Int{V: t.Sizes[s], OK: t.Has&(1<<s) != 0} }
		d.b.Parts(d.process, d.empty, known(table.MapPrivateClean), known(table.MapPrivateDirty), known(table.MapSharedDirty), t.Line)
		d.write()
	}
	d.open, d.foot, d.owner = false, false, owner{}
}

// close ends a table that has no TOTAL.
func (d *showmap) close(why string) {
	if d.open {
		d.drop(d.first, why)
	}
	d.open, d.foot = false, false
}

// showmapBanner reads "------ SHOW MAP 929 (system_server) (showmap -q 929) ------", and a prompt with "showmap 929".
func showmapBanner(line []byte, b *table.Builder) (owner, bool) {
	i, mark := bytes.Index(line, []byte("SHOW MAP ")), len("SHOW MAP ")
	if i < 0 {
		if i, mark = bytes.Index(line, []byte("showmap ")), len("showmap "); i < 0 {
			return owner{}, false
		}
	}
	t := tokens{line: line, end: i + mark}
	w := t.next()
	for len(w) > 0 && w[0] == '-' {
		w = t.next()
	}
	n, ok := decimal(w)
	if !ok {
		return owner{}, false
	}
	o := owner{pid: table.Known(n)}
	if rest := t.rest(); len(rest) > 0 && rest[0] == '(' {
		if j := bytes.Index(rest, []byte(") (")); j > 0 {
			o.name = b.Sym(rest[1:j])
		} else if j := bytes.IndexByte(rest, ')'); j > 0 {
			o.name = b.Sym(rest[1:j])
		}
	}
	return o, true
}
