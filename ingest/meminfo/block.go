package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// stage is how far a block goes; the parts always stand in this order.
type stage uint8

const (
	atNothing stage = iota
	atTable
	atDetails
	atSummary
	atObjects
	atSQL
)

// stages tells which stage a part of the block is.
var stages = map[mode]stage{tableRows: atTable, oldRows: atTable, detailRows: atDetails, summaryRows: atSummary, objectRows: atObjects, sqlRows: atSQL}

// block is what was read of one process. Its records are written when it ends and is whole.
type block struct {
	open    bool
	pid     table.Int
	name    table.Sym
	line    int // of its first line
	stage   stage
	records []record
	columns columns
	table   bool // the headings of the table were there
	total   bool // and its TOTAL row, so that all rows are
	bad     bool // a row could not be read: no sum of a column holds
	sums    sums
	summary span   // the records of the App Summary
	stated  record // its TOTAL line
	totalAt int    // line of the TOTAL row
	old     oldTable
}

// span is a range of records; open until the line that ends the part was read.
type span struct {
	from, to int
	begun    bool
	whole    bool
}

// sums adds up what the rows of the table have, in bytes.
type sums struct {
	pss, rss int64
	rows     int64
	hasRSS   bool
}

// openBlock reads "** MEMINFO in pid 1234 [name] **". The same pid again, or a block behind the lists of the
// system, can only be the next dump, whose header was lost.
func (d *decoder) openBlock(s []byte) {
	pid, end, ok := integer(s, len(blockStart))
	if !ok || pid < 0 || end < len(s) && !isBlank(s[end]) {
		d.b.Problems.Add(d.l.Pos(len(blockStart)+1), "want a pid, have %q", clip(s[len(blockStart):]))
		d.closeBlock()
		d.mode = ignoredRows
		return
	}
	d.closeBlock()
	if d.seen[pid]&seenBlock != 0 || d.lists != 0 || d.footer {
		d.endSample()
		d.beginHere()
	}
	d.seen[pid] |= seenBlock
	d.startBlock(table.Known(pid), blockName(s[end:]))
}

// blockName takes the name out of " [name] **".
func blockName(s []byte) []byte {
	from, to := bytes.IndexByte(s, '['), bytes.LastIndexByte(s, ']')
	if from < 0 || to <= from {
		return nil
	}
	return s[from+1 : to]
}

func (d *decoder) startBlock(pid table.Int, name []byte) {
	k := &d.block
	*k = block{open: true, pid: pid, line: d.l.Line(), records: k.records[:0]}
	if len(name) > 0 {
		k.name = d.b.Sym(name)
	}
	d.touched, d.mode = true, junk
}

// bareBlock begins a block that has no line with its pid: a native process, or a part that was cut out. The pid may
// stand in the line of time before it.
func (d *decoder) bareBlock() {
	d.closeBlock()
	if d.b.HasData() {
		d.endSample()
		d.beginHere()
	}
	d.startBlock(table.Int{V: d.marked.PID, OK: d.marked.HasPID}, nil)
}

func (d *decoder) beginHere() { d.begin(table.Stamp{Line: d.l.Line()}) }

// section goes to the next part of the block.
func (d *decoder) section(m mode) {
	if !d.block.open && m != ignoredRows {
		d.startBlock(table.Int{V: d.marked.PID, OK: d.marked.HasPID}, nil)
	}
	d.enter(m)
}

func (d *decoder) enter(m mode) {
	d.mode = m
	d.block.stage = max(d.block.stage, stages[m])
}

// closeBlock writes the records of the block, or says why it does not.
func (d *decoder) closeBlock() {
	k := &d.block
	if !k.open {
		return
	}
	k.open = false
	d.mode = junk
	if want := d.missing(); want != "" {
		d.dropBlock(want)
		return
	}
	if k.summary.begun && !k.summary.whole {
		d.b.Problems.Add(d.l.Pos(0), "want the TOTAL line of an App Summary, have the next part: the lines of the summary are dropped")
		k.records = append(k.records[:k.summary.from], k.records[k.summary.to:]...)
	}
	d.reached[k.pid.V] = k.stage
	d.writeBlock()
}

// missing tells what a block lacks to be whole; empty if it is. The end of the file cuts it inside a line, inside a
// part, or between two parts, which shows by the earlier blocks of the same process.
func (d *decoder) missing() string {
	k := &d.block
	switch {
	case k.table && !k.total:
		return "TOTAL row"
	case !d.atEnd:
		return ""
	case d.half:
		return "rest of the last line"
	case k.summary.begun && !k.summary.whole && k.stage == atSummary:
		return "TOTAL line of the App Summary"
	case k.stage < d.reached[k.pid.V]:
		return "parts after the last one"
	}
	return ""
}

// dropBlock forgets a block that is not whole: its sums would be false.
func (d *decoder) dropBlock(want string) {
	k := &d.block
	have := "the next part"
	if d.atEnd {
		have = "the end of the file"
	}
	d.b.Problems.Add(d.l.Pos(0), "want the %s of the process that begins in line %d, have %s: it is dropped", want, k.line, have)
	k.records = k.records[:0]
}

func (d *decoder) writeBlock() {
	k := &d.block
	d.b.Process(k.pid, k.name)
	if !k.total && k.stated.has != 0 {
		k.records = append(k.records, k.stated)
	}
	k.settleRSS(&d.words)
	for i := range k.records {
		d.words.emit(d.b, &k.records[i])
		if r := &k.records[i]; r.scope == d.words.process && k.pid.OK {
			d.seen[k.pid.V] |= seenFigures(r)
		}
	}
	d.b.Process(table.Int{}, table.Null)
}

func seenFigures(r *record) seen {
	var s seen
	if r.has&(1<<pss) != 0 {
		s |= seenPSS
	}
	if r.has&(1<<rss) != 0 {
		s |= seenRSS
	}
	if r.has&(1<<swap|1<<swapPSS) != 0 {
		s |= seenSwap
	}
	return s
}

// settleRSS gives the process its rss: that of the App Summary, else the sum of the column. Never the cell of the
// TOTAL row, in which Android 11 repeats the pss.
func (k *block) settleRSS(w *words) {
	if !k.total {
		return
	}
	r := record{scope: w.process, name: w.empty}
	switch {
	case k.stated.has&(1<<rss) != 0:
		r.line = k.stated.line
		r.set(rss, k.stated.v[rss])
	case k.sums.hasRSS && !k.bad:
		r.line = k.totalAt
		r.set(rss, k.sums.rss)
	default:
		return
	}
	k.records = append(k.records, r)
}
