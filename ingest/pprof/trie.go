package pprof

import (
	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// trie writes stacks into the table of frames. A node is looked up by the number of its place and by the node of its
// caller, so that a frame is built once however many stacks go through it.
type trie struct {
	b      *table.Builder
	places []place
	nodes  map[uint64]int64
	last   []uint32 // the stack before, leaf first
	path   []int64  // its nodes, root first
}

// place is where a stack goes through: an address, with the functions that are inlined there.
type place struct {
	frames []table.Frame // the outermost first, without their callers
	first  table.Sym     // name of the innermost
	own    table.Sym     // name of the innermost that is not of an allocator; Null if all are
}

func newTrie(b *table.Builder, places int) *trie {
	return &trie{b: b, places: make([]place, 0, places), nodes: make(map[uint64]int64, 2*places)}
}

// place adds a place of these calls, the innermost first, and gives its number.
func (t *trie) place(calls []callstack.Frame) uint32 {
	p := place{frames: make([]table.Frame, len(calls))}
	for i := range calls {
		f := &calls[i]
		p.frames[len(calls)-1-i] = table.Frame{Function: t.text(f.Function), Module: t.text(f.Module), SourceFile: t.text(f.SourceFile),
			SourceLine: f.SourceLine, Address: f.Address, HasAddress: f.HasAddress}
		if i == 0 {
			p.first = t.text(f.Name())
		}
		if p.own == table.Null && !table.IsAllocator(f.Function, f.Module) {
			p.own = t.text(f.Name())
		}
	}
	t.places = append(t.places, p)
	return uint32(len(t.places) - 1)
}

func (t *trie) text(s string) table.Sym {
	if s == "" {
		return table.Null
	}
	return t.b.Text(s)
}

// add gives the leaf of a stack of places and its class, as callstack.Add does for frames: 0 and Null for an empty one.
// Stacks often share the callers of the stack before: those are not looked up again.
func (t *trie) add(leafFirst []uint32, line int) callstack.Stack {
	n := len(leafFirst)
	if n == 0 {
		return callstack.Stack{}
	}
	same := 0
	for same < n && same < len(t.last) && leafFirst[n-1-same] == t.last[len(t.last)-1-same] {
		same++
	}
	t.path = t.path[:same]
	for i := n - 1 - same; i >= 0; i-- {
		var parent int64
		if len(t.path) > 0 {
			parent = t.path[len(t.path)-1]
		}
		t.path = append(t.path, t.node(parent, leafFirst[i], line))
	}
	t.last = append(t.last[:0], leafFirst...)
	return callstack.Stack{Leaf: t.path[n-1], Class: t.class(leafFirst)}
}

// node gives the frame of a place below that of its caller. Both numbers are below 2^32: no input has more bytes.
func (t *trie) node(parent int64, at uint32, line int) int64 {
	edge := uint64(parent)<<32 | uint64(at)
	if id, ok := t.nodes[edge]; ok {
		return id
	}
	id := parent
	for _, f := range t.places[at].frames {
		f.Parent = id
		id = t.b.Frame(f, line)
	}
	t.nodes[edge] = id
	return id
}

// class is callstack.Class over places.
func (t *trie) class(leafFirst []uint32) table.Sym {
	for _, at := range leafFirst {
		if own := t.places[at].own; own != table.Null {
			return own
		}
	}
	return t.places[leafFirst[0]].first
}
