package gpu

import (
	"bytes"
	"math/bits"

	"github.com/memtide/memtide/ingest/source"
)

const mebibyte = 1 << 20

// units of sizes. nvidia-smi counts in MiB, whatever it calls them: old versions and dmon say MB.
var units = map[string]uint64{"B": 1, "bytes": 1, "KiB": 1 << 10, "kB": 1 << 10, "KB": 1 << 10, "MiB": mebibyte, "MB": mebibyte, "GiB": 1 << 30, "GB": 1 << 30}

// size reads "841 MiB", "841MiB" or "841", which is in the unit given, in bytes, rounded half up.
func size(s []byte, unit uint64) (int64, bool) {
	n := len(s)
	for n > 0 && (s[n-1] < '0' || s[n-1] > '9') {
		n--
	}
	if word := bytes.TrimLeft(s[n:], " "); len(word) > 0 {
		if unit = units[string(word)]; unit == 0 {
			return 0, false
		}
	}
	return scaled(s[:n], unit)
}

// maxDigits is how many digits of a number are kept.
const maxDigits = 18

var pow10 = [maxDigits + 1]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// scaled reads a number that is not negative, such as 6.4238911488e+10, times a unit, rounded half up. It is false if there
// is anything else or if the result does not fit.
func scaled(s []byte, unit uint64) (int64, bool) {
	mant, scale, i := uint64(0), 0, 0
	digits, point := 0, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if mant >= pow10[maxDigits-1] {
			if !point {
				return 0, false
			}
			continue
		}
		mant = mant*10 + uint64(c-'0')
		if point {
			scale++
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(s) {
		e, ok := exponent(s[i:])
		if !ok {
			return 0, false
		}
		scale -= e
	}
	return round(mant, scale, unit)
}

// exponent reads e+10.
func exponent(s []byte) (int, bool) {
	if len(s) < 2 || s[0]|0x20 != 'e' {
		return 0, false
	}
	s, sign := s[1:], 1
	if s[0] == '+' || s[0] == '-' {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 99 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return sign * n, len(s) > 0
}

// round gives mant × 10^-scale × unit.
func round(mant uint64, scale int, unit uint64) (int64, bool) {
	for ; scale < 0; scale++ {
		hi, lo := bits.Mul64(mant, 10)
		if hi != 0 {
			return 0, false
		}
		mant = lo
		if mant == 0 {
			break
		}
	}
	for ; scale > maxDigits; scale-- {
		mant /= 10
	}
	hi, lo := bits.Mul64(mant, unit)
	if scale > 0 {
		var carry uint64
		lo, carry = bits.Add64(lo, pow10[scale]/2, 0)
		if hi += carry; hi >= pow10[scale] {
			return 0, false
		}
		lo, _ = bits.Div64(hi, lo, pow10[scale])
		hi = 0
	}
	return int64(lo), hi == 0 && lo < 1<<63
}

// timeOf reads a time stamp: 2026/07/14 08:12:53.353 as nvidia-smi writes it, seconds since 1970 with a fraction, or one of
// the forms that all captures may have. Without a zone it counts as UTC.
func timeOf(s []byte) (int64, bool) {
	if ns, ok := civil(s); ok {
		return ns, true
	}
	if len(s) > 11 && s[0] == '1' && s[10] == '.' && bytes.IndexByte(s[:10], '-') < 0 {
		return scaled(s[:min(len(s), 20)], 1e9)
	}
	if len(s) < 8 {
		return 0, false
	}
	return source.ParseTime(string(s))
}

// civil reads YYYY/MM/DD HH:MM:SS with an optional fraction and nothing behind it.
func civil(s []byte) (int64, bool) {
	if len(s) < 19 || s[4] != '/' && s[4] != '-' || s[7] != s[4] || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	bad := 0
	two := func(i int) int64 {
		a, b := s[i]-'0', s[i+1]-'0'
		if a > 9 || b > 9 {
			bad++
		}
		return int64(a)*10 + int64(b)
	}
	y, m, d, h, mi, sec := two(0)*100+two(2), two(5), two(8), two(11), two(14), two(17)
	if bad > 0 || y < 1970 || y > 2261 || m < 1 || m > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || sec > 60 {
		return 0, false
	}
	ns := ((days(y, m, d)*24+h)*60+mi)*60*1e9 + sec*1e9
	if len(s) == 19 {
		return ns, true
	}
	if s[19] != '.' || len(s) == 20 || len(s) > 29 {
		return 0, false
	}
	frac, ok := scaled(append([]byte{'0'}, s[19:]...), 1e9)
	return ns + frac, ok
}

// days counts from 1970; the year is taken to begin in March, so that the leap day is its last.
func days(y, m, d int64) int64 {
	if m <= 2 {
		y, m = y-1, m+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 1 - 719468
}
