// Package vclock tells which events of a log happen before which, by vector clocks (Lamport 1978, Mattern 1989) as FastTrack keeps
// them (Flanagan and Freund 2009): of an event only its epoch is kept, one number of one thread.
//
// Where the log leaves it open whether one event waits for another it is taken to wait: a thread whose beginning is not in the log
// begins after all that stands before it, and beyond some bounds threads and synchronisation objects share clocks. So what is called
// unordered is so by all that the log says.
package vclock

import "slices"

// Thread is a thread of a process, as a log names it.
type Thread struct{ PID, TID int64 }

// Key is what threads synchronise by: Space tells apart numbers that are of different things.
type Key struct {
	PID   int64
	Space uint8
	ID    uint64
}

// Epoch is when something happened: the clock of the slot of its thread. The zero Epoch is none.
type Epoch struct {
	Slot  int32
	Clock uint32
}

// vector holds what is known of the clock of each slot.
type vector []uint32

func (v vector) at(i int32) uint32 {
	if int(i) < len(v) {
		return v[i]
	}
	return 0
}

// join takes over all that another vector knows.
func (v *vector) join(o vector) {
	if len(o) > len(*v) {
		*v = append(*v, make(vector, len(o)-len(*v))...)
	}
	for i, c := range o {
		(*v)[i] = max((*v)[i], c)
	}
}

// slot is a place in vectors: that of a thread, or of several that lived one after the other.
type slot struct {
	known vector
	users int  // threads that have it; none: the next thread that begins after all of it may take it
	seen  bool // one of its threads synchronised, as far as the log shows
}

// thread is a Thread that is alive, as far as the log shows.
type thread struct {
	slot  int32
	names []Key
}

// Bounds of what is kept: slots, and numbers of 4 bytes in the clocks of synchronisation objects.
const (
	mostSlots   = 1024
	mostNumbers = 1 << 23
	ofObject    = 16 // what an object costs by itself, in numbers
)

// Clocks are those of the threads of one log, which is told in order of time.
type Clocks struct {
	slots   []*slot
	free    []int32 // slots without a user
	threads map[Thread]*thread
	names   map[Key]Thread
	objects map[Key]*vector
	numbers int     // in the clocks of objects
	most    int     // of them
	width   int     // of vectors: how many slots there may be
	spilled *vector // what those knew that are kept no more; nil if there are none
	ends    [][]Key // of threads that ended, the oldest first
	forgot  bool    // a name of a thread, or its end, was
	last    Thread  // the thread asked for last, and its slot
	at      int32
}

// New begins a log.
func New() *Clocks {
	return &Clocks{most: mostNumbers, width: mostSlots, threads: map[Thread]*thread{}, names: map[Key]Thread{}, objects: map[Key]*vector{}, at: -1}
}

// Now is the epoch of what a thread does.
func (c *Clocks) Now(t Thread) Epoch {
	s := c.slotOf(t)
	return Epoch{s, c.slots[s].known[s]}
}

// Before says whether what happened at an epoch happens before what a thread does now.
func (c *Clocks) Before(e Epoch, t Thread) bool {
	s := c.slotOf(t)
	return e.Slot == s || e.Clock <= c.slots[s].known.at(e.Slot)
}

// Synchronises says whether the log shows synchronisation by a thread of a slot.
func (c *Clocks) Synchronises(slot int32) bool { return c.slots[slot].seen }

// Release makes what a thread did so far happen before what others do behind an Acquire of the same object.
func (c *Clocks) Release(t Thread, k Key) {
	s := c.slotOf(t)
	o := c.objects[k]
	if o == nil {
		o = c.object(k)
	}
	was := len(*o)
	o.join(c.slots[s].known)
	c.numbers += len(*o) - was
	c.slots[s].known[s]++
	c.slots[s].seen = true
}

// Acquire makes what others did before their Release of an object happen before what a thread does from now on.
func (c *Clocks) Acquire(t Thread, k Key) {
	own := c.slots[c.slotOf(t)]
	own.seen = true
	if o := c.objects[k]; o != nil {
		own.known.join(*o)
	} else if c.spilled != nil {
		own.known.join(*c.spilled)
	}
}

// Forget drops an object that is no more.
func (c *Clocks) Forget(k Key) {
	if o := c.objects[k]; o != nil {
		c.numbers -= len(*o)
		delete(c.objects, k)
	}
}

// object begins a synchronisation object. Where there are too many, what they all know is joined, so that who waits for any of them
// waits for all: order may be seen that is none, never the other way round.
func (c *Clocks) object(k Key) *vector {
	o := &vector{}
	if c.numbers+ofObject*len(c.objects) > c.most {
		if c.spilled == nil {
			c.spilled = &vector{}
		}
		for _, v := range c.objects {
			c.spilled.join(*v)
		}
		clear(c.objects)
		c.numbers = 0
	}
	if c.spilled != nil {
		*o = slices.Clone(*c.spilled)
		c.numbers += len(*o)
	}
	c.objects[k] = o
	return o
}
