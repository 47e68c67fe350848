package analyze

import (
	"cmp"
	"slices"
)

// wholeDevices puts one series in place of the several that processes have of one device: that of the device itself, if the
// capture has it, else their sum. All other tracks stay.
func (h *holder) wholeDevices(tracks []*track) []*track {
	shares := map[Subject][]*track{}
	whole := map[Subject]bool{}
	for _, k := range tracks {
		if k.subject.Scope == "device" {
			s := k.subject
			s.Process = ""
			shares[s] = append(shares[s], k)
			whole[s] = whole[s] || k.subject.Process == ""
		}
	}
	var out []*track
	for _, k := range tracks {
		s := k.subject
		s.Process = ""
		switch group := shares[s]; {
		case k.subject.Scope != "device", severalNot(group):
			out = append(out, k)
		case whole[s]:
			if k.subject.Process == "" {
				out = append(out, k)
			}
		case k == group[0]:
			out = append(out, h.sum(s, group))
		}
	}
	return out
}

// severalNot says whether all tracks are of one process.
func severalNot(group []*track) bool {
	return !slices.ContainsFunc(group, func(k *track) bool { return k.subject.Process != group[0].subject.Process })
}

// sum adds tracks at the times of all of them. In a log of events a value holds until the next; of samples only those of one
// time are added, since a process that is missing there held nothing.
func (h *holder) sum(s Subject, group []*track) *track {
	type sample struct {
		t float64
		k int
		i int
	}
	var all []sample
	for k, g := range group {
		for i, t := range g.t {
			all = append(all, sample{t, k, i})
		}
	}
	slices.SortStableFunc(all, func(a, b sample) int { return cmp.Compare(a.t, b.t) })
	out := &track{side: group[0].side, run: group[0].run, subject: s}
	var places []func() Evidence
	held := make([]float64, len(group))
	for a := 0; a < len(all); {
		b := a
		if !h.steps {
			clear(held)
		}
		for ; b < len(all) && all[b].t == all[a].t; b++ {
			held[all[b].k] = group[all[b].k].y[all[b].i]
		}
		total := 0.0
		for _, v := range held {
			total += v
		}
		last := all[b-1]
		out.t, out.y = append(out.t, last.t), append(out.y, total)
		places = append(places, func() Evidence { return group[last.k].place(last.i) })
		a = b
	}
	out.place = func(i int) Evidence {
		e := places[i]()
		v := round(out.y[i])
		e.Value = &v
		return e
	}
	return out
}
