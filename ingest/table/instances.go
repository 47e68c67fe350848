package table

import (
	"cmp"
	"fmt"
	"slices"
)

// instance is a process by what a capture calls it and by its pid.
type instance struct {
	process Sym
	pid     int64
}

// instances names the processes of a run. Two pids of one name, one after the other, are a restart and keep the name;
// two at the same time are two processes: each is told by its pid, so that they are never taken for one series, nor
// compared with each other.
func (s *Set) instances() map[instance]string {
	spans := map[instance]*[2]int64{}
	s.eachSpan(Samples, samplePID, sampleProcess, spans)
	s.eachSpan(Mappings, mapPID, mapProcess, spans)
	byName := map[Sym][]instance{}
	for i := range spans {
		byName[i.process] = append(byName[i.process], i)
	}
	out := map[instance]string{}
	for process, list := range byName {
		if !overlap(list, spans) {
			continue
		}
		for _, i := range list {
			out[i] = fmt.Sprintf("pid %d", i.pid)
			if name := s.strings[process]; name != "" {
				out[i] = fmt.Sprintf("%s (pid %d)", name, i.pid)
			}
		}
	}
	return out
}

// eachSpan notes the first and last time of every pid in a table.
func (s *Set) eachSpan(t ID, pid, process int, spans map[instance]*[2]int64) {
	for _, b := range s.tables[t] {
		for i := range b.n {
			if !b.cols[pid].known(i) {
				continue
			}
			k, at := instance{b.cols[process].syms[i], b.cols[pid].ints[i]}, b.cols[0].ints[i]
			if span := spans[k]; span != nil {
				span[1] = at // rows are in order of time
			} else {
				spans[k] = &[2]int64{at, at}
			}
		}
	}
}

func overlap(list []instance, spans map[instance]*[2]int64) bool {
	slices.SortFunc(list, func(a, b instance) int {
		return cmp.Or(cmp.Compare(spans[a][0], spans[b][0]), cmp.Compare(a.pid, b.pid))
	})
	for i := 1; i < len(list); i++ {
		if spans[list[i]][0] <= spans[list[i-1]][1] {
			return true
		}
	}
	return false
}

// processName is the name by which a series is known.
func (s *Set) processName(names map[instance]string, process Sym, pid Int) string {
	if name := names[instance{process, pid.V}]; name != "" && pid.OK {
		return name
	}
	return s.strings[process]
}
