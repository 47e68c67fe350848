package lifetime

import (
	"github.com/memtide/memtide/analyze/vclock"
)

// order is what a log says of which thread waits for which, and the uses of objects that nothing yet orders with their end. It begins
// with the first event that synchronises; what was done before that is not held against anybody.
type order struct {
	clocks *vclock.Clocks
	pids   map[int64]bool // processes that synchronise
	marks  []mark         // by the number of the object
	uses   []use
	spare  int32                  // the first of the uses that are free, plus one
	open   map[int32][]unfinished // by the number of the object
	races  map[raceKey]*Race
}

// mark is what is known of an object beside its books.
type mark struct {
	uses    int32        // the first of its list, plus one: the last uses, none of which happens before another
	refs    int32        // references by the events so far, whatever counts they gave
	counted bool         // refs is known
	owed    int32        // releases that were done before its end and stand behind it
	ended   vclock.Epoch // of what ended it, or brought its count to 0
}

// use is an element of the list of an object.
type use struct {
	At
	vclock.Epoch
	next int32
}

// unfinished is a race unless a release by the thread of the use still comes that was done before the end.
type unfinished struct {
	use  use
	end  At
	race *Race
	seq  int64 // of the end among the events
}

type raceKey struct {
	pid      int64
	kind     int32
	use, end int64
}

// The spaces of what threads synchronise by; counts have one for each space of objects.
const (
	spaceObject uint8 = 0
	spaceCount  uint8 = 16
)

func thread(e *Event) vclock.Thread { return vclock.Thread{PID: e.PID, TID: e.TID} }

func countOf(e *Event) vclock.Key {
	return vclock.Key{PID: e.PID, Space: spaceCount + e.Space, ID: e.Object}
}

// synchronise enters an event that orders threads. It is none of the books of objects.
func (l *Ledger) synchronise(e *Event) {
	if e.TID < 0 || !e.Named {
		return
	}
	o := l.order
	if o == nil {
		o = &order{clocks: vclock.New(), pids: map[int64]bool{}, open: map[int32][]unfinished{}, races: map[raceKey]*Race{}}
		l.order = o
	}
	o.pids[e.PID] = true
	t, k := thread(e), vclock.Key{PID: e.PID, Space: spaceObject, ID: e.Object}
	switch e.Op {
	case Lock, Wait:
		o.clocks.Acquire(t, k)
	case Unlock, Signal:
		o.clocks.Release(t, k)
	case Fork:
		o.clocks.Fork(t, e.Object)
	case Begin:
		o.clocks.Begin(t, e.Object)
	case Join:
		o.clocks.Join(t, e.Object)
	}
}

func (o *order) follows(e *Event) bool { return e.TID >= 0 && o.pids[e.PID] }

func (o *order) mark(of *object) *mark {
	for int(of.number) >= len(o.marks) {
		o.marks = append(o.marks, make([]mark, max(1024, len(o.marks)))...)
	}
	return &o.marks[of.number]
}

// begin is a new object at the place of another.
func (o *order) begin(of *object) {
	m := o.mark(of)
	o.settle(of.number)
	o.drop(m)
	*m = mark{}
}

// mostUses bounds the uses of an object that nothing orders: of more, the oldest are forgotten.
const mostUses = 64

// use notes that an object was used. Earlier uses that happen before this one say no more than it does.
func (o *order) use(e *Event, of *object) {
	if !o.follows(e) || of.site < 0 {
		return
	}
	t, m := thread(e), o.mark(of)
	at, kept := &m.uses, 1
	for *at != 0 {
		if u := &o.uses[*at-1]; kept == mostUses || o.clocks.Before(u.Epoch, t) {
			*at = o.forget(*at)
		} else {
			at, kept = &u.next, kept+1
		}
	}
	n := o.place()
	o.uses[n-1] = use{At: atOf(e), Epoch: o.clocks.Now(t), next: m.uses}
	m.uses = n
}

// refer counts a reference more or less of an object that had so many by the counts given.
func (m *mark) refer(was int64, by int32) {
	if !m.counted {
		m.refs, m.counted = int32(min(max(was, 0), 1<<30)), true
	}
	m.refs += by
}

func atOf(e *Event) At { return At{e.Stack, e.Line, e.TimeNS, e.TID} }

func (o *order) place() int32 {
	if n := o.spare; n != 0 {
		o.spare = o.uses[n-1].next
		return n
	}
	o.uses = append(o.uses, use{})
	return int32(len(o.uses))
}

// forget gives a use back, and the one behind it.
func (o *order) forget(n int32) (next int32) {
	next = o.uses[n-1].next
	o.uses[n-1].next = o.spare
	o.spare = n
	return next
}

func (o *order) drop(m *mark) {
	for m.uses != 0 {
		m.uses = o.forget(m.uses)
	}
}
