package openmetrics

import (
	"slices"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
)

// curve is what is said of one series: the longest part of a run where restarts cut it.
type curve struct {
	subject      subject
	n            int
	steady, peak int64
	slope        *float64
	verdict      string
}

// longest are the series of the scopes that are shown, one for each run and subject.
func longest(doc *report.Doc) []curve {
	type key struct {
		subject subject
		run     string
	}
	at := map[key]int{}
	var out []curve
	for _, v := range doc.Result.Series {
		if !slices.Contains(shown, v.Subject.Scope) {
			continue
		}
		c := curve{subject{v.Subject.Process, v.Subject.Name, v.Side, v.Subject.Metric}, v.N, v.Steady, v.Max, v.SlopePerS, string(v.Verdict)}
		k := key{c.subject, v.Run}
		switch i, seen := at[k]; {
		case !seen:
			at[k] = len(out)
			out = append(out, c)
		case c.n > out[i].n:
			out[i] = c
		}
	}
	return out
}

// worst is the order in which one verdict speaks for several runs.
var worst = []string{"leak", "step", "inconclusive", "warm-up", "plateau", "falling", "stable"}

// growth adds the slopes, median over the runs, and the verdicts, the worst of the runs.
func (m *metricset) growth(doc *report.Doc) {
	slopes, verdicts := newBySubject(), map[subject]string{}
	for _, c := range longest(doc) {
		if c.slope != nil {
			slopes.add(c.subject, *c.slope)
		}
		if old, seen := verdicts[c.subject]; !seen || rank(c.verdict) < rank(old) {
			verdicts[c.subject] = c.verdict
		}
	}
	for _, s := range slopes.order {
		unit, size := "per_second", 1.0
		if base, of := s.base(); base != "" {
			unit, size = base+"_per_second", of
		}
		m.of("_growth", s.metric, unit, label.Short(s.metric, 100)+": slope of growth after warm-up, median over the runs.").add(*slopes.median(s)/size, s.labels()...)
	}
	f := m.family("mem_growth_verdict", "gauge", "", "Verdict on the series: always 1, the verdict is a label.")
	for s, v := range verdicts {
		f.add(1, s.labels(pair{"metric", value(s.metric)}, pair{"verdict", value(v)})...)
	}
}

// rank puts a verdict that is not known beside inconclusive.
func rank(verdict string) int {
	if i := slices.Index(worst, verdict); i >= 0 {
		return i
	}
	return 2
}
