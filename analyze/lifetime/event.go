// Package lifetime follows objects through a log of events: which are alive, at which site they were made, what was done to
// them in the wrong order. It is bookkeeping only; what it adds up to is judged by package analyze.
//
// An object is (pid, address, generation): an allocation of an address that was freed begins a new one. What is first seen by
// anything but an allocation was there before the log and is never accused.
package lifetime

import (
	"math/bits"

	"github.com/memtide/memtide/ingest/table"
)

// Op is what an event does.
type Op uint8

// The operations.
const (
	None Op = iota
	Alloc
	Create
	Realloc
	Retain
	Release
	Use
	Free
	Destroy
	Live // listed as alive at the end and not seen made: no deed
	// What follows orders threads and is done to no object that is followed.
	Lock
	Unlock
	Signal
	Wait
	Fork
	Begin
	Join
)

// Ops are the operations by their names in the tables.
var Ops = map[string]Op{"alloc": Alloc, "create": Create, "realloc": Realloc, "retain": Retain, "release": Release, "use": Use, "free": Free, "destroy": Destroy, "live": Live,
	"lock": Lock, "unlock": Unlock, "signal": Signal, "wait": Wait, "fork": Fork, "begin": Begin, "join": Join}

// Spaces are the kinds of objects whose addresses or numbers are of a space of their own: a segment begins where its first block
// does.
var Spaces = map[string]uint8{"gpu-segment": 1, "cuda-graph-exec": 2, "cuda-mempool": 3, "cuda-stream": 4, "cuda-event": 5, "cuda-graph": 6}

// Event is one thing done to one object. Kind is the number of its kind (table's Sym), Stack the id of a leaf, both 0 if not
// known.
type Event struct {
	TimeNS   int64
	Line     int64
	PID, TID int64 // -1 if not known
	Op       Op
	Kind     table.Sym
	Device   table.Sym
	Object   uint64
	Stack    int64
	Size     int64 // -1 if not known
	Count    int64 // reference count after the event
	HasCount bool
	Space    uint8 // of addresses: what is in another one is another object; 0 for that of memory
	Named    bool  // Object is known: without it the event only counts
	OnDevice bool  // it is of device memory: its lives are kept one by one
}

// Site is where objects of one kind are made. A log may have one for each of its events: what few have stands behind pointers.
type Site struct {
	PID     int64
	Op      Op   // Alloc, Create or Realloc
	Sized   bool // a size is known
	Counted bool // objects that were made by create: handles
	zeros   int8 // at the end of the address of the first object, and one
	Kind    table.Sym
	Device  table.Sym
	Born    uint32 // the spans of the log, of 20, in which objects that are alive at the end were made, a bit for each
	Stack   int64
	Least   int64 // smallest and greatest size of the objects, -1 if none is known
	Most    int64
	Thread  int64 // that makes the objects; -2 if several do

	Made, Ended int64 // objects
	MadeBytes   int64 // of those made, and by how much they were enlarged in place
	Alive       int64 // at the end
	Bytes       int64 // of those alive
	LongestNS   int64 // life of those ended
	First, Last int64 // lines of the first and the last event that made one
	LastNS      int64
	Old         int64 // objects alive that are older by far than any that was ended became

	oldBorn      uint32 // spans in which those were made
	count, bytes curve
	aligned      *[17]int64      // of the objects, where there are several
	ends         map[int64]int64 // how often each thread ended an object of the site, but for those in endings
	ending       int64           // the thread that ended the last ones, and how many
	endings      int64
}

// Births is the spans of the log, of 20, in which objects that are alive at the end were made.
func (s *Site) Births() int { return bits.OnesCount32(s.Born) }

// OldBirths is the spans in which those of Old were made.
func (s *Site) OldBirths() int { return bits.OnesCount32(s.oldBorn) }

// Aligned is objects by the zeros at the end of their addresses, the last for 16 and more.
func (s *Site) Aligned() (out [17]int64) {
	if s.aligned != nil {
		return *s.aligned
	}
	if s.zeros > 0 {
		out[s.zeros-1] = 1
	}
	return out
}

// align counts the address of an object.
func (s *Site) align(address uint64) {
	zeros := min(bits.TrailingZeros64(address), 16)
	switch {
	case s.aligned != nil:
		s.aligned[zeros]++
	case s.zeros == 0:
		s.zeros = int8(zeros) + 1
	default:
		of := s.Aligned()
		of[zeros]++
		s.aligned = &of
	}
}

// Mistake is something done in the wrong order, once for each kind of it, site and function.
type Mistake struct {
	Rule      string // double-free, use-after-free, over-release, mismatched-pair
	PID       int64
	Kind      table.Sym
	Stack     int64 // of what was wrong: the second free, the use
	Made      int64 // stack where the object was made
	Ended     int64 // stack where it was ended before; 0 for over-release
	Line      int64 // of the first
	TimeNS    int64
	Object    uint64 // of the first
	Objects   int64
	Events    int64
	Unordered int64          // events that nothing in the log orders with the end, of those by another thread: races
	Right     int64          // objects of the site that were ended as they should
	Tail      bool           // all of them are at the end of a log whose lines are out of order
	Threads   map[int64]bool // that did it or ended the object
	objects   map[key]bool
	site      *site // of the first object; nil if it was there before the log
}

// Account is what happened to the objects of one kind.
type Account struct {
	PID                   int64
	Kind                  table.Sym
	Made, Ended, Alive    int64
	PreExisting           int64   // ended, used or counted without having been seen made
	Overwritten           int64   // made again at an address that was not seen ended: events were missed
	Timed                 int64   // made and ended in the log: their life is known
	SumBytes, SumLifeNS   int64   // of those
	Idle                  int64   // objects with a use or release before the end
	SumIdleNS, MaxIdleNS  int64   // from the last use or release to the end
	IdleByteNS            float64 // what was held in that time, by how long
	NeverEndedBytes       int64
	MeanBytes             float64
	Waited                int64 // objects whose count came to 0 some time before they were ended
	LongestWaitNS         int64 // of those, from the last release to the end
	Pending, PendingBytes int64 // count came to 0, and they were not ended by the end of the log
	Overdue               int64 // of these, those that wait longer by far than any did that was ended
	OverdueSpans          int   // spans of the log, of 20, in which the overdue ones were released
}

// Race is uses and ends of objects by different threads, with nothing in the log that orders them; once for each pair of places. The
// use stands before the end: that it did so is chance.
type Race struct {
	PID       int64
	Kind      table.Sym
	Use, End  At
	Made      int64 // stack where the object was made
	Objects   int64
	Events    int64 // uses
	Tail      bool  // the first is at the end of a log whose lines are out of order
	lastEnded int64
}

// At is where and when one thing was done.
type At struct {
	Stack, Line, TimeNS, TID int64
}
