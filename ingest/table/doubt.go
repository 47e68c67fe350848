package table

import (
	"fmt"

	"github.com/memtide/memtide/ingest/source"
)

// Doubt is what makes one think that the end of an input is missing, though it does not prove it.
type Doubt struct {
	source.Pos
	Found string
}

// use is the inputs of one format, or those among them of one process.
type use struct {
	format string
	pid    Int
}

// settleDoubts compares the inputs of a run. Where most of a format have the end that one is in doubt to have lost, that
// one was cut, and its sums would be false: its rows are dropped. A process of which no input has that end is made in
// another way: its rows stay. In any case there is a problem.
func settleDoubts(parts []*Part) {
	whole, all := map[use]int{}, map[use]int{}
	for _, p := range parts {
		if !p.Whole && p.Doubt == nil {
			continue
		}
		for _, u := range []use{{format: p.Format}, {p.Format, p.onePID()}} {
			all[u]++
			if p.Whole {
				whole[u]++
			}
		}
	}
	for _, p := range parts {
		if p.Doubt == nil {
			continue
		}
		run, own := use{format: p.Format}, use{p.Format, p.onePID()}
		told := p.Doubt.Found + ": the capture may be cut"
		if len(p.snapshots) == 1 && 2*whole[run] > all[run] && (whole[own] > 0 || all[own] == 1) {
			told = fmt.Sprintf("snapshot dropped: %s, as %d of %d files of the run do", p.Doubt.Found, whole[run], all[run])
			p.forget()
		}
		p.problems = append(p.problems, source.Problem{Pos: p.Doubt.Pos, Message: told, Count: 1})
	}
}

// onePID is the process of the first mapping.
func (p *Part) onePID() Int {
	for _, b := range p.tables[Mappings] {
		if b.n > 0 && b.cols[mapPID].known(0) {
			return Known(b.cols[mapPID].ints[0])
		}
	}
	return Int{}
}

// forget drops all rows.
func (p *Part) forget() {
	for t := range p.tables {
		p.tables[t] = []*Batch{newBatch(Schemas[t])}
	}
	p.snapshots, p.twins = nil, nil
}
