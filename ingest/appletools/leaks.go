package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffLeaks recognises the output of leaks, with its header or its two lines of counts alone.
func SniffLeaks(head []byte) bool {
	if isMessage(head, "leaks") {
		return true
	}
	return eachLine(head, func(line []byte) bool {
		if bytes.HasPrefix(line, []byte("leaks Report Version:")) || isOf(line, "leaks") {
			return true
		}
		c, ok := countsOf(line)
		return ok && c.leaks
	})
}

// DecodeLeaks reads reports of leaks: samples of the process (footprint, footprint_peak, live_count, live_bytes, leaked_count,
// leaked_bytes, cycle_count) and of each class; a site for each class and stack; for each way in which a retain cycle is
// closed a fault of kind leak-cycle, whose detail is "Type.field --> Type". Each report is a snapshot.
func DecodeLeaks(in *source.Input, b *table.Builder) error {
	k := &leaks{reader: newReader(in, b, "leaks"), stacks: stacks{b: b}, kind: b.Text("leak-cycle")}
	k.end = k.ended
	return k.read(k.line, "the counts of leaks (Process N: M leaks for B total leaked bytes)")
}

type leaks struct {
	*reader
	stacks stacks
	kind   table.Sym
	found
	tree
}

// found is what a report lists.
type found struct {
	counted          bool // the line of counts was read
	count, bytes     table.Int
	line             int
	excluded         int64
	sites            leakSums
	classes          leakSums
	edges            leakSums
	nodes, sum       int64
	slack            int64
	cycles           int64
	unknown, anyRoot bool
}

// tree is where the reading stands.
type tree struct {
	inStack, inTree bool
	stack           int64
	above           []level // lines that the current one may stand below
	cycle           *leakSum
	images          bool
}

// level is a line of a tree that others may stand below.
type level struct {
	indent int
	class  []byte
}

// counts is a line "Process N: M nodes malloced for K KB" or "Process N: M leaks for B total leaked bytes."
type counts struct {
	pid   table.Int
	n     table.Int
	size  size
	leaks bool
	at    int
}

func countsOf(line []byte) (c counts, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("Process "))
	if !ok {
		return c, false
	}
	pid, rest, ok := bytes.Cut(rest, []byte(": "))
	number, rest, found := bytes.Cut(rest, []byte(" "))
	if c.pid, c.n, c.at = count(pid), count(number), len(line)-len(rest); !ok || !found {
		return c, false
	}
	for _, form := range []string{"nodes malloced for ", "node malloced for ", "leaks for ", "leak for "} {
		if in, ok := bytes.CutPrefix(rest, []byte(form)); ok {
			c.leaks = form[0] == 'l'
			if in, _, ok = bytes.Cut(in, []byte(" total leaked bytes")); ok || !c.leaks {
				c.size = sizeOf(in)
				return c, true
			}
		}
	}
	return c, false
}

func (k *leaks) line(line []byte) {
	if c, ok := countsOf(line); ok {
		k.counts(c)
		return
	}
	if bytes.HasPrefix(line, []byte("Process ")) && (bytes.Contains(line, []byte(" leaks for ")) || bytes.Contains(line, []byte(" leak for "))) {
		k.b.Problems.Add(k.l.Pos(1), "want Process N: M leaks for B total leaked bytes, have %q", clip(line))
	}
	var n node
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		if k.inTree && len(k.above) > 0 {
			k.inTree, k.stack = false, 0
		}
		k.above = k.above[:0]
	case bytes.HasPrefix(line, []byte("STACK OF ")):
		k.stacks.reset()
		k.inStack, k.inTree, k.images, k.above = true, false, false, k.above[:0]
	case k.inStack:
		k.frame(line)
	case bytes.HasPrefix(line, []byte("Binary Images:")):
		k.images = true
	case k.images, bytes.HasPrefix(line, []byte("leaks Report Version:")), string(bytes.TrimSpace(line)) == "----":
	case bytes.Contains(line, []byte(" excluded (not printed)")):
		word, _ := wordAt(line, 0)
		k.excluded += count(word.text).V
	case n.parse(line):
		k.node(&n)
	case line[0] == ' ' && k.counted:
		k.b.Problems.Add(k.l.Pos(1), "want N (size) and a block of a tree of leaks, have %q: it is left out", clip(line))
		k.unknown = true
	default:
		k.other(line)
	}
}

// counts takes the two lines above the list; the first begins a report where there is no header.
func (k *leaks) counts(c counts) {
	if !c.leaks || k.counted {
		k.again()
	}
	k.begin()
	k.images, k.body = false, k.l.Line()
	k.wantPID(c.pid, k.l.Bytes())
	k.subject(c.pid, table.Null)
	if !c.n.OK || !c.size.ok {
		k.b.Problems.Add(k.l.Pos(c.at), "want a count and a size, have %q: they are left out", clip(k.l.Bytes()))
	}
	if !c.leaks {
		k.level("live_count", c.n, k.l.Line())
		k.level("live_bytes", c.size.int(), k.l.Line())
		return
	}
	k.level("leaked_count", c.n, k.l.Line())
	k.level("leaked_bytes", c.size.int(), k.l.Line())
	k.counted, k.count, k.bytes, k.found.line = true, c.n, c.size.int(), k.l.Line()
}

// frame reads a line of a stack, which a rule ends.
func (k *leaks) frame(line []byte) {
	if bytes.HasPrefix(line, []byte("====")) {
		k.stack, k.inStack, k.inTree = k.stacks.id(k.l.Line()), false, true
		return
	}
	f, ok := frameOf(line)
	if !ok {
		k.b.Problems.Add(k.l.Pos(1), "want a frame such as 3  lib  0x10f00c0ae symbol + 14, have %q: it is left out", clip(line))
		return
	}
	k.stacks.add(line, f)
}

// node takes a line of a tree.
func (k *leaks) node(n *node) {
	k.begin()
	for len(k.above) > 0 && k.above[len(k.above)-1].indent >= n.indent {
		k.above = k.above[:len(k.above)-1]
	}
	switch {
	case n.total:
	case n.back:
		k.closing(n)
	default:
		if n.root && n.field == nil {
			k.root(n)
		}
		if len(k.above) < maxFrames {
			k.above = append(k.above, level{n.indent, n.class})
		}
	}
}

// root counts a block that nothing outside of its tree points at, with all below it.
func (k *leaks) root(n *node) {
	if !n.size.ok {
		k.b.Problems.Add(k.l.Pos(n.indent+1), "want a size in brackets, have %q", clip(k.l.Bytes()))
		k.unknown = true
	}
	class := symOf(k.b, n.class)
	k.anyRoot, k.cycle = true, nil
	k.sites.at(leakKey{class, k.stack}, k.l.Line()).add(n)
	sum := k.classes.at(leakKey{class, 0}, k.l.Line())
	sum.add(n)
	nodes, ok := table.Sum(k.nodes, n.nodes.V)
	bytes, fine := table.Sum(k.sum, n.size.v)
	if !ok || !fine {
		k.unknown = true
		return
	}
	k.nodes, k.sum, k.slack = nodes, bytes, k.slack+n.size.half
	if n.cycle {
		k.cycles++
		sum.cycles++
		k.cycle = &leakSum{count: n.nodes, bytes: n.size.int(), line: k.l.Line()}
	}
}

// closing takes the line by which a cycle comes back to its root: the field that would have to be weak. Of a root with
// several of them the first one counts.
func (k *leaks) closing(n *node) {
	if k.cycle == nil || len(k.above) == 0 {
		return
	}
	field := bytes.TrimPrefix(n.field, []byte("__strong "))
	owner := k.above[len(k.above)-1].class
	detail := text(owner)
	if len(field) > 0 {
		detail += "." + text(field)
	}
	e := k.edges.at(leakKey{k.b.Text(detail + " --> " + text(n.class)), k.stack}, k.cycle.line)
	e.join(k.cycle.count, k.cycle.bytes)
	k.cycle = nil
}

// ended writes what a report lists.
func (k *leaks) ended() {
	for _, s := range k.sites.list {
		k.b.Site(table.Site{Class: s.name, Stack: s.stack, LiveBytes: s.bytes, LiveCount: s.count, Line: s.line})
		k.rows++
	}
	for _, s := range k.classes.list {
		k.sample(k.scope.class, s.name, "leaked_bytes", s.bytes, s.line)
		k.sample(k.scope.class, s.name, "leaked_count", s.count, s.line)
		if s.cycles > 0 {
			k.sample(k.scope.class, s.name, "cycle_count", table.Known(s.cycles), s.line)
		}
	}
	for _, e := range k.edges.list {
		k.b.Fault(table.Fault{Kind: k.kind, Detail: e.name, Size: e.bytes, AllocStack: e.stack, Line: e.line})
	}
	if k.counted {
		k.level("cycle_count", table.Known(k.cycles), k.found.line)
		k.check()
		k.b.Fact("coverage", "unreachable blocks only: growth of what is still pointed at is no leak to this tool")
	}
	k.found, k.tree = found{}, tree{above: k.above[:0]}
}

// check compares the list with the counts above it.
func (k *leaks) check() {
	if k.unknown || !k.count.OK || !k.bytes.OK {
		return
	}
	pos := k.in.At(k.found.line, 1)
	if k.nodes+k.excluded != k.count.V {
		k.b.Problems.Add(pos, "want %d leaks, as the trees below list, have %d", k.nodes+k.excluded, k.count.V)
	}
	if diff := k.sum - k.bytes.V; k.excluded == 0 && (diff > k.slack || -diff > k.slack) {
		k.b.Problems.Add(pos, "want %d leaked bytes, as the trees below add up to, have %d", k.sum, k.bytes.V)
	}
}
