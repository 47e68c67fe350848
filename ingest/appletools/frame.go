package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// frameOf reads a line of a stack, "8   lib name   0x10f00e86d symbol + 141  file.swift:44", or with "0x10f009000 + 22391"
// where the symbol is not known. The number and the names may be missing behind the address.
func frameOf(line []byte) (f callstack.Frame, ok bool) {
	line = bytes.TrimSpace(line)
	n := 0
	for n < len(line) && isDigit(line[n]) {
		n++
	}
	if n == 0 || n == len(line) || line[n] != ' ' {
		return f, false
	}
	i := bytes.Index(line, []byte(" 0x"))
	if i < n {
		return f, false
	}
	f.Module = text(bytes.TrimSpace(line[n:i]))
	word, next := wordAt(line, i)
	if f.Address, ok = hexadecimal(word.text); !ok {
		return f, false
	}
	f.HasAddress = true
	symbolOf(&f, bytes.TrimSpace(line[next:]))
	return f, true
}

// symbolOf reads "symbol + 141  file.swift:44". A load address in place of a symbol is none.
func symbolOf(f *callstack.Frame, s []byte) {
	name, rest, found := cutOffset(s)
	if !found {
		name, rest = s, nil
	}
	if _, isAddress := hexadecimal(name); isAddress && bytes.HasPrefix(name, []byte("0x")) {
		return
	}
	f.Function = text(name)
	file, number, ok := cutLast(bytes.TrimSpace(rest), ':')
	if !ok {
		return
	}
	f.SourceFile = text(file)
	if n := count(number); n.OK && n.V > 0 {
		f.SourceLine = n
	}
}

// cutOffset cuts a symbol at the last " + " that a number follows: operator + has one of its own.
func cutOffset(s []byte) (name, rest []byte, ok bool) {
	for end := len(s); ; {
		i := bytes.LastIndex(s[:end], []byte(" + "))
		if i < 0 {
			return nil, nil, false
		}
		n := i + 3
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n > i+3 && (n == len(s) || s[n] == ' ') {
			return bytes.TrimSpace(s[:i]), s[n:], true
		}
		end = i
	}
}

func cutLast(s []byte, sep byte) (before, after []byte, ok bool) {
	i := bytes.LastIndexByte(s, sep)
	if i <= 0 {
		return nil, nil, false
	}
	return s[:i], s[i+1:], true
}

func text(s []byte) string { return string(bytes.ToValidUTF8(s, []byte("\uFFFD"))) }

// stacks writes stacks, each once.
type stacks struct {
	b     *table.Builder
	known map[string]int64
	raw   []byte // the stack that is being read, as it stands in the file
	calls []callstack.Frame
}

// maxFrames bounds one stack; a recursion without end is cut by the tools at 512.
const maxFrames = 4096

func (s *stacks) reset() { s.raw, s.calls = s.raw[:0], s.calls[:0] }

// add takes a frame, root first.
func (s *stacks) add(raw []byte, f callstack.Frame) {
	if len(s.calls) < maxFrames {
		s.raw = append(append(s.raw, raw...), '\n')
		s.calls = append(s.calls, f)
	}
}

// id writes the stack that was read and gives its leaf; 0 if there is none.
func (s *stacks) id(line int) int64 {
	if len(s.calls) == 0 {
		return 0
	}
	if id, ok := s.known[string(s.raw)]; ok {
		return id
	}
	if s.known == nil {
		s.known = map[string]int64{}
	}
	for i, j := 0, len(s.calls)-1; i < j; i, j = i+1, j-1 {
		s.calls[i], s.calls[j] = s.calls[j], s.calls[i]
	}
	id := callstack.Add(s.b, s.calls, line).Leaf
	s.known[string(s.raw)] = id
	return id
}
