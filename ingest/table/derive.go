package table

import (
	"math"
	"sort"

	"github.com/memtide/memtide/ingest/source"
)

// group is the sum of the mappings of one kind in one snapshot; a metric is known if any mapping has it.
type group struct {
	pid      Int
	process  Sym
	cat, sub Sym
	sizes    [NumSizes]int64
	lines    [NumSizes]int
	has, bad uint16
	over     uint16 // sums that leave 64 bits; they are bad too
	n        int
}

// derived adds up the mappings of the current snapshot. The leaves are (process, category, subcategory).
type derived struct {
	list  []group
	index map[groupKey]int
	last  int
	lost  bool // a mapping could not be read: no sum is known
}

type groupKey struct {
	pid      int64
	process  Sym
	cat, sub Sym
}

func (d *derived) reset() { *d = derived{list: d.list[:0]} }

func (d *derived) add(pid Int, process Sym, m *Mapping) {
	g := d.find(pid, process, m.Category, m.Subcategory)
	g.n++
	for i := range m.Sizes {
		if m.Has&(1<<i) != 0 {
			if g.has&(1<<i) == 0 {
				g.lines[i] = m.Line
			}
			g.put(Size(i), m.Sizes[i])
		}
	}
	g.has |= m.Has
	g.bad |= m.Bad
	if m.Bad&(1<<MapSharedDirty|1<<MapPrivateDirty) != 0 {
		g.bad |= 1 << MapDirty
	}
}

// put adds to a sum, which is unknown where it leaves 64 bits.
func (g *group) put(s Size, v int64) {
	sum, ok := Sum(g.sizes[s], v)
	if !ok {
		g.bad |= 1 << s
		g.over |= 1 << s
		return
	}
	g.sizes[s] = sum
}

// Sum adds two figures; false beyond int64.
func Sum(a, b int64) (int64, bool) {
	if b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b {
		return 0, false
	}
	return a + b, true
}

func (d *derived) find(pid Int, process, cat, sub Sym) *group {
	if d.last < len(d.list) {
		if g := &d.list[d.last]; g.cat == cat && g.sub == sub && g.process == process && g.pid == pid {
			return g
		}
	}
	key := groupKey{pid.V, process, cat, sub}
	i, ok := d.index[key]
	if !ok {
		if d.index == nil {
			d.index = map[groupKey]int{}
		}
		i = len(d.list)
		d.index[key] = i
		d.list = append(d.list, group{pid: pid, process: process, cat: cat, sub: sub})
	}
	d.last = i
	return &d.list[i]
}

// fold joins the groups that become equal under cut, in the order of their first line.
func fold(list []group, cut func(*group)) []group {
	d := derived{}
	for i := range list {
		g := list[i]
		cut(&g)
		sum := d.find(g.pid, g.process, g.cat, g.sub)
		sum.n += g.n
		for s := range g.sizes {
			if g.has&(1<<s) != 0 {
				if sum.has&(1<<s) == 0 || g.lines[s] < sum.lines[s] {
					sum.lines[s] = g.lines[s]
				}
				sum.put(Size(s), g.sizes[s])
			}
		}
		sum.has |= g.has
		sum.bad |= g.bad
		sum.over |= g.over
	}
	return d.list
}

// derive writes the samples that the mappings of the snapshot add up to. A process total that the record prints
// itself is not written again; where the sum differs from it by more than the rounding of the rows (1 KiB a
// mapping), that is a problem.
func (b *Builder) derive() {
	defer b.sums.reset()
	list := b.sums.list
	if len(list) == 0 || b.sums.lost {
		return
	}
	printed := b.printed()
	pid, process := b.pid, b.process
	for _, g := range fold(list, func(g *group) { g.cat, g.sub = Null, Null }) {
		b.emit(&g, b.words.process, b.words.empty, printed)
	}
	for _, g := range fold(list, func(g *group) { g.sub = Null }) {
		if g.cat != Null {
			b.emit(&g, b.words.category, g.cat, nil)
		}
	}
	for i := range list {
		if list[i].sub != Null {
			b.emit(&list[i], b.words.subcategory, list[i].sub, nil)
		}
	}
	b.pid, b.process = pid, process
}

type printedKey struct {
	pid    Int
	metric Sym
}

// printed finds the process totals that the current snapshot states.
func (b *Builder) printed() map[printedKey]int64 {
	out := map[printedKey]int64{}
	rows := b.last(Samples)
	c := rows.cols
	for i := int(b.cur().first[Samples].row); i < rows.n; i++ {
		if c[sampleScope].syms[i] == b.words.process {
			pid := Int{c[samplePID].ints[i], c[samplePID].known(i)}
			out[printedKey{pid, c[sampleMetric].syms[i]}] = c[sampleValue].ints[i]
		}
	}
	return out
}

func (b *Builder) emit(g *group, scope, name Sym, printed map[printedKey]int64) {
	b.pid, b.process = g.pid, g.process
	put := func(metric Sym, value int64, line int) {
		if stated, ok := printed[printedKey{g.pid, metric}]; ok {
			b.reconcile(g, metric, value, stated)
			return
		}
		b.Add(Sample{Scope: scope, Name: name, Metric: metric, Value: value, Line: line})
	}
	two := func(metric Sym, first, second Size) {
		v, ok := Sum(g.sizes[first], g.sizes[second])
		if !ok {
			b.beyond(metric, g.lines[second])
			return
		}
		put(metric, v, g.lines[second])
	}
	for s := range g.sizes {
		if g.over&(1<<s) != 0 {
			b.beyond(b.words.sizes[s], g.lines[s])
		}
	}
	g.has &^= g.bad
	for s := range g.sizes {
		if g.has&(1<<s) != 0 && Size(s) != MapDirty {
			put(b.words.sizes[s], g.sizes[s], g.lines[s])
		}
	}
	if both := uint16(1<<MapPrivateClean | 1<<MapPrivateDirty); g.has&both == both {
		two(b.words.uss, MapPrivateClean, MapPrivateDirty)
	}
	if g.has&(1<<MapDirty) != 0 {
		put(b.words.dirty, g.sizes[MapDirty], g.lines[MapDirty])
	} else if both := uint16(1<<MapSharedDirty | 1<<MapPrivateDirty); g.has&both == both && g.bad&(1<<MapDirty) == 0 {
		two(b.words.dirty, MapSharedDirty, MapPrivateDirty)
	}
}

func (b *Builder) reconcile(g *group, metric Sym, sum, stated int64) {
	if diff := sum - stated; diff > int64(g.n)<<10 || -diff > int64(g.n)<<10 {
		b.Problems.Add(source.Pos{File: b.File, Line: b.cur().Line}, "the capture prints a total %s of %d bytes, but its %d rows add up to %d", b.String(metric), stated, g.n, sum)
	}
}

// Parts writes uss and dirty of a record that has their parts, as rows beside them: every format states them the
// same way. Unknown parts give no row.
func (b *Builder) Parts(scope, name Sym, privateClean, privateDirty, sharedDirty Int, line int) {
	for _, w := range []struct {
		metric Sym
		part   Int
	}{{b.words.uss, privateClean}, {b.words.dirty, sharedDirty}} {
		if !w.part.OK || !privateDirty.OK {
			continue
		}
		if v, ok := Sum(w.part.V, privateDirty.V); ok {
			b.Add(Sample{Scope: scope, Name: name, Metric: w.metric, Value: v, Line: line})
		} else {
			b.beyond(w.metric, line)
		}
	}
}

// beyond notes a sum that is not given.
func (b *Builder) beyond(metric Sym, line int) {
	b.Problems.Count(source.Pos{File: b.File, Line: line}, "want a sum of %s below 2^63 bytes, have a larger one: it is left out", b.String(metric))
}

// byLine sorts the sample rows [from, to) of a batch by their line, so that derived rows stand where their
// first mapping stands.
func (b *Batch) byLine(from, to int) {
	line := b.cols[sampleLine].ints
	order := make([]int, 0, to-from)
	sorted := true
	for i := from; i < to; i++ {
		order = append(order, i)
		sorted = sorted && (i == from || line[i-1] <= line[i])
	}
	if sorted {
		return
	}
	sort.SliceStable(order, func(i, j int) bool { return line[order[i]] < line[order[j]] })
	for i := range b.cols {
		b.cols[i].permute(from, order)
	}
}
