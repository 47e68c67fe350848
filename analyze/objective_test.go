package analyze_test

import (
	"testing"

	"github.com/memtide/memtide/analyze"
)

// served is a series of one sample a second: level MiB, and more in the spans given.
func served(n int, level int64, spans ...[3]int64) analyze.Capture {
	return capture("run", n, func(i int) []row {
		v := level
		for _, s := range spans {
			if int64(i) >= s[0] && int64(i) < s[1] {
				v = s[2]
			}
		}
		return []row{{"app", "process", "", "rss", v * mib}}
	})
}

func TestObjectives(t *testing.T) {
	limit := analyze.Objective{Name: "slo", Match: analyze.Match{Metric: "rss"}, Limit: 512 * mib}
	loose := limit
	loose.Deviation = 0.1
	least := analyze.Objective{Name: "slo", Match: analyze.Match{Metric: "rss"}, Limit: 300 * mib, Below: true}
	for _, c := range []struct {
		name             string
		capture          analyze.Capture
		o                analyze.Objective
		windows, broken  int
		violations       int
		start, toDetect  float64
		inconclusiveNote bool
	}{
		{"kept", served(600, 400), limit, 109, 0, 0, 0, 0, false},
		{"a spike of ten seconds", served(600, 400, [3]int64{300, 310, 900}), limit, 109, 0, 0, 0, 0, false},
		{"a rise for two minutes", served(600, 400, [3]int64{300, 420, 600}), limit, 109, 24, 1, 300, 40, false},
		{"two rises", served(900, 400, [3]int64{300, 420, 600}, [3]int64{600, 720, 600}), limit, 169, 48, 2, 300, 40, false},
		{"within the deviation", served(600, 400, [3]int64{300, 420, 550}), loose, 109, 0, 0, 0, 0, false},
		{"too little", served(600, 400, [3]int64{300, 420, 200}), least, 109, 24, 1, 300, 40, false},
		{"too short", served(30, 900), limit, 0, 0, 0, 0, 0, true},
	} {
		o := analyze.Defaults()
		o.Objectives = []analyze.Objective{c.o}
		r := analyze.One([]analyze.Capture{c.capture}, o)
		if len(r.Services) != 1 {
			t.Fatalf("%s: %d services", c.name, len(r.Services))
		}
		s := r.Services[0]
		if s.Windows != c.windows || s.Broken != c.broken || len(s.Breaches) != c.violations || (s.Note != "") != c.inconclusiveNote {
			t.Errorf("%s: %+v", c.name, s)
			continue
		}
		found := 0
		for _, f := range r.Findings {
			if f.Rule == "objective" {
				found++
			}
		}
		if found != min(c.violations, 1) {
			t.Errorf("%s: %d findings", c.name, found)
		}
		if c.violations > 0 {
			near(t, c.name+": start", s.Breaches[0].StartS, c.start, 0)
			near(t, c.name+": time to detect", s.Breaches[0].DetectS-s.Breaches[0].StartS, c.toDetect, 5)
		}
	}
}

// TestObjectiveWithGaps: windows without a sample are not counted, and a long gap costs nothing.
func TestObjectiveWithGaps(t *testing.T) {
	c := polled("run", map[row][]int64{{"app", "process", "", "rss", 0}: in(mib, 600, 600, 600, 600)})
	o := analyze.Defaults()
	o.Objectives = []analyze.Objective{{Name: "slo", Match: analyze.Match{Metric: "rss"}, Limit: 512 * mib, WindowS: 0.5, StepS: 0.1}}
	r := analyze.One([]analyze.Capture{c}, o)
	if s := r.Services[0]; s.Windows == 0 || s.Broken != s.Windows {
		t.Errorf("%+v", s)
	}
}

// TestDetectedEarly: a steady leak is told long before the end, and never before it began.
func TestDetectedEarly(t *testing.T) {
	r := one(capture("run", 400, func(i int) []row {
		v := int64(200 * mib)
		if i > 100 {
			v += int64(i-100) * mib
		}
		return []row{{"app", "process", "", "rss", v + int64(i*7919%65536)}}
	}))
	for _, s := range r.Series {
		if s.Subject.Metric != "rss" {
			continue
		}
		if s.Verdict != analyze.Leak || s.DetectS == nil || *s.DetectS <= 100 || *s.DetectS > 200 {
			t.Errorf("%s, detected at %v: %s", s.Verdict, s.DetectS, r.Findings[0].Message)
		}
	}
	if r.Findings[0].Stats["detect_s"] <= 100 {
		t.Error(r.Findings[0].Message)
	}
}
