package perf

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// call is a function of the allocator.
type call uint8

const (
	noCall call = iota
	mallocCall
	callocCall
	reallocCall
	newCall
	freeCall
	deleteCall
)

// callNames begin the names of probes: perf adds "__return" and numbers, people add what they like (mallocin).
var callNames = [...]struct {
	name string
	call call
}{{"malloc", mallocCall}, {"calloc", callocCall}, {"realloc", reallocCall}, {"new", newCall}, {"free", freeCall}, {"delete", deleteCall}}

func callOf(name []byte) call {
	for i := range callNames {
		if c := &callNames[i]; len(name) >= len(c.name) && string(name[:len(c.name)]) == c.name {
			return c.call
		}
	}
	return noCall
}

// maxDepth bounds the calls that wait for their return in one thread; allocators nest a few deep, so that what lies below
// has lost its return.
const maxDepth = 64

// threads are what is open in each thread.
type threads struct {
	of       map[table.Int]*thread
	entries  [deleteCall + 1]int // that were seen of each function
	returns  [deleteCall + 1]int
	lastLine int
}

// thread is the calls that have not returned yet, and the block that delete, the event before, was asked to free: the free
// inside it is the same act.
type thread struct {
	open    []opened
	deleted uint64
}

// opened is an entry that waits for its return. inner is the object of the call made inside it: calloc that calls malloc
// is one allocation.
type opened struct {
	call  call
	size  table.Int
	old   uint64
	at    int64
	inner uint64
}

// probed reads a probe: "(7f13a4838930) size=100" at the entry, "(7f13a4838930 <- 55652b8de1bc) ret=0x5565447562a0" at the
// return.
func (t *trace) probed(h *header) {
	name := h.event[bytes.LastIndexByte(h.event, ':')+1:]
	where, rest, ok := bytes.Cut(h.payload, []byte{')'})
	if !ok {
		t.b.Problems.Add(t.l.Pos(0), "want the address of a probe in brackets and its arguments, have %q", clip(h.payload))
		return
	}
	args := argsOf(rest)
	th := t.thread(h.tid)
	c := callOf(name)
	switch {
	case bytes.Contains(where, []byte("<-")):
		t.returned(h, th, c, &args)
	case c == freeCall || c == deleteCall:
		t.freed(h, th, c, &args)
	default:
		th.deleted = 0
		t.entered(h, th, c, &args)
	}
}

func (t *trace) thread(tid table.Int) *thread {
	th := t.threads.of[tid]
	if th == nil {
		if t.threads.of == nil {
			t.threads.of = map[table.Int]*thread{}
		}
		th = &thread{}
		t.threads.of[tid] = th
	}
	return th
}

func (t *trace) entered(h *header, th *thread, c call, a *args) {
	if len(th.open) == maxDepth {
		th.open = append(th.open[:0], th.open[1:]...)
	}
	o := opened{call: c, at: t.at(h)}
	switch c {
	case callocCall:
		o.size = t.product(a)
	case reallocCall:
		old, ok := a.value("ptr p mem oldmem old addr", 0), false
		if o.old, ok = pointer(old); !ok && len(old) > 0 {
			t.b.Problems.Add(t.l.Pos(0), "want the address of the block from before, have %q: it is not known", clip(old))
		}
		o.size = t.asked(a.value("size bytes nbytes sz", 1))
	default:
		o.size = t.asked(a.value("size bytes nbytes sz", 0))
	}
	th.open = append(th.open, o)
	t.threads.entries[c]++
	t.threads.lastLine = t.l.Line()
}

// asked reads a size or a count; what is no number is told.
func (t *trace) asked(text []byte) table.Int {
	if len(text) > 0 && !isCount(text) {
		t.b.Problems.Add(t.l.Pos(0), "want a size or a count, have %q: it is not known", clip(text))
	}
	return count(text)
}

// product is the size that calloc is asked for.
func (t *trace) product(a *args) table.Int {
	n, size := t.asked(a.at(0)), t.asked(a.at(1))
	hi, lo := bits.Mul64(uint64(n.V), uint64(size.V))
	return table.Int{V: int64(lo), OK: n.OK && size.OK && hi == 0 && lo < 1<<63}
}

// returned pairs a return with the entry of the same function that was made last, and makes the rows.
func (t *trace) returned(h *header, th *thread, c call, a *args) {
	th.deleted = 0
	t.threads.returns[c]++
	if c == freeCall || c == deleteCall {
		return
	}
	object, ok := pointer(a.value("ret", 0))
	if !ok {
		t.b.Problems.Add(t.l.Pos(0), "want ret= with the address that was returned, have %q", clip(h.payload))
		return
	}
	o := th.pop(c)
	if n := len(th.open); n > 0 {
		th.open[n-1].inner = object
	}
	e := table.Event{At: t.at(h), TID: h.tid, Op: t.words.alloc, Class: t.words.heap, Object: object, HasObject: true, Size: o.size, Line: t.l.Line()}
	if c == reallocCall {
		e.Op = t.words.realloc
	}
	moved := o.old != 0 && o.old != object && (object != 0 || o.size == table.Known(0))
	switch {
	case object != 0 && object == o.inner:
		return
	case object == 0 && !moved:
		return
	case object == 0:
		e.Op = table.Null // realloc to nothing
	}
	t.hold(h.pid, e, nil)
	t.held.old = oldBlock{moved, o.old, o.at}
}

// pop takes the entry of a call off, with what lies above it, of which the return was lost.
func (th *thread) pop(c call) opened {
	for i := len(th.open) - 1; i >= 0; i-- {
		if o := th.open[i]; o.call == c {
			th.open = th.open[:i]
			return o
		}
	}
	return opened{}
}

// freed makes the row of a free. Freeing no address does nothing.
func (t *trace) freed(h *header, th *thread, c call, a *args) {
	object, ok := pointer(a.value("ptr p mem addr", 0))
	if !ok {
		t.b.Problems.Add(t.l.Pos(0), "want ptr= with the address to free, have %q", clip(h.payload))
		return
	}
	inside := c == freeCall && object == th.deleted
	if th.deleted = 0; c == deleteCall {
		th.deleted = object
	}
	if object == 0 {
		return
	}
	if !inside {
		t.hold(h.pid, table.Event{At: t.at(h), TID: h.tid, Op: t.words.free, Class: t.words.heap, Object: object, HasObject: true, Line: t.l.Line()}, nil)
	}
}

// unreturned tells of functions of which only the entry was probed: what they gave is not known.
func (t *trace) unreturned() {
	for _, c := range callNames {
		if n := t.threads.entries[c.call]; n > 0 && t.threads.returns[c.call] == 0 {
			pos := t.l.Pos(0)
			pos.Line = t.threads.lastLine
			t.b.Problems.Add(pos, "want a probe on the return of %s too (%s%%return ret=$retval), have its entry alone, %d times: no address, so no row", c.name, c.name, n)
		}
	}
}

// args are the first arguments of a probe, in their order.
type args struct {
	n    int
	list [4]struct{ key, value []byte }
}

func argsOf(text []byte) (a args) {
	for f := fields(text); a.n < len(a.list); a.n++ {
		key, value, ok := f.next()
		if !ok {
			break
		}
		a.list[a.n].key, a.list[a.n].value = key, value
	}
	return a
}

// value is that of the first key of the words, or of the argument at a place where none has such a name.
func (a *args) value(words string, place int) []byte {
	for i := range a.n {
		if hasWord(words, a.list[i].key) {
			return a.list[i].value
		}
	}
	return a.at(place)
}

func (a *args) at(place int) []byte {
	if place >= a.n {
		return nil
	}
	return a.list[place].value
}

func hasWord(words string, key []byte) bool {
	for len(words) > 0 {
		w, rest, _ := strings.Cut(words, " ")
		if w == string(key) {
			return true
		}
		words = rest
	}
	return false
}
