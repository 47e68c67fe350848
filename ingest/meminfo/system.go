package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// list is the list of the whole system that is being read.
type list struct {
	figure figure // pss or rss
	column int    // where the sizes of its outer level end
}

var listModes = []struct {
	title string
	mode  mode
}{{"process:", processList}, {"OOM adjustment:", oomList}, {"category:", categoryList}}

// listTitle reads "Total PSS by process:".
func listTitle(s []byte) (figure, mode, bool) {
	rest, ok := bytes.CutPrefix(s, []byte("Total "))
	if !ok || len(rest) < 8 || string(rest[3:7]) != " by " {
		return none, junk, false
	}
	f := none
	switch string(rest[:3]) {
	case "PSS":
		f = pss
	case "RSS":
		f = rss
	default:
		return none, junk, false
	}
	for _, l := range listModes {
		if string(rest[7:]) == l.title {
			return f, l.mode, true
		}
	}
	return none, junk, false
}

// opensList begins a list; one that the snapshot has already belongs to the next dump.
func (d *decoder) opensList(s []byte) bool {
	f, m, ok := listTitle(s)
	if !ok {
		return false
	}
	d.closeBlock()
	bit := uint8(1) << (m - processList)
	if f == rss {
		bit <<= 3
	}
	if d.lists&bit != 0 || d.footer {
		d.endSample()
		d.beginHere()
	}
	d.lists |= bit
	d.touched, d.mode, d.list = true, m, list{figure: f}
	return true
}

// entry is a line of a list: "  66,935K: com.android.launcher3 (pid 1878 / activities)   (  12K in swap)".
type entry struct {
	kb, swapKB int64
	hasSwap    bool
	label      []byte
	pid        table.Int
	column     int // of the colon
}

// item reads a line of a list.
func (d *decoder) item(line []byte) {
	var e entry
	if at, want := e.parse(line); want != "" {
		d.b.Problems.Add(d.l.Pos(at+1), "want %s, have %q", want, clip(line[min(at, len(line)):]))
		return
	}
	if d.mode == processList && !e.pid.OK {
		d.b.Problems.Add(d.l.Pos(e.column+2), "want a name and (pid N), have %q", clip(e.label))
		return
	}
	r := record{name: d.words.empty, line: d.l.Line()}
	if !d.sizes(&r, &e) {
		return
	}
	switch {
	case e.pid.OK:
		d.process(&r, &e)
	case d.mode == oomList:
		d.add(&r, d.words.oom, e.label)
	case d.inner(&e):
		d.add(&r, d.words.subcategory, e.label)
	default:
		d.add(&r, d.words.category, e.label)
	}
}

func (d *decoder) sizes(r *record, e *entry) bool {
	v, ok := kib(e.kb)
	if !ok || v < 0 {
		d.b.Problems.Add(d.l.Pos(1), "want a size in kB, have %d", e.kb)
		return false
	}
	r.set(d.list.figure, v)
	if v, ok = kib(e.swapKB); ok && e.hasSwap && v >= 0 {
		r.set(swapPSS, v)
	} else if e.hasSwap {
		d.b.Problems.Add(d.l.Pos(1), "want a size in swap in kB, have %d", e.swapKB)
	}
	return true
}

func (d *decoder) add(r *record, scope table.Sym, label []byte) {
	r.scope, r.name = scope, d.b.Sym(label)
	d.words.emit(d.b, r)
}

// process writes what the snapshot does not have of a process yet: its own block comes first, and the list of OOM
// levels repeats the list of processes, unless only that was asked for.
func (d *decoder) process(r *record, e *entry) {
	have := d.seen[e.pid.V]
	for _, f := range [...]struct {
		bits uint16
		seen seen
	}{{1 << pss, seenPSS}, {1 << rss, seenRSS}, {1 << swapPSS, seenSwap}} {
		if have&f.seen != 0 {
			r.has &^= f.bits
		}
	}
	d.seen[e.pid.V] = have | seenFigures(r)
	r.scope = d.words.process
	d.b.Process(e.pid, d.b.Sym(e.label))
	d.words.emit(d.b, r)
	d.b.Process(table.Int{}, table.Null)
}

// inner says whether a line of the category list is a part of the one above it: it is indented by 4 more (old: 11),
// where a size of 10 GB and more needs a column more. Without indent its label tells.
func (d *decoder) inner(e *entry) bool {
	if d.list.column == 0 || e.column < d.list.column {
		d.list.column = e.column
	}
	return e.column >= d.list.column+3 || e.label[0] == '.' && !bytes.HasSuffix(e.label, []byte(" mmap"))
}

// parse takes a line apart. Else it says what was wanted, and where.
func (e *entry) parse(line []byte) (at int, want string) {
	n, i, unit, ok := size(line, 0)
	if !ok || !unit || i >= len(line) || line[i] != ':' {
		return blanks(line, 0), "a size in kB and a label"
	}
	e.kb, e.column = n, i
	rest := trim(line[i+1:])
	if len(rest) == 0 {
		return i, "a label"
	}
	if rest, want = e.swap(rest); want != "" {
		return i + 1, want
	}
	at = bytes.LastIndex(rest, []byte(" (pid "))
	if at < 0 && bytes.HasPrefix(rest, []byte("(pid ")) {
		return i, "a name before (pid N)"
	}
	if at < 0 {
		e.label = rest
		return 0, ""
	}
	pid, end, ok := integer(rest, at+len(" (pid "))
	tail := rest[end:]
	closing := bytes.IndexByte(tail, ')')
	if !ok || pid < 0 || closing > 0 && !isBlank(tail[0]) || closing < 0 || !isTail(tail[closing+1:]) {
		return i + 2 + at, "(pid N) at the end"
	}
	e.label, e.pid = trim(rest[:at]), table.Known(pid)
	return 0, ""
}

// isTail accepts what may follow the bracket with the pid: nothing, or "(user 10)".
func isTail(s []byte) bool {
	s = trim(s)
	return len(s) == 0 || bytes.HasPrefix(s, []byte("(user ")) && s[len(s)-1] == ')'
}

// swap cuts "(  1,234K in swap)" off the end.
func (e *entry) swap(s []byte) (rest []byte, want string) {
	body, ok := bytes.CutSuffix(s, []byte(" in swap)"))
	if !ok {
		return s, ""
	}
	open := bytes.LastIndexByte(body, '(')
	if open < 0 {
		return nil, "a label and (N in swap)"
	}
	n, end, _, ok := size(body, open+1)
	if !ok || blanks(body, end) != len(body) {
		return nil, "a size in swap"
	}
	e.swapKB, e.hasSwap = n, true
	if rest = trim(body[:open]); len(rest) == 0 {
		return nil, "a label"
	}
	return rest, ""
}
