package regions

import "math"

// tokens goes through the words of a line, which blanks and tabs part.
type tokens struct {
	line []byte
	at   int // where the last word begins
	end  int // and ends
}

// next gives the next word; it is empty at the end of the line.
func (t *tokens) next() []byte {
	t.at = t.end
	for t.at < len(t.line) && isBlank(t.line[t.at]) {
		t.at++
	}
	t.end = t.at
	for t.end < len(t.line) && !isBlank(t.line[t.end]) {
		t.end++
	}
	return t.line[t.at:t.end]
}

// rest is what stands behind the last word, without the blanks round it.
func (t *tokens) rest() []byte { return trim(t.line[t.end:]) }

func trim(s []byte) []byte {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// kilobytes reads a word of digits, perhaps with a K behind, to bytes. ok is false for anything else and for more than
// fits in 63 bits.
func kilobytes(word []byte) (bytes int64, ok bool) {
	if n := len(word); n > 1 && word[n-1] == 'K' {
		word = word[:n-1]
	}
	n, ok := decimal(word)
	return n << 10, ok && n <= math.MaxInt64>>10
}

func decimal(word []byte) (n int64, ok bool) {
	for _, c := range word {
		d := int64(c - '0')
		if c < '0' || c > '9' || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, len(word) > 0
}

func hex(word []byte) (n uint64, ok bool) {
	for _, c := range word {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, len(word) > 0 && len(word) <= 16
}

// isKilobytes says whether a word is digits with a K behind.
func isKilobytes(word []byte) bool {
	n := len(word)
	if n < 2 || word[n-1] != 'K' {
		return false
	}
	_, ok := decimal(word[:n-1])
	return ok
}

func clip(line []byte) []byte { return line[:min(len(line), 80)] }
