// Package smaps reads /proc/PID/smaps and /proc/PID/maps: one file of one moment, or a log of many. The format is
// the kernel's Documentation/filesystems/proc.rst, section 1.1, and fs/proc/task_mmu.c.
package smaps

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Sniff claims text with a map header that a field line follows; a smaps_rollup is another format.
func Sniff(head []byte) bool {
	fields, _ := shape(head)
	return fields
}

// SniffMaps claims text with at least two map headers and no field.
func SniffMaps(head []byte) bool {
	fields, maps := shape(head)
	return maps && !fields
}

// shape looks for map headers: whether one has fields, and whether two stand without.
func shape(head []byte) (fields, maps bool) {
	var h header
	headers, before := 0, false
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head, line = rest, bytes.TrimRight(line, "\r")
		column, want := parseHeader(line, &h)
		isHeader := column == 0 || column > 9 && want != "an address range" // a header cut or odd behind its range
		if before && !isHeader {
			if _, _, ok, known := new(keys).find(line); ok && known {
				return true, false
			}
		}
		if column == 0 && string(h.path) != "[rollup]" {
			headers++
		}
		before = isHeader && string(h.path) != "[rollup]"
		if column != 0 {
			h.path = nil
		}
	}
	return false, headers >= 2
}

// Decode reads smaps into mappings, and the samples that they add up to.
func Decode(in *source.Input, b *table.Builder) error { return decode(in, b, false) }

// DecodeMaps reads /proc/PID/maps: mappings with a size and nothing else.
func DecodeMaps(in *source.Input, b *table.Builder) error { return decode(in, b, true) }

// decoder holds the snapshot that is being read: its mappings are written when it is whole.
type decoder struct {
	b       *table.Builder
	l       *source.Lines
	keys    keys
	rows    []table.Mapping
	open    bool // a header was read, its fields follow
	orphan  bool // fields of a header that could not be read
	fields  int  // of the open mapping, flags apart
	usual   int  // of the mapping before
	half    bool // the last line was no whole field
	android bool
	maps    bool
	total   int
	page    int64
	failed  bool
	paths   pathClasses
	quoted  []byte // the first line that says why there is no data
	quoteAt int
}

func decode(in *source.Input, b *table.Builder, maps bool) error {
	d := &decoder{b: b, l: source.NewLines(in), maps: maps}
	d.paths.b, d.paths.empty = b, b.Text("")
	d.begin(table.Stamp{Line: 1})
	for d.l.Scan() {
		d.line(d.l.Bytes())
		if d.open && !maps {
			d.rush()
		}
	}
	d.end(true)
	if err := d.l.Err(); err != nil {
		return err
	}
	if d.total == 0 {
		return d.nothing(in)
	}
	return nil
}

func (d *decoder) nothing(in *source.Input) error {
	if d.quoted != nil {
		return source.Errorf(in.At(d.quoteAt, 0), "held nothing: %q", d.quoted)
	}
	if ps := d.b.Problems.List(); len(ps) > 0 {
		return source.Errorf(ps[0].Pos, "held nothing: %s", ps[0].Message)
	}
	return source.Errorf(in.At(d.l.Line(), 0), "held nothing: want mappings of /proc/PID/smaps")
}

func (d *decoder) begin(s table.Stamp) {
	d.b.Snapshot(s)
	d.rows, d.open, d.orphan, d.android, d.half = d.rows[:0], false, false, false, false
}

func (d *decoder) line(line []byte) {
	if len(line) == 0 {
		return
	}
	switch c := line[0]; {
	case c >= 'A' && c <= 'Z':
		d.field(line)
	case hexDigit[c] < 16 && d.header(line):
	default:
		d.other(line)
	}
}

func (d *decoder) field(line []byte) {
	size, i, ok, known := d.keys.find(line)
	switch {
	case !ok:
		d.other(line)
	case !d.open:
		if !d.orphan && known {
			d.b.Problems.Count(d.l.Pos(1), "want a map header before its fields, have a field")
			d.failed = true
		}
	case size >= 0 || size == pageSize:
		d.value(size, line, i)
	case !known:
		d.b.Problems.Count(d.l.Pos(1), "unknown field %q", line[:i-1])
	case size == name:
		d.name(line[i:])
	case size == ignored:
		d.fields++
	}
}

func (d *decoder) value(size table.Size, line []byte, i int) {
	v, end, ok, whole := kilobytes(line, i)
	if !ok || !whole {
		d.badValue(line, end, ok)
		return
	}
	d.fields++
	if size == pageSize {
		if v > 0 && v != d.page {
			d.page = v
			d.b.Fact("page_size", strconv.FormatInt(v, 10))
		}
		return
	}
	d.rows[len(d.rows)-1].Set(size, v)
}

// badValue is a figure that cannot be read. The last line of a cut capture is told apart: it makes no problem of
// its own, the cut does.
func (d *decoder) badValue(line []byte, end int, number bool) {
	if !d.l.Ended() {
		d.half = true
		return
	}
	d.fields++
	d.b.Problems.Add(d.l.Pos(end+1), "want a size in kB, have %q", clip(line))
}

// name gives a mapping without a path the one that Android's kernels print on a line of its own.
func (d *decoder) name(text []byte) {
	m := &d.rows[len(d.rows)-1]
	if text = bytes.TrimLeft(text, " \t"); m.Path == d.paths.empty && len(text) > 0 {
		m.Path = d.path(text)
	}
}

func (d *decoder) header(line []byte) bool {
	var h header
	if column, want := parseHeader(line, &h); column != 0 {
		return d.badHeader(line, column, want)
	}
	if n := len(d.rows); n > 0 && h.start < d.rows[n-1].Start {
		d.end(false)
		d.begin(table.Stamp{Line: d.l.Line()})
	}
	d.closeMapping()
	if string(h.path) == "[rollup]" {
		d.b.Problems.Count(d.l.Pos(1), "a smaps_rollup beside the smaps is not read again")
		d.open, d.orphan = false, true
		return true
	}
	d.open, d.orphan, d.fields = true, false, 0
	d.keys.next = 0
	d.rows = append(d.rows, table.Mapping{Start: h.start, End: h.end, HasRange: true, Offset: h.offset, Inode: h.inode, HasFile: true,
		Perms: d.b.Sym(h.perms), Path: d.path(h.path), Line: d.l.Line()})
	if d.maps {
		d.rows[len(d.rows)-1].Set(table.MapSize, int64(h.end-h.start))
	}
	return true
}

// badHeader says whether a line was meant as a map header, and notes what is wrong with it.
func (d *decoder) badHeader(line []byte, column int, want string) bool {
	if want == "an address range" {
		return false
	}
	d.closeMapping()
	d.open, d.orphan = false, true
	if !d.l.Ended() {
		d.half = true
		return true
	}
	d.failed = true
	d.b.Problems.Add(d.l.Pos(column), "want %s in a map header, have %q", want, clip(line))
	return true
}

// path interns a path and keeps its class under both rule sets.
func (d *decoder) path(text []byte) table.Sym {
	y := d.b.Sym(text)
	if d.paths.learn(y, text) {
		d.android = true
	}
	return y
}

// other takes lines that are neither header nor field: separators, prompts, errors of cat.
func (d *decoder) other(line []byte) {
	if m, ok := source.ParseMark(line); ok {
		d.mark(m)
		return
	}
	if source.NoData(line) {
		d.b.NoSample()
		if d.quoted == nil {
			d.quoted, d.quoteAt = append([]byte(nil), clip(line)...), d.l.Line()
		}
	}
	if !d.l.Ended() && len(d.rows) > 0 {
		d.half = true
	}
}

func (d *decoder) mark(m source.Mark) {
	d.end(false)
	d.begin(table.Stamp{Wall: table.Int{V: m.Wall, OK: m.HasWall}, Line: d.l.Line()})
	if m.HasPID {
		d.b.Process(table.Known(m.PID), table.Null)
	}
}

func clip(line []byte) []byte { return line[:min(len(line), 80)] }
