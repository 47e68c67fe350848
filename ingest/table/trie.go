package table

import (
	"slices"

	"github.com/memtide/memtide/ingest/blocks"
)

// Code is what a frame is without its caller, numbered by a Builder: a function at a place, or a bare address where there is no
// function. Formats that name the same calls again and again number them once.
type Code int32

// code is what tells frames of one caller apart. File is the Sym of the file that a row says it was read from.
type code struct {
	function, module, sourceFile, file Sym
	line                               Int
	address                            uint64 // of one without a function
	hasAddress                         bool
}

// probe gives what a code is near to, and its hash.
func (c *code) probe() (near, hash uint32) {
	h := blocks.Mix(uint64(uint32(c.function))<<32|uint64(uint32(c.module)), uint64(uint32(c.sourceFile))<<32|uint64(uint32(c.file)))
	h = blocks.Mix(h^uint64(c.line.V), c.address)
	return uint32(h), uint32(h >> 32)
}

// node is a row of frames while they are gathered. Numbers of codes fit in 31 bits.
type node struct {
	address uint64 // the one met first
	place   int64  // line of the capture
	parent  uint32
	code    uint32 // twice its number, and 1 where the address is known
}

// trie numbers the nodes of stacks. It is open-addressed and holds no pointer: captures have millions of them.
type trie struct {
	codes blocks.List[code]
	nodes blocks.List[node] // by id - 1
	known blocks.Index      // codes
	under blocks.Index      // nodes
}

// probe gives what a node is near to, its caller, and its hash.
func (n *node) probe() (near, hash uint32) {
	return n.parent, uint32(blocks.Mix(uint64(n.parent)<<32|uint64(n.code|1), 0) >> 32)
}

// code numbers what a frame is.
func (t *trie) code(c code) Code {
	near, hash := c.probe()
	at := t.known.Find(near, hash, func(i uint32) bool { return *t.codes.At(int(i)) == c })
	if at < 0 {
		at = t.codes.Add(c)
		t.known.Add(near, hash, func(i uint32) (near, hash uint32) { return t.codes.At(int(i)).probe() })
	}
	return Code(at)
}

// node gives the id of a code called by a parent.
func (t *trie) node(parent int64, c Code, address uint64, hasAddress bool, place int64) int64 {
	x := node{address, place, uint32(parent), uint32(c)<<1 | uint32(bool2int(hasAddress))}
	near, hash := x.probe()
	at := t.under.Find(near, hash, func(i uint32) bool { n := t.nodes.At(int(i)); return n.parent == x.parent && n.code|1 == x.code|1 })
	if at < 0 {
		at = t.nodes.Add(x)
		t.under.Add(near, hash, func(i uint32) (near, hash uint32) { return t.nodes.At(int(i)).probe() })
	}
	return int64(at) + 1
}

func (t *trie) frame(f *Frame, file Sym, place int64) int64 {
	return t.node(f.Parent, t.code(codeOf(f, file)), f.Address, f.HasAddress, place)
}

func codeOf(f *Frame, file Sym) code {
	c := code{function: f.Function, module: f.Module, sourceFile: f.SourceFile, file: file, line: f.SourceLine}
	if f.Function == Null {
		c.address, c.hasAddress = f.Address, f.HasAddress
	}
	return c
}

// batches gives the nodes as rows of frames; cuts are the ids at which batches end, but for the last.
func (t *trie) batches(cuts []int) (out []*Batch) {
	from := 0
	for _, to := range append(slices.Clip(cuts), t.nodes.Len()) {
		out = append(out, t.batch(from, to))
		from = to
	}
	return out
}

// cutEvery are the ends of full batches of n rows, but for the last.
func cutEvery(full, n int) (out []int) {
	for at := full; at < n; at += full {
		out = append(out, at)
	}
	return out
}

func (t *trie) batch(from, to int) *Batch {
	b := newBatch(Schemas[Frames])
	b.grow(Schemas[Frames], to-from)
	b.n = to - from
	c := b.cols
	for i := from; i < to; i++ {
		n := t.nodes.At(i)
		of := t.codes.At(int(n.code >> 1))
		c[0].int(int64(i) + 1)
		c[1].opt(int64(n.parent), n.parent != 0)
		c[2].sym(of.function)
		c[3].sym(of.sourceFile)
		c[4].opt(of.line.V, of.line.OK)
		c[5].sym(of.module)
		c[6].opt(int64(n.address), n.code&1 != 0)
		c[7].sym(of.file)
		c[8].int(n.place)
	}
	return b
}
