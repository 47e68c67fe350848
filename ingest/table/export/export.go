// Package export writes tables as files of Arrow IPC and Parquet. It is apart from package table so that reading captures does
// not link what only writing these needs.
package export

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/memtide/memtide/ingest/table"
)

// Arrow writes a table as an Arrow IPC file. All batches share their dictionaries, which is what the file form
// asks for; its footer holds offsets, so w must be a file and no pipe. The error is that of w, or of a batch that was
// not written.
func Arrow(s *table.Set, to io.Writer, t table.ID) error {
	w, ok := to.(io.WriteSeeker)
	if !ok {
		return errors.New("want a file for Arrow IPC, have a pipe")
	}
	out, err := ipc.NewFileWriter(w, ipc.WithSchema(table.ArrowSchema(t)), ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		return err
	}
	for i, r := range s.Records(t) {
		if err := out.Write(r); err != nil {
			return fmt.Errorf("batch %d of %s: %w", i, table.Schemas[t].Name, err)
		}
	}
	return out.Close()
}

// Parquet writes a table as Parquet (zstd), strings as plain UTF-8 columns that any reader knows. The error is that of w, or
// of a batch that was not written.
func Parquet(s *table.Set, to io.Writer, t table.ID) (err error) {
	w := &keeper{w: to}
	defer func() { // the library panics where its first or last bytes cannot be written
		if w.err == nil {
			return
		}
		_ = recover()
		err = w.err
	}()
	schema := plainSchema(t)
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryDefault(true), parquet.WithCreatedBy("memtide"))
	out, err := pqarrow.NewFileWriter(schema, w, props, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return err
	}
	for i, r := range s.Records(t) {
		if err := out.WriteBuffered(plainRecord(schema, r)); err != nil {
			return fmt.Errorf("batch %d of %s: %w", i, table.Schemas[t].Name, err)
		}
	}
	return out.Close()
}

// keeper keeps the first error of a writer.
type keeper struct {
	w   io.Writer
	err error
}

func (k *keeper) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// plainSchema is the schema of a table without dictionaries.
func plainSchema(t table.ID) *arrow.Schema {
	from := table.ArrowSchema(t)
	fields := from.Fields()
	for i := range fields {
		if _, ok := fields[i].Type.(*arrow.DictionaryType); ok {
			fields[i].Type = arrow.BinaryTypes.String
		}
	}
	meta := from.Metadata()
	return arrow.NewSchema(fields, &meta)
}

func plainRecord(schema *arrow.Schema, r arrow.Record) arrow.Record {
	cols := make([]arrow.Array, r.NumCols())
	for i := range cols {
		cols[i] = r.Column(i)
		if d, ok := cols[i].(*array.Dictionary); ok {
			cols[i] = plainStrings(d)
		}
	}
	return array.NewRecord(schema, cols, r.NumRows())
}

func plainStrings(d *array.Dictionary) arrow.Array {
	values := d.Dictionary().(*array.String)
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(d.Len())
	for i := range d.Len() {
		if d.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(values.Value(d.GetValueIndex(i)))
		}
	}
	return b.NewArray()
}
