package vclock

// Spaces of what begins threads and of what they left at their end; others are the caller's.
const (
	spaceBirth = 255
	spaceEnd   = 254
)

// Fork makes what a thread did so far happen before all that the thread of a name does: its number, or what it calls itself by Begin.
func (c *Clocks) Fork(t Thread, name uint64) {
	k := Key{t.PID, spaceBirth, name}
	c.Forget(k) // a name that is used again is of another thread
	c.Forget(Key{t.PID, spaceEnd, name})
	c.Release(t, k)
	if child := (Thread{t.PID, int64(name)}); child != t {
		if _, known := c.threads[child]; known { // the end of the one before was not seen
			c.Acquire(child, k)
		}
	}
}

// mostNames bounds the names of a thread: beyond it the oldest is forgotten, and whoever joins a name that is not known waits for all.
const mostNames = 8

// Begin gives a thread a name. It may have several.
func (c *Clocks) Begin(t Thread, name uint64) {
	k := Key{t.PID, spaceBirth, name}
	if _, known := c.threads[t]; known {
		c.Acquire(t, k)
	} else {
		c.born(t, c.objects[k])
	}
	c.Forget(k)
	if of := c.threads[t]; c.names[k] != t {
		if len(of.names) == mostNames {
			c.unname(t, of.names[:1])
			c.forgot = true
			of.names = of.names[1:]
		}
		of.names = append(of.names, k)
	}
	c.names[k] = t
	c.slots[c.slotOf(t)].seen = true
}

// Join makes all that the thread of a name did happen before what another does from now on. The thread is then no more; others that
// join it later wait for the same.
func (c *Clocks) Join(t Thread, name uint64) {
	k := Key{t.PID, spaceBirth, name}
	child, named := c.names[k]
	if !named {
		child = Thread{t.PID, int64(name)}
	}
	own := c.slots[c.slotOf(t)]
	own.seen = true
	ended := c.threads[child]
	switch {
	case child == t:
	case ended != nil:
		s := c.slots[ended.slot]
		own.known.join(s.known)
		s.seen = true
		c.leave(child, ended, s.known)
		c.end(child, ended)
	case c.objects[Key{t.PID, spaceEnd, name}] == nil && c.forgot:
		for _, s := range c.slots {
			own.known.join(s.known)
		}
	default:
		c.Acquire(t, Key{t.PID, spaceEnd, name})
	}
}

// mostEnds bounds the ended threads of which it is kept what they knew.
const mostEnds = 256

// leave keeps what a thread knew at its end, by each of its names.
func (c *Clocks) leave(t Thread, of *thread, known vector) {
	if len(c.ends) >= mostEnds {
		c.forgot = true
		for _, k := range c.ends[0] {
			c.Forget(k)
		}
		c.ends = c.ends[1:]
	}
	var keys []Key
	for _, k := range append([]Key{{t.PID, spaceBirth, uint64(t.TID)}}, of.names...) {
		k.Space = spaceEnd
		keys = append(keys, k)
		c.Forget(k)
		o := c.object(k)
		was := len(*o)
		o.join(known)
		c.numbers += len(*o) - was
	}
	c.ends = append(c.ends, keys)
}

func (c *Clocks) end(t Thread, of *thread) {
	delete(c.threads, t)
	c.unname(t, of.names)
	if c.last == t {
		c.at = -1
	}
	if s := c.slots[of.slot]; s.users == 1 {
		s.users = 0
		c.free = append(c.free, of.slot)
	} else {
		s.users--
	}
}

func (c *Clocks) unname(t Thread, names []Key) {
	for _, k := range names {
		if c.names[k] == t {
			delete(c.names, k)
		}
	}
}

// slotOf finds the slot of a thread. One that is new begins where it was forked.
func (c *Clocks) slotOf(t Thread) int32 {
	if c.last == t && c.at >= 0 {
		return c.at
	}
	if c.threads[t] == nil {
		k := Key{t.PID, spaceBirth, uint64(t.TID)}
		forked := c.objects[k]
		c.born(t, forked)
		c.Forget(k)
	}
	c.last, c.at = t, c.threads[t].slot
	return c.at
}

// born gives a slot to a thread that begins behind what is known at its fork; nil if that is not in the log.
func (c *Clocks) born(t Thread, forked *vector) {
	var from vector
	if forked != nil {
		from.join(*forked)
	} else {
		for i, s := range c.slots {
			from = append(from, s.known[i])
			if s.users > 0 {
				s.known[i]++
			}
		}
	}
	at := c.place(from)
	s := c.slots[at]
	s.known.join(from)
	if len(s.known) <= int(at) {
		s.known = append(s.known, make(vector, int(at)+1-len(s.known))...)
	}
	s.known[at]++
	s.users++
	s.seen = s.seen || forked != nil
	c.threads[t] = &thread{slot: at}
}

// mostTried bounds how many free slots are looked at for a new thread.
const mostTried = 64

// place finds a slot for a thread that begins behind what is known: a free one all of whose threads ended before, a new one, or, where
// there are too many, one that others have.
func (c *Clocks) place(from vector) int32 {
	for n := len(c.free) - 1; n >= max(0, len(c.free)-mostTried); n-- {
		at := c.free[n]
		if s := c.slots[at]; s.known[at] <= from.at(at) {
			c.free = append(c.free[:n], c.free[n+1:]...)
			s.known = s.known[:0]
			return at
		}
	}
	if len(c.slots) < c.width {
		c.slots = append(c.slots, &slot{})
		return int32(len(c.slots) - 1)
	}
	at := int32(len(c.threads) % c.width)
	for n, f := range c.free {
		if f == at {
			c.free = append(c.free[:n], c.free[n+1:]...)
			break
		}
	}
	return at
}
