package table

import (
	"cmp"
	"slices"
)

// Subject is the identity of a series across runs: no pid, no address.
type Subject struct{ Process, Scope, Name, Metric string }

// Place is where a value was read.
type Place struct {
	File string
	Line int64
}

// Series is one metric of one subject over time, in order of time. A restart of the process begins another Part.
type Series struct {
	Subject
	PID       Int
	Part      int
	TimeNS    []int64
	Value     []int64
	Iteration []int64 // as long as Value, or nil where the capture counts none
	places    []place
	set       *Set
}

type place struct {
	file Sym
	line int32
}

// At tells where value i was read.
func (s *Series) At(i int) Place {
	return Place{s.set.strings[s.places[i].file], int64(s.places[i].line)}
}

// seriesKey tells series of one set apart. The rank is that of the format: where several measure the same, the first
// that has it is taken, so that one value is not read twice.
type seriesKey struct {
	pid                          Int
	process, scope, name, metric Sym
	rank                         int
}

// SeriesOf takes all series out of the samples of a run, in order of subject, pid and part. A category that is
// missing from a snapshot whose process total is there is 0: its row comes and goes as its figure leaves zero. Any
// other gap stays a gap.
func SeriesOf(s *Set) []*Series {
	list, index := s.collect()
	names := s.instances()
	for _, e := range list {
		e.series[0].Process = s.processName(names, e.key.process, e.key.pid)
	}
	s.fillCategories(list, index)
	var out []*Series
	for _, k := range preferred(list) {
		out = append(out, k.series...)
	}
	out = s.cutRestarts(out)
	slices.SortStableFunc(out, func(a, b *Series) int {
		return cmp.Or(a.Subject.compare(b.Subject), cmp.Compare(a.TimeNS[0], b.TimeNS[0]), cmp.Compare(a.PID.V, b.PID.V))
	})
	number(out)
	return out
}

func (a Subject) compare(b Subject) int {
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Metric, b.Metric))
}

type keyed struct {
	key    seriesKey
	series []*Series
}

func (s *Set) collect() ([]*keyed, map[seriesKey]*Series) {
	index := map[seriesKey]*Series{}
	var list []*keyed
	at := -1
	for _, b := range s.tables[Samples] {
		c := b.cols
		for i := 0; i < b.n; i++ {
			key := seriesKey{pid: Int{c[samplePID].ints[i], c[samplePID].known(i)}, process: c[sampleProcess].syms[i],
				scope: c[sampleScope].syms[i], name: c[sampleName].syms[i], metric: c[sampleMetric].syms[i], rank: s.files[c[sampleFile].syms[i]].Rank}
			// Snapshots list the same things in the same order: the series of the next row mostly follows that of the last.
			var one *Series
			if at+1 < len(list) && list[at+1].key == key {
				at++
				one = list[at].series[0]
			} else if len(list) > 0 && list[0].key == key {
				at, one = 0, list[0].series[0]
			} else {
				one = index[key]
			}
			if one == nil {
				one = &Series{Subject: Subject{s.strings[key.process], s.strings[key.scope], s.strings[key.name], s.strings[key.metric]}, PID: key.pid, set: s}
				index[key] = one
				list = append(list, &keyed{key, []*Series{one}})
				at = len(list) - 1
			}
			one.add(c[sampleTime].ints[i], c[sampleValue].ints[i], Int{c[sampleIteration].ints[i], c[sampleIteration].known(i)}, place{c[sampleFile].syms[i], int32(c[sampleLine].ints[i])})
		}
	}
	return list, index
}

func (s *Series) add(t, v int64, iteration Int, p place) {
	if iteration.OK && len(s.Iteration) == len(s.Value) {
		s.Iteration = append(s.Iteration, iteration.V)
	}
	s.TimeNS, s.Value, s.places = append(s.TimeNS, t), append(s.Value, v), append(s.places, p)
	if len(s.Iteration) != len(s.Value) {
		s.Iteration = nil
	}
}

// preferred keeps one source of each series: the first format, by rank, that has at least half as many values as the one
// that has most. One rollup beside a hundred statuses must not leave a series of one value.
func preferred(list []*keyed) []*keyed {
	bare := func(k seriesKey) seriesKey { k.rank = 0; return k }
	most := map[seriesKey]int{}
	for _, e := range list {
		most[bare(e.key)] = max(most[bare(e.key)], len(e.series[0].Value))
	}
	best := map[seriesKey]int{}
	for _, e := range list {
		k := bare(e.key)
		if r, ok := best[k]; 2*len(e.series[0].Value) >= most[k] && (!ok || e.key.rank < r) {
			best[k] = e.key.rank
		}
	}
	return slices.DeleteFunc(list, func(e *keyed) bool { return e.key.rank != best[bare(e.key)] })
}

// lister is a process as one format lists its categories.
type lister struct {
	pid     Int
	process Sym
	rank    int
}

// listed finds the times at which the categories of each process were listed: only there a missing one is 0. A
// snapshot may have the total of a process and no list (procrank beside dumps, the ranking of a whole system).
func (s *Set) listed(list []*keyed) map[lister][]int64 {
	category := s.find("category")
	out := map[lister][]int64{}
	for _, e := range list {
		if e.key.scope == category {
			k := lister{e.key.pid, e.key.process, e.key.rank}
			out[k] = append(out[k], e.series[0].TimeNS...)
		}
	}
	for k, times := range out {
		slices.Sort(times)
		out[k] = slices.Compact(times)
	}
	return out
}

// fillCategories puts a 0 into category series at the times at which the process total and other categories are
// there.
func (s *Set) fillCategories(list []*keyed, index map[seriesKey]*Series) {
	process, empty := s.find("process"), s.find("")
	listed := s.listed(list)
	for _, e := range list {
		if scope := s.strings[e.key.scope]; scope != "category" && scope != "subcategory" {
			continue
		}
		total := e.key
		total.scope, total.name = process, empty
		if t := index[total]; t != nil && !slices.Equal(t.TimeNS, e.series[0].TimeNS) {
			e.series[0].fill(t, listed[lister{e.key.pid, e.key.process, e.key.rank}])
		}
	}
}

// find gives the Sym of a string that is no null; Null if the set has none.
func (s *Set) find(str string) Sym {
	return Sym(max(0, slices.Index(s.strings[1:], str)+1))
}

// fill merges zeros at the listed times of total that s lacks; all are in order of time.
func (s *Series) fill(total *Series, listed []int64) {
	out := Series{Subject: s.Subject, PID: s.PID, set: s.set}
	i := 0
	for j, t := range total.TimeNS {
		for ; i < len(s.TimeNS) && s.TimeNS[i] < t; i++ {
			out.add(s.TimeNS[i], s.Value[i], s.iteration(i), s.places[i])
		}
		if i < len(s.TimeNS) && s.TimeNS[i] == t {
			out.add(t, s.Value[i], s.iteration(i), s.places[i])
			i++
			continue
		}
		if _, ok := slices.BinarySearch(listed, t); ok {
			out.add(t, 0, total.iteration(j), total.places[j])
		}
	}
	for ; i < len(s.TimeNS); i++ {
		out.add(s.TimeNS[i], s.Value[i], s.iteration(i), s.places[i])
	}
	*s = out
}

func (s *Series) iteration(i int) Int {
	if s.Iteration == nil {
		return Int{}
	}
	return Known(s.Iteration[i])
}

// cutRestarts cuts each series at the times at which the clock fell back.
func (s *Set) cutRestarts(list []*Series) []*Series {
	if len(s.Restarts)+len(s.lives) == 0 {
		return list
	}
	var out []*Series
	for _, one := range list {
		for _, at := range s.cuts(one.PID) {
			i, _ := slices.BinarySearch(one.TimeNS, at)
			if i > 0 && i < len(one.TimeNS) {
				out = append(out, one.slice(0, i))
				one = one.slice(i, len(one.TimeNS))
			}
		}
		out = append(out, one)
	}
	return out
}

// cuts are the times at which the series of a pid begin again.
func (s *Set) cuts(pid Int) []int64 {
	if len(s.lives) == 0 {
		return s.Restarts
	}
	out := slices.Clone(s.Restarts)
	for _, l := range s.lives {
		if pid.OK && l.pid == pid.V {
			out = append(out, l.at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *Series) slice(from, to int) *Series {
	cut := *s
	cut.TimeNS, cut.Value, cut.places = s.TimeNS[from:to], s.Value[from:to], s.places[from:to]
	if s.Iteration != nil {
		cut.Iteration = s.Iteration[from:to]
	}
	return &cut
}

// number counts the parts of one subject: another pid under the same name, or a cut, is a restart.
func number(list []*Series) {
	for i := 1; i < len(list); i++ {
		if list[i].Subject == list[i-1].Subject {
			list[i].Part = list[i-1].Part + 1
		}
	}
}
