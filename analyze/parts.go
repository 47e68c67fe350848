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

// adjust corrects the p values of rows tested together.
func adjust(rows []Delta, q float64) {
	var p []float64
	var at []int
	for i := range rows {
		if rows[i].P != nil {
			p, at = append(p, *rows[i].P), append(at, i)
		}
	}
	for k, v := range stat.BenjaminiHochberg(p) {
		rows[at[k]].PAdjusted = &v
		if d := &rows[at[k]]; v > q && (d.Verdict == Regression || d.Verdict == Improvement) {
			d.Verdict, d.Note = Unsettled, fmt.Sprintf("not significant among %d rows (adjusted p %.3g)", len(p), v)
		}
	}
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
		d.Verdict, d.Note = Unsettled, "the total did not change: this is a move between parts"
	}
	switch {
	case d.Before.Peak == nil || d.After.Peak == nil:
	case *d.Before.Peak == 0 && *d.After.Peak > 0:
		d.Verdict = New
	case *d.Before.Peak > 0 && *d.After.Peak == 0:
		d.Verdict = Removed
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
