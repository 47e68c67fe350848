package pprof

import "math"

// text reads the figures of a line from left to right.
type text struct {
	s []byte
	i int
}

func (t *text) blanks() {
	for t.i < len(t.s) && (t.s[t.i] == ' ' || t.s[t.i] == '\t') {
		t.i++
	}
}

// is steps over a character, blanks before it.
func (t *text) is(c byte) bool {
	t.blanks()
	if t.i < len(t.s) && t.s[t.i] == c {
		t.i++
		return true
	}
	return false
}

// number reads a decimal, blanks and a sign before it; false, and no step, if there is none that fits in 63 bits.
func (t *text) number() (v int64, ok bool) {
	t.blanks()
	begin := t.i
	minus := t.i < len(t.s) && t.s[t.i] == '-'
	if minus {
		t.i++
	}
	start := t.i
	for ; t.i < len(t.s) && t.s[t.i]-'0' <= 9; t.i++ {
		d := int64(t.s[t.i] - '0')
		if v > (math.MaxInt64-d)/10 {
			t.i = begin
			return 0, false
		}
		v = v*10 + d
	}
	if minus {
		v = -v
	}
	return v, t.i > start
}

// hex reads an address of up to 64 bits, with 0x before it or not.
func (t *text) hex() (v uint64, ok bool) {
	t.blanks()
	if t.i+1 < len(t.s) && t.s[t.i] == '0' && t.s[t.i+1]|0x20 == 'x' {
		t.i += 2
	}
	start := t.i
	for ; t.i < len(t.s); t.i++ {
		d, digit := nibble(t.s[t.i])
		if !digit {
			break
		}
		if v >= 1<<60 {
			return 0, false
		}
		v = v<<4 | d
	}
	return v, t.i > start
}

func nibble(c byte) (uint64, bool) {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10, true
	}
	return 0, false
}

// figures are the four of a line "N: B [N: B]": what is live and what was allocated in all.
type figures struct{ liveCount, liveBytes, totalCount, totalBytes int64 }

// figures reads "N: B [N: B]"; t.i is where it stops.
func (t *text) figures() (f figures, ok bool) {
	const behind = ":[:]"
	for i, to := range [...]*int64{&f.liveCount, &f.liveBytes, &f.totalCount, &f.totalBytes} {
		if *to, ok = t.number(); !ok || !t.is(behind[i]) {
			return f, false
		}
	}
	return f, true
}
