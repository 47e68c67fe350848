package pprof

import (
	"path"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// entry is a stack of a text profile as it stands there. Its addresses get their names from the map of modules, which
// stands behind all of them.
type entry struct {
	figures
	line     int
	from, to int             // in heap.addrs; nothing where the profile tells the functions below the stack,
	stack    callstack.Stack // which are this
}

// heap collects a profile of text.
type heap struct {
	in        *source.Input
	b         *table.Builder
	l         *source.Lines
	entries   []entry
	addrs     []uint64
	modules   callstack.Modules
	functions map[uint64]callstack.Frame // of addresses that the profile names (Java)
	process   table.Sym                  // of the first mapping of a file
	bad       int                        // lines that could not be read
	ended     bool                       // what stands behind the stacks was seen
	period    int64
}

func newHeap(in *source.Input, b *table.Builder) *heap {
	return &heap{in: in, b: b, l: source.NewLines(in), period: 1}
}

// addresses reads the rest of a line as addresses, leaf first, into the last entry. An address that is none is a problem,
// and ends the stack.
func (h *heap) addresses(t *text) (from, to int) {
	from = len(h.addrs)
	for t.blanks(); t.i < len(t.s); t.blanks() {
		at := t.i
		a, ok := t.hex()
		if !ok || t.i < len(t.s) && t.s[t.i] != ' ' && t.s[t.i] != '\t' {
			h.b.Problems.Add(h.l.Pos(at+1), "want an address, have %q", clip(t.s[at:]))
			break
		}
		h.addrs = append(h.addrs, a)
	}
	return from, len(h.addrs)
}

// maps reads the map of modules up to the end of the input.
func (h *heap) maps() {
	h.ended = true
	for h.l.Scan() {
		m, ok := mapping(h.l.Bytes())
		if !ok {
			continue
		}
		h.modules.Add(m)
		if h.process == table.Null && isFile(m.Path) {
			h.process = h.b.Text(path.Base(m.Path))
		}
	}
	if !h.l.Ended() && h.modules.Len() > 0 {
		h.b.Problems.Add(h.l.Pos(0), "want a line end, have the end of the file: if the map of modules is cut, addresses behind it have no names")
	}
}

// rows makes a site of each stack; figures says what its four numbers mean.
func (h *heap) rows(figures func(*table.Site, *entry)) *book {
	k := newBook(h.in, h.b)
	t, numbers := newTrie(h.b, 0), map[uint64]uint32{}
	var stack []uint32
	for i := range h.entries {
		e := &h.entries[i]
		stack = stack[:0]
		for _, a := range h.addrs[e.from:e.to] {
			n, ok := numbers[a]
			if !ok {
				n = t.place([]callstack.Frame{h.call(a)})
				numbers[a] = n
			}
			stack = append(stack, n)
		}
		s := e.stack
		if s == (callstack.Stack{}) {
			s = t.add(stack, e.line)
		}
		site := table.Site{Stack: s.Leaf, Class: s.Class, Line: e.line}
		figures(&site, e)
		k.add(site)
	}
	k.write()
	return k
}

// call is what the profile tells of an address.
func (h *heap) call(a uint64) callstack.Frame {
	if f, ok := h.functions[a]; ok {
		return f
	}
	return h.modules.Frame(a)
}

// live gives the sums of what the file has as live, before it is scaled.
func (h *heap) live() (count, bytes int64) {
	for i := range h.entries {
		count += h.entries[i].liveCount
		bytes += h.entries[i].liveBytes
	}
	return count, bytes
}

// whole says whether the stacks are all there: they add up to what the profile states of all of them. If they do not, and
// its end is not there either, it was cut: a stack that is missing would look like one that freed all, so the rows are
// dropped.
func (h *heap) whole(stated figures, line int) bool {
	count, bytes := h.live()
	if count == stated.liveCount && bytes == stated.liveBytes {
		return true
	}
	if h.ended || h.bad > 0 && h.l.Ended() {
		h.b.Problems.Add(h.in.At(line, 0), "want stacks of %d bytes in all, have %d: the sum is not known", stated.liveBytes, bytes)
		return false
	}
	h.cut(line, "stacks of %d blocks and %d bytes in all, have %d and %d", stated.liveCount, stated.liveBytes, count, bytes)
	return false
}

// cut drops the rows of a profile of which the end is missing.
func (h *heap) cut(line int, format string, args ...any) {
	h.b.Problems.Add(h.in.At(line, 0), "snapshot dropped: want "+format+": the profile is cut", args...)
	h.b.Drop()
}

func clip(s []byte) []byte { return s[:min(len(s), 40)] }
