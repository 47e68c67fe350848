package arrowipc

import (
	"fmt"
	"math/bits"
)

// kind is how the values of a column are read.
type kind uint8

const (
	unread kind = iota // nested, or of a type that no column of an export has: unknown in every row
	nulls
	ints
	floats
	bools
	texts
)

// layout is what a column of a type has in a batch: its buffers, and beside them, where it is a view, those that the batch
// counts. Types that have no buffers here, unions among them, are not known, and with them no table is read.
type layout struct {
	known   bool
	buffers int
	kind    kind
	views   bool
}

// layouts is by the number of the type (Schema.fbs, union Type) of the Arrow columnar format.
var layouts = [...]layout{
	1:  {known: true, kind: nulls},
	2:  {known: true, buffers: 2, kind: ints},
	3:  {known: true, buffers: 2, kind: floats},
	4:  {known: true, buffers: 3, kind: texts}, // Binary
	5:  {known: true, buffers: 3, kind: texts}, // Utf8
	6:  {known: true, buffers: 2, kind: bools},
	7:  {known: true, buffers: 2},              // Decimal
	8:  {known: true, buffers: 2},              // Date
	9:  {known: true, buffers: 2},              // Time
	10: {known: true, buffers: 2},              // Timestamp
	11: {known: true, buffers: 2},              // Interval
	12: {known: true, buffers: 2},              // List
	13: {known: true, buffers: 1},              // Struct
	15: {known: true, buffers: 2},              // FixedSizeBinary
	16: {known: true, buffers: 1},              // FixedSizeList
	17: {known: true, buffers: 2},              // Map
	18: {known: true, buffers: 2},              // Duration
	19: {known: true, buffers: 3, kind: texts}, // LargeBinary
	20: {known: true, buffers: 3, kind: texts}, // LargeUtf8
	21: {known: true, buffers: 2},              // LargeList
	23: {known: true, buffers: 2, views: true}, // BinaryView
	24: {known: true, buffers: 2, views: true}, // Utf8View
}

// field is a column of a schema, or a part of one.
type field struct {
	layout
	name     string
	width    int // of a value, or of an offset into the text, in bytes
	signed   bool
	children []field
	words    *field // what the numbers of a dictionary column stand for
	id       int64  // of the dictionary
}

// maxDepth is how deep columns may be nested; those of an export are not.
const maxDepth = 16

// schema reads the columns of a table and the name that the metadata gives it.
type schema struct {
	*flat
	left int // bytes that fields may be worth: offsets that point to one place make many of few
}

// read gives the columns. Slots are those of Schema and Field in Schema.fbs.
func (s *schema) read(o object) ([]field, string, error) {
	if o.num(0, 2, 0) != 0 {
		return nil, "", fmt.Errorf("want little-endian values, have big-endian ones")
	}
	fields, err := s.fields(o, 1, 0)
	if err != nil {
		return nil, "", err
	}
	name := ""
	at, n := o.list(2, 4)
	for i := range n {
		if pair := s.object(s.follow(at + 4*i)); !s.bad && string(pair.text(0)) == "table_name" {
			name = string(pair.text(1))
		}
	}
	if s.bad {
		return nil, "", errMetadata
	}
	return fields, name, nil
}

func (s *schema) fields(o object, slot, depth int) ([]field, error) {
	at, n := o.list(slot, 4)
	if n > 0 && depth > maxDepth {
		return nil, fmt.Errorf("want columns nested at most %d deep", maxDepth)
	}
	var out []field
	for i := range n {
		f, err := s.field(s.object(s.follow(at+4*i)), depth)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (s *schema) field(o object, depth int) (f field, err error) {
	name := o.text(0)
	if s.left -= 8 + len(name); s.bad || s.left < 0 {
		return f, errMetadata
	}
	t := int(o.num(2, 1, 0))
	if t < 0 || t >= len(layouts) || !layouts[t].known {
		return f, fmt.Errorf("column %q is of type %d, which is not read", name, t)
	}
	typ, _ := o.child(3)
	f = valuesOf(t, typ)
	if d, ok := o.child(4); ok {
		words := f
		index, _ := d.child(1)
		f = field{layout: layouts[2], width: 4, signed: true}
		if index.flat != nil {
			f = valuesOf(2, index)
		}
		if f.words, f.id = &words, d.num(0, 8, 0); words.kind == unread {
			f.kind = unread
		}
	} else if f.children, err = s.fields(o, 5, depth+1); err != nil {
		return f, err
	}
	f.name = string(name)
	return f, nil
}

// valuesOf reads what a type says of its values: Int has bitWidth and is_signed, FloatingPoint a precision.
func valuesOf(t int, o object) field {
	f := field{layout: layouts[t], width: 4}
	switch {
	case t == 19 || t == 20:
		f.width = 8
	case o.flat == nil:
	case f.kind == ints:
		f.width, f.signed = int(o.num(0, 4, 0)/8), o.num(1, 1, 0) != 0
	case f.kind == floats:
		f.width = 2 << min(max(o.num(0, 2, 0), 0), 2)
	}
	if f.kind == floats && f.width == 2 {
		f.kind = unread
	}
	if f.kind == ints && (f.width < 1 || f.width > 8 || bits.OnesCount(uint(f.width)) != 1) {
		f.width = 8
		f.kind = unread
	}
	return f
}
