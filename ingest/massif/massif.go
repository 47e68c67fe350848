// Package massif reads what Valgrind's two heap profilers write: the snapshots of Massif (massif.out.PID), each of which is
// a moment of one run, and the program points of DHAT (dhat.out.PID), which are the sites of a whole run. Stacks go to
// callstack, rows to table.
package massif

import (
	"bytes"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// heads are the lines that begin a file (Valgrind 3.3 to 3.2x, massif/ms_main.c, write_snapshots_to_file).
var heads = [][]byte{[]byte("desc:"), []byte("cmd:"), []byte("time_unit:")}

// Sniff claims a file that begins with desc:, cmd: and time_unit:.
func Sniff(head []byte) bool {
	for _, h := range heads {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if !bytes.HasPrefix(line, h) {
			return false
		}
		head = rest
	}
	return true
}

// metrics are the figures of a snapshot, in bytes.
var metrics = map[string]string{"mem_heap_B": "heap_alloc", "mem_heap_extra_B": "heap_extra", "mem_stacks_B": "stacks"}

// clocks are the units of time: what the clock is called and how many nanoseconds one is. Instructions and bytes are no
// time: they are kept as they are.
var clocks = map[string]struct {
	name string
	ns   int64
}{"i": {"instructions", 1}, "ms": {"trace", 1e6}, "B": {"bytes", 1}}

// Decode reads a file of Massif: samples of each snapshot, and sites of those that have a tree. The error is that of the
// reading, or says that there is no snapshot.
func Decode(in *source.Input, b *table.Builder) error {
	d := &decoder{b: b, l: source.NewLines(in), scale: 1, scope: b.Text("process"), empty: b.Text(""), frames: map[string]callstack.Frame{}, lost: noneLost}
	for d.l.Scan() {
		d.line(d.l.Bytes())
	}
	d.end()
	if err := d.l.Err(); err != nil {
		return err
	}
	if !d.any {
		return source.Errorf(in.At(1, 1), "held nothing: want snapshots with mem_heap_B=, have none")
	}
	return nil
}

type decoder struct {
	b            *table.Builder
	l            *source.Lines
	scale        int64
	scope, empty table.Sym
	frames       map[string]callstack.Frame // by their text
	levels       []level                    // of the tree that is read, from its root
	lost         int                        // depth of a node that could not be read: those below it have no place
	any          bool
}

// line reads a line by its first word. The last line of a file that is cut has no end, and its figure may have more digits.
func (d *decoder) line(line []byte) {
	key, value, ok := bytes.Cut(line, []byte{'='})
	switch {
	case !d.l.Ended():
		d.b.Problems.Add(d.l.Pos(len(line)+1), "want a line end, have the end of the file: the line is left out")
	case len(line) == 0 || line[0] == '#':
	case line[0] == ' ' || isNode(line):
		d.node(line)
	case ok && len(key) > 0 && bytes.IndexByte(key, ' ') < 0 && bytes.IndexByte(key, ':') < 0:
		d.field(string(key), value)
	default:
		d.head(line)
	}
}

// head reads "desc:", "cmd:" and "time_unit:".
func (d *decoder) head(line []byte) {
	key, value, _ := bytes.Cut(line, []byte{':'})
	text := string(bytes.TrimSpace(value))
	switch string(key) {
	case "desc":
		if strings.Contains(text, "--pages-as-heap=yes") {
			d.b.Fact("pages_as_heap", "true")
		}
	case "cmd":
		d.b.Process(table.Int{}, program(d.b, text))
		d.b.Fact("tool", "massif")
		d.b.Fact("unit", "requested")
		d.b.Fact("command", text)
	case "time_unit":
		c, ok := clocks[text]
		if !ok {
			d.b.Problems.Add(d.l.Pos(len(key)+2), "want the time unit i, ms or B, have %q", clip(value))
			return
		}
		d.scale = c.ns
		d.b.Fact("clock", c.name)
	default:
		d.b.Problems.Add(d.l.Pos(1), "want a field of a snapshot, have %q", clip(line))
	}
}

// program is the base name of the first word of a command; Null where it is not known.
func program(b *table.Builder, command string) table.Sym {
	word, _, _ := strings.Cut(command, " ")
	if word == "" {
		return table.Null
	}
	return b.Text(path.Base(word))
}

// field reads "time=123" and the like. Fields that are not known are passed over.
func (d *decoder) field(key string, value []byte) {
	switch {
	case key == "snapshot":
		d.end()
		d.b.Snapshot(table.Stamp{Line: d.l.Line()})
	case key == "time":
		if t, ok := d.number(key, value); ok && t <= math.MaxInt64/d.scale {
			d.b.Stamp(func(s *table.Stamp) { s.Trace = table.Known(t * d.scale) })
		}
	case metrics[key] != "":
		if v, ok := d.number(key, value); ok {
			d.b.Add(table.Sample{Scope: d.scope, Name: d.empty, Metric: d.b.Text(metrics[key]), Value: v, Line: d.l.Line()})
			d.any = true
		}
	}
}

func (d *decoder) number(key string, value []byte) (int64, bool) {
	v, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || v < 0 {
		d.b.Problems.Add(d.l.Pos(len(key)+2), "want a number that fits in 63 bits, have %q", clip(value))
		return 0, false
	}
	return v, true
}

func clip(s []byte) []byte { return s[:min(len(s), 60)] }
