package applereport

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffRefcount recognises a table with columns for the kind of event, its change of the count, and the count.
func SniffRefcount(head []byte) bool {
	_, ok := refHeader(firstLine(head))
	return ok
}

func firstLine(head []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte{'\n'})
	return bytes.TrimRight(line, "\r")
}

// DecodeRefcount reads a table of what was done to the count of references of objects: events, with the count after each
// and a stack of one frame. The object is that of the column of addresses; without one the whole table is of one object.
func DecodeRefcount(in *source.Input, b *table.Builder) error {
	l := source.NewLines(in)
	l.Scan()
	columns, ok := refHeader(bytes.TrimPrefix(l.Bytes(), []byte("\xef\xbb\xbf")))
	if !ok {
		return source.Errorf(in.At(1, 1), "held nothing: want a header with columns Event Type, ∆ RefCt and RefCt, have %q", clip(l.Bytes()))
	}
	r := &refcounts{l: l, b: b, columns: columns, counts: map[uint64]int64{}, ops: map[string]table.Sym{}, stacks: map[[2]string]int64{}}
	for l.Scan() {
		switch {
		case len(bytes.TrimSpace(l.Bytes())) == 0:
		case !l.Ended():
			b.Problems.Add(l.Pos(0), "want the end of the line, have the end of the file: the event may be cut and is left out")
		default:
			r.row(l.Bytes())
		}
	}
	if l.Err() == nil && r.seq == 0 {
		return source.Errorf(in.At(max(1, l.Line()), 0), "held nothing: want rows of events below the header")
	}
	return l.Err()
}

// role is what a column holds.
type role int

const (
	eventRole role = iota
	deltaRole
	countRole
	timeRole
	libraryRole
	callerRole
	addressRole
	roles
)

// refColumns are the names of columns, in small letters and without blanks.
var refColumns = map[string]role{
	"eventtype": eventRole, "event": eventRole, "∆refct": deltaRole, "δrefct": deltaRole, "delta": deltaRole, "deltarefct": deltaRole, "refct": countRole, "refcount": countRole,
	"timestamp": timeRole, "time": timeRole, "responsiblelibrary": libraryRole, "library": libraryRole, "responsiblecaller": callerRole, "caller": callerRole, "address": addressRole, "object": addressRole,
}

// refHead is where the columns stand.
type refHead struct {
	at  [roles]int
	sep byte
}

func refHeader(line []byte) (h refHead, ok bool) {
	if len(line) > 4096 {
		return h, false
	}
	h.sep = ','
	if bytes.IndexByte(line, '\t') >= 0 {
		h.sep = '\t'
	}
	for i := range h.at {
		h.at[i] = -1
	}
	for i, name := range cells(line, h.sep) {
		if r, ok := refColumns[strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), " ", ""))]; ok && h.at[r] < 0 {
			h.at[r] = i
		}
	}
	return h, h.at[eventRole] >= 0 && h.at[deltaRole] >= 0 && h.at[countRole] >= 0
}

// cells splits a line; a cell in quotes may hold the separator.
func cells(line []byte, sep byte) (out []string) {
	var cell []byte
	quoted := false
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) || line[i] == sep && !quoted:
			out = append(out, strings.ToValidUTF8(string(cell), "\uFFFD"))
			cell = cell[:0]
		case line[i] == '"' && sep == ',':
			quoted = !quoted
			if !quoted && i+1 < len(line) && line[i+1] == '"' {
				cell = append(cell, '"')
			}
		default:
			cell = append(cell, line[i])
		}
	}
	return out
}

type refcounts struct {
	l       *source.Lines
	b       *table.Builder
	columns refHead
	seq     int64
	first   int64
	counts  map[uint64]int64 // of each object, before the row
	ops     map[string]table.Sym
	stacks  map[[2]string]int64
}

// refOps are the kinds of events. An autorelease is only announced: the release that it leads to is a row of its own.
var refOps = map[string]string{"malloc": "alloc", "retain": "retain", "cfretain": "retain", "release": "release", "cfrelease": "release", "free": "free", "dealloc": "free", "autorelease": "mark"}

func (r *refcounts) row(line []byte) {
	row := cells(line, r.columns.sep)
	cell := func(role role) string {
		if i := r.columns.at[role]; i >= 0 && i < len(row) {
			return strings.TrimSpace(row[i])
		}
		return ""
	}
	op, ok := refOps[strings.ToLower(cell(eventRole))]
	if !ok {
		r.b.Problems.Add(r.l.Pos(1), "want Malloc, Retain, Release, Autorelease or Free, have %q: the row is left out", clip([]byte(cell(eventRole))))
		return
	}
	if want := 1 + slices.Max(r.columns.at[:]); len(row) < want {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want %d cells, have %d: the row is cut", want, len(row))
	}
	e := table.Event{Seq: r.seq, Op: r.b.Text(op), Object: 1, HasObject: true, Line: r.l.Line()}
	if a := cell(addressRole); a != "" {
		if e.Object, ok = hexadecimal(a); !ok {
			r.b.Problems.Add(r.l.Pos(1), "want an address such as 0x600000010000, have %q: the row is left out", clip([]byte(a)))
			return
		}
	}
	r.time(&e, cell(timeRole))
	e.Refcount = r.count(e.Object, op, cell(deltaRole), cell(countRole))
	e.Stack = r.stack(cell(callerRole), cell(libraryRole))
	r.b.Event(&e)
	r.seq++
}

// time reads MM:SS.mmm.uuu, the first of which is the time of the snapshot.
func (r *refcounts) time(e *table.Event, s string) {
	t, ok := clock(s)
	if r.seq == 0 {
		r.first = t
		r.b.Snapshot(table.Stamp{Trace: table.Int{V: t, OK: ok}, Line: e.Line})
	}
	if ok {
		e.At = t - r.first
	} else if s != "" {
		r.b.Problems.Add(r.l.Pos(1), "want a time such as 00:01.000.250, have %q: it is taken as that of the first row", clip([]byte(s)))
	}
}

// clock reads HH:MM:SS.mmm.uuu; hours and parts of seconds may be missing.
func clock(s string) (int64, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	ns := int64(0)
	for part := range strings.SplitSeq(whole, ":") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || ns > 1<<32 {
			return 0, false
		}
		ns = ns*60 + int64(n)
	}
	digits := strings.ReplaceAll(fraction, ".", "")
	part, err := strconv.ParseUint((digits + "000000000")[:9], 10, 31)
	return ns*1e9 + int64(part), err == nil && len(whole) > 0 && ns < 1<<32
}

// count is the count after the event. Where it is not the one before and the change, events are missing: nothing can be
// said of the life of the object.
func (r *refcounts) count(object uint64, op, delta, after string) table.Int {
	n, err := strconv.ParseInt(after, 10, 32)
	if err != nil {
		r.b.Problems.Add(r.l.Pos(1), "want a count of references, have %q", clip([]byte(after)))
		delete(r.counts, object)
		r.b.Fact("lossy", "true")
		return table.Int{}
	}
	d, err := strconv.ParseInt(strings.Replace(delta, "\u2212", "-", 1), 10, 32)
	before, known := r.counts[object]
	if known && op != "alloc" && (err == nil || delta == "") && before+d != n {
		r.b.Problems.Add(r.l.Pos(1), "want a count of %d, which is %d with a change of %d, have %d: events are missing", before+d, before, d, n)
		r.b.Fact("lossy", "true")
	} else if err != nil && delta != "" {
		r.b.Problems.Add(r.l.Pos(1), "want a change such as +1, have %q", clip([]byte(delta)))
	}
	r.counts[object] = n
	return table.Known(n)
}

func (r *refcounts) stack(caller, library string) int64 {
	key := [2]string{caller, library}
	id, ok := r.stacks[key]
	if !ok && (caller != "" || library != "") {
		f := callstack.Frame{Function: caller, Module: baseName(library)}
		if f.Address, f.HasAddress = hexadecimal(caller); f.HasAddress {
			f.Function = ""
		}
		id = callstack.Add(r.b, []callstack.Frame{f}, r.l.Line()).Leaf
		r.stacks[key] = id
	}
	return id
}
