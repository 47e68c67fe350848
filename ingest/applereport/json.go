package applereport

import (
	"bytes"
	"sort"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
)

// maxDepth bounds how deep a document may nest: call stacks of MetricKit have a level a frame, with two more each.
const maxDepth = 4096

// document is JSON with the place of everything in it, as a list of nodes in the order of the text: encoding/json tells no
// places, and keeps nothing of a report that was cut.
type document struct {
	text  []byte
	nodes []node
	at    int // the reading stands there
	depth int
	fault string
	lines []int32 // offsets of line ends
	near  int     // the line that was asked for last
	skip  int     // lines before the text
}

// node is a value: its text, and the node behind it and all that it holds. In an object every other node is a key.
type node struct {
	start, end, next int32
	kind             byte // { [ " or the first byte of a word
}

func newDocument(text []byte, skip int) *document {
	d := &document{text: text, skip: skip, nodes: make([]node, 0, len(text)/16)}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		d.at = 3
	}
	return d
}

// more says whether anything stands behind what was read.
func (d *document) more() bool {
	d.blanks()
	return d.at < len(d.text)
}

// next reads one document. What is wrong is told by fault, with what is there up to it.
func (d *document) next() (root value, fault string) {
	at := int32(len(d.nodes))
	d.depth, d.fault = 0, ""
	d.value()
	if int(at) == len(d.nodes) {
		return value{}, d.fault
	}
	return value{d, at}, d.fault
}

func (d *document) blanks() {
	for d.at < len(d.text) {
		if c := d.text[d.at]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return
		}
		d.at++
	}
}

// fail notes what stands in place of what should; the reading of the document ends.
func (d *document) fail() bool {
	if d.fault == "" {
		d.fault = "the end of the file"
		if d.at < len(d.text) {
			d.fault = strconv.Quote(clip(bytes.TrimRight(d.text[d.at:min(len(d.text), d.at+20)], "\r\n")))
		}
	}
	return false
}

// value reads a value; false at damage.
func (d *document) value() bool {
	d.blanks()
	if d.at >= len(d.text) {
		return d.fail()
	}
	i := len(d.nodes)
	switch c := d.text[d.at]; {
	case c == '{' || c == '[':
		return d.container(c)
	case c == '"':
		return d.str()
	case c == '-' || c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z':
		from := d.at
		for d.at < len(d.text) && isWord(d.text[d.at]) {
			d.at++
		}
		d.nodes = append(d.nodes, node{int32(from), int32(d.at), int32(i + 1), c})
		if d.at == len(d.text) && d.depth > 0 { // a number that the end cuts is another one
			d.nodes = d.nodes[:i]
			return d.fail()
		}
		return true
	}
	return d.fail()
}

func isWord(c byte) bool {
	return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '-' || c == '.'
}

// str reads a string, which may hold line ends.
func (d *document) str() bool {
	from := d.at
	for i := from + 1; i < len(d.text); i++ {
		switch d.text[i] {
		case '\\':
			i++
		case '"':
			d.at = i + 1
			d.nodes = append(d.nodes, node{int32(from), int32(d.at), int32(len(d.nodes) + 1), '"'})
			return true
		}
	}
	d.at = len(d.text)
	return d.fail()
}

// container reads an object or array.
func (d *document) container(kind byte) bool {
	if d.depth++; d.depth > maxDepth {
		d.fault = "more than " + strconv.Itoa(maxDepth) + " levels"
		return false
	}
	i := len(d.nodes)
	d.nodes = append(d.nodes, node{start: int32(d.at), kind: kind})
	d.at++
	ok := d.members(kind)
	if d.depth--; ok {
		d.at++
	}
	d.nodes[i].end, d.nodes[i].next = int32(d.at), int32(len(d.nodes))
	return ok
}

// members reads up to the closing bracket. A key whose value is damaged is taken back.
func (d *document) members(kind byte) bool {
	closing := byte('}')
	if kind == '[' {
		closing = ']'
	}
	for first := true; ; first = false {
		d.blanks()
		switch {
		case d.at >= len(d.text):
			return d.fail()
		case d.text[d.at] == closing:
			return true
		case !first && d.text[d.at] != ',':
			return d.fail()
		case !first:
			d.at++
			if d.blanks(); d.at < len(d.text) && d.text[d.at] == closing {
				return true
			}
		}
		key := len(d.nodes)
		if kind == '{' && !d.key() {
			return false
		}
		before := len(d.nodes)
		if !d.value() {
			if len(d.nodes) == before {
				d.nodes = d.nodes[:key]
			}
			return false
		}
	}
}

func (d *document) key() bool {
	n := len(d.nodes)
	if d.blanks(); d.at >= len(d.text) || d.text[d.at] != '"' || !d.str() {
		return d.fail()
	}
	if d.blanks(); d.at >= len(d.text) || d.text[d.at] != ':' {
		d.nodes = d.nodes[:n]
		return d.fail()
	}
	d.at++
	return true
}

// pos gives the line and column of an offset.
func (d *document) pos(in *source.Input, offset int) source.Pos {
	if d.lines == nil {
		d.lines = []int32{-1}
		for i, c := range d.text {
			if c == '\n' {
				d.lines = append(d.lines, int32(i))
			}
		}
	}
	i := d.near // rows are mostly read in the order of the text
	if i >= len(d.lines) || i == 0 || int(d.lines[i-1]) >= offset || i+8 < len(d.lines) && int(d.lines[i+8]) < offset {
		i = sort.Search(len(d.lines), func(i int) bool { return int(d.lines[i]) >= offset })
	}
	for i < len(d.lines) && int(d.lines[i]) < offset {
		i++
	}
	d.near = i
	return in.At(d.skip+i, offset-int(d.lines[max(0, i-1)]))
}
