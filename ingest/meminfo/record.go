package meminfo

import (
	"math"

	"github.com/memtide/memtide/ingest/table"
)

// figure is one of the figures that a record can have; none is known and not stored.
type figure uint8

const (
	none figure = iota
	pss
	sharedDirty
	privateDirty
	sharedClean
	privateClean
	swap
	swapPSS
	rss
	heapSize
	heapAlloc
	heapFree
	count
	liveBytes
	numFigures
)

var metrics = [numFigures]string{"", "pss", "shared_dirty", "private_dirty", "shared_clean", "private_clean", "swap", "swap_pss", "rss",
	"heap_size", "heap_alloc", "heap_free", "count", "live_bytes"}

// words are the strings of every record, numbered once.
type words struct {
	metric                                                            [numFigures]table.Sym
	empty                                                             table.Sym
	process, category, subcategory, summary, oom, class, pool, system table.Sym
}

func (w *words) init(b *table.Builder) {
	for f := pss; f < numFigures; f++ {
		w.metric[f] = b.Text(metrics[f])
	}
	w.empty = b.Text("")
	w.process, w.category, w.subcategory, w.summary = b.Text("process"), b.Text("category"), b.Text("subcategory"), b.Text("summary")
	w.oom, w.class, w.pool, w.system = b.Text("oom"), b.Text("class"), b.Text("pool"), b.Text("system")
}

// record is the figures of one line about one thing, in bytes or as counts.
type record struct {
	scope, name table.Sym
	line        int
	has         uint16 // bit f: figure f is known
	quiet       uint16 // bit f: figure f is known, but a record of its own states it
	v           [numFigures]int64
}

func (r *record) set(f figure, v int64) {
	r.v[f] = v
	r.has |= 1 << f
}

func (r *record) get(f figure) table.Int {
	return table.Int{V: r.v[f], OK: (r.has|r.quiet)&(1<<f) != 0}
}

// emit writes a record as samples, with the uss and dirty that its parts give.
func (w *words) emit(b *table.Builder, r *record) {
	for f := pss; f < numFigures; f++ {
		if r.has&(1<<f) != 0 {
			b.Add(table.Sample{Scope: r.scope, Name: r.name, Metric: w.metric[f], Value: r.v[f], Line: r.line})
		}
	}
	if r.has&(1<<privateDirty) != 0 {
		b.Parts(r.scope, r.name, r.get(privateClean), r.get(privateDirty), r.get(sharedDirty), r.line)
	}
}

// kib turns KiB into bytes; false beyond int64.
func kib(n int64) (int64, bool) {
	if n > math.MaxInt64>>10 || n < math.MinInt64>>10 {
		return 0, false
	}
	return n << 10, true
}
