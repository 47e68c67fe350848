package arrowipc

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
)

// Column holds the values of one column in one batch, as they stand in the file: what it gives is valid until the visit ends.
type Column struct {
	kind    kind
	width   int
	signed  bool
	rows    int
	valid   []byte // a bit for each row that is known; nil: all are
	offsets []byte // of texts
	data    []byte
	words   *words // of a dictionary column: data are numbers of its words
}

// words are the values of a dictionary, in the pieces in which they came.
type words struct {
	pieces []*Column
	ends   []int // rows up to the end of each piece
}

func (w *words) len() int {
	if w == nil || len(w.ends) == 0 {
		return 0
	}
	return w.ends[len(w.ends)-1]
}

func (w *words) at(i int) (*Column, int) {
	p := 0
	if len(w.ends) > 1 {
		p = sort.SearchInts(w.ends, i+1)
	}
	if p > 0 {
		i -= w.ends[p-1]
	}
	return w.pieces[p], i
}

func (c *Column) known(i int) bool {
	return c.kind != unread && c.kind != nulls && i >= 0 && i < c.rows && (c.valid == nil || c.valid[i>>3]>>(i&7)&1 != 0)
}

// Int gives a value as SQLite gives it as an integer: a fraction is cut off, true is 1, and an unsigned number of 64 bits
// keeps its bits. It is false for null and for text.
func (c *Column) Int(i int) (int64, bool) {
	if !c.known(i) {
		return 0, false
	}
	if c.words != nil {
		w, k := c.words.at(int(c.raw(i)))
		return w.Int(k)
	}
	switch c.kind {
	case ints:
		return c.raw(i), true
	case bools:
		return int64(c.data[i>>3] >> (i & 7) & 1), true
	case floats:
		return whole(c.float(i))
	}
	return 0, false
}

// Text gives a text; nil for null and for numbers.
func (c *Column) Text(i int) []byte {
	if !c.known(i) {
		return nil
	}
	if c.words != nil {
		w, k := c.words.at(int(c.raw(i)))
		return w.Text(k)
	}
	if c.kind != texts {
		return nil
	}
	from, to := c.offset(i), c.offset(i+1)
	return c.data[from:to:to]
}

func (c *Column) offset(i int) int64 { return int64(number(c.offsets[i*c.width:], c.width)) }

// raw reads an integer.
func (c *Column) raw(i int) int64 {
	if c.width == 8 {
		return int64(binary.LittleEndian.Uint64(c.data[8*i:]))
	}
	v := number(c.data[i*c.width:], c.width)
	if !c.signed {
		return int64(v)
	}
	shift := 64 - 8*c.width
	return int64(v<<shift) >> shift
}

func (c *Column) float(i int) float64 {
	if c.width == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(c.data[4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(c.data[8*i:]))
}

func whole(v float64) (int64, bool) {
	switch {
	case v != v:
		return 0, false
	case v >= math.MaxInt64:
		return math.MaxInt64, true
	case v <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(v), true
}

// nulls counts the rows that are not known.
func (c *Column) nulls() (n int64) {
	if c.valid == nil {
		return 0
	}
	n = int64(c.rows)
	for _, b := range c.valid[:c.rows/8] {
		n -= int64(bits.OnesCount8(b))
	}
	if rest := c.rows & 7; rest > 0 {
		n -= int64(bits.OnesCount8(c.valid[c.rows/8] << (8 - rest)))
	}
	return n
}
