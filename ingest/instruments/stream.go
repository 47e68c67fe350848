package instruments

import (
	"bytes"
	"io"

	"github.com/memtide/memtide/ingest/source"
)

const (
	chunk = 1 << 20
	// maxToken bounds a tag or a row: the longest of real exports, stacks of some hundred frames, are below 100 kB.
	maxToken = 64 << 20
	maxIdle  = 100 // as bufio has it
)

// stream is a window over the input that tells lines and columns of what stands in it.
type stream struct {
	in       *source.Input
	r        io.Reader
	buf      []byte
	pos, end int // unread part of buf
	eof      bool
	tooLong  bool
	err      error

	line    int // line of buf[counted]
	counted int
	column  int // bytes of that line before buf[counted]
}

func newStream(in *source.Input) *stream {
	return &stream{in: in, r: in.Reader(), buf: make([]byte, min(chunk, max(4096, 2*len(in.Head)))), line: in.Skip + 1}
}

// rest is what is in memory and not yet read.
func (s *stream) rest() []byte { return s.buf[s.pos:s.end] }

// more reads on until the window is full, which doubles for a long token, so that what begins in it is not searched again
// and again. It is false at the end of the input, and where a token is longer than any may be; what was in memory may have
// moved.
func (s *stream) more() bool {
	if s.eof {
		return false
	}
	if s.pos > 0 {
		s.count(s.pos)
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos, s.counted = 0, 0
	}
	if s.end == len(s.buf) {
		if s.end >= maxToken {
			s.eof, s.tooLong = true, true
			return false
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
		s.buf = s.buf[:cap(s.buf)]
	}
	from := s.end
	for idle := 0; s.end < len(s.buf) && !s.eof; {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if idle++; n > 0 {
			idle = 0
		}
		if err == nil && idle >= maxIdle {
			err = io.ErrNoProgress
		}
		s.stop(err)
	}
	return s.end > from
}

// stop ends the reading at an error.
func (s *stream) stop(err error) {
	if err == nil {
		return
	}
	s.eof = true
	if err != io.EOF {
		s.err = err
	}
}

// count moves the known place in lines on to buf[to].
func (s *stream) count(to int) {
	passed := s.buf[s.counted:to]
	if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
		s.line += n
		s.column = len(passed) - 1 - bytes.LastIndexByte(passed, '\n')
	} else {
		s.column += len(passed)
	}
	s.counted = to
}

// here is the line of the next unread byte.
func (s *stream) here() int {
	s.count(s.pos)
	return s.line
}

// at is the position of a part of the window, which must not lie before the place counted last.
func (s *stream) at(part []byte) source.Pos {
	to := cap(s.buf) - cap(part)
	if part == nil || to < s.counted || to > s.end {
		return s.in.At(s.line, s.column+1)
	}
	ahead := *s
	ahead.count(to)
	return s.in.At(ahead.line, ahead.column+1)
}
