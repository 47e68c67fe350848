package appletools

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// node is a line of a tree of leaks: "1 (32 bytes) cycle --> ROOT CYCLE: <Type 0xaddr> [32]".
type node struct {
	indent      int
	nodes       table.Int
	size        size
	field       []byte // what points at it; empty at the top of a tree
	root, cycle bool
	back        bool // CYCLE BACK TO, which has neither count nor size
	total       bool
	class       []byte
}

// parse takes a line apart; false if it is none of a tree.
func (n *node) parse(line []byte) bool {
	s := bytes.TrimLeft(line, " ")
	*n = node{indent: len(line) - len(s)}
	rest, counted := n.counts(s)
	if counted && bytes.HasPrefix(rest, []byte("<< TOTAL >>")) {
		n.total = true
		return true
	}
	if field, object, ok := bytes.Cut(rest, []byte(" --> ")); ok && bytes.IndexByte(field, '<') < 0 {
		n.field, rest = bytes.TrimSpace(field), object
	}
	if object, ok := bytes.CutPrefix(rest, []byte("CYCLE BACK TO ")); ok {
		n.back, n.class = true, n.classOf(object)
		return true
	}
	for _, word := range []string{"ROOT LEAK: ", "ROOT CYCLE: "} {
		if object, ok := bytes.CutPrefix(rest, []byte(word)); ok {
			n.root, n.cycle, rest = true, word == "ROOT CYCLE: ", object
		}
	}
	n.class = n.classOf(rest)
	return counted
}

// counts reads "15 (1.53K) " and gives what stands behind it.
func (n *node) counts(s []byte) (rest []byte, ok bool) {
	word, after, found := bytes.Cut(s, []byte(" ("))
	in, rest, closed := bytes.Cut(after, []byte(")"))
	if !found || !closed || len(word) == 0 || len(word) > 20 || !isDigit(word[0]) {
		return s, false
	}
	n.nodes, n.size = count(word), sizeOf(in)
	return bytes.TrimLeft(rest, " "), n.nodes.OK
}

// classOf is the type in "<Type 0xaddr> [32]", without its address; of a block without a type, malloc<32>. A type may hold
// brackets itself.
func (n *node) classOf(s []byte) []byte {
	if len(s) > 0 && s[0] == '<' {
		return typeIn(s)
	}
	name, rest, _ := bytes.Cut(s, []byte(" "))
	if _, ok := hexadecimal(name); !ok || !bytes.HasPrefix(name, []byte("0x")) {
		return bytes.Clone(name)
	}
	bytesOf := n.size.v
	if in, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " "), []byte("[")); ok {
		in, _, _ = bytes.Cut(in, []byte("]"))
		if v := count(in); v.OK {
			bytesOf = v.V
		}
	}
	return append(strconv.AppendInt([]byte("malloc<"), bytesOf, 10), '>')
}

// typeIn reads a type in angle brackets, up to its address.
func typeIn(s []byte) []byte {
	for from := 0; ; {
		i := bytes.Index(s[from:], []byte(" 0x"))
		if i < 0 {
			break
		}
		i += from
		if end := bytes.IndexByte(s[i:min(len(s), i+24)], '>'); end > 0 {
			if _, ok := hexadecimal(s[i+1 : i+end]); ok {
				return bytes.Clone(s[1:i])
			}
		}
		from = i + 1
	}
	s, _, _ = bytes.Cut(s, []byte("> ["))
	return bytes.Clone(bytes.TrimSuffix(bytes.TrimPrefix(s, []byte("<")), []byte(">")))
}
