package lifetime

import (
	"cmp"
	"maps"
	"slices"
)

// retain notes that a reference was taken.
func (o *order) retain(e *Event, of *object) {
	if !o.follows(e) {
		return
	}
	o.mark(of).refer(of.count, 1)
	o.use(e, of)
}

// release notes that a reference was given up. A count is atomic: what was done before a release happens before what is done behind
// the one that brings it to 0, by whichever thread.
func (o *order) release(e *Event, of *object, was int64) {
	if !o.follows(e) {
		return
	}
	t, m := thread(e), o.mark(of)
	m.refer(was, -1)
	if of.count != 0 {
		o.use(e, of)
		o.clocks.Release(t, countOf(e))
		return
	}
	o.clocks.Acquire(t, countOf(e))
	o.use(e, of)
	m.ended, m.owed = o.clocks.Now(t), max(m.refs, 0)
}

// end notes the end of an object, and the races of its uses with it.
func (o *order) end(l *Ledger, e *Event, of *object) {
	if !o.follows(e) || of.site < 0 {
		return
	}
	t, m := thread(e), o.mark(of)
	if of.balanced {
		o.clocks.Acquire(t, countOf(e))
		o.clocks.Forget(countOf(e))
		if of.state == live {
			m.refer(of.count, -1) // the release that it is part of stands behind it
			m.owed = max(m.refs, 0)
		}
	}
	now := o.clocks.Now(t)
	m.ended = now
	for n := m.uses; n != 0; n = o.uses[n-1].next {
		u := &o.uses[n-1]
		if o.clocks.Before(u.Epoch, t) || !o.clocks.Synchronises(u.Slot) || !o.clocks.Synchronises(now.Slot) {
			continue
		}
		one := unfinished{*u, atOf(e), o.race(l, e, of, u), l.Events}
		if m.owed > 0 {
			o.open[of.number] = append(o.open[of.number], one)
		} else {
			one.count()
		}
	}
	o.drop(m)
}

// late says whether a release stands behind the end though it was done before: lines are written behind the release, by the count it
// gave, and another thread may have given up the last reference in between.
func (o *order) late(e *Event, of *object) bool {
	if !o.follows(e) || of.site < 0 || !e.HasCount || e.Count <= 0 || e.TID == of.endTID && of.state == ended {
		return false
	}
	m := o.mark(of)
	if m.owed <= 0 {
		return false
	}
	m.owed--
	slot := o.clocks.Now(thread(e)).Slot
	if open, any := o.open[of.number]; any {
		o.open[of.number] = slices.DeleteFunc(open, func(u unfinished) bool { return u.use.Slot == slot })
	}
	for at := &m.uses; *at != 0; { // of an object whose count came to 0 and that has not ended
		if u := &o.uses[*at-1]; u.Slot == slot {
			*at = o.forget(*at)
		} else {
			at = &u.next
		}
	}
	return true
}

// unordered says of an event behind the end of an object whether nothing makes it wait for that end.
func (o *order) unordered(e *Event, of *object) bool {
	if !o.follows(e) || of.site < 0 {
		return false
	}
	m := o.mark(of)
	t := thread(e)
	return m.ended.Clock > 0 && !o.clocks.Before(m.ended, t) && o.clocks.Synchronises(m.ended.Slot) && o.clocks.Synchronises(o.clocks.Now(t).Slot)
}

// race is the one that a use and an end belong to.
func (o *order) race(l *Ledger, e *Event, of *object, u *use) *Race {
	s := l.madeAt(of)
	k := raceKey{e.PID, int32(s.Kind), u.Stack, e.Stack}
	r := o.races[k]
	if r == nil {
		r = &Race{PID: e.PID, Kind: s.Kind, Made: s.Stack, lastEnded: -1}
		o.races[k] = r
	}
	return r
}

func (u *unfinished) count() {
	r := u.race
	if r.Events == 0 {
		r.Use, r.End = u.use.At, u.end
	}
	r.Events++
	if r.lastEnded != u.seq {
		r.Objects++
		r.lastEnded = u.seq
	}
}

// settle counts the races of an object for whose releases no longer is waited.
func (o *order) settle(number int32) {
	of, any := o.open[number]
	if !any {
		return
	}
	delete(o.open, number)
	for i := range of {
		of[i].count()
	}
}

// close gives the races, in the order of their first ends.
func (o *order) close() (out []Race) {
	for _, n := range slices.Sorted(maps.Keys(o.open)) {
		o.settle(n)
	}
	for _, r := range o.races {
		if r.Events > 0 {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.End.TimeNS, b.End.TimeNS), cmp.Compare(a.End.Line, b.End.Line), cmp.Compare(a.Use.Line, b.Use.Line), cmp.Compare(a.Use.Stack, b.Use.Stack), cmp.Compare(a.End.Stack, b.End.Stack))
	})
	return out
}
