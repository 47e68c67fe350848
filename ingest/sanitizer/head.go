package sanitizer

import (
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// head is the first line of a report.
type head struct {
	tool, text string // the text begins with the tool
	pid        table.Int
}

// headOf reads "==5748==ERROR: AddressSanitizer: heap-use-after-free on address …" and "WARNING: ThreadSanitizer: data race
// (pid=26643)".
func headOf(line string) (head, bool) {
	var h head
	i := strings.Index(line, "ERROR: ")
	if w := strings.Index(line, "WARNING: "); i < 0 || w >= 0 && w < i {
		i = w
	}
	if i < 0 {
		return h, false
	}
	_, h.text, _ = strings.Cut(line[i:], ": ")
	for _, t := range tools {
		if strings.HasPrefix(h.text, t+": ") {
			h.tool = t
		}
	}
	if h.tool == "" {
		return h, false
	}
	h.pid = pidBefore(line[:i])
	if _, rest, ok := strings.Cut(h.text, "(pid="); ok && !h.pid.OK {
		if digits, _, ok := strings.Cut(rest, ")"); ok && strings.Trim(digits, "0123456789") == "" {
			h.pid = decimal(digits)
		}
	}
	return h, h.pid.OK || h.tool == threadSanitizer || strings.HasSuffix(line[:i], "==") && strings.Count(line[:i], "==") > 1
}

// pidBefore reads the pid of "==5748==", which ends the text; words of the program may stand before it.
func pidBefore(s string) table.Int {
	s, ok := strings.CutSuffix(s, "==")
	i := strings.LastIndex(s, "==")
	if !ok || i < 0 {
		return table.Int{}
	}
	pid := decimal(s[i+2:])
	pid.OK = pid.OK && strings.Trim(s[i+2:], "0123456789") == ""
	return pid
}

// kinds tell the kind of a report by its first words; the first that fits counts.
var kinds = []struct{ words, fault string }{
	{"stack-use-after", "invalid-access"},
	{"heap-use-after-free", "use-after-free"},
	{"double-free", "double-free"},
	{"attempting free on address", "invalid-free"},
	{"bad-free", "invalid-free"},
	{"-mismatch", "mismatched-free"},
	{"buffer-overflow", "overflow"},
	{"buffer-underflow", "overflow"},
	{"container-overflow", "overflow"},
	{"intra-object-overflow", "overflow"},
	{"use-of-uninitialized-value", "uninitialised"},
	{"SEGV", "crash"}, {"BUS", "crash"}, {"FPE", "crash"}, {"ILL", "crash"}, {"ABRT", "crash"}, {"TRAP", "crash"},
	{"stack-overflow", "crash"},
	{"requested allocation size", "crash"}, {"out of memory", "crash"}, {"out-of-memory", "crash"}, {"failed to allocate", "crash"},
}

// kindOf classifies a report. All else that ThreadSanitizer reports is of threads: a race.
func kindOf(h head) string {
	_, what, _ := strings.Cut(h.text, ": ")
	for _, k := range kinds {
		if strings.Contains(what, k.words) {
			return k.fault
		}
	}
	if h.tool == threadSanitizer {
		return "race"
	}
	return "invalid-access"
}

// beforeAddress are words that an accessed or freed address stands behind.
var beforeAddress = []string{" on address 0x", " on unknown address 0x", "double-free on 0x", " malloc()-ed: 0x", ") on 0x"}

func addressIn(text string) (uint64, bool) {
	for _, w := range beforeAddress {
		if _, rest, ok := strings.Cut(text, w); ok {
			if v, n := hex(rest); n > 0 {
				return v, true
			}
		}
	}
	return 0, false
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

// decimal reads the digits at the start of s; unknown if there are none or too many.
func decimal(s string) table.Int {
	var v int64
	n := 0
	for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		if n > 17 {
			return table.Int{}
		}
		v = v*10 + int64(s[n]-'0')
	}
	return table.Int{V: v, OK: n > 0}
}
