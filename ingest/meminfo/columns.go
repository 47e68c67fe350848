package meminfo

import (
	"bytes"
)

// maxColumns is more than any Android prints (11).
const maxColumns = 16

// figureOf gives the figure of a column by the two words of its heading, the upper first. Android 4.0 to 4.3 have
// only one word over pss. Pss Clean is an estimate and not stored.
var figureOf = map[string]figure{
	"Pss Total": pss, " Pss": pss, "Pss Clean": none, "Shared Dirty": sharedDirty, "Private Dirty": privateDirty,
	"Shared Clean": sharedClean, "Private Clean": privateClean, "Swapped Dirty": swap, "Swap Dirty": swap, "SwapPss Dirty": swapPSS,
	"Rss Total": rss, "Heap Size": heapSize, "Heap Alloc": heapAlloc, "Heap Free": heapFree,
}

// columns are those of one table. They differ by version, by option and, for swap, by process.
type columns struct {
	figures [maxColumns]figure
	n       int // all of them
	short   int // without those of the heap, which most rows leave blank
	edge    int // where the last one ends; 0 if not known
	short1  int // where the last one before those of the heap ends
}

// headings keeps the two lines that may be the headings of a table until its rule comes.
type headings struct {
	upper, lower []byte
	has          int
}

// note looks at a line that ends in a word; true if it is a heading.
func (h *headings) note(s []byte) bool {
	switch {
	case bytes.HasSuffix(s, []byte(" Heap")) && isHeading(s):
		h.upper, h.has = append(h.upper[:0], s...), 1
		return true
	case h.has == 1 && bytes.HasSuffix(s, []byte(" Free")):
		h.lower, h.has = append(h.lower[:0], s...), 2
		return true
	}
	return false
}

// isHeading tells the upper line of the headings from a label that ends in Heap.
func isHeading(s []byte) bool {
	return bytes.HasPrefix(s, []byte("Pss ")) || bytes.HasPrefix(s, []byte("Shared "))
}

func (h *headings) complete() bool { return h.has == 2 }

// isRule says whether a line is the rule under headings.
func isRule(s []byte) bool {
	if !bytes.HasPrefix(s, []byte("------")) {
		return false
	}
	for _, c := range s {
		if c != '-' && c != ' ' {
			return false
		}
	}
	return len(s) == 6 || bytes.Contains(s, []byte("- "))
}

// rule opens the table whose headings stand above it. Without headings it is that of the App Summary, or nothing.
func (d *decoder) rule(line []byte) {
	if !d.head.complete() {
		return
	}
	if !d.block.open || d.block.table {
		d.bareBlock()
	}
	d.block.table = true
	d.block.columns = d.readColumns()
	d.block.columns.edges(line)
	d.enter(tableRows)
}

// readColumns joins the words of the two lines. Where the upper has fewer, they stand over the last of the lower.
func (d *decoder) readColumns() columns {
	var c columns
	upper, lower := bytes.Fields(d.head.upper), bytes.Fields(d.head.lower)
	d.head.has = 0
	if len(lower) > maxColumns || len(upper) > len(lower) {
		d.b.Problems.Add(d.l.Pos(1), "want the two lines of headings of a table, have %d and %d words", len(upper), len(lower))
		return c
	}
	gap := len(lower) - len(upper)
	for i, word := range lower {
		name := " " + string(word)
		if i >= gap {
			name = string(upper[i-gap]) + name
		}
		f, ok := figureOf[name]
		if !ok {
			d.b.Problems.Count(d.l.Pos(0), "unknown column %q", name)
		}
		c.figures[i] = f
		if f != heapSize && f != heapAlloc && f != heapFree {
			c.short = i + 1
		}
	}
	c.n = len(lower)
	return c
}

// edges finds where the columns end in the rule, to tell a figure that the end of the file cut from a whole one.
func (c *columns) edges(line []byte) {
	k := 0
	for i, ch := range line {
		if ch == '-' && (i+1 == len(line) || line[i+1] != '-') {
			if k++; k == c.short {
				c.short1 = i + 1
			}
			c.edge = i + 1
		}
	}
	if k != c.n {
		c.edge, c.short1 = 0, 0
	}
}
