package lifetime

import (
	"cmp"
	"slices"
)

// Books is what a ledger adds up to.
type Books struct {
	FromNS, ToNS int64
	Events       int64
	Sites        []Curves
	Kinds        []Account
	Mistakes     []Mistake
	Retained     []Retained
	Races        []Race
	Late         int64  // events that came too late to be put in order
	DisorderNS   int64  // by how much an event stood behind a later one in the log: the last of a log that was cut may lack so much
	AllocatorEnd int64  // second frees by the allocator itself, which are none
	Lives        []Life // of device memory, in the order in which they began
	LivesCut     bool   // there were more of them than are kept

	clock *clock
}

// Curves is a site with its levels over time: Points equal steps of it.
type Curves struct {
	*Site
	FromNS, ToNS int64 // of its process, if that lived long enough for it; else of the log
	EndThread    int64 // the thread that ends most of its objects; -1 if none does

	clock *clock
}

// Levels gives the objects and bytes at the end of each step, and the least in each step of the bytes, or of the objects where
// there are no sizes.
func (c *Curves) Levels() (count, size, floor []int64) {
	count, floor = c.count.levels(c.clock, c.FromNS, c.ToNS)
	size, low := c.bytes.levels(c.clock, c.FromNS, c.ToNS)
	if c.Sized {
		floor = low
	}
	return count, size, floor
}

// Retained is the objects of a site that are alive at the end though they were retained or released: who holds them.
type Retained struct {
	PID     int64
	Site    *Site
	Objects int64
	Bytes   int64
	Balance []Balance // by stack, greatest net first; balanced ones are left out
}

// Balance is what one stack did to the reference counts of the objects of a Retained.
type Balance struct {
	Stack             int64
	Retains, Releases int64
	OnObjects         int64
}

// Close ends the ledger. It may be used once.
func (l *Ledger) Close() *Books {
	if !l.callers {
		for _, f := range l.late {
			l.fault("double-free", &f.e, &f.o, f.unordered)
		}
		l.late = nil
	}
	b := &Books{FromNS: l.clock.from, ToNS: l.lastNS, Events: l.Events, AllocatorEnd: int64(len(l.late)), Lives: l.lives.list, LivesCut: l.lives.cut}
	held := l.survivors()
	clock := l.clock // what else the ledger has is let go
	b.Sites, b.clock = make([]Curves, len(l.list)), &clock
	for i, s := range l.list {
		from, to := l.spanOf(s.process)
		b.Sites[i] = Curves{&s.Site, from, to, s.ender(), &clock}
	}
	for _, a := range l.kinds {
		if a.Timed > 0 {
			a.MeanBytes = float64(a.SumBytes) / float64(a.Timed)
		}
		b.Kinds = append(b.Kinds, *a)
	}
	for _, m := range l.wrong {
		if m.site != nil {
			m.Right = m.site.Ended
		}
		b.Mistakes = append(b.Mistakes, *m)
	}
	for _, r := range held {
		b.Retained = append(b.Retained, *r)
	}
	if l.order != nil {
		b.Races = l.order.close()
	}
	return b
}

// A process that did little, or that lived for so small a part of the log that its curves have few steps, is drawn over all of it.
const (
	fewEvents = 1000
	smallPart = 10
)

// spanOf is the time over which the sites of a process are judged: its own, as if it were alone in the log.
func (l *Ledger) spanOf(p *process) (from, to int64) {
	if p.events < fewEvents || smallPart*(p.lastNS-p.fromNS) < l.lastNS-l.clock.from {
		return l.clock.from, l.lastNS
	}
	return p.fromNS, p.lastNS
}

// spanAt is in which of the 20 spans of its process something happened.
func (l *Ledger) spanAt(p *process, t int64) int {
	from, to := l.spanOf(p)
	return max(min(int(float64(t-from)*generations/float64(max(to-from, 1))), generations-1), 0)
}

func (s *site) ender() int64 {
	if s.ends == nil && s.endings > 0 {
		return s.ending
	}
	s.settle()
	best, n := int64(-1), int64(0)
	for tid, k := range s.ends {
		if k > n || k == n && tid < best {
			best, n = tid, k
		}
	}
	return best
}

// outlives is by how much an object is older than the longest life of those ended to be one of another fate.
const outlives = 4

// survivors counts the births of the objects alive, and gathers those that were retained.
func (l *Ledger) survivors() []*Retained {
	bySite := map[*site]*Retained{}
	steps := map[*site]map[int64]*Balance{}
	overdue := map[*Account]*[generations]bool{}
	l.objects.each(func(o *object) {
		switch o.state {
		case live:
			l.survives(o)
		case released:
			l.waits(o, overdue)
		}
		if o.state != live || !o.balanced {
			return
		}
		s := l.madeAt(o)
		r := bySite[s]
		if r == nil {
			r = &Retained{PID: s.PID, Site: &s.Site}
			bySite[s], steps[s] = r, map[int64]*Balance{}
		}
		r.Objects++
		r.Bytes += o.size
		tally(steps[s], l.balances[o.number])
	})
	for a, spans := range overdue {
		for _, yes := range spans {
			if yes {
				a.OverdueSpans++
			}
		}
	}
	var out []*Retained
	for _, s := range l.list {
		r := bySite[s]
		if r == nil {
			continue
		}
		for _, b := range steps[s] {
			if b.Retains != b.Releases {
				r.Balance = append(r.Balance, *b)
			}
		}
		slices.SortFunc(r.Balance, func(a, b Balance) int {
			return cmp.Or(cmp.Compare(b.Retains-b.Releases, a.Retains-a.Releases), cmp.Compare(a.Stack, b.Stack))
		})
		out = append(out, r)
	}
	return out
}

// survives counts an object that is alive at the end.
func (l *Ledger) survives(o *object) {
	s := l.madeAt(o)
	_, to := l.spanOf(s.process)
	born := uint32(1) << l.spanAt(s.process, o.bornNS)
	s.Born |= born
	if to-o.bornNS > outlives*s.LongestNS {
		s.oldBorn |= born
		s.Old++
	}
	s.account.Alive++
	s.account.NeverEndedBytes += o.size
}

// waits counts an object whose count came to 0 and that was not ended.
func (l *Ledger) waits(o *object, overdue map[*Account]*[generations]bool) {
	s := l.madeAt(o)
	a := s.account
	a.Pending++
	a.PendingBytes += o.size
	_, to := l.spanOf(s.process)
	if a.Waited == 0 || to-o.lastUse <= outlives*a.LongestWaitNS {
		return
	}
	a.Overdue++
	if overdue[a] == nil {
		overdue[a] = &[generations]bool{}
	}
	overdue[a][l.spanAt(s.process, o.lastUse)] = true
}

// tally adds the steps of one object.
func tally(all map[int64]*Balance, of []step) {
	touched := map[int64]bool{}
	for _, s := range of {
		b := all[s.stack]
		if b == nil {
			b = &Balance{Stack: s.stack}
			all[s.stack] = b
		}
		if s.by > 0 {
			b.Retains += s.by
		} else {
			b.Releases -= s.by
		}
		if !touched[s.stack] {
			touched[s.stack] = true
			b.OnObjects++
		}
	}
}
