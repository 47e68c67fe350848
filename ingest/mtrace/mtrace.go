// Package mtrace reads the log of glibc's malloc tracing (malloc/mtrace-impl.c): what mtrace(3) writes to the file named
// by MALLOC_TRACE. It tells no time and no thread; the order of the lines is all there is.
package mtrace

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Sniff claims a log that begins with "= Start" and has an entry below it.
func Sniff(head []byte) bool {
	start := false
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case string(line) == "= Start":
			start = true
		case len(line) == 0:
		case !start:
			return false
		default:
			_, want, _ := parse(line)
			return want == "" && line[0] == '@'
		}
	}
	return false
}

// Decode reads a log into events. The error is that of the reader, or says that no line was an entry.
func Decode(in *source.Input, b *table.Builder) error {
	d := &decoder{l: source.NewLines(in), b: b, heap: b.Text("heap"), stacks: map[string]int64{}}
	for i, name := range [...]string{"alloc", "free", "realloc"} {
		d.ops[i] = b.Text(name)
	}
	for d.l.Scan() {
		d.line(d.l.Bytes())
	}
	d.unpaired()
	if d.l.Err() != nil {
		return d.l.Err()
	}
	b.Fact("tool", "mtrace")
	b.Fact("clock", "order")
	b.Fact("unit", "requested")
	if d.seq == 0 {
		return source.Errorf(in.At(1, 1), "held nothing: want lines of mtrace, as @ ./app:[0x11bb] + 0x55e5dd1dd530 0x28")
	}
	return nil
}

// The ops, as places in decoder.ops.
const (
	opAlloc = iota
	opFree
	opRealloc
	numOps
)

type decoder struct {
	l       *source.Lines
	b       *table.Builder
	ops     [numOps]table.Sym
	heap    table.Sym
	stacks  map[string]int64 // leaf of a site by its text
	pending bool             // the first half of a realloc was read
	old     entry
	oldLine int
	oldLeaf int64
	seq     int64
}

func (d *decoder) line(line []byte) {
	if len(line) == 0 || line[0] == '=' {
		return
	}
	if !d.l.Ended() {
		d.b.Problems.Add(d.l.Pos(len(line)+1), "want a line end, have the end of the input: the last line is left out")
		return
	}
	e, want, at := parse(line)
	if want != "" {
		d.b.Problems.Add(d.l.Pos(at+1), "want %s, have %q", want, clip(line[min(at, len(line)):]))
		return
	}
	n, leaf := d.l.Line(), d.site(e.site)
	switch e.op {
	case '+':
		d.add(opAlloc, e, leaf, n)
	case '-':
		d.add(opFree, e, leaf, n)
	case '<':
		d.unpaired()
		d.pending, d.old, d.oldLine, d.oldLeaf = true, e, n, leaf
	case '>':
		d.moved(e, leaf, n)
	}
}

// moved ends a realloc: the old block goes, unless it only grew in its place.
func (d *decoder) moved(e entry, leaf int64, line int) {
	if !d.pending {
		d.b.Problems.Add(d.l.Pos(1), "want the old block of a realloc (<) above the new one, have none")
	} else if d.old.object != e.object {
		d.add(opFree, d.old, leaf, line)
	}
	d.pending = false
	d.add(opRealloc, e, leaf, line)
}

// unpaired writes the first half of a realloc to which no second came: the block is gone.
func (d *decoder) unpaired() {
	if d.pending {
		p := d.l.Pos(1)
		p.Line = d.oldLine
		d.b.Problems.Add(p, "want the new block of a realloc (>) behind the old one, have none")
		d.add(opFree, d.old, d.oldLeaf, d.oldLine)
	}
	d.pending = false
}

func (d *decoder) add(op int, e entry, leaf int64, line int) {
	if e.null {
		return // a failed allocation
	}
	if d.seq == 0 {
		d.b.Snapshot(table.Stamp{Line: line})
	}
	row := table.Event{Seq: d.seq, Op: d.ops[op], Class: d.heap, Object: e.object, HasObject: true, Stack: leaf, Line: line}
	if op != opFree {
		row.Size = e.size
	}
	d.b.Event(&row)
	d.seq++
}

func (d *decoder) site(text []byte) int64 {
	if len(text) == 0 {
		return 0
	}
	leaf, ok := d.stacks[string(text)]
	if !ok {
		leaf = callstack.Add(d.b, []callstack.Frame{parseSite(text)}, d.l.Line()).Leaf
		d.stacks[string(text)] = leaf
	}
	return leaf
}

// clip shortens what a message quotes.
func clip(s []byte) []byte { return s[:min(len(s), 40)] }
