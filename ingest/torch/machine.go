package torch

import (
	"errors"
	"fmt"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// kind is what a value is.
type kind uint8

const (
	kOther  kind = iota // nothing that a snapshot needs: None, a tuple, bytes, an integer beyond 64 bits
	kFalse              // and kTrue
	kTrue               //
	kInt                // n is the number
	kUint               // n holds the bits of an address from 2^63 on
	kFloat              // n holds the bits
	kPair               // n is a tuple of two small numbers
	kText               // n is a word, or numWords and the number of a text
	kObject             // n is the number of an object
)

type value struct {
	n    int64
	kind kind
}

// shape is what an object turned out to be, once its items were there.
type shape uint8

const (
	sDict  shape = iota // without items so far; n is where it stands
	sList               // without items so far
	sOther              // a dict or list of no interest; n is 1 for one with a True in it
	sRoot
	sEvent // and the other records: n is the number in their store
	sSegment
	sBlock
	sFrame
	sAnnotation
	sHistory // n is the number in histories
	sStack   // a list of frames: n is the number of the stack
	sRange   // a list of records: n is the number of the range
	sLists   // a list of lists: n is the number in lists
	sPair    // a list of two small numbers, as JSON has the tuples of a pickle: n holds both
)

// object is a dict or a list: shape and number in 8 bytes, since a capture has millions.
type object uint64

func newObject(s shape, n int64) object { return object(s)<<56 | object(n)&(1<<56-1) }
func (o object) shape() shape           { return shape(o >> 56) }
func (o object) n() int64               { return int64(o & (1<<56 - 1)) }

// Bounds: a snapshot nests 7 deep, and its writers give at most 1000 items in one piece.
const (
	maxDepth = 1000
	maxStack = 1 << 20
	maxTexts = 1 << 24
)

// machine builds the records of a snapshot out of values that come one after the other, as the virtual machine of
// pickle does, and as a JSON text can be fed to it. Dicts become records as soon as their items are there, so that
// memory holds 40 bytes an event and each distinct stack once.
type machine struct {
	b     *table.Builder
	in    *source.Input
	place func() source.Pos // of the value read last, for problems
	where int64             // of the value read last: a byte in a pickle, a line in a text

	stack   []value
	marks   []int32 // where in stack the items of the containers begin that are being filled
	objects []object
	texts   []string

	records
}

var errStack = errors.New("want a value, have none")

func (m *machine) push(v value) error {
	if len(m.stack) >= maxStack {
		return fmt.Errorf("want at most %d values in one piece", maxStack)
	}
	m.stack = append(m.stack, v)
	return nil
}

func (m *machine) pushText(s []byte) error {
	if w, ok := wordOf[string(s)]; ok {
		return m.push(value{w, kText})
	}
	if len(m.texts) >= maxTexts {
		return fmt.Errorf("want at most %d strings", maxTexts)
	}
	m.texts = append(m.texts, string(s))
	return m.push(value{numWords + int64(len(m.texts)-1), kText})
}

// pushObject begins a dict or a list.
func (m *machine) pushObject(s shape) error {
	m.objects = append(m.objects, newObject(s, m.where))
	return m.push(value{int64(len(m.objects) - 1), kObject})
}

func (m *machine) mark() error {
	if len(m.marks) >= maxDepth {
		return fmt.Errorf("want at most %d levels of nesting", maxDepth)
	}
	m.marks = append(m.marks, int32(len(m.stack)))
	return nil
}

// least is how low the stack may get: items of an outer container stay.
func (m *machine) least() int {
	if n := len(m.marks); n > 0 {
		return int(m.marks[n-1])
	}
	return 0
}

// pop takes the value on top.
func (m *machine) pop() (value, error) {
	if len(m.stack) <= m.least() {
		return value{}, errStack
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// top gives the value on top; it stays.
func (m *machine) top() (value, error) {
	if len(m.stack) <= m.least() {
		return value{}, errStack
	}
	return m.stack[len(m.stack)-1], nil
}

// items takes what stands above the last mark. It is valid until the next push.
func (m *machine) items() ([]value, error) {
	if len(m.marks) == 0 {
		return nil, errors.New("want a mark, have none")
	}
	from := m.least()
	m.marks = m.marks[:len(m.marks)-1]
	items := m.stack[from:]
	m.stack = m.stack[:from]
	return items, nil
}

// last takes the n values on top as items.
func (m *machine) last(n int) ([]value, error) {
	if len(m.stack)-n < m.least() {
		return nil, errStack
	}
	items := m.stack[len(m.stack)-n:]
	m.stack = m.stack[:len(m.stack)-n]
	return items, nil
}

// container gives the object on top, which items are put into.
func (m *machine) container() (*object, error) {
	v, err := m.top()
	if err != nil {
		return nil, err
	}
	if v.kind != kObject {
		return nil, errors.New("want a list or dict to put items into, have another value")
	}
	return &m.objects[v.n], nil
}

// text gives a string; empty for another value.
func (m *machine) text(v value) string {
	switch {
	case v.kind != kText:
		return ""
	case v.n < numWords:
		return words[v.n]
	case v.n-numWords < int64(len(m.texts)):
		return m.texts[v.n-numWords]
	}
	return ""
}

// shapeOf is the shape of a value, and its number; sOther for one that is no object.
func (m *machine) shapeOf(v value) (shape, int64) {
	if v.kind != kObject {
		return sOther, 0
	}
	o := m.objects[v.n]
	return o.shape(), o.n()
}

// unwind closes what is open where a capture was cut: lists take what was read for them; a dict that was being read is
// dropped, but for the outermost.
func (m *machine) unwind() {
	if v, err := m.top(); err == nil && len(m.stack) > 1 {
		if s, _ := m.shapeOf(v); s == sDict {
			m.stack = m.stack[:len(m.stack)-1]
		}
	}
	for len(m.marks) > 0 {
		items, _ := m.items()
		o, err := m.container()
		switch {
		case err != nil:
			continue
		case o.shape() == sDict || o.shape() == sRoot:
			if len(m.stack) > 1 {
				m.stack = m.stack[:len(m.stack)-1]
				continue
			}
			m.cutIn(items)
			_ = m.set(o, items[:len(items)&^1])
		default:
			m.segmentsCut = m.segmentsCut || len(m.stack) == 1
			_ = m.extend(o, items)
		}
	}
}

// cutIn notes which part of the outermost dict was being read.
func (m *machine) cutIn(items []value) {
	last := len(items) - 1
	if last >= 0 && len(items)&1 == 0 {
		last--
	}
	m.segmentsCut = len(items) < 2
	if last >= 0 && items[last].kind == kText {
		m.segmentsCut = m.segmentsCut || items[last].n == wSegments
		m.tracesCut = items[last].n == wTraces
	}
}
