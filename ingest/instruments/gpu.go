package instruments

import (
	"cmp"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// gpuLog is what Metal allocations add to and take from the memory of each process. Allocations and deallocations may
// stand in nodes of their own, so they are added up in the order of their times when all are known.
type gpuLog struct {
	changes   []gpuChange
	processes interned[processOf]
}

type gpuChange struct {
	at, by  int64
	process int32
	line    int
}

func (g *gpuLog) add(at int64, p processOf, by int64, line int) {
	g.changes = append(g.changes, gpuChange{at, by, int32(g.processes.put(p)), line})
}

// write gives gpu_allocated after each change. Resources from before the recording may be freed in it: the sum is held at 0.
func (g *gpuLog) write(d *document) {
	slices.SortStableFunc(g.changes, func(a, b gpuChange) int { return cmp.Compare(a.at, b.at) })
	held := make([]int64, len(g.processes.list))
	for _, c := range g.changes {
		sum, ok := table.Sum(held[c.process], c.by)
		if sum < 0 || !ok {
			d.b.Problems.Count(d.s.in.At(c.line, 0), "deallocations beyond all allocations, of resources from before the recording: gpu_allocated is held at 0")
			sum = 0
		}
		held[c.process] = sum
		p := g.processes.list[c.process]
		d.b.Process(p.pid, p.name)
		d.b.Add(table.Sample{Scope: d.words.process, Name: d.words.empty, Metric: d.words.gpu, Value: sum, At: c.at, Line: c.line})
	}
}
