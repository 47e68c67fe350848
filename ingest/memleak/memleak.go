// Package memleak reads what the memleak tools of bcc print: the allocations that are outstanding at each interval, by
// call stack. The layouts are those of tools/memleak.py (of all versions: with and without addresses and offsets, tabs or
// blanks) and of libbpf-tools/memleak.c.
package memleak

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Sniff claims a text with the header of an interval, and one that has only the line that memleak begins with.
func Sniff(head []byte) bool {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		line, head = bytes.TrimSpace(line), rest
		if _, ok := interval(line); ok || isAttaching(line) {
			return true
		}
	}
	return false
}

// Decode reads outstanding allocations into sites, one row a group an interval. What is printed before the first
// interval of a capture belongs to none and is passed over. The error is that of the reader, or says that no group was
// there.
func Decode(in *source.Input, b *table.Builder) error {
	d := decoder{b: b, l: source.NewLines(in), stacks: map[string]stack{}}
	for d.l.Scan() {
		d.line(d.l.Bytes())
	}
	d.end()
	if err := d.l.Err(); err != nil {
		return err
	}
	if d.sites == 0 {
		return source.Errorf(in.At(d.l.Line(), 0), "held nothing: %s", d.nothing())
	}
	d.facts()
	return nil
}

type decoder struct {
	b *table.Builder
	l *source.Lines
	capture
	group   group
	stacks  map[string]stack // by the frames as printed
	sites   int
	headers int
	blocks  int // lines of single allocations
	lossy   bool
}

// line sorts the lines by what they begin with. A line that is none of memleak's is prose, a warning or what the traced
// program printed: it says nothing of memory.
func (d *decoder) line(line []byte) {
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 {
		d.flush()
		return
	}
	switch {
	case text[0] == '[' && d.interval(text):
	case text[0] >= '0' && text[0] <= '9' && len(text) == len(line) && d.grouped(text):
	case bytes.HasPrefix(text, []byte("addr = ")) && bytes.Contains(text, []byte(" size = ")):
		d.blocks++
	case d.damaged(text):
	case len(text) < len(line):
		d.indented(line, text)
	default:
		d.other(text)
	}
}

// indented is a group or a frame.
func (d *decoder) indented(line, text []byte) {
	if !d.grouped(text) && d.group.open {
		d.frame(len(line)-len(text)+1, text)
	}
}

// nothing says what a file without a group is.
func (d *decoder) nothing() string {
	if d.headers > 0 {
		return "want groups such as \"4096 bytes in 1 allocations from stack\", have none below " + strconv.Itoa(d.headers) + " headers: nothing was outstanding for longer than the age filter (-o)"
	}
	return "want intervals such as \"[12:00:00] Top 10 stacks with outstanding allocations:\", have none: memleak ended before it printed one"
}

func (d *decoder) facts() {
	d.b.Fact("tool", "memleak")
	d.b.Fact("clock", "wall")
	d.b.Fact("unit", "requested")
	if d.blocks > 0 {
		d.b.Fact("blocks_listed", strconv.Itoa(d.blocks))
	}
	if d.lossy {
		d.b.Fact("lossy", "true")
	}
}
