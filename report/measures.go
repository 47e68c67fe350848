package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// mostRows is how many rows a table on the first screen has.
const mostRows = 8

// measure is what the choice of rows for a first table looks at: a total before and after, or first and last.
type measure struct {
	subject analyze.Subject
	from    *float64
	to      *float64
	worse   bool // to be seen whatever it is
	told    bool // the headline is about it
}

// chosen is the outcome: the rows to show in the order of tables, all others, and what is said of those.
type chosen struct {
	shown, others []int
	twins         []string // the metrics that moved like one that is shown
	notes         []Note
}

// choose picks at most mostRows measures: the leading ones, those that got worse, then the other firsts. What is 0 on
// both sides is no news, and what moved just as a row that is shown is named below the table instead of shown again.
func choose(ms []measure) chosen {
	c := chooser{ms: ms, twins: map[int][]string{}}
	order := make([]int, len(ms))
	for i := range order {
		order[i] = i
	}
	for _, i := range sorted(order, by(func(i int) int { return c.class(i) }), by(func(i int) int { return ms[i].place() })) {
		c.offer(i)
	}
	if len(c.shown) == 0 {
		c.shown = order[:min(len(order), mostRows)]
	}
	slices.Sort(c.shown)
	out := chosen{shown: c.shown, twins: c.alike}
	for _, i := range order {
		if !slices.Contains(c.shown, i) {
			out.others = append(out.others, i)
		}
	}
	out.notes = c.notes()
	return out
}

func deltaMeasures(ds []analyze.Delta) []measure {
	ms := make([]measure, len(ds))
	for i, d := range ds {
		ms[i] = measure{subject: d.Subject, from: d.Before.Median, to: d.After.Median, worse: d.Verdict == analyze.Regression}
	}
	return ms
}

// seriesMeasures are totals from first to last; a leak is to be seen, unless it is too small to matter.
func seriesMeasures(of []analyze.Series) []measure {
	ms := make([]measure, len(of))
	for i, v := range of {
		ms[i] = measure{subject: v.Subject, from: floatOf(v.First), to: floatOf(v.Last), worse: v.Verdict == analyze.Leak && v.Severity != "note"}
	}
	return ms
}

// mark says of the measures which one the headline is about: that of the worst finding of growth.
func (s *story) mark(ms []measure) []measure {
	at := slices.IndexFunc(s.Findings, func(f analyze.Finding) bool { return f.Rule == "growth" && f.Severity != "note" })
	for i := range ms {
		ms[i].told = at >= 0 && ms[i].subject == s.Findings[at].Subject
	}
	return ms
}

// twins are the metrics of a process that move like one that a first table shows.
func (s *story) twins(process string) []string {
	if len(s.Deltas) > 0 {
		return choose(deltaMeasures(s.deltas(process, isHead))).twins
	}
	return choose(s.mark(seriesMeasures(matters(s.headsOf(process, unit.Bytes))))).twins
}

type chooser struct {
	ms    []measure
	shown []int
	twins map[int][]string // by the row that is shown: what moved alike
	alike []string         // the metrics of these
	left  []string         // worse, and no room
}

// notes say which measures moved like one that is shown, and which are worse and found no room.
func (c *chooser) notes() []Note {
	var notes []Note
	var same []string
	for _, i := range c.shown {
		names := distinct(c.twins[i], func(n string) string { return n })
		if len(names) == 0 { // of several runs each has its twins
			continue
		}
		if text := fmt.Sprintf("as %s: %s", label(c.ms[i].subject), enumerate(names, 6)); !slices.Contains(same, text) {
			same = append(same, text)
		}
	}
	c.left = distinct(c.left, func(n string) string { return n })
	if len(same) > 0 {
		notes = append(notes, Note{Text: "The same " + strings.Join(same, "; ") + "."})
	}
	if len(c.left) > 0 {
		notes = append(notes, Note{Text: fmt.Sprintf("Worse too, among the other measures: %s.", enumerate(c.left, 6))})
	}
	return notes
}

// class is how early a measure is chosen; the last class is only shown where all measures fit into one table.
func (c *chooser) class(i int) int {
	switch m := c.ms[i]; {
	case m.told && m.worse:
		return -1
	case slices.Contains(leading, m.subject.Metric):
		return 0
	case m.worse:
		return 1
	case slices.Contains(firsts, m.subject.Metric):
		return 2
	}
	return 3
}

func (c *chooser) offer(i int) {
	m, class := c.ms[i], c.class(i)
	if m.empty() || class == 3 && len(c.ms) > mostRows {
		return
	}
	if twin := c.twin(m); twin >= 0 && class > 0 {
		c.twins[twin] = append(c.twins[twin], label(m.subject))
		c.alike = append(c.alike, m.subject.Metric)
		return
	}
	if len(c.shown) < mostRows {
		c.shown = append(c.shown, i)
	} else if m.worse {
		c.left = append(c.left, label(m.subject))
	}
}

// twin finds the row that moved most like a measure, or -1.
func (c *chooser) twin(m measure) int {
	best, found := math.Inf(1), -1
	for _, i := range c.shown {
		o := c.ms[i]
		if o.subject.Name != m.subject.Name || o.worse != m.worse || !alike(o.from, m.from, m.kind()) || !alike(o.to, m.to, m.kind()) {
			continue
		}
		if d := math.Abs(value(o.from)-value(m.from)) + math.Abs(value(o.to)-value(m.to)); d < best {
			best, found = d, i
		}
	}
	return found
}

// alike says whether two levels differ by less than a reader cares for: half a percent, or four pages.
func alike(a, b *float64, kind unit.Kind) bool {
	if a == nil || b == nil {
		return a == b
	}
	near := 0.005 * math.Abs(*a)
	if kind == unit.Bytes {
		near = math.Max(near, 16<<10)
	}
	return math.Abs(*a-*b) <= near
}

func (m measure) kind() unit.Kind { return kindOf(m.subject.Metric) }

// empty says that there is nothing to see: unknown or 0 on both sides.
func (m measure) empty() bool { return value(m.from) == 0 && value(m.to) == 0 }

// place is the order within a class.
func (m measure) place() int {
	for _, list := range [][]string{leading, firsts} {
		if i := slices.Index(list, m.subject.Metric); i >= 0 {
			return i
		}
	}
	return len(firsts) + rank(m.subject.Metric)
}

// takes are the elements of a list at some places.
func takes[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, p := range places {
		out[i] = list[p]
	}
	return out
}
