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
	return maps && !fields && !inProfile(head)
}

// inProfile says whether the maps are the foot of a heap profile, which names its own addresses by them.
func inProfile(head []byte) bool {
	return bytes.Contains(head, []byte("\nMAPPED_LIBRARIES:")) || bytes.Contains(head, []byte("\n--- Memory map:"))
}

// shape looks for map headers: whether one has fields, and whether two stand without. A header that is damaged behind
// its range counts where no smaps_rollup stands, whose own may be the one that is damaged.
func shape(head []byte) (fields, maps bool) {
	var h header
	var damaged, rollup bool
	headers, before := 0, noHeader
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head, line = rest, bytes.TrimRight(line, "\r")
		if before != noHeader && isField(line) {
			if before == wholeHeader {
				return true, false
			}
			damaged = true
		}
		if before = headerOf(line, &h); before == wholeHeader {
			if string(h.path) == "[rollup]" {
				before, rollup = noHeader, true
			} else {
				headers++
			}
		}
	}
	return damaged && !rollup, headers >= 2 && !damaged
}

const (
	noHeader = iota
	damagedHeader
	wholeHeader
)

func headerOf(line []byte, h *header) int {
	column, want := parseHeader(line, h)
	switch {
	case column == 0:
		return wholeHeader
	case column > 9 && want != "an address range":
		return damagedHeader
	}
	return noHeader
}

func isField(line []byte) bool {
	_, _, ok, known := new(keys).find(line)
	return ok && known
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
	open    bool   // a header was read, its fields follow
	orphan  bool   // fields of a header that could not be read
	fields  int    // of the open mapping, flags apart
	usual   int    // of the whole mappings of this snapshot, or of the one before while there is none
	fresh   bool   // usual is that of the snapshot before, which may be of another kernel
	lost    bool   // a mapping of the snapshot could not be read
	half    string // how the snapshot was broken off, if it was
	android bool
	maps    bool
	total   int
	page    int64     // as the last mapping tells it
	least   int64     // the smallest page size: that of the machine, those of hugetlb are multiples of it
	stamp   table.Int // time of the current snapshot's separator
	whole   bool      // a snapshot ended in one of the kernel's own mappings, as all whole ones do
	paths   pathClasses
	quoted  []byte // the first line that says why there is no data
	quoteAt int
}

const halfLine = "it ends in the middle of a mapping"

func decode(in *source.Input, b *table.Builder, maps bool) error {
	d := &decoder{b: b, l: source.NewLines(in), maps: maps}
	d.paths.b, d.paths.empty = b, b.Text("")
	d.begin(table.Int{}, 1)
	for d.l.Scan() {
		d.line(d.l.Bytes())
		if d.open && !maps {
			d.rush()
		}
	}
	d.end(true)
	if d.least > 0 {
		b.Fact("page_size", strconv.FormatInt(d.least, 10))
	}
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

func (d *decoder) begin(wall table.Int, line int) {
	d.b.Snapshot(table.Stamp{Wall: wall, Line: line})
	d.stamp, d.fresh = wall, true
	d.rows, d.open, d.orphan, d.android, d.half, d.lost = d.rows[:0], false, false, false, "", false
}

func (d *decoder) line(line []byte) {
	if len(line) == 0 {
		d.blank()
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

// blank takes the empty lines that follow an empty one at once: a file may be padded with very many.
func (d *decoder) blank() {
	ahead := d.l.Ahead()
	n := 0
	for n < len(ahead) && ahead[n] == '\n' {
		n++
	}
	d.l.Skip(n, n)
}

func (d *decoder) field(line []byte) {
	size, i, ok, known := d.keys.find(line)
	switch {
	case !ok:
		d.other(line)
	case !d.open:
		if !d.orphan && known {
			d.orphans()
		}
	case size >= 0 || size == pageSize:
		d.value(size, line, i)
	case !d.l.Ended() && !wholeField(size, line, i):
		d.half = halfLine
	case !known:
		d.b.Problems.Count(d.l.Pos(1), "unknown field %q", clip(line[:i-1]))
	case size == name:
		d.name(line[i:])
	case size == ignored:
		d.fields++
	}
}

// wholeField says whether a field that is not stored, whose line has no end, cannot have gone on: its unit stands behind
// the figure, or it has a flag (no figure stands behind the flags).
func wholeField(size table.Size, line []byte, value int) bool {
	if size == flags {
		return blanks(line, value) < len(line)
	}
	_, _, ok := kilobytes(line, value)
	return size == ignored && ok
}

// orphans are fields whose header is not there: what they belong to is lost, and with it the sums of the snapshot.
func (d *decoder) orphans() {
	d.b.Problems.Add(d.l.Pos(1), "want a map header before its fields, have a field")
	d.closeMapping()
	d.orphan, d.lost = true, true
}

func (d *decoder) value(size table.Size, line []byte, i int) {
	m := &d.rows[len(d.rows)-1]
	if size >= 0 && (m.Has|m.Bad)&(1<<size) != 0 {
		d.orphans() // the header between was damaged: nobody prints a field twice
		return
	}
	v, end, ok := kilobytes(line, i)
	switch {
	case !ok && !d.l.Ended():
		d.half = halfLine // a cut, which makes a problem of its own
		return
	case !ok:
		d.b.Problems.Add(d.l.Pos(end+1), "want a size in kB, have %q", clip(line))
		if size >= 0 {
			m.Bad |= 1 << size
		}
	case size >= 0:
		m.Set(size, v)
	case v > 0:
		d.pages(v)
	}
	d.fields++
}

func (d *decoder) pages(size int64) {
	d.page = size
	if d.least == 0 || size < d.least {
		d.least = size
	}
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
		d.begin(d.stamp, d.l.Line()) // several dumps behind one separator are all of its time
	}
	d.closeMapping()
	if string(h.path) == "[rollup]" {
		d.b.Problems.Count(d.l.Pos(1), "a smaps_rollup beside the smaps is not read again")
		d.open, d.orphan = false, true
		return true
	}
	d.open, d.orphan, d.fields = true, false, 0
	d.keys.next = 0
	d.rows = append(d.rows, table.Mapping{Start: h.start, End: h.end, HasRange: true, Offset: h.offset, Inode: h.inode, HasFile: h.offset >= 0,
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
	d.orphan = true
	if !d.l.Ended() {
		d.half = halfLine
		return true
	}
	d.lost = true
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
	if d.maps && d.l.Ended() && wasHeader(line) {
		d.b.Problems.Add(d.l.Pos(1), "want start-end in hexadecimal, permissions, offset, device and inode, have %q: the mapping is left out", clip(line))
		d.lost = true
	} else if source.NoData(line) {
		d.noData(line)
	} else if !d.l.Ended() && len(d.rows) > 0 {
		d.half = halfLine
	}
}

// noData counts a sample that could not be taken. A process that ends while it is read (ESRCH of the kernel's
// m_start) leaves the first of its mappings: what was read of it is dropped.
func (d *decoder) noData(line []byte) {
	d.b.NoSample()
	if d.quoted == nil {
		d.quoted, d.quoteAt = append([]byte(nil), clip(line)...), d.l.Line()
	}
	if len(d.rows) > 0 && !d.special() && bytes.Contains(line, []byte("smaps: No such process")) {
		d.half = "the process ended while it was read"
		d.end(false)
		d.begin(d.stamp, d.l.Line())
	}
}

func (d *decoder) mark(m source.Mark) {
	wall := table.Int{V: m.Wall, OK: m.HasWall}
	if !wall.OK && len(d.rows) == 0 {
		wall = d.stamp // a rule below the time
	}
	d.end(false)
	d.begin(wall, d.l.Line())
	if m.HasPID {
		d.b.Process(table.Known(m.PID), table.Null)
	}
}

func clip(line []byte) []byte { return line[:min(len(line), 80)] }
