package nsight

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// textColumns are the columns of the fixtures that hold no integers.
var textColumns = []string{"value", "name", "text", "utcTime", "localTime"}

// exported writes the tables of a database as files of a folder.
func exported(t testing.TB, data []byte, as storage) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	eachTable(t, data, func(name string, r arrow.Record) {
		var buf bytes.Buffer
		if err := as.write(&buf, r); err != nil {
			t.Fatal(err)
		}
		out[name+as.ending] = &fstest.MapFile{Data: buf.Bytes()}
	})
	return out
}

// eachTable shows the tables of a database.
func eachTable(t testing.TB, data []byte, visit func(name string, r arrow.Record)) {
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
	for _, name := range db.names() {
		visit(name, recordOf(t, db, name))
	}
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

// storage writes tables as files of a folder.
type storage struct {
	ending string
	write  func(io.Writer, arrow.Record) error
}

var writers = map[string]storage{
	"parquet":           {".parquet", writeParquet},
	"arrow":             {".arrow", arrowFile()},
	"arrow-lz4":         {".arrow", arrowFile(ipc.WithLZ4())},
	"arrow-zstd":        {".arrow", arrowFile(ipc.WithZstd())},
	"arrow-stream":      {".arrow", arrowStream()},
	"arrow-stream-zstd": {".arrow", arrowStream(ipc.WithZstd())},
	"arrow-words":       {".arrow", func(w io.Writer, r arrow.Record) error { return arrowFile()(w, inWords(r)) }},
	"arrow-words-lz4":   {".arrow", func(w io.Writer, r arrow.Record) error { return arrowStream(ipc.WithLZ4())(w, inWords(r)) }},
}

func writeParquet(w io.Writer, r arrow.Record) error {
	p, err := pqarrow.NewFileWriter(r.Schema(), w, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	if err := p.Write(r); err != nil {
		return err
	}
	return p.Close()
}

func decodeFolder(t testing.TB, fsys fstest.MapFS) result {
	return decodeBytes(t, func(in *source.Input, b *table.Builder) error { return DecodeFolder(fsys, in.Name, b) }, "x", nil)
}

// TestFolder: one export gives the same rows from whatever it is stored in.
func TestFolder(t *testing.T) {
	for kind, w := range writers {
		for _, name := range []string{"memory", "calls-2022", "bad-values"} {
			data := fixture(t, "nsys-sqlite/"+name+".sqlite")
			fsys := exported(t, data, w)
			if have, want := SniffFolder(fsys), "nsys-"+w.ending[1:]+"dir"; have != want {
				t.Errorf("%s as %s: claimed as %q, want %q", name, kind, have, want)
			}
			sameRows(t, name+" as "+kind, decodeFolder(t, fsys), data)
		}
	}
}

// sameRows holds an export against the database that it was made of.
func sameRows(t *testing.T, name string, have result, database []byte) {
	t.Helper()
	want := decodeBytes(t, DecodeSQLite, "x", database)
	if strings.Contains(name, "bad-values") { // its text in the place of a number is 0 for SQLite, as here
		have.problems, want.problems = nil, nil
	}
	if a, b := printout(have), printout(want); a != b {
		t.Errorf("%s differs from the database:\n%s\n%s", name, a, b)
	}
}

// TestFolderDamaged cuts each file, and overwrites parts of it: nothing panics, and what is lost is told.
func TestFolderDamaged(t *testing.T) {
	for kind, w := range writers {
		whole := exported(t, fixture(t, "nsys-sqlite/memory.sqlite"), w)
		for _, name := range []string{"StringIds" + w.ending, memoryTable + w.ending} {
			data := whole[name].Data
			for cut := 0; cut < len(data); cut += 1 + len(data)/9 {
				fsys := maps.Clone(whole)
				fsys[name] = &fstest.MapFile{Data: data[:cut]}
				if r := decodeFolder(t, fsys); r.err == nil && len(r.problems) == 0 {
					t.Errorf("%s: %s cut after %d bytes is not told", kind, name, cut)
				}
				bad := bytes.Clone(data)
				copy(bad[cut:], "\xff\xff\xff\x7f\xff\xff\xff\x7f")
				fsys[name] = &fstest.MapFile{Data: bad}
				decodeFolder(t, fsys)
			}
		}
	}
}

func TestNoFolder(t *testing.T) {
	for _, fsys := range []fstest.MapFS{{}, {"StringIds.arrow": {}}, {"notes.txt": {}}, {"StringIds.parquet/x": {}, "META_DATA_EXPORT.parquet": {}}} {
		if SniffFolder(fsys) != "" {
			t.Errorf("claimed: %v", fsys)
		}
	}
	if r := decodeFolder(t, fstest.MapFS{"notes.txt": {}}); r.err == nil || !strings.Contains(r.err.Error(), "StringIds") {
		t.Error(r.err)
	}
}

func fuzzFolder(f *testing.F, w storage) {
	whole := exported(f, fixture(f, "nsys-sqlite/memory.sqlite"), w)
	f.Add(whole[memoryTable+w.ending].Data)
	f.Add(whole["CUDA_CALLCHAINS"+w.ending].Data)
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := fstest.MapFS{"StringIds" + w.ending: whole["StringIds"+w.ending], runtimeTable + w.ending: whole[runtimeTable+w.ending], memoryTable + w.ending: &fstest.MapFile{Data: data}}
		bounded(t, func(in *source.Input, b *table.Builder) error { return DecodeFolder(fsys, in.Name, b) }, append(data, make([]byte, 1<<17+64*len(data))...)) // columns of one value take no room
	})
}

func FuzzParquet(f *testing.F)  { fuzzFolder(f, writers["parquet"]) }
func FuzzArrowDir(f *testing.F) { fuzzFolder(f, writers["arrow"]) }
