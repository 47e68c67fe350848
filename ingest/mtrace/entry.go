package mtrace

import (
	"bytes"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// entry is one line: "@ FILE:[0xOFF] OP 0xPTR 0xSIZE", "@ FILE:(SYM+0xOFF)[0xADDR] OP …", "@ [0xADDR] OP …", or without
// a site.
type entry struct {
	site   []byte // without the @
	op     byte   // + alloc, - free, < old and > new block of a realloc, ! failed realloc
	object uint64
	null   bool
	size   table.Int
}

// parse reads a line. Where it is no entry, want says what should stand at the place at.
func parse(line []byte) (e entry, want string, at int) {
	if rest, ok := bytes.CutPrefix(line, []byte("@ ")); ok {
		i := bytes.LastIndex(rest, []byte("] ")) // the name of the file may hold anything
		if i < 0 {
			return e, "a site that ends with [0x…]", 2
		}
		e.site, at = rest[:i+1], 2+i+2
	}
	if at >= len(line) || !isOp(line[at]) {
		return e, "one of + - < > !", at
	}
	e.op = line[at]
	object, size, sized := bytes.Cut(bytes.TrimRight(line[min(at+2, len(line)):], " "), []byte{' '})
	var ok bool
	if e.object, ok = hexadecimal(object); !ok && string(object) != "(nil)" {
		return e, "an address (0x…)", at + 2
	}
	e.null = e.object == 0
	if !sized {
		if e.op == '+' || e.op == '>' {
			return e, "a size (0x…)", len(line)
		}
		return e, "", 0
	}
	n, ok := hexadecimal(size)
	if !ok {
		return e, "a size (0x…)", at + 2 + len(object) + 1
	}
	if n <= math.MaxInt64 {
		e.size = table.Known(int64(n))
	}
	return e, "", 0
}

func isOp(c byte) bool { return c == '+' || c == '-' || c == '<' || c == '>' || c == '!' }

// hexadecimal reads 0x and at most 16 digits; printf writes 0 without the 0x.
func hexadecimal(s []byte) (uint64, bool) {
	digits, ok := bytes.CutPrefix(s, []byte("0x"))
	if !ok {
		return 0, string(s) == "0"
	}
	if len(digits) > 16 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(digits), 16, 64)
	return v, err == nil && digits[0] != '_'
}

// parseSite reads who called. The number in brackets is the offset in the file since glibc 2.34, and an address before, so
// that it is not told as an address; where no symbol stands beside it, it is the name. Without a file it is an address.
func parseSite(s []byte) callstack.Frame {
	var f callstack.Frame
	open := bytes.LastIndexByte(s, '[')
	file, number := s[:max(open, 0)], bytes.TrimSuffix(s[open+1:], []byte{']'})
	if bytes.HasSuffix(file, []byte{')'}) {
		if i := bytes.LastIndex(file, []byte(":(")); i >= 0 {
			f.Function = symbol(string(file[i+2 : len(file)-1]))
			file = file[:i+1]
		}
	}
	if file = bytes.TrimSuffix(file, []byte{':'}); len(file) > 0 {
		f.Module = path.Base(string(file))
	}
	if f.Function == "" && f.Module != "" {
		f.Function = f.Module + "+" + string(number)
	}
	if f.Module == "" {
		f.Address, f.HasAddress = hexadecimal(number)
	}
	return f
}

// symbol takes the offset off "main+4e" or "main-0x4e"; it is hexadecimal, with or without 0x.
func symbol(s string) string {
	i := strings.LastIndexAny(s, "+-")
	if i <= 0 || i+1 == len(s) {
		return s
	}
	if _, err := strconv.ParseUint(strings.TrimPrefix(s[i+1:], "0x"), 16, 64); err != nil {
		return s
	}
	return s[:i]
}
