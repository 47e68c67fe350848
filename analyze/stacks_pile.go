package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtide/memtide/ingest/blocks"
	"github.com/memtide/memtide/ingest/table"
)

// mostStacks bounds the chains of a result. The others are added up, by process, kind and device.
const mostStacks = 500

// mostRests bounds those sums; what is beyond goes into one.
const mostRests = 100

// pile gathers the call chains of runs. Its zero value is empty.
type pile struct {
	frames  map[StackFrame]uint32
	list    []StackFrame
	groups  []pileGroup
	groupOf map[pileGroup]int32
	chains  blocks.List[pileChain]
	index   blocks.Index // of chains
	touched []int        // chains of the run that is being added
	scratch []uint32
	sides   [2]map[string]*pileProcess
}

// pileGroup is what chains of two runs are one by, beside their frames. Rest is for what an earlier result left out.
type pileGroup struct {
	process, kind, device string
	rest                  bool
}

// pileSum adds up the runs of a side.
type pileSum struct {
	bytes, objects table.Int
	runs           int
}

// pileProcess is what is known of a process on one side.
type pileProcess struct {
	runs     int
	complete bool
}

// add takes what a capture has at its end.
func (p *pile) add(side int, c *Capture, b *books) {
	if p.groupOf == nil {
		p.frames, p.groupOf, p.sides = map[StackFrame]uint32{}, map[pileGroup]int32{}, [2]map[string]*pileProcess{{}, {}}
	}
	seen := map[string]bool{}
	if c.Set == nil {
		p.addEarlier(side, c.Earlier, seen)
	} else {
		numbers := p.numbersOf(c.Set)
		b.stacks(func(u *StackUse) {
			if !u.Bytes.OK && !u.Objects.OK {
				return
			}
			frames := chainFrames{of: numbers, stack: u.Stack}
			if u.Class != "" {
				frames = chainFrames{list: p.numbers([]StackFrame{frameOf(&table.Call{Function: u.Class})})}
			}
			p.process(side, u.Process, u.complete, seen)
			p.take(pileGroup{process: u.Process, kind: u.Kind, device: u.Device}, frames, u.Bytes, u.Objects)
		})
	}
	for _, i := range p.touched {
		one := p.chains.At(i)
		one.sides[side].join(&one.run)
		one.run = pileSum{}
	}
	p.touched = p.touched[:0]
}

// addEarlier takes what an earlier result has.
func (p *pile) addEarlier(side int, r *Result, seen map[string]bool) {
	for i := range r.Stacks {
		x := &r.Stacks[i]
		if x.After == nil {
			continue
		}
		p.process(side, x.Process, x.Rest == 0 && !x.Partial, seen)
		one := p.take(pileGroup{process: x.Process, kind: x.Kind, device: x.Device, rest: x.Rest > 0}, chainFrames{list: p.numbers(x.Stack)}, knownInt(x.After.Bytes), knownInt(x.After.Objects))
		one.count = max(one.count, x.Rest)
	}
}

// take adds figures to what a run has of a chain. The chain is valid until the next.
func (p *pile) take(g pileGroup, frames chainFrames, bytes, objects table.Int) *pileChain {
	i := p.chain(g, frames)
	one := p.chains.At(i)
	if s := &one.run; s.runs > 0 {
		s.bytes, s.objects = plus(s.bytes, bytes), plus(s.objects, objects)
	} else {
		*s = pileSum{bytes, objects, 1}
		p.touched = append(p.touched, i)
	}
	return one
}

// stacks visits those of the sites that a capture lists or, where it lists none, of its events.
func (b *books) stacks(visit func(*StackUse)) {
	listed := false
	b.resolver.listedStacks(table.Moment{}, func(u *StackUse) {
		listed = true
		visit(u)
	})
	if listed {
		return // the events of the same capture tell of the same objects
	}
	for _, l := range b.ledgers {
		b.resolver.ledgerStacks(l, !b.partial, b.joinedNames(l), visit)
	}
}

func knownInt(v *int64) table.Int {
	if v == nil {
		return table.Int{}
	}
	return table.Known(*v)
}

func (p *pile) process(side int, name string, complete bool, seen map[string]bool) {
	x := p.sides[side][name]
	if x == nil {
		x = &pileProcess{complete: true}
		p.sides[side][name] = x
	}
	x.complete = x.complete && complete
	if !seen[name] {
		seen[name] = true
		x.runs++
	}
}

func (s *pileSum) join(of *pileSum) {
	if s.runs == 0 || of.runs == 0 {
		if s.runs == 0 {
			*s = *of
		}
		return
	}
	s.bytes, s.objects, s.runs = plus(s.bytes, of.bytes), plus(s.objects, of.objects), s.runs+of.runs
}

// plus adds figures; one that is not known, or a sum too large, makes the sum unknown.
func plus(a, b table.Int) table.Int {
	if !a.OK || !b.OK {
		return table.Int{}
	}
	v, ok := table.Sum(a.V, b.V)
	return table.Int{V: v, OK: ok}
}

// rename joins what two sides know by different names.
func (p *pile) rename(from, to string) {
	if from == to {
		return
	}
	old := p.chains
	p.chains, p.index = blocks.List[pileChain]{}, blocks.Index{}
	for i := range old.Len() {
		c := old.At(i)
		g := p.groups[c.group]
		if g.process == from {
			g.process = to
		}
		n := p.chains.Len()
		same := p.chains.At(p.chain(g, c.frames))
		for side := range c.sides {
			same.sides[side].join(&c.sides[side])
		}
		if p.chains.Len() > n {
			same.count = c.count
		}
	}
	for _, side := range p.sides {
		if x := side[from]; x != nil && side[to] == nil {
			delete(side, from)
			side[to] = x
		}
	}
}

// compared gives the chains of two sides, those that changed most first.
func (p *pile) compared() []StackDelta {
	return p.rows(func(c *pileChain) StackDelta {
		d := StackDelta{Before: p.level(0, c), After: p.level(1, c)}
		d.compare()
		return d
	}, mostStacks)
}

// single gives the chains of one run, those that hold most first.
func (p *pile) single(run string, most int) []StackDelta {
	return p.rows(func(c *pileChain) StackDelta { return StackDelta{Run: run, After: p.level(0, c)} }, most)
}

// level is the mean of a side; nil if the side could not have shown the chain.
func (p *pile) level(side int, c *pileChain) *StackLevel {
	s, x := &c.sides[side], p.sides[side][p.groups[c.group].process]
	if x == nil || s.runs == 0 && (!x.complete || p.groups[c.group].rest) {
		return nil
	}
	if s.runs == 0 {
		other := &c.sides[1-side]
		return &StackLevel{zeroWhere(other.bytes.OK), zeroWhere(other.objects.OK)}
	}
	n := s.runs
	if x.complete {
		n = x.runs
	}
	return &StackLevel{mean(s.bytes, n), mean(s.objects, n)}
}

func zeroWhere(ok bool) *int64 {
	if !ok {
		return nil
	}
	return new(int64)
}

func mean(v table.Int, n int) *int64 {
	if !v.OK {
		return nil
	}
	m := v.V
	if n > 1 {
		m = int64(math.Round(float64(v.V) / float64(n)))
	}
	return &m
}

// ranked is a chain with what it is sorted by.
type ranked struct {
	chain                                    *pileChain
	changeBytes, changeObjects, size, number int64
}

// row is the row of a chain, without its frames.
func (p *pile) row(c *pileChain, of func(*pileChain) StackDelta) StackDelta {
	d, g := of(c), &p.groups[c.group]
	d.Process, d.Kind, d.Device, d.Rest, d.Partial = g.process, g.kind, g.device, c.count, p.partial(g.process)
	return d
}

// rows makes the rows of all chains that are not 0, the greatest change first, and adds up those beyond most. Rows are made again
// where they are needed: a capture may have millions of chains.
func (p *pile) rows(of func(*pileChain) StackDelta, most int) []StackDelta {
	all := p.ranked(of)
	n := 0
	for n < min(len(all), most) && !p.groups[all[n].chain.group].rest {
		n++
	}
	var out []StackDelta
	for _, x := range all[:n] {
		d := p.row(x.chain, of)
		d.Stack = p.stackOf(x.chain)
		out = append(out, d)
	}
	return append(out, p.rests(all[n:], of)...)
}

// ranked sorts the chains that are not 0, the greatest change and then the greatest size first; rests come behind all others.
func (p *pile) ranked(of func(*pileChain) StackDelta) []ranked {
	var all []ranked
	for i := range p.chains.Len() {
		c := p.chains.At(i)
		d := of(c)
		x := ranked{c, d.change(bytesOf), d.change(objectsOf), d.size(bytesOf), d.size(objectsOf)}
		if x.size != 0 || x.number != 0 {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(x, y ranked) int {
		g, h := &p.groups[x.chain.group], &p.groups[y.chain.group]
		if c := cmp.Or(cmp.Compare(b2i(g.rest), b2i(h.rest)), cmp.Compare(y.changeBytes, x.changeBytes), cmp.Compare(y.changeObjects, x.changeObjects),
			cmp.Compare(y.size, x.size), cmp.Compare(y.number, x.number)); c != 0 {
			return c
		}
		if c := cmp.Or(cmp.Compare(g.process, h.process), cmp.Compare(g.kind, h.kind), cmp.Compare(g.device, h.device)); c != 0 {
			return c
		}
		return p.order(x.chain, y.chain)
	})
	return all
}

// rests adds up chains by process, kind and device.
func (p *pile) rests(chains []ranked, of func(*pileChain) StackDelta) []StackDelta {
	var out []*StackDelta
	at := map[pileGroup]*StackDelta{}
	for i := range chains {
		d := p.row(chains[i].chain, of)
		k := pileGroup{process: d.Process, kind: d.Kind, device: d.Device}
		if at[k] == nil && len(at) >= mostRests {
			k = pileGroup{}
		}
		if at[k] == nil {
			at[k] = &StackDelta{Partial: d.Partial, Run: d.Run, Process: k.process, Kind: k.kind, Device: k.device, Stack: []StackFrame{}}
			out = append(out, at[k])
		}
		at[k].gather(&d)
	}
	list := make([]StackDelta, len(out))
	for i, d := range out {
		list[i] = *d
	}
	return list
}

// partial says whether a side lists only some of the chains of a process.
func (p *pile) partial(process string) bool {
	for _, side := range p.sides {
		if x := side[process]; x != nil && !x.complete {
			return true
		}
	}
	return false
}

// stacksOf gives the chains of one of so many runs.
func stacksOf(c *Capture, b *books, runs int) []StackDelta {
	var p pile
	p.add(0, c, b)
	return p.single(c.Name, max(mostStacks/max(runs, 1), 1))
}
