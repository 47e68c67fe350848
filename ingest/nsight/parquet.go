package nsight

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// parquetFile reads a Parquet file column by column. Note: the record reader of the library works on goroutines of its
// own, where its panics on damaged files end the program.
type parquetFile struct {
	f     *file.Reader
	named []string // the columns
	size  int64
	most  int64 // rows that are read: columns that hold one value take no room, whatever their length
}

var errNoParquet = errors.New("want a Parquet file, have columns beyond its end: it is cut or damaged")

func newParquet(r content, mem memory.Allocator) (*parquetFile, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	f, err := file.NewParquetReader(r, file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		return nil, err
	}
	p := &parquetFile{f: f, size: size, most: 64*size + 1<<16}
	for i := range f.MetaData().Schema.NumColumns() {
		p.named = append(p.named, f.MetaData().Schema.Column(i).Name())
	}
	return p, nil
}

func (p *parquetFile) names() []string { return p.named }

// each shows a row group as a batch.
func (p *parquetFile) each(columns []int, visit func(cols []column, rows int)) error {
	for g := range p.f.NumRowGroups() {
		rows := -1
		var cols []column
		for _, k := range columns {
			c, err := p.column(p.f.RowGroup(g), k)
			if err != nil {
				return err
			}
			if rows < 0 {
				rows = len(c.null)
			}
			rows = min(rows, len(c.null))
			cols = append(cols, &c)
		}
		if p.most -= int64(max(rows, 0)); p.most < 0 {
			return errNoParquet
		}
		visit(cols, max(rows, 0))
	}
	return nil
}

// chunk is what a row group has of a column: numbers or texts, and which rows have none.
type chunk struct {
	ints  []int64
	texts []string
	null  []bool
}

// Int gives a number.
func (c *chunk) Int(i int) (int64, bool) {
	if i < len(c.ints) && !c.null[i] {
		return c.ints[i], true
	}
	return 0, false
}

// Text gives a text.
func (c *chunk) Text(i int) []byte {
	if i < len(c.texts) && !c.null[i] {
		return []byte(c.texts[i])
	}
	return nil
}

// column reads a column of a row group. One that is neither of integers nor of text is unknown in all rows.
func (p *parquetFile) column(g *file.RowGroupReader, k int) (c chunk, err error) {
	stated, err := g.MetaData().ColumnChunk(k)
	if err != nil {
		return c, err
	}
	if n, at := stated.TotalCompressedSize(), stated.DataPageOffset(); n < 0 || at < 0 || n > p.size || at > p.size || g.NumRows() < 0 || g.NumRows() > p.most {
		return c, errNoParquet
	}
	r, err := g.Column(k)
	if err != nil {
		return c, err
	}
	if r.Descriptor().MaxRepetitionLevel() > 0 {
		return chunk{null: make([]bool, g.NumRows())}, nil
	}
	level, unknown := r.Descriptor().MaxDefinitionLevel(), func() { c.null = append(c.null, true) }
	number := func(v int64) { c.ints, c.null = append(c.ints, v), append(c.null, false) }
	noNumber := func() { c.ints = append(c.ints, 0); unknown() }
	switch r := r.(type) {
	case *file.Int64ColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, number, noNumber)
	case *file.Int32ColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, func(v int32) { number(int64(v)) }, noNumber)
	case *file.ByteArrayColumnChunkReader:
		err = values(r.ReadBatch, level, p.most, func(v parquet.ByteArray) { c.texts, c.null = append(c.texts, string(v)), append(c.null, false) },
			func() { c.texts = append(c.texts, ""); unknown() })
	default:
		return chunk{null: make([]bool, g.NumRows())}, nil
	}
	return c, err
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
