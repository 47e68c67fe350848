package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// footprintTitle stands in the line that heads each process: "name [pid]: 64-bit    Footprint: 922 MB (16384 bytes per page)".
const footprintTitle = "Footprint: "

// SniffFootprint recognises the text of footprint: a title of a process below a rule, or a message of the tool.
func SniffFootprint(head []byte) bool {
	if isMessage(head, "footprint") {
		return true
	}
	rule := false
	return eachLine(head, func(line []byte) bool {
		_, ok := titleOf(line)
		found := rule && ok
		rule = isRule(line)
		return found
	})
}

// DecodeFootprint reads the text of footprint: samples of each process (footprint, footprint_peak, dirty, clean, reclaimable,
// count, and swap and wired where they are printed) and of each of its categories. Blocks of several processes are one
// snapshot; a process that comes again begins the next one.
func DecodeFootprint(in *source.Input, b *table.Builder) error {
	f := &footprint{reader: newReader(in, b, "footprint")}
	f.end = f.ended
	return f.read(f.line, "a process and its categories as footprint prints them")
}

type footprint struct {
	*reader
	block
	columns []column
	seen    map[int64]bool
}

// block is what is printed of one process.
type block struct {
	open, table bool
	headline    size
	headLine    int
	own         table.Int // phys_footprint
	ownLine     int
	parts       []entrySum
}

type column struct {
	metric string
	sized  bool // two words, a number and its unit
}

var footprintColumns = map[string]column{
	"Dirty": {"dirty", true}, "Clean": {"clean", true}, "Reclaimable": {"reclaimable", true}, "Swapped": {"swap", true}, "Wired": {"wired", true},
	"Regions": {"count", false},
}

// title is the line that heads a process.
type title struct {
	name, size, page []byte
}

// titleOf takes a title apart.
func titleOf(line []byte) (t title, ok bool) {
	before, rest, ok := bytes.Cut(line, []byte(footprintTitle))
	name, _, found := bytes.Cut(before, []byte("]: "))
	if !ok || !found {
		return title{}, false
	}
	t.name = line[:len(name)+1]
	var page []byte
	t.size, page, _ = bytes.Cut(rest, []byte("("))
	t.page, _, _ = bytes.Cut(page, []byte(" bytes per page"))
	return t, bytes.IndexByte(t.name, '[') >= 0
}

func isRule(line []byte) bool {
	return len(line) >= 8 && len(bytes.Trim(line, "=")) == 0
}

func (f *footprint) line(line []byte) {
	t, ok := titleOf(line)
	switch {
	case ok:
		f.title(t)
	case isRule(line):
		f.block.table = false
	case bytes.Contains(line, []byte(footprintTitle)) && !f.block.table:
		f.close() // "Summary Footprint: …", the sum of several processes: its rows are of none
	case bytes.HasSuffix(line, []byte("Category")):
		f.heading(line)
	case len(bytes.TrimSpace(line)) == 0:
		f.block.table = false
	case f.block.table && !message(line, f.tool):
		f.row(line)
	case f.open && bytes.Contains(line, []byte(": ")) && line[0] == ' ':
		f.auxiliary(line)
	case !bytes.HasPrefix(line, []byte("Auxiliary data")):
		f.other(line)
	}
}

// title begins the block of a process.
func (f *footprint) title(t title) {
	f.close()
	pid, name := processOf(f.b, t.name)
	f.wantPID(pid, t.name)
	if !f.begun || f.seen[pid.V] {
		f.start()
		f.seen = map[int64]bool{}
	}
	f.seen[pid.V] = true
	f.b.Process(pid, name)
	f.block = block{open: true, headline: sizeOf(t.size), headLine: f.l.Line()}
	if !f.headline.ok {
		f.b.Problems.Add(f.l.Pos(1), "want a footprint such as 922 MB, have %q", clip(bytes.TrimSpace(t.size)))
	}
	if page := count(t.page); page.OK {
		f.b.Fact("page_size", string(t.page))
	}
}

// heading reads the names of the columns.
func (f *footprint) heading(line []byte) {
	f.columns = f.columns[:0]
	for i := 0; len(f.columns) < 16; {
		var w cell
		if w, i = wordAt(line, i); len(w.text) == 0 || string(w.text) == "Category" {
			break
		}
		c, ok := footprintColumns[string(bytes.Trim(w.text, "()"))]
		if !ok {
			c.sized = true
			f.b.Problems.Count(f.l.Pos(w.at+1), "want a column that is known, have %q: it is left out", clip(w.text))
		}
		f.columns = append(f.columns, c)
	}
	f.block.table = true
	f.parts = make([]entrySum, len(f.columns))
}

// row reads figures and the category behind them.
func (f *footprint) row(line []byte) {
	if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("---")) {
		return
	}
	if bytes.HasSuffix(line, []byte(" TOTAL")) {
		defer func() { f.block.table = false }()
	}
	if !f.open {
		return
	}
	values := make([]size, 0, 16)
	i := 0
	for _, c := range f.columns {
		var w, unit cell
		from := 0
		w, i = wordAt(line, i)
		if from = w.at; c.sized {
			unit, i = wordAt(line, i)
		}
		v := sizeOf(bytes.Trim(line[from:max(i, from)], "()"))
		if !v.ok || !c.sized && len(w.text) == 0 || c.sized && len(unit.text) == 0 {
			f.b.Problems.Add(f.l.Pos(from+1), "want a figure in each column and a category, have %q: the row is left out", clip(line))
			f.parts = nil
			return
		}
		values = append(values, v)
	}
	name := bytes.TrimSpace(line[i:])
	switch {
	case len(name) == 0:
		f.b.Problems.Add(f.l.Pos(i+1), "want a category, have the end of the line: the row is left out")
	case string(name) == "TOTAL":
		f.totals(values)
	default:
		f.category(name, values)
	}
}

func (f *footprint) category(name []byte, values []size) {
	sym := symOf(f.b, name)
	for i, c := range f.columns {
		if c.metric != "" {
			f.sample(f.scope.category, sym, c.metric, values[i].int(), f.l.Line())
		}
		if f.parts != nil {
			f.parts[i].add(values[i])
		}
	}
}

// totals writes the figures of the process. Regions are more than those of the rows in all captures that are known.
func (f *footprint) totals(values []size) {
	for i, c := range f.columns {
		if c.metric == "" {
			continue
		}
		f.level(c.metric, values[i].int(), f.l.Line())
		if f.parts == nil || f.parts[i].unknown || c.metric == "count" {
			continue
		}
		slack := f.parts[i].slack + values[i].half
		if diff := f.parts[i].v - values[i].v; diff > slack || -diff > slack {
			f.b.Problems.Add(f.l.Pos(1), "want a total %s of %d, which its rows add up to, have %d", c.metric, f.parts[i].v, values[i].v)
		}
	}
}

// auxiliary reads "    phys_footprint: 922 MB"; the others of its kind are not written.
func (f *footprint) auxiliary(line []byte) {
	key, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
	peak := string(key) == "phys_footprint_peak"
	if !peak && string(key) != "phys_footprint" {
		return
	}
	v := sizeOf(value)
	if !v.ok {
		f.b.Problems.Add(f.l.Pos(1), "want a size such as 922 MB, have %q", clip(value))
	}
	if peak {
		f.level("footprint_peak", v.int(), f.l.Line())
	} else {
		f.own, f.ownLine = v.int(), f.l.Line()
	}
}

// close writes the footprint of the process: the exact one where it is printed, else that of the title, which counts shared
// memory once for all processes.
func (f *footprint) close() {
	if !f.open {
		return
	}
	if f.own.OK {
		f.level("footprint", f.own, f.ownLine)
	} else {
		f.level("footprint", f.headline.int(), f.headLine)
	}
	f.block = block{}
}

func (f *footprint) ended() {
	f.close()
	f.seen = nil
}
