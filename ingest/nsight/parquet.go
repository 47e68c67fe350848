package nsight

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// parquetFile reads a Parquet file column by column. Note: the record reader of the library works on goroutines of its
// own, where its panics on damaged files end the program.
type parquetFile struct {
	f    *file.Reader
	s    *arrow.Schema
	mem  memory.Allocator
	size int64
	most int64 // rows that are read: columns that hold one value take no room, whatever their length
}

var errNoParquet = errors.New("want a Parquet file, have columns beyond its end: it is cut or damaged")

func newParquet(r content, mem memory.Allocator) (reader, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	f, err := file.NewParquetReader(r, file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		return nil, err
	}
	p := &parquetFile{f: f, mem: mem, size: size, most: 64*size + 1<<16}
	var fields []arrow.Field
	for i := range f.MetaData().Schema.NumColumns() {
		fields = append(fields, arrow.Field{Name: f.MetaData().Schema.Column(i).Name(), Type: arrow.Null})
	}
	p.s = arrow.NewSchema(fields, nil)
	return p, nil
}

func (p *parquetFile) schema() *arrow.Schema { return p.s }

func (p *parquetFile) each(columns []int, visit func([]arrow.Array, int)) error {
	for g := range p.f.NumRowGroups() {
		rows := -1
		var cols []arrow.Array
		for _, c := range columns {
			a, err := p.column(p.f.RowGroup(g), c)
			if err != nil {
				return err
			}
			if rows < 0 {
				rows = a.Len()
			}
			rows = min(rows, a.Len())
			cols = append(cols, a)
		}
		if p.most -= int64(max(rows, 0)); p.most < 0 {
			return errNoParquet
		}
		visit(cols, max(rows, 0))
	}
	return nil
}

// column reads a column of a row group.
func (p *parquetFile) column(g *file.RowGroupReader, c int) (arrow.Array, error) {
	chunk, err := g.MetaData().ColumnChunk(c)
	if err != nil {
		return nil, err
	}
	if n, at := chunk.TotalCompressedSize(), chunk.DataPageOffset(); n < 0 || at < 0 || n > p.size || at > p.size || g.NumRows() > p.most {
		return nil, errNoParquet
	}
	r, err := g.Column(c)
	if err != nil {
		return nil, err
	}
	if r.Descriptor().MaxRepetitionLevel() > 0 {
		return array.NewNull(int(g.NumRows())), nil
	}
	level := r.Descriptor().MaxDefinitionLevel()
	numbers, texts := array.NewInt64Builder(p.mem), array.NewStringBuilder(p.mem)
	switch r := r.(type) {
	case *file.Int64ColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, numbers.Append, numbers.AppendNull)
	case *file.Int32ColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, func(v int32) { numbers.Append(int64(v)) }, numbers.AppendNull)
	case *file.BooleanColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, func(v bool) {
			n := int64(0)
			if v {
				n = 1
			}
			numbers.Append(n)
		}, numbers.AppendNull)
	case *file.ByteArrayColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, func(v parquet.ByteArray) { texts.Append(string(v)) }, texts.AppendNull)
		return texts.NewArray(), err
	default:
		return array.NewNull(int(g.NumRows())), nil
	}
	return numbers.NewArray(), err
}

const batch = 4096

// values reads the values of a column; those whose level is below that of the column are not known.
func values[T any](read func(int64, []T, []int16, []int16) (int64, int, error), level int16, most int64, add func(T), null func()) error {
	buf, levels := make([]T, batch), make([]int16, batch)
	for seen := int64(0); ; {
		n, have, err := read(batch, buf, levels, nil)
		if err != nil || n == 0 {
			return err
		}
		if seen += n; seen > most {
			return errNoParquet
		}
		k := 0
		for i := range int(n) {
			switch {
			case level > 0 && levels[i] < level:
				null()
			case k < have:
				add(buf[k])
				k++
			default:
				return errNoParquet
			}
		}
	}
}
