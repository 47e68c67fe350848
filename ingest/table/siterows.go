package table

import "iter"

// SiteRow is one row of sites, with its strings.
type SiteRow struct {
	TimeNS                 int64
	PID                    Int
	Process, Device, Class string
	Stack                  int64 // of the leaf; 0 for none
	LiveBytes, LiveCount   Int
	TotalBytes, TotalCount Int
	Complete               bool // of its file: what it does not list is 0
}

// Moment chooses one of the times at which the sites of a process were listed.
type Moment struct {
	First bool
	Until Int // the last time that is not later, ns since time 0; unknown for the last of all
}

// of gives the index of the chosen time in ascending ones; -1 if all are later.
func (m Moment) of(times []int64) int {
	if m.First {
		return 0
	}
	i := len(times) - 1
	for m.Until.OK && i >= 0 && times[i] > m.Until.V {
		i--
	}
	return i
}

type listedProcess struct {
	pid     Int
	process Sym
}

// SitesAt gives what is listed of each process at the moment, in order of the rows. A process that was listed only later has none.
// A row is valid until the next.
func SitesAt(s *Set, at Moment) iter.Seq[*SiteRow] {
	return func(yield func(*SiteRow) bool) {
		chosen := s.chosen(at)
		var row SiteRow
		s.eachSite(func(c []vector, i int) bool {
			k := listedProcess{c[1].at(i), c[2].syms[i]}
			if chosen[k] != Known(c[0].ints[i]) {
				return true
			}
			f := s.files[c[siteFile].syms[i]]
			row = SiteRow{TimeNS: c[0].ints[i], PID: k.pid, Process: s.strings[k.process], Device: s.strings[c[3].syms[i]], Class: s.strings[c[4].syms[i]],
				Stack: c[siteStack].at(i).V, LiveBytes: c[siteStack+1].at(i), LiveCount: c[siteStack+2].at(i), TotalBytes: c[siteStack+3].at(i), TotalCount: c[siteStack+4].at(i),
				Complete: f != nil && f.Complete}
			return yield(&row)
		})
	}
}

// chosen is the time at which each process is listed.
func (s *Set) chosen(at Moment) map[listedProcess]Int {
	times := map[listedProcess][]int64{}
	s.eachSite(func(c []vector, i int) bool {
		k := listedProcess{c[1].at(i), c[2].syms[i]}
		if l := times[k]; len(l) == 0 || l[len(l)-1] != c[0].ints[i] {
			times[k] = append(l, c[0].ints[i])
		}
		return true
	})
	chosen := map[listedProcess]Int{}
	for k, l := range times {
		if i := at.of(l); i >= 0 {
			chosen[k] = Known(l[i])
		}
	}
	return chosen
}

func (s *Set) eachSite(visit func(c []vector, i int) bool) {
	for _, b := range s.tables[Sites] {
		for i := range b.n {
			if !visit(b.cols, i) {
				return
			}
		}
	}
}
