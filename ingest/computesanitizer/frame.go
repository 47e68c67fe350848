package computesanitizer

import (
	"path"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// frameOf reads what stands behind "Host Frame:" or "Device Frame:":
//
//	/lib64/libcuda.so.1 (cuMemAlloc_v2 + 0x1b7) [0x26ec97]      cuda-memcheck
//	./leak [0x2bab3]
//	main [0x3113]                                              compute-sanitizer, the file on the line below
//	KvCache::grow(int) in /src/kv_cache.cu:123 [0x67c8b]
//	cudaMalloc in libcudart.so.12 [0x4138f], and [0x4138f] in libcudart.so.12
func frameOf(s string) (f callstack.Frame, ok bool) {
	open := strings.LastIndex(s, "[0x")
	if open < 0 {
		return f, false
	}
	addr, n := hex(s[open+len("[0x"):])
	behind, closed := strings.CutPrefix(s[open+len("[0x")+n:], "]")
	if n == 0 || !closed {
		return f, false
	}
	f.Address, f.HasAddress = addr, true
	name := strings.TrimSpace(s[:open])
	if module, ok := strings.CutPrefix(behind, " in "); ok {
		named(&f, name)
		setModule(&f, module)
		return f, true
	}
	if file, call, ok := strings.Cut(name, " ("); ok && strings.HasSuffix(call, ")") && strings.Contains(call, " + 0x") {
		f.Function, _, _ = strings.Cut(call, " + 0x")
		f.Module = path.Base(file)
		return f, true
	}
	if strings.Contains(name, "/") && !strings.ContainsAny(name, " (") {
		setModule(&f, name)
		return f, true
	}
	named(&f, name)
	return f, true
}

// named reads "FUNCTION in FILE:LINE"; only the function may be there, or nothing.
func named(f *callstack.Frame, s string) {
	f.Function = s
	i := strings.LastIndex(s, " in ")
	if i < 0 {
		return
	}
	place := s[i+len(" in "):]
	file, line, ok := cutLine(place)
	if !ok {
		f.Function, f.Module = s[:i], path.Base(place)
		return
	}
	f.Function, f.SourceFile, f.SourceLine = s[:i], file, line
}

// cutLine splits FILE:LINE.
func cutLine(s string) (file string, line table.Int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return s, line, false
	}
	line, rest := number(s[i+1:])
	return s[:i], line, line.OK && rest == ""
}

// setModule notes the file that a call is in. A call without a name is told by its place in it.
func setModule(f *callstack.Frame, file string) {
	f.Module = path.Base(file)
	if f.Function == "" && f.HasAddress {
		f.Function = f.Module + "+0x" + strconv.FormatUint(f.Address, 16)
	}
}

// deviceFrame reads where a kernel went wrong: "0x70 in /src/k.cu:12:kernel(int*)" of old versions, and
// "kernel(int *)+0x70 in k.cu:12" of new ones.
func deviceFrame(s string) (f callstack.Frame, ok bool) {
	if old, is := strings.CutPrefix(s, "0x"); is {
		_, n := hex(old)
		place, is := strings.CutPrefix(old[n:], " in ")
		if !is {
			return f, false
		}
		f.Function = place
		if file, rest, is := strings.Cut(place, ":"); is {
			if line, behind := number(rest); line.OK && strings.HasPrefix(behind, ":") {
				f.SourceFile, f.SourceLine, f.Function = file, line, behind[1:]
			}
		}
		return f, f.Function != ""
	}
	named(&f, s)
	f.Function, _ = callstack.SplitOffset(f.Function)
	return f, f.Function != ""
}

// kinds tell the fault of a record by words of its head line; the first that fits counts. Lines that say how the program
// ended are none.
var kinds = []struct{ words, fault string }{
	{"Uninitialized ", "uninitialised"},
	{"Misaligned ", "misaligned-access"},
	{"misaligned", "misaligned-access"},
	{"Double free", "double-free"},
	{"double free", "double-free"},
	{"nvalid pointer to free", "invalid-free"},
	{"Stack overflow", "overflow"},
	{"stack overflow", "overflow"},
	{"Race reported", "race"},
	{"hazard detected", "race"},
	{"Barrier error", "race"},
	{"Program hit ", "api-error"},
	{"CUDA Exception", "api-error"},
	{"Invalid ", "invalid-access"},
	{"Fatal UVM", "invalid-access"},
	{"Malloc/Free ", "invalid-free"},
}

func kindOf(text string) string {
	for _, k := range kinds {
		if strings.Contains(text, k.words) {
			return k.fault
		}
	}
	return ""
}

// sizeIn reads "of size 4" off a head line.
func sizeIn(text string) table.Int {
	_, rest, ok := strings.Cut(text, " of size ")
	if !ok {
		return table.Int{}
	}
	v, _ := number(rest)
	return v
}

// number reads digits, with commas between thousands, at the start of s, and gives what stands behind.
func number(s string) (v table.Int, rest string) {
	i, n := 0, 0
	for ; i < len(s); i++ {
		if s[i] == ',' && n > 0 && i+3 < len(s) && s[i+1]-'0' <= 9 {
			continue
		}
		if s[i] < '0' || s[i] > '9' {
			break
		}
		if n++; n > 18 {
			return table.Int{}, s
		}
		v.V = v.V*10 + int64(s[i]-'0')
	}
	v.OK = n > 0
	return v, s[i:]
}

// hex reads the digits at the start of s and gives their number; 0 if there are none or too many.
func hex(s string) (v uint64, n int) {
	for ; n < len(s); n++ {
		c := s[n] | 0x20
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return short(v, n)
		}
	}
	return short(v, n)
}

func short(v uint64, n int) (uint64, int) {
	if n > 16 {
		return 0, 0
	}
	return v, n
}
