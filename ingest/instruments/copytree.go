package instruments

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// call is a row of a call tree whose children are being read.
type call struct {
	indent      int
	frame       int64
	line        int
	bytes, self table.Int
	count       table.Int
	below       sum // bytes of the children
	belowCount  sum
}

// tree reads a call tree: each leading blank of a symbol is a level, from the indentation of the first row on.
func (c *copied) tree() error {
	weight, self, count := c.find(treeBytes), c.find(treeSelf), c.find(treeCount)
	if weight < 0 {
		return source.Errorf(c.l.Pos(1), "held nothing: want a column Bytes Used, Weight or Persistent Bytes before the symbols, have %q", clip([]byte(c.names[0])))
	}
	var open []call
	for cells := c.next(); cells != nil; cells = c.next() {
		if len(cells) < len(c.names) {
			c.b.Problems.Add(c.l.Pos(1), "want %d columns, have %d", len(c.names), len(cells))
			continue
		}
		if q := quantityOf(cells[weight], c.mark); q.ok && noMemory[q.unit] {
			return source.Errorf(c.l.Pos(place(cells, weight)), "held nothing: want weights in bytes, have %q: copy the call tree of Allocations, not of a profile of time", q.unit)
		}
		symbol := bytes.Join(cells[len(c.names)-1:], []byte(" "))
		name := bytes.TrimLeft(symbol, " ")
		row := call{indent: len(symbol) - len(name), line: c.l.Line(), bytes: c.figure(cells, weight, true), self: c.figure(cells, self, true), count: c.figure(cells, count, false)}
		for len(open) > 0 && open[len(open)-1].indent >= row.indent {
			c.close(&open[len(open)-1])
			open = open[:len(open)-1]
		}
		var parent int64
		if len(open) > 0 {
			p := &open[len(open)-1]
			p.below.add(row.bytes)
			p.belowCount.add(row.count)
			parent = p.frame
		}
		if c.cut(cells) {
			name = nil
		}
		row.frame = c.frame(parent, bytes.TrimSpace(name))
		open = append(open, row)
	}
	for len(open) > 0 {
		c.close(&open[len(open)-1])
		open = open[:len(open)-1]
	}
	return nil
}

// frame is the row as a call; a symbol that is an address has no name.
func (c *copied) frame(parent int64, name []byte) int64 {
	f := table.Frame{Parent: parent}
	if f.Address, f.HasAddress = hexadecimal(name); !f.HasAddress && len(name) > 0 {
		f.Function = c.b.Sym(name)
	}
	return c.b.Frame(f, c.l.Line())
}

// close writes what a row has of its own: by its column of self, else what its children do not have. Rounded figures can
// give children more than their parent: that is nothing of its own.
func (c *copied) close(row *call) {
	own := table.Int{V: max(0, row.bytes.V-row.below.v), OK: row.bytes.OK && !row.below.unknown}
	if row.self.OK {
		own = row.self
	}
	count := table.Int{V: row.count.V - row.belowCount.v, OK: row.count.OK && !row.belowCount.unknown}
	if count.OK && count.V < 0 {
		c.b.Problems.Count(c.l.Pos(0), "want children that have no more allocations than their parent, have more: its own are not known")
		count = table.Int{}
	}
	if count.OK && count.V == 0 || !count.OK && (!own.OK || own.V == 0) {
		return
	}
	c.b.Site(table.Site{Stack: row.frame, LiveBytes: own, LiveCount: count, Line: row.line})
}
