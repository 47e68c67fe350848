package example

import (
	"fmt"
	"math"

	"github.com/memtide/memtide/analyze"
)

// samples is a series of few samples in MiB, with the verdict that such a one gets.
func samples(sub analyze.Subject, sizes ...float64) analyze.Series {
	v := analyze.Series{Run: "capture", Subject: sub, PID: Of(int64(4711)), N: len(sizes), DurationS: 60 * float64(len(sizes)-1), Min: math.MaxInt64,
		Verdict: analyze.Undetermined, Reason: fmt.Sprintf("%d samples: at least 5 at different times are needed", len(sizes))}
	for i, m := range sizes {
		b := int64(m * mib)
		if i == 0 {
			v.First = b
		}
		v.Last, v.Min, v.Max = b, min(v.Min, b), max(v.Max, b)
	}
	v.Median, v.Steady = v.Last, v.Last
	return v
}

// of makes a subject of any process.
func of(process, scope, name, metric string) analyze.Subject {
	return analyze.Subject{Process: process, Scope: scope, Name: name, Metric: metric}
}

func levels(path string, series ...analyze.Series) *analyze.Result {
	r := result("analyze "+path, analyze.Inconclusive, "No series is long enough to say whether memory grows: take at least 5 samples, better 30.")
	r.Series = series
	for _, v := range series {
		t := analyze.Timeline{Run: v.Run, Subject: v.Subject}
		for i := range v.N {
			at := float64(v.First) + float64(i)/math.Max(1, float64(v.N-1))*float64(v.Last-v.First)
			t.TimeS, t.Min, t.Mid, t.Max = append(t.TimeS, 60*float64(i)), append(t.Min, at), append(t.Mid, at), append(t.Max, at)
		}
		r.Timeline = append(r.Timeline, t)
	}
	r.Inputs = []analyze.Input{{Run: "capture", Path: path, Format: "smaps", Clock: "order", Samples: series[0].N}}
	return r
}

// Snapshot is one smaps of one process without a name.
func Snapshot() *analyze.Result {
	return levels("smaps.txt", parts("",
		[]float64{20.4}, []float64{12.3}, []float64{5.4}, []float64{0})...)
}

// Few is three samples of one process: too few for a verdict, enough for a difference.
func Few() *analyze.Result {
	return levels("smaps", parts(app,
		[]float64{20.4, 22, 26}, []float64{12.3, 14, 18.1}, []float64{5.4, 7.2, 11}, []float64{0, 0, 0.5})...)
}

// parts are totals of a process and what its categories hold of its pss.
func parts(process string, rss, pss, uss, swap []float64) []analyze.Series {
	share := func(of float64) (out []float64) {
		for _, v := range pss {
			out = append(out, v*of)
		}
		return out
	}
	return []analyze.Series{
		samples(of(process, "process", "", "rss"), rss...), samples(of(process, "process", "", "pss"), pss...),
		samples(of(process, "process", "", "uss"), uss...), samples(of(process, "process", "", "swap"), swap...),
		samples(of(process, "category", "anon", "pss"), share(0.5)...), samples(of(process, "category", "file", "pss"), share(0.3)...),
		samples(of(process, "category", "heap", "pss"), share(0.15)...), samples(of(process, "category", "shared", "pss"), share(0)...),
		samples(of(process, "category", "anon", "rss"), share(0.6)...),
	}
}

// Snapshots is one snapshot of a whole system: many processes by pss, some with more than that, and the machine.
func Snapshots(processes int) *analyze.Result {
	var all []analyze.Series
	for i := range processes {
		process := fmt.Sprintf("com.example.service%02d", i)
		pss := 130 / (1 + 0.4*float64(i))
		if i%3 == 0 {
			all = append(all, parts(process, []float64{pss * 1.7}, []float64{pss}, []float64{pss * 0.7}, []float64{0})...)
			continue
		}
		all = append(all, samples(of(process, "process", "", "pss"), pss))
	}
	for _, m := range []struct {
		metric string
		size   float64
	}{{"mem_total", 3765}, {"mem_free", 1769}, {"used_ram", 952}} {
		all = append(all, samples(of("", "system", "", m.metric), m.size))
	}
	return levels("dumpsys-meminfo.txt", all...)
}

// Wide is one run a side of a process with 25 metrics, as a smaps gives them: most are 0 or say the same as another.
func Wide() *analyze.Result {
	r := result("compare --before a --after b", analyze.Fail, "Memory got worse: pss +8.2 MiB (+29.3 %); likewise rss, uss, private_dirty, dirty, anonymous.")
	const oneRun = "one run a side: the interval is of the scatter within the runs and cannot speak for the spread between runs"
	for _, m := range []struct {
		metric        string
		before, shift float64
	}{
		{"rss", 33.26, 8.2}, {"pss", 28.01, 8.2}, {"uss", 26.72, 8.18}, {"private_dirty", 26.71, 8.19}, {"dirty", 26.71, 8.19}, {"anonymous", 26.71, 8.19},
		{"pss_anon", 26.7, 8.19}, {"pss_dirty", 26.71, 8.19}, {"referenced", 33.2, 8.2}, {"vss", 35.91, 8.12}, {"heap_alloc", 14, 3}, {"heap_size", 16, 3},
		{"live_bytes", 9, 2}, {"cgroup_usage", 120, 12}, {"pss_file", 1.3, 0.01}, {"shared_clean", 6.54, 0.02}, {"private_clean", 0.01, -0.01},
		{"shared_dirty", 0, 0}, {"swap", 0, 0}, {"swap_pss", 0, 0}, {"locked", 0, 0}, {"lazy_free", 0, 0}, {"pss_shmem", 0, 0}, {"ksm", 0, 0}, {"anon_huge_pages", 0, 0},
	} {
		verdict, note := analyze.Equivalent, "both sides have the same values"
		if m.shift > 1 {
			verdict = analyze.Regression
		}
		if m.shift != 0 {
			note = oneRun
		}
		d := delta(of("", "process", "", m.metric), m.before, m.shift, 0.02, verdict)
		d.Before.Runs, d.After.Runs, d.Note, d.P = 1, 1, note, nil
		d.Before.Values, d.After.Values, d.Before.Median, d.After.Median = nil, nil, Of(m.before*mib), Of((m.before+m.shift)*mib)
		r.Deltas = append(r.Deltas, d)
	}
	for _, side := range []string{"before", "after"} {
		r.Inputs = append(r.Inputs, analyze.Input{Side: side, Run: side, Path: side + "/smaps.txt", Format: "smaps", Clock: "name", Samples: 24})
		for _, d := range r.Deltas {
			r.Series = append(r.Series, one(side, d.Subject, *d.Before.Median/mib, 0.1, analyze.Stable))
		}
	}
	return r
}
