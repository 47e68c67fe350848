package applereport

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtide/memtide/ingest/table"
)

// value is a node of a document; the zero value is one that is not there.
type value struct {
	d *document
	i int32
}

func (v value) ok() bool { return v.d != nil }

func (v value) node() node {
	if v.d == nil {
		return node{}
	}
	return v.d.nodes[v.i]
}

func (v value) offset() int  { return int(v.node().start) }
func (v value) isNull() bool { return string(v.raw()) == "null" }

// raw is the text of the value.
func (v value) raw() []byte {
	if v.d == nil {
		return nil
	}
	n := v.node()
	return v.d.text[n.start:n.end]
}

// get is the value of a key, or of the first key of a path that is there.
func (v value) get(path ...string) value {
	for _, key := range path {
		v = v.member(key)
	}
	return v
}

func (v value) member(key string) value {
	n := v.node()
	if n.kind != '{' {
		return value{}
	}
	for i := v.i + 1; i < n.next; i = v.d.nodes[i+1].next {
		if k := v.d.nodes[i]; string(v.d.text[k.start+1:k.end-1]) == key {
			return value{v.d, i + 1}
		}
	}
	return value{}
}

// each visits the values of an array or an object, with their keys.
func (v value) each(visit func(key, item value)) {
	switch n := v.node(); n.kind {
	case '[':
		for i := v.i + 1; i < n.next; i = v.d.nodes[i].next {
			visit(value{}, value{v.d, i})
		}
	case '{':
		for i := v.i + 1; i < n.next; i = v.d.nodes[i+1].next {
			visit(value{v.d, i}, value{v.d, i + 1})
		}
	}
}

// item is the value at an index of an array.
func (v value) item(index int64) (found value) {
	n := v.node()
	if n.kind != '[' || index < 0 {
		return value{}
	}
	for i := v.i + 1; i < n.next; i = v.d.nodes[i].next {
		if index--; index < 0 {
			return value{v.d, i}
		}
	}
	return value{}
}

// text is the string, or the text of a number; empty for what is neither.
func (v value) text() string {
	raw := v.raw()
	switch {
	case len(raw) == 0 || v.isNull() || v.node().kind == '{' || v.node().kind == '[':
		return ""
	case raw[0] != '"':
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	case bytes.IndexByte(raw, '\\') < 0:
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\uFFFD")
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw[1 : len(raw)-1])
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// int is a whole number, which may stand in quotes.
func (v value) int() table.Int {
	if n, ok := digits(v.raw()); ok {
		return table.Known(n)
	}
	s := v.text()
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return table.Known(n)
	}
	f, err := strconv.ParseFloat(s, 64)
	return table.Int{V: int64(f), OK: err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53}
}

// digits reads up to 18 digits alone.
func digits(s []byte) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for _, c := range s {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// sym numbers the string; Null where there is none.
func (v value) sym(b *table.Builder) table.Sym {
	if raw := v.raw(); len(raw) > 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return b.Sym(raw[1 : len(raw)-1])
	}
	if s := v.text(); s != "" {
		return b.Text(s)
	}
	return table.Null
}

// uint is a number of 64 bits without sign: an address.
func (v value) uint() (uint64, bool) {
	n, err := strconv.ParseUint(v.text(), 10, 64)
	return n, err == nil
}
