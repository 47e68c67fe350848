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
	limits     []bound // red lines it was held against
	place      func(i int) Evidence
}

// seriesOf gives all tracks of a capture, the single mappings apart.
func (c *Capture) tracks() (totals, mappings []*track) {
	if c.Set == nil {
		return c.earlierTracks()
	}
	for _, s := range table.SeriesOf(c.Set) {
		totals = append(totals, c.track(s))
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
