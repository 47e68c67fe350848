package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// parts compares the categories or mappings of each process and metric. They are tested only where the total of
// that metric changed (gate-keeping), with p adjusted by Benjamini and Hochberg; the others are described.
func (c *comparison) parts(scope string) {
	groups := map[Subject][]Subject{}
	var order []Subject
	for _, s := range c.subjects(func(s Subject) bool { return s.Scope == scope }) {
		total := Subject{Process: s.Process, Scope: "process", Metric: s.Metric}
		if groups[total] == nil {
			order = append(order, total)
		}
		groups[total] = append(groups[total], s)
	}
	for _, total := range order {
		c.partsOf(scope, c.find(total), groups[total])
	}
}

func (c *comparison) find(s Subject) *Delta {
	for i := range c.r.Deltas {
		if c.r.Deltas[i].Subject == s {
			return &c.r.Deltas[i]
		}
	}
	return nil
}

func (c *comparison) partsOf(scope string, total *Delta, subjects []Subject) {
	changed := total != nil && (total.Verdict == Regression || total.Verdict == Improvement)
	var rows []Delta
	unchanged := 0
	for _, s := range subjects {
		d := c.delta(s, changed && scope == "category", changed)
		if scope == "mapping" && d.Shift != nil && *d.Shift == 0 {
			unchanged++
			continue
		}
		rows = append(rows, d)
	}
	adjust(rows, c.o.AB.Q)
	for i := range rows {
		c.finish(&rows[i], total, changed)
	}
	if scope == "mapping" {
		rows = c.largest(rows, unchanged, subjects[0])
	}
	c.r.Deltas = append(c.r.Deltas, rows...)
}

// adjust corrects the p values of rows tested together. A verdict that does not stand among them is taken back, unless the
// runs are too few for any single row to stand: then it is kept where the two sides do not overlap, the clearest that so many runs
// can be.
func adjust(rows []Delta, q float64) {
	var p []float64
	var at []int
	for i := range rows {
		if rows[i].P != nil {
			p, at = append(p, *rows[i].P), append(at, i)
		}
	}
	for k, v := range stat.BenjaminiHochberg(p) {
		d := &rows[at[k]]
		d.PAdjusted = &v
		if v <= q || d.Verdict != Regression && d.Verdict != Improvement {
			continue
		}
		if leastP(d.Before.Runs, d.After.Runs)*float64(len(p)) > q && d.apart() {
			d.Note = fmt.Sprintf("the runs of the two sides do not overlap; no row of %d could be clearer with so few runs (adjusted p %.3g)", len(p), v)
			continue
		}
		d.Verdict, d.Note = Unsettled, fmt.Sprintf("not significant among %d rows (adjusted p %.3g)", len(p), v)
	}
}

// leastP is the p value of m and n runs that do not overlap: two of all the ways to choose m of them.
func leastP(m, n int) float64 {
	p := 2.0
	for i := 1; i <= m; i++ {
		p *= float64(i) / float64(n+i)
	}
	return min(p, 1)
}

// apart says whether every run of one side lies beyond every run of the other.
func (d *Delta) apart() bool {
	return *d.Before.Hi < *d.After.Lo || *d.After.Hi < *d.Before.Lo
}

// finish gives a part its share of the total's change, marks what came and went, and takes back a verdict that the
// total does not carry.
func (c *comparison) finish(d *Delta, total *Delta, changed bool) {
	if total != nil && total.Before.Median != nil && total.After.Median != nil && d.Before.Median != nil && d.After.Median != nil {
		if all := *total.After.Median - *total.Before.Median; all != 0 {
			share := (*d.After.Median - *d.Before.Median) / all
			d.Share = &share
		}
	}
	if !changed && (d.Verdict == Regression || d.Verdict == Improvement) {
		d.keep(total)
	}
	switch {
	case d.Before.Peak == nil || d.After.Peak == nil:
	case *d.Before.Peak == 0 && *d.After.Peak > 0:
		d.Verdict = New
	case *d.Before.Peak > 0 && *d.After.Peak == 0:
		d.Verdict = Removed
	}
}

// keep decides on a part that changed while its total did not. It stands where the total is not settled, moved the same way, and
// the part alone changed by more than is tolerated of the total: then the spread of other parts hides it there.
func (d *Delta) keep(total *Delta) {
	switch {
	case total == nil || total.Verdict != Unsettled || total.Shift == nil:
		d.Verdict, d.Note = Unsettled, "the total did not change: this is a move between parts"
	case d.ShiftLo != nil && *d.ShiftLo > total.Band && *total.Shift > 0, d.ShiftHi != nil && *d.ShiftHi < -total.Band && *total.Shift < 0:
		d.Note = "the total is not settled, but this part alone changed by more than is tolerated of the total"
	default:
		d.Verdict, d.Note = Unsettled, "the total is not settled, and this is less than is tolerated of it"
	}
}

// largest keeps the rows that changed most and says how many were left out.
func (c *comparison) largest(rows []Delta, unchanged int, of Subject) []Delta {
	slices.SortStableFunc(rows, func(a, b Delta) int {
		return cmp.Or(cmp.Compare(math.Abs(value(b.Shift)), math.Abs(value(a.Shift))), compareSubjects(a.Subject, b.Subject))
	})
	left := max(0, len(rows)-c.o.AB.MaxMappings)
	if left > 0 {
		c.warn("%d more mappings changed their %s by less than those listed; %d did not change.", left, of.Metric, unchanged)
	}
	return rows[:len(rows)-left]
}
