package perf

import "github.com/memtide/memtide/ingest/table"

// pageBytes is the size of order 0. The events do not tell it; it is that of x86-64 and of most arm64 machines.
const pageBytes = 4096

// page reads "page=0x10a43a pfn=0x10a43a order=0 …" of mm_page_alloc and mm_page_free. Frame 0 is that of a failure.
func (t *trace) page(h *header) {
	var pfn, order table.Int
	for f := fields(h.payload); ; {
		key, value, ok := f.next()
		if !ok {
			break
		}
		switch string(key) {
		case "pfn":
			pfn = count(value)
		case "order":
			order = count(value)
		}
	}
	alloc := h.kind == pageAlloc
	if !pfn.OK || alloc && (!order.OK || order.V > 50) {
		t.b.Problems.Add(t.l.Pos(0), "want pfn= and order=, have %q", clip(h.payload))
		return
	}
	if pfn.V == 0 {
		return
	}
	e := table.Event{At: t.at(h), TID: h.tid, Op: t.words.free, Class: t.words.page, Object: uint64(pfn.V), HasObject: true, Line: t.l.Line()}
	if alloc {
		e.Op, e.Size = t.words.alloc, table.Known(pageBytes<<order.V)
	}
	t.hold(h.pid, e, nil)
}

// slabFields are those of the events of kmalloc and the slab caches.
type slabFields struct {
	site, name []byte
	object     uint64
	ok         bool
	size       table.Int
}

func readSlab(payload []byte) (out slabFields) {
	for f := fields(payload); ; {
		key, value, ok := f.next()
		if !ok {
			return out
		}
		switch string(key) {
		case "call_site":
			out.site = value
		case "ptr":
			out.object, out.ok = pointer(value)
		case "name":
			out.name = value
		case "bytes_alloc":
			out.size = count(value)
			return out // the flags behind it are long
		}
	}
}

// slab reads "call_site=F+0x127 ptr=0x… [name=…] [bytes_req=32 bytes_alloc=32 …]".
func (t *trace) slab(h *header) {
	f := readSlab(h.payload)
	alloc := h.kind == slabAlloc || h.kind == cacheAlloc
	if !f.ok || alloc && !f.size.OK {
		t.b.Problems.Add(t.l.Pos(0), "want ptr= and, of an allocation, bytes_alloc=, have %q", clip(h.payload))
		return
	}
	if f.object == 0 {
		return
	}
	e := table.Event{At: t.at(h), TID: h.tid, Op: t.words.free, Class: t.words.kmalloc, Object: f.object, HasObject: true, Line: t.l.Line()}
	if alloc {
		e.Op, e.Size = t.words.alloc, f.size
	}
	if h.kind == cacheAlloc || h.kind == cacheFree {
		e.Class = table.Null
		if len(f.name) > 0 {
			e.Class = t.b.Sym(f.name)
		}
	}
	t.hold(h.pid, e, f.site)
}
