package memleak

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// lost is printed in place of the frames by --combined-only.
const lost = "stack information lost"

// parseFrame reads a line of a stack. The Python tool prints "[0xADDR] SYMBOL[+0xOFF] [MODULE]", the C tool
// "INDEX [<ADDR>] SYMBOL+0xOFF" with " FILE:LINE", " [DSO]" or nothing behind, and below "(N entries)" the functions that
// were inlined there as "SYMBOL@0xSTART FILE:LINE". A line that is of the stack and names no call gives no frame.
func parseFrame(text []byte) (f callstack.Frame, frame, ok bool) {
	text = bytes.TrimRight(text, " \t")
	if string(text) == lost {
		return f, false, true
	}
	rest, c := indexed(text, &f)
	if !c {
		rest = addressed(text, &f)
	}
	switch {
	case c && entries(rest):
		return f, false, true
	case c && string(rest) == "<null sym>":
		return f, true, true
	}
	f.Module, rest = cutModule(rest)
	if c && f.Module == "" || inlined(rest) {
		f.SourceFile, f.SourceLine, rest = cutSource(rest)
	}
	ok = whole(&f, rest, c)
	return f, ok, ok
}

// whole takes what is left as the symbol and says whether the line is complete. The Python tool prints a module with every
// symbol, the C tool an offset.
func whole(f *callstack.Frame, symbol []byte, c bool) bool {
	switch {
	case len(symbol) == 0:
		return f.Module != ""
	case string(symbol) == "[unknown]", inlined(symbol):
		return name(f, symbol)
	}
	return name(f, symbol) && (c || f.Module != "")
}

// name sets the function.
func name(f *callstack.Frame, symbol []byte) bool {
	if string(symbol) == "[unknown]" {
		return true
	}
	if inlined(symbol) {
		f.Function = string(symbol[:bytes.LastIndex(symbol, []byte("@0x"))])
		return true
	}
	function, offset := callstack.SplitOffset(string(symbol))
	f.Function = function
	return offset != "" || f.Module != "" && function != ""
}

// addressed takes the address that newer Python tools print first.
func addressed(text []byte, f *callstack.Frame) []byte {
	if !bytes.HasPrefix(text, []byte("0x")) {
		return text
	}
	end := bytes.IndexAny(text, " \t")
	if end < 0 {
		return text
	}
	v, err := strconv.ParseUint(string(text[2:end]), 16, 64)
	if err != nil {
		return text
	}
	f.Address, f.HasAddress = v, true
	return bytes.TrimLeft(text[end:], " \t")
}

// indexed takes "0 [<00007f348d6e1dad>]" of the C tool.
func indexed(text []byte, f *callstack.Frame) ([]byte, bool) {
	_, n := digits(text)
	rest, ok := bytes.CutPrefix(text[max(n, 0):], []byte(" [<"))
	end := bytes.Index(rest, []byte(">]"))
	if n < 1 || !ok || end < 0 {
		return text, false
	}
	v, err := strconv.ParseUint(string(rest[:end]), 16, 64)
	if err != nil {
		return text, false
	}
	f.Address, f.HasAddress = v, true
	return bytes.TrimLeft(rest[end+2:], " "), true
}

// entries is "(3 entries)": the names follow, one a line.
func entries(text []byte) bool {
	return bytes.HasPrefix(text, []byte("(")) && bytes.HasSuffix(text, []byte(" entries)"))
}

// inlined is "SYMBOL@0xSTART", with or without a place in the source.
func inlined(text []byte) bool {
	i := bytes.LastIndex(text, []byte("@0x"))
	if i <= 0 {
		return false
	}
	hex, _, _ := bytes.Cut(text[i+3:], []byte{' '})
	_, err := strconv.ParseUint(string(hex), 16, 64)
	return err == nil
}

// cutModule takes the last " [MODULE]" off; a symbol may hold brackets of its own.
func cutModule(text []byte) (string, []byte) {
	n := len(text)
	if n == 0 || text[n-1] != ']' || string(text) == "[unknown]" {
		return "", text
	}
	i := bytes.LastIndex(text, []byte(" ["))
	if i < 0 && text[0] != '[' || i+3 >= n {
		return "", text
	}
	module := string(text[i+2 : n-1])
	if i < 0 {
		module = string(text[1 : n-1])
	}
	return module[strings.LastIndexByte(module, '/')+1:], text[:max(i, 0)]
}

// cutSource takes " FILE:LINE" off.
func cutSource(text []byte) (string, table.Int, []byte) {
	blank, colon := bytes.LastIndexByte(text, ' '), bytes.LastIndexByte(text, ':')
	if blank <= 0 || colon < blank {
		return "", table.Int{}, text
	}
	v, n := digits(text[colon+1:])
	if n < 1 || colon+1+n != len(text) {
		return "", table.Int{}, text
	}
	return string(text[blank+1 : colon]), table.Int{V: v, OK: v > 0}, text[:blank]
}
