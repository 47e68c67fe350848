package lifetime

import "math/rand/v2"

// machine runs made-up threads one step at a time, in an order that is left to chance, and enters what they do into a ledger.
type machine struct {
	r      *rand.Rand
	l      *Ledger
	line   int64
	tasks  [][]*task // by thread: what each has to do, in any order, one after the other
	begun  []bool    // the first of its tasks was begun
	late   []*Event  // by thread: the line of what it did last, which is not written yet
	locked map[uint64]bool
	posts  map[uint64]int
	counts map[uint64]int64
	closed map[uint64]bool
}

// task is steps of one thread. A step that has to wait says false and is tried again; only the first may wait for what another task
// does, so that nothing waits for itself.
type task struct{ steps []func(tid int) bool }

func (m *machine) event(tid int, op Op, object uint64, count int64) int64 {
	m.write(tid)
	m.late[tid] = &Event{PID: 1, TID: int64(tid), Op: op, Kind: 1, Object: object, Named: true, Size: 8, Count: count, HasCount: count >= 0}
	if op == Release && m.r.IntN(2) == 0 {
		return 0 // it is written behind the call, and other threads may be faster
	}
	return m.write(tid)
}

func (m *machine) write(tid int) int64 {
	if e := m.late[tid]; e != nil {
		m.line++
		e.TimeNS, e.Line, e.Stack = m.line, m.line, m.line
		m.l.Add(e)
		m.late[tid] = nil
	}
	return m.line
}

// does is a step that never waits.
func (m *machine) does(op Op, object uint64) func(int) bool {
	return func(tid int) bool { m.event(tid, op, object, -1); return true }
}

func (m *machine) lock(k uint64) func(int) bool {
	return func(tid int) bool {
		if m.locked[k] {
			return false
		}
		m.locked[k] = true
		m.event(tid, Lock, k, -1)
		return true
	}
}

func (m *machine) unlock(k uint64) func(int) bool {
	return func(tid int) bool { m.event(tid, Unlock, k, -1); delete(m.locked, k); return true }
}

func (m *machine) post(k uint64) func(int) bool {
	return func(tid int) bool { m.event(tid, Signal, k, -1); m.posts[k]++; return true }
}

func (m *machine) wait(k uint64) func(int) bool {
	return func(tid int) bool {
		if m.posts[k] == 0 {
			return false
		}
		m.posts[k]--
		m.event(tid, Wait, k, -1)
		return true
	}
}

func (m *machine) give(tid int, steps ...func(int) bool) {
	m.tasks[tid] = append(m.tasks[tid], &task{steps})
}

// drop gives up a reference; who gives up the last one ends the object, inside of the release or behind it.
func (m *machine) drop(x uint64) func(int) bool {
	return func(tid int) bool {
		m.counts[x]--
		left := m.counts[x]
		inside := m.r.IntN(2) == 0
		if left == 0 && inside {
			m.event(tid, Destroy, x, -1)
		}
		m.event(tid, Release, x, left)
		if left == 0 && !inside {
			m.event(tid, Destroy, x, -1)
		}
		return true
	}
}

// step lets one thread do one thing; false if none has anything left to do.
func (m *machine) step() bool {
	left := false
	for _, tid := range m.r.Perm(len(m.tasks)) {
		of := m.tasks[tid]
		if m.r.IntN(4) == 0 {
			m.write(tid)
		}
		if len(of) == 0 {
			continue
		}
		left = true
		if i := m.r.IntN(len(of)); !m.begun[tid] {
			of[0], of[i] = of[i], of[0]
		}
		if t := of[0]; t.steps[0](tid) {
			t.steps = t.steps[1:]
			if m.begun[tid] = len(t.steps) > 0; !m.begun[tid] {
				m.tasks[tid] = of[1:]
			}
			return true
		}
	}
	return left
}

// jobs are ways to share an object x among threads so that its end waits for all uses. Thread 0 has made it before the others began.
var jobs = []func(m *machine, x uint64, users []int, owner int){
	func(m *machine, x uint64, users []int, owner int) { // each posts a semaphore, and the owner waits for all
		for _, u := range users {
			m.give(u, m.does(Use, x), m.post(x+1))
		}
		left := len(users)
		for range users {
			m.give(owner, m.wait(x+1), func(tid int) bool {
				if left--; left == 0 {
					m.event(tid, Free, x, -1)
				}
				return true
			})
		}
	},
	func(m *machine, x uint64, users []int, owner int) { // under a lock, as long as it is there
		for _, u := range users {
			m.give(u, m.lock(x+1), func(tid int) bool {
				if !m.closed[x] {
					m.event(tid, Use, x, -1)
				}
				return true
			}, m.unlock(x+1))
		}
		m.give(owner, m.lock(x+1), func(tid int) bool {
			m.closed[x] = true
			m.event(tid, Free, x, -1)
			return true
		}, m.unlock(x+1))
	},
	func(m *machine, x uint64, users []int, owner int) { // counted: whoever is last ends it
		for i, u := range append(users, owner) {
			if i > 0 {
				m.event(0, Retain, x, int64(i+1))
			}
			m.counts[x]++
			m.give(u, m.does(Use, x), m.drop(x))
		}
	},
	func(m *machine, x uint64, users []int, owner int) { // handed from one to the next
		hands := append(users, owner)
		for i, u := range hands {
			var steps []func(int) bool
			if i > 0 {
				steps = append(steps, m.wait(x+uint64(i)))
			}
			steps = append(steps, m.does(Use, x))
			if i == len(hands)-1 {
				m.give(u, append(steps, m.does(Free, x))...)
			} else {
				m.give(u, append(steps, m.post(x+uint64(i)+1))...)
			}
		}
	},
	func(m *machine, x uint64, users []int, _ int) { // thread 0 ends it when it has joined the others
		for _, u := range users {
			if u != 0 {
				m.give(u, m.does(Use, x))
			}
		}
		m.give(0, m.does(Free, x))
		last := len(m.tasks[0]) - 1
		m.tasks[0][last].steps = append([]func(int) bool{func(int) bool { return m.closed[0] }}, m.tasks[0][last].steps...)
	},
}

// alive are threads that nobody has joined, in any order.
func (m *machine) alive() (out []int) {
	for _, tid := range m.r.Perm(len(m.tasks)) {
		if tid == 0 || len(m.tasks[tid]) > 0 {
			out = append(out, tid)
		}
	}
	return out
}

// scheduled runs a random program. A racy one has one more object, which a thread uses and another ends at once, before the first
// does anything that others could wait for.
func scheduled(seed uint64, racy bool) (b *Books, use, end int64) {
	r := rand.New(rand.NewPCG(seed, 17))
	n := 2 + r.IntN(5)
	m := &machine{r: r, l: New(nil), tasks: make([][]*task, n), begun: make([]bool, n), late: make([]*Event, n), locked: map[uint64]bool{}, posts: map[uint64]int{}, counts: map[uint64]int64{}, closed: map[uint64]bool{}}
	for i := range 3 + r.IntN(20) {
		x := uint64(100 * (i + 1))
		op, way := Alloc, r.IntN(len(jobs))
		if way == 2 {
			op = Create
		}
		m.event(0, op, x, map[Op]int64{Alloc: -1, Create: 1}[op])
		users := r.Perm(n)[:1+r.IntN(n-1)]
		owner := r.IntN(n)
		jobs[way](m, x, users, owner)
	}
	m.event(0, Alloc, 7, -1)
	for tid := 1; tid < n; tid++ {
		m.event(0, Fork, uint64(tid), -1)
	}
	for tid := 1; tid < n; tid++ { // the tasks of a thread are done when it is joined
		m.give(0, func(int) bool { return len(m.tasks[tid]) == 0 }, func(int) bool { m.write(tid); return true }, m.does(Join, uint64(tid)), func(int) bool {
			m.posts[0]++
			m.closed[0] = m.posts[0] == n-1
			return true
		})
	}
	for left, at := true, r.IntN(20); left; at-- {
		if pair := m.alive(); racy && at <= 0 && use == 0 && len(pair) > 1 {
			use, end = m.event(pair[0], Use, 7, -1), m.event(pair[1], Free, 7, -1)
		}
		left = m.step()
	}
	for tid := range m.late {
		m.write(tid)
	}
	return m.l.Close(), use, end
}
