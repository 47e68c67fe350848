package android

import (
	"bytes"
	"math"
)

func isDigit(c byte) bool { return c-'0' <= 9 }

func trim(line []byte) []byte { return bytes.Trim(line, " \t\r") }

// clip shortens a text for a message.
func clip(s []byte) []byte { return s[:min(len(s), 80)] }

// number reads the digits at the start of s and says how many they are; none beyond int64.
func number(s []byte) (v int64, n int) {
	for n < len(s) && isDigit(s[n]) {
		if v > (math.MaxInt64-9)/10 {
			return 0, 0
		}
		v = v*10 + int64(s[n]-'0')
		n++
	}
	return v, n
}

// whole reads a number that ends with the word it stands in: at the end of s, or before a blank or a closing mark. n is 0
// for one that goes on in another way: its digits alone are another number.
func whole(s []byte) (v int64, n int) {
	v, n = number(s)
	if n < len(s) && bytes.IndexByte([]byte(" \t,:;)]'\\"), s[n]) < 0 || n+1 < len(s) && s[n] == ',' && s[n+1]-'0' <= 9 {
		return 0, 0
	}
	return v, n
}

// word gives the next word of s from i on, and the index behind it.
func word(s []byte, i int) (w []byte, at, end int) {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	end = i
	for end < len(s) && s[end] != ' ' && s[end] != '\t' {
		end++
	}
	return s[i:end], i, end
}

// kilo reads "1234K", in bytes.
func kilo(s []byte) (int64, bool) {
	v, n := number(s)
	if n == 0 || n != len(s)-1 || s[n] != 'K' || v > math.MaxInt64>>10 {
		return 0, false
	}
	return v << 10, true
}

// units are those of Android's graphics dumps; each means powers of 1024.
var units = map[string]uint{"KB": 10, "kB": 10, "KiB": 10, "MB": 20, "MiB": 20}

// fraction reads "54000.00 KB" and gives bytes, rounded half up.
func fraction(s []byte) (int64, bool) {
	s = trim(s)
	v, n := number(s)
	if n == 0 {
		return 0, false
	}
	var part, scale int64 = 0, 1
	if n < len(s) && s[n] == '.' {
		p, digits := number(s[n+1:])
		if digits == 0 || digits > 6 {
			return 0, false
		}
		part = p
		for range digits {
			scale *= 10
		}
		n += 1 + digits
	}
	shift, ok := units[string(trim(s[n:]))]
	if !ok || v > math.MaxInt64>>(shift+1) {
		return 0, false
	}
	return v<<shift + (part<<(shift+1)+scale)/(2*scale), true
}
