package massif

import (
	"path"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// parseFrame reads a call as Valgrind prints it: "0x1093D3: tick (leakmix.cpp:34)" or "0x48417B4: malloc (in /usr/lib/x.so)".
// Names may hold colons, commas and parentheses: the address is taken from the left, the place from the right. The address
// is that of the call, not of the return; a damaged one is not known.
func parseFrame(text string) callstack.Frame {
	var f callstack.Frame
	if digits, rest, ok := strings.Cut(text, ": "); ok && !strings.ContainsAny(digits, " (<") {
		a, err := strconv.ParseUint(strings.TrimPrefix(digits, "0x"), 16, 64)
		f.Address, f.HasAddress, text = a, err == nil && strings.HasPrefix(digits, "0x"), rest
	}
	f.Function = text
	if i := strings.LastIndex(text, " (in "); i >= 0 && strings.HasSuffix(text, ")") {
		f.Function, f.Module = text[:i], path.Base(text[i+len(" (in "):len(text)-1])
	} else if i := strings.LastIndex(text, " ("); i >= 0 && strings.HasSuffix(text, ")") {
		if file, line, ok := fileLine(text[i+2 : len(text)-1]); ok {
			f.Function, f.SourceFile, f.SourceLine = text[:i], file, table.Known(line)
		}
	}
	if f.Function == "???" {
		f.Function = ""
	}
	return f
}

// fileLine splits "main.rs:12" and "main.rs:12:5", of which the last is a column.
func fileLine(s string) (file string, line int64, ok bool) {
	file, number, _ := lastCut(s)
	if f, n, more := lastCut(file); more {
		if _, err := strconv.ParseUint(n, 10, 31); err == nil {
			file, number = f, n
		}
	}
	n, err := strconv.ParseUint(number, 10, 31)
	return file, int64(n), err == nil && file != ""
}

func lastCut(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
