package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// isSite says whether a subject is what is alive, or lost, of one allocation site or class of objects.
func (s Subject) isSite() bool {
	return s.Scope == "class" && (s.Metric == "live_bytes" || s.Metric == "live_count" || s.exact())
}

// list notes of which processes a run lists every site that has anything alive: one that is missing there is 0.
func (s *side) list(run int, sites []*site) {
	for _, x := range sites {
		k := listing{run, x.process}
		all, met := s.lists[k]
		s.lists[k] = x.complete && (all || !met)
	}
}

// sites compares what is alive by site, metric by metric of each process: those that changed most get a row.
func (c *comparison) sites() {
	groups := map[Subject][]Subject{}
	var order []Subject
	for _, s := range c.subjects(Subject.isSite) {
		all := Subject{Process: s.Process, Metric: s.Metric}
		if groups[all] == nil {
			order = append(order, all)
		}
		groups[all] = append(groups[all], s)
	}
	for _, all := range order {
		c.sitesOf(groups[all])
	}
}

// sitesOf compares the sites of one process in one metric. Their p values are adjusted together; the share of each is of what
// all of them changed by in sum.
func (c *comparison) sitesOf(subjects []Subject) {
	kept, sum := c.greatest(subjects)
	rows := make([]Delta, len(kept))
	for i, s := range kept {
		rows[i] = c.delta(s, true, false)
	}
	adjust(rows, c.o.AB.Q)
	for i := range rows {
		rows[i].siteOf(sum)
	}
	c.r.Deltas = append(c.r.Deltas, rows...)
}

// greatest keeps the subjects whose medians differ most, says what the others add up to, and gives the sum of all.
func (c *comparison) greatest(subjects []Subject) (kept []Subject, sum float64) {
	type ranked struct {
		subject Subject
		by      float64 // the difference
		size    float64 // the greater side
	}
	var all []ranked
	for _, s := range subjects {
		b, _ := c.level(c.sides[0], s)
		a, _ := c.level(c.sides[1], s)
		if b.Peak != nil && a.Peak != nil && *b.Peak == 0 && *a.Peak == 0 {
			continue // listed for what it has allocated, and nothing of it was alive
		}
		one := ranked{subject: s, size: max(value(b.Median), value(a.Median))}
		if b.Median != nil && a.Median != nil {
			one.by = *a.Median - *b.Median
			sum += one.by
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(math.Abs(y.by), math.Abs(x.by)), cmp.Compare(y.size, x.size), compareSubjects(x.subject, y.subject))
	})
	changed, rest := 0, 0.0
	for i, x := range all {
		if i < c.o.AB.MaxMappings {
			kept = append(kept, x.subject)
			continue
		}
		rest += x.by
		changed += b2i(x.by != 0)
	}
	if changed > 0 {
		c.warn("%d more sites changed their %s by less than those listed, by %+.0f in sum.", changed, subjects[0].Metric, rest)
	}
	slices.SortFunc(kept, compareSubjects)
	return kept, sum
}

// siteOf gives a site its share of the sum of changes, and marks what came and went.
func (d *Delta) siteOf(sum float64) {
	b, a := &d.Before, &d.After
	if b.Median == nil || a.Median == nil {
		return
	}
	if sum != 0 {
		share := (*a.Median - *b.Median) / sum
		d.Share = &share
	}
	switch {
	case *b.Peak == 0 && *a.Peak > 0:
		d.Verdict = New
	case *b.Peak > 0 && *a.Peak == 0:
		d.Verdict = Removed
	}
}

// listed gives the processes of which a side has sites, in order of their names.
func (s *side) listed() []string {
	var out []string
	for k := range s.lists {
		out = append(out, k.process)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bySites is the verdict where no total of a process was measured on both sides: sites pass where none changed. That single sites
// changed does not say that the whole did, so the greatest change is named and the verdict left open.
func (r *Result) bySites() (Outcome, string) {
	var most *Delta
	n := 0
	for i := range r.Deltas {
		d := &r.Deltas[i]
		if !d.Subject.isSite() || d.Shift == nil || most != nil && d.Subject.Metric != most.Subject.Metric {
			continue
		}
		n++
		if most == nil || math.Abs(*d.Shift) > math.Abs(*most.Shift) {
			most = d
		}
	}
	switch {
	case most == nil:
		return Inconclusive, "The two sides have no metric of a process in common."
	case unmoved(r.Deltas):
		return Pass, fmt.Sprintf("Nothing changed at %s: both sides have the same values.%s", plural(n, "site"), r.kept())
	case *most.Shift == 0:
		return Inconclusive, "No total of a process was measured on both sides, and what changed at single sites is not known."
	}
	return Inconclusive, fmt.Sprintf("No total of a process was measured on both sides. Of %s one changed most: %s %s.", plural(n, "site"), title(most.Subject), most.moved())
}

// moved is the change of a site in words: bytes or objects, and by what part of before.
func (d *Delta) moved() string {
	text := signed(*d.Shift)
	if table.MetricOf(d.Subject.Metric).Unit == "count" {
		text = fmt.Sprintf("%+.0f", *d.Shift)
	}
	switch {
	case d.Relative != nil:
		text += fmt.Sprintf(" (%+.1f %%)", 100**d.Relative)
	case d.Verdict == New:
		text += " (new)"
	}
	return text
}
