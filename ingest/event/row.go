package event

import (
	"math"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// operation is what was done to an object.
type operation uint8

const (
	opAlloc operation = iota
	opFree
	opRealloc
	opRetain
	opRelease
	opCreate
	opDestroy
	opUse
	opMark
	opLock // from here on: what orders threads
	opUnlock
	opSignal
	opWait
	opFork
	opBegin
	opJoin
	numOps
	opStack // a line that gives a stack its number: no event
)

var opNames = [numOps]string{"alloc", "free", "realloc", "retain", "release", "create", "destroy", "use", "mark",
	"lock", "unlock", "signal", "wait", "fork", "begin", "join"}

// orders says whether an op is about threads, not about an object.
func (o operation) orders() bool { return o >= opLock && o < numOps }

func opOf(s []byte) operation {
	switch string(s) {
	case "alloc":
		return opAlloc
	case "free":
		return opFree
	case "realloc":
		return opRealloc
	case "retain":
		return opRetain
	case "release":
		return opRelease
	case "create":
		return opCreate
	case "destroy":
		return opDestroy
	case "use":
		return opUse
	case "mark":
		return opMark
	case "lock":
		return opLock
	case "unlock":
		return opUnlock
	case "signal":
		return opSignal
	case "wait":
		return opWait
	case "fork":
		return opFork
	case "begin":
		return opBegin
	case "join":
		return opJoin
	case "stack":
		return opStack
	}
	return numOps
}

// event makes the rows of one line. A field that cannot be read is a problem, and the line has no row.
func (d *decoder) event() {
	r := &d.rec
	if !r.has(op) {
		d.absent("an op")
		return
	}
	name, ok := r.value(op)
	o := opOf(name)
	if !ok || !r.csv && !r.cells[op].quoted {
		o = numOps
	}
	switch o {
	case numOps:
		d.wrong(op, "one of "+strings.Join(opNames[:], " "))
		return
	case opStack:
		d.defines()
		return
	}
	e := &d.e
	*e = table.Event{Op: d.ops[o], Line: d.l.Line()}
	now, ok := d.time()
	if !ok || !d.numbers(e) || !d.texts(e) {
		return
	}
	if o.orders() && !e.TID.OK {
		d.absent("a tid")
		return
	}
	e.Stack = d.stack()
	d.write(o, now)
}

// time is that of the line, in ns.
func (d *decoder) time() (ns int64, ok bool) {
	switch r := &d.rec; {
	case r.has(tsNS):
		if ns, ok = whole(r.raw(tsNS)); !ok {
			d.wrong(tsNS, "whole ns below 2^63")
		}
	case r.has(ts):
		if ns, ok = seconds(r.raw(ts)); !ok {
			d.wrong(ts, "seconds in decimal")
		}
	default:
		d.absent("ts_ns or ts")
	}
	return ns, ok
}

// numbers reads pid, tid, size, rc, lost and weight.
func (d *decoder) numbers(e *table.Event) bool {
	owner := d.head.pid
	var gone table.Int
	if !d.number(pid, &owner) || !d.number(tid, &e.TID) || !d.number(size, &e.Size) || !d.number(lost, &gone) || !d.weight() {
		return false
	}
	if r := &d.rec; r.has(rc) {
		n, ok := signed(r.raw(rc))
		if !ok {
			d.wrong(rc, "a whole number")
			return false
		}
		e.Refcount = table.Known(n)
	}
	if gone.OK {
		d.losses = true
		if d.lost += gone.V; d.lost < 0 {
			d.lost = math.MaxInt64
		}
	}
	d.b.Process(owner, d.head.name)
	return true
}

// number reads a field that may be absent; it may stand in quotes, since some writers have no whole numbers of 64 bits.
func (d *decoder) number(f field, to *table.Int) bool {
	if !d.rec.has(f) {
		return true
	}
	n, ok := whole(d.rec.raw(f))
	if !ok {
		d.wrong(f, "a whole number below 2^63")
		return false
	}
	*to = table.Known(n)
	return true
}

// weight looks whether the log is a sample. The tables have no column for it.
func (d *decoder) weight() bool {
	if !d.rec.has(weight) || string(d.rec.raw(weight)) == "1" {
		return true
	}
	w, err := strconv.ParseFloat(string(d.rec.raw(weight)), 64)
	if err != nil || !(w > 0) || math.IsInf(w, 0) {
		d.wrong(weight, "a number above 0")
		return false
	}
	d.sampled = d.sampled || w != 1
	return true
}

func (d *decoder) texts(e *table.Event) bool {
	return d.text(kind, &d.kind, &e.Class) && d.text(device, &d.device, &e.Device)
}

// text reads a field of words; absent and empty are null.
func (d *decoder) text(f field, last *lastText, to *table.Sym) bool {
	r := &d.rec
	if !r.has(f) {
		return true
	}
	s, ok := r.value(f)
	if !ok || !r.csv && !r.cells[f].quoted {
		d.wrong(f, "a text")
		return false
	}
	if len(s) > 0 {
		*to = last.of(d.b, s)
	}
	return true
}

// wrong tells of a field that cannot be read.
func (d *decoder) wrong(f field, want string) {
	d.b.Problems.Add(d.l.Pos(d.rec.cells[f].from+1), "want %s, have %q", want, clip(d.rec.raw(f)))
}

// absent tells of a field that a line must have.
func (d *decoder) absent(want string) {
	d.b.Problems.Add(d.l.Pos(1), "want %s, have a line without: %q", want, clip(d.rec.text))
}
