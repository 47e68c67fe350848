package heaptrack

import (
	"strconv"

	"github.com/memtide/memtide/ingest/blocks"
	"github.com/memtide/memtide/ingest/table"
)

const (
	points   = 20         // times at which sites have rows, the last one included
	maxMarks = 4 * points // kept at least, when the journal is thinned
	maxNotes = 1 << 19    // changes kept before the journal is thinned, in a capture of few sites
)

// journal holds the states of sites at time stamps, as changes from one to the next. Which stamps become rows is known
// only at the end, so all are kept; when the changes are many more than the sites, every second stamp is given up. What
// it takes is bounded by the number of sites.
type journal struct {
	marks  []mark
	notes  blocks.List[note]
	stamps int
}

// mark is a time stamp: where its changes end.
type mark struct {
	at    int64
	end   int
	stamp int // its number, from 1
}

// note is the state of a site at a mark.
type note struct {
	site int32
	state
}

// stamp keeps the states of the sites that have changed. Two stamps of one time are one.
func (g *ledger) stamp(at int64) {
	for _, i := range g.dirty {
		g.notes.Add(note{i, g.sites.At(int(i)).state})
	}
	g.dirty = g.dirty[:0]
	g.epoch++
	if n := len(g.marks); n > 0 && g.marks[n-1].at == at {
		g.marks[n-1].end = g.notes.Len()
		return
	}
	g.stamps++
	g.marks = append(g.marks, mark{at, g.notes.Len(), g.stamps})
	if len(g.marks) >= maxMarks && g.notes.Len() > max(maxNotes, 16*g.sites.Len()) {
		g.journal.thin(g.sites.Len())
	}
}

// thin gives up every second mark: its changes go to the one behind it, the later of two of one site.
func (j *journal) thin(sites int) {
	seen := make([]int32, sites)
	var marks []mark
	kept, from := 0, 0
	for k := 1 - len(j.marks)&1; k < len(j.marks); k += 2 { // the last mark stays
		m := j.marks[k]
		for i := j.gather(from, m.end, seen, int32(k+1)); i < m.end; i++ {
			*j.notes.At(kept) = *j.notes.At(i)
			kept++
		}
		from = m.end
		marks = append(marks, mark{m.at, kept, m.stamp})
	}
	j.marks = marks
	j.notes.Truncate(kept)
}

// gather moves the last note of each site of a group to its end, and gives where they begin. Seen has the number of the group that a
// site was met in.
func (j *journal) gather(from, to int, seen []int32, group int32) int {
	last := to
	for i := to - 1; i >= from; i-- {
		n := j.notes.At(i)
		if seen[n.site] != group {
			seen[n.site] = group
			last--
			*j.notes.At(last) = *n
		}
	}
	return last
}

// chosen says which marks become rows: the stamps ceil(k n / 20), or the next one that is kept.
func (j *journal) chosen() []bool {
	out := make([]bool, len(j.marks))
	i := 0
	for k := 1; k < points; k++ {
		target := (k*j.stamps + points - 1) / points
		for i < len(j.marks)-1 && j.marks[i].stamp < target {
			i++
		}
		if i < len(j.marks)-1 {
			out[i] = true
		}
	}
	return out
}

// writeSites writes the rows of sites at the chosen stamps, and those of all that have allocated at the last one. What
// stands behind the last stamp counts for it.
func (r *reader) writeSites() {
	g, rows := &r.ledger, 0
	g.replay(func(int32, *past, int64) { rows++ })
	for i := range g.sites.Len() {
		if g.sites.At(i).totalCount > 0 {
			rows++
		}
	}
	r.b.Reserve(table.Sites, rows)
	g.replay(func(i int32, p *past, at int64) { r.row(i, g.notes.At(int(p.note)).state, at) })
	for i := range g.sites.Len() {
		if s := g.sites.At(i).state; s.totalCount > 0 {
			r.row(int32(i), s, r.at)
		}
	}
	r.suppressed()
}

// past is a site while the journal is gone through.
type past struct {
	note  int32 // its latest
	span  int32 // between two chosen stamps, in which that is; from 1
	alive bool
}

// replay visits the rows of the sites at the chosen stamps. A site that has nothing live and did nothing since its last row has
// none: absent is 0 here, and large captures have many of them.
func (g *ledger) replay(visit func(site int32, p *past, at int64)) {
	sites, chosen := make([]past, g.sites.Len()), g.chosen()
	note, span := 0, int32(1)
	for k, m := range g.marks {
		for ; note < m.end; note++ {
			n := g.notes.At(note)
			sites[n.site] = past{int32(note), span, n.liveCount > 0}
		}
		if !chosen[k] {
			continue
		}
		for i := range sites {
			if p := &sites[i]; p.alive || p.span == span {
				visit(int32(i), p, m.at)
			}
		}
		span++
	}
}

// suppressed notes how many live blocks heaptrack_print leaves out of its totals; here they have rows.
func (r *reader) suppressed() {
	blocks := int64(0)
	for i := range r.ledger.sites.Len() {
		if s := r.ledger.sites.At(i); s.suppressed {
			blocks += s.liveCount
		}
	}
	r.b.Fact("suppressed", strconv.FormatInt(blocks, 10))
}
