package bpftrace

import (
	"bytes"
	"encoding/json"
	"math"
)

// isRecord says whether a line is a record of -f json.
func isRecord(line []byte) bool {
	return len(line) > 8 && line[0] == '{' && bytes.Contains(line[:min(len(line), 24)], []byte(`"type"`))
}

// cutRecord gives the type and the data of {"type": "printf", "data": …}. The order that bpftrace writes is read without
// the JSON library.
func cutRecord(line []byte) (kind string, data []byte, ok bool) {
	rest := after(after(after(line, "{"), `"type"`), ":")
	if len(rest) > 1 && rest[0] == '"' {
		if end := bytes.IndexByte(rest[1:], '"'); end >= 0 {
			word := rest[1 : 1+end]
			data = after(after(after(rest[2+end:], ","), `"data"`), ":")
			data, ok = bytes.CutSuffix(bytes.TrimRight(data, " \t"), []byte("}"))
			if ok {
				return kindOf(word), bytes.TrimSpace(data), true
			}
		}
	}
	var r struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(line, &r)
	return r.Type, r.Data, err == nil
}

// after gives what stands behind a word and the blanks round it; nil if it does not begin with it.
func after(s []byte, word string) []byte {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(s, " \t"), []byte(word))
	if !ok {
		return nil
	}
	return bytes.TrimLeft(rest, " \t")
}

// kindOf is the type as a string; that of nearly all records is not made anew.
func kindOf(word []byte) string {
	if string(word) == "printf" {
		return "printf"
	}
	return string(word)
}

// unescape appends the text of a JSON string.
func unescape(dst, s []byte) ([]byte, bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return dst, false
	}
	rest := s[1 : len(s)-1]
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return append(dst, rest...), bytes.IndexByte(rest, '"') < 0
		}
		if bytes.IndexByte(rest[:i], '"') >= 0 || i+1 == len(rest) {
			return dst, false
		}
		c := escapes[rest[i+1]]
		if c == 0 {
			return unescapeAny(dst, s)
		}
		dst = append(append(dst, rest[:i]...), c)
		rest = rest[i+2:]
	}
}

var escapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/'}

// unescapeAny is for strings with escapes of more than two characters. What was added before them is written again.
func unescapeAny(dst, s []byte) ([]byte, bool) {
	var text string
	err := json.Unmarshal(s, &text)
	return append(dst[:0], text...), err == nil
}

// lostEvents reads {"events": 12}.
func (r *reader) lostEvents(data []byte) bool {
	var x struct {
		Events *int64 `json:"events"`
	}
	return json.Unmarshal(data, &x) == nil && x.Events != nil && *x.Events >= 0 && r.lose(*x.Events)
}

// integer reads a whole number with or without a sign; false also beyond int64.
func integer(s []byte) (int64, bool) {
	digits, minus := bytes.CutPrefix(s, []byte("-"))
	if len(digits) == 0 || len(digits) > 19 { // 19 digits fit in uint64
		return 0, false
	}
	var v uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	if v > math.MaxInt64 {
		return 0, false
	}
	if minus {
		return -int64(v), true
	}
	return int64(v), true
}

// hexadecimal reads 0x and at most 16 digits.
func hexadecimal(s []byte) (v uint64, ok bool) {
	digits, ok := bytes.CutPrefix(s, []byte("0x"))
	if !ok {
		return 0, false
	}
	return bareHex(digits)
}

func bareHex(s []byte) (v uint64, ok bool) {
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(c)
	}
	return v, len(s) > 0 && len(s) <= 16
}
