package series

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
)

// split cuts a line at its separator into cells without the blanks round them; quotes as in RFC 4180. closed is
// false when a quote is still open at the end. The cells are parts of the line, quotes included.
func split(line []byte, sep byte, dst [][]byte) (cells [][]byte, closed bool) {
	dst = dst[:0]
	quoted := bytes.IndexByte(line, '"') >= 0
	for {
		var end int
		if quoted {
			end = cellEnd(line, sep)
			if end < 0 {
				return append(dst, trim(line)), false
			}
		} else if end = bytes.IndexByte(line, sep); end < 0 {
			end = len(line)
		}
		dst = append(dst, trim(line[:end]))
		if end == len(line) {
			return dst, true
		}
		line = line[end+1:]
	}
}

// cellEnd finds the separator behind a cell that may be quoted; -1 when its quote does not end.
func cellEnd(line []byte, sep byte) int {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if i < len(line) && line[i] == '"' {
		for i++; ; i++ {
			next := bytes.IndexByte(line[i:], '"')
			if next < 0 {
				return -1
			}
			if i += next + 1; i >= len(line) || line[i] != '"' {
				break
			}
		}
	}
	if end := bytes.IndexByte(line[i:], sep); end >= 0 {
		return i + end
	}
	return len(line)
}

// trim is bytes.TrimSpace for the blanks that stand round cells; an empty cell stays a part of its line.
func trim(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// unquote takes the quotes off a cell. Only a cell with doubled quotes inside is copied.
func unquote(s []byte) []byte {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	s = s[1 : len(s)-1]
	if bytes.IndexByte(s, '"') < 0 {
		return s
	}
	return bytes.ReplaceAll(s, []byte(`""`), []byte(`"`))
}

// missing says whether a cell stands for "not measured".
func missing(s []byte) bool {
	switch len(s) {
	case 0:
		return true
	case 1:
		return s[0] == '-'
	case 2, 3, 4:
		if s[0]|0x20 != 'n' {
			return false
		}
		switch string(bytes.ToLower(s)) {
		case "na", "n/a", "nan", "null", "none":
			return true
		}
	}
	return false
}

// maxQuoted bounds how far a quoted cell may go over line ends: what is longer is a quote that was forgotten.
const maxQuoted = 16

// records gives the lines of a CSV that hold data. A quoted cell may hold line ends; if its quote does not end, the
// lines are given one by one.
type records struct {
	lines *source.Lines
	sep   byte
	width int    // the number of cells in the header
	text  []byte // the record
	line  int    // where it begins
	ended bool
	again []kept // lines that were read ahead in vain
	cells [][]byte
	whole bool // the quotes of the record are closed
	buf   []byte
}

type kept struct {
	text  []byte
	line  int
	ended bool
}

// next goes to the next record. Empty lines and comments are none.
func (r *records) next() bool {
	for r.scan() {
		if t := trim(r.text); len(t) == 0 || t[0] == '#' {
			continue
		}
		r.cells, r.whole = split(r.text, r.sep, r.cells)
		if !r.whole {
			r.join()
		}
		return true
	}
	return false
}

func (r *records) scan() bool {
	if len(r.again) > 0 {
		k := r.again[0]
		r.again = r.again[1:]
		r.text, r.line, r.ended = k.text, k.line, k.ended
		return true
	}
	if !r.lines.Scan() {
		return false
	}
	r.text, r.line, r.ended = r.lines.Bytes(), r.lines.Line(), r.lines.Ended()
	return true
}

// join looks for the end of a quote in the lines that follow.
func (r *records) join() {
	first := kept{append([]byte(nil), r.text...), r.line, r.ended}
	r.buf = append(r.buf[:0], r.text...)
	var ahead []kept
	for len(ahead) < maxQuoted && r.scan() {
		ahead = append(ahead, kept{append([]byte(nil), r.text...), r.line, r.ended})
		r.buf = append(append(r.buf, '\n'), r.text...)
		if bytes.IndexByte(r.text, '"') < 0 {
			continue
		}
		if r.cells, r.whole = split(r.buf, r.sep, r.cells); r.whole && len(r.cells) == r.width {
			r.text, r.line = r.buf, first.line
			return
		}
	}
	r.again = append(ahead, r.again...)
	r.text, r.line, r.ended = first.text, first.line, first.ended
	r.cells, r.whole = split(r.text, r.sep, r.cells)
}
