package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffHeap recognises the output of heap: the line with the sum of all zones, or its table of classes.
func SniffHeap(head []byte) bool {
	if isMessage(head, "heap") {
		return true
	}
	return eachLine(head, func(line []byte) bool {
		_, _, ok := zonesOf(line)
		return ok || isOf(line, "heap") || isClassHead(line)
	})
}

// DecodeHeap reads reports of heap: samples of the process (footprint, footprint_peak, live_count, live_bytes), and a site
// for each class, type and binary. Each report is a snapshot.
func DecodeHeap(in *source.Input, b *table.Builder) error {
	h := &heap{reader: newReader(in, b, "heap")}
	h.end = h.ended
	return h.read(h.line, "heap's line All zones: N nodes (B bytes), with a table of classes")
}

type heap struct {
	*reader
	classes
}

// classes is the table of a report.
type classes struct {
	all          bool // the sum of all zones was read, and no heading of one zone since
	listed       bool
	nodes, bytes table.Int
	line         int
	list         []classSum
	index        map[string]int
	sum          [2]table.Int
}

// classSum is what the rows of one class, type and binary add up to.
type classSum struct {
	class        table.Sym
	line         int
	count, bytes table.Int
}

// zonesOf reads "All zones: 150732 nodes (48774664 bytes)".
func zonesOf(line []byte) (nodes, bytesOf table.Int, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("All zones: "))
	number, rest, found := bytes.Cut(rest, []byte(" node"))
	_, in, paren := bytes.Cut(rest, []byte("("))
	in, _, end := bytes.Cut(in, []byte(" bytes)"))
	if !ok || !found || !paren || !end {
		return table.Int{}, table.Int{}, false
	}
	return count(number), count(in), true
}

// isClassHead is "   COUNT      BYTES       AVG   CLASS_NAME   …".
func isClassHead(line []byte) bool {
	i := 0
	for _, want := range []string{"COUNT", "BYTES", "AVG", "CLASS_NAME"} {
		var w cell
		if w, i = wordAt(line, i); string(w.text) != want {
			return false
		}
	}
	return true
}

func (h *heap) line(line []byte) {
	nodes, bytesOf, ok := zonesOf(line)
	switch {
	case ok:
		h.zones(nodes, bytesOf)
	case len(bytes.TrimSpace(line)) == 0:
		h.listed = false
	case isClassHead(line):
		h.begin()
		h.listed = h.all
	case h.listed:
		h.row(line)
	case bytes.HasPrefix(line, []byte("Zone ")):
		h.all = false
	case bytes.HasPrefix(line, []byte("Process ")):
		h.begin()
		pid, name := numbered(h.b, line[len("Process "):])
		h.wantPID(pid, line[len("Process "):])
		h.subject(pid, name)
	case !h.begun, message(line, h.tool):
		h.other(line)
	default:
		if m, ok := source.ParseMark(line); ok && m.HasWall {
			h.mark = table.Known(m.Wall)
		}
	}
}

// zones takes the sum of all zones, which is exact.
func (h *heap) zones(nodes, bytesOf table.Int) {
	if h.nodes.OK {
		h.start()
	}
	h.begin()
	if !nodes.OK || !bytesOf.OK {
		h.b.Problems.Add(h.l.Pos(1), "want a count of nodes and of bytes, have %q", clip(h.l.Bytes()))
	}
	h.all, h.nodes, h.bytes, h.classes.line = true, nodes, bytesOf, h.l.Line()
	h.level("live_count", nodes, h.l.Line())
	h.level("live_bytes", bytesOf, h.l.Line())
	h.sum = [2]table.Int{table.Known(0), table.Known(0)}
}

// row reads three figures, a class, a type and a binary. A class holds single blanks and may be longer than its column.
func (h *heap) row(line []byte) {
	words := [3]cell{}
	i := 0
	for k := range words {
		words[k], i = wordAt(line, i)
	}
	if bytes.HasPrefix(words[0].text, []byte("===")) {
		return
	}
	rest := bytes.TrimSpace(line[i:])
	n, size := count(words[0].text), sizeOf(words[1].text)
	if !n.OK || !size.ok || len(rest) == 0 {
		h.b.Problems.Add(h.l.Pos(words[0].at+1), "want a count, bytes, an average and a class, have %q: the row is left out", clip(line))
		h.sum = [2]table.Int{}
		return
	}
	h.sum = [2]table.Int{plus(h.sum[0], n), plus(h.sum[1], size.int())}
	h.add(rest, n, size.int())
}

func (h *heap) add(rest []byte, n, size table.Int) {
	class := rest
	for range 2 { // binary and type, if there are both
		if i := bytes.LastIndex(class, []byte("  ")); i > 0 {
			class = bytes.TrimRight(class[:i], " ")
		}
	}
	at, ok := h.index[string(rest)]
	if !ok {
		if h.index == nil {
			h.index = map[string]int{}
		}
		at = len(h.list)
		h.index[string(rest)] = at
		h.list = append(h.list, classSum{symOf(h.b, class), h.l.Line(), table.Known(0), table.Known(0)})
	}
	s := &h.list[at]
	s.count, s.bytes = plus(s.count, n), plus(s.bytes, size)
}

// ended writes the sites of a report.
func (h *heap) ended() {
	for _, s := range h.list {
		h.b.Site(table.Site{Class: s.class, LiveBytes: s.bytes, LiveCount: s.count, Line: s.line})
		h.rows++
	}
	if h.nodes.OK && h.sum[0].OK && h.sum[0].V != h.nodes.V {
		h.b.Problems.Add(h.in.At(h.classes.line, 1), "want %d nodes, as the rows below add up to, have %d: the list may be cut", h.sum[0].V, h.nodes.V)
	}
	h.classes = classes{}
}
