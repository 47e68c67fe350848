// Package example builds results for the tests of report and of its renderers: made up, but of the shape and size of
// real ones. Everything is computed from fixed seeds.
package example

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
)

const (
	mib  = 1 << 20
	kib  = 1 << 10
	app  = "com.example.gallery"
	runs = 5
)

// category is a part of the process with its level before, its change, and what it is to be judged.
type category struct {
	name          string
	before, shift float64 // MiB
	verdict       analyze.Change
}

var categories = []category{
	{"Native Heap", 148.2, 21.6, analyze.Regression}, {"GL mtrack", 64.5, 6.1, analyze.Regression}, {"Dalvik Heap", 58.3, -4.4, analyze.Improvement},
	{".so mmap", 41.7, 0.2, analyze.Equivalent}, {"Dalvik Other", 12.4, 0.3, analyze.Equivalent}, {".dex mmap", 22.9, 0.05, analyze.Equivalent},
	{".oat mmap", 9.6, 0, analyze.Equivalent}, {".art mmap", 11.2, 0.1, analyze.Equivalent}, {".apk mmap", 7.3, -0.2, analyze.Unsettled},
	{"Stack", 4.1, 0.6, analyze.Unsettled}, {"Ashmem", 1.8, 0.02, analyze.Equivalent}, {"Other dev", 0.4, 1.9, analyze.Regression},
}

// Compare is five runs a side of one Android process: a native leak and a bigger texture cache, against a smaller
// Java heap.
func Compare() *analyze.Result {
	r := result("compare --before before/* --after after/*", analyze.Fail,
		"Memory regressed: pss of com.example.gallery rose by 26.3 MiB (+6.9 %, 95 % interval [+22.1, +30.4] MiB), most of it in Native Heap, which keeps growing.")
	r.Deltas = append(totals(), categoryDeltas()...)
	r.Deltas = append(r.Deltas, mappings()...)
	r.Inputs = inputs()
	r.Series = series()
	r.Findings = findings()
	r.Problems = []analyze.Problem{
		{Side: "before", File: "before/run-3/meminfo.txt", Line: 4211, Column: 12, Message: `want a size in kB, have "N/A"`, Count: 2},
		{Side: "after", File: "after/run-5/meminfo.txt", Line: 9120, Column: 1, Message: "the last sample is cut off; the 59 before it are used", Count: 1},
	}
	r.Warnings = []string{"after/run-2 was taken 3 min 10 s after start, the others within 20 s: its warm-up may be missing."}
	r.Timeline = timelines()
	r.Redlines = redlines()
	for i := range r.Timeline {
		if t := &r.Timeline[i]; t.Subject.Metric == "pss" && t.Subject.Scope == "process" {
			t.Limit = Of(448.0 * mib)
		}
	}
	return r
}

// redlines are a budget that both sides keep, the after side not for long, and one that is far away.
func redlines() []analyze.Margin {
	margin := func(side string, peak, limit float64, line, metric string) analyze.Margin {
		return analyze.Margin{Line: line, Severity: "critical", Side: side, Run: "run-1", Subject: subject("process", "", metric), PeakOf: "samples",
			Limit: Of(limit * mib), Peak: Of(peak * mib), Headroom: Of((limit - peak) * mib)}
	}
	out := []analyze.Margin{margin("before", 389.5, 448, "budget", "pss"), margin("after", 415.7, 448, "budget", "pss"), margin("after", 140, 512, "android-heap", "heap_alloc")}
	out[1].EtaS, out[1].EtaLo, out[1].EtaHi = Of(3105.0), Of(2700.0), Of(3600.0)
	return out
}

func result(command string, verdict analyze.Outcome, summary string) *analyze.Result {
	return &analyze.Result{Schema: analyze.Schema, Tool: analyze.Tool{Name: "memtide", Version: "0.1.0"}, Command: command, Seed: 1,
		Verdict: verdict, Summary: summary, Method: []analyze.Setting{
			{Name: "tolerance", Value: "max(1 MiB, 2 %)", Meaning: "a change whose 95 % interval lies inside is equivalent, outside a regression or an improvement"},
			{Name: "alpha", Value: "0.01", Meaning: "one-sided level of the modified Mann-Kendall test (Hamed and Rao 1998)"},
			{Name: "warm-up", Value: "10 %", Meaning: "of the samples at the start of a series are left out"},
			{Name: "late slope", Value: "0.5", Meaning: "the second half must still grow at this part of the whole slope, else it is warm-up"},
			{Name: "bootstrap", Value: "2,000", Meaning: "resamples of moving blocks, used with one run a side"},
		}}
}

// Of makes a pointer.
func Of[T any](v T) *T { return &v }

func subject(scope, name, metric string) analyze.Subject {
	return analyze.Subject{Process: app, Scope: scope, Name: name, Metric: metric}
}

// delta makes a difference of two levels given in MiB.
func delta(sub analyze.Subject, before, shift, spread float64, verdict analyze.Change) analyze.Delta {
	b, s, w := before*mib, shift*mib, spread*mib
	d := analyze.Delta{Subject: sub, Before: level(sub, "before", b, w), After: level(sub, "after", b+s, w), Shift: Of(math.Round(s)),
		ShiftLo: Of(math.Round(s - w)), ShiftHi: Of(math.Round(s + w)), P: Of(0.0079), Verdict: verdict, Band: max(mib, math.Round(0.02*b))}
	if b > 0 {
		d.Relative = Of(s / b)
	}
	return d
}

func level(sub analyze.Subject, side string, at, spread float64) analyze.Level {
	rng := rand.New(rand.NewPCG(uint64(len(sub.Name)+7*len(sub.Metric)), uint64(len(side))))
	l := analyze.Level{Runs: runs, N: runs * 60}
	for range runs {
		l.Values = append(l.Values, math.Round(at+spread*(rng.Float64()-0.5)))
	}
	v := slices.Sorted(slices.Values(l.Values))
	l.Median, l.Lo, l.Hi = Of(v[runs/2]), Of(v[0]), Of(v[runs-1])
	l.Peak, l.End = Of(math.Round(at*1.06)), Of(math.Round(at*1.01))
	return l
}

func totals() []analyze.Delta {
	process := func(metric string, before, shift, spread float64, v analyze.Change) analyze.Delta {
		return delta(subject("process", "", metric), before, shift, spread, v)
	}
	swap := process("swap", 14.2, 0.9, 1.4, analyze.Unsettled)
	handles := delta(subject("process", "", "count"), 0, 0, 0, analyze.Equivalent)
	handles.Subject = subject("process", "", "live_count")
	handles.Before.Median, handles.After.Median, handles.Shift = Of(1204.0), Of(1310.0), Of(106.0)
	handles.Band = 24
	handles.ShiftLo, handles.ShiftHi, handles.Relative, handles.Verdict = Of(88.0), Of(121.0), Of(106.0/1204), analyze.Regression
	return []analyze.Delta{
		process("pss", 382.4, 26.3, 4.1, analyze.Regression), process("rss", 487.0, 27.1, 6.2, analyze.Regression),
		process("private_dirty", 271.6, 24.8, 3.9, analyze.Regression), process("shared_dirty", 18.3, 0.1, 0.4, analyze.Equivalent),
		swap, process("heap_alloc", 131.0, 20.4, 3.0, analyze.Regression), handles,
	}
}

func categoryDeltas() []analyze.Delta {
	var out []analyze.Delta
	for _, c := range categories {
		d := delta(subject("category", c.name, "pss"), c.before, c.shift, 0.3+math.Abs(c.shift)/6, c.verdict)
		d.Share, d.PAdjusted = Of(c.shift/26.3), Of(0.0238)
		if c.verdict == analyze.Unsettled || c.verdict == analyze.Equivalent {
			d.PAdjusted = Of(0.34)
		}
		out = append(out, d)
	}
	return out
}

// mappings are 40 of them: a few tell the story, the rest hum.
func mappings() []analyze.Delta {
	out := []analyze.Delta{
		delta(subject("mapping", "[anon:scudo:primary]", "pss"), 118.0, 18.9, 2.6, analyze.Regression),
		delta(subject("mapping", "[anon:dalvik-main space (region space)]", "pss"), 52.0, -4.4, 1.0, analyze.Improvement),
		delta(subject("mapping", "/dev/kgsl-3d0", "pss"), 64.5, 6.1, 0.9, analyze.Regression),
		delta(subject("mapping", "[anon:scudo:secondary]", "pss"), 30.2, 2.7, 1.1, analyze.Regression),
		arrival("/data/app/~~Q2x==/com.example.gallery-9k==/lib/arm64/libimagecodec.so", 1.4, analyze.New),
		arrival("anon_inode:sync_file", 0.5, analyze.New),
		arrival("/data/app/~~Q2x==/com.example.gallery-9k==/lib/arm64/libjpegold.so", -0.9, analyze.Removed),
	}
	rng := rand.New(rand.NewPCG(3, 4))
	libs := []string{"libhwui", "libart", "libc", "libskia", "libbinder", "libgui", "libmedia", "libandroid_runtime", "libGLESv2", "libvulkan", "libcrypto"}
	for i := range 33 {
		lib := fmt.Sprintf("/system/lib64/%s_%d.so", libs[i%len(libs)], i)
		out = append(out, delta(subject("mapping", lib, "pss"), 0.1+rng.Float64()*6, (rng.Float64()-0.45)*0.12, 0.2, analyze.Equivalent))
	}
	for i := range out {
		out[i].Share = Of(*out[i].Shift / (26.3 * mib))
		if out[i].Verdict != analyze.New && out[i].Verdict != analyze.Removed {
			out[i].PAdjusted = Of(min(1, 0.0079*40/float64(i+1)))
		}
	}
	return out
}

func arrival(name string, size float64, v analyze.Change) analyze.Delta {
	d := delta(subject("mapping", name, "pss"), math.Abs(size), 0, 0.1, v)
	d.Shift, d.ShiftLo, d.ShiftHi, d.Relative, d.P = Of(size*mib), nil, nil, nil, nil
	if v == analyze.New {
		d.Before = analyze.Level{Runs: runs, N: 300}
	} else {
		d.After = analyze.Level{Runs: runs, N: 300}
	}
	return d
}

func inputs() []analyze.Input {
	var out []analyze.Input
	for _, side := range []string{"before", "after"} {
		for i := range runs {
			in := analyze.Input{Side: side, Run: fmt.Sprintf("run-%d", i+1), Path: fmt.Sprintf("%s/run-%d/meminfo.txt", side, i+1),
				Format: "dumpsys meminfo", Bytes: 412_880 + int64(i)*3011, SHA256: strings.Repeat(fmt.Sprintf("%x%d", 10+i, len(side)), 32),
				Device: "Pixel 7", Process: []string{app}, Start: fmt.Sprintf("2025-11-0%dT09:30:00Z", i+1), Clock: "boot", Samples: 60, Rows: 5400,
				Facts: []analyze.Fact{{Name: "android", Value: "14 (UP1A.231005.007)"}, {Name: "page_size", Value: "4096"}}}
			if side == "before" && i == 2 {
				in.Problems = 2
			}
			if side == "after" && i == 4 {
				in.Problems, in.NoData, in.Samples = 1, 1, 59
			}
			out = append(out, in)
		}
	}
	return out
}

// series are the totals and categories of the first run of each side.
func series() []analyze.Series {
	var out []analyze.Series
	for _, side := range []string{"before", "after"} {
		for _, m := range []struct {
			name string
			at   float64
		}{{"pss", 382.4}, {"rss", 487}, {"private_dirty", 271.6}, {"swap", 14.2}} {
			v := one(side, subject("process", "", m.name), m.at, 0.6, analyze.Plateau)
			if side == "after" && m.name != "swap" {
				v = one(side, subject("process", "", m.name), m.at, 18.9, analyze.Leak)
				v.Confidence, v.Severity, v.Reason = "medium", "warning", "Grew by 18.9 MiB in 29 min 30 s, still growing in the second half (late slope ratio 0.91)."
			}
			out = append(out, v)
		}
		for _, c := range categories {
			out = append(out, one(side, subject("category", c.name, "pss"), c.before, 0.01*c.before, analyze.Stable))
		}
	}
	leak := &out[len(out)-len(categories)]
	*leak = one("after", subject("category", "Native Heap", "pss"), 150, 18.4, analyze.Leak)
	leak.Confidence, leak.Severity, leak.P = "high", "warning", Of(0.000031)
	leak.Reason = "Grew by 18.4 MiB in 29 min 30 s, still growing in the second half (late slope ratio 0.97); modified Mann-Kendall p 0.000031."
	step := one("after", subject("category", "Other dev", "pss"), 0.4, 1.9, analyze.Step)
	step.Severity, step.Reason = "note", "One jump of 1.9 MiB at 4 min 30 s holds 97 % of the rise; flat before and after."
	unknown := one("after", subject("process", "", "swap"), 14.2, 0.9, analyze.Undetermined)
	unknown.Reason = "The smallest growth this series could have shown (2.4 MiB) is above the floor of 1.0 MiB."
	unknown.SlopePerS, unknown.SlopeLo, unknown.SlopeHi, unknown.Growth, unknown.P = nil, nil, nil, nil, nil
	return append(out, step, unknown)
}

func one(side string, sub analyze.Subject, at, growth float64, v analyze.Verdict) analyze.Series {
	const duration = 1770.0
	first, last := int64(at*mib), int64((at+growth)*mib)
	slope := growth * mib / duration
	return analyze.Series{Side: side, Run: "run-1", Subject: sub, PID: Of(int64(12044)), N: 60, DurationS: duration, First: first, Last: last,
		Min: first, Max: last, Median: (first + last) / 2, Steady: last, Verdict: v, SlopePerS: &slope, SlopeLo: Of(slope * 0.9), SlopeHi: Of(slope * 1.1),
		Growth: Of(growth * mib), Resolvable: Of(0.3*mib + at*2048), Basis: "samples", P: Of(0.2),
		Reason: fmt.Sprintf("Grew by %.1f MiB, less than the floor; the second half is flat.", growth)}
}

func findings() []analyze.Finding {
	return []analyze.Finding{
		{Rule: "growth", Class: "native-heap", Severity: "critical", Side: "after", Run: "run-1", Subject: subject("category", "Native Heap", "pss"),
			Message:  "Native Heap keeps growing at 37.4 MiB/h after warm-up; before it was flat. At this rate the process reaches 512 MiB in 2 h 45 min.",
			Evidence: []analyze.Evidence{{File: "after/run-1/meminfo.txt", Line: 44, TimeNS: Of(int64(0)), Value: Of(int64(150 * mib))}, {File: "after/run-1/meminfo.txt", Line: 9031, TimeNS: Of(int64(1770e9)), Value: Of(int64(168 * mib))}},
			Stats:    map[string]float64{"p": 0.000031, "growth": 18.4 * mib, "slope_per_s": 18.4 * mib / 1770, "floor": 3 * mib, "late_ratio": 0.97},
			Stack:    []string{"scudo_malloc", "image::Codec::decode(image::Source const&)", "gallery::ThumbnailCache::load(std::string const&)"},
			Advice:   "Take a native heap profile of the same scenario (heapprofd, or malloc debug) and look at what allocates during it and is never freed.",
			Warnings: []string{"Judged on one scenario; a cache that fills up within hours looks the same."}, Fingerprint: "growth:native-heap:5f1c09"},
		{Rule: "regression", Class: "pss", Severity: "warning", Side: "after", Subject: subject("category", "GL mtrack", "pss"),
			Message:  "GL mtrack rose by 6.1 MiB (+9.5 %) in all five runs.",
			Evidence: []analyze.Evidence{{File: "after/run-1/meminfo.txt", Line: 51}},
			Stats:    map[string]float64{"shift": 6.1 * mib, "p": 0.0079}, Advice: "Compare texture and buffer sizes between the builds (dumpsys gfxinfo, or a GPU memory snapshot).", Fingerprint: "regression:gl:77aa01"},
		{Rule: "growth", Class: "dalvik-heap", Severity: "warning", Side: "before", Run: "run-1", Subject: subject("category", "Dalvik Heap", "pss"),
			Message: "Dalvik Heap grew by 3.1 MiB.", Evidence: []analyze.Evidence{{File: "before/run-1/meminfo.txt", Line: 45}},
			Advice: "Nothing to do: it no longer grows after.", Fingerprint: "growth:dalvik-heap:11bc20"},
	}
}
