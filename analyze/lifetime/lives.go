package lifetime

import (
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Life is one object of device memory: what was at an address from its making to its end. Two of one address are two generations.
type Life struct {
	Object       uint64
	Size         int64 // -1 if not known
	FromNS, ToNS int64 // ToNS says nothing of what is alive, FromNS nothing of what was not seen made
	Line         int64 // of the event that made it, or that it was first seen by
	PID          int64 // -1 if not known
	Stack        int64
	Kind, Device table.Sym
	Op           Op
	Before       bool // not seen made
	Alive        bool // not ended by the end of the log
	Released     bool // the last reference was given up
	Doubtful     bool // it, or what was before it at its address, has an end that was missed
}

// mostLives bounds the lives that are kept of one log.
const mostLives = 1 << 20

// lives are the lives of a log while it is read.
type lives struct {
	list []Life
	at   map[key]int32 // the last one of each address
	cut  bool
}

// onDevice says which events are of device memory, by their kind and device. Handles have a device too, and no address.
func onDevice(text func(table.Sym) string) func(*table.EventRow) bool {
	var memory, other []bool // by kind
	return func(e *table.EventRow) bool {
		for int(e.Class) >= len(memory) {
			name := text(table.Sym(len(memory)))
			memory, other = append(memory, strings.HasPrefix(name, "gpu-")), append(other, strings.HasPrefix(name, "cuda-") || strings.Contains(name, "host"))
		}
		return memory[e.Class] || e.Device != table.Null && !other[e.Class]
	}
}

// note follows an event of device memory, or of what was made as such.
func (l *lives) note(e *Event, k key) {
	at, seen := l.at[k]
	switch e.Op {
	case Alloc, Create:
		if e.OnDevice {
			l.begin(e, k, seen && l.list[at].Alive, at)
		}
	case Free, Destroy:
		switch {
		case seen && l.list[at].Alive:
			x := &l.list[at]
			x.Alive, x.ToNS = false, e.TimeNS
		case !seen && e.OnDevice:
			l.add(e, k, Life{Before: true, ToNS: e.TimeNS})
		}
	case Retain, Release:
		if seen && l.list[at].Alive {
			l.list[at].Released = e.Op == Release && (!e.HasCount || e.Count == 0)
		}
	case Realloc:
		if seen && l.list[at].Alive {
			l.list[at].Size = e.Size
		}
	}
}

// begin makes a new generation. One that is still alive at the address has an end that was missed.
func (l *lives) begin(e *Event, k key, alive bool, at int32) {
	if alive {
		x := &l.list[at]
		x.Alive, x.Doubtful, x.ToNS = false, true, e.TimeNS
	}
	l.add(e, k, Life{Alive: true, Doubtful: alive})
}

func (l *lives) add(e *Event, k key, x Life) {
	if len(l.list) == mostLives {
		l.cut = true
		return
	}
	if l.at == nil {
		l.at = map[key]int32{}
	}
	x.Object, x.Size, x.FromNS, x.Line, x.PID, x.Stack, x.Kind, x.Device, x.Op = e.Object, e.Size, e.TimeNS, e.Line, e.PID, e.Stack, e.Kind, e.Device, e.Op
	l.at[k] = int32(len(l.list))
	l.list = append(l.list, x)
}

// List enters what a capture lists as alive at its end without showing who made it. It changes no level.
func (l *Ledger) List(e *Event) {
	if e.Named {
		l.lives.add(e, key{e.Object, 1<<63 | uint64(e.Space)}, Life{Before: true, Alive: true})
	}
}
