package torch

import (
	"bytes"
	"io"

	"github.com/memtide/memtide/ingest/source"
)

const (
	windowSize = 1 << 20
	maxToken   = 64 << 20 // bytes of one string or one event; those of real captures have some thousand
	maxIdle    = 100      // reads in a row that give nothing
)

// window is the part of an input that is in memory. It moves on with pos, and what stands before pos is given up.
type window struct {
	in       *source.Input
	r        io.Reader
	buf      []byte
	pos, end int   // unread part of buf
	base     int64 // offset of buf[0] in the input
	eof      bool
	long     bool // a token was longer than maxToken
	err      error
	idle     int

	counted   int   // part of buf whose line ends are counted
	line      int   // ends before counted
	lineStart int64 // offset of the line that counted is in
}

func newWindow(in *source.Input) *window {
	return &window{in: in, r: in.Reader(), buf: make([]byte, min(windowSize, max(4096, 2*len(in.Head)))), line: in.Skip}
}

// more reads on behind end. It is false at the end of the input, at an I/O error, and where a token is too long.
func (w *window) more() bool {
	if w.eof {
		return false
	}
	if w.pos > 0 {
		w.count()
		w.base += int64(w.pos)
		w.counted -= w.pos
		w.end = copy(w.buf, w.buf[w.pos:w.end])
		w.pos = 0
	}
	if w.end == len(w.buf) {
		if w.end >= maxToken {
			w.long = true
			return false
		}
		w.buf = append(w.buf, make([]byte, min(len(w.buf), maxToken-len(w.buf)))...)
	}
	n, err := w.r.Read(w.buf[w.end:])
	w.end += n
	if w.idle++; n > 0 {
		w.idle = 0
	}
	if err == nil && w.idle >= maxIdle {
		err = io.ErrNoProgress
	}
	if err != nil {
		w.eof = true
		if err != io.EOF {
			w.err = err
		}
	}
	return n > 0 || !w.eof
}

// has says whether n more bytes are there, and reads until they are.
func (w *window) has(n int) bool {
	for w.end-w.pos < n {
		if !w.more() {
			return false
		}
	}
	return true
}

// take gives n bytes and goes on behind them; nil if the input ends before. They are valid until the next call.
func (w *window) take(n int) []byte {
	if !w.has(n) {
		return nil
	}
	w.pos += n
	return w.buf[w.pos-n : w.pos]
}

// skip goes on by n bytes, however many; false if the input ends before.
func (w *window) skip(n int64) bool {
	for n > int64(w.end-w.pos) {
		n -= int64(w.end - w.pos)
		w.pos = w.end
		if !w.more() {
			return false
		}
	}
	w.pos += int(n)
	return true
}

// offset is where pos stands in the input.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// count counts the lines up to pos.
func (w *window) count() {
	if w.counted >= w.pos {
		return
	}
	part := w.buf[w.counted:w.pos]
	if n := bytes.Count(part, []byte{'\n'}); n > 0 {
		w.line += n
		w.lineStart = w.base + int64(w.counted+bytes.LastIndexByte(part, '\n')+1)
	}
	w.counted = w.pos
}

// lineNow is the number of the line that pos is in.
func (w *window) lineNow() int {
	w.count()
	return w.line + 1
}

// at gives the place of pos, in a text.
func (w *window) at() source.Pos {
	n := w.lineNow()
	return w.in.At(n, int(w.offset()-w.lineStart)+1)
}
