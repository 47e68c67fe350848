// Package analyze says what captures mean: a verdict on the growth of every series, the difference of two sides, and
// findings with the evidence they rest on. It is pure: from tables to a Result, without I/O, clock, log or goroutine.
//
// One takes a Capture a run for the one-sided commands; Compare takes those of two sides. Both give a Result.
package analyze

import (
	"cmp"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// Capture is one run as it was read. Set is nil where a Result stands in place of the capture: then Earlier is it.
type Capture struct {
	Side, Name string
	Set        *table.Set
	Inputs     []Input
	Earlier    *Result
}

// track is one series to judge, whatever it came from: the tables of a capture, or the Result of an earlier run.
type track struct {
	side, run  string
	subject    Subject
	pid        *int64
	part       int
	t, y       []float64 // seconds, values
	high, low  []float64 // of columns of an earlier result, whose y is the middle; nil for samples
	iterations []float64
	tick       string  // what a second stands for, where the capture has no time
	limits     []bound // red lines it was held against
	place      func(i int) Evidence
}

// seriesOf gives all tracks of a capture, the single mappings apart.
func (c *Capture) tracks() (totals, mappings []*track) {
	if c.Set == nil {
		return c.earlierTracks()
	}
	tick := c.tick()
	defer func() {
		for _, k := range slices.Concat(totals, mappings) {
			k.tick = tick
		}
	}()
	held := c.says("change_only")
	for _, s := range table.SeriesOf(c.Set) {
		k := c.track(s)
		if held {
			k.hold(c.end())
		}
		totals = append(totals, k)
	}
	totals = withSums(totals)
	for _, s := range table.MappingSeriesOf(c.Set) {
		mappings = append(mappings, c.track(s))
	}
	return totals, mappings
}

func (c *Capture) track(s *table.Series) *track {
	k := &track{side: c.Side, run: c.Name, subject: Subject(s.Subject), part: s.Part, t: seconds(s.TimeNS), y: floats(s.Value)}
	if s.PID.OK {
		k.pid = &s.PID.V
	}
	if s.Iteration != nil {
		k.iterations = floats(s.Iteration)
	}
	k.place = func(i int) Evidence {
		p := s.At(i)
		return Evidence{File: p.File, Line: p.Line, TimeNS: &s.TimeNS[i], Value: &s.Value[i]}
	}
	return k
}

// earlierTracks takes the tracks out of the timelines of a Result.
func (c *Capture) earlierTracks() (totals, mappings []*track) {
	for i := range c.Earlier.Timeline {
		l := &c.Earlier.Timeline[i]
		k := &track{side: c.Side, run: cmp.Or(l.Run, c.Name), subject: l.Subject, part: l.Part, t: l.TimeS, y: l.Mid, high: l.Max, low: l.Min}
		k.place = func(int) Evidence { return Evidence{File: c.Name} }
		if l.Subject.Scope == "mapping" {
			mappings = append(mappings, k)
		} else {
			totals = append(totals, k)
		}
	}
	return totals, mappings
}

func seconds(ns []int64) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = float64(n) / 1e9
	}
	return out
}

func floats(v []int64) []float64 {
	out := make([]float64, len(v))
	for i, n := range v {
		out[i] = float64(n)
	}
	return out
}

// steady is the last half of the samples: the part that start-up no longer moves.
func (k *track) steady() []float64 { return k.y[len(k.y)/2:] }

// process lists the names of processes in tracks, sorted.
func processes(tracks []*track) []string {
	var out []string
	for _, k := range tracks {
		if k.subject.Scope == "process" {
			out = append(out, k.subject.Process)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// says tells whether a capture states that something is so.
func (c *Capture) says(fact string) bool {
	return c.Set != nil && slices.Contains(c.Set.Facts(), table.Fact{Name: fact, Value: "true"})
}

// end is the time of the last row of a capture, in seconds.
func (c *Capture) end() float64 {
	last := int64(0)
	for _, f := range c.Set.Files {
		last = max(last, f.Last)
	}
	return float64(last) / 1e9
}

// heldSteps is into how many equal steps a series is laid out that was written down at changes only.
const heldSteps = 100

// hold lays out a series that has a value only where it changed: each holds until the next, the last to the end of the capture.
// Otherwise a curve that stops changing would have no end, and one that changes in bursts would weigh them by their number.
func (k *track) hold(end float64) {
	if len(k.y) < 2 || end <= k.t[0] {
		return
	}
	at := make([]int, heldSteps)
	t, y := make([]float64, heldSteps), make([]float64, heldSteps)
	for i := range t {
		t[i] = k.t[0] + (end-k.t[0])*float64(i+1)/heldSteps
		n, _ := slices.BinarySearchFunc(k.t, t[i], func(a, b float64) int { return b2i(a > b*(1+1e-12)) - b2i(a <= b*(1+1e-12)) })
		at[i] = max(n-1, 0)
		y[i] = k.y[at[i]]
	}
	place := k.place
	k.t, k.y, k.iterations = t, y, nil
	k.place = func(i int) Evidence { return place(at[i]) }
}

// tick is what a second stands for in a capture without time: snapshots are counted, or instructions or bytes are its clock.
func (c *Capture) tick() string {
	for _, f := range c.Set.Facts() {
		if f.Name == "clock" && f.Value == "instructions" {
			return "1e9 instructions"
		} else if f.Name == "clock" && f.Value == "bytes" {
			return "GB allocated"
		}
	}
	if c.Set.Clock == "order" {
		return "sample"
	}
	return ""
}
