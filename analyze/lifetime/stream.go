package lifetime

import (
	"cmp"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// window is how many events are held back so that a log whose lines are a little out of order is entered in order of time:
// the buffers of several processors are drained one after the other.
const window = 1 << 15

// Stream enters events into a ledger as they are read. It is a table.EventSink.
type Stream struct {
	ledger   *Ledger
	ops      func(table.Sym) Op
	spaces   func(table.Sym) uint8
	held     []Event                    // up to two windows
	unsorted bool                       // held is not in order of time
	last     int64                      // time of the last event entered
	newest   int64                      // greatest time seen
	disorder int64                      // by how much an event stood behind a later one
	listed   []Event                    // what is listed as alive at the end
	devices  func(*table.EventRow) bool // of device memory
	Late     int64                      // events that came later than the window allows
}

// NewStream begins the books of one input.
func NewStream(b *table.Builder) *Stream {
	var known []Op // by Sym
	s := &Stream{ledger: New(b.Bare), last: -1 << 62, newest: -1 << 62}
	s.ops = func(y table.Sym) Op {
		for int(y) >= len(known) {
			known = append(known, Ops[b.String(table.Sym(len(known)))])
		}
		return known[y]
	}
	var spaces []uint8
	s.devices = onDevice(b.String)
	s.spaces = func(y table.Sym) uint8 {
		for int(y) >= len(spaces) {
			spaces = append(spaces, Spaces[b.String(table.Sym(len(spaces)))])
		}
		return spaces[y]
	}
	return s
}

// Event takes one event.
func (s *Stream) Event(e *table.EventRow) {
	op := s.ops(e.Op)
	switch op {
	case None:
		return
	case Live:
		x := Of(e, op)
		x.Space = s.spaces(e.Class)
		s.listed = append(s.listed, x)
		return
	}
	n := len(s.held)
	if n == 2*window {
		s.enter(window)
		n = len(s.held)
	}
	if n == cap(s.held) {
		s.held = slices.Grow(s.held, min(max(n, 1024), 2*window-n))
	}
	s.held = s.held[:n+1]
	fill(&s.held[n], e, op)
	s.held[n].Space, s.held[n].OnDevice = s.spaces(e.Class), s.devices(e)
	s.newest = max(s.newest, e.TimeNS)
	s.disorder = max(s.disorder, s.newest-e.TimeNS)
	s.unsorted = s.unsorted || n > 0 && e.TimeNS < s.held[n-1].TimeNS
}

// enter enters the earliest n of those held.
func (s *Stream) enter(n int) {
	if s.unsorted {
		slices.SortStableFunc(s.held, func(a, b Event) int { return cmp.Compare(a.TimeNS, b.TimeNS) })
		s.unsorted = false
	}
	for i := range s.held[:n] {
		e := &s.held[i]
		if e.TimeNS < s.last {
			s.Late++
		}
		s.last = max(s.last, e.TimeNS)
		s.ledger.Add(e)
	}
	s.held = s.held[:copy(s.held, s.held[n:])]
}

// Done enters what waits, and lets go of the Builder.
func (s *Stream) Done() {
	s.enter(len(s.held))
	for i := range s.listed {
		s.ledger.List(&s.listed[i])
	}
	s.held, s.ops, s.spaces, s.ledger.empty = nil, nil, nil, nil
}

// Close closes the ledger, which can be done once; the numbers in the books are then those of the set.
func (s *Stream) Close(in *table.Stream) *Books {
	b := s.ledger.Close()
	s.ledger = nil
	b.Late, b.DisorderNS = s.Late, s.disorder
	b.translate(in)
	return b
}

// Of is a row as the ledger takes it.
func Of(e *table.EventRow, op Op) (out Event) {
	fill(&out, e, op)
	return out
}

func fill(out *Event, e *table.EventRow, op Op) {
	*out = Event{TimeNS: e.TimeNS, Line: e.Place, PID: -1, TID: -1, Op: op, Kind: e.Class, Device: e.Device, Object: e.Object, Named: e.HasObject, Stack: e.Stack, Size: -1, Count: e.Refcount.V, HasCount: e.Refcount.OK}
	if e.PID.OK {
		out.PID = e.PID.V
	}
	if e.TID.OK {
		out.TID = e.TID.V
	}
	if e.Size.OK {
		out.Size = e.Size.V
	}
}

// translate turns the numbers of a builder into those of the set.
func (b *Books) translate(in *table.Stream) {
	stack := func(id *int64) {
		*id = in.Stack(*id)
	}
	b.FromNS, b.ToNS, b.clock.from = b.FromNS+in.Shift, b.ToNS+in.Shift, b.clock.from+in.Shift
	for i := range b.Sites {
		s := &b.Sites[i]
		s.Kind, s.Device, s.LastNS = in.Syms[s.Kind], in.Syms[s.Device], s.LastNS+in.Shift
		s.FromNS, s.ToNS = s.FromNS+in.Shift, s.ToNS+in.Shift
		stack(&s.Stack)
	}
	for i := range b.Lives {
		x := &b.Lives[i]
		x.Kind, x.Device, x.FromNS, x.ToNS = in.Syms[x.Kind], in.Syms[x.Device], x.FromNS+in.Shift, x.ToNS+in.Shift
		stack(&x.Stack)
	}
	for i := range b.Kinds {
		b.Kinds[i].Kind = in.Syms[b.Kinds[i].Kind]
	}
	for i := range b.Mistakes {
		m := &b.Mistakes[i]
		m.Kind, m.TimeNS = in.Syms[m.Kind], m.TimeNS+in.Shift
		stack(&m.Stack)
		stack(&m.Made)
		stack(&m.Ended)
	}
	for i := range b.Races {
		r := &b.Races[i]
		r.Kind = in.Syms[r.Kind]
		stack(&r.Made)
		for _, at := range []*At{&r.Use, &r.End} {
			at.TimeNS += in.Shift
			stack(&at.Stack)
		}
	}
	for i := range b.Retained {
		r := &b.Retained[i] // its site is among the others
		for k := range r.Balance {
			stack(&r.Balance[k].Stack)
		}
	}
}
