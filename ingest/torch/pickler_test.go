package torch

import (
	"bufio"
	"encoding/binary"
	"io"
)

// pickler writes pickles of protocol 4 as Python's does: keys and frames once, then by their number in the memo.
type pickler struct {
	w     *bufio.Writer
	memo  uint32
	known map[string]uint32
	bytes int64
}

func newPickler(w io.Writer) *pickler {
	p := &pickler{w: bufio.NewWriterSize(w, 1<<20), known: map[string]uint32{}}
	p.op(opProto, 4)
	return p
}

func (p *pickler) op(b ...byte) {
	_, _ = p.w.Write(b)
	p.bytes += int64(len(b))
}

func (p *pickler) memoize() uint32 {
	p.op(opMemoize)
	p.memo++
	return p.memo - 1
}

func (p *pickler) get(n uint32) {
	if n < 256 {
		p.op(opBinGet, byte(n))
	} else {
		p.op(opLongBinGet, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
}

func (p *pickler) text(s string) {
	if n, ok := p.known[s]; ok {
		p.get(n)
		return
	}
	p.op(opShortBinUnicode, byte(len(s)))
	p.op([]byte(s)...)
	p.known[s] = p.memoize()
}

func (p *pickler) int(n int64) {
	switch {
	case n >= 0 && n < 256:
		p.op(opBinInt1, byte(n))
	case n >= -1<<31 && n < 1<<31:
		p.op(append([]byte{opBinInt}, binary.LittleEndian.AppendUint32(nil, uint32(n))...)...)
	default:
		p.op(append([]byte{opLong1, 8}, binary.LittleEndian.AppendUint64(nil, uint64(n))...)...)
	}
}

// dict writes the members that fill writes, and gives the number of the dict.
func (p *pickler) dict(fill func()) uint32 { return p.container(opEmptyDict, opSetItems, fill) }
func (p *pickler) list(fill func()) uint32 { return p.container(opEmptyList, opAppends, fill) }

func (p *pickler) container(empty, end byte, fill func()) uint32 {
	p.op(empty)
	n := p.memoize()
	p.op(opMark)
	fill()
	p.op(end)
	return n
}

func (p *pickler) textItem(key, s string)      { p.text(key); p.text(s) }
func (p *pickler) intItem(key string, n int64) { p.text(key); p.int(n) }

// frame writes a frame and gives its number.
func (p *pickler) frame(name, file string, line int64) uint32 {
	return p.dict(func() {
		p.textItem("name", name)
		p.textItem("filename", file)
		p.intItem("line", line)
	})
}

func (p *pickler) stop() {
	p.op(opStop)
	_ = p.w.Flush()
}
