package example

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/memtide/memtide/analyze"
)

// timelines are four totals of every run and one leaking category.
func timelines() []analyze.Timeline {
	var out []analyze.Timeline
	for s, side := range []string{"before", "after"} {
		for run := range runs {
			rng := rand.New(rand.NewPCG(uint64(run+1), uint64(s+1)))
			name := fmt.Sprintf("run-%d", run+1)
			for i, m := range []struct {
				metric       string
				level, shift float64
			}{{"pss", 382.4, 26.3}, {"rss", 487, 27.1}, {"private_dirty", 271.6, 24.8}, {"swap", 14.2, 0.9}} {
				growth := 4.0
				if s == 1 && i < 3 {
					growth = 18
				}
				start := m.level + float64(s)*m.shift - growth*0.7 + (rng.Float64()-0.5)*m.level*0.015
				out = append(out, timeline(side, name, subject("process", "", m.metric), start, growth, m.level/10, 60, rng))
			}
			growth := 0.8
			if s == 1 {
				growth = 18
			}
			out = append(out, timeline(side, name, subject("category", "Native Heap", "pss"), 148, growth, 14, 60, rng))
		}
	}
	return out
}

// timeline rises fast to a level within the first tenth and then by growth to its end, with a saw-tooth on it.
func timeline(side, run string, sub analyze.Subject, level, growth, warm float64, n int, rng *rand.Rand) analyze.Timeline {
	t := analyze.Timeline{Side: side, Run: run, Subject: sub}
	for i := range n {
		x := float64(i) / float64(n-1)
		mid := level - warm*math.Exp(-x*25) + growth*x + warm/20*math.Mod(float64(i), 7)/7 + (rng.Float64()-0.5)*warm/12
		half := warm / 25 * rng.Float64()
		t.TimeS = append(t.TimeS, math.Round(x*1770))
		t.Min = append(t.Min, math.Round((mid-half)*mib))
		t.Mid = append(t.Mid, math.Round(mid*mib))
		t.Max = append(t.Max, math.Round((mid+half)*mib))
	}
	return t
}

// Single is one run of one process that leaks, with a restart.
func Single() *analyze.Result {
	r := result("analyze gallery.log", analyze.Fail, "com.example.gallery leaks: Native Heap grew by 18.4 MiB in 29 min 30 s and was still growing (37.4 MiB/h, high confidence).")
	for _, c := range Compare().Series {
		if c.Side == "after" && c.Subject.Metric != "swap" {
			c.Side = ""
			r.Series = append(r.Series, c)
		}
	}
	r.Series = r.Series[:len(r.Series)-1] // the second series of Other dev
	r.Findings = Compare().Findings[:1]
	r.Findings[0].Side = ""
	in := Compare().Inputs[5]
	in.Side, in.Path = "", "gallery.log"
	r.Inputs = []analyze.Input{in}
	for _, t := range Compare().Timeline {
		if t.Side == "after" && t.Run == "run-1" {
			t.Side = ""
			r.Timeline = append(r.Timeline, t)
		}
	}
	return r
}

// Many is a comparison of a whole system: processes of which some changed, one run a side.
func Many(processes int) *analyze.Result {
	r := result("compare --before a --after b", analyze.Inconclusive, "3 of the processes changed by more than 10 %; one run a side cannot say more.")
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range processes {
		process := fmt.Sprintf("com.example.service%02d", i)
		shift := (rng.Float64() - 0.5) * 0.4
		verdict := analyze.Unsettled
		if i < 3 {
			shift, verdict = 14, analyze.Regression
		}
		for _, metric := range []string{"pss", "uss"} {
			d := delta(analyze.Subject{Process: process, Scope: "process", Metric: metric}, 20+rng.Float64()*90, shift, 0.8, verdict)
			d.Before.Runs, d.After.Runs = 1, 1
			r.Deltas = append(r.Deltas, d)
		}
	}
	for _, side := range []string{"before", "after"} {
		r.Inputs = append(r.Inputs, analyze.Input{Side: side, Run: side, Path: side + "/procrank.txt", Format: "procrank", Clock: "order", Samples: 12})
	}
	return r
}

// Large has as many mappings and columns as the greatest capture a report is promised to stay small for.
func Large(mappings, columns int) *analyze.Result {
	r := Compare()
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range mappings {
		sub := subject("mapping", fmt.Sprintf("/data/app/~~Q2x==/com.example.gallery-9k==/lib/arm64/libplugin%04d.so", i), "pss")
		d := delta(sub, rng.Float64()*8, (rng.Float64()-0.5)*0.4, 0.3, analyze.Equivalent)
		d.Share = Of(*d.Shift / (26.3 * mib))
		r.Deltas = append(r.Deltas, d)
		for _, side := range []string{"before", "after"} {
			r.Series = append(r.Series, one(side, sub, rng.Float64()*8, rng.Float64()*0.1, analyze.Stable))
			for run := range runs {
				r.Timeline = append(r.Timeline, timeline(side, fmt.Sprintf("run-%d", run+1), sub, 5, 0.1, 1, columns, rng))
			}
		}
	}
	for i := range r.Timeline {
		if t := &r.Timeline[i]; t.Subject.Scope == "process" {
			*t = timeline(t.Side, t.Run, t.Subject, 400, 20, 30, columns, rng)
		}
	}
	return r
}
