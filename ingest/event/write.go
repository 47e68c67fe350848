package event

import "github.com/memtide/memtide/ingest/table"

// zero is a size that is known to be 0.
var zero = table.Known(0)

// maxExact is the greatest whole number up to which float64 holds them all: many writers of JSON have no other numbers.
const maxExact = 1 << 53

// object reads an address; there is false where the line has none, ok is false where it cannot be read.
func (d *decoder) objectAt(f field) (x object, there, ok bool) {
	r := &d.rec
	if !r.has(f) {
		return x, false, true
	}
	if r.null(f) {
		return object{null: true}, true, true
	}
	s, ok := r.value(f)
	if !ok {
		d.wrong(f, "an address in quotes")
		return x, true, false
	}
	if r.csv || r.cells[f].quoted {
		return objectOf(s), true, true
	}
	n, ok := whole(s)
	if !ok || n > maxExact {
		d.wrong(f, "an address in quotes: as a number it may have lost its last digits")
		return x, true, false
	}
	return object{id: uint64(n), zero: n == 0}, true, true
}

// nothing says whether an object is none: to a memory function 0 is the null pointer, elsewhere it may be a handle.
func (o operation) nothing(x object) bool {
	return x.null || x.zero && (o == opAlloc || o == opFree || o == opRealloc)
}

// write adds the rows of an event whose object is read here.
func (d *decoder) write(o operation, now int64) {
	x, there, ok := d.objectAt(addr)
	if !ok {
		return
	}
	if !there && o != opMark {
		d.absent("an addr")
		return
	}
	if d.seq == 0 {
		d.base = now
		d.b.Snapshot(d.stamp(now))
	}
	d.e.At = now - d.base
	none := !there || o.nothing(x)
	if o == opRealloc && !d.moved(x, none) {
		return
	}
	if none && o != opMark {
		return // a failed allocation, or the free of the null pointer
	}
	d.e.Object, d.e.HasObject = x.id, !none
	d.add()
}

// moved frees the old block of a realloc that gave another one, or that was told to make it nothing.
func (d *decoder) moved(x object, failed bool) bool {
	old, there, ok := d.objectAt(oldAddr)
	if !ok || !there || opRealloc.nothing(old) || !failed && old.id == x.id || failed && d.e.Size != zero {
		return ok
	}
	whole := d.e
	d.e.Op, d.e.Object, d.e.HasObject = d.ops[opFree], old.id, true
	d.e.Size.OK, d.e.Size.V, d.e.Refcount.OK, d.e.Refcount.V = false, 0, false, 0
	d.add()
	d.e = whole
	return true
}

func (d *decoder) add() {
	d.e.Seq = d.seq
	d.b.Event(&d.e)
	d.seq++
}
