package bpftrace

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const wantedEvents = "want lines of events that a script printed, as 1630295756873 31615 31615 alloc 0x558c9e54e2a0 100"

// SniffEvents claims text or JSON in which at least one line is an event whose object is an address.
func SniffEvents(head []byte) bool {
	var e event
	var f fields
	found, header := false, false
	eachLine(head, func(line []byte) bool {
		if timed(line) {
			_, want := e.parse(line, &f)
			found = want == "" && e.hasObject
			return found
		}
		header = header || isHeader(line, &f)
		return header // of a CSV, which is another format
	})
	return found
}

// isHeader knows the header of a CSV with columns for op and time.
func isHeader(line []byte, f *fields) bool {
	op, ts := false, false
	if f.split(line); !f.comma || line[0] == '#' {
		return false
	}
	for ; f.n > 0; f.n-- {
		op = op || string(f.list[f.n-1]) == "op"
		ts = ts || string(f.list[f.n-1]) == "ts_ns" || string(f.list[f.n-1]) == "ts"
	}
	return op && ts
}

// eachLine visits the lines of a head, those inside of JSON too, until stop.
func eachLine(head []byte, stop func([]byte) bool) {
	var text []byte
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if isRecord(line) {
			kind, data, ok := cutRecord(line)
			if !ok || kind != "printf" {
				continue
			}
			if text, ok = unescape(text[:0], data); !ok {
				continue
			}
			for inner := range bytes.Lines(text) {
				if stop(bytes.TrimRight(inner, "\r\n")) {
					return
				}
			}
		} else if stop(line) {
			return
		}
	}
}

// DecodeEvents reads a log of events. The error is that of the reader, or says that no line was an event.
func DecodeEvents(in *source.Input, b *table.Builder) error {
	d := &events{reader: newReader(in, b), stacks: stacks{}, heap: b.Text("heap")}
	for i, name := range ops {
		d.ops[i] = b.Text(name)
	}
	if err := d.each(d); err != nil {
		return err
	}
	d.flush()
	d.facts("boot")
	b.Fact("unit", "requested")
	if d.seq == 0 {
		return source.Errorf(in.At(1, 1), "held nothing: %s", wantedEvents)
	}
	return nil
}

type events struct {
	reader
	ops       [len(ops)]table.Sym
	heap      table.Sym
	event     event
	fields    fields
	row       table.Event
	old       uint64
	now       int64
	pid       int64
	open      bool // an event waits for its frames
	closed    bool // the last thing that was no blank line was an event with its frames
	null      bool // the event makes no row
	kinds     bool // the log names kinds of memory
	frames    []byte
	base, seq int64
	stacks    stacks
}

func (d *events) dump(string, []byte) { d.flush() }

func (d *events) text(line []byte, at int, whole bool) {
	switch {
	case len(trim(line)) == 0:
		d.flush()
	case line[0] == ' ' || line[0] == '\t':
		d.frame(line, at, whole)
	case timed(line):
		d.flush()
		d.begin(line, at, whole)
	default:
		d.flush()
		d.closed = false
		if !prose(line) && !mapLine(line) {
			d.b.Problems.Count(source.Pos{File: d.l.Pos(1).File, Line: at, Column: 1}, "lines that are no events are left out")
		}
	}
}

// mapLine says whether a line belongs to the print of a map, or is the time before one.
func mapLine(line []byte) bool {
	return line[0] == '@' || line[0] == ']' || line[0] == '[' || line[0] == '(' || line[0] == ',' || isClock(line)
}

// frame takes a line of the stack of the event above.
func (d *events) frame(line []byte, at int, whole bool) {
	switch {
	case !whole:
		d.cutOff(at, len(line))
	case d.open:
		d.frames = append(append(d.frames, line...), '\n')
	case d.closed:
		d.b.Problems.Count(d.pos(at, 0), "want frames right behind their event, have them behind a blank line: they are left out")
	}
}

// cutOff drops the event that the end of the input cuts: its size or its last frame may be a part of the true one.
func (d *events) cutOff(at, column int) {
	d.open = false
	d.b.Problems.Add(d.pos(at, column), "want a line end, have the end of the input: the last event is left out")
}

func (d *events) pos(line, column int) source.Pos {
	p := d.l.Pos(column + 1)
	p.Line = line
	return p
}

// begin reads the line of an event.
func (d *events) begin(line []byte, at int, whole bool) {
	d.closed = false
	if !whole {
		d.cutOff(at, len(line))
		return
	}
	e := &d.event
	if bad, want := e.parse(line, &d.fields); want != "" {
		d.b.Problems.Add(d.pos(at, d.column(line, bad)), "want %s, have %q", want, clip(d.fields.at(bad)))
		return
	}
	if e.op != opMark && (!e.hasObject && d.fields.n > 0 && unreadable(line) || nearlyHex(e.kind)) {
		d.b.Problems.Add(d.pos(at, 1), "want an address such as 0x55d0, have %q", clip(line))
		d.null = true
		return
	}
	d.row = table.Event{TID: table.Known(e.tid), Op: d.ops[e.op], Line: at, Object: e.object, HasObject: e.hasObject}
	d.row.Class = d.class()
	d.null = e.op != opMark && memory(e.op) && e.object == 0
	if !d.null {
		d.row.Size = d.number(line, e.size, e.sizeAt, "a size in bytes")
		if e.op != opMark {
			d.row.Refcount = d.number(line, e.count, e.countAt, "a count")
		}
	}
	d.now, d.pid, d.old, d.open, d.frames = e.ts, e.pid, e.old, true, d.frames[:0]
}

// class is the kind as found. Where a log names none for its allocations, they are of the heap.
func (d *events) class() table.Sym {
	e := &d.event
	if len(e.kind) > 0 {
		d.kinds = d.kinds || memory(e.op)
		return d.b.Sym(e.kind)
	}
	if memory(e.op) && !d.kinds {
		return d.heap
	}
	return table.Null
}

// number reads a figure that may be missing. One that cannot be read is unknown; the event stands all the same.
func (d *events) number(line, s []byte, field int, want string) table.Int {
	if len(s) == 0 || string(s) == "-" {
		return table.Int{}
	}
	n, ok := integer(s)
	if !ok || n < 0 && want != "a count" {
		d.b.Problems.Add(d.pos(d.row.Line, d.column(line, field)), "want %s, have %q", want, clip(s))
		return table.Int{}
	}
	return table.Known(n)
}

// column is the place of a field in its line; the end of the line where it is missing.
func (d *events) column(line []byte, field int) int {
	f := d.fields.at(field)
	if len(f) == 0 {
		return len(line)
	}
	return cap(line) - cap(f)
}

// flush writes the event that waited for its frames.
func (d *events) flush() {
	if !d.open {
		return
	}
	d.open, d.closed = false, true
	if d.null {
		return
	}
	if d.seq == 0 {
		d.base = d.now
		d.b.Snapshot(table.Stamp{Boot: table.Known(d.now), Line: d.row.Line})
	}
	d.b.Process(table.Known(d.pid), table.Null)
	d.row.At = d.now - d.base
	d.row.Stack = d.stacks.of(d.b, d.frames, d.row.Line).Leaf
	if moved := d.row; d.event.op == opRealloc && d.old != 0 && d.old != moved.Object {
		moved.Op, moved.Object, moved.Size, moved.Refcount = d.ops[opFree], d.old, table.Int{}, table.Int{}
		d.add(&moved)
	}
	d.add(&d.row)
}

func (d *events) add(e *table.Event) {
	e.Seq = d.seq
	d.b.Event(e)
	d.seq++
}
