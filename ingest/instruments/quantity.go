package instruments

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/memtide/memtide/ingest/table"
)

// factors are the units of sizes, 1024 to the next, by the names of an English and a French system; "" is a number alone.
var factors = map[string]uint64{
	"": 1, "B": 1, "Byte": 1, "Bytes": 1, "bytes": 1, "octet": 1, "octets": 1, "o": 1,
	"KB": 1 << 10, "kB": 1 << 10, "KiB": 1 << 10, "Ko": 1 << 10, "ko": 1 << 10, "Kio": 1 << 10,
	"MB": 1 << 20, "MiB": 1 << 20, "Mo": 1 << 20, "Mio": 1 << 20,
	"GB": 1 << 30, "GiB": 1 << 30, "Go": 1 << 30, "Gio": 1 << 30,
	"TB": 1 << 40, "TiB": 1 << 40, "To": 1 << 40, "Tio": 1 << 40,
}

// noMemory are units of time and of processor cycles.
var noMemory = map[string]bool{
	"s": true, "ms": true, "us": true, "µs": true, "μs": true, "ns": true, "min": true, "h": true,
	"c": true, "Kc": true, "kc": true, "Mc": true, "Gc": true, "Tc": true, "cycles": true,
}

// blanks are the spaces that Instruments pads and groups figures with.
const blanks = " \u00a0\u202f\u2007"

// quantity is a figure with a unit: 429.93 MB, 122,702.
type quantity struct {
	digits   uint64
	decimals int
	unit     string
	ok       bool
}

// quantityOf reads the first number of a cell and the word behind it; a percentage that follows is no part of it. mark is
// what decimals stand behind in this file.
func quantityOf(cell []byte, mark byte) (q quantity) {
	s := bytes.Trim(cell, blanks)
	point, n := false, 0
	i := 0
	for i < len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			if n++; n > 18 {
				return quantity{}
			}
			q.digits = q.digits*10 + uint64(c-'0')
			if point {
				q.decimals++
			}
		case c == mark && !point && isMark(s, i):
			point = true
		case c == '.' || c == ',' || c == '\'':
		default:
			if w := blankAt(s[i:]); w > 0 && i+w < len(s) && s[i+w] >= '0' && s[i+w] <= '9' && n > 0 && groups(s[i+w:]) {
				i += w
				continue
			}
			q.unit, q.ok = unitOf(s[i:]), n > 0
			return q
		}
		i++
	}
	q.ok = n > 0
	return q
}

// isMark says whether the mark at s[i] is that of decimals: Instruments prints two of them at most, so three digits behind
// it are a group.
func isMark(s []byte, i int) bool { return digitsOf(s[i+1:]) != 3 }

// groups says whether three digits follow that stand for themselves: 1 234 567.
func groups(s []byte) bool { return digitsOf(s) == 3 }

func digitsOf(s []byte) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// blankAt is the length of the blank at the start of s.
func blankAt(s []byte) int {
	r, n := utf8.DecodeRune(s)
	if strings.ContainsRune(blanks, r) {
		return n
	}
	return 0
}

// unitOf is the word at the start of s, behind blanks; a percentage is none.
func unitOf(s []byte) string {
	s = bytes.TrimLeft(s, blanks)
	if end := bytes.IndexAny(s, blanks); end >= 0 {
		s = s[:end]
	}
	if len(s) > 0 && (s[0] >= '0' && s[0] <= '9' || s[0] == '%') {
		return ""
	}
	return string(clip(s))
}

// times is the figure in its smallest unit, rounded half up.
func (q quantity) times(factor uint64) table.Int {
	scale := uint64(1)
	for range q.decimals {
		scale *= 10
	}
	hi, lo := bits.Mul64(q.digits, factor)
	lo, carry := bits.Add64(lo, scale/2, 0)
	if hi += carry; hi >= scale {
		return table.Int{}
	}
	v, _ := bits.Div64(hi, lo, scale)
	return table.Int{V: int64(v), OK: int64(v) >= 0}
}

// decimalMark tells from the figures of a file which of '.' and ',' stands before decimals: the last of two in one figure, or
// one with other than three digits behind it. A point if none tells.
func decimalMark(s []byte) byte {
	var votes [2]int
	for i := 1; i+1 < len(s); i++ {
		c := s[i]
		if c != '.' && c != ',' || s[i-1] < '0' || s[i-1] > '9' {
			continue
		}
		n := digitsOf(s[i+1:])
		if end := i + 1 + n; n == 0 || n == 3 || end < len(s) && (s[end] == '.' || s[end] == ',') {
			continue
		}
		if c == '.' {
			votes[0]++
		} else {
			votes[1]++
		}
	}
	if votes[1] > votes[0] {
		return ','
	}
	return '.'
}
