package nsight

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// member cuts the object that a line of JSON holds under a key out of it, without reading the rest of the line.
func member(line []byte, key string) []byte {
	i := bytes.Index(line, []byte(`"`+key+`":`))
	if i < 0 {
		return nil
	}
	return bytes.TrimLeft(line[i+len(key)+3:], " \t")
}

// pairs visits the keys and values of an object, values as they are written. It is false where the object ends too early
// or is none.
func pairs(s []byte, visit func(key, value []byte)) bool {
	if s = blanks(s); len(s) == 0 || s[0] != '{' {
		return false
	}
	if s = blanks(s[1:]); len(s) > 0 && s[0] == '}' {
		return true
	}
	for {
		n := valueLen(s)
		if n < 2 || s[0] != '"' {
			return false
		}
		key := s[1 : n-1]
		if s = blanks(s[n:]); len(s) == 0 || s[0] != ':' {
			return false
		}
		s = blanks(s[1:])
		if n = valueLen(s); n == 0 {
			return false
		}
		visit(key, s[:n])
		if s = blanks(s[n:]); len(s) == 0 || s[0] != ',' {
			return len(s) > 0 && s[0] == '}'
		}
		s = blanks(s[1:])
	}
}

func blanks(s []byte) []byte { return bytes.TrimLeft(s, " \t") }

// valueLen is the length of the value that s begins with, 0 if it is cut: a string, a number or word, or whatever stands
// between brackets.
func valueLen(s []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 {
				return i
			}
		case depth == 0 && (c == ',' || c == ' ' || c == ':'):
			return i
		}
	}
	return 0
}

// whole reads an integer, which nsys writes in quotes where it has 64 bits.
func whole(value []byte) table.Int {
	if n := len(value); n >= 2 && value[0] == '"' {
		value = value[1 : n-1]
	}
	v, err := strconv.ParseInt(string(value), 10, 64)
	return table.Int{V: v, OK: err == nil}
}

// unquoted gives the text of a string; nil for what is none.
func unquoted(value []byte) []byte {
	if n := len(value); n < 2 || value[0] != '"' {
		return nil
	} else if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : n-1]
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return nil
	}
	return []byte(s)
}
