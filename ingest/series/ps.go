package series

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// psColumns are the headers of ps that are read (procps, BSD, toybox, busybox); sizes are kB.
var psColumns = map[string]string{
	"PID": "pid", "RSS": "rss", "RSZ": "rss", "VSZ": "vss", "VSIZE": "vss", "PSS": "pss", "USS": "uss", "NLWP": "threads", "THCNT": "threads",
	"TID": "tid", "LWP": "tid", "SPID": "tid", "COMMAND": "name", "CMD": "name", "COMM": "name", "ARGS": "name", "NAME": "name", "STARTED": "started",
}

// startWords is how many words the column STARTED takes when the first of them is a weekday or a month.
var startWords = map[string]int{"Mon": 5, "Tue": 5, "Wed": 5, "Thu": 5, "Fri": 5, "Sat": 5, "Sun": 5, "Jan": 2, "Feb": 2, "Mar": 2, "Apr": 2,
	"May": 2, "Jun": 2, "Jul": 2, "Aug": 2, "Sep": 2, "Oct": 2, "Nov": 2, "Dec": 2}

// SniffPS claims a header of ps in capitals with RSS, VSZ, PSS or USS near the top, and a process below it.
func SniffPS(head []byte) bool {
	var h psHeader
	found := false
	eachLine(head, 40, func(line []byte) bool {
		if next := newPSHeader(fields(line, nil)); next != nil {
			h, found = next, true
			return false
		}
		if h == nil || len(trim(line)) == 0 {
			return false
		}
		if _, mark := source.ParseMark(line); mark {
			return false
		}
		found = len(h.cells(fields(line, nil))) == len(h)
		return true
	})
	return found
}

// psHeader says what each column is; "" for one that is not read.
type psHeader []string

// newPSHeader is nil if the words are no header.
func newPSHeader(words [][]byte) psHeader {
	var h psHeader
	size := false
	for _, w := range words {
		if !capitals(w) {
			return nil
		}
		what := psColumns[string(w)]
		size = size || what == "rss" || what == "vss" || what == "pss" || what == "uss"
		h = append(h, what)
	}
	if !size {
		return nil
	}
	return h
}

func capitals(w []byte) bool {
	for _, c := range w {
		if (c < 'A' || c > 'Z') && c != '%' && c != '+' {
			return false
		}
	}
	return true
}

// cells cuts the words of a line into the columns: what is too many belongs to the date or to the command, wherever
// it stands. The result has another length than the header if that does not work out.
func (h psHeader) cells(words [][]byte) [][]byte {
	for i, what := range h {
		if n := 0; what == "started" && i < len(words) {
			if n = startWords[string(words[i])]; n > 1 && len(words) >= i+n {
				words = append(words[:i+1], words[i+n:]...)
			}
		}
	}
	extra, name := len(words)-len(h), h.index("name")
	if extra <= 0 || name < 0 {
		return words
	}
	first, last := words[name], words[name+extra]
	words[name] = first[:columnOf(first, last)-1+len(last)]
	return append(words[:name+1], words[name+extra+1:]...)
}

func (h psHeader) index(what string) int {
	for i := range h {
		if h[i] == what {
			return i
		}
	}
	return -1
}

type ps struct {
	in       *source.Input
	b        *table.Builder
	lines    *source.Lines
	header   psHeader
	metrics  []table.Sym
	group    grouping
	stamp    table.Stamp // of the next sample
	pid      table.Int   // of a separator line
	fresh    bool        // a header or a separator stood before this line
	promised bool        // a header stood there, and no process yet
	buf      [][]byte
	above    []byte
	words    words
	rows     int
}

// DecodePS reads the output of ps, once or in a loop, with dates between or without: rss, vss, pss, uss of each
// process, and its number of threads. The error is that of the reader, or says that no process was found.
func DecodePS(in *source.Input, b *table.Builder) error {
	d := &ps{in: in, b: b, lines: source.NewLines(in), words: newWords(b)}
	for d.lines.Scan() {
		d.line(d.lines.Bytes())
	}
	if err := d.lines.Err(); err != nil {
		return err
	}
	d.unkept()
	if d.header == nil {
		return source.Errorf(in.At(1, 0), "want the header of ps, such as PID RSS VSZ COMMAND (ps -o pid,rss,vsz,comm without --no-headers)")
	}
	if d.rows == 0 {
		return source.Errorf(in.At(d.lines.Line(), 0), "held nothing: a header of ps and no process below it")
	}
	return nil
}

func (d *ps) line(line []byte) {
	d.buf = fields(line, d.buf)
	if len(d.buf) == 0 {
		return
	}
	if h := newPSHeader(d.buf); h != nil {
		d.unkept()
		d.header, d.promised, d.fresh = h, true, true
		d.intern()
		return
	}
	if m, ok := source.ParseMark(line); ok && (d.header == nil || len(d.buf) != len(d.header) || m.HasWall) {
		d.unkept()
		d.fresh, d.stamp = true, table.Stamp{}
		d.stamp.Wall, d.pid = table.Int{V: m.Wall, OK: m.HasWall}, table.Int{V: m.PID, OK: m.HasPID}
		return
	}
	if d.header != nil {
		d.process(line, d.header.cells(d.buf))
	}
}

// unkept counts a header without a process: the process was gone.
func (d *ps) unkept() {
	if d.promised {
		d.b.NoSample()
	}
	d.promised = false
}

func (d *ps) intern() {
	d.metrics = d.metrics[:0]
	for _, what := range d.header {
		d.metrics = append(d.metrics, map[string]table.Sym{"rss": d.words.rss, "vss": d.words.vss, "pss": d.words.pss, "uss": d.words.uss, "threads": d.words.count}[what])
	}
}

func (d *ps) process(line []byte, cells [][]byte) {
	if len(cells) != len(d.header) {
		if len(cells) > 0 && cells[0][0] >= '0' && cells[0][0] <= '9' {
			d.b.Problems.Add(d.lines.Pos(len(line)+1), "want %d columns, have %d", len(d.header), len(cells))
		}
		return // a prompt or a message
	}
	if !d.lines.Ended() && !d.wholeLine(cells[len(cells)-1]) {
		d.b.Problems.Add(d.lines.Pos(len(line)+1), "want a whole line, have one without an end: taken for cut")
		return
	}
	d.above = append(d.above[:0], cells[len(cells)-1]...)
	who := subject{pid: d.pid}
	for i, what := range d.header {
		switch what {
		case "pid":
			v, ok := integer(cells[i])
			if !ok {
				d.b.Problems.Add(d.lines.Pos(columnOf(line, cells[i])), "want a pid, have %q", clip(cells[i]))
				return
			}
			who.pid = table.Known(v)
		case "name":
			who.process = d.b.Sym(cells[i])
		}
	}
	if t, p := d.header.index("tid"), d.header.index("pid"); t >= 0 && p >= 0 && !bytes.Equal(cells[t], cells[p]) {
		return // a further thread shares the memory of the first
	}
	d.write(line, cells, who)
}

// wholeLine judges the last cell of a file without a line end: only a name that stood there before is whole.
func (d *ps) wholeLine(last []byte) bool {
	return d.header[len(d.header)-1] == "name" && bytes.Equal(last, d.above)
}

func (d *ps) write(line []byte, cells [][]byte, who subject) {
	if d.group.begins(who, d.fresh) {
		d.stamp.Line = d.lines.Line()
		d.b.Snapshot(d.stamp)
		d.stamp = table.Stamp{}
	}
	d.fresh, d.promised = false, false
	d.b.Process(who.pid, who.process)
	for i, metric := range d.metrics {
		if metric == table.Null || missing(cells[i]) {
			continue
		}
		s := table.Sample{Scope: d.words.process, Name: d.words.empty, Metric: metric, Line: d.lines.Line()}
		ok := false
		if metric == d.words.count {
			s.Scope, s.Name = d.words.handle, d.words.thing
			s.Value, ok = integer(cells[i])
		} else {
			s.Value, _, ok = sized(cells[i])
		}
		if !ok {
			d.b.Problems.Add(d.lines.Pos(columnOf(line, cells[i])), "want a size in kB, have %q", clip(cells[i]))
			continue
		}
		d.b.Add(s)
		d.rows++
	}
}
