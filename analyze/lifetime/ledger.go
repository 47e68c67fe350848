package lifetime

import "github.com/memtide/memtide/ingest/table"

// key is where an object is.
type key struct {
	pid    int64
	object uint64
	space  uint8
}

// state of an object.
type state uint8

const (
	live     state = iota
	ended          // by free or destroy
	released       // its count came to 0; a destroy may follow
	before         // it was there before the log
	gone           // it was there before the log, and was ended in it
)

// object is one generation at one address.
type object struct {
	site     *site
	size     int64
	count    int64
	bornNS   int64
	lastUse  int64 // time of the last use or release; -1 for none
	endStack int64
	endTID   int64
	state    state
	created  bool // by create, not by alloc
	balanced bool // it was retained or released
}

// site is a Site while the log is read.
type site struct {
	Site
	account *Account
}

type siteKey struct {
	pid    int64
	op     Op
	kind   table.Sym
	device table.Sym
	stack  int64
}

type accountKey struct {
	pid  int64
	kind table.Sym
}

// mostDead bounds how many ended objects are remembered, to tell use after their end.
const mostDead = 1 << 19

// Ledger keeps the books of one log. Add takes its events in order of time.
type Ledger struct {
	clock    clock
	started  bool
	lastNS   int64
	objects  map[key]*object
	dead     []key // in the order in which they ended
	sites    map[siteKey]*site
	list     []*site
	accounts map[accountKey]*Account
	kinds    []*Account
	mistakes map[mistakeKey]*Mistake
	wrong    []*Mistake
	pool     []object
	balances map[*object][]step
	unseen   map[*Account][]*site   // of objects without an address
	empty    func(stack int64) bool // no frame of a stack is anybody's: the allocator's own doing
	callers  bool                   // frees of this log have callers
	late     []lateFree
	Events   int64
}

type mistakeKey struct {
	rule  string
	pid   int64
	kind  table.Sym
	stack int64
}

// lateFree is a second free without a caller, which is a fault only if no free of the log has one.
type lateFree struct {
	e Event
	o *object
}

// step is a retain or release of an object that may be over-retained.
type step struct {
	stack int64
	by    int64
}

// New begins a ledger. Empty says of a stack whether nothing but the allocator is in it; nil for never.
func New(empty func(stack int64) bool) *Ledger {
	if empty == nil {
		empty = func(int64) bool { return false }
	}
	return &Ledger{objects: map[key]*object{}, sites: map[siteKey]*site{}, accounts: map[accountKey]*Account{}, mistakes: map[mistakeKey]*Mistake{},
		balances: map[*object][]step{}, unseen: map[*Account][]*site{}, empty: empty}
}

// Add enters an event.
func (l *Ledger) Add(e *Event) {
	if !l.started {
		l.started, l.clock = true, clock{from: e.TimeNS, width: 1000}
	}
	l.lastNS = max(l.lastNS, e.TimeNS)
	l.Events++
	for {
		if _, grow := l.clock.bin(e.TimeNS); !grow {
			break
		}
		l.clock.width *= 2
		l.clock.doubled++
	}
	if !e.Named {
		l.unnamed(e)
		return
	}
	k := key{e.PID, e.Object, e.Space}
	o := l.objects[k]
	switch e.Op {
	case Alloc, Create:
		l.make(e, k, o)
	case Realloc:
		l.realloc(e, k, o)
	case Free, Destroy:
		l.end(e, k, o)
	case Retain:
		l.retain(e, k, o)
	case Release:
		l.release(e, k, o)
	case Use:
		l.use(e, k, o)
	}
}

// unnamed counts objects that have no address: makes and ends only.
func (l *Ledger) unnamed(e *Event) {
	switch e.Op {
	case Alloc, Create:
		s := l.siteOf(e)
		if s.Made == 0 {
			l.unseen[s.account] = append(l.unseen[s.account], s)
		}
		l.enter(s, e)
		l.change(s, e.TimeNS, 1, max(e.Size, 0))
	case Free, Destroy:
		a := l.account(e.PID, e.Kind)
		a.Ended++
		for _, s := range l.unseen[a] { // which of them it is cannot be told: the oldest site that has any
			if s.Alive > 0 {
				size := max(e.Size, 0)
				if e.Size < 0 && s.Alive > 0 {
					size = s.Bytes / s.Alive
				}
				s.Ended++
				l.change(s, e.TimeNS, -1, -min(size, s.Bytes))
				break
			}
		}
	}
}

func (l *Ledger) account(pid int64, kind table.Sym) *Account {
	k := accountKey{pid, kind}
	a := l.accounts[k]
	if a == nil {
		a = &Account{PID: pid, Kind: kind}
		l.accounts[k] = a
		l.kinds = append(l.kinds, a)
	}
	return a
}

func (l *Ledger) siteOf(e *Event) *site {
	k := siteKey{e.PID, e.Op, e.Kind, e.Device, e.Stack}
	s := l.sites[k]
	if s == nil {
		s = &site{Site: Site{PID: e.PID, Op: e.Op, Least: -1, Most: -1, Kind: e.Kind, Device: e.Device, Stack: e.Stack, Thread: e.TID, First: e.Line}, account: l.account(e.PID, e.Kind)}
		l.sites[k] = s
		l.list = append(l.list, s)
	}
	return s
}

// enter counts an object that is made at a site.
func (l *Ledger) enter(s *site, e *Event) {
	s.Made++
	s.account.Made++
	s.MadeBytes += max(e.Size, 0)
	s.Last, s.LastNS = e.Line, e.TimeNS
	s.Counted = s.Counted || e.Op == Create
	s.sized(e.Size)
	if s.Thread != e.TID {
		s.Thread = -2
	}
}

func (s *site) sized(v int64) {
	if v < 0 {
		return
	}
	if !s.Sized || v < s.Least {
		s.Least = v
	}
	s.Most, s.Sized = max(s.Most, v), true
}

// change moves the level of a site.
func (l *Ledger) change(s *site, t, objects, bytes int64) {
	i, _ := l.clock.bin(t)
	i = max(i, 0)
	s.Alive += objects
	s.Bytes += bytes
	if objects != 0 {
		s.count.add(&l.clock, i, objects)
	}
	if bytes != 0 {
		s.bytes.add(&l.clock, i, bytes)
	}
}

func (l *Ledger) make(e *Event, k key, o *object) {
	s := l.siteOf(e)
	if o != nil && (o.state == live || o.state == before) {
		s.account.Overwritten++
		if o.state == live {
			l.leave(o, e.TimeNS)
		}
	}
	l.enter(s, e)
	n := l.fresh(k, o)
	*n = object{site: s, size: max(e.Size, 0), count: 1, bornNS: e.TimeNS, lastUse: -1, created: e.Op == Create}
	if e.HasCount {
		n.count = e.Count
	}
	l.change(s, e.TimeNS, 1, n.size)
}

// fresh gives the object of an address for a new generation.
func (l *Ledger) fresh(k key, o *object) *object {
	if o != nil {
		delete(l.balances, o)
		return o
	}
	if len(l.pool) == 0 {
		l.pool = make([]object, 1024)
	}
	o = &l.pool[0]
	l.pool = l.pool[1:]
	l.objects[k] = o
	return o
}

// leave takes a live object off its site.
func (l *Ledger) leave(o *object, t int64) {
	l.change(o.site, t, -1, -o.size)
	o.site.Ended++
	o.site.account.Ended++
	o.site.LongestNS = max(o.site.LongestNS, t-o.bornNS)
}

func (l *Ledger) realloc(e *Event, k key, o *object) {
	if o == nil || o.state != live {
		if o != nil && o.state == before {
			l.account(e.PID, e.Kind).PreExisting++
		}
		l.make(e, k, o)
		return
	}
	s := l.siteOf(&Event{PID: e.PID, TID: e.TID, Op: Realloc, Kind: kindOr(e.Kind, o.site.Kind), Device: e.Device, Stack: e.Stack, Line: e.Line})
	l.change(o.site, e.TimeNS, -1, -o.size)
	if s == o.site {
		s.MadeBytes += max(e.Size-o.size, 0)
	} else {
		o.site.Ended++
		s.Made++
		s.MadeBytes += max(e.Size, 0)
		s.sized(e.Size)
		s.Last, s.LastNS = e.Line, e.TimeNS
	}
	o.site, o.size = s, max(e.Size, 0)
	l.change(s, e.TimeNS, 1, o.size)
}

func kindOr(a, b table.Sym) table.Sym {
	if a != table.Null {
		return a
	}
	return b
}
