package event

import (
	"bytes"
	"encoding/json"
)

// object cuts a line of NDJSON into fields. The values are cut, not judged: whoever uses one does that. Where the line
// is no object, want says what should stand at the place at.
func (r *record) object(line []byte) (at int, want string) {
	r.begin(line)
	r.slash = bytes.IndexByte(line, '\\') >= 0
	i := blanks(line, 0)
	if !is(line, i, '{') {
		return i, "an object in one line"
	}
	i = blanks(line, i+1)
	if is(line, i, '}') {
		return r.finish(i + 1)
	}
	for {
		if i, want = r.member(i); want != "" {
			return i, want
		}
		switch i = blanks(line, i); {
		case is(line, i, ','):
			i = blanks(line, i+1)
		case is(line, i, '}'):
			return r.finish(i + 1)
		default:
			return i, "a comma or the end of the object"
		}
	}
}

func (r *record) finish(i int) (int, string) {
	if i = blanks(r.text, i); i < len(r.text) {
		return i, "the end of the line behind the object"
	}
	return i, ""
}

// member reads a key and its value, and gives the place behind them.
func (r *record) member(i int) (at int, want string) {
	line := r.text
	if !is(line, i, '"') {
		return i, "a name in quotes"
	}
	key := cell{from: i + 1, quoted: true}
	if key.to, key.escaped = r.quote(i + 1); key.to < 0 {
		return i, "a name in quotes"
	}
	if i = blanks(line, key.to+1); !is(line, i, ':') {
		return i, "a colon"
	}
	from := blanks(line, i+1)
	c, end := r.cut(from)
	if end < 0 {
		return from, "a value"
	}
	name := line[key.from:key.to]
	if key.escaped {
		name, _ = unescape(name)
	}
	if f := fieldOf(name); f < numFields {
		r.put(f, c)
		return end, ""
	}
	if !json.Valid(line[from:end]) {
		return from, "a value"
	}
	r.unknown = append(r.unknown, key)
	return end, ""
}

// cut finds the value that begins at i, and the place behind it; -1 where none does.
func (r *record) cut(i int) (c cell, end int) {
	switch {
	case is(r.text, i, '"'):
		to, escaped := r.quote(i + 1)
		if to < 0 {
			return c, -1
		}
		return cell{i + 1, to, true, escaped}, to + 1
	case is(r.text, i, '['), is(r.text, i, '{'):
		end = r.nested(i)
	default:
		end = literal(r.text, i)
	}
	if end == i {
		end = -1
	}
	return cell{from: i, to: end}, end
}

// quote finds the end of a string whose text begins at i; -1 if it has none.
func (r *record) quote(i int) (end int, escaped bool) {
	end = i
	for {
		k := bytes.IndexByte(r.text[end:], '"')
		if k < 0 {
			return -1, false
		}
		end += k
		if !r.slash {
			return end, false
		}
		n := end
		for n > i && r.text[n-1] == '\\' {
			n--
		}
		if (end-n)%2 == 0 {
			return end, bytes.IndexByte(r.text[i:end], '\\') >= 0
		}
		end++
	}
}

// nested finds the place behind an array or object. It counts brackets and does not match them: the use does.
func (r *record) nested(i int) int {
	depth := 0
	for i < len(r.text) {
		switch r.text[i] {
		case '"':
			end, _ := r.quote(i + 1)
			if end < 0 {
				return -1
			}
			i = end
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// literal finds the end of a number, or of true, false and null.
func literal(line []byte, i int) int {
	for i < len(line) {
		switch c := line[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
			i++
		default:
			return i
		}
	}
	return i
}

func is(line []byte, i int, c byte) bool { return i < len(line) && line[i] == c }

func blanks(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return i
}
