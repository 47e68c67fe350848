// Package event reads memtide-events, the plain log of what was done to memory and other objects: NDJSON or CSV, one
// event a line. It is the form in which a compiler pass, a preloaded library or a script hands events over; what it may
// hold is said in docs/formats/memtide-events.md. Every line becomes rows of the table events, and its stack frames.
package event

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const (
	family = "memtide-events/"
	schema = family + "1"
	wanted = `want lines of events, as {"ts_ns":1,"pid":2,"op":"alloc","addr":"0x3","size":4}, or a CSV header with op and ts_ns`
)

var bom = []byte("\ufeff")

// Sniff claims a first line that is an object with the schema of this format or with an op and a time, and a CSV header
// that has both columns.
func Sniff(head []byte) bool {
	for rest := bytes.TrimPrefix(head, bom); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == '{':
			return sniffObject(line)
		case line[0] != '#':
			_, ok := newColumns(line)
			return ok
		case bytes.HasPrefix(bytes.TrimSpace(line[1:]), []byte(family)):
			return true
		}
	}
	return false
}

func sniffObject(line []byte) bool {
	var r record
	if _, want := r.object(line); want != "" {
		return false
	}
	if r.has(schemaName) {
		return bytes.HasPrefix(r.raw(schemaName), []byte(family))
	}
	return r.has(op) && (r.has(tsNS) || r.has(ts) || r.has(stackID) && r.has(stack))
}

// Decode reads a log. The error is that of the reader, or says that no line was an event, or that the log has a schema
// which is not known here.
func Decode(in *source.Input, b *table.Builder) error {
	d := newDecoder(in, b)
	if err := d.read(); err != nil {
		return err
	}
	if d.l.Err() != nil {
		return d.l.Err()
	}
	d.facts()
	if d.seq == 0 {
		return source.Errorf(in.At(1, 1), "held nothing: %s", wanted)
	}
	return nil
}

type decoder struct {
	l   *source.Lines
	b   *table.Builder
	rec record
	columns
	e       table.Event
	ops     [numOps]table.Sym
	kind    lastText
	device  lastText
	head    head
	base    int64 // time of the first event
	seq     int64 // events so far
	lost    int64
	losses  bool // a line says how many events were lost
	sampled bool
	stacks  callstack.Leaves
	ids     map[int64]int64 // leaf of a stack by its stack_id
}

func newDecoder(in *source.Input, b *table.Builder) *decoder {
	d := &decoder{l: source.NewLines(in), b: b, ids: map[int64]int64{}}
	for i := range d.ops {
		d.ops[i] = b.Text(opNames[i])
	}
	d.head.clock = "mono"
	return d
}

// read goes through the lines. The first that holds anything says whether they are objects or cells.
func (d *decoder) read() error {
	for first := true; d.l.Scan(); first = false {
		line := d.l.Bytes()
		if first {
			line = bytes.TrimPrefix(line, bom)
		}
		if err := d.line(line); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) line(line []byte) error {
	if !d.table && len(line) > 0 && line[0] == '{' {
		return d.object(line)
	}
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
	case text[0] == '#':
		return d.comment(text)
	case d.table:
		d.row(line)
	case text[0] != '{' && d.seq == 0 && d.header(line):
	default:
		return d.object(line)
	}
	return nil
}

// object reads a line of NDJSON.
func (d *decoder) object(line []byte) error {
	r := &d.rec
	at, want := r.object(line)
	if !r.has(schemaName) {
		d.odd()
	}
	switch {
	case want != "":
		d.b.Problems.Add(d.l.Pos(at+1), "want %s, have %q", want, clip(line[min(at, len(line)):]))
	case r.has(schemaName):
		return d.describe(line)
	default:
		d.event()
	}
	return nil
}

// odd tells of fields that are not known and of those that stand twice.
func (d *decoder) odd() {
	for _, c := range d.rec.unknown {
		d.b.Problems.Count(d.l.Pos(c.from+1), "unknown field %q", clip(d.rec.text[c.from:c.to]))
	}
	if at := d.rec.again; at >= 0 {
		d.b.Problems.Count(d.l.Pos(at+1), "want each field once, have one twice: the last is taken")
	}
}

// facts notes what the log says of itself.
func (d *decoder) facts() {
	d.b.Fact("clock", d.head.clock)
	if d.losses {
		d.b.Fact("lost", strconv.FormatInt(d.lost, 10))
	}
	if d.lost > 0 {
		d.b.Fact("lossy", "true")
	}
	if d.sampled {
		d.b.Fact("sampled", "true")
	}
}

// clip shortens what a message quotes.
func clip(s []byte) []byte { return s[:min(len(s), 40)] }

// lastText keeps the number of a text that stands in nearly every line.
type lastText struct {
	text []byte
	sym  table.Sym
}

func (t *lastText) of(b *table.Builder, s []byte) table.Sym {
	if t.sym == table.Null || !bytes.Equal(t.text, s) {
		t.text, t.sym = append(t.text[:0], s...), b.Sym(s)
	}
	return t.sym
}
