package meminfo

import (
	"bytes"
	"math"
)

func isDigit(c byte) bool { return c-'0' <= 9 }
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func trim(line []byte) []byte { return bytes.Trim(line, " \t\r") }

// blanks gives the index of the first character from i on that is no blank.
func blanks(s []byte, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

// integer reads the digits at s[i:], perhaps with a minus before them, and gives the index behind them. It is not ok
// without a digit or beyond int64.
func integer(s []byte, i int) (v int64, end int, ok bool) {
	negative := i < len(s) && s[i] == '-'
	if negative {
		i++
	}
	start := i
	ok = true
	for ; i < len(s) && isDigit(s[i]); i++ {
		if v > (math.MaxInt64-9)/10 {
			ok = false
			continue
		}
		v = v*10 + int64(s[i]-'0')
	}
	if negative {
		v = -v
	}
	return v, i, ok && i > start
}

// cell reads an integer that ends at a blank or at the end of the line; some devices of Android 7 print a second
// figure behind it in brackets, as 2(6), which is not of interest here.
func cell(s []byte, i int) (v int64, end int, ok bool) {
	v, end, ok = integer(s, i)
	if ok && end < len(s) && s[end] == '(' {
		if n := bytes.IndexByte(s[end:], ')'); n >= 0 {
			end += n + 1
		}
	}
	return v, end, ok && (end == len(s) || isBlank(s[end]))
}

// grouped reads an integer with marks between groups of three digits: a comma, and what other locales put there.
func grouped(s []byte, i int) (v int64, end int, ok bool) {
	v, end, ok = integer(s, i)
	for ok {
		next := end + groupMark(s[end:])
		if next == end || !threeDigits(s[next:]) {
			return v, end, true
		}
		part, behind, _ := integer(s, next)
		if v > math.MaxInt64/1000-1 || v < math.MinInt64/1000+1 {
			return 0, behind, false
		}
		if s[i] == '-' {
			part = -part
		}
		v, end = v*1000+part, behind
	}
	return v, end, false
}

// groupMark gives the length of the mark at the start of s; 0 for none.
func groupMark(s []byte) int {
	switch {
	case len(s) == 0:
		return 0
	case s[0] == ',' || s[0] == '.' || s[0] == ' ' || s[0] == '\'':
		return 1
	case bytes.HasPrefix(s, []byte("\u00a0")):
		return 2
	case bytes.HasPrefix(s, []byte("\u202f")):
		return 3
	}
	return 0
}

func threeDigits(s []byte) bool {
	return len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

// size reads a size of the whole-system part from i on, blanks before it allowed: "1,234K", "1234 kB", or without a
// unit. It gives KiB, the index behind the unit, and whether there was a unit.
func size(s []byte, i int) (n int64, end int, unit, ok bool) {
	n, end, ok = grouped(s, blanks(s, i))
	if !ok {
		return 0, end, false, false
	}
	u := blanks(s, end)
	switch {
	case u < len(s) && s[u] == 'K':
		u++
	case u+1 < len(s) && s[u] == 'k' && s[u+1] == 'B':
		return n, u + 2, true, true
	default:
		return n, end, false, true
	}
	if u < len(s) && s[u] == 'B' {
		u++
	}
	return n, u, true, true
}
