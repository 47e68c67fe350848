package pysource

import (
	"sort"
	"strings"
)

// statement is a logical line: from its first line to the one on which brackets, strings and continuations are closed.
type statement struct {
	first, last int // lines, from 1
	from, to    int // bytes, without indentation, comment and line end
	indent      int
	name        string // of a def or class
	inline      bool   // a def or class whose body stands on its line
}

// file is a source cut into statements.
type file struct {
	data       string
	lines      []string
	statements []statement
}

// parse cuts a source. Text that is no Python makes statements of some kind, and no error.
func parse(data []byte) *file {
	f := &file{data: strings.TrimPrefix(string(data), "\uFEFF")}
	f.lines = strings.Split(f.data, "\n")
	l := lexer{s: f.data, line: 1}
	for l.i < len(l.s) {
		if st, ok := l.statement(); ok {
			st.define(f.data[st.from:st.to])
			f.statements = append(f.statements, st)
		}
	}
	return f
}

// lexer goes through a source.
type lexer struct {
	s       string
	i, line int
}

// statement reads one logical line; false for an empty one.
func (l *lexer) statement() (st statement, ok bool) {
	for ; l.i < len(l.s) && strings.IndexByte(" \t\f\r", l.s[l.i]) >= 0; l.i++ {
		switch l.s[l.i] {
		case ' ':
			st.indent++
		case '\t':
			st.indent += 8 - st.indent%8
		case '\f':
			st.indent = 0
		}
	}
	st.first, st.from, st.to = l.line, l.i, l.i
	for depth := 0; l.i < len(l.s); {
		c := l.s[l.i]
		switch {
		case c == '\n':
			l.next()
			if depth == 0 {
				return st, st.to > st.from
			}
			continue
		case c == '#':
			l.comment()
			continue
		case c == '\\' && l.follows('\n'):
			l.i++
			l.next()
			continue
		case c == '"' || c == '\'':
			l.str(0)
		case strings.IndexByte("([{", c) >= 0:
			depth++
			l.i++
		case strings.IndexByte(")]}", c) >= 0:
			depth = max(0, depth-1)
			l.i++
		case c == ' ' || c == '\t' || c == '\r':
			l.i++
			continue
		default:
			l.i++
		}
		st.to, st.last = l.i, l.line
	}
	return st, st.to > st.from
}

// next steps over a line end.
func (l *lexer) next() {
	l.i++
	l.line++
}

func (l *lexer) comment() {
	for l.i < len(l.s) && l.s[l.i] != '\n' {
		l.i++
	}
}

// follows says whether the next byte, a carriage return apart, is c.
func (l *lexer) follows(c byte) bool {
	if l.i+1 < len(l.s) && l.s[l.i+1] == '\r' {
		l.i++
	}
	return l.i+1 < len(l.s) && l.s[l.i+1] == c
}

// deepest is how far strings may stand in the braces of others.
const deepest = 16

// str steps over a string: of one or three quotes. A string that is not closed ends with its line. In the braces of an f-string may
// stand strings with the same quotes (from Python 3.12 on).
func (l *lexer) str(depth int) {
	formatted := l.formatted()
	quote := l.s[l.i : l.i+1]
	if strings.HasPrefix(l.s[l.i:], quote+quote+quote) {
		quote = quote + quote + quote
	}
	l.i += len(quote)
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == '\\' && l.i+1 < len(l.s):
			l.i++
			l.step()
		case strings.HasPrefix(l.s[l.i:], quote):
			l.i += len(quote)
			return
		case c == '\n' && len(quote) == 1:
			return
		case c == '{' && formatted && l.i+1 < len(l.s) && l.s[l.i+1] == '{':
			l.i += 2
		case c == '{' && formatted && depth < deepest:
			l.i++
			l.braces(quote, depth)
		default:
			l.step()
		}
	}
}

// step goes one byte on.
func (l *lexer) step() {
	if l.s[l.i] == '\n' {
		l.line++
	}
	l.i++
}

// braces steps over a field of an f-string.
func (l *lexer) braces(quote string, depth int) {
	for open := 1; l.i < len(l.s) && open > 0; {
		switch c := l.s[l.i]; {
		case c == '{':
			open++
			l.i++
		case c == '}':
			open--
			l.i++
		case c == '"' || c == '\'':
			l.str(depth + 1)
		case c == '\n' && len(quote) == 1:
			return
		default:
			l.step()
		}
	}
}

// formatted says whether the letters before a quote make an f-string.
func (l *lexer) formatted() bool {
	from := l.i
	for from > 0 && l.i-from < 3 && strings.IndexByte("rRbBfFuUtT", l.s[from-1]) >= 0 {
		from--
	}
	return strings.ContainsAny(l.s[from:l.i], "fFtT") && (from == 0 || !isName(l.s[from-1]))
}

func isName(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// define notes the name of a def or class, and whether its body stands behind it.
func (st *statement) define(text string) {
	rest := text
	for {
		word, more, ok := strings.Cut(rest, " ")
		if !ok || word != "async" && word != "def" && word != "class" {
			return
		}
		rest = strings.TrimLeft(more, " \t")
		if word != "async" {
			break
		}
	}
	n := 0
	for n < len(rest) && isName(rest[n]) {
		n++
	}
	st.name, st.inline = rest[:n], text[len(text)-1] != ':'
}

// at finds the statement that covers a line; of several the innermost cannot be told apart, since they do not overlap.
func (f *file) at(line int) (statement, bool) {
	i := sort.Search(len(f.statements), func(i int) bool { return f.statements[i].first > line }) - 1
	if i < 0 || f.statements[i].last < line {
		return statement{}, false
	}
	return f.statements[i], true
}

// function names what a statement stands in: Class.method, or <module>.
func (f *file) function(st statement) string {
	var names []string
	if st.inline {
		names = append(names, st.name)
	}
	i := sort.Search(len(f.statements), func(i int) bool { return f.statements[i].first >= st.first })
	for indent := st.indent; i > 0 && indent > 0; {
		i--
		if o := &f.statements[i]; o.indent < indent {
			indent = o.indent
			if o.name != "" {
				names = append(names, o.name)
			}
		}
	}
	if len(names) == 0 {
		return "<module>"
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, ".")
}

// text is a statement on one line, without its comments and the blanks that breaking it put inside brackets.
func (f *file) text(st statement) string {
	var b strings.Builder
	l := lexer{s: f.data[:st.to], i: st.from}
	blank, broken := false, false
	for l.i < len(l.s) && b.Len() < 4*maxText {
		from, c := l.i, l.s[l.i]
		switch {
		case c == '#':
			l.comment()
			continue
		case c == '\\' && l.follows('\n'):
			l.i++
			continue
		case strings.IndexByte(" \t\r\n", c) >= 0:
			l.i++
			blank, broken = true, broken || c == '\n'
			continue
		case c == '"' || c == '\'':
			l.str(0)
		default:
			l.i++
		}
		if n := b.Len(); blank && n > 0 && (!broken || strings.IndexByte("([{", b.String()[n-1]) < 0 && strings.IndexByte(")]}", c) < 0) {
			b.WriteByte(' ')
		}
		blank, broken = false, false
		b.WriteString(l.s[from:l.i])
	}
	return clip(b.String())
}
