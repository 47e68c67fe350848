package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// A hole is a time without samples that is so many times as long as the usual one, and so large a share of the whole.
const (
	holeTimes = 20
	holeShare = 0.05
	fewHoles  = 3 // processes whose holes are told one by one
)

// hole is the longest time for which a process was not sampled; times in seconds from the first sample of the run.
type hole struct{ from, to, usual float64 }

// holes says which processes were not sampled for long: the recorder stopped, or the machine slept. A verdict rests on what
// stands on both sides of a hole; what happened in it is not known.
func (r *Result) holes(c *Capture, totals []*track) {
	told := 0
	for _, of := range sampled(totals) {
		h, ok := holeOf(of.t)
		if !ok {
			continue
		}
		if told++; told > fewHoles {
			continue
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s was not sampled for %s, from %s on; else it was every %s. What happened in between is not known.",
			c.Name, cmp.Or(of.process, "the process"), length(h.to-h.from), length(h.from), length(h.usual)))
	}
	if told > fewHoles {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: as long or longer without samples were %s more.", c.Name, plural(told-fewHoles, "process")))
	}
}

// timesOf are the times at which one process was sampled.
type timesOf struct {
	process string
	t       []float64
}

// sampled gathers the times of whole processes, in the order in which they come; what has no clock has no holes.
func sampled(totals []*track) (all []*timesOf) {
	type key struct {
		process string
		pid     int64
	}
	index := map[key]*timesOf{}
	for _, k := range totals {
		if k.subject.Scope != "process" || k.tick != "" {
			continue
		}
		id := key{k.subject.Process, -1}
		if k.pid != nil {
			id.pid = *k.pid
		}
		if index[id] == nil {
			index[id] = &timesOf{process: id.process}
			all = append(all, index[id])
		}
		index[id].t = append(index[id].t, k.t...)
	}
	for _, of := range all {
		slices.Sort(of.t)
		of.t = slices.Compact(of.t)
	}
	return all
}

// holeOf finds the longest time between two of at least 12 samples, if it is a hole.
func holeOf(t []float64) (h hole, ok bool) {
	if len(t) < 12 {
		return h, false
	}
	steps := make([]float64, len(t)-1)
	at := 0
	for i := range steps {
		if steps[i] = t[i+1] - t[i]; steps[i] > steps[at] {
			at = i
		}
	}
	h = hole{t[at], t[at+1], stat.Median(steps)}
	long := h.to - h.from
	return h, long > holeTimes*h.usual && long > holeShare*(t[len(t)-1]-t[0])
}
