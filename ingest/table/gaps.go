package table

import "github.com/memtide/memtide/ingest/source"

// A file whose snapshots have a time but for a few, as where a line was damaged, has its clock all the same: one in so many may lack it.
const (
	fewTimes = 5 // snapshots that a file must have for that
	oneIn    = 5
)

// untimed is a snapshot whose time is taken from those beside it.
type untimed struct {
	part *Part
	line int
}

// nearlyClock reads a clock that all snapshots have but for a few in files of many. Their times are laid between those beside them.
func nearlyClock(parts []*Part, read func(*Part, *snapshot) Int) (times [][]int64, lacking []untimed, ok bool) {
	for _, p := range parts {
		got, missing := make([]Int, len(p.snapshots)), 0
		for k := range p.snapshots {
			if got[k] = read(p, &p.snapshots[k]); !got[k].OK {
				missing++
				lacking = append(lacking, untimed{p, p.snapshots[k].Line})
			}
		}
		if missing > 0 && (len(got) < fewTimes || missing*oneIn > len(got)) {
			return nil, nil, false
		}
		times = append(times, between(got))
	}
	return times, lacking, len(lacking) > 0
}

// between fills in what is missing: in equal steps from one known time to the next, and at the ends by the step beside them.
func between(got []Int) []int64 {
	out, known := make([]int64, len(got)), []int{}
	for k, t := range got {
		if out[k] = t.V; t.OK {
			known = append(known, k)
		}
	}
	if len(known) < 2 {
		return out
	}
	for i := 1; i < len(known); i++ {
		a, b := known[i-1], known[i]
		for k := a + 1; k < b; k++ {
			out[k] = out[a] + (out[b]-out[a])/int64(b-a)*int64(k-a)
		}
	}
	first, last := known[0], known[len(known)-1]
	for k := first - 1; k >= 0; k-- {
		out[k] = out[k+1] - (out[known[1]]-out[first])/int64(known[1]-first)
	}
	for k := last + 1; k < len(out); k++ {
		out[k] = out[k-1] + (out[last]-out[known[len(known)-2]])/int64(last-known[len(known)-2])
	}
	return out
}

// nearlyTimed takes the first clock that serves but for a few snapshots, and says which.
func (s *Set) nearlyTimed(parts []*Part) ([][]int64, bool) {
	for _, c := range clocks {
		times, lacking, ok := nearlyClock(parts, c.read)
		if n, _ := falls(times); !ok || n > maxFalls {
			continue
		}
		for _, u := range lacking {
			u.part.problems = append(u.part.problems, source.Problem{Pos: source.Pos{File: u.part.File, Line: u.line},
				Message: "want the time of this snapshot, as the others have one, have none: taken between those beside it", Count: 1})
		}
		s.Clock = c.name
		return times, true
	}
	return nil, false
}
