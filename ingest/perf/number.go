package perf

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// decimal reads a text of nothing but digits that fits in 63 bits.
func decimal(s []byte) (int64, bool) {
	v := int64(0)
	for _, c := range s {
		if c -= '0'; c > 9 || v > (1<<63-1-9)/10 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	return v, len(s) > 0
}

// hexadecimal reads a text of nothing but hex digits that fits in 64 bits.
func hexadecimal(s []byte) (uint64, bool) {
	if len(s) == 0 || len(s) > 16 {
		return 0, false
	}
	v := uint64(0)
	for _, c := range s {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(c)
	}
	return v, true
}

// pointer reads an address as perf and ftrace print it: 0x…, hex without 0x (hashed by the kernel), or (nil).
func pointer(s []byte) (uint64, bool) {
	switch string(s) {
	case "(nil)", "(null)":
		return 0, true
	}
	if len(s) > 2 && s[0] == '0' && s[1] == 'x' {
		s = s[2:]
	}
	return hexadecimal(s)
}

// count reads an argument that is decimal, or hex with 0x. A negative one, or one beyond 63 bits, is not known.
func count(s []byte) table.Int {
	if len(s) > 2 && s[0] == '0' && s[1] == 'x' {
		v, ok := hexadecimal(s[2:])
		return table.Int{V: int64(v), OK: ok && v < 1<<63}
	}
	v, ok := decimal(s)
	return table.Int{V: v, OK: ok}
}

// isCount says whether a text is a number at all, with a sign or in hex, whether or not it is one that count knows.
func isCount(s []byte) bool {
	if len(s) > 2 && s[0] == '0' && s[1] == 'x' {
		return len(bytes.Trim(s[2:], "0123456789abcdefABCDEF")) == 0
	}
	return len(bytes.TrimPrefix(s, []byte("-"))) > 0 && len(bytes.Trim(bytes.TrimPrefix(s, []byte("-")), "0123456789")) == 0
}

// fields walks over the "key=value" of a payload.
type fields []byte

// next gives the next pair. What stands between pairs is passed over.
func (f *fields) next() (key, value []byte, ok bool) {
	s := []byte(*f)
	i := 0
	for {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		from, equal := i, -1
		for i < len(s) && s[i] != ' ' {
			if s[i] == '=' && equal < 0 {
				equal = i
			}
			i++
		}
		switch {
		case i == from:
			*f = nil
			return nil, nil, false
		case equal > from:
			*f = s[i:]
			return s[from:equal], s[equal+1 : i], true
		}
	}
}

// clip shortens what a message quotes.
func clip(s []byte) string {
	const most = 80
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}
