package analyze_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// polled is a capture of series that are sampled every ten seconds; a value below 0 is no sample.
func polled(name string, series map[row][]int64) analyze.Capture {
	n := 0
	for _, v := range series {
		n = max(n, len(v))
	}
	b := table.NewBuilder(name, "test")
	for i := range n {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(i) * 10e9), Line: i + 1})
		for r, v := range series {
			if i < len(v) && v[i] >= 0 {
				b.Process(table.Known(1), b.Text(r.process))
				b.Add(table.Sample{Scope: b.Text(r.scope), Name: b.Text(r.name), Metric: b.Text(r.metric), Value: v[i], Line: i + 1, Iteration: table.Known(int64(i))})
			}
		}
	}
	return analyze.Capture{Name: name, Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []analyze.Input{{Run: name, Path: name, Format: "test"}}}
}

func in(unit float64, v ...float64) []int64 {
	out := make([]int64, len(v))
	for i := range v {
		out[i] = int64(v[i] * unit)
	}
	return out
}

func held(t *testing.T, c analyze.Capture, lines ...analyze.Redline) *analyze.Result {
	t.Helper()
	o := analyze.Defaults()
	o.Redlines.Lines = lines
	r := analyze.One([]analyze.Capture{c}, o)
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func redlines(r *analyze.Result) (out []analyze.Finding) {
	for _, f := range r.Findings {
		if f.Rule == "redline" {
			out = append(out, f)
		}
	}
	return out
}

var budget = analyze.Redline{Name: "budget", Match: analyze.Match{Scope: "process", Metric: "rss"}, Limit: 512 * mib}

// The worked example of docs/methods.md, red lines.
func TestRedlineWorkedExample(t *testing.T) {
	r := held(t, polled("run", map[row][]int64{{"app", "process", "", "rss", 0}: in(mib, 480, 500, 530, 505, 540, 560)}), budget)
	f := redlines(r)
	if len(f) != 1 || len(r.Redlines) != 1 || r.Verdict != analyze.Fail {
		t.Fatalf("%s %+v %+v", r.Verdict, f, r.Redlines)
	}
	for name, want := range map[string]float64{"first_ns": 14e9, "above_ns": 31.2e9, "area": 610.8 * mib, "peak": 560 * mib, "headroom": -48 * mib, "limit": 512 * mib, "crossings": 1} {
		if v := f[0].Stats[name]; math.Abs(v-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	e := f[0].Evidence
	if len(e) != 3 || e[0].Line != 2 || e[1].Line != 3 || e[2].Line != 6 || *e[1].Value != 530*mib {
		t.Errorf("evidence %+v", e)
	}
	if f[0].Class != "budget" || f[0].Severity != "critical" || !strings.Contains(f[0].Message, "14 s into the run") || len(f[0].Warnings) != 1 {
		t.Errorf("%+v", f[0])
	}
	if r.Timeline[0].Limit == nil || *r.Timeline[0].Limit != 512*mib {
		t.Errorf("limit of the timeline %v", r.Timeline[0].Limit)
	}
}

func TestRedlines(t *testing.T) {
	rss := row{"app", "process", "", "rss", 0}
	gpu := func(name, metric string) row { return row{"", "device", name, metric, 0} }
	const a100 = "GPU 0 NVIDIA A100-SXM4-80GB"
	share := func(l analyze.Redline, of string, v float64) analyze.Redline { l.Of, l.Limit = of, v; return l }
	every := budget
	every.Every = 2
	free := analyze.Redline{Name: "free", Match: analyze.Match{Metric: "mem_available"}, Limit: 100 * mib, Below: true}
	for _, c := range []struct {
		name     string
		series   map[row][]int64
		lines    []analyze.Redline
		want     string // line: peak in MiB, first in s, of what; "-" no series was held
		findings int
	}{
		{"kept", map[row][]int64{rss: in(mib, 100, 200)}, []analyze.Redline{budget}, "budget 200 - samples", 0},
		{"above from the start", map[row][]int64{rss: in(mib, 600, 700)}, []analyze.Redline{budget}, "budget 700 0 samples", 1},
		{"one sample", map[row][]int64{rss: in(mib, 600)}, []analyze.Redline{budget}, "budget 600 0 samples", 1},
		{"peak between the samples", map[row][]int64{rss: in(mib, 100, 200), {"app", "process", "", "vm_hwm", 0}: in(mib, 550, 550)}, []analyze.Redline{budget}, "budget 550 - vm_hwm", 1},
		{"every second iteration", map[row][]int64{rss: in(mib, 100, 600, 100, 600)}, []analyze.Redline{every}, "budget 100 - samples", 0},
		{"absurd values", map[row][]int64{rss: {100 * mib, math.MaxInt64}}, []analyze.Redline{budget}, "budget 100 - samples", 0},
		{"share of the machine", map[row][]int64{rss: in(mib, 100, 600), {"", "system", "", "mem_total", 0}: in(mib, 1000, 1000)}, []analyze.Redline{share(budget, "mem_total", 0.5)}, "budget 600 8 samples", 1},
		{"share of the limit", map[row][]int64{rss: in(mib, 100, 600), {"app", "process", "", "mem_limit", 0}: in(mib, 1000, 1000)}, []analyze.Redline{share(budget, "mem_limit", 0.9)}, "budget 600 - samples", 0},
		{"share of what is not told", map[row][]int64{rss: in(mib, 100, 600)}, []analyze.Redline{share(budget, "mem_total", 0.5)}, "budget ? - samples", 0},
		{"below", map[row][]int64{{"", "system", "", "mem_available", 0}: in(mib, 300, 50, 300)}, []analyze.Redline{free}, "free 50 8 samples", 1},
		{"A100 by name", map[row][]int64{gpu(a100, "gpu_used"): in(1e9, 70, 80)}, nil, "A100-80GB 76293.9453125 5 samples", 1},
		{"A100 by memory", map[row][]int64{gpu("A100-PCIE", "gpu_used"): in(1e9, 70, 80), gpu("A100-PCIE", "gpu_total"): in(1e9, 84, 84)}, nil, "A100-80GB 76293.9453125 5 samples", 1},
		{"A100 of 40 GB", map[row][]int64{gpu("A100-PCIE-40GB", "gpu_used"): in(1e9, 38, 39), gpu("A100-PCIE-40GB", "gpu_total"): in(1e9, 42, 42)}, nil, "gpu-total 37193.2983398438 - samples", 0},
		{"a slice of an A100", map[row][]int64{gpu("NVIDIA A100-SXM4-80GB MIG 1g.10gb", "gpu_used"): in(1e9, 76)}, nil, "-", 0},
		{"H100", map[row][]int64{gpu("NVIDIA H100 80GB HBM3", "gpu_used"): in(1e9, 70, 74)}, nil, "H100-80GB 70571.8994140625 5 samples", 1},
		{"H100 NVL", map[row][]int64{gpu("NVIDIA H100 NVL", "gpu_used"): in(1e9, 90)}, nil, "-", 0},
		{"L40S", map[row][]int64{gpu("NVIDIA L40S", "gpu_used"): in(1e9, 40, 41)}, nil, "L40S-48GB 39100.6469726563 - samples", 0},
		{"processes of a device are added", map[row][]int64{{"a", "device", a100, "gpu_used", 0}: in(1e9, 40, 40), {"b", "device", a100, "gpu_used", 0}: in(1e9, 20, 40)}, nil, "A100-80GB 76293.9453125 7.5 samples", 1},
		{"a process that is gone held nothing", map[row][]int64{{"a", "device", a100, "gpu_used", 0}: in(1e9, 40, -1, 40), {"b", "device", a100, "gpu_used", 0}: in(1e9, -1, 40, -1)}, nil, "A100-80GB 38146.97265625 - samples", 0},
		{"the device knows better", map[row][]int64{gpu(a100, "gpu_used"): in(1e9, 74, 74), {"a", "device", a100, "gpu_used", 0}: in(1e9, 60, 60)}, nil, "A100-80GB 70571.8994140625 - samples", 0},
		{"a limit that the capture names", map[row][]int64{{"app", "process", "", "footprint", 0}: in(mib, 40, 60), {"app", "process", "", "mem_limit", 0}: in(mib, -1, 50)}, nil, "mem-limit 60 5 samples", 1},
		{"the limit of another process", map[row][]int64{{"app", "process", "", "footprint", 0}: in(mib, 40, 60), {"ext", "process", "", "mem_limit", 0}: in(mib, 50)}, nil, "-", 0},
	} {
		r := held(t, polled("run", c.series), c.lines...)
		if have := shown(r.Redlines); have != c.want {
			t.Errorf("%s: %s, want %s", c.name, have, c.want)
		}
		if n := len(redlines(r)); n != c.findings {
			t.Errorf("%s: %d findings, want %d", c.name, n, c.findings)
		}
		for _, m := range r.Redlines {
			if m.Limit == nil && (m.Note == "" || len(r.Warnings) == 0) {
				t.Errorf("%s: says nothing of the missing total", c.name)
			}
		}
	}
}

func shown(ms []analyze.Margin) string {
	if len(ms) != 1 {
		return strings.Repeat("-", max(1, len(ms)))
	}
	m := ms[0]
	peak, first := "?", "-"
	number := func(v float64) string { b, _ := json.Marshal(math.Round(v*1e10) / 1e10); return string(b) }
	if m.Peak != nil {
		peak = number(*m.Peak / mib)
	}
	if m.FirstS != nil {
		first = number(*m.FirstS)
	}
	return m.Line + " " + peak + " " + first + " " + m.PeakOf
}

func TestRedlineOfADeviceNamesBothUnits(t *testing.T) {
	r := held(t, polled("run", map[row][]int64{{"", "device", "NVIDIA A100-SXM4-80GB", "gpu_used", 0}: in(1e9, 70, 82)}))
	m := redlines(r)[0].Message
	for _, part := range []string{"75 GB = 69.85 GiB = 75000000000 B", "Read as 75 GiB the line was crossed too, 8.78 s into the run."} {
		if !strings.Contains(m, part) {
			t.Errorf("%q lacks %q", m, part)
		}
	}
}

func TestBuiltInRedlinesCanBeReplacedAndTakenAway(t *testing.T) {
	c := polled("run", map[row][]int64{{"", "device", "NVIDIA A100-SXM4-80GB", "gpu_used", 0}: in(1e9, 70, 76)})
	for name, change := range map[string]func(*analyze.RedlineConfig){
		"off":      func(c *analyze.RedlineConfig) { c.BuiltIn = false },
		"one off":  func(c *analyze.RedlineConfig) { c.Replace = map[string]float64{"A100-80GB": 0} },
		"one more": func(c *analyze.RedlineConfig) { c.Replace = map[string]float64{"A100-80GB": 78e9} },
	} {
		o := analyze.Defaults()
		change(&o.Redlines)
		r := analyze.One([]analyze.Capture{c}, o)
		if len(r.Findings) != 0 || (len(r.Redlines) == 1) != (name == "one more") {
			t.Errorf("%s: %+v", name, r.Redlines)
		}
	}
}

func TestAndroidLimitsOfTheCapture(t *testing.T) {
	for tuning, want := range map[string][2]string{
		"256 (large 512), oom 322,560K, restore limit 107,520K (high-end-gfx)": {"android-heap", "android-low-memory"},
		"256,512,322560,low-ram": {"android-heap", "android-low-memory"},
		"nonsense":               {},
	} {
		b := table.NewBuilder("run", "test")
		b.Fact("tuning", tuning)
		b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
		b.Process(table.Known(1), b.Text("app"))
		b.Add(table.Sample{Scope: b.Text("category"), Name: b.Text("Dalvik Heap"), Metric: b.Text("heap_alloc"), Value: 300 * mib, Line: 1})
		b.Add(table.Sample{Scope: b.Text("system"), Metric: b.Text("free_ram"), Value: 300 << 20, Line: 2})
		r := held(t, analyze.Capture{Name: "run", Set: table.Assemble([]*table.Part{b.Done()})})
		var names [2]string
		for i, m := range r.Redlines {
			names[i] = m.Line
			if m.Line == "android-heap" && *m.Limit != 512*mib || m.Line == "android-low-memory" && *m.Limit != 322560*1024 {
				t.Errorf("%s: %s at %v", tuning, m.Line, *m.Limit)
			}
		}
		if names != want {
			t.Errorf("%s: %v", tuning, names)
		}
		if want[0] != "" && (len(redlines(r)) != 1 || redlines(r)[0].Class != "android-low-memory") {
			t.Errorf("%s: %+v", tuning, redlines(r))
		}
	}
}

func TestPredictedCrossing(t *testing.T) {
	v := make([]float64, 60)
	for i := range v {
		v[i] = 100 + 2*float64(i) + 3*math.Sin(float64(i*i))
	}
	r := held(t, polled("run", map[row][]int64{{"app", "process", "", "rss", 0}: in(mib, v...)}), budget)
	m, s := r.Redlines[0], r.Series[0]
	want := (512*mib - float64(s.Last)) / *s.SlopePerS
	if m.EtaS == nil || math.Abs(*m.EtaS-want) > 1e-6 || !(*m.EtaLo < *m.EtaS && *m.EtaS < *m.EtaHi) {
		t.Fatalf("eta %v %v %v, want %v; %+v", value(m.EtaS), value(m.EtaLo), value(m.EtaHi), want, s)
	}
	near(t, "eta", *m.EtaS, (512-218.0)/0.2, 60)
	if s.EtaS == nil || *s.EtaS != *m.EtaS || s.Severity != "critical" {
		t.Errorf("the series says %v, %s", s.EtaS, s.Severity)
	}
	flat := held(t, polled("run", map[row][]int64{{"app", "process", "", "rss", 0}: in(mib, make([]float64, 30)...)}), budget)
	if flat.Redlines[0].EtaS != nil {
		t.Error("a crossing is predicted of a series that does not grow")
	}
}

func value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// What is true of the values is true of values × k held against limit × k.
func TestRedlinesScale(t *testing.T) {
	v := []float64{3, 9, 4, 12, 11, 2, 13, 12.9, 13}
	line := budget
	line.Limit = 10 * mib
	a := held(t, polled("run", map[row][]int64{{"app", "process", "", "rss", 0}: in(mib, v...)}), line).Redlines[0]
	line.Limit *= 8
	b := held(t, polled("run", map[row][]int64{{"app", "process", "", "rss", 0}: in(8*mib, v...)}), line).Redlines[0]
	near(t, "above", a.AboveS, b.AboveS, 1e-9)
	near(t, "area", 8*a.Area/mib, b.Area/mib, 1e-4)
	near(t, "headroom", 8**a.Headroom, *b.Headroom, 1e-6)
	if a.Crossings != 2 || a.Crossings != b.Crossings {
		t.Errorf("%d and %d crossings", a.Crossings, b.Crossings)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		fits          bool
	}{
		{"*", "", true}, {"*", "abc", true}, {"a*c", "abc", true}, {"a*c", "abcd", false}, {"*b*", "abc", true}, {"", "", true}, {"", "a", false},
		{"com.*:remote", "com.example:remote", true}, {"a**b", "ab", true}, {"a*a", "a", false}, {"*aab", "aaaab", true},
	} {
		if analyze.Glob(c.pattern, c.text) != c.fits {
			t.Errorf("Glob(%q, %q) is not %v", c.pattern, c.text, c.fits)
		}
	}
	for _, c := range []struct {
		a, b   string
		covers bool
	}{{"*", "db*", true}, {"db*", "*", false}, {"a*", "a*b", true}, {"a*b", "a*", false}, {"", "x", true}, {"x", "", false}, {"**", "", true}} {
		if (analyze.Match{Process: c.a}).Covers(analyze.Match{Process: c.b}) != c.covers {
			t.Errorf("%q covers %q is not %v", c.a, c.b, c.covers)
		}
	}
}
