package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// finish writes the fault of the tombstone that was read.
func (t *tombstones) finish() {
	c := t.cur
	t.cur = nil
	if c == nil {
		return
	}
	if c.signal == "" {
		t.b.NoSample()
		return
	}
	process := table.Null
	if len(c.process) > 0 {
		process = t.b.Sym(c.process)
	}
	t.b.Process(c.pid, process)
	kind, size := kindOf(c.cause)
	if !size.OK && bytes.Contains(c.cause, []byte("-byte allocation")) {
		pos := t.lines.Pos(0)
		pos.Line = c.causeLine
		t.b.Problems.Add(pos, "want the size of the allocation, have %q", clip(c.cause))
	}
	t.b.Fault(table.Fault{Kind: t.b.Text(kind), Detail: t.b.Text(c.detail(kind)), Address: c.address, HasAddress: c.hasAddress, Size: size,
		Stack: t.push(c.stacks[faulting]), AllocStack: t.push(c.stacks[allocating]), FreeStack: t.push(c.stacks[freeing]), Line: c.signalLine})
	t.b.Fact("OS", "Android")
	t.faults++
}

// detail is the signal and its code, then the cause if it is one of memory, else the abort message or the cause.
func (c *tombstone) detail(kind string) string {
	out := c.signal
	if c.code != "" && c.code != "?" {
		out += " " + c.code
	}
	switch {
	case len(c.abort) > 0 && (kind == "crash" || c.cause == nil):
		return out + ": " + string(c.abort)
	case len(c.cause) > 0:
		return out + ": " + string(c.cause)
	}
	return out
}

// kindOf reads "[GWP-ASan]: Use After Free, 0 bytes into a 32-byte allocation at 0x7a…".
func kindOf(cause []byte) (kind string, size table.Int) {
	if !bytes.HasPrefix(cause, []byte("[GWP-ASan]")) && !bytes.HasPrefix(cause, []byte("[MTE]")) {
		return "crash", table.Int{}
	}
	if i := bytes.Index(cause, []byte("-byte allocation")); i >= 0 {
		word := cause[:i][bytes.LastIndexByte(cause[:i], ' ')+1:]
		if v, n := number(word); n > 0 && n == len(word) {
			size = table.Known(v)
		}
	}
	for _, c := range causes {
		if bytes.Contains(cause, []byte(c.words)) {
			return c.kind, size
		}
	}
	return "crash", size
}
