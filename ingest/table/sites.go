package table

import (
	"cmp"
	"slices"
)

// SiteSeries is what is alive of one class of allocation sites over time, as captures tell it that count by site: dumps of
// profilers, snapshots.
type SiteSeries struct {
	PID            Int
	Process, Class string
	Device         string
	TimeNS         []int64
	Bytes, Count   []Int
	Stacks         []SiteStack   // at the last time, those with most bytes first
	Complete       bool          // a class that is not listed at a time has nothing alive then
	Place          Place         // of its first row at the last time
	at             map[int64]int // of Stacks
}

// SiteStack is the part of a class that one stack has.
type SiteStack struct {
	Stack        int64
	Bytes, Count Int
}

type siteKey struct {
	pid                    Int
	process, class, device Sym
}

// listing is the times at which one process had its sites listed, by the file's word on whether a missing one is 0.
type listing struct {
	times    []int64
	complete bool
}

// SitesOf gives the classes of sites that have anything alive, with a value for each time at which the sites of their process
// were listed. A class that a complete capture does not list is 0 there; in others it is not known.
func SitesOf(s *Set) []*SiteSeries {
	index := map[siteKey]*SiteSeries{}
	var order []siteKey
	lists := map[siteKey]*listing{} // by pid and process
	for _, b := range s.tables[Sites] {
		c := b.cols
		for i := range b.n {
			k := siteKey{c[1].at(i), c[2].syms[i], c[4].syms[i], c[3].syms[i]}
			s.note(lists, k, c[0].ints[i], s.files[c[siteFile].syms[i]])
			bytes, count := c[siteStack+1].at(i), c[siteStack+2].at(i)
			if !bytes.OK && !count.OK {
				continue
			}
			one := index[k]
			if one == nil {
				one = &SiteSeries{PID: k.pid, Process: s.strings[k.process], Class: s.strings[k.class], Device: s.strings[k.device]}
				index[k] = one
				order = append(order, k)
			}
			one.add(c[0].ints[i], c[siteStack].at(i).V, bytes, count, Place{s.strings[c[siteFile].syms[i]], c[siteFile+1].ints[i]})
		}
	}
	var out []*SiteSeries
	for _, k := range order {
		one := index[k]
		if l := lists[siteKey{pid: k.pid, process: k.process}]; l.complete {
			one.Complete = true
			one.fill(slices.Compact(l.times))
		}
		slices.SortStableFunc(one.Stacks, func(a, b SiteStack) int { return cmp.Compare(b.Bytes.V, a.Bytes.V) })
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b *SiteSeries) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.PID.V, b.PID.V), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Device, b.Device))
	})
	return out
}

func (s *Set) note(lists map[siteKey]*listing, k siteKey, t int64, f *File) {
	k = siteKey{pid: k.pid, process: k.process}
	l := lists[k]
	if l == nil {
		l = &listing{complete: true}
		lists[k] = l
	}
	if n := len(l.times); n == 0 || l.times[n-1] != t {
		l.times = append(l.times, t)
	}
	l.complete = l.complete && f != nil && f.Complete
}

func (s *SiteSeries) add(t, stack int64, bytes, count Int, at Place) {
	n := len(s.TimeNS)
	if n == 0 || s.TimeNS[n-1] != t {
		s.TimeNS, s.Bytes, s.Count = append(s.TimeNS, t), append(s.Bytes, bytes), append(s.Count, count)
		s.Stacks, s.Place, s.at = s.Stacks[:0:0], at, map[int64]int{}
	} else {
		s.Bytes[n-1], s.Count[n-1] = plus(s.Bytes[n-1], bytes), plus(s.Count[n-1], count)
	}
	if i, ok := s.at[stack]; ok {
		s.Stacks[i].Bytes, s.Stacks[i].Count = plus(s.Stacks[i].Bytes, bytes), plus(s.Stacks[i].Count, count)
		return
	}
	s.at[stack] = len(s.Stacks)
	s.Stacks = append(s.Stacks, SiteStack{stack, bytes, count})
}

// plus adds figures of which either may be unknown: then the sum is.
func plus(a, b Int) Int {
	if !a.OK || !b.OK {
		return Int{}
	}
	v, ok := Sum(a.V, b.V)
	return Int{v, ok}
}

// fill puts a 0 where the series lacks a time of the list.
func (s *SiteSeries) fill(times []int64) {
	bytes, count := slices.ContainsFunc(s.Bytes, known), slices.ContainsFunc(s.Count, known)
	var out SiteSeries
	i := 0
	for _, t := range times {
		if i < len(s.TimeNS) && s.TimeNS[i] == t {
			out.TimeNS, out.Bytes, out.Count = append(out.TimeNS, t), append(out.Bytes, s.Bytes[i]), append(out.Count, s.Count[i])
			i++
			continue
		}
		out.TimeNS, out.Bytes, out.Count = append(out.TimeNS, t), append(out.Bytes, Int{0, bytes}), append(out.Count, Int{0, count})
	}
	if n := len(s.TimeNS); n > 0 && s.TimeNS[n-1] != times[len(times)-1] {
		s.Stacks = nil
	}
	s.TimeNS, s.Bytes, s.Count = out.TimeNS, out.Bytes, out.Count
}

func known(v Int) bool { return v.OK }
