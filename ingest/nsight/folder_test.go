package nsight

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// textColumns are the columns of the fixtures that hold no integers.
var textColumns = []string{"value", "name", "text", "utcTime", "localTime"}

// exported writes the tables of a database as files of a folder.
func exported(t testing.TB, data []byte, ending string, write func(io.Writer, arrow.Record) error) fstest.MapFS {
	t.Helper()
	in, err := source.NewInput("x", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	s, err := spool(in)
	if err != nil {
		t.Fatal(err)
	}
	db, err := openDatabase(s)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	out := fstest.MapFS{}
	for _, name := range db.names() {
		var buf bytes.Buffer
		if err := write(&buf, recordOf(t, db, name)); err != nil {
			t.Fatal(err)
		}
		out[name+ending] = &fstest.MapFile{Data: buf.Bytes()}
	}
	return out
}

func recordOf(t testing.TB, db *database, name string) arrow.Record {
	cols := db.columns(name)
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
		if slices.Contains(textColumns, c) {
			fields[i].Type = arrow.BinaryTypes.String
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	if err := db.scan(query{table: name, columns: cols}, func(r row) {
		for i := range cols {
			switch f := b.Field(i).(type) {
			case *array.Int64Builder:
				if v := r.int(i); v.OK {
					f.Append(v.V)
				} else {
					f.AppendNull()
				}
			case *array.StringBuilder:
				if v := r.text(i); v != nil {
					f.Append(string(v))
				} else {
					f.AppendNull()
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return b.NewRecord()
}

var writers = map[string]func(io.Writer, arrow.Record) error{
	".parquet": func(w io.Writer, r arrow.Record) error {
		p, err := pqarrow.NewFileWriter(r.Schema(), w, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
		if err != nil {
			return err
		}
		if err := p.Write(r); err != nil {
			return err
		}
		return p.Close()
	},
}

func decodeFolder(t testing.TB, fsys fstest.MapFS) result {
	return decodeBytes(t, func(in *source.Input, b *table.Builder) error { return DecodeFolder(fsys, in.Name, b) }, "x", nil)
}

// TestFolder: one export gives the same rows from whatever it is stored in.
func TestFolder(t *testing.T) {
	for ending, write := range writers {
		for _, name := range []string{"memory", "calls-2022", "bad-values"} {
			data := fixture(t, "nsys-sqlite/"+name+".sqlite")
			fsys := exported(t, data, ending, write)
			if !SniffFolder(fsys) {
				t.Errorf("%s%s: not claimed", name, ending)
			}
			have, want := decodeFolder(t, fsys), decodeBytes(t, DecodeSQLite, "x", data)
			if name == "bad-values" { // its text in the place of a number is 0 for SQLite, as here
				have.problems, want.problems = nil, nil
			}
			if a, b := printout(have), printout(want); a != b {
				t.Errorf("%s%s differs from the database:\n%s\n%s", name, ending, a, b)
			}
		}
	}
}

// TestFolderDamaged cuts each file, and overwrites parts of it: nothing panics, and what is lost is told.
func TestFolderDamaged(t *testing.T) {
	for ending, write := range writers {
		whole := exported(t, fixture(t, "nsys-sqlite/memory.sqlite"), ending, write)
		for _, name := range []string{"StringIds" + ending, memoryTable + ending} {
			f := whole[name]
			for cut := 0; cut < len(f.Data); cut += 1 + len(f.Data)/9 {
				fsys := fstest.MapFS{}
				for k, v := range whole {
					fsys[k] = v
				}
				fsys[name] = &fstest.MapFile{Data: f.Data[:cut]}
				decodeFolder(t, fsys)
				bad := bytes.Clone(f.Data)
				copy(bad[cut:], "\xff\xff\xff\x7f\xff\xff\xff\x7f")
				fsys[name] = &fstest.MapFile{Data: bad}
				decodeFolder(t, fsys)
			}
		}
		cut := fstest.MapFS{"StringIds" + ending: whole["StringIds"+ending], "META_DATA_EXPORT" + ending: whole["META_DATA_EXPORT"+ending],
			memoryTable + ending: &fstest.MapFile{Data: whole[memoryTable+ending].Data[:100]}}
		if r := decodeFolder(t, cut); r.err == nil && len(r.problems) == 0 {
			t.Errorf("%s: a cut table is not told", ending)
		}
	}
}

func TestNoFolder(t *testing.T) {
	for _, fsys := range []fstest.MapFS{{}, {"StringIds.arrow": {}}, {"notes.txt": {}}, {"StringIds.parquet/x": {}, "META_DATA_EXPORT.parquet": {}}} {
		if SniffFolder(fsys) {
			t.Errorf("claimed: %v", fsys)
		}
	}
	arrow := fstest.MapFS{"StringIds.arrow": {}, "META_DATA_EXPORT.arrow": {}}
	if r := decodeFolder(t, arrow); !SniffFolder(arrow) || r.err == nil || !strings.Contains(r.err.Error(), "parquetdir") {
		t.Error(r.err)
	}
	if r := decodeFolder(t, fstest.MapFS{"notes.txt": {}}); r.err == nil || !strings.Contains(r.err.Error(), "StringIds") {
		t.Error(r.err)
	}
}

func fuzzFolder(f *testing.F, ending string) {
	whole := exported(f, fixture(f, "nsys-sqlite/memory.sqlite"), ending, writers[ending])
	f.Add(whole[memoryTable+ending].Data)
	f.Add(whole["CUDA_CALLCHAINS"+ending].Data)
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := fstest.MapFS{"StringIds" + ending: whole["StringIds"+ending], runtimeTable + ending: whole[runtimeTable+ending], memoryTable + ending: &fstest.MapFile{Data: data}}
		bounded(t, func(in *source.Input, b *table.Builder) error { return DecodeFolder(fsys, in.Name, b) }, append(data, make([]byte, 1<<17+64*len(data))...)) // columns of one value take no room
	})
}

func FuzzParquet(f *testing.F) { fuzzFolder(f, ".parquet") }
