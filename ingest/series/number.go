package series

import "math/bits"

// decimal is a number as it was printed: mant × 10^-scale.
type decimal struct {
	mant  uint64
	scale int
	neg   bool
}

// maxDigits is how many digits of a number are kept; more of them behind the point are below any resolution, more
// of them before it do not fit into the tables.
const maxDigits = 18

var pow10 = [maxDigits + 1]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// parseDecimal reads digits with a point (or a comma, where the separator allows it), a sign and an exponent.
func parseDecimal(s []byte, comma bool) (decimal, bool) {
	var d decimal
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		d.neg = s[i] == '-'
		i++
	}
	digits, kept, point := 0, 0, false
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			if kept == maxDigits {
				if !point {
					return d, false
				}
				continue
			}
			d.mant = d.mant*10 + uint64(c-'0')
			if d.mant > 0 {
				kept++
			}
			if point {
				d.scale++
			}
			if d.scale > maxDigits {
				d.mant, d.scale = d.mant/10, d.scale-1
			}
		case (c == '.' || comma && c == ',') && !point:
			point = true
		case (c == 'e' || c == 'E') && digits > 0:
			return d.shift(s[i+1:])
		default:
			return d, false
		}
	}
	return d, digits > 0
}

// shift applies the exponent of a number such as 1.2e+09.
func (d decimal) shift(exp []byte) (decimal, bool) {
	e, ok := parseDecimal(exp, false)
	if !ok || e.scale != 0 || e.mant > 2*maxDigits {
		return d, false
	}
	by := int(e.mant)
	if e.neg {
		by = -by
	}
	d.scale -= by
	for d.scale > maxDigits {
		d.mant, d.scale = d.mant/10, d.scale-1
	}
	for ; d.scale < 0; d.scale++ {
		if d.mant > 1<<60 {
			return d, false
		}
		d.mant *= 10
	}
	return d, true
}

// times multiplies by a unit and rounds half up to a whole number; false when the result is beyond int64.
func (d decimal) times(unit uint64) (int64, bool) {
	hi, lo := bits.Mul64(d.mant, unit)
	if d.scale > 0 {
		var carry uint64
		lo, carry = bits.Add64(lo, pow10[d.scale]/2, 0)
		hi += carry
		if hi >= pow10[d.scale] {
			return 0, false
		}
		lo, _ = bits.Div64(hi, lo, pow10[d.scale])
		hi = 0
	}
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if d.neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

// integer reads a whole number that is not negative.
func integer(s []byte) (int64, bool) {
	d, ok := parseDecimal(s, false)
	if !ok || d.neg || d.scale != 0 {
		return 0, false
	}
	return d.times(1)
}

// suffixes are the unit letters that tools put behind a number in their human-readable output.
var suffixes = map[byte]uint64{'B': 1, 'b': 1, 'k': 1 << 10, 'K': 1 << 10, 'm': 1 << 20, 'M': 1 << 20, 'g': 1 << 30, 'G': 1 << 30, 't': 1 << 40, 'T': 1 << 40}

// sized reads a size in bytes whose unit stands behind it as a letter, else is kB. rounded says that it has a
// letter, and therefore fewer digits than were measured.
func sized(s []byte) (v int64, rounded, ok bool) {
	unit := uint64(1 << 10)
	if n := len(s); n > 1 && suffixes[s[n-1]] != 0 {
		unit, rounded = suffixes[s[n-1]], true
		s = s[:n-1]
	}
	d, ok := parseDecimal(s, true)
	if !ok || d.neg {
		return 0, rounded, false
	}
	v, ok = d.times(unit)
	return v, rounded, ok
}
