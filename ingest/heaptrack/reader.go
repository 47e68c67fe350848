package heaptrack

import (
	"bytes"
	"path"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// newest is the highest file version whose grammar is known: heaptrack 1.3 to 1.5.
const newest = 3

// reader holds what the records so far have said.
type reader struct {
	l       *source.Lines
	in      *source.Input
	b       *table.Builder
	raw     bool
	indexed bool // + and - name an allocation info: data files from version 1
	sized   bool // strings have their length before them: version 3
	page    int64
	command []byte
	named   bool // the process has its name
	closed  bool // the counts that end a data file were read
	attached,
	begun bool // rows were written
	at     int64 // ns of the last time stamp
	stacks stacks
	ledger ledger
	live   map[uint64]block // raw: what is allocated, by address
	words  words
}

// words are the names that rows use again and again.
type words struct{ process, heap, rss table.Sym }

func newReader(in *source.Input, b *table.Builder, raw bool) *reader {
	r := &reader{l: source.NewLines(in), in: in, b: b, raw: raw, sized: raw, live: map[uint64]block{}}
	r.words = words{b.Text("process"), b.Text("heap_alloc"), b.Text("rss")}
	r.stacks.init(b)
	b.Fact("tool", "heaptrack")
	b.Fact("clock", "trace")
	b.Fact("unit", "requested")
	return r
}

// record reads one line. A line that the end of the input cuts is not read: its last number may go on.
func (r *reader) record(line []byte) {
	if !r.l.Ended() {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want the end of a record, have the end of the file: it is cut, and this record not counted")
		return
	}
	ok := true
	f := fields{line: line, pos: 1}
	switch line[0] {
	case '+', '-':
		ok = r.event(line[0], &f)
	case 't':
		ok = r.trace(&f)
	case 'a':
		ok = r.info(&f)
	case 'i':
		ok = r.instruction(&f)
	case 's':
		ok = r.text(&f)
	case 'c':
		ok = r.stamp(&f)
	case 'R':
		ok = r.resident(&f)
	case 'm':
		ok = r.module(&f)
	default:
		ok = r.head(line[0], &f)
	}
	if !ok {
		r.b.Problems.Count(r.l.Pos(min(f.pos+1, len(line))), "want a record of heaptrack, have one of kind %q that cannot be read", line[:1])
	}
}

// head reads the records that stand once, at the start or at the end.
func (r *reader) head(kind byte, f *fields) bool {
	switch kind {
	case 'v':
		return r.version(f)
	case 'X':
		r.setCommand(f.text())
	case 'x':
		if _, ok := f.hex(); !ok && r.sized {
			return false
		}
		r.stacks.program = string(f.text())
		r.name([]byte(r.stacks.program))
	case 'I':
		page, ok := f.hex()
		if !ok || page > 1<<30 {
			return false
		}
		r.page = int64(page)
		r.b.Fact("page_size", strconv.FormatInt(r.page, 10))
	case 'A':
		r.attached = true
		r.b.Fact("attached", "true")
	case 'S':
		r.stacks.suppressions.add(f.text())
	case '#':
		r.closed = r.closed || bytes.HasPrefix(f.text(), []byte("strings:"))
	default:
		return false
	}
	return true
}

// version reads "v 10400 3". A file of a version from tomorrow is read as far as its records are known.
func (r *reader) version(f *fields) bool {
	tool, ok := f.hex()
	if !ok {
		return false
	}
	file, told := f.hex()
	if !told && tool >= 0x010200 {
		file = 1
	}
	r.indexed = file >= 1 && !r.raw
	r.sized = file >= 3
	r.b.Fact("version", strconv.FormatUint(tool>>16, 10)+"."+strconv.FormatUint(tool>>8&0xff, 10)+"."+strconv.FormatUint(tool&0xff, 10))
	r.b.Fact("file_version", strconv.FormatUint(file, 10))
	if file > newest {
		r.b.Problems.Add(r.l.Pos(1), "want a file version of at most %d, have %d: only the records that are known are read", newest, file)
	}
	return true
}

// setCommand notes the command line, which has no quotes: the program is its first word until a path says more.
func (r *reader) setCommand(line []byte) {
	r.command = bytes.Clone(line)
	r.b.Fact("command", string(line))
	if !r.named {
		first, _, _ := bytes.Cut(line, []byte(" "))
		r.b.Process(table.Int{}, r.b.Text(path.Base(string(first))))
	}
}

// name takes the path of the program, the first string of a data file, where the command begins with it.
func (r *reader) name(program []byte) {
	if r.named || len(program) == 0 || !r.raw && !bytes.HasPrefix(r.command, program) {
		return
	}
	r.named = true
	r.b.Process(table.Int{}, r.b.Text(path.Base(string(program))))
}

// stamp reads "c f4c": milliseconds since the start.
func (r *reader) stamp(f *fields) bool {
	ms, ok := f.hex()
	if !ok || ms > 1<<40 {
		return false
	}
	at := int64(ms) * 1e6
	if at < r.at {
		r.b.Problems.Count(r.l.Pos(3), "want time stamps that rise, have one before the last: it is not used")
		return true
	}
	if at > 0 {
		r.begin()
	}
	r.begun, r.at = true, at
	r.ledger.stamp(at)
	r.sample(r.words.heap, r.ledger.heap)
	return true
}

// begin writes the state at the start, before anything was allocated: the clock counts from there. A process that runs
// already has no such state.
func (r *reader) begin() {
	if r.begun {
		return
	}
	r.begun = true
	if !r.attached {
		r.sample(r.words.heap, 0)
	}
}

// resident reads "R 483": pages in memory, at the time stamp before.
func (r *reader) resident(f *fields) bool {
	pages, ok := f.hex()
	if !ok || pages > 1<<40 {
		return false
	}
	if r.page == 0 {
		r.b.Problems.Count(r.l.Pos(3), "want a page size (a line I) before resident pages, have none: they have no rows")
		return true
	}
	if bytes, ok := times(int64(pages), r.page); ok {
		r.begin()
		r.sample(r.words.rss, bytes)
		return true
	}
	return false
}

// times is a x b where it fits.
func times(a, b int64) (int64, bool) {
	c := a * b
	return c, b > 0 && c/b == a && c >= 0
}

func (r *reader) sample(metric table.Sym, value int64) {
	r.b.Add(table.Sample{Scope: r.words.process, Metric: metric, Value: value, Line: r.l.Line(), At: r.at})
}

// finish writes the sites, and says what the end is missing.
func (r *reader) finish() {
	if !r.raw && !r.closed && (r.begun || r.ledger.events > 0) {
		r.b.Problems.Add(r.l.Pos(0), "want the counts of strings and addresses at the end, have none: the capture is cut, rows go up to there")
	}
	if n := r.ledger.unread; n > 0 {
		pos := r.l.Pos(0)
		pos.Line = r.ledger.unreadLine
		r.b.Problems.Add(pos, "want + and - of a record a that can be read, have %d of others: they are not counted, the last of them is here", n)
	}
	if r.ledger.events > 0 {
		r.begin()
	}
	r.writeSites()
}
