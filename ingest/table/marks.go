package table

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// MarksOf gives the marks of event logs as series of scope driver: how many of a name there were so far, or the number that
// stands at the end of the name (iteration 5, batch_size=16), where all of them have one.
func MarksOf(s *Set) []*Series {
	type mark struct {
		t, number int64
		numbered  bool
		place     place
	}
	all := map[string][]mark{}
	s.eachMark(func(t int64, full string, p place) {
		name, number, ok := cutNumber(full)
		all[name] = append(all[name], mark{t, number, ok, p})
	})
	var out []*Series
	for name, marks := range all {
		numbered := !slices.ContainsFunc(marks, func(m mark) bool { return !m.numbered })
		one := &Series{Subject: Subject{Scope: "driver", Name: name, Metric: "count"}, set: s}
		for i, m := range marks {
			v := int64(i + 1)
			if numbered {
				v = m.number
			}
			one.add(m.t, v, Int{}, m.place)
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b *Series) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// eachMark calls a function for each named mark of the event logs, in order of their rows.
func (s *Set) eachMark(f func(t int64, name string, p place)) {
	op := s.find("mark")
	if op == Null {
		return
	}
	for _, b := range s.tables[Events] {
		c := b.cols
		for i := range b.n {
			if c[eventOp].syms[i] == op && c[eventClass].syms[i] != Null {
				f(c[0].ints[i], s.strings[c[eventClass].syms[i]], place{c[eventFile].syms[i], int32(c[eventFile+1].ints[i])})
			}
		}
	}
}

// cutNumber takes a number off the end of a mark's name, with what stands between.
func cutNumber(name string) (string, int64, bool) {
	head := strings.TrimRight(name, "0123456789")
	n, err := strconv.ParseInt(name[len(head):], 10, 64)
	if err != nil {
		return name, 0, false
	}
	head = strings.TrimRight(head, " =:#-_/")
	return cmp.Or(head, name), n, head != ""
}
