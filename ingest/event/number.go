package event

import "math"

// whole reads digits and nothing else; false also beyond int64.
func whole(s []byte) (int64, bool) {
	if len(s) == 0 || len(s) > 19 { // 19 digits fit in uint64
		return 0, false
	}
	var v uint64
	for _, c := range s {
		if c -= '0'; c > 9 {
			return 0, false
		}
		v = v*10 + uint64(c)
	}
	return int64(v), v <= math.MaxInt64
}

// signed is whole with a sign before it.
func signed(s []byte) (int64, bool) {
	if len(s) > 0 && s[0] == '-' {
		v, ok := whole(s[1:])
		return -v, ok
	}
	return whole(s)
}

// seconds reads decimal seconds, with a fraction and a power of ten, to ns; what is less than 1 ns is cut off. It goes by
// digits, since float64 has too few for a time since 1970 in ns.
func seconds(s []byte) (int64, bool) {
	var v uint64
	digits, point, scale := 0, false, 9 // v stands for v times ten to the scale, in ns
	i := 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' && !point && digits > 0:
			point = true
		case c >= '0' && c <= '9':
			digits++
			if v > (math.MaxUint64-9)/10 {
				if !point {
					return 0, false
				}
				continue // far behind the point
			}
			v = v*10 + uint64(c-'0')
			if point {
				scale--
			}
		case (c == 'e' || c == 'E') && digits > 0:
			n, ok := exponent(s[i+1:])
			return scaled(v, scale+n, ok)
		default:
			return 0, false
		}
	}
	return scaled(v, scale, digits > 0)
}

// exponent reads a power of ten. One of more than three digits is beyond all that could be a time.
func exponent(s []byte) (int, bool) {
	if len(s) > 0 && s[0] == '+' {
		s = s[1:]
	}
	n, ok := signed(s)
	return int(n), ok && n > -1000 && n < 1000
}

func scaled(v uint64, scale int, ok bool) (int64, bool) {
	for ; scale > 0 && v > 0; scale-- {
		if v > math.MaxInt64/10 {
			return 0, false
		}
		v *= 10
	}
	for ; scale < 0 && v > 0; scale++ {
		v /= 10
	}
	return int64(v), ok && v <= math.MaxInt64
}

// object is what an address or handle says.
type object struct {
	id   uint64
	null bool // the null pointer: (nil), or 0 in hexadecimal
	zero bool // 0 as a decimal: a handle, or the null pointer of printf("%#lx")
}

// objectOf reads an address: hexadecimal with 0x, decimal, or any other text, which is told apart by its hash (FNV-1a).
func objectOf(s []byte) object {
	if len(s) > 2 && len(s) <= 18 && s[0] == '0' && s[1]|0x20 == 'x' {
		if v, ok := hexadecimal(s[2:]); ok {
			return object{id: v, null: v == 0}
		}
	}
	if v, ok := whole(s); ok {
		return object{id: uint64(v), zero: v == 0}
	}
	switch string(s) {
	case "(nil)", "null", "NULL", "nil":
		return object{null: true}
	}
	h := uint64(14695981039346656037)
	for _, c := range s {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return object{id: h}
}

// nibbles are the values of the digits of hexadecimal numbers; 0xff for all that is none.
var nibbles = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// hexadecimal reads at most 16 digits.
func hexadecimal(s []byte) (v uint64, ok bool) {
	for _, c := range s {
		n := nibbles[c]
		if n == 0xff {
			return 0, false
		}
		v = v<<4 | uint64(n)
	}
	return v, len(s) > 0 && len(s) <= 16
}
