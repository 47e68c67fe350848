package source

import (
	"bytes"
	"io"
)

const (
	chunkSize = 1 << 20
	// maxLine bounds the memory that a file without line ends can take; the longest lines of real captures are
	// some hundred kilobytes (a check-in row, a JSON record).
	maxLine = 64 << 20
	maxIdle = 100 // as bufio has it
)

// Lines reads an input line by line, modelled on bufio.Scanner but without its limit of 64 KiB: LF, CR LF and
// CR CR LF end a line, as does the end of the input. A line beyond 64 MiB loses its rest, which Input.LongLine tells.
//
//	for l := source.NewLines(in); l.Scan(); { use(l.Bytes()) }
//	return l.Err()
type Lines struct {
	in         *Input
	r          io.Reader
	buf        []byte
	pos, end   int // unread part of buf
	line       []byte
	n          int
	eof, ended bool
	idle       int // reads in a row that gave nothing
	err        error
}

// NewLines starts at the first line of in.
func NewLines(in *Input) *Lines {
	return &Lines{in: in, n: in.Skip, r: in.Reader(), buf: make([]byte, min(chunkSize, max(4096, 2*len(in.Head))))}
}

// Scan goes to the next line. It is false at the end of the input or at an I/O error, which Err tells apart.
func (l *Lines) Scan() bool {
	if l.pos < l.end && l.buf[l.pos] == '\n' { // files may be padded with very many
		l.line, l.ended = l.buf[l.pos:l.pos], true
		l.pos++
		l.n++
		return true
	}
	i := bytes.IndexByte(l.buf[l.pos:l.end], '\n')
	if i < 0 {
		return l.scanMore()
	}
	l.take(l.buf[l.pos:l.pos+i], i+1)
	return true
}

func (l *Lines) take(line []byte, used int) {
	l.pos += used
	l.ended = used > len(line)
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	l.line = line
	l.n++
}

// scanMore fills the buffer until a line end is in it, the input ends, or the line is too long to hold.
func (l *Lines) scanMore() bool {
	for {
		seen := l.end - l.pos
		if l.eof {
			if seen == 0 {
				l.line = nil
				return false
			}
			l.take(l.buf[l.pos:l.end], seen)
			return true
		}
		l.fill()
		if i := bytes.IndexByte(l.buf[l.pos+seen:l.end], '\n'); i >= 0 {
			l.take(l.buf[l.pos:l.pos+seen+i], seen+i+1)
			return true
		}
	}
}

func (l *Lines) fill() {
	if l.pos > 0 {
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.pos = 0
	}
	if l.end == len(l.buf) {
		if l.end >= maxLine {
			l.skipRest()
			return
		}
		l.buf = append(l.buf, make([]byte, min(len(l.buf), maxLine-len(l.buf)))...)
	}
	l.end += l.read(l.buf[l.end:])
}

// read takes more of the input into p. An input that neither gives a byte nor ends is given up.
func (l *Lines) read(p []byte) int {
	n, err := l.r.Read(p)
	if l.idle++; n > 0 {
		l.idle = 0
	}
	if err == nil && l.idle >= maxIdle {
		err = io.ErrNoProgress
	}
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
	return n
}

// skipRest drops what a line has beyond maxLine.
func (l *Lines) skipRest() {
	if l.in.LongLine == 0 {
		l.in.LongLine = l.n + 1
	}
	scratch := make([]byte, chunkSize)
	for !l.eof {
		n := l.read(scratch)
		if i := bytes.IndexByte(scratch[:n], '\n'); i >= 0 {
			l.buf = append(l.buf[:l.end], scratch[i:n]...)
			l.end = len(l.buf)
			return
		}
	}
}

// Ahead is what is already in memory behind the current line, for readers that can take whole lines from it without
// looking for their ends first. It is valid until the next Scan.
func (l *Lines) Ahead() []byte { return l.buf[l.pos:l.end] }

// Skip takes n bytes off Ahead, which must be whole lines with their ends: lines is their number.
func (l *Lines) Skip(n, lines int) {
	l.pos += n
	l.n += lines
}

// Bytes is the current line without its end. It is valid until the next Scan.
func (l *Lines) Bytes() []byte { return l.line }

// Line is the number of the current line, from 1.
func (l *Lines) Line() int { return l.n }

// Pos is the current line with a column from 1 (0: the line as a whole).
func (l *Lines) Pos(column int) Pos { return Pos{l.in.Name, l.n, column} }

// Ended says whether the current line had a line end; the last line of a cut capture often has none.
func (l *Lines) Ended() bool { return l.ended }

// Err is the I/O error that ended the reading, if one did; a wrong record is never an error here.
func (l *Lines) Err() error { return l.err }
