package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffCheckin claims the form of --checkin: "time,<uptime>,<realtime>", then rows "4,<pid>,<name>,…".
func SniffCheckin(head []byte) bool {
	before, found := false, false
	eachLine(head, func(line []byte) bool {
		line = trim(line)
		if len(line) == 0 {
			return true
		}
		if before {
			_, _, found = rowStart(line)
		}
		before = isTime(line)
		return !found
	})
	return found
}

func isTime(line []byte) bool {
	f := bytes.Split(clip(line), []byte{','})
	return len(f) == 3 && string(f[0]) == "time" && isNumber(f[1]) && isNumber(f[2])
}

func isNumber(s []byte) bool {
	_, end, ok := integer(s, 0)
	return ok && end == len(s)
}

// rowStart reads "<version>,<pid>," at the start of a row.
func rowStart(line []byte) (version, pid int64, ok bool) {
	version, i, ok := integer(line, 0)
	if !ok || version < 1 || version > 99 || i >= len(line) || line[i] != ',' {
		return 0, 0, false
	}
	pid, i, ok = integer(line, i+1)
	return version, pid, ok && pid >= 0 && i < len(line) && line[i] == ','
}

// layout is the order of the figures of one version of the rows. First stand groups of four, one a figure: native,
// dalvik, other (the sum of what follows, not stored), total. Then, for each other kind of memory, its label and
// figures. The order is not that of the table: shared clean before private dirty.
type layout struct {
	groups, other []figure
}

// layouts are the versions that are known. Version 4 came with Android 8; 3 has no swap_pss.
var layouts = map[int64]layout{
	3: {[]figure{heapSize, heapAlloc, heapFree, pss, none, sharedDirty, sharedClean, privateDirty, privateClean, swap},
		[]figure{pss, none, sharedDirty, sharedClean, privateDirty, privateClean, swap}},
	4: {[]figure{heapSize, heapAlloc, heapFree, pss, none, sharedDirty, sharedClean, privateDirty, privateClean, swap, swapPSS},
		[]figure{pss, none, sharedDirty, sharedClean, privateDirty, privateClean, swap, swapPSS}},
}

// kinds is how many other kinds of memory a row has, the first of them is called firstKind.
const (
	kinds     = 17
	firstKind = "Dalvik Other"
)

// tail are the figures behind the last kind.
var tail = []struct {
	name string
	heap bool
}{{"Views", false}, {"ViewRootImpl", false}, {"AppContexts", false}, {"Activities", false}, {"Assets", false}, {"AssetManagers", false},
	{"Local Binders", false}, {"Proxy Binders", false}, {"Death Recipients", false}, {"OpenSSL Sockets", false},
	{"SQL MEMORY_USED", true}, {"", true}, {"SQL PAGECACHE_OVERFLOW", true}, {"SQL MALLOC_SIZE", true}}

// isObject says whether a name is one of the figures below Objects.
func isObject(name string) bool {
	for i := range tail {
		if tail[i].name == name {
			return name != ""
		}
	}
	return false
}

// checkin reads the rows.
type checkin struct {
	b       *table.Builder
	l       *source.Lines
	words   words
	fields  [][]byte
	records []record
	samples int
	begun   bool
	failure []byte
	failed  int
}

// DecodeCheckin reads the form of --checkin. A row that is cut, or not as its version has it, gives nothing and a
// problem. The error is that of the reading, or says why the file held nothing.
func DecodeCheckin(in *source.Input, b *table.Builder) error {
	c := &checkin{b: b, l: source.NewLines(in)}
	c.words.init(b)
	b.Fact("platform", "Android")
	b.Snapshot(table.Stamp{Line: 1})
	for c.l.Scan() {
		c.line(c.l.Bytes())
	}
	c.end()
	return closing(in, c.l, b, c.samples, c.failure, c.failed)
}

// closing gives the error of a decoder at the end of its input.
func closing(in *source.Input, l *source.Lines, b *table.Builder, samples int, failure []byte, failedAt int) error {
	if err := l.Err(); err != nil || samples > 0 {
		return err
	}
	if failure != nil {
		return source.Errorf(in.At(failedAt, 0), "held nothing: %q", failure)
	}
	if ps := b.Problems.List(); len(ps) > 0 {
		return source.Errorf(ps[0].Pos, "held nothing: %s", ps[0].Message)
	}
	return source.Errorf(in.At(l.Line(), 0), "held nothing: want the rows of a process")
}

func (c *checkin) line(line []byte) {
	line = trim(line)
	switch {
	case len(line) == 0:
	case line[0] == 't' && isTime(line):
		c.time(line)
	default:
		if version, pid, ok := rowStart(line); ok {
			c.row(line, version, pid)
		} else if bytes.Contains(line, []byte(","+firstKind+",")) {
			c.b.Problems.Add(c.l.Pos(1), "want VERSION,PID,NAME and figures, have %q: the row is dropped", clip(line))
		} else {
			c.between(line)
		}
	}
}

func (c *checkin) time(line []byte) {
	if c.begun {
		c.end()
		c.b.Snapshot(table.Stamp{Line: c.l.Line()})
	}
	c.begun = true
	f := bytes.Split(line, []byte{','})
	if ms, _, ok := integer(f[2], 0); ok && ms >= 0 && ms < 1<<43 {
		c.b.Stamp(func(s *table.Stamp) { s.Boot = table.Known(ms * 1e6) })
	}
}

func (c *checkin) end() {
	if c.b.HasData() {
		c.samples++
	} else if c.begun {
		c.b.NoSample()
	}
	c.begun = false
}

func (c *checkin) between(line []byte) {
	for i := range failures {
		if bytes.HasPrefix(line, []byte(failures[i].prefix)) {
			if c.failure == nil {
				c.failure, c.failed = bytes.Clone(clip(line)), c.l.Line()
			}
			c.begun = true
			return
		}
	}
	if t, ok := source.EndingAt(line); ok {
		c.b.Stamp(func(s *table.Stamp) { s.Wall = table.Known(t) })
		return
	}
	if m, ok := source.ParseMark(line); ok {
		if c.begun || c.b.HasData() {
			c.end()
			c.b.Snapshot(table.Stamp{Line: c.l.Line()})
		}
		if m.HasWall {
			c.b.Stamp(func(s *table.Stamp) { s.Wall = table.Known(m.Wall) })
		}
	}
}

// row reads the row of one process.
func (c *checkin) row(line []byte, version, pid int64) {
	c.begun = true
	lay, ok := layouts[version]
	if !ok {
		c.b.Problems.Count(c.l.Pos(1), "want a row of version 3 or 4, have version %d: it is dropped", version)
		return
	}
	c.fields = splitFields(c.fields[:0], line)
	first := c.anchor(3 + 4*len(lay.groups))
	if first < 0 {
		c.b.Problems.Add(c.l.Pos(1), "want %q behind %d figures, have %d fields without it: the row is dropped", firstKind, 4*len(lay.groups), len(c.fields))
		return
	}
	if c.isFigure(first-4*len(lay.groups)-1, 3) {
		c.b.Problems.Add(c.l.Pos(1), "want %d figures behind the name, have %d: the row is dropped", 4*len(lay.groups), first-3)
		return
	}
	behind := first + kinds*(1+len(lay.other))
	need := behind + len(tail)
	if len(c.fields) < need || !c.l.Ended() && len(c.fields) == need {
		c.b.Problems.Add(c.l.Pos(0), "want %d fields or more, have %d: the row is cut and dropped", need, len(c.fields))
		return
	}
	if c.isFigure(need, need) {
		c.b.Problems.Add(c.l.Pos(0), "want the name of a database in field %d, have %q: a figure before it is two, and the row is dropped", need+1, clip(c.fields[need]))
		return
	}
	c.records = c.records[:0]
	if c.groups(lay, first-4*len(lay.groups)) && c.others(lay, first) && c.tail(behind) {
		c.write(pid, bytes.Join(c.fields[2:first-4*len(lay.groups)], []byte{','}))
	}
}

// isFigure says whether field i, if there is one and it is not before from, is a figure: where a name is due, a comma in a
// number has shifted the columns.
func (c *checkin) isFigure(i, from int) bool {
	return i >= from && i < len(c.fields) && (isNumber(c.fields[i]) || string(c.fields[i]) == "N/A")
}

func splitFields(fields [][]byte, line []byte) [][]byte {
	for {
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			return append(fields, line)
		}
		fields, line = append(fields, line[:i]), line[i+1:]
	}
}

// anchor finds the label of the first kind, at its place or, since a name may have commas, behind it.
func (c *checkin) anchor(from int) int {
	for i := from; i < len(c.fields); i++ {
		if string(c.fields[i]) == firstKind {
			return i
		}
	}
	return -1
}

// value reads a field; N/A is no figure.
func (c *checkin) value(i int) (v int64, known, ok bool) {
	if string(c.fields[i]) == "N/A" {
		return 0, false, true
	}
	v, end, ok := integer(c.fields[i], 0)
	if !ok || end != len(c.fields[i]) {
		at := 1
		for _, f := range c.fields[:i] {
			at += len(f) + 1
		}
		c.b.Problems.Add(c.l.Pos(at), "want an integer or N/A in field %d, have %q: the row is dropped", i+1, clip(c.fields[i]))
		return 0, false, false
	}
	return v, true, true
}

// figure stores field i as figure f of r.
func (c *checkin) figure(r *record, f figure, i int) bool {
	v, known, ok := c.value(i)
	if !ok || !known || f == none {
		return ok
	}
	if v, ok = kib(v); !ok {
		c.b.Problems.Add(c.l.Pos(0), "want a size in kB in field %d, have %q: the row is dropped", i+1, c.fields[i])
		return false
	}
	r.set(f, v)
	return true
}

func (c *checkin) groups(lay layout, i int) bool {
	columns := [4]record{{scope: c.words.category, name: c.b.Text("Native Heap")}, {scope: c.words.category, name: c.b.Text("Dalvik Heap")}, {},
		{scope: c.words.process, name: c.words.empty}}
	for g, f := range lay.groups {
		for k := range columns {
			if k == 2 {
				continue
			}
			if !c.figure(&columns[k], f, i+4*g+k) {
				return false
			}
		}
	}
	c.records = append(c.records, columns[3], columns[0], columns[1])
	return true
}

func (c *checkin) others(lay layout, i int) bool {
	for range kinds {
		if isNumber(c.fields[i]) {
			c.b.Problems.Add(c.l.Pos(0), "want a label in field %d, have %q: the row is dropped", i+1, clip(c.fields[i]))
			return false
		}
		r := record{scope: c.words.category, name: c.b.Sym(c.fields[i])}
		for k, f := range lay.other {
			if !c.figure(&r, f, i+1+k) {
				return false
			}
		}
		c.records = append(c.records, r)
		i += 1 + len(lay.other)
	}
	return true
}

func (c *checkin) tail(i int) bool {
	for k, t := range tail {
		v, known, ok := c.value(i + k)
		if !ok {
			return false
		}
		if !known || t.name == "" {
			continue
		}
		r := record{scope: c.words.class, name: c.b.Text(t.name)}
		if t.heap {
			r.scope = c.words.pool
			if !c.figure(&r, liveBytes, i+k) {
				return false
			}
		} else {
			r.set(count, v)
		}
		c.records = append(c.records, r)
	}
	return true
}

func (c *checkin) write(pid int64, name []byte) {
	sym := table.Null
	if len(name) > 0 {
		sym = c.b.Sym(name)
	}
	c.b.Process(table.Known(pid), sym)
	for i := range c.records {
		c.records[i].line = c.l.Line()
		c.words.emit(c.b, &c.records[i])
	}
	c.b.Process(table.Int{}, table.Null)
}
