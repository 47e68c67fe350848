package table

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
	"github.com/parquet-go/parquet-go"
)

// full tables: every table has rows, nulls, several batches, and strings that the batches share.
func everything() *Set {
	var parts []builder
	for f := range 2 {
		b := newTest(fmt.Sprintf("f%d", f), "x")
		parts = append(parts, b)
		for k := range 20 {
			b.at(int64(k+100*f)*sec, 1+k*1000)
			everyTable(b, f, k)
		}
	}
	return sets(parts...)
}

func everyTable(b builder, f, k int) {
	b.process(int64(k%2)*7, []string{"", "app"}[k%2])
	text := func(s string, n int) Sym { return b.Text(fmt.Sprintf("%s %d", s, n)) }
	for i := range 500 {
		line := 1 + k*1000 + i
		maybe := Int{int64(i), i%3 == 0}
		b.Add(Sample{Scope: b.Text("pool"), Name: text("name", i%50), Metric: b.Text("live_bytes"), Value: int64(i) - 250, Line: line, Iteration: maybe})
		m := Mapping{Start: 1<<64 - 1 - uint64(i), End: 1<<64 - 1, HasRange: i%2 == 0, Offset: int64(i), Inode: 7, HasFile: i%5 == 0, Path: text("/lib", i%90), Line: line}
		m.Set(MapRSS, int64(i)<<10)
		if i%4 == 0 {
			m.Set(MapSwap, 0)
			m.Perms = b.Text("rw-p")
		}
		b.Map(&m)
		b.Event(Event{Seq: int64(i), TID: maybe, Op: b.Text("alloc"), Class: text("class", i%7), Object: 1<<63 + uint64(i), Size: maybe, Refcount: Int{}, Line: line})
		if i%100 == 0 {
			leaf := b.Frame(Frame{Function: text("func", k*100+i), Module: b.Text("app"), SourceLine: maybe, Address: 1 << 63, HasAddress: k%2 == 0}, line)
			b.Site(Site{Class: text("site", i), Stack: leaf, LiveBytes: Known(int64(i)), TotalCount: maybe, Line: line})
			b.Fault(Fault{Kind: b.Text("crash"), Detail: text("détail \xff", k+f), Stack: leaf, Address: uint64(i), HasAddress: i > 0, Size: maybe, Line: line})
		}
	}
}

// cells gives a table as strings, null as "-".
func cells(s *Set, id ID) [][]string {
	var out [][]string
	for _, b := range s.tables[id] {
		for i := range b.n {
			row := make([]string, len(b.cols))
			for c := range b.cols {
				if row[c] = "-"; b.cols[c].known(i) {
					row[c] = s.cell(Schemas[id].Columns[c].Kind, &b.cols[c], i)
				}
			}
			out = append(out, row)
		}
	}
	return out
}

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
	s := everything()
	for id := ID(0); id < NumTables; id++ {
		name := Schemas[id].Name
		if len(s.tables[id]) < 2 {
			t.Errorf("%s: the test wants several batches, has %d", name, len(s.tables[id]))
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
		if !r.Schema().Equal(ArrowSchema(id)) {
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
		same(t, name, got, cells(s, id))
		r.Close()
		f.Close()
	}
}

func writeArrow(t *testing.T, s *Set, id ID) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), Schemas[id].Name+".arrow")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.WriteArrow(f, id); err != nil {
		t.Fatalf("%s: %v", Schemas[id].Name, err)
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
	s := everything()
	for id := ID(0); id < NumTables; id++ {
		name := Schemas[id].Name
		var w bytes.Buffer
		if err := s.WriteParquet(&w, id); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(w.Bytes()), int64(w.Len()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkParquetSchema(t, f.Schema(), id)
		same(t, name, parquetCells(t, f), cells(s, id))
	}
}

func checkParquetSchema(t *testing.T, got *parquet.Schema, id ID) {
	t.Helper()
	fields := got.Fields()
	if len(fields) != len(Schemas[id].Columns) {
		t.Fatalf("%s: %d columns", Schemas[id].Name, len(fields))
	}
	types := map[Kind]string{Int64: "INT64", Uint64: "INT(64,false)", String: "STRING"}
	for i, c := range Schemas[id].Columns {
		kind := fields[i].Type().String()
		ok := kind == types[c.Kind] || c.Kind == Int64 && kind == "INT(64,true)"
		if fields[i].Name() != c.Name || fields[i].Optional() != c.Nullable || !ok {
			t.Errorf("%s.%s is %s %s, optional %v", Schemas[id].Name, c.Name, fields[i].Name(), kind, fields[i].Optional())
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
	a, b := everything(), everything()
	for id := ID(0); id < NumTables; id++ {
		var x, y bytes.Buffer
		if err := a.WriteParquet(&x, id); err != nil {
			t.Fatal(err)
		}
		if err := b.WriteParquet(&y, id); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Errorf("%s: Parquet differs", Schemas[id].Name)
		}
		if !bytes.Equal(read(t, writeArrow(t, a, id)), read(t, writeArrow(t, b, id))) {
			t.Errorf("%s: Arrow differs", Schemas[id].Name)
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
	s := Assemble(nil)
	for id := ID(0); id < NumTables; id++ {
		var w bytes.Buffer
		if err := s.WriteParquet(&w, id); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(w.Bytes()), int64(w.Len()))
		if err != nil || f.NumRows() != 0 {
			t.Errorf("%s: %v", Schemas[id].Name, err)
		} else {
			checkParquetSchema(t, f.Schema(), id)
		}
		in, err := ipc.NewFileReader(bytes.NewReader(read(t, writeArrow(t, s, id))))
		if err != nil || in.NumRecords() != 0 {
			t.Errorf("%s: %v", Schemas[id].Name, err)
		}
	}
}
