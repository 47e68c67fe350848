package nsight

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/memtide/memtide/ingest/table"
)

// allowance is an allocator that gives up beyond what the size of a file is worth: lengths of compressed columns are
// whatever the file says. Its panic ends in folder.open.
type allowance struct {
	memory.GoAllocator
	left int64
}

// Allocate takes from the allowance.
func (a *allowance) Allocate(n int) []byte {
	if a.left -= int64(n); n < 0 || a.left < 0 {
		panic("columns take more memory than the file is worth")
	}
	return a.GoAllocator.Allocate(n)
}

// Reallocate takes what grows from the allowance.
func (a *allowance) Reallocate(n int, b []byte) []byte {
	if a.left -= int64(max(n-len(b), 0)); n < 0 || a.left < 0 {
		panic("columns take more memory than the file is worth")
	}
	return a.GoAllocator.Reallocate(n, b)
}

// Free gives back.
func (a *allowance) Free(b []byte) { a.left += int64(len(b)) }

// columnar is a table that is stored by column.
type columnar interface {
	names() []string
	// each shows the wanted columns, in the order of their places in names, of one batch of rows after the other.
	each(columns []int, visit func(cols []column, rows int)) error
}

// column is what a batch of rows has of a column. A number or text that is not known is false, or nil.
type column interface {
	Int(row int) (int64, bool)
	Text(row int) []byte
}

// scanColumns visits the rows that a query asks for; at goes on from row to row, over several tables of one name.
func scanColumns(t columnar, q query, at *cursor, visit func(row)) error {
	all := q.columns
	if q.filter != "" {
		all = append(slices.Clone(all), q.filter)
	}
	names := t.names()
	var read []int // in the order of the file, each once
	for i, name := range names {
		if slices.Contains(all, name) && slices.Index(names, name) == i {
			read = append(read, i)
		}
	}
	at.places = at.places[:0]
	for _, c := range all {
		at.places = append(at.places, slices.IndexFunc(read, func(k int) bool { return names[k] == c }))
	}
	in := map[int64]bool{}
	for _, id := range q.in {
		in[id] = true
	}
	return t.each(read, func(cols []column, rows int) {
		at.cols = cols
		for at.i = range rows {
			at.n++
			if q.filter == "" || in[at.int(len(q.columns)).V] && at.int(len(q.columns)).OK {
				visit(at)
			}
		}
	})
}

// cursor is the current row of a scan.
type cursor struct {
	cols   []column
	places []int // of the columns that were asked for, -1 for one that there is not
	i      int
	n      int64
}

func (c *cursor) number() int64 { return c.n }

func (c *cursor) int(i int) table.Int {
	if c.places[i] < 0 {
		return table.Int{}
	}
	if v, ok := c.cols[c.places[i]].Int(c.i); ok {
		return table.Known(v)
	}
	return table.Int{}
}

func (c *cursor) text(i int) []byte {
	if c.places[i] < 0 {
		return nil
	}
	return c.cols[c.places[i]].Text(c.i)
}
