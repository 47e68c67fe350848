// Package mllog reads the logs of servers and trainers of large models that tell of device memory: vLLM's and DeepSpeed's.
// It is one of the formats that ingest lists.
//
// The lines are those of vLLM 0.4 to 0.25, and of see_memory_usage of DeepSpeed 0.3 to 0.17.
package mllog

import (
	"bytes"
	"math/bits"
)

const gibibyte = 1 << 30

// maxDigits is how many digits of a number are read.
const maxDigits = 15

var pow10 = [maxDigits + 1]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// number reads the number at the start of s, with commas between thousands and a fraction, times a unit, rounded half up;
// rest is what stands behind it. It is false if there is none, or one that is too large.
func number(s []byte, unit uint64) (v int64, rest []byte, ok bool) {
	mant, scale, digits, i := uint64(0), 0, 0, 0
	for point := false; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			if digits++; digits > maxDigits {
				return 0, s, false
			}
			mant = mant*10 + uint64(c-'0')
			if point {
				scale++
			}
			continue
		case c == '.' && !point && digits > 0 && i+1 < len(s) && s[i+1]-'0' <= 9:
			point = true
			continue
		case c == ',' && !point && digits > 0 && thousand(s[i+1:]):
			continue
		}
		break
	}
	hi, lo := bits.Mul64(mant, unit)
	lo, carry := bits.Add64(lo, pow10[scale]/2, 0)
	if hi += carry; digits == 0 || hi >= pow10[scale] {
		return 0, s, false
	}
	q, _ := bits.Div64(hi, lo, pow10[scale])
	return int64(q), s[i:], q < 1<<63
}

// thousand says whether three digits and no more follow.
func thousand(s []byte) bool {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n == 3
}

// after gives what stands behind the first words in line; nil if they are not in it.
func after(line []byte, words string) []byte {
	if i := bytes.Index(line, []byte(words)); i >= 0 {
		return line[i+len(words):]
	}
	return nil
}

// digits reads n digits at i; -1 if there are others.
func digits(s []byte, i, n int) int64 {
	if i+n > len(s) {
		return -1
	}
	v := int64(0)
	for _, c := range s[i : i+n] {
		if c < '0' || c > '9' {
			return -1
		}
		v = v*10 + int64(c-'0')
	}
	return v
}

// clip shortens what a message quotes.
func clip(s []byte) []byte { return s[:min(len(s), 40)] }
