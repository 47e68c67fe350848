package memcheck

import (
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// frameOf reads "   at 0x1091C2: read_node (uaf.c:8)" and "   by 0x48417B4: malloc (in /usr/lib/vgpreload.so)". The name
// may hold brackets itself; "???" is no name.
func frameOf(text string) (callstack.Frame, bool) {
	s := strings.TrimLeft(text, " ")
	if len(s) < 6 || s[:5] != "at 0x" && s[:5] != "by 0x" {
		return callstack.Frame{}, false
	}
	addr, s, ok := number(s[5:], 16)
	if s, found := strings.CutPrefix(s, ": "); ok && found {
		f := callstack.Frame{Address: addr, HasAddress: true}
		place(&f, s)
		return f, true
	}
	return callstack.Frame{}, false
}

// place takes the group in brackets off the end.
func place(f *callstack.Frame, s string) {
	if open := strings.LastIndex(s, " ("); open >= 0 && strings.HasSuffix(s, ")") {
		group := s[open+2 : len(s)-1]
		colon := strings.LastIndexByte(group, ':')
		if module := strings.LastIndex(s, " (in "); module >= 0 {
			f.Module, s = path.Base(s[module+5:len(s)-1]), s[:module]
		} else if colon > 0 {
			if n := leading(group[colon+1:]); n.OK {
				f.SourceFile, f.SourceLine, s = group[:colon], n, s[:open]
			}
		}
	}
	if s != "???" {
		f.Function = s
	}
}

// xmlFrame takes one element of a <frame>.
func xmlFrame(f *callstack.Frame, name, value string) {
	switch name {
	case "ip":
		if v, _, ok := number(strings.TrimPrefix(value, "0x"), 16); ok {
			f.Address, f.HasAddress = v, true
		}
	case "obj":
		f.Module = path.Base(value)
	case "fn":
		f.Function = value
	case "dir": // it stands before the file
		f.SourceFile = value
	case "file":
		f.SourceFile = path.Join(f.SourceFile, value)
	case "line":
		if n := leading(value); n.OK && n.V > 0 {
			f.SourceLine = table.Known(n.V)
		}
	}
}
