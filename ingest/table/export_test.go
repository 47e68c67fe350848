package table_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/ingest/table/export"
	"github.com/parquet-go/parquet-go"
)

func same(t *testing.T, what string, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range want {
		if g, w := strings.Join(got[i], "|"), strings.Join(want[i], "|"); g != w {
			t.Fatalf("%s: row %d is\n%s, want\n%s", what, i, g, w)
		}
	}
}

func TestArrowRoundTrip(t *testing.T) {
	s := table.Everything()
	for id := table.ID(0); id < table.NumTables; id++ {
		name := table.Schemas[id].Name
		if s.Batches(id) < 2 {
			t.Errorf("%s: the test wants several batches, has %d", name, s.Batches(id))
		}
		path := writeArrow(t, s, id)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ipc.NewFileReader(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !r.Schema().Equal(table.ArrowSchema(id)) {
			t.Errorf("%s: schema %v", name, r.Schema())
		}
		var got [][]string
		for i := range r.NumRecords() {
			record, err := r.Record(i)
			if err != nil {
				t.Fatalf("%s: batch %d: %v", name, i, err)
			}
			got = append(got, arrowCells(t, record)...)
		}
		same(t, name, got, table.Cells(s, id))
		r.Close()
		f.Close()
	}
}

func writeArrow(t *testing.T, s *table.Set, id table.ID) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), table.Schemas[id].Name+".arrow")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Arrow(s, f, id); err != nil {
		t.Fatalf("%s: %v", table.Schemas[id].Name, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func arrowCells(t *testing.T, r arrow.Record) [][]string {
	out := make([][]string, r.NumRows())
	for i := range out {
		out[i] = make([]string, r.NumCols())
		for c := range out[i] {
			col := r.Column(c)
			switch {
			case col.IsNull(i):
				out[i][c] = "-"
			case col.DataType().ID() == arrow.DICTIONARY:
				d := col.(*array.Dictionary)
				out[i][c] = d.Dictionary().(*array.String).Value(d.GetValueIndex(i))
			case col.DataType().ID() == arrow.INT64:
				out[i][c] = fmt.Sprint(col.(*array.Int64).Value(i))
			case col.DataType().ID() == arrow.UINT64:
				out[i][c] = fmt.Sprint(col.(*array.Uint64).Value(i))
			default:
				t.Fatalf("column %d is of type %v", c, col.DataType())
			}
		}
	}
	return out
}

// TestParquetRoundTrip reads with a reader that is not Arrow's.
func TestParquetRoundTrip(t *testing.T) {
	s := table.Everything()
	for id := table.ID(0); id < table.NumTables; id++ {
		name := table.Schemas[id].Name
		var w bytes.Buffer
		if err := export.Parquet(s, &w, id); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(w.Bytes()), int64(w.Len()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkParquetSchema(t, f.Schema(), id)
		same(t, name, parquetCells(t, f), table.Cells(s, id))
	}
}

func checkParquetSchema(t *testing.T, got *parquet.Schema, id table.ID) {
	t.Helper()
	fields := got.Fields()
	if len(fields) != len(table.Schemas[id].Columns) {
		t.Fatalf("%s: %d columns", table.Schemas[id].Name, len(fields))
	}
	types := map[table.Kind]string{table.Int64: "INT64", table.Uint64: "INT(64,false)", table.String: "STRING"}
	for i, c := range table.Schemas[id].Columns {
		kind := fields[i].Type().String()
		ok := kind == types[c.Kind] || c.Kind == table.Int64 && kind == "INT(64,true)"
		if fields[i].Name() != c.Name || fields[i].Optional() != c.Nullable || !ok {
			t.Errorf("%s.%s is %s %s, optional %v", table.Schemas[id].Name, c.Name, fields[i].Name(), kind, fields[i].Optional())
		}
	}
}

func parquetCells(t *testing.T, f *parquet.File) [][]string {
	var out [][]string
	unsigned := map[int]bool{}
	for i, field := range f.Schema().Fields() {
		unsigned[i] = field.Type().String() == "INT(64,false)"
	}
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 128)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				line := make([]string, len(row))
				for _, v := range row {
					switch {
					case v.IsNull():
						line[v.Column()] = "-"
					case v.Kind() == parquet.ByteArray:
						line[v.Column()] = string(v.ByteArray())
					case unsigned[v.Column()]:
						line[v.Column()] = fmt.Sprint(v.Uint64())
					default:
						line[v.Column()] = fmt.Sprint(v.Int64())
					}
				}
				out = append(out, line)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return out
}

// TestExportsAreDeterministic: the same rows give the same bytes, whatever else the run holds.
func TestExportsAreDeterministic(t *testing.T) {
	a, b := table.Everything(), table.Everything()
	for id := table.ID(0); id < table.NumTables; id++ {
		var x, y bytes.Buffer
		if err := export.Parquet(a, &x, id); err != nil {
			t.Fatal(err)
		}
		if err := export.Parquet(b, &y, id); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Errorf("%s: Parquet differs", table.Schemas[id].Name)
		}
		if !bytes.Equal(read(t, writeArrow(t, a, id)), read(t, writeArrow(t, b, id))) {
			t.Errorf("%s: Arrow differs", table.Schemas[id].Name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestEmptyTables: a table without rows is a valid file without rows.
func TestEmptyTables(t *testing.T) {
	s := table.Assemble(nil)
	for id := table.ID(0); id < table.NumTables; id++ {
		var w bytes.Buffer
		if err := export.Parquet(s, &w, id); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(w.Bytes()), int64(w.Len()))
		if err != nil || f.NumRows() != 0 {
			t.Errorf("%s: %v", table.Schemas[id].Name, err)
		} else {
			checkParquetSchema(t, f.Schema(), id)
		}
		in, err := ipc.NewFileReader(bytes.NewReader(read(t, writeArrow(t, s, id))))
		if err != nil || in.NumRecords() != 0 {
			t.Errorf("%s: %v", table.Schemas[id].Name, err)
		}
	}
}

// full is a disk with room for n bytes.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestParquetOnAFullDisk(t *testing.T) {
	s := table.Everything()
	for _, room := range []int{0, 3, 4, 100, 3000} {
		if err := export.Parquet(s, &full{room}, table.Samples); err != io.ErrShortWrite {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}
