package analyze

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// events adds up the events of a capture: those that were followed as they were read, and those that are rows.
func (b *books) events(c *Capture) {
	var all []*lifetime.Books
	var files []*table.File
	c.Set.EachStream(func(f *table.File, s *table.Stream) {
		if x, ok := s.Sink.(*lifetime.Stream); ok {
			of := x.Close(s)
			b.logs = append(b.logs, deviceLog{c: c, b: b, file: f, lives: of.Lives, cut: of.LivesCut})
			if of.Events > 0 {
				all, files = append(all, of), append(files, f)
			}
		}
	})
	l := lifetime.New(b.resolver.empty)
	ops := map[table.Sym]lifetime.Op{}
	c.Set.EachEvent(func(e *table.EventRow) {
		op, ok := ops[e.Op]
		if !ok {
			op = lifetime.Ops[c.Set.String(e.Op)]
			ops[e.Op] = op
		}
		if op != lifetime.None && op != lifetime.Live {
			x := lifetime.Of(e, op)
			x.Space = lifetime.Spaces[c.Set.String(e.Class)]
			l.Add(&x)
		}
	})
	if l.Events > 0 {
		all = append(all, l.Close())
	}
	b.resolver.severalPIDs = severalPIDs(all)
	if n := c.unreadEvents(); n > 0 && b.lossy == "" && len(all) > 0 {
		b.lossy = fmt.Sprintf("%s of the log could not be read", plural(n, "record"))
	}
	for i, x := range all {
		file := c.Set.EventFile()
		if i < len(files) {
			file = files[i].Name
		}
		b.ledgers, b.files = append(b.ledgers, x), append(b.files, file)
		missed := int64(0)
		for i := range x.Kinds {
			missed += x.Kinds[i].Overwritten
		}
		if x.Late > 0 {
			b.remarks = append(b.remarks, fmt.Sprintf("%s stood so far behind others of a later time that they could not be put in order: sort the log by time before it is read.", plural(int(x.Late), "event")))
			b.lossy = cmp.Or(b.lossy, plural(int(x.Late), "event")+" came too late to be put in order")
		}
		if missed > 0 && b.lossy == "" {
			b.lossy = fmt.Sprintf("events were missed: %s made at the address of one alive", plural(int(missed), "object"))
		}
		b.fromLedger(c, x, file)
	}
}

// severalPIDs says whether the objects of more than one process are in the books.
func severalPIDs(all []*lifetime.Books) bool {
	first, known := int64(0), false
	for _, x := range all {
		for i := range x.Kinds {
			pid := x.Kinds[i].PID
			if known && pid != first {
				return true
			}
			first, known = pid, true
		}
	}
	return false
}

// group is the key of a site: one function of one process, one kind of objects.
type group struct {
	pid          int64
	kind, device table.Sym
	name         string
}

// fromLedger joins the stacks of the ledger to sites by function.
func (b *books) fromLedger(c *Capture, ledger *lifetime.Books, file string) {
	index := map[group]*site{}
	names := b.joinedNames(ledger)
	b.nameRetained(ledger, names)
	b.nameLives(ledger, names)
	followed, span := b.followed(ledger, names), map[[2]int64][]float64{}
	for i := range ledger.Sites {
		s := &ledger.Sites[i]
		k := group{s.PID, s.Kind, s.Device, names[i].name}
		one := index[k]
		if one == nil {
			t := span[[2]int64{s.FromNS, s.ToNS}]
			if t == nil {
				t = steps(s)
				span[[2]int64{s.FromNS, s.ToNS}] = t
			}
			one = &site{process: b.resolver.process(pidOf(s.PID), ""), name: cmp.Or(k.name, c.Set.String(s.Kind), "heap"), kind: c.Set.String(s.Kind), device: c.Set.String(s.Device), t: t, complete: !b.partial,
				births: 0, thread: s.Thread, ends: s.EndThread}
			if s.PID >= 0 {
				one.pid = &s.PID
			}
			if followed == nil || followed[k] {
				one.count = make([]float64, len(t))
			}
			index[k] = one
			b.sites = append(b.sites, one)
		}
		one.join(s, b.resolver, names[i].raw)
		one.note(file, s)
	}
	for _, s := range b.sites {
		s.greatest()
	}
}

// greatest leaves the greatest chains of a site.
func (s *site) greatest() {
	slices.SortStableFunc(s.chains, func(x, y chain) int { return cmp.Or(cmp.Compare(y.bytes, x.bytes), cmp.Compare(y.count, x.count)) })
	s.chains = s.chains[:min(len(s.chains), mostChains)]
}

// nameRetained notes what the sites are called of which objects were retained.
func (b *books) nameRetained(ledger *lifetime.Books, names []joinedName) {
	retained := map[*lifetime.Site]bool{}
	for i := range ledger.Retained {
		retained[ledger.Retained[i].Site] = true
	}
	if b.names == nil {
		b.names = map[*lifetime.Site]string{}
	}
	for i := range ledger.Sites {
		if s := ledger.Sites[i].Site; retained[s] {
			b.names[s] = names[i].name
		}
	}
}

// mostFollowed is how many sites have curves: those with most alive, by bytes and by objects. A log may have a site for each of its
// events, and a curve for each would be many times the log.
const mostFollowed = 4000

// followed chooses the sites that have curves; nil for all.
func (b *books) followed(ledger *lifetime.Books, names []joinedName) map[group]bool {
	alive := map[group][2]int64{}
	var order []group
	for i := range ledger.Sites {
		s := &ledger.Sites[i]
		k := group{s.PID, s.Kind, s.Device, names[i].name}
		v, ok := alive[k]
		if !ok {
			order = append(order, k)
		}
		alive[k] = [2]int64{v[0] + s.Bytes, v[1] + s.Alive}
	}
	if len(order) <= mostFollowed {
		return nil
	}
	out := map[group]bool{}
	for of := range 2 {
		slices.SortStableFunc(order, func(x, y group) int { return cmp.Compare(alive[y][of], alive[x][of]) })
		for _, k := range order[:mostFollowed/2] {
			out[k] = true
		}
	}
	return out
}

// siteID is what the site of a life is told by.
type siteID struct {
	pid, stack   int64
	op           lifetime.Op
	kind, device table.Sym
}

// nameLives notes what the sites are called of a log whose lives are kept.
func (b *books) nameLives(ledger *lifetime.Books, names []joinedName) {
	if len(ledger.Lives) == 0 {
		return
	}
	if b.lifeNames == nil {
		b.lifeNames = map[siteID]string{}
	}
	for i := range ledger.Sites {
		s := &ledger.Sites[i]
		b.lifeNames[siteID{s.PID, s.Stack, s.Op, s.Kind, s.Device}] = names[i].name
	}
}

func pidOf(pid int64) table.Int { return table.Int{V: pid, OK: pid >= 0} }

// steps are the times of the levels of a site, in seconds.
func steps(l *lifetime.Curves) []float64 {
	out := make([]float64, lifetime.Points)
	for i := range out {
		out[i] = (float64(l.FromNS) + float64(l.ToNS-l.FromNS)*float64(i+1)/lifetime.Points) / 1e9
	}
	return out
}

// join adds the levels of one stack.
func (s *site) join(c *lifetime.Curves, r *resolver, raw bool) {
	sized := c.Sized || c.Bytes > 0
	s.handles = s.handles || c.Counted && !sized
	s.born |= c.Born
	s.births = bits.OnesCount32(s.born)
	if s.thread != c.Thread {
		s.thread = -2
	}
	if raw {
		s.joined++
	}
	s.chains = append(s.chains, chain{stack: c.Stack, r: r, bytes: float64(c.Bytes), count: float64(c.Alive), curve: c, ended: c.Ended, old: c.Old, oldBirths: c.OldBirths(), longestNS: c.LongestNS})
	if len(s.chains) >= 2*mostChains {
		s.greatest() // those that come later stand behind equal ones, as they would at the end
	}
	if s.count == nil {
		return
	}
	if sized && s.bytes == nil {
		s.bytes = make([]float64, len(s.t))
	}
	count, size, floor := c.Levels()
	if s.least == nil {
		s.least = make([]float64, len(s.t))
	}
	for i := range s.t {
		s.least[i] += float64(floor[i])
		s.count[i] += float64(count[i])
		if sized {
			s.bytes[i] += float64(size[i])
		}
	}
}

// note keeps the first and the last event that made an object of the site.
func (s *site) note(file string, c *lifetime.Curves) {
	first, last := Evidence{File: file, Line: c.First}, Evidence{File: file, Line: c.Last, TimeNS: &c.LastNS}
	if len(s.evidence) == 0 {
		s.evidence = []Evidence{first, last}
		return
	}
	if first.Line < s.evidence[0].Line {
		s.evidence[0] = first
	}
	if last.Line > s.evidence[1].Line {
		s.evidence[1] = last
	}
}

// joinedName is the name of a stack's site, and whether it was found by joining.
type joinedName struct {
	name  string
	raw   bool
	stack int64 // the named one
}

// joinedNames names the site of each stack of the ledger. A stack whose first two frames are bare addresses (it was printed when
// the process had ended) is one with the only named site that has the same process, operation, kind and depth; if several have,
// with the only one of them that has objects of the same size.
func (b *books) joinedNames(ledger *lifetime.Books) []joinedName {
	type shape struct {
		pid   int64
		op    lifetime.Op
		kind  table.Sym
		depth int
	}
	out := make([]joinedName, len(ledger.Sites))
	bare := false
	for i := range ledger.Sites {
		stack := ledger.Sites[i].Stack
		out[i].name = b.resolver.siteOf(stack, b.resolver.each)
		bare = bare || b.resolver.bare(stack)
	}
	if !bare {
		return out
	}
	of := func(s *lifetime.Curves) shape { return shape{s.PID, s.Op, s.Kind, b.resolver.depth(s.Stack)} }
	named := map[shape]map[string][]*lifetime.Curves{}
	for i := range ledger.Sites {
		s := &ledger.Sites[i]
		if k := of(s); k.depth > 0 && !b.resolver.bare(s.Stack) {
			if named[k] == nil {
				named[k] = map[string][]*lifetime.Curves{}
			}
			named[k][out[i].name] = append(named[k][out[i].name], s)
		}
	}
	for i := range ledger.Sites {
		s := &ledger.Sites[i]
		if !b.resolver.bare(s.Stack) {
			continue
		}
		same := named[of(s)]
		if name, ok := only(same, s); ok {
			out[i] = joinedName{name, true, same[name][0].Stack}
		}
	}
	return out
}

// bare says whether the first two frames of a stack are addresses without a name.
func bare(calls []table.Call) bool {
	return len(calls) >= 2 && calls[0].Raw() && calls[1].Raw()
}

func only(named map[string][]*lifetime.Curves, s *lifetime.Curves) (string, bool) {
	if len(named) == 1 {
		for name := range named {
			return name, true
		}
	}
	found, n := "", 0
	for name, list := range named {
		if slices.ContainsFunc(list, func(c *lifetime.Curves) bool { return c.Least == s.Least && c.Most == s.Most && c.Sized }) {
			found = name
			n++
		}
	}
	return found, n == 1
}

// unreadEvents counts the records of the logs of events that could not be read: each may have been an event.
func (c *Capture) unreadEvents() (n int) {
	for _, f := range c.Set.Files {
		if len(f.Streams) > 0 {
			for _, p := range f.Problems {
				n += p.Count
			}
		}
	}
	return n
}
