package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var (
	header     = []byte("Applications Memory Usage (")
	blockStart = []byte("** MEMINFO in pid ")
	uptime     = []byte("Uptime:")
	realtime   = []byte("Realtime:")
)

// mode is the part of the dump that the current line belongs to.
type mode uint8

const (
	junk        mode = iota // between parts; nothing is wanted of it
	tableRows               // of a process
	detailRows              // Dalvik Details
	summaryRows             // App Summary
	objectRows
	sqlRows
	oldRows     // the table of Android 2
	ignoredRows // DATABASES, Asset Allocations, Unreachable memory
	processList
	oomList
	categoryList
	footerRows
)

// decoder reads a file line by line. The records of a process are held in block until it is known that they are
// whole; the lists of the system are written as they come.
type decoder struct {
	b     *table.Builder
	l     *source.Lines
	words words
	mode  mode
	block block
	head  headings
	list  list

	// of the current snapshot
	touched bool // it has begun: a header, a row or the reason why there is none
	marked  source.Mark
	lists   uint8          // which lists it has
	seen    map[int64]seen // what it has of each process
	footer  bool

	// of the file
	samples  int
	failure  []byte // the first line that says why there is no data
	failedAt int
	half     bool            // the last line is cut in the middle
	atEnd    bool            // all lines were read
	footers  bool            // an earlier snapshot has the sums of RAM
	reached  map[int64]stage // how far the last whole block of each process went
}

// seen says what a snapshot has of a process already; a process is there once.
type seen uint8

const (
	seenPSS seen = 1 << iota
	seenRSS
	seenSwap
	seenBlock
)

func (d *decoder) line(line []byte) {
	line = bytes.TrimRight(line, " \t\r")
	i := blanks(line, 0)
	if i == len(line) {
		return
	}
	if !d.l.Ended() && !d.whole(line, i) {
		d.half = true
		return
	}
	if last := line[len(line)-1]; i == 0 || !isDigit(last) || line[i] == 'U' {
		if d.special(line, i) {
			return
		}
	}
	d.body(line)
}

// body reads a line of the part that is open.
func (d *decoder) body(line []byte) {
	switch d.mode {
	case tableRows, detailRows:
		d.row(line)
	case summaryRows:
		d.summaryRow(line)
	case objectRows, sqlRows:
		d.pairs(line)
	case oldRows:
		d.oldRow(line)
	case processList, oomList, categoryList:
		d.item(line)
	case footerRows:
		d.footerRow(line)
	}
}

// sections are the headings inside a block that name the next part.
var sections = map[string]mode{"Dalvik Details": detailRows, "Objects": objectRows, "SQL": sqlRows, "DATABASES": ignoredRows,
	"Asset Allocations": ignoredRows, "Unreachable memory": ignoredRows, "Global Mapped Bitmaps:": ignoredRows}

// special reads the lines that begin a part or stand between dumps. It is false for a line of the part that is open.
func (d *decoder) special(line []byte, indent int) bool {
	s := line[indent:]
	if m, ok := sections[string(s)]; ok {
		d.section(m)
		return true
	}
	switch s[0] {
	case 'A':
		return d.opensDump(s)
	case 'U':
		return d.uptime(s)
	case '*':
		if bytes.HasPrefix(s, blockStart) {
			d.openBlock(s)
			return true
		}
	case 'T':
		if d.opensList(s) {
			return true
		}
		if bytes.HasPrefix(s, []byte("Total RAM:")) {
			d.openFooter()
			return false
		}
		if bytes.HasPrefix(s, []byte("Total ")) && s[len(s)-1] == ':' {
			d.b.Problems.Count(d.l.Pos(indent+1), "unknown part of a dump: %q", clip(s))
			d.leave(ignoredRows)
			return true
		}
	case '-':
		if isRule(s) {
			d.rule(line)
			return true
		}
	}
	if d.head.note(s) || d.opensOldTable(s) {
		return true
	}
	return indent == 0 && d.between(s)
}

// between reads a line that starts at the left edge and opens nothing: a reason for missing data, a time, or junk.
func (d *decoder) between(s []byte) bool {
	for i := range failures {
		if bytes.HasPrefix(s, []byte(failures[i].prefix)) {
			d.fail(s, failures[i].block)
			return true
		}
	}
	if bytes.HasPrefix(s, []byte("DUMP OF SERVICE ")) || bytes.HasPrefix(s, []byte("------")) {
		d.leave(junk)
	}
	if t, ok := source.EndingAt(s); ok {
		d.b.Stamp(func(s *table.Stamp) {
			if !s.Wall.OK {
				s.Wall = table.Known(t)
			}
		})
		return true
	}
	if m, ok := source.ParseMark(s); ok {
		d.mark(m)
		return true
	}
	return !d.leftEdge(s)
}

// leave ends the open part.
func (d *decoder) leave(next mode) {
	d.closeBlock()
	d.mode = next
}

// leftEdge says whether a line without blanks before it is one of the open part: the footer and the objects of
// Android 2 have such lines, and a paste may have lost all its indents.
func (d *decoder) leftEdge(s []byte) bool {
	figureLast := isDigit(s[len(s)-1])
	switch d.mode {
	case footerRows:
		return footerKey(s)
	case objectRows, sqlRows, oldRows:
		name, _, colon := bytes.Cut(s, []byte{':'})
		return colon && len(name) > 0 && (figureLast || isObject(string(name)))
	case tableRows, detailRows, summaryRows:
		return figureLast && !isDigit(s[0])
	case processList, oomList, categoryList:
		return isDigit(s[0]) && bytes.Contains(s, []byte(": "))
	}
	return false
}

func (d *decoder) opensDump(s []byte) bool {
	switch {
	case bytes.HasPrefix(s, header):
		d.newDump()
		return true
	case string(s) == "App Summary":
		d.openSummary()
		return true
	}
	return false
}

// newDump begins a snapshot, if the current one has anything already.
func (d *decoder) newDump() {
	if d.touched {
		d.endSample()
		d.begin(table.Stamp{Line: d.l.Line()})
	}
	d.touched = true
	d.mode = junk
}

func (d *decoder) begin(s table.Stamp) {
	d.b.Snapshot(s)
	d.touched, d.marked, d.lists, d.footer = false, source.Mark{}, 0, false
	d.seen = map[int64]seen{}
	d.mode = junk
}

// endSample closes the current snapshot and counts it, with or without data.
func (d *decoder) endSample() {
	d.closeBlock()
	d.settle()
}

func (d *decoder) settle() {
	switch {
	case d.b.HasData():
		d.samples++
		d.footers = d.footers || d.footer
	case d.touched || d.marked.HasWall:
		d.b.NoSample()
	}
}

// mark takes the time of a line between two dumps.
func (d *decoder) mark(m source.Mark) {
	if d.touched {
		d.endSample()
		d.begin(table.Stamp{Line: d.l.Line()})
	}
	if m.HasWall {
		if d.marked.HasWall && d.marked.Wall != m.Wall {
			d.b.NoSample()
		}
		d.marked.Wall, d.marked.HasWall = m.Wall, true
		d.b.Stamp(func(s *table.Stamp) { s.Wall, s.Line = table.Known(m.Wall), d.l.Line() })
	}
	if m.HasPID {
		d.marked.PID, d.marked.HasPID = m.PID, true
	}
}

// uptime reads the line below the header. Only Realtime serves as a clock: it counts deep sleep too.
func (d *decoder) uptime(s []byte) bool {
	if !bytes.HasPrefix(s, uptime) {
		return false
	}
	if ms, _, ok := grouped(s, blanks(s, len(uptime))); ok {
		d.b.Fact("uptime", formatMillis(ms))
	}
	at := bytes.Index(s, realtime)
	if at < 0 {
		return true
	}
	ms, _, ok := grouped(s, blanks(s, at+len(realtime)))
	if !ok || ms < 0 || ms > 1<<43 {
		d.b.Problems.Add(d.l.Pos(at+1), "want milliseconds since boot, have %q", clip(s[at:]))
		return true
	}
	d.b.Stamp(func(s *table.Stamp) { s.Boot = table.Known(ms * 1e6) })
	return true
}
