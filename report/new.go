package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Options are the limits of a report; a zero field takes the default.
type Options struct {
	Rows      int // parts named one by one in a ranking; 20
	Series    int // series, problems and inputs listed; 120
	Findings  int // findings told; 50
	Processes int // processes told in detail; 3
	Charts    int // charts beside the first; 8
	Columns   int // points of a line; 240
}

func (o Options) filled() Options {
	for _, f := range []struct {
		field *int
		value int
	}{{&o.Rows, 20}, {&o.Series, 120}, {&o.Findings, 50}, {&o.Processes, 3}, {&o.Charts, 8}, {&o.Columns, 240}} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return o
}

// story is what the parts of a report are told from.
type story struct {
	*analyze.Result // a copy with the subjects of identify
	who
	limit     Options
	processes []string // the one that matters most first, without the machine unless there is nothing else
	system    bool     // there are totals of the machine beside those of processes
	deltasOf  map[string][]analyze.Delta
	seriesOf  map[string][]analyze.Series
	kernels   []analyze.Finding           // advice on kernels, which is told apart
	zeros     map[runKey]float64          // what charts of each run count from, in seconds from its start
	anchored  map[string]*analyze.Anchors // what a line of the runs of a key can be aligned at
}

// New makes the report of a result: the A/B story if there are two sides, else the story of one. It never fails:
// what a result does not have is not told, or said to be missing. The result must not change afterwards.
func New(result *analyze.Result, options Options) *Doc {
	if result == nil {
		result = &analyze.Result{}
	}
	s := tell(result, options)
	d := &Doc{
		Title:   s.title(),
		Outcome: s.Verdict,
		Tool:    strings.TrimSpace(name(s.Tool.Name + " " + s.Tool.Version)),
		Context: s.context(),
		Sides:   s.sides(),
		Result:  result,
		Align:   s.alignText(),
	}
	d.Headline, _ = s.headline()
	if s.levelHeadline() != "" {
		d.Outcome = "" // what is there is no verdict
	}
	d.Explore = s.explore()
	sections := append(s.sections(), s.foot()...)
	s.link(sections, d.Explore)
	for _, section := range sections {
		if len(section.Blocks) > 0 {
			d.Sections = append(d.Sections, section)
		}
	}
	return d
}

// sections chooses the story: two sides, one side that is too short to judge, one side.
func (s *story) sections() []Section {
	switch {
	case len(s.Histories) > 0:
		return s.history()
	case s.twoSided():
		return s.compare()
	case s.short():
		return s.levels()
	}
	return s.single()
}

// twoSided says whether the result compares: by what it holds, so that any command's result can be told.
func (s *story) twoSided() bool {
	return len(s.Deltas) > 0 || slices.ContainsFunc(s.Inputs, func(in analyze.Input) bool { return in.Side == "before" || in.Side == "after" })
}

func (s *story) title() string {
	what := "memory over time"
	switch {
	case len(s.Histories) > 0:
		what = "memory over builds"
	case s.twoSided():
		what = "memory before and after"
	case s.short():
		what = "memory"
	}
	switch more := len(s.processes) - 1; {
	case more < 0:
		return what
	case more > 0:
		return fmt.Sprintf("%s: %s", plural(more+1, "process", "processes"), what)
	}
	return s.processName(s.processes[0]) + ": " + what
}

func (s *story) context() string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch n := len(s.processes); n {
	case 0:
		add(enumerate(distinct(slices.Concat(s.processesOfInputs()...), func(p string) string { return p }), 3))
	case 1:
		add(s.processName(s.processes[0]))
	default:
		add(plural(n, "process", "processes"))
	}
	add(cmp.Or(s.buildsText(), s.captureText()))
	add(s.samplesText())
	for _, field := range []func(analyze.Input) string{
		func(in analyze.Input) string { return in.Device },
		func(in analyze.Input) string { return in.Format },
	} {
		add(enumerate(distinct(s.Inputs, field), 3))
	}
	return strings.Join(parts, " · ")
}

func (s *story) processesOfInputs() [][]string {
	var all [][]string
	for _, in := range s.Inputs {
		all = append(all, in.Process)
	}
	return all
}

// samplesText says how long the longest series of a one-sided result is.
func (s *story) samplesText() string {
	if s.twoSided() || len(s.Series) == 0 {
		return ""
	}
	longest := slices.MaxFunc(s.Series, by(func(v analyze.Series) int { return v.N }))
	if longest.N == 1 {
		return "one snapshot"
	}
	if longest.Per != "" {
		return plural(longest.N, "sample")
	}
	return fmt.Sprintf("%s in %s", plural(longest.N, "sample"), unit.Duration(longest.DurationS))
}

// runs counts the runs of a side.
func (s *story) runs(side string) int {
	return len(s.runsOf(side))
}

// distinct collects what is not empty, in order of appearance.
func distinct[T any](items []T, field func(T) string) []string {
	var names []string
	for _, item := range items {
		if text := field(item); text != "" && !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return names
}

// enumerate joins names, naming at most a few.
func enumerate(names []string, most int) string {
	shown := make([]string, 0, most+1)
	for i, n := range names {
		if i == most {
			shown = append(shown, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		shown = append(shown, name(n))
	}
	if len(shown) < 2 {
		return strings.Join(shown, "")
	}
	return strings.Join(shown[:len(shown)-1], ", ") + " and " + shown[len(shown)-1]
}

// plural counts things in words; the second form is needed where an s does not do.
func plural(n int, forms ...string) string {
	word := forms[0]
	switch {
	case n == 1:
	case len(forms) > 1:
		word = forms[1]
	default:
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// sorted is a stable sort of a copy.
func sorted[T any](items []T, keys ...func(a, b T) int) []T {
	out := slices.Clone(items)
	slices.SortStableFunc(out, func(a, b T) int {
		for _, key := range keys {
			if c := key(a, b); c != 0 {
				return c
			}
		}
		return 0
	})
	return out
}

func by[T any, K cmp.Ordered](key func(T) K) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(key(a), key(b)) }
}
