package perf

import (
	"bytes"
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// held is an event that waits for the stack below it.
type held struct {
	open  bool
	pid   table.Int
	event table.Event
	old   oldBlock // of a realloc that moved
	site  []byte   // call_site, which stands for a stack where there is none
	text  []byte   // the frames as printed
	line  int      // of the first frame
}

// oldBlock is what a realloc gave back, and when it was called.
type oldBlock struct {
	ok      bool
	address uint64
	at      int64
}

// hold keeps an event until its stack is there.
func (t *trace) hold(pid table.Int, e table.Event, site []byte) {
	h := &t.held
	*h = held{open: true, pid: pid, event: e, text: h.text[:0], site: append(h.site[:0], site...), line: t.l.Line() + 1}
}

// release writes the event that was held.
func (t *trace) release() {
	h := &t.held
	if !h.open {
		return
	}
	h.open = false
	h.event.Stack = t.stackOf(h)
	t.b.Process(h.pid, table.Null)
	if h.old.ok {
		old := h.event
		old.At, old.Op, old.Object, old.Size, old.Refcount = h.old.at, t.words.free, h.old.address, table.Int{}, table.Int{}
		t.write(&old)
	}
	if h.event.Op != table.Null {
		t.write(&h.event)
	}
}

func (t *trace) write(e *table.Event) {
	e.Seq = t.seq
	t.seq++
	t.rows++
	t.b.Event(e)
}

// maxModules bounds the map of one process; JIT compilers map without end.
const maxModules = 1 << 14

// stacks are the leaves of the stacks that were met, by their text; where a map of the modules is there also by process.
type stacks struct {
	leaves map[string]int64
	of     map[int64]*process
	frames []callstack.Frame
}

// process is what MMAP records tell of one.
type process struct {
	modules callstack.Modules
	leaves  map[string]int64
}

// stackOf gives the leaf of the stack of an event, 0 for none.
func (t *trace) stackOf(h *held) int64 {
	s := &t.stacks
	if len(h.text) == 0 {
		return t.siteOf(h)
	}
	if s.leaves == nil {
		s.leaves = map[string]int64{}
	}
	leaves, p := s.leaves, (*process)(nil)
	if len(s.of) > 0 && h.pid.OK {
		if p = s.of[h.pid.V]; p != nil {
			leaves = p.leaves
		}
	}
	leaf, ok := leaves[string(h.text)]
	if !ok {
		leaf = t.addStack(h, p)
		leaves[string(h.text)] = leaf
	}
	return leaf
}

// siteOf takes the call site that kmem events print as the only frame.
func (t *trace) siteOf(h *held) int64 {
	if len(h.site) == 0 {
		return 0
	}
	if t.stacks.leaves == nil {
		t.stacks.leaves = map[string]int64{}
	}
	leaf, ok := t.stacks.leaves[string(h.site)]
	if !ok {
		f := callstack.Frame{Module: "kernel"}
		if v, is := pointer(h.site); is {
			f.Address, f.HasAddress = v, true
		} else {
			f.Function, _ = callstack.SplitOffset(string(h.site))
		}
		leaf = callstack.Add(t.b, []callstack.Frame{f}, h.line-1).Leaf
		t.stacks.leaves[string(h.site)] = leaf
	}
	return leaf
}

func (t *trace) addStack(h *held, p *process) int64 {
	frames := t.stacks.frames[:0]
	n := h.line
	for text := h.text; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		f, ok := parseFrame(trimLeft(line))
		switch {
		case ok && p != nil && f.Function == "" && f.HasAddress:
			frames = append(frames, p.modules.Frame(f.Address))
		case ok:
			frames = append(frames, f)
		case isCall(line): // it keeps those around it apart
			at := t.l.Pos(1 + len(line) - len(trimLeft(line)))
			at.Line = n
			t.b.Problems.Add(at, "want a call, ADDRESS SYMBOL (FILE), have %q", clip(trimLeft(line)))
			frames = append(frames, f)
		case len(frames) > 0:
			place(&frames[len(frames)-1], line)
		}
	}
	t.stacks.frames = frames
	return callstack.Add(t.b, frames, h.line).Leaf
}

// parseFrame reads "11bc leak_linear+0x13 (/app/bin/leakmix)". The address is that in the file for code of a library and
// that in memory for the kernel; offset and file may be left out, and a symbol may hold blanks and brackets.
func parseFrame(text []byte) (f callstack.Frame, ok bool) {
	ip, rest, _ := bytes.Cut(text, []byte{' '})
	f.Address, f.HasAddress = hexadecimal(ip)
	dso := ""
	rest, dso = cutDSO(trimRight(trimLeft(rest)))
	if symbol := string(rest); symbol != "[unknown]" {
		f.Function, _ = callstack.SplitOffset(symbol)
	}
	f.Module = moduleOf(dso, f.Address)
	if f.HasAddress && f.Function == "" && f.Module != "" && f.Address>>32 == 0 { // relative to a file: it says nothing without its name
		f.Function = f.Module + "+0x" + string(ip)
	}
	return f, f.HasAddress
}

// isCall says whether a line is a call of which only the address is none: a word, a symbol, a file in brackets. Below a
// call may stand its place in the source, file.c:12 or, where that is not known, symbol+0x1 file[1234].
func isCall(line []byte) bool {
	line = trimRight(line)
	return bytes.HasSuffix(line, []byte(")")) && bytes.Contains(trimLeft(line), []byte(" ")) && bytes.Contains(line, []byte(" ("))
}

// cutDSO takes "(/path/of/file)" off the end; it may hold blanks and brackets: ([JIT app cache]), (/memfd:x (deleted)).
func cutDSO(text []byte) ([]byte, string) {
	n, depth := len(text), 0
	if n == 0 || text[n-1] != ')' {
		return text, ""
	}
	for i := n - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			if i > 0 && text[i-1] != ' ' {
				return text, "" // the arguments of a function
			}
			return trimRight(text[:i]), string(text[i+1 : n-1])
		}
	}
	return text, ""
}

// moduleOf is the base name of a file; the kernel and its modules stand in brackets.
func moduleOf(dso string, address uint64) string {
	switch dso = strings.TrimSuffix(dso, " (deleted)"); dso {
	case "", "[unknown]", "inlined":
		return ""
	case "[kernel.kallsyms]", "[guest.kernel.kallsyms]":
		return "kernel"
	}
	if address>>63 == 1 {
		dso = strings.Trim(dso, "[]")
	}
	return path.Base(dso)
}

// place reads the "file.c:12" that -F srcline prints below a frame.
func place(f *callstack.Frame, line []byte) {
	line = trimLeft(line)
	i := bytes.LastIndexByte(line, ':')
	if i <= 0 {
		return
	}
	if v, ok := decimal(line[i+1:]); ok {
		f.SourceFile, f.SourceLine = string(line[:i]), table.Int{V: v, OK: v > 0}
	}
}

// module notes "16066/16066: [0x55652b8de000(0x1000) @ 0x1000 fe:00 14319620 3633746516]: r-xp /app/bin/leakmix".
func (t *trace) module(payload []byte) {
	n := digitsAt(payload)
	pid, ok := decimal(payload[:n])
	open, end := bytes.IndexByte(payload, '['), bytes.Index(payload, []byte("]: "))
	if !ok || open < 0 || end < open {
		return
	}
	_, file, _ := bytes.Cut(payload[end+3:], []byte{' '})
	span, offset, _ := bytes.Cut(payload[open+1:end], []byte(" @ "))
	offset, _, _ = bytes.Cut(offset, []byte{' '})
	start, size, _ := bytes.Cut(span, []byte{'('})
	from, ok1 := pointer(start)
	length, ok2 := pointer(bytes.TrimSuffix(size, []byte(")")))
	at, ok3 := pointer(offset)
	if ok1 && ok2 && ok3 && from+length > from && len(file) > 0 && !bytes.HasPrefix(file, []byte("//")) {
		t.addModule(pid, callstack.Mapping{Start: from, End: from + length, Offset: at, Path: string(file)})
	}
}

func (t *trace) addModule(pid int64, m callstack.Mapping) {
	if t.stacks.of == nil {
		t.stacks.of = map[int64]*process{}
	}
	p := t.stacks.of[pid]
	if p == nil {
		p = &process{leaves: map[string]int64{}}
		t.stacks.of[pid] = p
	}
	if p.modules.Len() < maxModules {
		p.modules.Add(m)
	}
}
