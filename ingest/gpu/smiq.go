package gpu

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var smiLog = []byte("NVSMI LOG=")

// SniffQ claims the output of nvidia-smi -q by its head line.
func SniffQ(head []byte) bool {
	return eachLine(head, func(line []byte) bool { return len(line) > 0 && line[0] == '=' && bytes.Contains(line, smiLog) })
}

// DecodeQ reads nvidia-smi -q, one log or several behind each other, each a moment.
func DecodeQ(in *source.Input, b *table.Builder) error {
	r := &query{ledger: newLedger(b), l: source.NewLines(in)}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	if r.attached > r.cards && r.l.Err() == nil {
		b.Problems.Add(r.l.Pos(0), "want %d GPUs as the log says, have the end of the file behind %d: it is cut", r.attached, r.cards)
		r.cutBy(r.ledger)
	}
	r.clock()
	return r.finish(in, r.l.Err(), "want FB Memory Usage with Used or Free of a GPU: nvidia-smi -q, or nvidia-smi -q -d MEMORY")
}

// query reads lines of "key : value", in blocks that are told by their indentation.
type query struct {
	*ledger
	survey
	l                 *source.Lines
	fbDepth, migDepth int  // indentation of the heads of the blocks
	listing           bool // in the block of processes
	listDepth         int
}

func (r *query) line(line []byte) {
	if len(line) > 0 && line[0] == '=' && bytes.Contains(line, smiLog) {
		r.open = r.open && r.cards < r.attached
		r.begin(r.ledger, r.l.Line())
		r.listing = false
		return
	}
	text := bytes.TrimSpace(line)
	if !r.open || len(text) == 0 {
		return
	}
	depth := bytes.IndexByte(line, text[0])
	r.leave(depth)
	i := bytes.Index(line, []byte(" : "))
	switch {
	case i >= 0:
		r.value(string(bytes.TrimSpace(line[:i])), bytes.TrimSpace(line[i+3:]), i+4)
	case depth == 0 && bytes.HasPrefix(text, []byte("GPU ")):
		r.next(r.ledger, string(text[len("GPU "):]))
	case string(text) == "FB Memory Usage":
		r.fb, r.fbDepth = true, depth
	case string(text) == "MIG Device":
		r.slice, r.part, r.migDepth = true, -1, depth
	case string(text) == "Processes":
		r.listing, r.listDepth = true, depth
	}
}

// leave ends the blocks that a line of this indentation is not part of.
func (r *query) leave(depth int) {
	if r.fb && depth <= r.fbDepth {
		r.fb = false
	}
	if r.slice && depth <= r.migDepth {
		r.slice = false
	}
	if r.listing && depth <= r.listDepth {
		r.listing = false
	}
}

// textFigures are the keys of a block of frame buffer figures.
var textFigures = map[string]metric{"Total": total, "Reserved": driverReserved, "Used": used, "Free": free}

func (r *query) value(key string, value []byte, column int) {
	if m, ok := textFigures[key]; ok && r.fb {
		if dev := r.owner(); dev >= 0 && r.whole(value) {
			r.size(r.l, column, dev, m, value, mebibyte, 0)
		}
		return
	}
	if r.listing {
		r.listed(key, value, column)
		return
	}
	switch key {
	case "Timestamp":
		r.stamp(value, column)
	case "Driver Version":
		r.b.Fact("tool", "nvidia-smi "+string(value))
	case "Attached GPUs":
		n, _ := pid(value)
		r.attached = int(n)
	case "Product Name":
		if r.card >= 0 && r.devices[r.card].product == "" {
			r.devices[r.card].product = known(value)
		}
	case "GPU UUID":
		if r.card >= 0 {
			r.devices[r.card].uuid = known(value)
		}
	case "GPU Instance ID":
		r.instance(r.ledger, known(value))
	}
}

// whole is false for a figure whose unit the end of the file has cut off.
func (r *query) whole(value []byte) bool {
	if r.l.Ended() || bytes.HasSuffix(value, []byte("iB")) || missing(value) {
		return true
	}
	r.b.Problems.Add(r.l.Pos(len(r.l.Bytes())+1), "want a size such as 841 MiB, have the end of the file in it")
	return false
}

func (r *query) stamp(value []byte, column int) {
	ns, ok := timeOf(value)
	if !ok {
		r.b.Problems.Add(r.l.Pos(column), "want a time such as Tue Jul 14 08:12:53 2026, have %q", clip(value))
		return
	}
	r.moments[r.now()-1].wall = table.Known(ns)
}

// listed reads a line of the list of processes.
func (r *query) listed(key string, value []byte, column int) {
	switch key {
	case "Process ID":
		r.run = listed{}
		if r.run.pid, r.run.ok = pid(value); !r.run.ok {
			r.b.Problems.Add(r.l.Pos(column), "want a pid, have %q", clip(value))
		}
	case "Name":
		if !missing(value) {
			r.run.name = r.b.Sym(value)
		}
	case "Used GPU Memory":
		if r.whole(value) {
			r.ran(r.ledger, r.l, column, value)
		}
	}
}
