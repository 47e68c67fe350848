package torch

import "encoding/json"

// blank, begins and ends are the bytes that the scanner of values stops at.
const (
	other = iota
	blank
	quote
	begins
	ends
	comma // and the colon: what ends a number or a name
)

var classes = [256]uint8{' ': blank, '\t': blank, '\n': blank, '\r': blank, '"': quote, '{': begins, '[': begins, '}': ends, ']': ends, ',': comma, ':': comma}

// next skips blanks and gives the byte behind them, which is not taken; false at the end of the input.
func (w *window) next() (byte, bool) {
	for {
		for w.pos < w.end {
			if c := w.buf[w.pos]; classes[c] != blank {
				return c, true
			}
			w.pos++
		}
		if !w.more() {
			return 0, false
		}
	}
}

// text takes the string that begins at pos, and gives what stands between its quotes, escapes as they are. A line end
// in a string, which JSON forbids, ends it: so one lost quote does not swallow the rest of the file. Whole is false
// where the input ends first, and nothing is taken.
func (w *window) text() (raw []byte, whole bool) {
	n := 1
	for {
		for n < w.end-w.pos {
			switch w.buf[w.pos+n] {
			case '"':
				raw = w.buf[w.pos+1 : w.pos+n]
				w.pos += n + 1
				return raw, true
			case '\\':
				n++
			case '\n':
				raw = w.buf[w.pos+1 : w.pos+n]
				w.pos += n
				return raw, true
			}
			n++
		}
		if !w.more() {
			return nil, false
		}
	}
}

// word takes a number or a name: all up to a blank, a comma or a bracket.
func (w *window) word() []byte {
	n := 0
	for {
		for n < w.end-w.pos && classes[w.buf[w.pos+n]] == other {
			n++
		}
		if n < w.end-w.pos || !w.more() {
			w.pos += n
			return w.buf[w.pos-n : w.pos]
		}
	}
}

// value takes whatever value begins at pos, and gives its text; what is in it is not looked at but for strings and
// brackets. Whole is false where the input ends first or the value is beyond maxToken, and nothing is taken.
func (w *window) value() (span []byte, whole bool) {
	n, depth := 0, 0
	for {
		var done bool
		if n, depth, done = scan(w.buf[w.pos:w.end], n, depth); done {
			w.pos += n
			return w.buf[w.pos-n : w.pos], true
		}
		if !w.more() {
			return nil, false
		}
	}
}

// scan looks for the end of the value that s begins with, from n on, inside so many brackets. If it is not in s, n is
// where to go on when there is more: a string or a word that is cut is begun again.
func scan(s []byte, n, depth int) (end, inside int, done bool) {
	for n < len(s) {
		switch classes[s[n]] {
		case begins:
			depth++
		case ends:
			if depth--; depth <= 0 {
				return n + min(depth, 0) + 1, 0, true
			}
		case quote:
			i := n + 1
			for i < len(s) && s[i] != '"' && s[i] != '\n' {
				if s[i] == '\\' {
					i++
				}
				i++
			}
			if i >= len(s) {
				return n, depth, false
			}
			n = i
			if depth == 0 {
				return n + 1, 0, true
			}
		case comma, blank:
			if depth == 0 {
				return n, 0, true
			}
		}
		n++
	}
	return n, depth, false
}

// unescaped gives the text of a string; one with escapes that JSON does not know is given as it is.
func unescaped(raw []byte) []byte {
	for _, c := range raw {
		if c == '\\' {
			var s string
			if json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &s) == nil {
				return []byte(s)
			}
			return raw
		}
	}
	return raw
}

// fields visits the members of the object that span is: key without quotes, value as it stands. It is false behind a
// place that is no JSON.
func fields(span []byte, visit func(key, value []byte)) bool {
	w := &window{buf: span, end: len(span), eof: true}
	if c, ok := w.next(); !ok || c != '{' {
		return false
	}
	w.pos++
	for {
		c, ok := w.next()
		switch {
		case ok && c == '}':
			return true
		case ok && c == ',':
			w.pos++
			continue
		case !ok || c != '"':
			return false
		}
		key, ok := w.text()
		if c, more := w.next(); !ok || !more || c != ':' {
			return false
		}
		w.pos++
		if _, ok = w.next(); !ok {
			return false
		}
		value, ok := w.value()
		if !ok || len(value) == 0 {
			return false
		}
		visit(key, value)
	}
}

// plain gives the text of a value that is a string; nil for another.
func plain(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return unescaped(value[1 : len(value)-1])
}
