package instruments

import "bytes"

// decimal reads digits alone, up to 2^63.
func decimal(s []byte) (uint64, bool) {
	if len(s) == 0 || len(s) > 19 {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, n < 1<<63
}

// hexadecimal reads 0x and up to 16 digits.
func hexadecimal(s []byte) (uint64, bool) {
	if len(s) < 3 || len(s) > 18 || s[0] != '0' || s[1] != 'x' {
		return 0, false
	}
	var n uint64
	for _, c := range s[2:] {
		switch {
		case c >= '0' && c <= '9':
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

// base is the last part of a path.
func base(s []byte) []byte { return s[bytes.LastIndexByte(s, '/')+1:] }
