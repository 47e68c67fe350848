package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// frame is one line of a backtrace.
type frame struct {
	function, module table.Sym
	address          uint64
	hasAddress       bool
	line             int
}

// frameOf reads a line that begins with a #, "      #00 pc 00000000000092a0  /data/app/base.apk (offset 0x21a000) (symbol+12) (BuildId: 1f…)".
func (t *tombstones) frameOf(line []byte) (frame, bool) {
	s := bytes.TrimLeft(line, " ")
	if len(s) == 0 || s[0] != '#' {
		return frame{}, false
	}
	f := frame{line: t.lines.Line()}
	_, n := number(s[1:])
	pc, ok := bytes.CutPrefix(bytes.TrimLeft(s[1+n:], " "), []byte("pc ")) // old ones have two blanks
	f.address, f.hasAddress = hex(pc)
	if n == 0 || !ok || !f.hasAddress {
		t.b.Problems.Add(t.lines.Pos(columnOf(line, s)), "want a frame, #NN pc ADDRESS PLACE, have %q: it is not known", clip(s))
		return frame{line: f.line}, true // those around it were not called by each other
	}
	_, rest, _ := bytes.Cut(pc, []byte(" "))
	t.place(&f, bytes.TrimSpace(rest))
	return f, true
}

// place takes the groups in brackets off the end; what is left is the module, blanks and "(deleted)" included.
func (t *tombstones) place(f *frame, s []byte) {
	for {
		open := lastGroup(s)
		if open < 0 {
			break
		}
		group := s[open+1 : len(s)-1]
		switch {
		case bytes.HasPrefix(group, []byte("BuildId: ")), bytes.HasPrefix(group, []byte("offset 0x")):
		case f.function == table.Null && !bytes.Equal(group, []byte("deleted")):
			f.function = t.b.Sym(withoutOffset(group))
		default:
			open = -1
		}
		if open < 0 {
			break
		}
		s = bytes.TrimRight(s[:open], " ")
	}
	if len(s) > 0 {
		f.module = t.b.Sym(s)
	}
}

// lastGroup finds the bracket that the last character closes, if a blank or nothing stands before it.
func lastGroup(s []byte) int {
	if len(s) == 0 || s[len(s)-1] != ')' {
		return -1
	}
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				if i == 0 || s[i-1] == ' ' {
					return i
				}
				return -1
			}
		}
	}
	return -1
}

// withoutOffset takes "+12" off a symbol: two builds have different ones.
func withoutOffset(s []byte) []byte {
	i := bytes.LastIndexByte(s, '+')
	if i <= 0 || i == len(s)-1 {
		return s
	}
	for _, c := range s[i+1:] {
		if c < '0' || c > '9' {
			return s
		}
	}
	return s[:i]
}

// push puts a stack, leaf first, into the trie and gives the id of its leaf; 0 for none.
func (t *tombstones) push(stack []frame) int64 {
	var id int64
	for i := len(stack) - 1; i >= 0; i-- {
		f := &stack[i]
		id = t.b.Frame(table.Frame{Parent: id, Function: f.function, Module: f.module, Address: f.address, HasAddress: f.hasAddress}, f.line)
	}
	return id
}

// hex reads the hexadecimal digits at the start of s, with or without 0x.
func hex(s []byte) (uint64, bool) {
	s = bytes.TrimPrefix(s, []byte("0x"))
	var v uint64
	n := 0
	for ; n < len(s); n++ {
		c := s[n] | 0x20
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return v, n > 0 && n <= 16
		}
	}
	return v, n > 0 && n <= 16
}
