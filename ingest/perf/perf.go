// Package perf reads traces of memory events as text: `perf script` of Linux perf, the `trace` file of tracefs (ftrace) and
// `trace-cmd report`. From kmem:rss_stat come samples of the process, from probes on malloc and free and from the slab and
// page events of kmem come events. Lines are those of tools/perf/builtin-script.c and kernel/trace/trace_output.c, payloads
// those of include/trace/events/kmem.h and of uprobe events.
//
// It also knows files that stand beside such traces and hold no history of memory, to say what to take in their place
// (Refused).
package perf

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffScript claims text of perf script: a memory event anywhere in the head, or an event in its first line.
func SniffScript(head []byte) bool { return sniff(head) == script }

// SniffFtrace claims the trace file of tracefs, by its first line or by a memory event of a task.
func SniffFtrace(head []byte) bool { return sniff(head) == ftrace }

// DecodeScript reads memory events of perf script. The error is that of the reader, or says that no memory event was
// there.
func DecodeScript(in *source.Input, b *table.Builder) error {
	return decode(in, b, "memory events, such as kmem:rss_stat or probes on malloc and free")
}

// DecodeFtrace reads memory events of ftrace or trace-cmd. The error is that of the reader, or says that no memory event
// was there.
func DecodeFtrace(in *source.Input, b *table.Builder) error {
	return decode(in, b, "memory events, such as kmem:rss_stat")
}

// sniff says whose layout the head has.
func sniff(head []byte) layout {
	var h header
	seen := none
	for first := true; len(head) > 0; {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		line, head = bytes.TrimRight(line, "\r"), rest
		switch {
		case first && bytes.HasPrefix(line, []byte("# tracer:")):
			return ftrace
		case len(line) == 0 || line[0] == '\t' || line[0] == '#' || !h.parse(line):
			first = first && (len(line) == 0 || line[0] == '#')
		case h.kind != other:
			return h.layout
		case first && h.layout == script && !h.loose && h.paid():
			seen, first = script, false
		default:
			first = false
		}
	}
	return seen
}

// trace is what was read so far.
type trace struct {
	b       *table.Builder
	l       *source.Lines
	words   words
	first   table.Int // ns of the first memory event
	header  header
	comm    []byte // of the line before, with its Sym
	commSym table.Sym
	rows    int
	seq     int64
	held    held
	owned   bool // a process was read before an event
	skip    bool // lines of the stack of an event that makes no row, or makes one without a stack
	stacks  stacks
	owners  owners
	threads threads
	lost    int64
	lossy   bool
	has     [kinds]bool
}

func decode(in *source.Input, b *table.Builder, want string) error {
	t := &trace{b: b, l: source.NewLines(in), words: newWords(b)}
	for t.l.Scan() {
		t.line(t.l.Bytes())
	}
	t.end()
	if err := t.l.Err(); err != nil {
		return err
	}
	if t.rows == 0 {
		return source.Errorf(in.At(t.l.Line(), 0), "held nothing: want %s", want)
	}
	t.facts()
	return nil
}

// end writes what waits for more lines.
func (t *trace) end() {
	t.release()
	t.settleOwners()
	t.unreturned()
}

// line sorts the lines: frames are indented below their event, and an empty line ends them.
func (t *trace) line(line []byte) {
	switch {
	case len(line) == 0:
		t.release()
		t.skip = false
	case line[0] == '\t':
		t.frame(line)
	case line[0] == '#':
		t.comment(line)
	case t.header.parse(line):
		t.release()
		t.event(&t.header)
	case line[0] == ' ' && (t.held.open || t.skip) && framed(trimLeft(line)):
		t.frame(line)
	default:
		t.prose(line)
	}
}

// framed says whether a line that blanks indent is of a stack: an address and a symbol, or a line of the source alone. A
// command is indented by blanks too.
func framed(text []byte) bool {
	word, _, more := bytes.Cut(text, []byte{' '})
	_, ok := hexadecimal(word)
	return ok || !more
}

func (t *trace) frame(line []byte) {
	if t.held.open {
		t.held.text = append(append(t.held.text, line...), '\n')
	}
}

// event makes the rows of one line.
func (t *trace) event(h *header) {
	t.skip = true
	if h.kind == other {
		t.record(h)
		return
	}
	if h.bad {
		t.b.Problems.Add(t.l.Pos(h.column), "want seconds since boot before the event, have a number too large")
		return
	}
	if h.torn > 0 || !h.tid.OK && len(h.comm) > 0 && t.owned {
		t.b.Problems.Add(t.l.Pos(max(h.torn, 1)), "want the process and the CPU of the event, have %q: it is left out", clip(h.comm))
		return
	}
	t.owned = t.owned || h.tid.OK
	if !t.first.OK {
		t.first = table.Known(h.ns)
		t.b.Snapshot(table.Stamp{Boot: t.first, Line: t.l.Line()})
	}
	t.has[h.kind] = true
	readers[h.kind](t, h)
}

// at is the time of a line after that of the first event.
func (t *trace) at(h *header) int64 { return h.ns - t.first.V }

// name gives the Sym of the command of a line, which is most often that of the line before.
func (t *trace) name(comm []byte) table.Sym {
	if len(comm) == 0 {
		return table.Null
	}
	if !bytes.Equal(comm, t.comm) {
		t.comm = append(t.comm[:0], comm...)
		t.commSym = t.b.Sym(comm)
	}
	return t.commSym
}
