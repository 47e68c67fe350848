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
	Late         int64 // events that came too late to be put in order
	AllocatorEnd int64 // second frees by the allocator itself, which are none
}

// Curves is a site with its levels at the end of each of Points equal steps of time.
type Curves struct {
	Site
	Count, Size []int64
	Floor       []int64 // the least in each step, of bytes, or of objects where there are no sizes
	Births      int     // spans of the log, of 20, in which objects that are alive at the end were made
	Old         int64   // objects alive that are older by far than any that was ended became
	OldBirths   int     // spans in which those were made
	EndThread   int64   // the thread that ends most of its objects; -1 if none does
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
			l.mistake("double-free", &f.e, f.o)
		}
		l.late = nil
	}
	b := &Books{FromNS: l.clock.from, ToNS: l.lastNS, Events: l.Events, AllocatorEnd: int64(len(l.late))}
	held := l.survivors()
	for _, s := range l.list {
		c := Curves{Site: s.Site, EndThread: s.ender()}
		c.Count, _ = s.count.levels(&l.clock, l.lastNS)
		c.Size, c.Floor = s.bytes.levels(&l.clock, l.lastNS)
		if !s.Sized {
			_, c.Floor = s.count.levels(&l.clock, l.lastNS)
		}
		for i, n := range s.births {
			c.Births += sign(n)
			c.Old += s.old[i]
			c.OldBirths += sign(s.old[i])
		}
		b.Sites = append(b.Sites, c)
	}
	for _, a := range l.kinds {
		if a.Ended > 0 {
			a.MeanBytes = float64(a.SumBytes) / float64(a.Ended)
		}
		b.Kinds = append(b.Kinds, *a)
	}
	for _, m := range l.wrong {
		b.Mistakes = append(b.Mistakes, *m)
	}
	for _, r := range held {
		b.Retained = append(b.Retained, *r)
	}
	return b
}

func sign(n int64) int {
	if n > 0 {
		return 1
	}
	return 0
}

func (s *site) ender() int64 {
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
	span := max(l.lastNS-l.clock.from, 1)
	for k, o := range l.objects {
		if o.state != live {
			continue
		}
		born := max(min(int(float64(o.bornNS-l.clock.from)*generations/float64(span)), generations-1), 0)
		o.site.births[born]++
		if l.lastNS-o.bornNS > outlives*o.site.LongestNS {
			o.site.old[born]++
		}
		o.site.account.Alive++
		o.site.account.NeverEndedBytes += o.size
		if !o.balanced {
			continue
		}
		r := bySite[o.site]
		if r == nil {
			r = &Retained{PID: k.pid, Site: &o.site.Site}
			bySite[o.site], steps[o.site] = r, map[int64]*Balance{}
		}
		r.Objects++
		r.Bytes += o.size
		tally(steps[o.site], l.balances[o])
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
