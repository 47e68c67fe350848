package memcheck

import (
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// frameOf reads "   at 0x1091C2: read_node (uaf.c:8)" and "   by 0x48417B4: malloc (in /usr/lib/vgpreload.so)". The name
// may hold brackets itself; "???" is no name. Where only the address is none, what stands behind it is given all the same.
func frameOf(text string) (callstack.Frame, bool) {
	s := strings.TrimLeft(text, " ")
	f := callstack.Frame{}
	if len(s) < 3 || s[:3] != "at " && s[:3] != "by " {
		return f, false
	}
	ip, name, found := strings.Cut(s[3:], ": ")
	if !found {
		return f, false
	}
	place(&f, name)
	digits, prefixed := strings.CutPrefix(ip, "0x")
	addr, rest, ok := number(digits, 16)
	if !prefixed || !ok || rest != "" {
		return f, false
	}
	f.Address, f.HasAddress = addr, true
	return f, true
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
