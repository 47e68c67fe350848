package table

import (
	"math"
)

// laid is a part that has no time on the run's clock, and where it was laid instead.
type laid struct{ File, why string }

// mixed finds the clock of a run whose formats do not share one: smaps with dates beside heap profiles without. The most trusted
// clock that all snapshots of some format have is taken. A format with a clock of its own begins where the others do; one without is
// laid out evenly from the first of the others to the last, in the order of its files, and a single snapshot at the last.
func mixed(parts []*Part) (clock string, times [][]int64, late []laid) {
	for _, c := range clocks {
		if c.name != "wall" && c.name != "name" {
			continue
		}
		has := map[string]bool{}
		for _, p := range parts {
			if len(p.snapshots) > 0 {
				got, seen := has[p.Format]
				has[p.Format] = (got || !seen) && all(p, c.read)
			}
		}
		first, last, any := extent(parts, has, c.read)
		if !any || steady(has) {
			continue
		}
		times, late = lay(parts, has, c.read, first, last)
		return c.name, times, late
	}
	return "", nil, nil
}

func all(p *Part, read func(*Part, *snapshot) Int) bool {
	for k := range p.snapshots {
		if !read(p, &p.snapshots[k]).OK {
			return false
		}
	}
	return true
}

// steady says whether no format or every format has the clock: then there is nothing to mix.
func steady(has map[string]bool) bool {
	n := 0
	for _, ok := range has {
		if ok {
			n++
		}
	}
	return n == 0 || n == len(has)
}

func extent(parts []*Part, has map[string]bool, read func(*Part, *snapshot) Int) (first, last int64, any bool) {
	first, last = math.MaxInt64, math.MinInt64
	for _, p := range parts {
		for k := range p.snapshots {
			if has[p.Format] {
				t := read(p, &p.snapshots[k]).V
				first, last, any = min(first, t), max(last, t), true
			}
		}
	}
	return first, last, any
}

// lay gives every snapshot a time on the clock.
func lay(parts []*Part, has map[string]bool, read func(*Part, *snapshot) Int, first, last int64) (times [][]int64, late []laid) {
	times = make([][]int64, len(parts))
	count, at, start := map[string]int{}, map[string]int{}, map[string]Int{}
	for _, p := range parts {
		count[p.Format] += len(p.snapshots)
		for k := range p.snapshots {
			if t := own(&p.snapshots[k]); t.OK && (!start[p.Format].OK || t.V < start[p.Format].V) {
				start[p.Format] = t
			}
		}
	}
	for i, p := range parts {
		for k := range p.snapshots {
			snap := &p.snapshots[k]
			switch t := own(snap); {
			case has[p.Format]:
				times[i] = append(times[i], read(p, snap).V)
			case t.OK && start[p.Format].OK:
				times[i] = append(times[i], first+t.V-start[p.Format].V)
			default:
				n, of := at[p.Format], max(count[p.Format]-1, 1)
				if count[p.Format] == 1 {
					n = 1
				}
				times[i] = append(times[i], first+int64(float64(last-first)*float64(n)/float64(of)))
				at[p.Format]++
			}
		}
		if !has[p.Format] && len(p.snapshots) > 0 {
			why := "no time on the clock of the other captures of the run: laid out evenly over their time"
			if start[p.Format].OK {
				why = "another clock than the other captures of the run: laid from where they begin"
			}
			late = append(late, laid{p.File, why})
		}
	}
	return times, late
}

// own is the time of a snapshot on a clock of its capture's.
func own(s *snapshot) Int {
	if s.Boot.OK {
		return s.Boot
	}
	return s.Trace
}
