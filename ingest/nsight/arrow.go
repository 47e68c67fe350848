package nsight

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/memtide/memtide/ingest/table"
)

// reader is one file of columns; each shows the wanted ones, which stand in the order of the file, batch by batch.
type reader interface {
	schema() *arrow.Schema
	each(columns []int, visit func(cols []arrow.Array, rows int)) error
}

// newReader opens a file by its ending.
func newReader(r content, ending string, mem memory.Allocator) (reader, error) {
	if ending == ".parquet" {
		return newParquet(r, mem)
	}
	if err := checkBlocks(r); err != nil {
		return nil, err
	}
	f, err := ipc.NewFileReader(r, ipc.WithAllocator(mem))
	return &arrowFile{f}, err
}

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

type arrowFile struct{ r *ipc.FileReader }

func (f *arrowFile) schema() *arrow.Schema { return f.r.Schema() }

func (f *arrowFile) each(columns []int, visit func([]arrow.Array, int)) error {
	for i := range f.r.NumRecords() {
		rec, err := f.r.RecordAt(i)
		if err != nil {
			return err
		}
		show(rec, columns, visit)
		rec.Release()
	}
	return nil
}

func show(rec arrow.Record, columns []int, visit func([]arrow.Array, int)) {
	cols := make([]arrow.Array, len(columns))
	for i, c := range columns {
		cols[i] = rec.Column(c)
	}
	visit(cols, int(rec.NumRows()))
}

// cursor is the current row of a scan.
type cursor struct {
	cols   []arrow.Array
	places []int // of the columns that were asked for, -1 for one that there is not
	i      int
	n      int64
}

func (c *cursor) number() int64 { return c.n }

func (c *cursor) int(i int) table.Int {
	if c.places[i] < 0 || c.cols[c.places[i]].IsNull(c.i) {
		return table.Int{}
	}
	switch a := c.cols[c.places[i]].(type) {
	case *array.Int64:
		return table.Known(a.Value(c.i))
	case *array.Uint64:
		return table.Known(int64(a.Value(c.i)))
	case *array.Int32:
		return table.Known(int64(a.Value(c.i)))
	case *array.Uint32:
		return table.Known(int64(a.Value(c.i)))
	case *array.Int16:
		return table.Known(int64(a.Value(c.i)))
	case *array.Uint16:
		return table.Known(int64(a.Value(c.i)))
	case *array.Int8:
		return table.Known(int64(a.Value(c.i)))
	case *array.Uint8:
		return table.Known(int64(a.Value(c.i)))
	case *array.Boolean:
		if a.Value(c.i) {
			return table.Known(1)
		}
		return table.Known(0)
	}
	return table.Int{}
}

func (c *cursor) text(i int) []byte {
	if c.places[i] < 0 || c.cols[c.places[i]].IsNull(c.i) {
		return nil
	}
	a, k := c.cols[c.places[i]], c.i
	if d, ok := a.(*array.Dictionary); ok {
		a, k = d.Dictionary(), d.GetValueIndex(c.i)
	}
	switch a := a.(type) {
	case *array.String:
		return []byte(a.Value(k))
	case *array.LargeString:
		return []byte(a.Value(k))
	case *array.Binary:
		return a.Value(k)
	}
	return nil
}
