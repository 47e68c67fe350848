package lifetime

import "slices"

func (l *Ledger) end(e *Event, k key, o *object) {
	if !l.callers && e.Op == Free && !l.empty(e.Stack) {
		l.callers = true
	}
	switch {
	case o == nil:
		l.account(e.PID, e.Kind).PreExisting++
		n := l.fresh(k, nil)
		n.state, n.endStack, n.endTID = gone, e.Stack, e.TID
		l.bury(n)
	case o.state == live:
		if o.created != (e.Op == Destroy) {
			l.mistake("mismatched-pair", e, o)
		}
		l.idle(o, e.TimeNS)
		l.leave(o, e.TimeNS)
		l.over(o, e)
	case o.state == released:
		a := l.madeAt(o).account
		a.Waited++
		a.LongestWaitNS = max(a.LongestWaitNS, e.TimeNS-o.lastUse)
		l.idle(o, e.TimeNS)
		l.over(o, e)
	case o.state == before:
		o.state, o.endStack, o.endTID = gone, e.Stack, e.TID
		l.bury(o)
	case o.state == ended:
		if l.empty(e.Stack) {
			l.late = append(l.late, lateFree{*e, *o, l.unordered(e, o)})
			return
		}
		l.mistake("double-free", e, o)
	}
}

// over marks an object as ended.
func (l *Ledger) over(o *object, e *Event) {
	if l.order != nil {
		l.order.end(l, e, o)
	}
	o.state, o.endStack, o.endTID = ended, e.Stack, e.TID
	if o.balanced {
		delete(l.balances, o.number)
	}
	if o.site >= 0 {
		l.madeAt(o).endedBy(e.TID)
	}
	l.bury(o)
}

// endedBy counts which thread ends objects of a site: mostly it is that of the one before.
func (s *site) endedBy(tid int64) {
	if tid != s.ending {
		s.settle()
		s.ending = tid
	}
	s.endings++
}

func (s *site) settle() {
	if s.endings == 0 {
		return
	}
	if s.ends == nil {
		s.ends = map[int64]int64{}
	}
	s.ends[s.ending] += s.endings
	s.endings = 0
}

// bury remembers an ended object for a while.
func (l *Ledger) bury(o *object) {
	o.buried++
	l.dead = append(l.dead, o.number)
	if len(l.dead) < 2*mostDead {
		return
	}
	for _, i := range l.dead[:mostDead] {
		old := l.objects.at(i)
		if old.buried--; old.buried == 0 && (old.state == ended || old.state == gone) {
			l.objects.forget(old)
		}
	}
	l.dead = append(l.dead[:0], l.dead[mostDead:]...)
}

// idle notes how long an object lived, and was kept after its last use.
func (l *Ledger) idle(o *object, t int64) {
	a := l.madeAt(o).account
	a.Timed++
	a.SumBytes += o.size
	a.SumLifeNS += t - o.bornNS
	if o.lastUse < 0 {
		return
	}
	d := t - o.lastUse
	a.Idle++
	a.SumIdleNS += d
	a.MaxIdleNS = max(a.MaxIdleNS, d)
	a.IdleByteNS += float64(d) * float64(o.size)
}

func (l *Ledger) seen(e *Event, k key) *object {
	l.account(e.PID, e.Kind).PreExisting++
	o := l.fresh(k, nil)
	o.state, o.lastUse = before, e.TimeNS
	return o
}

func (l *Ledger) retain(e *Event, k key, o *object) {
	switch {
	case o == nil:
		l.seen(e, k)
	case o.state == ended:
		l.mistake("use-after-free", e, o)
	case o.state == live, o.state == released:
		s := l.madeAt(o)
		if o.state == released {
			o.state = live
			l.change(s, e.TimeNS, 1, o.size)
			s.Ended--
			s.account.Ended--
		}
		if l.order != nil {
			l.order.retain(e, o)
		}
		o.count++
		if e.HasCount {
			o.count = e.Count
		}
		o.balanced = true
		l.balance(o, step{e.Stack, 1})
	}
}

func (l *Ledger) release(e *Event, k key, o *object) {
	switch {
	case o == nil:
		l.seen(e, k)
	case o.state == ended:
		if e.HasCount && e.Count == 0 && e.TID == o.endTID {
			return // the destroy stood inside this release
		}
		fallthrough
	case o.state == released:
		if l.order != nil && l.order.late(e, o) {
			return
		}
		l.mistake("over-release", e, o)
	case o.state == live:
		if e.HasCount && e.Count < 0 || !e.HasCount && o.count <= 0 {
			l.mistake("over-release", e, o)
			return
		}
		was := o.count
		o.count--
		if e.HasCount {
			o.count = e.Count
		}
		if l.order != nil {
			l.order.release(e, o, was)
		}
		o.balanced, o.lastUse = true, e.TimeNS
		l.balance(o, step{e.Stack, -1})
		if o.count == 0 {
			l.leave(o, e.TimeNS)
			o.state = released
		}
	}
}

func (l *Ledger) use(e *Event, k key, o *object) {
	switch {
	case o == nil:
		l.seen(e, k)
	case o.state == ended:
		l.mistake("use-after-free", e, o)
	default:
		o.lastUse = e.TimeNS
		if l.order != nil {
			l.order.use(e, o)
		}
	}
}

// unordered says whether nothing in the log so far orders an event with the end of its object.
func (l *Ledger) unordered(e *Event, o *object) bool {
	return l.order != nil && l.order.unordered(e, o)
}

// mistake notes a fault that an event just made.
func (l *Ledger) mistake(rule string, e *Event, o *object) { l.fault(rule, e, o, l.unordered(e, o)) }

// fault notes a fault; those of one kind, site and function are one.
func (l *Ledger) fault(rule string, e *Event, o *object, unordered bool) {
	kind := e.Kind
	made, at := int64(0), (*site)(nil)
	if o.site >= 0 {
		at = l.madeAt(o)
		kind, made = at.Kind, at.Stack
	}
	k := mistakeKey{rule, e.PID, kind, e.Stack}
	m := l.mistakes[k]
	if m == nil {
		m = &Mistake{Rule: rule, PID: e.PID, Kind: kind, Stack: e.Stack, Made: made, Ended: o.endStack, Line: e.Line, TimeNS: e.TimeNS, Object: e.Object, Threads: map[int64]bool{}, objects: map[key]bool{}, site: at}
		l.mistakes[k] = m
		l.wrong = append(l.wrong, m)
	}
	m.Events++
	if unordered {
		m.Unordered++
	}
	m.Threads[e.TID] = true
	if rule == "use-after-free" {
		m.Threads[o.endTID] = true
	}
	if at := o.key; len(m.objects) < 1<<16 && !m.objects[at] {
		m.objects[at] = true
		m.Objects++
	}
}

// mostSteps is how many retains and releases of one object are kept one by one.
const mostSteps = 64

// balance keeps what was done to the count of an object; of many steps only what each stack did in sum. They are summed up when
// their room is full, and have twice as much if that does not empty half of it.
func (l *Ledger) balance(o *object, s step) {
	steps := l.balances[o.number]
	if room := cap(steps); len(steps) >= mostSteps && len(steps) == room {
		if steps = summed(steps); len(steps) > room/2 {
			steps = slices.Grow(steps, room)
		}
	}
	l.balances[o.number] = append(steps, s)
}

// summed adds up the retains of each stack, and its releases, in place.
func summed(steps []step) []step {
	type way struct {
		stack int64
		gives bool
	}
	at, out := map[way]int{}, steps[:0]
	for _, x := range steps {
		w := way{x.stack, x.by > 0}
		if i, ok := at[w]; ok {
			out[i].by += x.by
			continue
		}
		at[w] = len(out)
		out = append(out, x)
	}
	return out
}
