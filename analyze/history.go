package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// History is one subject over a series of builds, the oldest first: its level in each, where it changed, and how far it has
// drifted. Only what is better low or high has one.
type History struct {
	Subject    Subject       `json:"subject"`
	Builds     []BuildLevel  `json:"builds"`
	Changes    []ChangePoint `json:"changes"`
	Drift      *Drift        `json:"drift"`      // nil where the newest build or what it is held against lacks the subject
	Noise      *float64      `json:"noise"`      // standard deviation of one build about the level of its time
	Resolvable *float64      `json:"resolvable"` // the least lasting change of the newest builds that would have been told
	Band       float64       `json:"band"`       // a change within this is of no account
	Verdict    Change        `json:"verdict"`    // of the newest build against the builds before it
	Note       string        `json:"note"`
}

// BuildLevel is the level of a subject in one build. Runs is 0 where the build lacks it.
type BuildLevel struct {
	Build string `json:"build"`
	Date  string `json:"date,omitempty"` // of the first sample of the build's captures, RFC 3339, if they say it
	Level
	Least    *float64 `json:"least"` // sample of any run; what a red line is held against
	Greatest *float64 `json:"greatest"`
}

// reach widens the least and the greatest by a sample.
func (b *BuildLevel) reach(v float64) {
	if b.Least == nil || v < *b.Least {
		b.Least = &v
	}
	if b.Greatest == nil || v > *b.Greatest {
		b.Greatest = &v
	}
}

// ChangePoint is a build from which on the level is another one.
type ChangePoint struct {
	Build      string   `json:"build"` // the first with the new level
	Index      int      `json:"index"` // of that build, from 0
	After      int      `json:"builds_after"`
	From       float64  `json:"from"` // medians of the builds before and after, as far as the neighbouring changes
	To         float64  `json:"to"`
	Shift      float64  `json:"shift"` // of the means
	ShiftLo    float64  `json:"shift_lo"`
	ShiftHi    float64  `json:"shift_hi"`
	Relative   *float64 `json:"relative"` // shift / from
	P          float64  `json:"p"`        // of the test named by the basis
	Basis      string   `json:"basis"`    // "history": E-divisive; "newest": too few builds after it, held against those before
	Confidence string   `json:"confidence"`
	Verdict    Change   `json:"verdict"`             // regression or improvement
	UndoneBy   string   `json:"undone_by,omitempty"` // the build that brought most of it back
	Parts      []Part   `json:"parts,omitempty"`     // categories that carry it, the largest first
	Note       string   `json:"note,omitempty"`
}

// Part is what one category has of a change of its total.
type Part struct {
	Name  string  `json:"name"`
	Shift float64 `json:"shift"`
	Share float64 `json:"share"`
}

// Drift is the newest builds against a fixed one: the release, else the first build.
type Drift struct {
	Against  string   `json:"against"`
	Release  bool     `json:"release"`
	Newest   int      `json:"newest_builds"`       // how many of the newest builds the after side is
	PerBuild *float64 `json:"per_build,omitempty"` // slope, where a steady rise or fall tells the history better than steps
	Delta
}

// Build is one build of a history, reduced to the levels of its subjects: the captures need not be kept.
type Build struct {
	Name     string
	Inputs   []Input
	Problems []Problem

	date    string // as BuildLevel has it
	levels  map[Subject]BuildLevel
	known   map[Subject]bool // as in side
	process []string
}

// Empty says that nothing is known of a build: it has a place in a history, but is no build that was measured.
func (b *Build) Empty() bool { return len(b.levels) == 0 }

// NewBuild reduces the runs of one build. Without runs it is a build of which nothing is known.
func NewBuild(name string, runs []Capture) Build {
	s := newSide(runs)
	b := Build{Name: name, levels: map[Subject]BuildLevel{}}
	for i := range runs {
		c := &runs[i]
		totals, _ := c.tracks()
		totals = slices.DeleteFunc(totals, func(k *track) bool { return !historic(k.subject) })
		s.add(i, totals, nil)
		b.reach(totals)
		b.Inputs = append(b.Inputs, c.Inputs...)
		for _, in := range c.Inputs {
			b.date = earliest(b.date, in.Start)
		}
		b.Problems = append(b.Problems, problemsOf(c)...)
	}
	for subject := range s.tracks {
		l := b.levels[subject]
		l.Level, _ = (&comparison{}).level(s, subject)
		if l.Lo != nil { // 0 where a run lacks it
			l.reach(*l.Lo)
		}
		b.levels[subject] = l
	}
	b.known, b.process = s.known, s.process
	return b
}

// reach notes the least and greatest samples of a run, of all its parts.
func (b *Build) reach(totals []*track) {
	for _, k := range totals {
		l := b.levels[k.subject]
		for _, v := range k.y {
			l.reach(v)
		}
		b.levels[k.subject] = l
	}
}

// earliest is the earlier of two dates in RFC 3339 of one zone, which are in order as texts; one that is not known is empty.
func earliest(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

func problemsOf(c *Capture) (out []Problem) {
	if c.Set == nil {
		return c.Earlier.Problems
	}
	for _, p := range c.Set.Problems() {
		out = append(out, Problem{c.Side, p.File, p.Line, p.Column, p.Message, p.Count})
	}
	return out
}

// historic says whether a subject has a history: totals, and the categories that explain them.
func historic(s Subject) bool {
	return (isTotal(s) || s.Scope == "category") && table.MetricOf(s.Metric).Better != ""
}

func isTotal(s Subject) bool {
	return s.Scope == "process" || s.Scope == "system" || s.Scope == "device"
}

// at is the level of a subject. A category that the build's captures would show, but do not, is 0.
func (b *Build) at(s Subject) BuildLevel {
	out := BuildLevel{Build: b.Name, Date: b.date}
	if l, ok := b.levels[s]; ok {
		out.Level, out.Least, out.Greatest = l.Level, l.Least, l.Greatest
		return out
	}
	total := b.levels[Subject{s.Process, "process", "", s.Metric}]
	if s.Scope != "category" || !b.known[Subject{s.Process, s.Scope, "", s.Metric}] || total.Runs == 0 {
		return out
	}
	zero := 0.0
	out.Level = Level{Runs: total.Runs, Median: &zero, Lo: &zero, Hi: &zero, Peak: &zero, End: &zero, Values: make([]float64, total.Runs)}
	out.reach(zero)
	return out
}

// rename gives the only process of a build another name.
func (b *Build) rename(to string) {
	levels, known := map[Subject]BuildLevel{}, map[Subject]bool{}
	fix := func(s Subject) Subject {
		if s.Process == b.process[0] && s.Scope != "system" && s.Scope != "device" {
			s.Process = to
		}
		return s
	}
	for s, l := range b.levels {
		levels[fix(s)] = l
	}
	for s := range b.known {
		known[fix(s)] = true
	}
	b.levels, b.known, b.process = levels, known, []string{to}
}

// Builds are those of a result of Over, so that a history can be carried on without the captures. The files of all stand
// with the first.
func (r *Result) Builds() []Build {
	if len(r.Histories) == 0 {
		return nil
	}
	out := make([]Build, len(r.Histories[0].Builds))
	for i := range out {
		out[i] = Build{Name: r.Histories[0].Builds[i].Build, date: r.Histories[0].Builds[i].Date, levels: map[Subject]BuildLevel{}, known: map[Subject]bool{}}
	}
	for _, in := range r.Inputs {
		if in.Side == "" {
			out[0].Inputs = append(out[0].Inputs, in)
		}
	}
	for i := range r.Histories {
		h := &r.Histories[i]
		for k := range min(len(h.Builds), len(out)) {
			if h.Builds[k].Runs == 0 {
				continue
			}
			b, s := &out[k], h.Subject
			b.levels[s], b.known[Subject{s.Process, s.Scope, "", s.Metric}] = h.Builds[k], true
			if s.Scope == "process" && !slices.Contains(b.process, s.Process) {
				b.process = append(b.process, s.Process)
			}
		}
	}
	return out
}

// Over judges a series of builds, the oldest first. The newest ones are held against the release too, if there is one, else
// against the first build.
func Over(builds []Build, release *Build, o Options) *Result {
	r := o.result(nil)
	h := histories{r: r, o: o, c: DefaultHistory, builds: builds, release: release}
	all := slices.Clone(builds)
	if release != nil {
		all = append(all, *release)
	}
	for _, b := range all {
		r.Inputs, r.Problems = append(r.Inputs, b.Inputs...), append(r.Problems, b.Problems...)
	}
	h.pairProcesses()
	subjects := h.subjects()
	h.c = h.c.among(things(subjects))
	r.Method = append(r.Method, h.c.settings()...)
	for _, s := range subjects {
		r.Histories = append(r.Histories, h.of(s))
	}
	h.explain()
	h.twice()
	h.warn()
	h.findChanges()
	r.HoldHistories(o.Redlines)
	h.conclude()
	return r
}

// measured counts the builds of which something is known.
func (h *histories) measured() (n int) {
	for i := range h.builds {
		n += b2i(!h.builds[i].Empty())
	}
	return n
}

// histories is the work of one Over.
type histories struct {
	r       *Result
	o       Options
	c       HistoryConfig
	builds  []Build
	release *Build

	lead *fault // what the first finding is about
}

// pairProcesses treats the only process of every build as the same, whatever its names: builds rename processes. It says so.
func (h *histories) pairProcesses() {
	all := make([]*Build, 0, len(h.builds)+1)
	for i := range h.builds {
		all = append(all, &h.builds[i])
	}
	if h.release != nil {
		all = append(all, h.release)
	}
	var names []string
	for _, b := range all {
		if len(b.process) > 1 {
			return
		}
		if len(b.process) == 1 && (len(names) == 0 || names[len(names)-1] != b.process[0]) {
			names = append(names, b.process[0])
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return
	}
	to := ""
	for i := range h.builds {
		if p := h.builds[i].process; len(p) == 1 {
			to = cmp.Or(p[0], to)
		}
	}
	for _, b := range all {
		if len(b.process) == 1 {
			b.rename(to)
		}
	}
	h.r.Warnings = append(h.r.Warnings, fmt.Sprintf("The process has several names over the builds (%s): it is taken for one.", strings.Join(names[:min(len(names), 4)], ", ")))
}

// subjects lists what any build has, in order.
func (h *histories) subjects() []Subject {
	seen := map[Subject]bool{}
	var out []Subject
	for i := range h.builds {
		for s := range h.builds[i].levels {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b Subject) int {
		return cmp.Or(cmp.Compare(b2i(!isTotal(a)), b2i(!isTotal(b))), compareSubjects(a, b))
	})
	return out
}

// things counts the processes and devices: each is a chance of a false alarm.
func things(subjects []Subject) int {
	seen := map[Subject]bool{}
	for _, s := range subjects {
		if isTotal(s) {
			seen[Subject{Process: s.Process, Scope: s.Scope, Name: s.Name}] = true
		}
	}
	return max(len(seen), 1)
}
