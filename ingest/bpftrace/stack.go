package bpftrace

import (
	"bytes"
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// stacks are those met so far, by their text: symbols are looked up once for each of them.
type stacks map[string]callstack.Stack

// of gives the stack of lines of frames, each with its line end.
func (s stacks) of(b *table.Builder, text []byte, line int) callstack.Stack {
	if x, ok := s[string(text)]; ok {
		return x
	}
	var frames []callstack.Frame
	for one := range bytes.Lines(text) {
		if one = bytes.TrimSpace(one); len(one) > 0 {
			frames = append(frames, parseFrame(one))
		}
	}
	x := callstack.Add(b, frames, line)
	s[string(text)] = x
	return x
}

// parseFrame reads a line of ustack or kstack: sym+DEC, or 0xADDR where no symbol was found, or, with the mode perf,
// HEX sym+DEC (module). Addresses that are garbage are kept.
func parseFrame(s []byte) callstack.Frame {
	if v, ok := hexadecimal(s); ok {
		return callstack.Frame{Address: v, HasAddress: true}
	}
	if f, ok := perfFrame(s); ok {
		return f
	}
	function, _ := callstack.SplitOffset(string(s))
	return callstack.Frame{Function: function}
}

func perfFrame(s []byte) (f callstack.Frame, ok bool) {
	i, k := bytes.IndexByte(s, ' '), bytes.LastIndex(s, []byte(" ("))
	if i < 4 || k < i || s[len(s)-1] != ')' {
		return f, false
	}
	if f.Address, f.HasAddress = bareHex(s[:i]); !f.HasAddress {
		return f, false
	}
	symbol := bytes.TrimSpace(s[i:max(i, k)])
	if _, raw := hexadecimal(symbol); !raw && string(symbol) != "[unknown]" {
		f.Function, _ = callstack.SplitOffset(string(symbol))
	}
	if file := strings.Trim(string(s[k+2:len(s)-1]), "[]"); file != "" && file != "unknown" {
		f.Module = path.Base(file)
	}
	return f, true
}
