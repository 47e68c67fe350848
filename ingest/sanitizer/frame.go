package sanitizer

import (
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// call is a frame as it was read, kept by its text: one call stands in many stacks.
type call = callstack.Frame

// frameText cuts "#N " off a line and gives what stands behind it. N is unknown where it is none: a word with a digit in it,
// or of one character.
func frameText(s string) (rest string, n table.Int, ok bool) {
	i := strings.IndexByte(s, ' ')
	if i < 0 && len(s) > 1 {
		i = len(s) // nothing but a number
	}
	if s == "" || s[0] != '#' || i < 2 {
		return "", n, false
	}
	n = decimal(s[1:i])
	n.OK = n.OK && strings.Trim(s[1:i], "0123456789") == ""
	return strings.TrimLeft(s[i:], " "), n, n.OK || i == 2 || strings.ContainsAny(s[1:i], "0123456789")
}

// frameOf reads what stands behind the number of a frame:
//
//	0x7f in read_node /src/uaf.c:8:69
//	0x7f in free (/app/uaf+0xa2ea2) (BuildId: d519…)
//	0x7f  (/lib/libstdc++.so.6+0xd44a2)
//	conn_use /src/uafrace.cpp:21 (uafrace+0x13e7)
//	<null> <null> (libstdc++.so.6+0xd44a2)
func frameOf(s string) (f call, ok bool) {
	if rest, found := strings.CutPrefix(s, "0x"); found {
		v, n := hex(rest)
		if n == 0 {
			return f, false
		}
		f.Address, f.HasAddress = v, true
		s = strings.TrimLeft(rest[n:], " ")
		s = strings.TrimPrefix(s, "in ")
	}
	if ip, rest, found := strings.Cut(s, " in "); found && !f.HasAddress && !strings.ContainsAny(ip, " (<:") {
		s = rest // an address that is none
	}
	s = cutModule(&f, s)
	s = cutFile(&f, strings.TrimRight(s, " "))
	if s = strings.TrimRight(s, " "); s != "" && s != "<null>" {
		f.Function = s
	}
	return f, f.Function != "" || f.HasAddress
}

// cutModule takes "(MODULE+0xOFFSET)" and the groups behind it off the end. It names a call that has no other name.
func cutModule(f *call, s string) string {
	for strings.HasSuffix(s, ")") {
		open := strings.LastIndexByte(s, '(')
		if open < 0 || open > 0 && s[open-1] != ' ' {
			return s
		}
		group := s[open+1 : len(s)-1]
		plus := strings.LastIndex(group, "+0x")
		switch {
		case group == "??", strings.HasPrefix(group, "BuildId: "):
		case plus > 0:
			f.Module = path.Base(group[:plus])
			f.Function = f.Module + group[plus:]
		default:
			return s
		}
		s = strings.TrimRight(s[:open], " ")
	}
	return s
}

// cutFile takes "FILE:LINE:COLUMN" off the end. A path that begins with a slash may hold blanks, as functions do.
func cutFile(f *call, s string) string {
	if rest, ok := strings.CutSuffix(s, " <null>"); ok {
		return rest
	}
	at := strings.Index(s, " /")
	if at < 0 {
		at = strings.LastIndexByte(s, ' ')
	}
	if at < 0 {
		return s
	}
	file := s[at+1:]
	var last int64
	numbers := 0
	for numbers < 2 {
		i := strings.LastIndexByte(file, ':')
		n := decimal(file[i+1:])
		if i <= 0 || !n.OK || strings.Trim(file[i+1:], "0123456789") != "" {
			break
		}
		file, last = file[:i], n.V
		numbers++
	}
	if numbers == 0 && (!strings.ContainsAny(file, "./") || strings.ContainsAny(file, "()[]<>")) {
		return s
	}
	f.SourceFile = file
	f.SourceLine.V, f.SourceLine.OK = last, last > 0
	return s[:at]
}
