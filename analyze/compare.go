package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

// Compare holds two sides against each other. The run is the unit: each is reduced to its steady median, its peak and
// its end, and only those are compared. The verdict follows from the totals of the process; categories and mappings
// are looked at where a total changed.
func Compare(before, after []Capture, o Options) *Result {
	for i := range before {
		before[i].Side = "before"
	}
	for i := range after {
		after[i].Side = "after"
	}
	all := slices.Concat(before, after)
	r := o.result(all)
	c := comparison{r: r, o: o, names: map[Subject]string{}, sides: [2]*side{newSide(before), newSide(after)}}
	for i := range all {
		from := len(r.Findings)
		totals, mappings := all[i].tracks()
		_, totals = all[i].drivers(totals)
		r.holes(&all[i], totals)
		b := all[i].account()
		s, run := c.sides[b2i(i >= len(before))], i-b2i(i >= len(before))*len(before)
		s.add(run, slices.Concat(totals, c.alias(siteTracks(&all[i], b.sites))), mappings)
		s.list(run, b.sites)
		totals = append(totals, b.tracks(&all[i])...)
		c.stacks.add(b2i(i >= len(before)), &all[i], b)
		r.judge(&all[i], totals, mappings, o)
		r.service(&all[i], slices.Concat(totals, mappings), o.Objectives)
		r.devices(&all[i], b, totals)
		r.leaks(&all[i], b, o.Growth)
		r.mistakes(&all[i], b)
		r.faults(&all[i], b)
		r.account(&all[i], b, totals, from, o)
		r.classes(&all[i], totals, o.Classes)
		r.anchor(&all[i])
	}
	c.pairProcesses()
	c.totals()
	c.parts("category")
	c.parts("mapping")
	c.others()
	c.sites()
	r.Stacks = c.stacks.compared()
	c.soften()
	c.partial()
	r.findGrowth()
	r.besideLeaks()
	r.quote(o)
	c.settle()
	r.findRegressions()
	c.conclude()
	return r
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// side is the runs of one side, with the tracks of each subject by run.
type side struct {
	runs    int
	process []string
	tracks  map[Subject][]*track // longest part of each run, nil where a run lacks it
	known   map[Subject]bool     // (process, scope, "", metric) that any run has: what is missing beside it is 0
	lists   map[listing]bool     // whether a run lists all sites of a process that have anything alive
}

// listing is one run of a side, and one process whose sites it lists.
type listing struct {
	run     int
	process string
}

func newSide(captures []Capture) *side {
	return &side{runs: len(captures), tracks: map[Subject][]*track{}, known: map[Subject]bool{}, lists: map[listing]bool{}}
}

func (s *side) add(run int, totals, mappings []*track) {
	for _, k := range slices.Concat(totals, mappings) {
		if s.tracks[k.subject] == nil {
			s.tracks[k.subject] = make([]*track, s.runs)
		}
		if old := s.tracks[k.subject][run]; old == nil || len(k.y) > len(old.y) {
			s.tracks[k.subject][run] = k
		}
		s.known[Subject{k.subject.Process, k.subject.Scope, "", k.subject.Metric}] = true
	}
	s.process = append(s.process, processes(totals)...)
	slices.Sort(s.process)
	s.process = slices.Compact(s.process)
}

// comparison is the work of one Compare.
type comparison struct {
	r      *Result
	o      Options
	sides  [2]*side
	stacks pile

	renamed map[string]string  // process of the before side → the one it is paired with
	names   map[Subject]string // of sites, by what they are known by
}

// pairProcesses treats the only process of one side and the only one of the other as the same, whatever their names:
// builds rename processes. It says so.
func (c *comparison) pairProcesses() {
	for _, s := range c.sides {
		if len(s.process) == 0 { // captures of sites alone
			s.process = s.listed()
		}
	}
	b, a := c.sides[0].process, c.sides[1].process
	if len(b) != 1 || len(a) != 1 || b[0] == a[0] {
		if len(b) > 0 && len(a) > 0 && !slices.ContainsFunc(b, func(p string) bool { return slices.Contains(a, p) }) {
			c.warn("The two sides have no process in common: %s before, %s after.", strings.Join(b, ", "), strings.Join(a, ", "))
		}
		return
	}
	name := cmp.Or(a[0], b[0])
	c.warn("Processes of different names are compared: %s before, %s after.", cmp.Or(b[0], "one without a name"), cmp.Or(a[0], "one without a name"))
	c.renamed = map[string]string{b[0]: name}
	c.sides[0].rename(b[0], name)
	c.sides[1].rename(a[0], name)
	c.stacks.rename(b[0], name)
	c.stacks.rename(a[0], name)
}

func (c *comparison) warn(format string, args ...any) {
	c.r.Warnings = append(c.r.Warnings, fmt.Sprintf(format, args...))
}

func (s *side) rename(from, to string) {
	if from == to {
		return
	}
	tracks, known := map[Subject][]*track{}, map[Subject]bool{}
	for subject, ks := range s.tracks {
		if subject.Process == from {
			subject.Process = to
		}
		tracks[subject] = ks
	}
	for subject := range s.known {
		if subject.Process == from {
			subject.Process = to
		}
		known[subject] = true
	}
	lists := map[listing]bool{}
	for k, complete := range s.lists {
		if k.process == from {
			k.process = to
		}
		lists[k] = complete
	}
	s.tracks, s.known, s.lists = tracks, known, lists
}

// subjects lists what either side has in a scope, in order.
func (c *comparison) subjects(in func(Subject) bool) []Subject {
	seen := map[Subject]bool{}
	var out []Subject
	for _, s := range c.sides {
		for subject := range s.tracks {
			if in(subject) && !seen[subject] {
				seen[subject] = true
				out = append(out, subject)
			}
		}
	}
	slices.SortFunc(out, compareSubjects)
	return out
}

func compareSubjects(a, b Subject) int {
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Metric, b.Metric))
}

func (c *comparison) totals() {
	for _, s := range c.subjects(func(s Subject) bool { return s.Scope == "process" }) {
		c.r.Deltas = append(c.r.Deltas, c.delta(s, true, false))
	}
}

// others are counted things, pools, devices and the machine: each stands for itself.
func (c *comparison) others() {
	for _, s := range c.subjects(func(s Subject) bool {
		return s.Scope != "process" && s.Scope != "category" && s.Scope != "mapping" && !s.isSite()
	}) {
		c.r.Deltas = append(c.r.Deltas, c.delta(s, true, false))
	}
}

// level reduces the runs of a side. A part that the side's captures would show, but do not, is 0; anything else that
// is missing is not known.
func (c *comparison) level(s *side, subject Subject) (Level, [][]float64) {
	var l Level
	var peaks, ends []float64
	var steady [][]float64
	for run := range s.runs {
		k := s.trackOf(subject, run)
		if k == nil {
			if s.zero(subject, run) {
				l.Values, peaks, ends, steady = append(l.Values, 0), append(peaks, 0), append(ends, 0), append(steady, []float64{0})
			}
			continue
		}
		l.N += len(k.y)
		l.Values = append(l.Values, stat.Median(k.steady()))
		peaks, ends, steady = append(peaks, slices.Max(k.y)), append(ends, k.y[len(k.y)-1]), append(steady, k.steady())
	}
	l.Runs = len(l.Values)
	if l.Runs == 0 {
		return l, nil
	}
	lo, hi := slices.Min(l.Values), slices.Max(l.Values)
	l.Lo, l.Hi, l.Median, l.Peak, l.End = &lo, &hi, median(l.Values), median(peaks), median(ends)
	return l, steady
}

// zero says whether a subject that a run does not show is 0 there.
func (s *side) zero(subject Subject, run int) bool {
	known := s.known[Subject{subject.Process, subject.Scope, "", subject.Metric}]
	switch {
	case subject.Scope == "category", subject.Scope == "mapping":
		return known
	case subject.isSite() && subject.exact(): // a checker that gives the total of a process names all that it is made of
		return s.trackOf(Subject{Process: subject.Process, Scope: "process", Metric: subject.Metric}, run) != nil
	case subject.isSite():
		return known && s.lists[listing{run, subject.Process}]
	}
	return false
}

func (s *side) trackOf(subject Subject, run int) *track {
	if ks := s.tracks[subject]; ks != nil {
		return ks[run]
	}
	return nil
}

func median(v []float64) *float64 {
	m := stat.Median(v)
	return &m
}
