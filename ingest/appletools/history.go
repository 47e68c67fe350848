package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const historyTitle = "malloc_history Report Version:"

// SniffHistory recognises the output of malloc_history, with its header or its events alone.
func SniffHistory(head []byte) bool {
	if isMessage(head, "malloc_history") {
		return true
	}
	return eachLine(head, func(line []byte) bool {
		if bytes.HasPrefix(line, []byte(historyTitle)) || isOf(line, "malloc_history") {
			return true
		}
		e, ok := operationOf(line)
		return ok && len(e.size) > 0
	})
}

// DecodeHistory reads the output of malloc_history for an address: an event for each allocation and release of a block
// there, in the order of the file, without times. It tells of one address alone, so the fact partial is true.
func DecodeHistory(in *source.Input, b *table.Builder) error {
	h := &history{reader: newReader(in, b, "malloc_history"), stacks: stacks{b: b}}
	h.levels = false
	h.ops = map[string]table.Sym{"ALLOC": b.Text("alloc"), "VM_ALLOC": b.Text("alloc"), "FREE": b.Text("free"), "VM_FREE": b.Text("free")}
	b.Fact("partial", "true")
	return h.read(h.line, "events of an address (ALLOC 0xA-0xB [size=N]: …), as malloc_history PID ADDRESS prints them")
}

type history struct {
	*reader
	stacks stacks
	ops    map[string]table.Sym
}

// operation is a line "ALLOC 0xSTART-0xEND [size=N]:  frame | frame", taken apart; the end is inclusive.
type operation struct {
	op, size   []byte
	start, end uint64
	frames     []byte
	at         int
}

func operationOf(line []byte) (e operation, ok bool) {
	w, next := wordAt(line, 0)
	switch e.op = w.text; string(e.op) {
	case "ALLOC", "FREE", "VM_ALLOC", "VM_FREE":
	default:
		return e, false
	}
	w, next = wordAt(line, next)
	from, to, ok := bytes.Cut(bytes.TrimSuffix(w.text, []byte(":")), []byte("-"))
	start, ok1 := hexadecimal(from)
	end, ok2 := hexadecimal(to)
	if !ok || !ok1 || !ok2 || !bytes.HasPrefix(from, []byte("0x")) {
		return e, false
	}
	e.start, e.end, e.at = start, end, w.at
	e.frames = bytes.TrimLeft(line[next:], " :")
	if in, ok := bytes.CutPrefix(e.frames, []byte("[size=")); ok {
		e.size, in, _ = bytes.Cut(in, []byte("]"))
		e.frames = bytes.TrimLeft(in, " :")
	}
	return e, true
}

func (h *history) line(line []byte) {
	if e, ok := operationOf(line); ok {
		h.event(&e)
	} else if bytes.Contains(line, []byte("no stack logs found")) {
		h.say(line)
	} else if w, _ := wordAt(line, 0); len(w.text) > 0 && (h.ops[string(w.text)] != table.Null) {
		h.b.Problems.Add(h.l.Pos(1), "want ALLOC or FREE 0xSTART-0xEND [size=N]: and frames, have %q: it is left out", clip(line))
	} else if !bytes.HasPrefix(line, []byte(historyTitle)) {
		h.other(line)
	}
}

func (h *history) event(e *operation) {
	h.begin()
	row := table.Event{Seq: int64(h.rows), Op: h.ops[string(e.op)], Object: e.start, HasObject: true, Size: count(e.size), Line: h.l.Line()}
	if !row.Size.OK && len(e.size) == 0 && e.end >= e.start && int64(e.end-e.start) >= 0 && e.end-e.start < 1<<62 {
		row.Size = table.Known(int64(e.end-e.start) + 1)
	}
	if !row.Size.OK {
		h.b.Problems.Add(h.l.Pos(e.at+1), "want a size, have %q", clip(h.l.Bytes()))
	}
	h.stacks.reset()
	frames := e.frames
	for len(frames) > 0 {
		var f []byte
		f, frames, _ = bytes.Cut(frames, []byte("|"))
		if f = bytes.TrimSpace(f); len(f) == 0 {
			continue
		}
		if id, ok := bytes.CutPrefix(f, []byte("thread_")); ok && len(h.stacks.calls) == 0 {
			if tid, ok := hexadecimal(id); ok && int64(tid) >= 0 {
				row.TID = table.Known(int64(tid))
			} else {
				h.b.Problems.Count(h.l.Pos(1), "want thread_ID in hex, have %q", clip(f))
			}
			continue
		}
		h.stacks.add(f, callOf(f))
	}
	row.Stack = h.stacks.id(h.l.Line())
	h.b.Event(&row)
	h.rows++
}

// callOf reads a frame, "0x1b1c108d4 (dyld) start" or a name alone.
func callOf(s []byte) (f callstack.Frame) {
	w, next := wordAt(s, 0)
	if addr, ok := hexadecimal(w.text); ok && bytes.HasPrefix(w.text, []byte("0x")) {
		f.Address, f.HasAddress = addr, true
		s = bytes.TrimSpace(s[next:])
		if in, ok := bytes.CutPrefix(s, []byte("(")); ok {
			module, rest, _ := bytes.Cut(in, []byte(")"))
			f.Module, s = text(module), bytes.TrimSpace(rest)
		}
	}
	symbolOf(&f, s)
	return f
}
