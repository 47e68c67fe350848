package table

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// arrowTypes are Arrow's types for the kinds of columns.
var arrowTypes = [...]arrow.DataType{
	Int64:  arrow.PrimitiveTypes.Int64,
	Uint64: arrow.PrimitiveTypes.Uint64,
	String: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
}

// ArrowSchema is the Arrow schema of a table, with unit and meaning as the metadata of each field.
func ArrowSchema(t ID) *arrow.Schema {
	var fields []arrow.Field
	for _, c := range Schemas[t].Columns {
		meta := arrow.NewMetadata([]string{"unit", "meaning"}, []string{c.Unit, c.Meaning})
		fields = append(fields, arrow.Field{Name: c.Name, Type: arrowTypes[c.Kind], Nullable: c.Nullable, Metadata: meta})
	}
	meta := arrow.NewMetadata([]string{"memtide.table", "memtide.row"}, []string{Schemas[t].Name, Schemas[t].Row})
	return arrow.NewSchema(fields, &meta)
}

// columnDict is the dictionary of one string column: only the strings that it has, in the order of their rows, so
// that an export is the same whatever else the run held. All batches share it: an Arrow file allows no other.
type columnDict struct {
	index  []int32 // by Sym; -1 is not used
	values arrow.Array
}

func (s *Set) columnDict(t ID, col int) columnDict {
	d := columnDict{index: make([]int32, len(s.strings))}
	for i := range d.index {
		d.index[i] = -1
	}
	build := array.NewStringBuilder(memory.DefaultAllocator)
	defer build.Release()
	seen := map[string]int32{} // files may be numbered twice, and different bytes may be one text
	for _, b := range s.tables[t] {
		for _, y := range b.cols[col].syms {
			if y == Null || d.index[y] >= 0 {
				continue
			}
			text := valid(s.strings[y])
			i, ok := seen[text]
			if !ok {
				i = int32(build.Len())
				seen[text] = i
				build.Append(text)
			}
			d.index[y] = i
		}
	}
	d.values = build.NewArray()
	return d
}

// valid makes a string UTF-8, which every export demands.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Records gives the table as Arrow record batches; numbers are not copied. Bytes that are no UTF-8, which Arrow
// does not allow, become U+FFFD.
func (s *Set) Records(t ID) []arrow.Record {
	schema := ArrowSchema(t)
	dicts := make([]columnDict, len(Schemas[t].Columns))
	for i, c := range Schemas[t].Columns {
		if c.Kind == String {
			dicts[i] = s.columnDict(t, i)
		}
	}
	var out []arrow.Record
	for _, b := range s.tables[t] {
		cols := make([]arrow.Array, len(b.cols))
		for i := range b.cols {
			cols[i] = b.cols[i].array(Schemas[t].Columns[i].Kind, b.n, &dicts[i])
		}
		out = append(out, array.NewRecord(schema, cols, int64(b.n)))
	}
	return out
}

func (v *vector) array(k Kind, n int, d *columnDict) arrow.Array {
	if k == String {
		return v.dictionary(n, d)
	}
	raw := arrow.Int64Traits.CastToBytes(v.ints[:n]) // uint64 has the same bits
	data := array.NewData(arrowTypes[k], n, []*memory.Buffer{v.bitmap(n), memory.NewBufferBytes(raw)}, nil, v.nulls(n), 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func (v *vector) dictionary(n int, d *columnDict) arrow.Array {
	index := make([]int32, n)
	valid := make([]byte, (n+7)/8)
	nulls := 0
	for i, y := range v.syms[:n] {
		if y == Null {
			nulls++
			continue
		}
		index[i] = d.index[y]
		valid[i>>3] |= 1 << (i & 7)
	}
	data := array.NewData(arrow.PrimitiveTypes.Int32, n, []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(index))}, nil, nulls, 0)
	defer data.Release()
	indices := array.MakeFromData(data)
	defer indices.Release()
	return array.NewDictionaryArray(arrowTypes[String], indices, d.values)
}

func (v *vector) bitmap(n int) *memory.Buffer {
	if v.valid == nil {
		return nil
	}
	return memory.NewBufferBytes(v.valid[:(n+7)/8])
}

func (v *vector) nulls(n int) int {
	nulls := 0
	for i := 0; v.valid != nil && i < n; i++ {
		if !v.known(i) {
			nulls++
		}
	}
	return nulls
}
