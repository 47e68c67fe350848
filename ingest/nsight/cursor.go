package nsight

import (
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

// column is what a row group has of a column: numbers or texts, and which rows have none.
type column struct {
	ints  []int64
	texts []string
	null  []bool
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
	if col := &c.cols[c.places[i]]; c.i < len(col.ints) && !col.null[c.i] {
		return table.Known(col.ints[c.i])
	}
	return table.Int{}
}

func (c *cursor) text(i int) []byte {
	if c.places[i] < 0 {
		return nil
	}
	if col := &c.cols[c.places[i]]; c.i < len(col.texts) && !col.null[c.i] {
		return []byte(col.texts[c.i])
	}
	return nil
}
