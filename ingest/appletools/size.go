package appletools

import (
	"bytes"
	"math/bits"

	"github.com/memtide/memtide/ingest/table"
)

// size is a printed figure in bytes, with half of what its last digit stands for: no printed figure is nearer to the truth.
type size struct {
	v, half int64
	ok      bool
}

func (s size) int() table.Int { return table.Int{V: s.v, OK: s.ok} }

// factorOf gives the bytes of a unit; 1024 from one to the next, as all of these tools count.
func factorOf(unit []byte) (uint64, bool) {
	switch string(unit) {
	case "", "B", "byte", "bytes":
		return 1, true
	case "K", "KB", "kB", "KiB":
		return 1 << 10, true
	case "M", "MB", "MiB":
		return 1 << 20, true
	case "G", "GB", "GiB":
		return 1 << 30, true
	case "T", "TB", "TiB":
		return 1 << 40, true
	}
	return 0, false
}

// sizeOf reads 100.3M, 1520, 64,5K, 1,234 MB, 176 bytes; a figure without a unit is in bytes. A fraction is rounded half up.
func sizeOf(s []byte) size {
	s = bytes.Trim(s, " ")
	end := 0
	for end < len(s) && (isDigit(s[end]) || s[end] == '.' || s[end] == ',') {
		end++
	}
	factor, ok := factorOf(bytes.TrimLeft(s[end:], " "))
	digits, decimals, fine := decimal(s[:end])
	if !ok || !fine {
		return size{}
	}
	scale := uint64(1)
	for range decimals {
		scale *= 10
	}
	hi, lo := bits.Mul64(digits, factor)
	lo, carry := bits.Add64(lo, scale/2, 0)
	if hi += carry; hi >= scale {
		return size{}
	}
	v, _ := bits.Div64(hi, lo, scale)
	half := int64(factor / scale / 2)
	return size{int64(v), half, int64(v) >= 0}
}

// decimal reads a number of up to 18 digits. The tools print two decimals at most: a comma before three digits stands
// between thousands, and a point before three could be either, so that it is no number.
func decimal(s []byte) (digits uint64, decimals int, ok bool) {
	last := bytes.LastIndexAny(s, ".,")
	mark := -1
	if last >= 0 {
		switch single := bytes.IndexByte(s, s[last]) == last; {
		case last == 0 || last == len(s)-1:
			return 0, 0, false
		case len(s)-last-1 != 3 || bytes.IndexAny(s, ".,") != last && single:
			mark = last
		case single && s[last] == '.':
			return 0, 0, false
		}
	}
	n := 0
	for i, c := range s {
		if !isDigit(c) {
			continue
		}
		if n++; n > 18 {
			return 0, 0, false
		}
		digits = digits*10 + uint64(c-'0')
		if mark >= 0 && i > mark {
			decimals++
		}
	}
	return digits, decimals, n > 0 && decimals < 10
}

// count reads a whole number, with commas between thousands or without.
func count(s []byte) table.Int {
	for _, c := range s {
		if !isDigit(c) && c != ',' {
			return table.Int{}
		}
	}
	n, decimals, ok := decimal(s)
	return table.Int{V: int64(n), OK: ok && decimals == 0}
}

// hexadecimal reads up to 16 digits, with or without 0x.
func hexadecimal(s []byte) (uint64, bool) {
	s = bytes.TrimPrefix(s, []byte("0x"))
	if len(s) == 0 || len(s) > 16 {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		switch {
		case isDigit(c):
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(c)
	}
	return n, true
}

func isDigit(c byte) bool { return c-'0' <= 9 }
