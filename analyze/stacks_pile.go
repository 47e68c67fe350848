package analyze

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// mostStacks bounds the chains of a result. The others are added up, by process, kind and device.
const mostStacks = 500

// mostRests bounds those sums; what is beyond goes into one.
const mostRests = 100

// pile gathers the call chains of runs. Its zero value is empty.
type pile struct {
	frames map[StackFrame]uint64
	list   []StackFrame
	index  map[pileKey]*pileChain
	chains []*pileChain
	sides  [2]map[string]*pileProcess
}

// pileKey is what chains of two runs are one by. Rest is for what an earlier result left out.
type pileKey struct {
	process, kind, device, stack string
	rest                         bool
}

type pileChain struct {
	pileKey
	frames []uint64
	sides  [2]pileSum
	count  int // chains, of a rest
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
	if p.index == nil {
		p.frames, p.index, p.sides = map[StackFrame]uint64{}, map[pileKey]*pileChain{}, [2]map[string]*pileProcess{{}, {}}
	}
	seen := map[string]bool{}
	run := map[*pileChain]*pileSum{}
	take := func(k pileKey, frames []StackFrame, bytes, objects table.Int, complete bool) *pileChain {
		p.process(side, k.process, complete, seen)
		one := p.chain(k, frames)
		if s := run[one]; s != nil {
			s.bytes, s.objects = plus(s.bytes, bytes), plus(s.objects, objects)
		} else {
			run[one] = &pileSum{bytes, objects, 1}
		}
		return one
	}
	if c.Set == nil {
		for i := range c.Earlier.Stacks {
			if x := &c.Earlier.Stacks[i]; x.After != nil {
				one := take(pileKey{process: x.Process, kind: x.Kind, device: x.Device, rest: x.Rest > 0}, x.Stack, knownInt(x.After.Bytes), knownInt(x.After.Objects), x.Rest == 0 && !x.Partial)
				one.count = max(one.count, x.Rest)
			}
		}
	} else {
		for _, u := range b.stacks() {
			if u.Bytes.OK || u.Objects.OK {
				take(pileKey{process: u.Process, kind: u.Kind, device: u.Device}, framesOf(u.Calls), u.Bytes, u.Objects, u.complete)
			}
		}
	}
	for one, s := range run {
		one.sides[side].join(s)
	}
}

// stacks are those of the sites that a capture lists and of its events.
func (b *books) stacks() []StackUse {
	out := b.resolver.listedStacks(table.Moment{})
	if len(out) > 0 {
		return out // the events of the same capture tell of the same objects
	}
	for _, l := range b.ledgers {
		out = append(out, b.resolver.ledgerStacks(l, !b.partial, b.joinedNames(l))...)
	}
	return out
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

func (p *pile) chain(k pileKey, frames []StackFrame) *pileChain {
	numbers := make([]uint64, len(frames))
	var key []byte
	for i, f := range frames {
		n, ok := p.frames[f]
		if !ok {
			n = uint64(len(p.list))
			p.frames[f] = n
			p.list = append(p.list, f)
		}
		numbers[i] = n
		key = binary.AppendUvarint(key, n)
	}
	k.stack = string(key)
	one := p.index[k]
	if one == nil {
		one = &pileChain{pileKey: k, frames: numbers}
		p.index[k] = one
		p.chains = append(p.chains, one)
	}
	return one
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
	p.chains, p.index = nil, map[pileKey]*pileChain{}
	for _, c := range old {
		if c.process == from {
			c.process = to
		}
		same := p.index[c.pileKey]
		if same == nil {
			p.index[c.pileKey] = c
			p.chains = append(p.chains, c)
			continue
		}
		for i := range c.sides {
			same.sides[i].join(&c.sides[i])
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
	s, x := &c.sides[side], p.sides[side][c.process]
	if x == nil || s.runs == 0 && (!x.complete || c.rest) {
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

// ranked is a row that has not got its frames yet.
type ranked struct {
	StackDelta
	chain *pileChain
}

// rows makes the rows of all chains that are not 0, the greatest change first, and adds up those beyond most.
func (p *pile) rows(of func(*pileChain) StackDelta, most int) []StackDelta {
	var all []ranked
	for _, c := range p.chains {
		d := of(c)
		if d.size(bytesOf) != 0 || d.size(objectsOf) != 0 {
			d.Process, d.Kind, d.Device, d.Rest, d.Partial = c.process, c.kind, c.device, c.count, p.partial(c.process)
			all = append(all, ranked{d, c})
		}
	}
	slices.SortFunc(all, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(b2i(x.chain.rest), b2i(y.chain.rest)), x.rank(&y.StackDelta), cmp.Compare(x.Process, y.Process), cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Device, y.Device), p.order(x.chain, y.chain))
	})
	n := 0
	for n < min(len(all), most) && !all[n].chain.rest {
		n++
	}
	var out []StackDelta
	for _, x := range all[:n] {
		x.Stack = make([]StackFrame, len(x.chain.frames))
		for k, f := range x.chain.frames {
			x.Stack[k] = p.list[f]
		}
		out = append(out, x.StackDelta)
	}
	return append(out, rests(all[n:])...)
}

// rests adds up rows by process, kind and device.
func rests(rows []ranked) []StackDelta {
	var out []*StackDelta
	at := map[pileKey]*StackDelta{}
	for i := range rows {
		d := &rows[i].StackDelta
		k := pileKey{process: d.Process, kind: d.Kind, device: d.Device}
		if at[k] == nil && len(at) >= mostRests {
			k = pileKey{}
		}
		if at[k] == nil {
			at[k] = &StackDelta{Partial: d.Partial, Run: d.Run, Process: k.process, Kind: k.kind, Device: k.device, Stack: []StackFrame{}}
			out = append(out, at[k])
		}
		at[k].gather(d)
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

// order compares the texts of two chains, leaf first.
func (p *pile) order(x, y *pileChain) int {
	return slices.CompareFunc(x.frames, y.frames, func(a, b uint64) int {
		f, g := &p.list[a], &p.list[b]
		return cmp.Or(cmp.Compare(f.Function, g.Function), cmp.Compare(f.Module, g.Module), cmp.Compare(f.File, g.File))
	})
}

// stacksOf gives the chains of one of so many runs.
func stacksOf(c *Capture, b *books, runs int) []StackDelta {
	var p pile
	p.add(0, c, b)
	return p.single(c.Name, max(mostStacks/max(runs, 1), 1))
}
