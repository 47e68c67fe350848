package event

import (
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// parseFrame reads a frame. The forms are those of docs/formats/memtide-events.md:
//
//	function+0x13 [module]   function+19   function@dir/file.c:12 [module]   0x55d0 [module]
//	+0x11b4 [module]   /path/module+0x11b4   /path/module(function+0x13) [0x55d0]   (backtrace_symbols of glibc)
func parseFrame(s string) callstack.Frame {
	s, bracket := cutBracket(s)
	if v, ok := address(bracket); ok {
		f := parenthesised(s)
		f.Address, f.HasAddress = v, true
		return f
	}
	f := callstack.Frame{Module: base(bracket)}
	if v, ok := address(s); ok {
		f.Address, f.HasAddress = v, true
		return f
	}
	if s != "[unknown]" {
		f.Function = s
	}
	if name, file, line, ok := cutSource(s); ok {
		f.Function, f.SourceFile, f.SourceLine = name, file, line
	}
	return placed(f)
}

// placed takes the offset off the function. Where only the module is known, the offset in it is the name, as of all
// addresses that nobody named.
func placed(f callstack.Frame) callstack.Frame {
	symbol, offset := callstack.SplitOffset(f.Function)
	switch {
	case strings.HasPrefix(f.Function, "+0x") && f.Module != "":
		f.Function = f.Module + f.Function
	case offset != "" && f.Module == "" && isPath(symbol):
		f.Module = base(symbol)
		f.Function = f.Module + "+" + offset
	default:
		f.Function = symbol
	}
	return f
}

// parenthesised reads "/path/module(function+0x13)"; either part in the brackets may be missing.
func parenthesised(s string) callstack.Frame {
	i := strings.IndexByte(s, '(')
	if i < 0 || s[len(s)-1] != ')' {
		if isPath(s) {
			return callstack.Frame{Module: base(s)}
		}
		return placed(callstack.Frame{Function: s})
	}
	return placed(callstack.Frame{Module: base(s[:i]), Function: s[i+1 : len(s)-1]})
}

// cutBracket cuts " [module]" off the end.
func cutBracket(s string) (rest, inside string) {
	i := strings.LastIndex(s, " [")
	if s[len(s)-1] != ']' || i < 0 || strings.HasPrefix(s[i:], " [clone ") {
		if s[0] == '[' && s[len(s)-1] == ']' {
			return "", s[1 : len(s)-1]
		}
		return s, ""
	}
	return strings.TrimRight(s[:i], " "), s[i+2 : len(s)-1]
}

// cutSource cuts "function@file:line" or "function@file:line:column". The file begins behind the first @ that stands
// alone: @@ is part of a versioned or a decorated name, and names that begin with ? (those of Microsoft's compiler) are
// full of them.
func cutSource(s string) (function, file string, line table.Int, ok bool) {
	at := strings.LastIndexByte(s, '@')
	for i := 0; i < at && s[0] != '?'; i++ {
		if s[i] == '@' && s[i+1] != '@' && (i == 0 || s[i-1] != '@') {
			at = i
		}
	}
	if at <= 0 {
		return "", "", line, false
	}
	file, n, ok := cutNumber(s[at+1:])
	if !ok {
		return "", "", line, false
	}
	if shorter, first, ok := cutNumber(file); ok {
		file, n = shorter, first
	}
	function, _ = callstack.SplitOffset(s[:at])
	return function, file, table.Known(n), true
}

// cutNumber cuts ":12" off the end.
func cutNumber(s string) (rest string, n int64, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return s, 0, false
	}
	n, ok = whole([]byte(s[i+1:]))
	return s[:i], n, ok
}

func address(s string) (uint64, bool) {
	if !strings.HasPrefix(s, "0x") {
		return 0, false
	}
	return hexadecimal([]byte(s[2:]))
}

// libraries are parts of names of files that hold code; no function has them.
var libraries = []string{".so.", ".dll", ".dylib", ".exe", ".ko"}

func isPath(s string) bool {
	if strings.HasPrefix(s, "/") || strings.Contains(s, `:\`) || strings.HasSuffix(s, ".so") {
		return true
	}
	for _, l := range libraries {
		if strings.Contains(s, l) {
			return true
		}
	}
	return false
}

// base is the last part of a path of either kind of system.
func base(s string) string {
	if s == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(s, `\`, "/"))
}
