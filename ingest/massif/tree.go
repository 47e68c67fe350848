package massif

import (
	"bytes"
	"math"
	"strconv"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// below is the class of all sites that are too small to be listed (--threshold).
const below = "(below threshold)"

// noneLost is deeper than any tree.
const noneLost = math.MaxInt

// level is a node of the tree on the way to the one that is read: the root, then from the allocation to its callers.
type level struct {
	frame callstack.Frame
	left  int // children that are still to come
}

// isNode says whether a line without blanks before it is the root of a tree: "n6: 388460 (heap allocation functions) …".
func isNode(line []byte) bool {
	return len(line) > 2 && line[0] == 'n' && line[1] >= '0' && line[1] <= '9' && bytes.Contains(line, []byte(": "))
}

// node reads a line of a tree, "  n1: 12288 0x1093D3: tick (leakmix.cpp:34)", whose depth is the number of blanks before
// it. A path ends at n0: it is a site.
func (d *decoder) node(line []byte) {
	depth := len(line) - len(bytes.TrimLeft(line, " "))
	if depth > d.lost {
		return
	}
	d.lost = noneLost
	if depth > len(d.levels) || depth == 0 && len(d.levels) > 0 {
		d.lost = depth - 1
		d.b.Problems.Add(d.l.Pos(depth+1), "want a node at most %d deep, have one at %d", len(d.levels), depth)
		return
	}
	d.climb(depth)
	if depth > 0 {
		d.levels[depth-1].left--
	}
	children, size, text, column := splitNode(line[depth:])
	if column > 0 {
		d.lost = depth
		d.b.Problems.Add(d.l.Pos(depth+column), "want nCHILDREN: BYTES and a function, have %q", clip(line[depth:]))
		return
	}
	small := depth == 0 || bytes.HasPrefix(text, []byte("in ")) || bytes.HasPrefix(text, []byte("("))
	if children == 0 && depth > 0 {
		d.site(size, text, small)
		return
	}
	l := level{left: children}
	if !small {
		l.frame = d.frame(text)
	}
	if depth == 0 && bytes.HasPrefix(text, []byte("(page allocation")) {
		d.b.Fact("pages_as_heap", "true")
	}
	d.levels = append(d.levels, l)
}

// climb leaves the nodes below a depth.
func (d *decoder) climb(depth int) {
	for i := depth; i < len(d.levels); i++ {
		if n := d.levels[i].left; n > 0 {
			d.b.Problems.Count(d.l.Pos(0), "want all callers of a node, have fewer: the tree is cut or damaged")
		}
	}
	d.levels = d.levels[:depth]
}

// end closes the tree of a snapshot.
func (d *decoder) end() {
	d.climb(0)
	d.lost = noneLost
}

// site writes the path that ends here. What is below the threshold has no function: below a node it belongs to that node,
// below the root it is nobody's.
func (d *decoder) site(size int64, text []byte, small bool) {
	var stack []callstack.Frame
	for _, l := range d.levels[1:] {
		stack = append(stack, l.frame)
	}
	if !small {
		stack = append(stack, d.frame(text))
	}
	s := table.Site{Class: d.b.Text(below), LiveBytes: table.Known(size), Line: d.l.Line()}
	if len(stack) > 0 {
		s.Class, s.Stack = d.b.Text(stack[0].Name()), callstack.Add(d.b, stack, d.l.Line()).Leaf
	}
	d.b.Site(s)
}

func (d *decoder) frame(text []byte) callstack.Frame {
	f, ok := d.frames[string(text)]
	if !ok {
		if f = parseFrame(string(text)); !f.HasAddress {
			d.b.Problems.Add(d.l.Pos(bytes.Index(d.l.Bytes(), text)+1), "want 0xADDRESS: FUNCTION (PLACE), have %q", clip(text))
		}
		d.frames[string(text)] = f
	}
	return f
}

// splitNode cuts "n1: 12288 text"; column is where it is no node, from 1, and 0 where it is one.
func splitNode(s []byte) (children int, size int64, text []byte, column int) {
	head, rest, ok := bytes.Cut(s, []byte(": "))
	if !ok || len(head) < 2 || head[0] != 'n' {
		return 0, 0, nil, 1
	}
	children, err := strconv.Atoi(string(head[1:]))
	if err != nil || children < 0 {
		return 0, 0, nil, 2
	}
	digits, text, ok := bytes.Cut(rest, []byte{' '})
	size, err = strconv.ParseInt(string(digits), 10, 64)
	if err != nil || size < 0 || !ok {
		return 0, 0, nil, len(head) + 3
	}
	return children, size, text, 0
}
