package series

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffPidstat claims the header of the memory table of sysstat's pidstat.
func SniffPidstat(head []byte) bool {
	found := false
	eachLine(head, 200, func(line []byte) bool {
		h, ok := newPidstatHeader(fields(line, nil))
		found = ok && h.rss >= 0 && bytes.Contains(line, []byte("minflt/s"))
		return found
	})
	return found
}

// pidstatHeader has the places of the columns behind the time; -1 for one that is not there.
type pidstatHeader struct{ n, pid, vss, rss int }

// newPidstatHeader reads "10:15:01 AM   UID       PID  minflt/s … Command" and "# Time        UID …": what stands
// before the user or the pid is the time.
func newPidstatHeader(words [][]byte) (pidstatHeader, bool) {
	h := pidstatHeader{pid: -1, vss: -1, rss: -1}
	if len(words) < 3 || string(words[len(words)-1]) != "Command" {
		return h, false
	}
	from := -1
	for i, w := range words {
		switch string(w) {
		case "UID", "USER", "PID", "TGID":
			if from < 0 {
				from = i
			}
		}
		switch string(w) {
		case "PID", "TGID":
			h.pid = i - from
		case "VSZ":
			h.vss = i - from
		case "RSS":
			h.rss = i - from
		}
	}
	h.n = len(words) - from
	return h, from >= 0 && h.pid >= 0
}

type pidstat struct {
	in     *source.Input
	b      *table.Builder
	lines  *source.Lines
	header pidstatHeader
	known  bool // a header of a memory table came last
	date   table.Int
	days   int64
	last   table.Int // the time of the line before
	group  grouping
	buf    [][]byte
	above  []byte
	words  words
	rows   int
}

// DecodePidstat reads the memory table of pidstat -r in all its layouts: vss and rss of each process. Other tables
// of the file are passed over. The error is that of the reader, or says that the file holds no figure.
func DecodePidstat(in *source.Input, b *table.Builder) error {
	d := &pidstat{in: in, b: b, lines: source.NewLines(in), words: newWords(b)}
	for d.lines.Scan() {
		d.line(d.lines.Bytes())
	}
	if err := d.lines.Err(); err != nil {
		return err
	}
	if d.rows == 0 {
		return source.Errorf(in.At(d.lines.Line(), 0), "held nothing: no process below a header with VSZ and RSS (pidstat -r)")
	}
	return nil
}

func (d *pidstat) line(line []byte) {
	d.buf = fields(line, d.buf)
	if len(d.buf) < 2 || d.buf[0][len(d.buf[0])-1] == ':' {
		return // an empty line, or the averages
	}
	if string(d.buf[0]) == "Linux" {
		d.banner()
		return
	}
	if h, ok := newPidstatHeader(d.buf); ok {
		d.header, d.known = h, h.rss >= 0
		return
	}
	ns, wall, taken := d.time()
	if taken > 0 && d.known {
		d.process(line, ns, wall, d.buf[taken:])
	} else if d.known && d.isRow() {
		d.b.Problems.Add(d.lines.Pos(columnOf(line, d.buf[0])), "want a time, have %q: the row is left out", clip(d.buf[0]))
	}
}

// isRow says whether a line has the pid and the figures of a process behind what is no time.
func (d *pidstat) isRow() bool {
	for _, cells := range [...][][]byte{d.buf[1:], d.buf[min(2, len(d.buf)):]} {
		if len(cells) < d.header.n {
			return false
		}
		_, ok := integer(cells[d.header.pid])
		_, _, sound := sized(cells[d.header.rss])
		if ok && sound {
			return true
		}
	}
	return false
}

// banner reads "Linux <release> (<host>) <date> …"; the date is of the locale, and certain only in ISO form.
func (d *pidstat) banner() {
	d.b.Fact("OS", "Linux")
	d.b.Fact("kernel", string(d.buf[1]))
	for _, w := range d.buf[2:] {
		if ns, ok := parseISO(w); ok && len(w) == 10 && w[4] == '-' {
			d.b.Fact("date", string(w))
			d.date, d.days, d.last = table.Known(ns), 0, table.Int{}
		}
	}
}

// time reads the time in front of a line, and how many words it takes: an epoch, a time of day, and AM or PM.
func (d *pidstat) time() (ns int64, wall bool, words int) {
	first := d.buf[0]
	if s, ok := digits(first); ok && len(first) >= 9 && len(first) <= 10 {
		return s * 1e9, true, 1
	}
	ns, ok := parseClock(first)
	if !ok || len(d.buf) < 3 {
		return 0, false, 0
	}
	words = 1
	if half := string(d.buf[1]); half == "AM" || half == "PM" {
		ns, words = ns%(day/2), 2
		if half == "PM" {
			ns += day / 2
		}
	}
	if ns += d.days; d.last.OK && d.last.V-ns > day/2 {
		d.days += day
		ns += day
	}
	if d.date.OK {
		return d.date.V + ns, true, words
	}
	return ns, false, words
}

// process reads the line of a process. Lines of threads (TGID "-") repeat the memory of their process.
func (d *pidstat) process(line []byte, ns int64, wall bool, cells [][]byte) {
	if len(cells) < d.header.n {
		d.b.Problems.Add(d.lines.Pos(len(line)+1), "want %d columns behind the time, have %d", d.header.n, len(cells))
		return
	}
	if string(cells[d.header.pid]) == "-" {
		return
	}
	name := cells[d.header.n-1]
	name = trim(name[:cap(name)-cap(line)+len(line)])
	if !d.lines.Ended() && !bytes.Equal(name, d.above) {
		d.b.Problems.Add(d.lines.Pos(columnOf(line, name)), "want a whole line, have one without an end: taken for cut")
		return
	}
	d.above = append(d.above[:0], name...)
	pid, ok := integer(cells[d.header.pid])
	if !ok {
		d.b.Problems.Add(d.lines.Pos(columnOf(line, cells[d.header.pid])), "want a pid, have %q", clip(cells[d.header.pid]))
		return
	}
	d.begin(ns, wall, subject{table.Known(pid), d.b.Sym(name)})
	d.figure(line, d.words.vss, d.header.vss, cells)
	d.figure(line, d.words.rss, d.header.rss, cells)
}

func (d *pidstat) begin(ns int64, wall bool, who subject) {
	if d.group.begins(who, !d.last.OK || ns != d.clockTime()) {
		s := table.Stamp{Line: d.lines.Line()}
		if wall {
			s.Wall = table.Known(ns)
		} else {
			s.Trace = table.Known(ns)
		}
		d.b.Snapshot(s)
	}
	d.last = table.Known(ns - d.date.V)
	d.b.Process(who.pid, who.process)
}

// clockTime is the time of the line before, in the terms of a stamp.
func (d *pidstat) clockTime() int64 { return d.last.V + d.date.V }

func (d *pidstat) figure(line []byte, metric table.Sym, at int, cells [][]byte) {
	if at < 0 || missing(cells[at]) {
		return
	}
	v, rounded, ok := sized(cells[at])
	if !ok {
		d.b.Problems.Add(d.lines.Pos(columnOf(line, cells[at])), "want a size in kB, have %q", clip(cells[at]))
		return
	}
	if rounded {
		d.b.Fact("rounded", "sizes were printed with --human, to about three digits")
	}
	d.rows++
	d.b.Add(table.Sample{Scope: d.words.process, Name: d.words.empty, Metric: metric, Value: v, Line: d.lines.Line()})
}
