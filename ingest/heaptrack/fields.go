package heaptrack

// fields takes the numbers of a record one by one.
type fields struct {
	line []byte
	pos  int
}

// digits has the value of each hexadecimal digit, 0xff for all that is none.
var digits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = byte(10 + i)
	}
	return t
}()

// hex takes a blank and a number of at most 16 digits; false where none stands.
func (f *fields) hex() (v uint64, ok bool) {
	if f.pos >= len(f.line) || f.line[f.pos] != ' ' {
		return 0, false
	}
	first := f.pos + 1
	i := first
	for ; i < len(f.line) && digits[f.line[i]] != 0xff; i++ {
		v = v<<4 | uint64(digits[f.line[i]])
	}
	if i == first || i > first+16 || i < len(f.line) && f.line[i] != ' ' {
		return 0, false
	}
	f.pos = i
	return v, true
}

// index takes a number that counts records, of which there are never 2^31.
func (f *fields) index() (int, bool) {
	v, ok := f.hex()
	return int(v & (1<<31 - 1)), ok && v < 1<<31
}

// done says whether nothing but blanks is left.
func (f *fields) done() bool {
	for _, c := range f.line[min(f.pos, len(f.line)):] {
		if c != ' ' {
			return false
		}
	}
	return true
}

// text takes all that is left behind a blank.
func (f *fields) text() []byte {
	if f.pos >= len(f.line) {
		return nil
	}
	return f.line[f.pos+1:]
}
