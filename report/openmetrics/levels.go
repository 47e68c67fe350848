package openmetrics

import (
	"slices"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
	"github.com/memtide/memtide/report/unit"
)

// subject is what a sample is about: the labels, and the metric that names the family. A run is no label: the values
// are medians over the runs of a side.
type subject struct {
	process, category, side, metric string
}

// shown are the scopes that have samples. The name of a device or pool takes the label of the category.
var shown = []string{"process", "category", "system", "device"}

func (s subject) labels(more ...pair) []pair {
	out := []pair{{"process", value(s.process)}, {"category", value(s.category)}}
	if s.side != "" {
		out = append(out, pair{"side", value(s.side)})
	}
	return append(out, more...)
}

// base is the unit of a family, one of those that OpenMetrics has, and how much of the metric's own unit one of it is.
func (s subject) base() (name string, size float64) {
	switch ruling.KindOf(s.metric) {
	case unit.Count:
		return "", 1
	case unit.Share:
		return "ratio", 1e6
	case unit.Time:
		return "seconds", 1e9
	}
	return "bytes", 1
}

// levels adds steady medians and peaks: those of the comparison where there is one, else those of the series.
func (m *metricset) levels(doc *report.Doc) {
	compared := map[subject]bool{}
	for _, d := range doc.Result.Deltas {
		if !slices.Contains(shown, d.Subject.Scope) {
			continue
		}
		s := subject{d.Subject.Process, d.Subject.Name, "before", d.Subject.Metric}
		compared[s] = true
		m.level(s, d.Before.Median, d.Before.Peak)
		s.side = "after"
		compared[s] = true
		m.level(s, d.After.Median, d.After.Peak)
	}
	steady, peak := newBySubject(), newBySubject()
	for _, v := range longest(doc) {
		if !compared[v.subject] {
			steady.add(v.subject, float64(v.steady))
			peak.add(v.subject, float64(v.peak))
		}
	}
	for _, s := range steady.order {
		m.level(s, steady.median(s), peak.median(s))
	}
}

func (m *metricset) level(s subject, steady, peak *float64) {
	name := label.Short(s.metric, 100)
	base, size := s.base()
	if steady != nil {
		m.of("", s.metric, base, name+": median of the second half of a run, median over the runs.").add(*steady/size, s.labels()...)
	}
	if peak != nil {
		m.of("_peak", s.metric, base, name+": greatest sample of a run, median over the runs.").add(*peak/size, s.labels()...)
	}
}

// bySubject collects values, one for each run.
type bySubject struct {
	order  []subject
	values map[subject][]float64
}

func newBySubject() *bySubject { return &bySubject{values: map[subject][]float64{}} }

func (b *bySubject) add(s subject, v float64) {
	if b.values[s] == nil {
		b.order = append(b.order, s)
	}
	b.values[s] = append(b.values[s], v)
}

func (b *bySubject) median(s subject) *float64 {
	v := slices.Sorted(slices.Values(b.values[s]))
	n := len(v)
	if n == 0 {
		return nil
	}
	m := v[(n-1)/2]/2 + v[n/2]/2
	return &m
}
