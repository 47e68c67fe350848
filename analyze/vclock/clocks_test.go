package vclock

import (
	"math/rand/v2"
	"testing"
)

// history is what vector clocks stand for, said in full: of each thread and object all events that happen before its next one.
type history struct {
	threads map[Thread]map[int]bool
	objects map[uint64]map[int]bool
	forks   map[uint64]map[int]bool
	names   map[uint64]Thread
	events  int
}

func (h *history) of(t Thread) map[int]bool {
	if h.threads[t] == nil {
		before := map[int]bool{}
		if f := h.forks[uint64(t.TID)]; f != nil {
			add(before, f)
			delete(h.forks, uint64(t.TID))
		} else {
			for i := range h.events {
				before[i] = true
			}
		}
		h.threads[t] = before
	}
	return h.threads[t]
}

func add(to, from map[int]bool) {
	for i := range from {
		to[i] = true
	}
}

func set(of map[uint64]map[int]bool, k uint64) map[int]bool {
	if of[k] == nil {
		of[k] = map[int]bool{}
	}
	return of[k]
}

// play runs random threads against both, and hands each event with its epoch to check.
func play(seed uint64, width, most int, check func(h *history, c *Clocks, t Thread, epochs []Epoch)) {
	r := rand.New(rand.NewPCG(seed, 9))
	c := New()
	c.width, c.most = width, most
	h := &history{threads: map[Thread]map[int]bool{}, objects: map[uint64]map[int]bool{}, forks: map[uint64]map[int]bool{}, names: map[uint64]Thread{}}
	alive := []Thread{{1, 1}}
	next, token := int64(2), uint64(1000)
	var epochs []Epoch
	for range 150 {
		t := alive[r.IntN(len(alive))]
		past, k := h.of(t), uint64(r.IntN(6))
		c.Now(t)
		switch r.IntN(9) {
		case 0, 1:
			c.Release(t, Key{PID: 1, ID: k})
			add(set(h.objects, k), past)
		case 2, 3:
			c.Acquire(t, Key{PID: 1, ID: k})
			add(past, h.objects[k])
		case 4: // a thread that begins, by its number or by a token
			child := Thread{1, next}
			next++
			name := uint64(child.TID)
			if r.IntN(2) == 0 {
				token++
				name = token
			}
			c.Fork(t, name)
			h.forks[name] = map[int]bool{}
			add(h.forks[name], past)
			if name == token {
				c.Begin(child, name)
				h.threads[child], h.names[name] = h.forks[name], child
				delete(h.forks, name)
			}
			alive = append(alive, child)
		case 5: // one that nothing begins
			alive = append(alive, Thread{1, next})
			next++
		case 6:
			if i := r.IntN(len(alive)); len(alive) > 2 && alive[i] != t && h.threads[alive[i]] != nil {
				child := alive[i]
				c.Join(t, uint64(child.TID))
				add(past, h.threads[child])
				alive = append(alive[:i], alive[i+1:]...)
			}
		default:
			epochs = append(epochs, c.Now(t))
			check(h, c, t, epochs[:len(epochs)-1])
			past[h.events] = true
			h.events++
		}
	}
}

// TestClocksAreExact: epochs say of each pair of events what the whole history says; slots are used again without a trace.
func TestClocksAreExact(t *testing.T) {
	ordered, not, slots := 0, 0, 0
	for seed := range uint64(300) {
		play(seed, mostSlots, mostNumbers, func(h *history, c *Clocks, th Thread, epochs []Epoch) {
			for i, e := range epochs {
				want := h.of(th)[i]
				if got := c.Before(e, th); got != want {
					t.Fatalf("seed %d: event %d before %d of thread %d: %v, want %v", seed, i, len(epochs), th.TID, got, want)
				}
				if want {
					ordered++
				} else {
					not++
				}
			}
			slots = max(slots, len(c.slots))
		})
	}
	t.Logf("%d pairs ordered, %d not; at most %d slots", ordered, not, slots)
	if ordered < 10000 || not < 10000 {
		t.Error("the histories have too little of one kind")
	}
}

// TestBoundsOnlyAddOrder: with too few slots and numbers order is seen that is none, never the other way round.
func TestBoundsOnlyAddOrder(t *testing.T) {
	lost := 0
	for seed := range uint64(300) {
		play(seed, 3, 60, func(h *history, c *Clocks, th Thread, epochs []Epoch) {
			for i, e := range epochs {
				switch before := c.Before(e, th); {
				case h.of(th)[i] && !before:
					t.Fatalf("seed %d: event %d is not seen before %d", seed, i, len(epochs))
				case before && !h.of(th)[i]:
					lost++
				}
			}
			if len(c.slots) > 3 || c.numbers > 60+3 {
				t.Fatalf("%d slots, %d numbers", len(c.slots), c.numbers)
			}
		})
	}
	if lost == 0 {
		t.Error("the bounds were never met")
	}
}

// TestJoins: whoever joins a thread waits for it, also if another did before, and by any of its names, however many.
func TestJoins(t *testing.T) {
	for names := range uint64(20) {
		c, main, other, child := New(), Thread{1, 1}, Thread{1, 2}, Thread{1, 3}
		c.Fork(main, 50)
		c.Begin(other, 50)
		c.Fork(main, 100)
		for i := range names + 1 {
			c.Begin(child, 100+i)
		}
		e := c.Now(child)
		if c.Before(e, other) {
			t.Fatalf("%d names: ordered before it is joined", names)
		}
		c.Join(main, 100)
		c.Join(other, 100)
		if !c.Before(e, main) || !c.Before(e, other) {
			t.Errorf("%d names: the first that joins waits: %v, the second: %v", names+1, c.Before(e, main), c.Before(e, other))
		}
	}
}

// TestManyThreads: threads that are joined leave little behind, those that are not share.
func TestManyThreads(t *testing.T) {
	c, main := New(), Thread{1, 1}
	for i := range uint64(20000) {
		child := Thread{1, int64(i) + 2}
		c.Fork(main, i+1e6)
		c.Begin(child, i+1e6)
		c.Release(child, Key{PID: 1, ID: 1})
		c.Join(main, i+1e6)
	}
	if len(c.slots) != 2 || len(c.threads) != 1 || len(c.names) != 0 || len(c.objects) > 1+2*mostEnds {
		t.Errorf("%d slots, %d threads, %d names, %d objects", len(c.slots), len(c.threads), len(c.names), len(c.objects))
	}
	for i := range int64(5000) {
		c.Now(Thread{2, i})
	}
	if len(c.slots) > mostSlots {
		t.Errorf("%d slots", len(c.slots))
	}
}

// TestAnyLog: whatever a log says, forks of threads that are there, joins of oneself, names of others, nothing breaks, and no thread is
// thought to know more of another than that one did.
func TestAnyLog(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := New()
		c.width, c.most = 1+r.IntN(6), 10+r.IntN(300)
		for range 500 {
			th, k := Thread{int64(r.IntN(2)), int64(r.IntN(12))}, uint64(r.IntN(16))
			switch r.IntN(6) {
			case 0:
				c.Fork(th, k)
			case 1:
				c.Begin(th, k)
			case 2:
				c.Join(th, k)
			case 3:
				c.Release(th, Key{th.PID, 0, k})
			case 4:
				c.Acquire(th, Key{th.PID, 0, k})
			default:
				if !c.Before(c.Now(th), th) {
					t.Fatal("an event is not before the next of its thread")
				}
			}
			users := 0
			for i, s := range c.slots {
				users += s.users
				for j := range c.slots {
					if s.known.at(int32(j)) > c.slots[j].known.at(int32(j)) {
						t.Fatalf("seed %d: slot %d knows %d of slot %d, which is at %d", seed, i, s.known.at(int32(j)), j, c.slots[j].known.at(int32(j)))
					}
				}
			}
			if users != len(c.threads) || len(c.slots) > c.width {
				t.Fatalf("seed %d: %d users, %d threads, %d slots", seed, users, len(c.threads), len(c.slots))
			}
		}
	}
}
