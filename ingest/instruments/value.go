package instruments

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/memtide/memtide/ingest/table"
)

// value is what an element says, in eight bytes, since a document of a gigabyte has ten million of them: the kind in the
// upper four bits, a number or an index in the others.
type value uint64

const (
	unset    value = iota << 60 // no such id was met
	void                        // an element from which nothing is taken
	number                      // below 2^60
	huge                        // index into values.huge
	negative                    // its opposite, below 2^60
	text                        // a table.Sym
	process                     // index into values.processes
	thread                      // index into values.threads
	frame                       // index into values.frames
	module                      // a table.Sym
	stack                       // frames.id of the leaf
)

const payload = value(1)<<60 - 1

func (v value) kind() value { return v &^ payload }
func (v value) index() int  { return int(v & payload) }

// processOf, threadOf and frameOf are the composite elements.
type processOf struct {
	pid  table.Int
	name table.Sym
}

type threadOf struct {
	tid     table.Int
	process value
}

type frameOf struct {
	function, module table.Sym
	address          uint64
	hasAddress       bool
}

// values holds what the values of a document stand for. It grows with what is distinct, not with the document.
type values struct {
	b         *table.Builder
	huge      []uint64
	processes interned[processOf]
	threads   interned[threadOf]
	frames    interned[frameOf]
	stacks    map[string]value
	nodes     map[node]int64
	key       []byte
}

// node is a frame called from a row of the table frames.
type node struct {
	parent int64
	frame  int32
}

// interned numbers distinct things.
type interned[T comparable] struct {
	list  []T
	index map[T]int
}

func (x *interned[T]) put(v T) int {
	if i, ok := x.index[v]; ok {
		return i
	}
	if x.index == nil {
		x.index = map[T]int{}
	}
	i := len(x.list)
	x.list = append(x.list, v)
	x.index[v] = i
	return i
}

// leaf gives the value of an element that holds only text. Numbers are those that would be written the same way again.
func (vs *values) leaf(s []byte) value {
	if len(s) > 0 && len(s) < 19 && (s[0] != '0' || len(s) == 1) {
		var n value
		for _, c := range s {
			if c -= '0'; c > 9 {
				return vs.word(s)
			}
			n = n*10 + value(c)
		}
		if n <= payload {
			return number | n
		}
	}
	return vs.word(s)
}

// word is leaf for what is no short number.
func (vs *values) word(s []byte) value {
	s = bytes.TrimSpace(s)
	if len(s) == 0 {
		return void
	}
	if c := s[0]; c == '-' || c >= '1' && c <= '9' || len(s) == 1 {
		if n, err := strconv.ParseUint(string(s), 10, 64); err == nil {
			return vs.unsigned(n)
		}
		if n, err := strconv.ParseInt(string(s), 10, 61); err == nil && c == '-' && n < 0 && n > -int64(payload) {
			return negative | value(-n)
		}
	}
	return text | value(vs.sym(s))
}

func (vs *values) unsigned(n uint64) value {
	if n <= uint64(payload) {
		return number | value(n)
	}
	vs.huge = append(vs.huge, n)
	return huge | value(len(vs.huge)-1)
}

// sym numbers text as it stands in the document.
func (vs *values) sym(s []byte) table.Sym {
	s = unescape(s)
	if !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	return vs.b.Sym(s)
}

// bits is a number of 64 bits without sign: an address or identifier.
func (vs *values) bits(v value) (uint64, bool) {
	switch v.kind() {
	case number:
		return uint64(v & payload), true
	case huge:
		return vs.huge[v.index()], true
	}
	return 0, false
}

// int is a number that may be unknown. The greatest values of 63 and 64 bits stand for "none" in Apple's types of sizes,
// counts and times; what else does not fit is no number either.
func (vs *values) int(v value) table.Int {
	switch v.kind() {
	case number:
		return table.Known(int64(v & payload))
	case negative:
		return table.Known(-int64(v & payload))
	case huge:
		if n := vs.huge[v.index()]; n < math.MaxInt64 {
			return table.Known(int64(n))
		}
	}
	return table.Int{}
}

// id is a process or thread id: 2^31-1 and 2^32-1 stand for "none" too.
func (vs *values) id(v value) table.Int {
	n := vs.int(v)
	if n.V < 0 || n.V >= math.MaxInt32 && (n.V == math.MaxInt32 || n.V >= math.MaxUint32 && v.kind() != huge) {
		return table.Int{}
	}
	return n
}

// text is a string, also where it looks like a number.
func (vs *values) text(v value) table.Sym {
	switch v.kind() {
	case text:
		return table.Sym(v & payload)
	case number:
		return vs.b.Text(strconv.FormatUint(uint64(v&payload), 10))
	case huge:
		return vs.b.Text(strconv.FormatUint(vs.huge[v.index()], 10))
	case negative:
		return vs.b.Text("-" + strconv.FormatUint(uint64(v&payload), 10))
	}
	return table.Null
}

// process is that of a process or of a thread.
func (vs *values) process(v value) processOf {
	if v.kind() == thread {
		v = vs.threads.list[v.index()].process
	}
	if v.kind() == process {
		return vs.processes.list[v.index()]
	}
	return processOf{}
}

// stack gives the stack of frames, leaf first, and writes those of its frames that are new.
func (vs *values) stack(leafFirst []value, line int) value {
	if len(leafFirst) == 0 {
		return void
	}
	vs.key = vs.key[:0]
	for _, v := range leafFirst {
		vs.key = append(vs.key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>60))
	}
	if v, ok := vs.stacks[string(vs.key)]; ok {
		return v
	}
	if vs.stacks == nil {
		vs.stacks, vs.nodes = map[string]value{}, map[node]int64{}
	}
	var id int64
	for i := len(leafFirst) - 1; i >= 0; i-- {
		id = vs.call(id, leafFirst[i], line)
	}
	v := stack | value(id)
	vs.stacks[string(vs.key)] = v
	return v
}

// call is a frame called from another. One that refers to nothing keeps its place, without a name.
func (vs *values) call(parent int64, v value, line int) int64 {
	at := node{parent, -1}
	var f frameOf
	if v.kind() == frame {
		at.frame, f = int32(v.index()), vs.frames.list[v.index()]
	}
	id, ok := vs.nodes[at]
	if !ok {
		id = vs.b.Frame(table.Frame{Parent: parent, Function: f.function, Module: f.module, Address: f.address, HasAddress: f.hasAddress}, line)
		vs.nodes[at] = id
	}
	return id
}

// stackID is frames.id of a stack's leaf; 0 for none.
func (v value) stackID() int64 {
	if v.kind() != stack {
		return 0
	}
	return int64(v & payload)
}
