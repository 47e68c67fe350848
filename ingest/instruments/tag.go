package instruments

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxAttrs bounds the attributes that are kept of a tag; those of real exports have up to twelve.
const maxAttrs = 64

// attr is an attribute as it stands in the text, entities and all.
type attr struct{ name, value []byte }

// tag is one start or end tag. Its parts lie in the text that it was parsed from.
type tag struct {
	name       []byte
	end, empty bool
	broken     bool // another tag begins inside it
	attrs      []attr
}

// parse reads the tag at s[i], which is '<', and gives the index behind it; -1 if s ends before. It takes any name that
// holds no blank, '=', '/' or '>': Apple writes resident-%. A '<' inside a tag ends it: something was lost there.
func (t *tag) parse(s []byte, i int) int {
	t.attrs, t.end, t.empty, t.broken = t.attrs[:0], false, false, false
	i++
	if i < len(s) && s[i] == '/' {
		t.end = true
		i++
	}
	from := i
	for i < len(s) && !nameEnd[s[i]] {
		i++
	}
	t.name = s[from:i]
	for i < len(s) {
		switch c := s[i]; c {
		case '>':
			return i + 1
		case '<':
			t.broken = true
			return i
		case '/':
			t.empty = true
			i++
		case ' ', '\n', '\t', '\r', '=', '"', '\'':
			i++
		default:
			if i = t.attr(s, i); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// attr reads name="value" at s[i] and gives the index behind it.
func (t *tag) attr(s []byte, i int) int {
	t.empty = false
	from := i
	for i < len(s) && !nameEnd[s[i]] {
		i++
	}
	name := s[from:i]
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i >= len(s) || s[i] != '=' {
		return i
	}
	for i++; i < len(s) && isSpace(s[i]); i++ {
	}
	if i >= len(s) || s[i] != '"' && s[i] != '\'' {
		return i
	}
	n := bytes.IndexByte(s[i+1:], s[i])
	if n < 0 {
		return -1
	}
	if lost := bytes.IndexByte(s[i+1:i+1+n], '<'); lost >= 0 { // no value holds one: its quote is lost
		return i + 1 + lost
	}
	if len(t.attrs) < maxAttrs {
		t.attrs = append(t.attrs, attr{name, s[i+1 : i+1+n]})
	}
	return i + n + 2
}

// value is that of an attribute; nil if there is none.
func (t *tag) value(name string) []byte {
	for i := range t.attrs {
		if string(t.attrs[i].name) == name {
			return t.attrs[i].value
		}
	}
	return nil
}

func (t *tag) is(name string) bool { return string(t.name) == name }

var nameEnd = func() (is [256]bool) {
	for _, c := range " \t\r\n=/><\"'" {
		is[c] = true
	}
	return is
}()

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// markupEnd gives the index behind the comment, CDATA section, processing instruction or declaration that s begins with;
// -1 if s ends before. Declarations are passed over, with all entities that they may declare.
func markupEnd(s []byte) int {
	for _, m := range [...]struct{ from, to string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if bytes.HasPrefix(s, []byte(m.from)) {
			n := bytes.Index(s[len(m.from):], []byte(m.to))
			if n < 0 {
				return -1
			}
			return len(m.from) + n + len(m.to)
		}
		if len(s) < len(m.from) && m.from[:len(s)] == string(s) {
			return -1
		}
	}
	return declarationEnd(s)
}

// declarationEnd finds the '>' outside quotes and square brackets.
func declarationEnd(s []byte) int {
	depth, quote := 0, byte(0)
	for i, c := range s {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '>' && depth <= 0:
			return i + 1
		}
	}
	return -1
}

// unescape gives text with the five predefined entities and numeric references in place. What else begins with '&' stays
// as it is written: no entity of a document is ever resolved.
func unescape(s []byte) []byte {
	i := bytes.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i >= 0 {
		out, s = append(out, s[:i]...), s[i:]
		end := bytes.IndexByte(s[:min(len(s), 12)], ';')
		if r, ok := entity(s, end); ok {
			out, s = utf8.AppendRune(out, r), s[end+1:]
		} else {
			out, s = append(out, '&'), s[1:]
		}
		i = bytes.IndexByte(s, '&')
	}
	return append(out, s...)
}

func entity(s []byte, end int) (rune, bool) {
	if end < 2 {
		return 0, false
	}
	switch name := string(s[1:end]); {
	case name == "amp":
		return '&', true
	case name == "lt":
		return '<', true
	case name == "gt":
		return '>', true
	case name == "quot":
		return '"', true
	case name == "apos":
		return '\'', true
	case name[0] == '#':
		digits, base := name[1:], 10
		if len(digits) > 0 && digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		v, err := strconv.ParseUint(digits, base, 21)
		return rune(v), err == nil && v > 0 && utf8.ValidRune(rune(v))
	}
	return 0, false
}

// clip keeps messages short.
func clip(s []byte) []byte { return s[:min(len(s), 60)] }
