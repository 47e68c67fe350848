package analyze

import (
	"fmt"
	"sort"
)

// maxReplays bounds the series that are replayed: the worst findings of growth.
const maxReplays = 10

// replayStep is the ratio of the lengths at which a series is judged again.
const replayStep = 1.15

// replay finds how early each growth could have been told: the series is judged again as it stood at earlier moments.
func (r *Result) replay(runs [][]*track, c GrowthConfig) {
	index := map[trackKey]*track{}
	var worst []*Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; (f.Rule == "growth" || f.Rule == "handle-leak") && f.Severity != "note" && len(worst) < maxReplays {
			worst = append(worst, f)
		}
	}
	if len(worst) == 0 {
		return
	}
	for _, list := range runs {
		for _, k := range list {
			index[trackKey{k.run, k.subject, k.part}] = k
		}
	}
	for _, f := range worst {
		for j := range r.Series {
			if s := &r.Series[j]; s.Run == f.Run && s.Subject == f.Subject && s.Verdict == Leak {
				s.foresee(f, index[trackKey{s.Run, s.Subject, s.Part}], c)
			}
		}
	}
}

type trackKey struct {
	run     string
	subject Subject
	part    int
}

// foresee notes when the growth of a series could have been told.
func (s *Series) foresee(f *Finding, k *track, c GrowthConfig) {
	if k == nil {
		return
	}
	at := k.detected(c)
	if at < 0 {
		return
	}
	s.DetectS = &k.t[at]
	f.Stats["detect_s"] = k.t[at] - k.t[0]
	if k.tick != "" {
		f.Message += fmt.Sprintf(" It could have been told from the first %d of %d samples.", at+1, len(k.t))
		return
	}
	f.Message += fmt.Sprintf(" It could have been told after %s, from the first %d of %d samples.", span(k.t[at]-k.t[0]), at+1, len(k.t))
}

// detected is the first sample with which the series would have been called a leak that was never taken back: the series is
// judged at lengths that grow by a fixed ratio, then between the last without the verdict and the first of those that keep it.
// -1 if it is one only as a whole.
func (k *track) detected(c GrowthConfig) int {
	judge := func(n int) bool {
		in := GrowthInput{T: k.t[:n], Y: k.y[:n], Kind: kindOf(k.subject), Limit: k.ahead()}
		if k.iterations != nil {
			in.Iterations = k.iterations[:n]
		}
		j := JudgeGrowth(in, c)
		return j.Verdict == Leak
	}
	lengths := []int{}
	for n := float64(c.MinSamples); int(n) < len(k.y); n = max(n*replayStep, n+1) {
		lengths = append(lengths, int(n))
	}
	lengths = append(lengths, len(k.y))
	first := len(lengths)
	for i := len(lengths) - 1; i >= 0 && judge(lengths[i]); i-- {
		first = i
	}
	if first == len(lengths) {
		return -1
	}
	if first == 0 {
		return lengths[0] - 1
	}
	low := lengths[first-1]
	return low + sort.Search(lengths[first]-low-1, func(i int) bool { return judge(low + 1 + i) })
}
