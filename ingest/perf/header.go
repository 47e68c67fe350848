package perf

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// layout is whose lines they are.
type layout int

const (
	none   layout = iota
	script        // COMM PID[/TID] [CPU] SECONDS: [PERIOD] EVENT: PAYLOAD
	ftrace        // TASK-PID [(TGID)] [CPU] [FLAGS] SECONDS: EVENT: PAYLOAD
)

// header is the line of one event. The parts are slices of the line.
type header struct {
	layout   layout
	comm     []byte
	pid, tid table.Int
	cpu      bool
	ns       int64
	bad      bool // the time does not fit
	loose    bool // neither pid nor cpu stand before the time: it may be prose
	torn     int  // where a process, CPU or thread group is that cannot be read, from 1; 0 for nowhere
	kind     kind
	event    []byte
	payload  []byte
	column   int // of the time
}

// paid says whether a process is named.
func (h *header) paid() bool { return h.tid.OK || h.cpu }

// parse reads a line. A command may hold blanks, digits and colons, so the time is looked for that has a number or a
// CPU before it, and what stands left of it is read from the right.
func (h *header) parse(line []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], ':')
		if i < 0 {
			return false
		}
		colon := from + i
		if start, ok := seconds(line, colon); ok && h.left(line[:start]) && h.right(line[colon+1:]) {
			h.column = start + 1
			h.clock(line[start:colon])
			h.kind = kindOf(h.event, h.payload)
			return !h.loose || h.kind != other
		}
		from = colon + 1
	}
}

// seconds finds where "1229.860170" begins that ends at the colon.
func seconds(line []byte, colon int) (start int, ok bool) {
	dot := colon
	for dot > 0 && line[dot-1]-'0' <= 9 {
		dot--
	}
	if dot == colon || dot == 0 || line[dot-1] != '.' {
		return 0, false
	}
	start = dot - 1
	for start > 0 && line[start-1]-'0' <= 9 {
		start--
	}
	return start, start < dot-1 && (start == 0 || line[start-1] == ' ' || line[start-1] == '\t')
}

// clock reads the time: microseconds, or nanoseconds with --ns.
func (h *header) clock(text []byte) {
	h.ns, h.bad = 0, false
	dot := bytes.IndexByte(text, '.')
	for _, c := range text[:dot] {
		if h.ns > 9e9 {
			h.bad = true
			return
		}
		h.ns = h.ns*10 + int64(c-'0')
	}
	unit := int64(1e9)
	if h.ns > 9e9 {
		h.bad = true
		return
	}
	h.ns *= unit
	for _, c := range text[dot+1:] {
		unit /= 10
		h.ns += int64(c-'0') * unit
	}
}

// left reads what stands before the time, from the right: flags, CPU, process, command.
func (h *header) left(text []byte) bool {
	*h = header{layout: script}
	text = trimRight(text)
	text, h.cpu = cutCPU(text)
	if !h.cpu {
		if i := bytes.LastIndexByte(text, ' '); i > 0 && len(text)-i <= 9 {
			if rest, ok := cutCPU(trimRight(text[:i])); ok {
				text, h.cpu = rest, true
			}
		}
	}
	text, group := cutGroup(text)
	if h.id(text) {
		if group.OK && h.layout == ftrace {
			h.pid = group
		}
		return true
	}
	h.comm, h.loose, h.torn = trimLeft(text), !h.cpu, torn(text)
	return true
}

// torn finds what looks like a process, a CPU or a thread group in the last words before the time, though it was not read
// as one: a command may stand there alone, but it has no such end.
func torn(text []byte) int {
	for range 2 {
		text = trimRight(text)
		i := bytes.LastIndexAny(text, " \t") + 1
		if isTorn(text[i:]) {
			return i + 1
		}
		text = text[:i]
	}
	return 0
}

// isTorn knows "[00x]", "(267x0)", "880/9x0", "1x066" and "leakmix-2x700".
func isTorn(word []byte) bool {
	n := len(word)
	if n < 2 || !bytes.ContainsAny(word, "0123456789") {
		return false
	}
	dash := bytes.LastIndexByte(word, '-')
	return word[0]-'0' <= 9 || word[0] == '[' && word[n-1] == ']' || word[0] == '(' && word[n-1] == ')' ||
		bytes.IndexByte(word, '/') > 0 && word[n-1]-'0' <= 9 || dash > 0 && dash < n-1 && word[dash+1]-'0' <= 9
}

// cutCPU takes "[001]" off the end.
func cutCPU(text []byte) ([]byte, bool) {
	n := len(text)
	if n < 3 || text[n-1] != ']' {
		return text, false
	}
	i := n - 2
	for i > 0 && text[i]-'0' <= 9 {
		i--
	}
	if text[i] != '[' || i == n-2 {
		return text, false
	}
	return trimRight(text[:i]), true
}

// cutGroup takes "(26700)" off the end, which ftrace prints with record-tgid; "(-----)" is one that is not known.
func cutGroup(text []byte) ([]byte, table.Int) {
	n := len(text)
	if n < 3 || text[n-1] != ')' {
		return text, table.Int{}
	}
	i := bytes.LastIndexByte(text, '(')
	if i < 1 {
		return text, table.Int{}
	}
	inner := trimLeft(text[i+1 : n-1])
	v, ok := decimal(inner)
	if !ok && len(bytes.Trim(inner, "-")) > 0 {
		return text, table.Int{}
	}
	return trimRight(text[:i]), table.Int{V: v, OK: ok}
}

// id reads the process at the end: "leakmix 16485" and "16066/16066" of perf, "leakmix-26700" of ftrace. With one number
// the process is not told apart from the thread.
func (h *header) id(text []byte) bool {
	s := digitsBefore(text, len(text))
	v, ok := decimal(text[s:])
	if !ok {
		return false
	}
	h.pid, h.tid = table.Known(v), table.Known(v)
	switch {
	case s == 0 || text[s-1] == ' ' || text[s-1] == '\t':
	case text[s-1] == '/':
		from := digitsBefore(text, s-1)
		pid, ok := decimal(text[from : s-1])
		if !ok || from > 0 && text[from-1] != ' ' {
			h.pid, h.tid = table.Int{}, table.Int{}
			return false
		}
		h.pid, s = table.Known(pid), from
	case text[s-1] == '-' && (s == 1 || text[s-2] == ' '): // perf knows no process here
		h.pid, h.tid, s = table.Int{}, table.Int{}, s-1
	case text[s-1] == '-':
		h.layout, h.comm = ftrace, trimLeft(text[:s-1])
		return true
	default:
		h.pid, h.tid = table.Int{}, table.Int{}
		return false
	}
	h.comm = trimLeft(trimRight(text[:s]))
	return true
}

func digitsBefore(text []byte, end int) int {
	for end > 0 && text[end-1]-'0' <= 9 {
		end--
	}
	return end
}

// right reads "[PERIOD] EVENT: PAYLOAD".
func (h *header) right(text []byte) bool {
	if len(text) > 0 && text[0] != ' ' {
		return false
	}
	text = trimLeft(text)
	if n := digitsAt(text); n > 0 && n < len(text) && text[n] == ' ' {
		text = trimLeft(text[n:])
	}
	end := bytes.IndexByte(text, ' ')
	if end < 0 {
		end = len(text)
	}
	switch {
	case end > 1 && text[end-1] == ':':
		h.event = text[:end-1]
	case bytes.HasPrefix(text, []byte("PERF_RECORD_")):
		h.event = text[:end]
	case h.layout != ftrace || !h.cpu: // of ftrace also functions and stacks, which have no colon
		return false
	}
	h.payload = trimLeft(text[end:])
	return true
}

func digitsAt(text []byte) (n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	return n
}

func trimLeft(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	return s
}

func trimRight(s []byte) []byte {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
