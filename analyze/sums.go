package analyze

import (
	"math"
	"slices"
)

// sums are figures that only together tell whether memory is held: what leaves one for the other is no growth.
var sums = []struct{ metric, resident, swapped string }{
	{"rss_swap", "rss", "swap"},
	{"pss_swap", "pss", "swap_pss"},
}

// withSums adds the sums of resident and swapped memory of each process, at the times at which both were measured, where
// anything was swapped out at all.
func withSums(tracks []*track) []*track {
	type key struct {
		process, metric string
		pid             int64
		part            int
	}
	index := map[key]*track{}
	keyOf := func(k *track, metric string) key {
		pid := int64(-1)
		if k.pid != nil {
			pid = *k.pid
		}
		return key{k.subject.Process, metric, pid, k.part}
	}
	for _, k := range tracks {
		if k.subject.Scope == "process" {
			index[keyOf(k, k.subject.Metric)] = k
		}
	}
	for _, k := range slices.Clone(tracks) {
		for _, s := range sums {
			if k.subject.Scope != "process" || k.subject.Metric != s.resident || index[keyOf(k, s.metric)] != nil {
				continue
			}
			if w := index[keyOf(k, s.swapped)]; w != nil && slices.Max(w.y) > 0 {
				if sum := k.plus(w, s.metric); len(sum.y) > 0 {
					tracks = append(tracks, sum)
				}
			}
		}
	}
	return tracks
}

// plus adds another track, at the times that both have. The evidence is that of k.
func (k *track) plus(w *track, metric string) *track {
	sum := &track{side: k.side, run: k.run, subject: k.subject, pid: k.pid, part: k.part}
	sum.subject.Metric = metric
	var at []int
	j := 0
	for i, t := range k.t {
		for j < len(w.t) && w.t[j] < t {
			j++
		}
		if j == len(w.t) || w.t[j] != t || !(math.Abs(k.y[i]) < absurd && math.Abs(w.y[j]) < absurd) {
			continue
		}
		at = append(at, i)
		sum.t, sum.y = append(sum.t, t), append(sum.y, k.y[i]+w.y[j])
		if k.iterations != nil {
			sum.iterations = append(sum.iterations, k.iterations[i])
		}
	}
	sum.place = func(i int) Evidence {
		e, v := k.place(at[i]), round(sum.y[i])
		e.Value = &v
		return e
	}
	return sum
}
