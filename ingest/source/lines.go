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
)

// Lines reads an input line by line, modelled on bufio.Scanner but without its limit of 64 KiB: LF, CR LF and
// CR CR LF end a line, as does the end of the input.
//
//	for l := source.NewLines(in); l.Scan(); { use(l.Bytes()) }
//	return l.Err()
type Lines struct {
	name       string
	r          io.Reader
	buf        []byte
	pos, end   int // unread part of buf
	line       []byte
	n          int
	eof, ended bool
	cut        bool
	err        error
}

// NewLines starts at the first line of in.
func NewLines(in *Input) *Lines {
	return &Lines{name: in.Name, n: in.Skip, r: in.Reader(), buf: make([]byte, min(chunkSize, max(4096, 2*len(in.Head))))}
}

// Scan goes to the next line. It is false at the end of the input or at an I/O error, which Err tells apart.
func (l *Lines) Scan() bool {
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
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	l.read(l.buf[l.end:])
}

func (l *Lines) read(p []byte) {
	n, err := l.r.Read(p)
	l.end += n
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
}

// skipRest drops what a line has beyond maxLine and puts a line end in its place.
func (l *Lines) skipRest() {
	l.cut = true
	scratch := make([]byte, chunkSize)
	for !l.eof {
		n, err := l.r.Read(scratch)
		if i := bytes.IndexByte(scratch[:n], '\n'); i >= 0 {
			l.buf = append(l.buf[:l.end], scratch[i:n]...)
			l.end = len(l.buf)
			break
		}
		if err != nil {
			l.eof = true
			if err != io.EOF {
				l.err = err
			}
		}
	}
}

// Bytes is the current line without its end. It is valid until the next Scan.
func (l *Lines) Bytes() []byte { return l.line }

// Line is the number of the current line, from 1.
func (l *Lines) Line() int { return l.n }

// Pos is the current line with a column from 1 (0: the line as a whole).
func (l *Lines) Pos(column int) Pos { return Pos{l.name, l.n, column} }

// Ended says whether the current line had a line end; the last line of a cut capture often has none.
func (l *Lines) Ended() bool { return l.ended }

// Cut says whether a line beyond 64 MiB lost its rest.
func (l *Lines) Cut() bool { return l.cut }

// Err is the I/O error that ended the reading, if one did; a wrong record is never an error here.
func (l *Lines) Err() error { return l.err }
