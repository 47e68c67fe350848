package instruments

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// The columns of the text that Instruments copies, by the names they had from version 4 to 16.
var (
	persistentBytes = []string{"Persistent Bytes", "Net Bytes", "Live Bytes"}
	persistentCount = []string{"# Persistent", "# Net", "# Living"}
	totalBytes      = []string{"Total Bytes", "Overall Bytes"}
	totalCount      = []string{"# Total", "# Overall"}
	treeBytes       = append([]string{"Bytes Used", "Weight"}, persistentBytes...)
	treeSelf        = []string{"Self Weight", "Self Bytes"}
	treeCount       = append([]string{"Count"}, persistentCount...)
)

// header is the first line of a copied text: where its columns are.
type header struct {
	names []string
}

func headerOf(line []byte) header {
	var h header
	for name := range bytes.SplitSeq(line, []byte{'\t'}) {
		h.names = append(h.names, string(bytes.TrimSpace(name)))
	}
	return h
}

// find is the column that has one of these names; -1 if none has.
func (h header) find(names []string) int {
	return slices.IndexFunc(h.names, func(s string) bool { return slices.Contains(names, s) })
}

// isTree tells a call tree: its last column holds the symbols.
func (h header) isTree() bool {
	last := h.names[len(h.names)-1]
	return len(h.names) > 1 && (last == "Symbol Name" || last == "Symbol Names")
}

func (h header) isSummary() bool {
	return h.find([]string{"Category"}) >= 0 && h.find(persistentBytes) >= 0
}

// SniffCopy recognises the text of Edit > Copy and Deep Copy: a call tree, or the summary of Allocations.
func SniffCopy(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	h := headerOf(line)
	return h.isTree() || h.isSummary()
}

// copied reads the rows of a copied text.
type copied struct {
	header
	l     *source.Lines
	b     *table.Builder
	words words
	mark  byte // of decimals
	rows  int
}

// DecodeCopy reads a call tree into sites, one a path that has memory of its own, and a summary into sites and samples.
// Sizes were rounded by Instruments to a hundredth of their unit.
func DecodeCopy(in *source.Input, b *table.Builder) error {
	c := &copied{l: source.NewLines(in), b: b, words: newWords(b), mark: decimalMark(in.Head)}
	if !c.l.Scan() {
		return source.Errorf(in.At(1, 1), "held nothing: want the header of a text that Instruments copied")
	}
	c.header = headerOf(c.l.Bytes())
	b.Fact("tool", "Instruments")
	b.Fact("rounded", "sizes were printed with two decimals of their unit")
	b.Snapshot(table.Stamp{Line: c.l.Line()})
	b.Process(table.Int{}, table.Null)
	read := c.tree
	switch {
	case c.isTree():
	case c.isSummary():
		read = c.summary
	default:
		return source.Errorf(in.At(1, 1), "held nothing: want a header with the columns of a call tree or of the summary of Allocations, have %q", clip(c.l.Bytes()))
	}
	if err := read(); err != nil {
		return err
	}
	if c.l.Err() == nil && !b.HasData() {
		return source.Errorf(in.At(1, 1), "held nothing: want rows with memory below the header, have %d rows", c.rows)
	}
	return c.l.Err()
}

// next gives the cells of the next line that is not empty.
func (c *copied) next() [][]byte {
	for c.l.Scan() {
		if len(bytes.TrimSpace(c.l.Bytes())) > 0 {
			c.rows++
			return bytes.Split(c.l.Bytes(), []byte{'\t'})
		}
	}
	return nil
}

// cut says whether the last cell of a line has no end, and tells so: it may be a part of the true one.
func (c *copied) cut(cells [][]byte) bool {
	last := len(cells) - 1
	if c.l.Ended() || len(bytes.TrimSpace(cells[last])) == 0 {
		return false
	}
	c.b.Problems.Add(c.l.Pos(place(cells, last)), "want the end of the line behind %q, have that of the file: the cell may be cut and is left out", clip(cells[last]))
	return true
}

// summary reads the categories of Allocations, as the detail Statistics has them.
func (c *copied) summary() error {
	category := c.find([]string{"Category"})
	columns := [...]int{c.find(persistentBytes), c.find(persistentCount), c.find(totalBytes), c.find(totalCount)}
	for cells := c.next(); cells != nil; cells = c.next() {
		if c.cut(cells) {
			cells = cells[:len(cells)-1]
		} else if slices.Max(columns[:]) >= len(cells) {
			c.b.Problems.Add(c.l.Pos(len(c.l.Bytes())+1), "want %d columns, have %d", len(c.names), len(cells))
		}
		if category >= len(cells) {
			c.b.Problems.Add(c.l.Pos(1), "want a category in column %d, have %d columns", category+1, len(cells))
			continue
		}
		site := table.Site{Line: c.l.Line()}
		for i, v := range [...]*table.Int{&site.LiveBytes, &site.LiveCount, &site.TotalBytes, &site.TotalCount} {
			*v = c.figure(cells, columns[i], i%2 == 0)
		}
		writeStatistics(c.b, &c.words, string(bytes.TrimSpace(cells[category])), site)
	}
	return nil
}

// figure reads a cell; one that is not there or empty is not known.
func (c *copied) figure(cells [][]byte, column int, size bool) table.Int {
	if column < 0 || column >= len(cells) || len(strings.Trim(string(cells[column]), blanks)) == 0 {
		return table.Int{}
	}
	q := quantityOf(cells[column], c.mark)
	if f, known := factors[q.unit]; q.ok && known && (size || q.unit == "") {
		if v := q.times(f); v.OK {
			return v
		}
	}
	want := map[bool]string{true: "a size with a unit of bytes", false: "a count"}[size]
	c.b.Problems.Add(c.l.Pos(place(cells, column)), "want %s, have %q", want, clip(cells[column]))
	return table.Int{}
}

// place is where a cell begins in its line.
func place(cells [][]byte, column int) int {
	at := 1
	for _, cell := range cells[:column] {
		at += len(cell) + 1
	}
	return at
}

// aggregate begins the names of rows that add up others.
const aggregate = "All "

// writeStatistics makes the rows of a category of allocations: a site, or samples where it adds up others. Of these "All
// Heap & Anonymous VM" is that of the process.
func writeStatistics(b *table.Builder, w *words, category string, site table.Site) {
	name := table.Null
	if category != "" {
		name = b.Text(category)
	}
	switch {
	case !strings.HasPrefix(category, aggregate):
		site.Class = name
		b.Site(site)
	case category == "All Heap & Anonymous VM":
		w.samples(b, w.process, w.empty, site)
	default:
		w.samples(b, w.category, name, site)
	}
}

// samples writes what is known of a sum.
func (w *words) samples(b *table.Builder, scope, name table.Sym, s table.Site) {
	for _, m := range [...]struct {
		metric table.Sym
		value  table.Int
	}{{w.liveBytes, s.LiveBytes}, {w.liveCount, s.LiveCount}, {w.totalBytes, s.TotalBytes}, {w.totalCount, s.TotalCount}} {
		if m.value.OK {
			b.Add(table.Sample{Scope: scope, Name: name, Metric: m.metric, Value: m.value.V, Line: s.Line})
		}
	}
}
