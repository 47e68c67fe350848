package arrowipc

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

var wordType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}

// all has a column of each type that is read, and of some that are not.
var all = arrow.NewSchema([]arrow.Field{
	{Name: "i8", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
	{Name: "u8", Type: arrow.PrimitiveTypes.Uint8, Nullable: true},
	{Name: "i16", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
	{Name: "u16", Type: arrow.PrimitiveTypes.Uint16, Nullable: true},
	{Name: "i32", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "u32", Type: arrow.PrimitiveTypes.Uint32, Nullable: true},
	{Name: "i64", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "u64", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	{Name: "f32", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
	{Name: "f64", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "bool", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "utf8", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "large", Type: arrow.BinaryTypes.LargeString, Nullable: true},
	{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true},
	{Name: "null", Type: arrow.Null, Nullable: true},
	{Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	{Name: "struct", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
	{Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
	{Name: "date", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	{Name: "word", Type: wordType, Nullable: true},
	{Name: "last", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
}, &arrow.Metadata{})

// rows are texts of one cell of every column, which the builder of each parses; "" is null.
var rows = []string{"1", "100", "", "7", "1"}

func record(t testing.TB, values []string) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, all)
	for _, v := range values {
		for i, f := range all.Fields() {
			switch text := v; {
			case v == "":
				b.Field(i).AppendNull()
			case f.Name == "list" || f.Name == "struct" || f.Name == "null":
				b.Field(i).AppendEmptyValue()
			case f.Name == "bytes":
				b.Field(i).(*array.BinaryBuilder).Append([]byte(v))
			default:
				switch f.Name {
				case "bool":
					text = fmt.Sprint(v == "1")
				case "date":
					text = "2024-01-0" + v[:1]
				case "f32", "f64":
					text = v + ".75"
				}
				if err := b.Field(i).AppendValueFromString(text); err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
		}
	}
	return b.NewRecord()
}

type seeker struct{ bytes.Buffer }

func (s *seeker) Seek(int64, int) (int64, error) { return int64(s.Len()), nil }

// stored writes batches as a file or a stream.
func stored(t testing.TB, file bool, batches []arrow.Record, options ...ipc.Option) []byte {
	t.Helper()
	var out seeker
	options = append(options, ipc.WithSchema(batches[0].Schema()))
	var w interface {
		Write(arrow.Record) error
		Close() error
	} = ipc.NewWriter(&out, options...)
	if file {
		f, err := ipc.NewFileWriter(&out, options...)
		if err != nil {
			t.Fatal(err)
		}
		w = f
	}
	for _, r := range batches {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// printed reads all of a file, a line a row.
func printed(data []byte) (string, error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	var w strings.Builder
	for _, t := range f.Tables {
		fmt.Fprintln(&w, t.Name, t.Columns)
		columns := make([]int, len(t.Columns))
		for i := range columns {
			columns[i] = i
		}
		if e := t.Each(columns, func(cols []*Column, rows int) {
			for i := range rows {
				for _, c := range cols {
					if v, ok := c.Int(i); ok {
						fmt.Fprintf(&w, "%d ", v)
					} else if s := c.Text(i); s != nil {
						fmt.Fprintf(&w, "%q ", s)
					} else {
						w.WriteString("? ")
					}
				}
				w.WriteByte('\n')
			}
		}); e != nil {
			err = e
		}
	}
	return w.String(), err
}

// forms are the ways in which the same rows are stored.
func forms(t testing.TB, batches ...arrow.Record) map[string][]byte {
	return map[string][]byte{
		"file":        stored(t, true, batches),
		"file lz4":    stored(t, true, batches, ipc.WithLZ4()),
		"file zstd":   stored(t, true, batches, ipc.WithZstd()),
		"stream":      stored(t, false, batches),
		"stream lz4":  stored(t, false, batches, ipc.WithLZ4()),
		"stream zstd": stored(t, false, batches, ipc.WithZstd()),
	}
}

func TestTypes(t *testing.T) {
	want := ` [i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool utf8 large bytes null list struct view date word last]
1 1 1 1 1 1 1 1 1 1 1 "1" "1" "1" ? ? ? ? ? "1" 1 
100 100 100 100 100 100 100 100 100 100 0 "100" "100" "100" ? ? ? ? ? "100" 100 
? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? 
7 7 7 7 7 7 7 7 7 7 0 "7" "7" "7" ? ? ? ? ? "7" 7 
1 1 1 1 1 1 1 1 1 1 1 "1" "1" "1" ? ? ? ? ? "1" 1 
`
	for kind, data := range forms(t, record(t, rows)) {
		if have, err := printed(data); err != nil || have != want {
			t.Errorf("%s: %v\n%s", kind, err, have)
		}
	}
}

// TestBatches: several batches, empty ones too, with dictionaries that are replaced or added to.
func TestBatches(t *testing.T) {
	want, err := printed(stored(t, false, []arrow.Record{record(t, append(append(rows, "3", "4"), rows...))}))
	if err != nil {
		t.Fatal(err)
	}
	batches := []arrow.Record{record(t, rows), record(t, nil), record(t, []string{"3"}), record(t, []string{"4"}), record(t, rows)}
	for kind, data := range map[string][]byte{
		"stream": stored(t, false, batches),
		"lz4":    stored(t, false, batches, ipc.WithLZ4()),
		"zstd":   stored(t, false, batches, ipc.WithZstd()),
	} {
		if have, err := printed(data); err != nil || have != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", kind, err, have, want)
		}
	}
	delta := []arrow.Record{wordsOf(t, "a", "b"), wordsOf(t, "a", "b", "c"), wordsOf(t, "a", "b", "c", "", "d")}
	have, err := printed(stored(t, false, delta, ipc.WithDictionaryDeltas(true)))
	if want := " [word]\n" + strings.NewReplacer(" ", " \n", "_", "?").Replace(`"a" "b" "a" "b" "c" "a" "b" "c" _ "d" `); err != nil || have != want {
		t.Errorf("deltas: %v\n%s", err, have)
	}
}

func wordsOf(t *testing.T, values ...string) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "word", Type: wordType, Nullable: true}}, nil))
	for _, v := range values {
		if v == "" {
			b.Field(0).AppendNull()
		} else if err := b.Field(0).AppendValueFromString(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewRecord()
}

// TestOldFrames: before 0.15, messages began with their length.
func TestOldFrames(t *testing.T) {
	data := stored(t, false, []arrow.Record{record(t, rows)})
	want, err := printed(data)
	if err != nil {
		t.Fatal(err)
	}
	f, open := &File{r: bytes.NewReader(data), size: int64(len(data))}, (*Table)(nil)
	var old []byte
	for at := int64(0); at < f.size; {
		m, err := f.next(at, open)
		if err != nil {
			t.Fatal(err)
		}
		old = append(old, data[at+4:m.body+m.size]...)
		at, open = m.body+m.size, f.Tables[0]
	}
	if have, err := printed(old); err != nil || have != want {
		t.Errorf("%v\n%s", err, have)
	}
}

// TestOtherTypes: a table that cannot be read is refused by the name of the column.
func TestOtherTypes(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "odd", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64)}}, nil))
	if _, err := printed(stored(t, false, []arrow.Record{b.NewRecord()})); err == nil || err.Error() != `byte 0: column "odd" is of type 22, which is not read` {
		t.Error(err)
	}
}

func TestWhole(t *testing.T) {
	for v, want := range map[float64]int64{2.9: 2, -2.9: -2, 1e300: math.MaxInt64, -1e300: math.MinInt64, math.Inf(1): math.MaxInt64} {
		if have, ok := whole(v); !ok || have != want {
			t.Errorf("%g is %d", v, have)
		}
	}
	if _, ok := whole(math.NaN()); ok {
		t.Error("NaN is a number")
	}
}

// TestConstant: a column of one value packs 80 times and more, among others that do not.
func TestConstant(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "start", Type: arrow.PrimitiveTypes.Int64}, {Name: "kind", Type: arrow.PrimitiveTypes.Int64}}, nil))
	x := int64(1)
	for range 500_000 {
		x += 1000 + x*2654435761%997
		b.Field(0).(*array.Int64Builder).Append(x)
		b.Field(1).(*array.Int64Builder).Append(2)
	}
	for kind, data := range forms(t, b.NewRecord()) {
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		if err := f.Tables[0].Each([]int{1}, func(cols []*Column, rows int) {
			for i := range rows {
				v, _ := cols[0].Int(i)
				sum += v
			}
		}); err != nil || sum != 1_000_000 {
			t.Errorf("%s of %d bytes: %d, %v", kind, len(data), sum, err)
		}
	}
}

// guarded reads bytes that may be damaged: no panic, no rows and no memory that they are not worth, but for a fixed amount
// that libraries take which unpack.
func guarded(t *testing.T, data []byte, fixed uint64) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	rows, cells := 0, 0
	for _, table := range f.Tables {
		columns := make([]int, len(table.Columns))
		for i := range columns {
			columns[i] = i
		}
		if e := table.Each(columns, func(cols []*Column, n int) {
			rows += n
			for i := range n {
				for _, c := range cols {
					v, _ := c.Int(i)
					cells += int(v&1) + len(c.Text(i))
				}
			}
		}); e != nil {
			err = e
		}
	}
	runtime.ReadMemStats(&after)
	if most := worth*len(data) + leeway*(1+len(data)/16); rows > most {
		t.Errorf("%d rows of %d bytes", rows, len(data))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > fixed+400*uint64(len(data)) {
		t.Errorf("%d bytes took %d of memory", len(data), took)
	}
	return err
}

// step leaves bytes out of the compressed forms, which differ from the others in their buffers only.
func step(kind string) int {
	if strings.Contains(kind, " ") {
		return 3
	}
	return 1
}

// TestEveryCut: a file that is cut anywhere is told to be.
func TestEveryCut(t *testing.T) {
	for kind, data := range forms(t, record(t, rows)) {
		for cut := 0; cut < len(data); cut += step(kind) {
			if err := guarded(t, data[:cut], 1<<18); err == nil {
				t.Errorf("%s cut after %d of %d bytes: not told", kind, cut, len(data))
			}
		}
	}
}

// least is the share of turned bits that is told at least: 0.76 of a stream and 0.59 of a file were. The others are values, padding,
// names, and what of the footer is not read.
func least(kind string) float64 {
	if strings.HasPrefix(kind, "stream") {
		return 0.75
	}
	return 0.58
}

// TestEveryBit: each bit of a file is turned (of every third byte of what is packed). What is still read is rows or an error, and an error names its place.
func TestEveryBit(t *testing.T) {
	for kind, data := range forms(t, wordsOf(t, "a", "b", "", "a"), wordsOf(t, "a", "b")) {
		told, all := 0, 0
		for i := 0; i < len(data); i += step(kind) {
			for bit := range 8 {
				all++
				bad := bytes.Clone(data)
				bad[i] ^= 1 << bit
				if err := guarded(t, bad, 1<<18); err != nil {
					if told++; !strings.HasPrefix(err.Error(), "byte ") {
						t.Errorf("%s: bit %d of byte %d: no place in %q", kind, bit, i, err)
					}
				}
			}
		}
		if share := float64(told) / float64(all); share < least(kind) {
			t.Errorf("%s: %d of %d turned bits are told, %.2f: want %.2f", kind, told, all, share, least(kind))
		}
	}
}

// TestZeros: zeros are no marks of streams that were never begun, one for every four of them.
func TestZeros(t *testing.T) {
	whole := stored(t, false, []arrow.Record{wordsOf(t, "a")})
	for _, data := range [][]byte{make([]byte, 1<<20), append(bytes.Clone(whole), make([]byte, 1<<20)...)} {
		want := fmt.Sprintf("byte %d: want the schema of a table, have the mark at the end of a stream", len(data)-1<<20)
		if _, err := printed(data); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzArrowIPC(f *testing.F) {
	for _, data := range forms(f, record(f, rows)) {
		f.Add(data)
	}
	f.Add(stored(f, false, []arrow.Record{record(f, rows), record(f, rows[:1])}, ipc.WithDictionaryDeltas(true)))
	f.Fuzz(func(t *testing.T, data []byte) {
		Named(data)
		_ = guarded(t, data, 24<<20) // an LZ4 frame of few bytes may ask for blocks of 4 MiB
	})
}
