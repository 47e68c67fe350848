package table

import (
	"math"
	"sort"

	"github.com/memtide/memtide/ingest/source"
)

// clocks are the sources of time, the most trusted first. A clock serves a run if every snapshot with data has it.
var clocks = []struct {
	name string
	read func(*Part, *snapshot) Int
}{
	{"wall", func(_ *Part, s *snapshot) Int { return s.Wall }},
	{"boot", func(_ *Part, s *snapshot) Int { return s.Boot }},
	{"trace", func(_ *Part, s *snapshot) Int { return s.Trace }},
	{"name", func(p *Part, _ *snapshot) Int { return p.nameTime() }},
}

// nameTime is the time in the file's name, which serves only a file of one snapshot.
func (p *Part) nameTime() Int {
	if len(p.snapshots) != 1 {
		return Int{}
	}
	t, ok := source.NameTime(p.File)
	return Int{t, ok}
}

// settleTime chooses the clock and writes time_ns into every row.
func (s *Set) settleTime(parts []*Part) {
	s.Clock = "order"
	times := order(parts)
	for _, c := range clocks {
		if got, ok := readClock(parts, c.read); ok {
			if falls, at := falls(got); falls > maxFalls {
				s.Note(source.Problem{Pos: source.Pos{File: parts[at].File}, Message: "a clock that goes back all the time is none: samples are taken in the order in which they stand", Count: falls})
				break
			}
			s.Clock, times = c.name, got
			break
		}
	}
	if s.Clock == "order" {
		if got, ok := s.nearlyTimed(parts); ok {
			times = got
		} else if name, got, late := mixed(parts); name != "" {
			s.Clock, times = name, got
			for _, p := range late {
				s.Note(source.Problem{Pos: source.Pos{File: p.File}, Message: p.why, Count: 1})
			}
		}
	}
	s.cutFalls(parts, times)
	zero, any := least(times)
	if any && (s.Clock == "wall" || s.Clock == "name") {
		s.Start = Known(zero)
	}
	for i, p := range parts {
		if len(times[i]) > 0 {
			p.streamed.early = times[i][0] - zero - p.snapshots[0].early
		}
		p.stampRows(times[i], zero)
		for _, l := range p.lives {
			if l.snapshot < len(times[i]) {
				s.lives = append(s.lives, restart{l.pid, times[i][l.snapshot] - zero + l.at - p.snapshots[l.snapshot].early})
			}
		}
	}
	for i := range s.Restarts {
		s.Restarts[i] -= zero
	}
	sort.Slice(s.Restarts, func(i, j int) bool { return s.Restarts[i] < s.Restarts[j] })
}

// maxFalls is more restarts than a run has: a process that starts a hundred times makes no series.
const maxFalls = 100

// falls counts how often times go back inside a file, and finds the first that does.
func falls(times [][]int64) (n, first int) {
	for i, ts := range times {
		for k := 1; k < len(ts); k++ {
			if ts[k] < ts[k-1] {
				if n == 0 {
					first = i
				}
				n++
			}
		}
	}
	return n, first
}

// readClock reads one clock of all snapshots; it serves only if all have it. A crash report beside the captures of a run,
// as a bug report holds, need not: it was there at the last of them.
func readClock(parts []*Part, read func(*Part, *snapshot) Int) ([][]int64, bool) {
	out := make([][]int64, len(parts))
	found, last := false, int64(math.MinInt64)
	for i, p := range parts {
		for k := range p.snapshots {
			t := read(p, &p.snapshots[k])
			if !t.OK && !p.onlyFaults() {
				return nil, false
			}
			out[i] = append(out[i], t.V)
			if t.OK {
				found, last = true, max(last, t.V)
			}
		}
	}
	for i, p := range parts {
		for k := range p.snapshots {
			if t := read(p, &p.snapshots[k]); !t.OK {
				out[i][k] = last
			}
		}
	}
	return out, found
}

// onlyFaults says whether a part tells of crashes and measures nothing.
func (p *Part) onlyFaults() bool {
	for t, list := range p.tables {
		for _, b := range list {
			if b.n > 0 && ID(t) != Faults && ID(t) != Frames {
				return false
			}
		}
	}
	return true
}

// order makes up times for captures that tell none: one second a snapshot, counted for each format by itself so
// that smaps_1 and status_1 are of the same moment.
func order(parts []*Part) [][]int64 {
	out := make([][]int64, len(parts))
	next := map[string]int64{}
	for i, p := range parts {
		for range p.snapshots {
			out[i] = append(out[i], next[p.Format]*1e9)
			next[p.Format]++
		}
	}
	return out
}

// sequence is what was read of one clock so far.
type sequence struct {
	file             string
	shift, last, gap int64
	started          bool
}

// cutFalls finds where a clock goes back inside one sequence: a reboot or a restart. The times behind it are moved
// on, so that they stay in the order in which they were taken, and the series are cut there. Files are a sequence
// of their own, but for the boot clock, which starts again with each boot: there the files of a format are one, in
// the order of the numbers in their names.
func (s *Set) cutFalls(parts []*Part, times [][]int64) {
	formats := map[string]*sequence{}
	for i, p := range parts {
		q := formats[p.Format]
		if q == nil || s.Clock != "boot" || source.Unnumbered(q.file) != source.Unnumbered(p.File) {
			q = &sequence{}
			formats[p.Format] = q
		}
		q.file = p.File
		for k := range times[i] {
			t, fell := q.next(times[i][k])
			times[i][k] = t
			if fell {
				s.Restarts = append(s.Restarts, t)
				p.problems = append(p.problems, source.Problem{Pos: source.Pos{File: p.File, Line: p.snapshots[k].Line},
					Message: "time falls: taken as a restart, the series is cut here", Count: 1})
			}
		}
	}
}

// next gives a time as it stands in the sequence, and whether the clock fell before it.
func (q *sequence) next(t int64) (int64, bool) {
	t += q.shift
	fell := q.started && t < q.last
	if fell {
		by := q.last - t + max(q.gap, 1)
		q.shift, t = q.shift+by, t+by
	}
	if q.started && t > q.last {
		q.gap = t - q.last
	}
	q.last, q.started = t, true
	return t, fell
}

func least(times [][]int64) (int64, bool) {
	var m int64
	found := false
	for _, ts := range times {
		for _, t := range ts {
			if !found || t < m {
				m, found = t, true
			}
		}
	}
	return m, found
}

// stampRows writes the time of each snapshot into its rows and puts its samples in order of line.
func (p *Part) stampRows(times []int64, zero int64) {
	for k := range p.snapshots {
		for t := ID(0); t < NumTables; t++ {
			if t == Frames {
				continue
			}
			p.eachRange(k, t, func(b *Batch, from, to int) {
				for i := from; i < to; i++ {
					b.cols[0].ints[i] += times[k] - zero - p.snapshots[k].early
				}
				switch {
				case t == Samples:
					b.byLine(from, to)
				case t == Mappings && k > 0 && times[k] == times[k-1]:
					p.twins = append(p.twins, int32(b.cols[mapFile+1].ints[from]))
				}
			})
		}
	}
}

// eachRange visits the rows of snapshot k in table t, batch by batch.
func (p *Part) eachRange(k int, t ID, visit func(b *Batch, from, to int)) {
	at := p.snapshots[k].first[t]
	end := rowAt{int32(len(p.tables[t]) - 1), math.MaxInt32}
	if k+1 < len(p.snapshots) {
		end = p.snapshots[k+1].first[t]
	}
	for i := at.batch; i <= end.batch; i++ {
		from, to := 0, p.tables[t][i].n
		if i == at.batch {
			from = int(at.row)
		}
		if i == end.batch {
			to = min(to, int(end.row))
		}
		if from < to {
			visit(p.tables[t][i], from, to)
		}
	}
}
