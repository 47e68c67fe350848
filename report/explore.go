package report

import (
	"math"
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Explore is every series of a result, the one that matters most first: what the tables of a report name the first rows of.
type Explore struct {
	Sides   bool // the levels are those before and after; else the first and the last sample
	Rows    []Entry
	Omitted string // what was left out, in a sentence; empty if nothing
}

// Entry is one series, with its line over time where it can be drawn. From, To and Change are in the raw unit of the metric
// and nil where they are not known.
type Entry struct {
	ID                           string // the same in every report of the subject
	Process, Scope, Name, Metric string
	Kind                         unit.Kind
	From, To, Change             *float64
	Verdict, Mark                string
	Tone                         Tone
	Chart                        *Chart
	weight                       int
	subject                      analyze.Subject
}

// The bounds of what can be explored: rows, and points of all lines together.
const (
	mostEntries = 5000
	mostPoints  = 40_000
	fewPoints   = 40 // of one line; where that is too much, the last rows have none
)

// explore collects the series; nil where there are none.
func (s *story) explore() *Explore {
	e := &Explore{Sides: s.twoSided()}
	seen := map[analyze.Subject]bool{}
	for _, d := range s.Deltas {
		if !seen[d.Subject] {
			seen[d.Subject] = true
			e.Rows = append(e.Rows, s.deltaEntry(d))
		}
	}
	for _, v := range matters(s.Series) {
		if !seen[v.Subject] {
			seen[v.Subject] = true
			e.Rows = append(e.Rows, s.seriesEntry(v, e.Sides))
		}
	}
	e.Rows = slices.DeleteFunc(e.Rows, func(r Entry) bool {
		return value(r.From) == 0 && value(r.To) == 0 && r.weight < changeWeight[analyze.Unsettled]
	})
	if len(e.Rows) == 0 {
		return nil
	}
	e.Rows = sorted(e.Rows,
		by(func(r Entry) int { return -r.weight }),
		by(func(r Entry) float64 { return -math.Abs(value(r.Change)) }),
		by(func(r Entry) string { return r.Process + "\x00" + r.Scope + "\x00" + r.Name }),
		by(func(r Entry) int { return rank(r.Metric) }))
	if n := len(e.Rows); n > mostEntries {
		e.Rows = e.Rows[:mostEntries]
		e.Omitted = plural(n-mostEntries, "series is", "series are") + " not listed; all are in the JSON result."
	}
	s.drawEntries(e.Rows)
	return e
}

func (s *story) entry(sub analyze.Subject) Entry {
	return Entry{ID: anchor("series", sub), Process: s.processName(sub.Process), Scope: name(sub.Scope), Name: name(sub.Name), Metric: name(sub.Metric),
		Kind: kindOf(sub.Metric), subject: sub}
}

func (s *story) deltaEntry(d analyze.Delta) Entry {
	r := s.entry(d.Subject)
	r.From, r.To, r.Change = finite(d.Before.Median), finite(d.After.Median), finite(moved(d))
	r.Verdict, r.Tone, r.Mark, r.weight = clean(string(d.Verdict)), changeTone[d.Verdict], changeMark[d.Verdict], changeWeight[d.Verdict]
	return r
}

// seriesEntry is a series that nothing is compared of: in a comparison its level on the side that it is on.
func (s *story) seriesEntry(v analyze.Series, sides bool) Entry {
	r := s.entry(v.Subject)
	r.Verdict, r.Tone, r.Mark, r.weight = clean(string(v.Verdict)), seriesTone(v), seriesMark[v.Verdict], weightOf(v)
	switch {
	case !sides:
		grown := float64(v.Last) - float64(v.First)
		r.From, r.To, r.Change = floatOf(v.First), floatOf(v.Last), &grown
	case v.Side == "before":
		r.From = floatOf(v.Steady)
	default:
		r.To = floatOf(v.Steady)
	}
	if sides {
		r.weight = 0
	}
	return r
}

func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// drawEntries gives the rows their lines, with as many points each as all of them together may have.
func (s *story) drawEntries(rows []Entry) {
	lines := map[analyze.Subject][]analyze.Timeline{}
	for _, t := range s.Timeline {
		if usable(t) > 1 {
			lines[t.Subject] = append(lines[t.Subject], t)
		}
	}
	sides := 1
	if s.twoSided() {
		sides = 2
	}
	few := *s
	few.limit.Columns = min(s.limit.Columns, max(fewPoints, mostPoints/(sides*max(1, len(lines)))))
	left := mostPoints + mostPoints/2
	for i := range rows {
		of := lines[rows[i].subject]
		if len(of) == 0 || left <= 0 {
			continue
		}
		c := few.lines(&rows[i].subject, of, false)
		for _, l := range c.Lines {
			left -= len(l.Points)
		}
		if slices.ContainsFunc(c.Lines, func(l Line) bool { return len(l.Points) > 1 }) {
			rows[i].Chart = c
		}
	}
}

// link leads the findings to their series and stacks.
func (s *story) link(sections []Section, e *Explore) {
	known := map[string]bool{}
	if e != nil {
		for _, r := range e.Rows {
			known[r.ID] = true
		}
	}
	var flame *Flame
	var found []*Findings
	for _, section := range sections {
		for _, b := range section.Blocks {
			switch b := b.(type) {
			case *Flame:
				if flame == nil {
					flame = b
				}
			case *Findings:
				found = append(found, b)
			}
		}
	}
	for _, f := range found {
		for i := range f.Items {
			if item := &f.Items[i]; !known[item.Series] {
				item.Series = ""
			}
			if flame != nil {
				f.Items[i].Chain = flame.chainOf(f.Items[i].Stack)
			}
		}
	}
}
