package heaptrack

import "strconv"

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
	notes  []note
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
		g.notes = append(g.notes, note{i, g.sites[i].state})
	}
	g.dirty = g.dirty[:0]
	g.epoch++
	if n := len(g.marks); n > 0 && g.marks[n-1].at == at {
		g.marks[n-1].end = len(g.notes)
		return
	}
	g.stamps++
	g.marks = append(g.marks, mark{at, len(g.notes), g.stamps})
	if len(g.marks) >= maxMarks && len(g.notes) > max(maxNotes, 16*len(g.sites)) {
		g.journal.thin(len(g.sites))
	}
}

// thin gives up every second mark: its changes go to the one behind it, the later of two of one site.
func (j *journal) thin(sites int) {
	seen := make([]int32, sites)
	var marks []mark
	kept, from := j.notes[:0], 0
	for k := 1 - len(j.marks)&1; k < len(j.marks); k += 2 { // the last mark stays
		m := j.marks[k]
		group := j.notes[from:m.end]
		from = m.end
		last := len(group)
		for i := len(group) - 1; i >= 0; i-- {
			if seen[group[i].site] != int32(k+1) {
				seen[group[i].site] = int32(k + 1)
				last--
				group[last] = group[i]
			}
		}
		kept = append(kept, group[last:]...)
		marks = append(marks, mark{m.at, len(kept), m.stamp})
	}
	j.marks, j.notes = marks, kept
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
	g := &r.ledger
	states, written := make([]state, len(g.sites)), make([]state, len(g.sites))
	chosen, from := g.chosen(), 0
	for k, m := range g.marks {
		for _, n := range g.notes[from:m.end] {
			states[n.site] = n.state
		}
		if from = m.end; chosen[k] {
			r.rows(states, written, m.at)
		}
	}
	for i := range g.sites {
		if s := g.sites[i].state; s.totalCount > 0 {
			r.row(int32(i), s, r.at)
		}
	}
	r.suppressed()
}

// rows writes the states at one stamp. A site that has nothing live and did nothing since its last row has none: absent
// is 0 here, and large captures have many of them.
func (r *reader) rows(states, written []state, at int64) {
	for i, s := range states {
		if s.liveCount > 0 || s != written[i] {
			r.row(int32(i), s, at)
			written[i] = s
		}
	}
}

// suppressed notes how many live blocks heaptrack_print leaves out of its totals; here they have rows.
func (r *reader) suppressed() {
	blocks := int64(0)
	for i := range r.ledger.sites {
		if s := &r.ledger.sites[i]; s.suppressed {
			blocks += s.liveCount
		}
	}
	r.b.Fact("suppressed", strconv.FormatInt(blocks, 10))
}
