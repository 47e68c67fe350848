package pprof

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// book collects the sites of a profile: stacks that are equal are one row, added.
type book struct {
	in    *source.Input
	b     *table.Builder
	rows  []table.Site
	index map[key]int
}

// key is what tells rows apart.
type key struct {
	leaf          int64
	class, device table.Sym
}

func newBook(in *source.Input, b *table.Builder) *book {
	return &book{in: in, b: b, index: map[key]int{}}
}

// add notes a site. A sum beyond 63 bits is unknown, and a problem.
func (k *book) add(s table.Site) {
	id := key{s.Stack, s.Class, s.Device}
	i, ok := k.index[id]
	if !ok {
		k.index[id] = len(k.rows)
		k.rows = append(k.rows, s)
		return
	}
	r := &k.rows[i]
	for _, pair := range [...][2]*table.Int{{&r.LiveBytes, &s.LiveBytes}, {&r.LiveCount, &s.LiveCount}, {&r.TotalBytes, &s.TotalBytes}, {&r.TotalCount, &s.TotalCount}} {
		*pair[0] = k.sum(*pair[0], *pair[1], s.Line)
	}
}

func (k *book) sum(x, y table.Int, line int) table.Int {
	if !x.OK || !y.OK {
		return table.Int{}
	}
	v, ok := table.Sum(x.V, y.V)
	if !ok {
		k.b.Problems.Count(k.in.At(line, 0), "want sums that fit in 63 bits, have a larger one: it is not known")
	}
	return table.Int{V: v, OK: ok}
}

// write makes the rows.
func (k *book) write() {
	k.b.Reserve(table.Sites, len(k.rows))
	for _, s := range k.rows {
		k.b.Site(s)
	}
}

// total writes heap_alloc, the sum of the live bytes, at a line. Where one of them is not known neither is the sum, and
// less than nothing is the difference of two profiles.
func (k *book) total(line int) {
	sum := table.Known(0)
	for i := range k.rows {
		sum = k.sum(sum, k.rows[i].LiveBytes, k.rows[i].Line)
	}
	if sum.OK && sum.V < 0 {
		k.b.Problems.Add(k.in.At(line, 0), "want live bytes, have a sum of %d: the profile is the difference of two, or the profiler missed allocations", sum.V)
		return
	}
	if sum.OK {
		k.b.Add(table.Sample{Scope: k.b.Text("process"), Name: k.b.Text(""), Metric: k.b.Text("heap_alloc"), Value: sum.V, Line: line})
	}
}
