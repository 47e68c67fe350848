package lifetime

import (
	"github.com/memtide/memtide/ingest/blocks"
	"github.com/memtide/memtide/ingest/table"
)

// state of an object.
type state uint8

const (
	live     state = iota
	ended          // by free or destroy
	released       // its count came to 0; a destroy may follow
	before         // it was there before the log
	gone           // it was there before the log, and was ended in it
)

// object is one generation at one address. It holds no pointer.
type object struct {
	key      key
	size     int64
	count    int64
	bornNS   int64
	lastUse  int64 // time of the last use or release; -1 for none
	endStack int64
	endTID   int64
	number   int32 // in the index; -1 if it was forgotten
	site     int32 // in the list of sites; -1 if it was there before the log
	buried   int32 // how often it stands among the dead
	state    state
	created  bool // by create, not by alloc
	balanced bool // it was retained or released
}

// site is a Site while the log is read.
type site struct {
	Site
	number  int32
	account *Account
	process *process
}

// process is what is known of one process of the log.
type process struct {
	pid            int64
	number         uint64
	events         int64
	fromNS, lastNS int64
}

// probe gives where a site belongs in the index: near to those of the stacks beside its own.
func (s *site) probe() (near, hash uint32) { return probe(s.Stack, s.PID, s.Op, s.Kind, s.Device) }

func probe(stack, pid int64, op Op, kind, device table.Sym) (near, hash uint32) {
	h := blocks.Mix(uint64(stack), uint64(pid)) ^ uint64(uint32(kind))<<32 ^ uint64(uint32(device))<<8 ^ uint64(op)
	return uint32(stack), uint32(blocks.Mix(h, 0) >> 32)
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
	objects  index
	dead     []int32            // objects, in the order in which they ended
	sites    blocks.Index       // numbers of the list
	recent   [recentSites]*site // by their stacks
	pids     map[int64]*process
	process  *process // of the last event
	list     []*site
	accounts map[accountKey]*Account
	kinds    []*Account
	mistakes map[mistakeKey]*Mistake
	wrong    []*Mistake
	balances map[int32][]step       // by the number of the object
	unseen   map[*Account][]*site   // of objects without an address
	empty    func(stack int64) bool // no frame of a stack is anybody's: the allocator's own doing
	callers  bool                   // frees of this log have callers
	late     []lateFree
	order    *order // of threads; nil while no event says anything of it
	lives    lives
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
	e         Event
	o         object
	unordered bool // with the end before it; later events change what the clocks say
}

// recentSites bounds the sites that are found without a map: a power of two.
const recentSites = 1 << 10

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
	return &Ledger{accounts: map[accountKey]*Account{}, mistakes: map[mistakeKey]*Mistake{}, pids: map[int64]*process{},
		balances: map[int32][]step{}, unseen: map[*Account][]*site{}, empty: empty}
}

// Add enters an event.
func (l *Ledger) Add(e *Event) {
	if e.Op >= Lock {
		l.synchronise(e)
		return
	}
	if !l.started {
		l.started, l.clock = true, clock{from: e.TimeNS, width: 1000}
	}
	l.lastNS = max(l.lastNS, e.TimeNS)
	l.Events++
	l.seenAt(e)
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
	k := key{e.Object, l.process.number<<8 | uint64(e.Space)}
	if e.OnDevice || l.lives.at != nil {
		l.lives.note(e, k)
	}
	o := l.objects.find(k)
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

// seenAt notes that a process did something.
func (l *Ledger) seenAt(e *Event) {
	p := l.process
	if p == nil || p.pid != e.PID {
		if p = l.pids[e.PID]; p == nil {
			p = &process{pid: e.PID, number: uint64(len(l.pids)), fromNS: e.TimeNS}
			l.pids[e.PID] = p
		}
		l.process = p
	}
	p.events++
	p.lastNS = max(p.lastNS, e.TimeNS)
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
	at := uint64(e.Stack)*0x9e3779b97f4a7c15>>54 ^ uint64(e.Kind&(recentSites-1))
	s := l.recent[at]
	if s != nil && s.of(e) {
		return s
	}
	near, hash := probe(e.Stack, e.PID, e.Op, e.Kind, e.Device)
	i := l.sites.Find(near, hash, func(i uint32) bool { return l.list[i].of(e) })
	if i < 0 {
		i = len(l.list)
		l.list = append(l.list, &site{Site: Site{PID: e.PID, Op: e.Op, Least: -1, Most: -1, Kind: e.Kind, Device: e.Device, Stack: e.Stack, Thread: e.TID, First: e.Line}, number: int32(i), account: l.account(e.PID, e.Kind), process: l.process})
		l.sites.Add(near, hash, func(i uint32) (near, hash uint32) { return l.list[i].probe() })
	}
	l.recent[at] = l.list[i]
	return l.list[i]
}

// of says whether an event makes an object of the site.
func (s *site) of(e *Event) bool {
	return s.Stack == e.Stack && s.Kind == e.Kind && s.Op == e.Op && s.Device == e.Device && s.PID == e.PID
}

// enter counts an object that is made at a site.
func (l *Ledger) enter(s *site, e *Event) {
	if e.Named && e.Space == 0 && e.Object != 0 {
		s.align(e.Object)
	}
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
	n.site, n.size, n.count, n.bornNS, n.lastUse, n.created = s.number, max(e.Size, 0), 1, e.TimeNS, -1, e.Op == Create
	if e.HasCount {
		n.count = e.Count
	}
	l.change(s, e.TimeNS, 1, n.size)
}

// fresh gives the object of an address for a new generation.
func (l *Ledger) fresh(k key, o *object) *object {
	if o == nil {
		o = l.objects.add(k)
	} else {
		if o.balanced {
			delete(l.balances, o.number)
		}
		*o = object{key: k, number: o.number, buried: o.buried}
	}
	o.site, o.lastUse = -1, -1
	if l.order != nil {
		l.order.begin(o)
	}
	return o
}

// madeAt is the site of an object that was made in the log.
func (l *Ledger) madeAt(o *object) *site { return l.list[o.site] }

// leave takes a live object off its site.
func (l *Ledger) leave(o *object, t int64) {
	s := l.madeAt(o)
	l.change(s, t, -1, -o.size)
	s.Ended++
	s.account.Ended++
	s.LongestNS = max(s.LongestNS, t-o.bornNS)
}

func (l *Ledger) realloc(e *Event, k key, o *object) {
	if o == nil || o.state != live {
		if o != nil && o.state == before {
			l.account(e.PID, e.Kind).PreExisting++
		}
		l.make(e, k, o)
		return
	}
	if l.order != nil {
		l.order.use(e, o)
	}
	from := l.madeAt(o)
	s := l.siteOf(&Event{PID: e.PID, TID: e.TID, Op: Realloc, Kind: kindOr(e.Kind, from.Kind), Device: e.Device, Stack: e.Stack, Line: e.Line})
	l.change(from, e.TimeNS, -1, -o.size)
	if s == from {
		s.MadeBytes += max(e.Size-o.size, 0)
	} else {
		from.Ended++
		s.Made++
		s.MadeBytes += max(e.Size, 0)
		s.sized(e.Size)
		s.Last, s.LastNS = e.Line, e.TimeNS
	}
	o.site, o.size = s.number, max(e.Size, 0)
	l.change(s, e.TimeNS, 1, o.size)
}

func kindOr(a, b table.Sym) table.Sym {
	if a != table.Null {
		return a
	}
	return b
}
