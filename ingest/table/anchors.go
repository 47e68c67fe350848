package table

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Mark is a name that an event log gave to a point in time.
type Mark struct {
	Name   string
	TimeNS int64
}

// FirstMarks are the marks of event logs, each name where it stands first, in order of time and name. Those that number the
// iterations of a scenario are not among them.
func FirstMarks(s *Set) []Mark {
	first := map[string]int64{}
	rounds, _ := most(s.markedKinds())
	s.eachMark(func(t int64, name string, _ place) {
		if kind, _, numbered := cutNumber(name); numbered && kind == rounds {
			return
		}
		if at, ok := first[name]; !ok || t < at {
			first[name] = t
		}
	})
	var out []Mark
	for name, t := range first {
		out = append(out, Mark{name, t})
	}
	slices.SortFunc(out, func(a, b Mark) int { return cmp.Or(cmp.Compare(a.TimeNS, b.TimeNS), cmp.Compare(a.Name, b.Name)) })
	return out
}

// Iteration is the number of a round of a scenario and the time at which it is first seen.
type Iteration struct{ Number, TimeNS int64 }

// Iterations are the rounds that a run counts, in order of number and of time: those of its samples; where these have none,
// its marks that are named as iterations (iteration 5), then its column that counts them (rounds). A number that is first
// seen before a smaller one is left out: the count began anew.
func Iterations(s *Set) []Iteration {
	for _, source := range []func() map[int64]int64{s.sampledIterations, s.markedIterations, s.countedIterations} {
		if first := source(); len(first) > 0 {
			return rising(first)
		}
	}
	return nil
}

func rising(first map[int64]int64) []Iteration {
	var out []Iteration
	for _, n := range slices.Sorted(maps.Keys(first)) {
		if len(out) == 0 || first[n] >= out[len(out)-1].TimeNS {
			out = append(out, Iteration{n, first[n]})
		}
	}
	return out
}

// note keeps the earliest time of a number.
func note(first map[int64]int64, n, t int64) {
	if at, ok := first[n]; !ok || t < at {
		first[n] = t
	}
}

func (s *Set) sampledIterations() map[int64]int64 {
	first := map[int64]int64{}
	for _, b := range s.tables[Samples] {
		c := b.cols
		for i := range b.n {
			if c[sampleIteration].known(i) {
				note(first, c[sampleIteration].ints[i], c[sampleTime].ints[i])
			}
		}
	}
	return first
}

// iterationWords name rounds of a scenario, with the words that columns count them by.
var iterationWords = map[string]bool{"iteration": true, "iterations": true, "iter": true, "cycle": true, "cycles": true, "loop": true, "loops": true,
	"round": true, "rounds": true, "batch": true, "batches": true, "frame": true, "frames": true, "step": true, "steps": true, "epoch": true, "epochs": true}

// markedIterations takes the kind of mark that is most numerous.
func (s *Set) markedIterations() map[int64]int64 {
	_, first := most(s.markedKinds())
	return first
}

// markedKinds are the marks that number rounds, by their words.
func (s *Set) markedKinds() map[string]map[int64]int64 {
	kinds := map[string]map[int64]int64{}
	s.eachMark(func(t int64, full string, _ place) {
		name, n, ok := cutNumber(full)
		if !ok || !iterationWords[strings.ToLower(name)] {
			return
		}
		if kinds[name] == nil {
			kinds[name] = map[int64]int64{}
		}
		note(kinds[name], n, t)
	})
	return kinds
}

// countedIterations takes the column that counts highest.
func (s *Set) countedIterations() map[int64]int64 {
	driver, kinds := s.find("driver"), map[string]map[int64]int64{}
	for _, b := range s.tables[Samples] {
		c := b.cols
		for i := range b.n {
			if c[sampleScope].syms[i] != driver || driver == Null {
				continue
			}
			if name := s.strings[c[sampleName].syms[i]]; iterationWords[name] {
				if kinds[name] == nil {
					kinds[name] = map[int64]int64{}
				}
				note(kinds[name], c[sampleValue].ints[i], c[sampleTime].ints[i])
			}
		}
	}
	_, first := most(kinds)
	return first
}

// most is the kind of rounds of which there are most, of equals the first by name.
func most(kinds map[string]map[int64]int64) (name string, first map[int64]int64) {
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		if len(kinds[k]) > len(first) {
			name, first = k, kinds[k]
		}
	}
	return name, first
}
