package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var (
	tombstoneRule = []byte("*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***")
	threadRule    = []byte("--- --- ---")
)

// causes are the memory errors that GWP-ASan and MTE name, and the kinds of fault that they are.
var causes = []struct{ words, kind string }{
	{"Use After Free", "use-after-free"}, {"Double Free", "double-free"}, {"Invalid (Wild) Free", "invalid-free"},
	{"Buffer Overflow", "heap-buffer-overflow"}, {"Buffer Underflow", "heap-buffer-underflow"},
}

// tombstoneFacts are the lines of the head that are kept as facts of the capture.
var tombstoneFacts = map[string]string{"Build fingerprint": "android", "Kernel Release": "kernel", "ABI": "abi", "Timestamp": "timestamp"}

// SniffTombstone claims the rule of sixteen asterisk groups, with a build fingerprint, a pid or a revision below it.
func SniffTombstone(head []byte) bool {
	rest := after(head, string(tombstoneRule))
	if rest == nil || bytes.Contains(head, []byte("== dumpstate: ")) {
		return false
	}
	rest = rest[:min(len(rest), 4096)]
	return bytes.Contains(rest, []byte("Build fingerprint: ")) || bytes.Contains(rest, []byte("pid: "))
}

// tombstone is one report while it is read.
type tombstone struct {
	line         int
	pid          table.Int
	process      []byte
	signal, code string
	address      uint64
	hasAddress   bool
	abort, cause []byte
	stacks       [3][]frame // the fault, the allocation, the release
	seen         [3]bool
	signalLine   int
	causeLine    int
}

// The stacks of a tombstone.
const (
	faulting = iota
	allocating
	freeing
	noStack
)

// tombstones reads a file of them.
type tombstones struct {
	in     *source.Input
	b      *table.Builder
	lines  *source.Lines
	cur    *tombstone
	stack  int  // which one the lines belong to
	logcat bool // every line has the prefix of logcat
	abort  bool // inside an abort message of several lines
	faults int
}

// maxAbort bounds an abort message.
const maxAbort = 16 << 10

// DecodeTombstone reads one fault from each tombstone: what stands before its first further thread. It may be a
// file of its own or lines of logcat. The error is that of the reader, or says that no process crashed in the file.
func DecodeTombstone(in *source.Input, b *table.Builder) error {
	t := &tombstones{in: in, b: b, lines: source.NewLines(in)}
	for t.lines.Scan() {
		t.line()
	}
	if err := t.lines.Err(); err != nil {
		return err
	}
	t.finish()
	if t.faults == 0 {
		return nothing(in, t.lines.Line(), "a tombstone with a line signal …, have none (a dump of threads is no crash)")
	}
	return nil
}

func (t *tombstones) line() {
	line := t.lines.Bytes()
	if i := bytes.Index(line, tombstoneRule); i >= 0 {
		t.finish()
		t.cur, t.stack, t.logcat, t.abort = &tombstone{line: t.lines.Line()}, noStack, i > 0, false
		t.b.Snapshot(stampOf(line, t.lines.Line()))
		return
	}
	if t.cur == nil {
		return
	}
	if t.logcat {
		if line = crashDump(line); line == nil {
			return // a line of another process
		}
	}
	switch {
	case bytes.HasPrefix(line, threadRule):
		t.finish()
	case !t.lines.Ended():
		t.cut(line)
	case t.abort && !afterAbort(line):
		t.moreAbort(line)
	case t.stack != noStack:
		t.frame(line)
	default:
		t.abort = false
		t.head(line)
	}
}

// crashDump takes the prefix of logcat off a line of the crash dumper, whose tag is DEBUG; nil for another line.
func crashDump(line []byte) []byte {
	rest := after(line[:min(len(line), 100)], "DEBUG")
	if rest == nil {
		return nil
	}
	_, _, ok := bytes.Cut(rest, []byte(": "))
	if !ok {
		return line[len(line):]
	}
	return line[bytes.Index(line, []byte("DEBUG"))+len("DEBUG")+bytes.Index(rest, []byte(": "))+2:]
}

// cut notes that a line has no end: in the parts that are read it may be half a line, and is not used.
func (t *tombstones) cut(line []byte) {
	c := t.cur
	if c.signal == "" || t.stack != noStack || t.abort {
		t.b.Problems.Add(t.lines.Pos(len(line)+1), "want the end of the tombstone, have the end of the file in this line: it is not used")
	}
}

// head reads the lines above the registers and the titles of the stacks.
func (t *tombstones) head(line []byte) {
	c := t.cur
	switch {
	case bytes.HasPrefix(line, []byte("pid: ")):
		t.subject(line)
	case bytes.HasPrefix(line, []byte("signal ")):
		t.signal(line)
	case bytes.HasPrefix(line, []byte("Abort message: ")):
		t.abortMessage(line[len("Abort message: "):])
	case bytes.HasPrefix(line, []byte("Cause: ")):
		if c.cause == nil {
			c.cause, c.causeLine = bytes.Clone(line[len("Cause: "):]), t.lines.Line()
		}
	case bytes.HasPrefix(line, []byte("backtrace:")):
		t.begin(faulting)
	case bytes.HasPrefix(line, []byte("allocated by thread ")):
		t.begin(allocating)
	case bytes.HasPrefix(line, []byte("deallocated by thread ")):
		t.begin(freeing)
	default:
		t.fact(line)
	}
}

// begin starts a stack. Where several causes are listed each has its own stacks; those of the likeliest stand first.
func (t *tombstones) begin(stack int) {
	if !t.cur.seen[stack] || len(t.cur.stacks[stack]) == 0 {
		t.cur.seen[stack], t.stack = true, stack
	}
}

func (t *tombstones) fact(line []byte) {
	name, value, ok := bytes.Cut(line, []byte(": "))
	fact := tombstoneFacts[string(name)]
	if !ok || fact == "" {
		return
	}
	value = bytes.Trim(value, "' ")
	t.b.Fact(fact, string(value))
	if fact == "timestamp" {
		if ns, ok := source.ParseTime(string(value)); ok {
			t.b.Stamp(func(s *table.Stamp) { s.Wall = table.Known(ns) })
		}
	}
}

// subject reads "pid: 23564, tid: 29846, name: CodecLooper  >>> com.android.chrome <<<".
func (t *tombstones) subject(line []byte) {
	c := t.cur
	if c.pid.OK {
		return
	}
	pid, n := whole(line[len("pid: "):])
	if n == 0 {
		t.b.Problems.Add(t.lines.Pos(len("pid: ")+1), "want a pid, have %q", clip(line))
		return
	}
	c.pid = table.Known(pid)
	if name := after(line, ">>> "); name != nil {
		c.process = bytes.Clone(bytes.TrimSpace(upTo(name, " <<<")))
	}
}

// signal reads "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 (read)".
func (t *tombstones) signal(line []byte) {
	c := t.cur
	if c.signal != "" {
		return
	}
	signal := upTo(after(line, "("), ")", " ")
	if len(signal) == 0 {
		t.b.Problems.Add(t.lines.Pos(1), "want the name of a signal in brackets, have %q", clip(line))
		return
	}
	c.signal, c.signalLine = string(signal), t.lines.Line()
	if code := after(line, "code "); code != nil {
		c.code = string(upTo(after(code, "("), ")", " "))
	}
	if addr := after(line, "fault addr "); addr != nil && !bytes.HasPrefix(addr, []byte("---")) {
		c.address, c.hasAddress = hex(addr)
		if !c.hasAddress {
			t.b.Problems.Add(t.lines.Pos(columnOf(line, addr)), "want an address, have %q", clip(addr))
		}
	}
}

// abortMessage reads a message in quotes, which may go over lines.
func (t *tombstones) abortMessage(s []byte) {
	s = bytes.TrimPrefix(s, []byte("'"))
	t.cur.abort, t.abort = []byte{}, true
	t.moreAbort(s)
}

func (t *tombstones) moreAbort(s []byte) {
	c := t.cur
	if s, t.abort = cutQuote(s); len(c.abort) > 0 {
		c.abort = append(c.abort, ' ')
	}
	c.abort = append(c.abort, s...)
	if len(c.abort) > maxAbort {
		c.abort, t.abort = c.abort[:maxAbort], false
	}
}

// afterAbort knows the lines that follow an abort message, should its quote not end it.
func afterAbort(line []byte) bool {
	for _, start := range []string{"backtrace:", "Cause: ", "    r0 ", "    x0 ", "    rax ", "    eax ", "    a0 "} {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	return false
}

// cutQuote takes off the quote that ends the message; more says that it goes on.
func cutQuote(s []byte) (text []byte, more bool) {
	if n := len(s); n > 0 && s[n-1] == '\'' {
		return s[:n-1], false
	}
	return s, true
}

func (t *tombstones) frame(line []byte) {
	if f, ok := t.frameOf(line); ok {
		t.cur.stacks[t.stack] = append(t.cur.stacks[t.stack], f)
		return
	}
	if trimmed := bytes.TrimSpace(line); bytes.HasPrefix(trimmed, []byte("NOTE: ")) {
		return // remarks of the unwinder stand between the title and the frames
	}
	t.stack = noStack
	t.head(line)
}
