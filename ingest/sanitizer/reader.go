package sanitizer

import (
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// reader goes through a log with one report open at a time.
type reader struct {
	l     *source.Lines
	b     *table.Builder
	calls map[string]call // by the text of their lines
	open  *report
	leak  *leak
	sums  leaksOf
	tool  string
	pid   table.Int

	inStack bool   // the line before may have a call below it
	above   string // the line before, if it is a call
	tag     []byte // what logcat puts between the time of the line before and its text
}

// role says what the stack that follows is of.
type role int

const (
	none role = iota // nothing that is kept: the making of a thread, of a mutex
	access
	free
	alloc
	leaked
)

// report is one error.
type report struct {
	head
	kind    string
	line    int
	size    table.Int
	address uint64
	located bool // the address is known
	region  table.Int
	role    role
	stacks  [leaked][]callstack.Frame
}

// maxCalls bounds the calls that are kept by their text.
const maxCalls = 1 << 16

// line reads one line.
func (r *reader) line(line []byte) {
	s := strings.TrimSpace(string(line))
	if text, n, ok := frameText(s); ok && (n.OK || r.inStack && line[0] == ' ') {
		if again := s == r.above && n.OK; again {
			r.b.Problems.Count(r.l.Pos(1), "want the next call of a stack, have the line before again: it is left out")
			return
		}
		r.frame(text, n)
		r.above = s
		return
	}
	r.above = ""
	defer func() { r.inStack = r.open != nil || r.leak != nil }()
	switch {
	case s == "":
		r.endStack()
	case strings.HasPrefix(s, "SUMMARY: "):
		r.summary(s)
	case strings.Contains(s, " leak of "):
		r.beginLeak(s)
	default:
		if h, ok := headOf(s); ok {
			r.begin(h)
		} else if r.open != nil {
			r.heading(s)
		}
	}
}

// begin opens a report.
func (r *reader) begin(h head) {
	r.flush()
	r.unsummed()
	r.pid, r.tool, r.inStack = h.pid, h.tool, true
	if !h.pid.OK && (h.tool != threadSanitizer || strings.Contains(h.text, "(pid=")) {
		r.b.Problems.Add(r.l.Pos(1), "want the pid of a report, ==PID==ERROR: … or (pid=PID), have %q", h.text[:min(len(h.text), 60)])
	}
	r.b.Fact("tool", h.tool)
	r.sums = leaksOf{begun: true}
	if strings.HasSuffix(h.text, "detected memory leaks") {
		return
	}
	r.open = &report{head: h, kind: kindOf(h), line: r.l.Line(), role: access}
	r.open.address, r.open.located = addressIn(h.text)
}

// headings say what the stack behind them is of.
var headings = []struct {
	words string
	role  role
}{
	{"freed by thread ", free},
	{"previously allocated by thread ", alloc},
	{"allocated by ", alloc}, // "Location is heap block of size 40 at 0x… allocated by main thread:" too
	{"created by a heap allocation", alloc},
	{" created by ", none},
	{"As if synchronized", none},
	{"Previous ", none},
	{"Mutex ", none},
	{"Memory was marked ", none},
	{"stored to memory at", none},
	{" is located in stack of thread ", none},
	{"destroyed by ", none},
}

// heading reads a line of a report that is no call.
func (r *reader) heading(s string) {
	o := r.open
	if _, rest, ok := strings.Cut(s, " of size "); ok && o.stacks[access] == nil && !o.size.OK && isAccess(s) {
		o.size = r.counted(rest, " ")
		if _, at, found := strings.Cut(rest, " at 0x"); found && !o.located {
			v, n := hex(at)
			o.address, o.located = v, n > 0
		}
		o.role = access
		return
	}
	if _, rest, ok := strings.Cut(s, " of "); ok && strings.Contains(s, "-byte region") && !o.region.OK {
		o.region = r.counted(rest, "-byte region")
	}
	for _, h := range headings {
		if strings.Contains(s, h.words) {
			o.role = h.role
			if h.words == "Previous " && o.kind == "use-after-free" {
				o.role = free // ThreadSanitizer: the write before is that of free
			}
			return
		}
	}
}

// counted reads a number with what has to stand behind it, or nothing; anything else is a problem.
func (r *reader) counted(s, behind string) table.Int {
	v := decimal(s)
	if rest := strings.TrimLeft(s, "0123456789"); v.OK && (rest == "" || strings.HasPrefix(rest, behind)) {
		return v
	}
	r.b.Problems.Add(r.l.Pos(1), "want a number of bytes, have %q", s[:min(len(s), 60)])
	return table.Int{}
}

// isAccess says whether a line is "READ of size 4 at …", or that of ThreadSanitizer, "Atomic write of size 4 at …".
func isAccess(s string) bool {
	w := strings.ToLower(s[:strings.Index(s, " of size ")])
	return strings.HasSuffix(w, "read") || strings.HasSuffix(w, "write")
}

// frame puts a call on the stack that is being read. Calls that the end of the file cuts are left out; of a damaged one is
// kept what can be read, so that those around it are not taken to have called each other. Only ThreadSanitizer prints calls
// without an address.
func (r *reader) frame(text string, n table.Int) {
	if r.open == nil && r.leak == nil {
		return
	}
	c, ok := r.call(text)
	if !ok || !n.OK || !c.HasAddress && r.tool != threadSanitizer || !r.l.Ended() {
		r.b.Problems.Count(r.l.Pos(1), "want a call, #N 0xADDRESS in FUNCTION PLACE, have a line that is none or is cut")
	}
	if !r.l.Ended() {
		return
	}
	first := n.OK && n.V == 0
	if r.leak != nil {
		if r.leak.ended = r.leak.ended || first && r.leak.stack != nil; !r.leak.ended {
			r.leak.stack = append(r.leak.stack, c)
		}
		return
	}
	o := r.open
	if first && o.role != none && o.stacks[o.role] != nil {
		o.role = none // a second stack of one kind
	}
	if o.role != none {
		o.stacks[o.role] = append(o.stacks[o.role], c)
	}
}

func (r *reader) call(text string) (call, bool) {
	if c, ok := r.calls[text]; ok {
		return c, true
	}
	c, ok := frameOf(text)
	if ok {
		if len(r.calls) >= maxCalls {
			clear(r.calls)
		}
		r.calls[text] = c
	}
	return c, ok
}

// endStack ends the stack that is being read, and a leak with it.
func (r *reader) endStack() {
	r.writeLeak()
	if r.open != nil && r.open.stacks[access] != nil {
		r.open.role = none
	}
}

// flush writes the open report.
func (r *reader) flush() {
	r.writeLeak()
	o := r.open
	r.open = nil
	if o == nil {
		return
	}
	if o.kind == "double-free" {
		o.size = o.region
	}
	r.b.Process(o.pid, table.Null)
	add := func(at role) int64 { return callstack.Add(r.b, o.stacks[at], o.line).Leaf }
	r.b.Fault(table.Fault{Kind: r.b.Text(o.kind), Detail: r.b.Text(o.text), Address: o.address, HasAddress: o.located, Size: o.size,
		Stack: add(access), FreeStack: add(free), AllocStack: add(alloc), Line: o.line})
}

// finish writes what is open at the end.
func (r *reader) finish() {
	r.flush()
	r.unsummed()
}
