package nsight

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// perBatch is how many rows the writers put in a batch: tables of the fixtures take several.
var perBatch int64 = 7

// batches writes a record in several batches; the last of a table without rows is empty.
func batches(r arrow.Record, write func(arrow.Record) error) error {
	for at := int64(0); at == 0 || at < r.NumRows(); at += perBatch {
		if err := write(r.NewSlice(at, min(at+perBatch, r.NumRows()))); err != nil {
			return err
		}
	}
	return nil
}

func arrowFile(options ...ipc.Option) func(io.Writer, arrow.Record) error {
	return func(w io.Writer, r arrow.Record) error {
		var at seeker
		f, err := ipc.NewFileWriter(&at, append(slices.Clip(options), ipc.WithSchema(r.Schema()))...)
		if err != nil {
			return err
		}
		if err := batches(r, f.Write); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		_, err = w.Write(at.Bytes())
		return err
	}
}

func arrowStream(options ...ipc.Option) func(io.Writer, arrow.Record) error {
	return func(w io.Writer, r arrow.Record) error {
		s := ipc.NewWriter(w, append(slices.Clip(options), ipc.WithSchema(r.Schema()))...)
		if err := batches(r, s.Write); err != nil {
			return err
		}
		return s.Close()
	}
}

// seeker tells where it is, which is all that the writer asks.
type seeker struct{ bytes.Buffer }

func (s *seeker) Seek(int64, int) (int64, error) { return int64(s.Len()), nil }

// inWords gives the texts of a record as words of dictionaries.
func inWords(r arrow.Record) arrow.Record {
	fields, cols := slices.Clone(r.Schema().Fields()), slices.Clone(r.Columns())
	for i, c := range cols {
		text, ok := c.(*array.String)
		if !ok {
			continue
		}
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, typ).(*array.BinaryDictionaryBuilder)
		for k := range text.Len() {
			if text.IsNull(k) {
				b.AppendNull()
			} else if err := b.AppendString(text.Value(k)); err != nil {
				panic(err)
			}
		}
		fields[i].Type, cols[i] = typ, b.NewArray()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, r.NumRows())
}

// named is a record whose schema tells the name of its table.
func named(name string, r arrow.Record) arrow.Record {
	m := arrow.NewMetadata([]string{"by", "table_name"}, []string{"test", name})
	return array.NewRecord(arrow.NewSchema(r.Schema().Fields(), &m), r.Columns(), r.NumRows())
}

// arrows writes a database as `nsys export --type arrow` does.
func arrows(t testing.TB, data []byte, options ...ipc.Option) []byte {
	t.Helper()
	var buf bytes.Buffer
	eachTable(t, data, func(name string, r arrow.Record) {
		if err := arrowStream(options...)(&buf, named(name, r)); err != nil {
			t.Fatal(err)
		}
	})
	return buf.Bytes()
}

// TestArrow: the tables of one stream give the rows of the database.
func TestArrow(t *testing.T) {
	for _, name := range []string{"memory", "calls-2022", "bad-values"} {
		for kind, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
			data := fixture(t, "nsys-sqlite/"+name+".sqlite")
			stream := arrows(t, data, options...)
			if !SniffArrow(stream[:min(len(stream), 1<<16)]) {
				t.Errorf("%s %s is not claimed", name, kind)
			}
			sameRows(t, name+" "+kind, decodeBytes(t, DecodeArrow, "x", stream), data)
		}
	}
}

// TestCorpusArrow: real exports to SQLite, written as Arrow, give the same rows.
func TestCorpusArrow(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range truths {
		if !seen[c.file] {
			data := corpus(t, c.file)
			sameRows(t, c.file, decodeBytes(t, DecodeArrow, "x", arrows(t, data, ipc.WithZstd())), data)
		}
		seen[c.file] = true
	}
}

// TestArrowInPieces: a table may come in several streams.
func TestArrowInPieces(t *testing.T) {
	data := fixture(t, "nsys-sqlite/memory.sqlite")
	var buf bytes.Buffer
	eachTable(t, data, func(name string, r arrow.Record) {
		for at := int64(0); at == 0 || at < r.NumRows(); at += 5 {
			if err := arrowStream()(&buf, named(name, r.NewSlice(at, min(at+5, r.NumRows())))); err != nil {
				t.Fatal(err)
			}
		}
	})
	sameRows(t, "pieces", decodeBytes(t, DecodeArrow, "x", buf.Bytes()), data)
}

// TestArrowCut: tables before the end are read, and the loss is told, wherever the file is cut.
func TestArrowCut(t *testing.T) {
	whole := arrows(t, fixture(t, "nsys-sqlite/memory.sqlite"))
	want := decodeBytes(t, DecodeArrow, "x", whole)
	rows := 0
	for cut := len(whole) - 1; cut > 0; cut -= 97 {
		r := decodeBytes(t, DecodeArrow, "x", whole[:cut])
		if r.err == nil && len(r.problems) <= len(want.problems) && printout(r) != printout(want) {
			t.Errorf("cut after %d of %d bytes: not told", cut, len(whole))
		}
		for _, rs := range r.tables {
			rows += len(rs)
		}
	}
	if rows == 0 {
		t.Error("nothing is read of a cut file")
	}
}

func TestNoArrow(t *testing.T) {
	r := recordOfText(t, "x")
	for _, c := range []struct {
		write func(io.Writer, arrow.Record) error
		r     arrow.Record
		want  string
	}{
		{arrowStream(), r, "StringIds"},
		{arrowStream(), named("other", r), "StringIds"},
		{arrowFile(), r, "StringIds"},
		{func(w io.Writer, r arrow.Record) error { _, err := w.Write([]byte("text")); return err }, r, "byte 0"},
	} {
		var buf bytes.Buffer
		if err := c.write(&buf, c.r); err != nil {
			t.Fatal(err)
		}
		if have := decodeBytes(t, DecodeArrow, "x", buf.Bytes()); have.err == nil || !strings.Contains(have.err.Error(), c.want) {
			t.Errorf("want an error with %q, have %v", c.want, have.err)
		}
		if SniffArrow(buf.Bytes()) != (c.r.Schema().HasMetadata()) {
			t.Errorf("claimed: %q", buf.Bytes()[:8])
		}
	}
}

func recordOfText(t *testing.T, values ...string) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "value", Type: arrow.BinaryTypes.String}}, nil))
	b.Field(0).(*array.StringBuilder).AppendValues(values, nil)
	return b.NewRecord()
}

func FuzzArrow(f *testing.F) {
	data := fixture(f, "nsys-sqlite/calls-2022.sqlite")
	f.Add(arrows(f, data))
	f.Add(arrows(f, data, ipc.WithZstd()))
	f.Add(arrows(f, data, ipc.WithLZ4()))
	f.Fuzz(func(t *testing.T, data []byte) {
		bounded(t, func(_ *source.Input, b *table.Builder) error {
			in, err := source.NewInput("x", bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			return DecodeArrow(in, b)
		}, make([]byte, 1<<17+64*len(data))) // columns of one value take no room
	})
}
