package openmetrics_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
	"github.com/memtide/memtide/report/openmetrics"
)

func render(t *testing.T, r *analyze.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := openmetrics.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func read(t *testing.T, r *analyze.Result) *exposition {
	t.Helper()
	text := render(t, r)
	e, err := parse(text)
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, text)
	}
	if text != render(t, r) {
		t.Error("two writings differ")
	}
	return e
}

func TestGolden(t *testing.T) {
	golden.Check(t, "single.prom", []byte(render(t, example.Single())))
	golden.Check(t, "gate.prom", []byte(render(t, example.Gate())))
}

func TestValues(t *testing.T) {
	e := read(t, example.Compare())
	for sample, want := range map[string]float64{
		`mem_pss_bytes{process="com.example.gallery",category="",side="before"}`:     *example.Compare().Deltas[0].Before.Median,
		`mem_pss_bytes{process="com.example.gallery",category="",side="after"}`:      *example.Compare().Deltas[0].After.Median,
		`mem_pss_peak_bytes{process="com.example.gallery",category="",side="after"}`: *example.Compare().Deltas[0].After.Peak,
		`mem_live_count{process="com.example.gallery",category="",side="after"}`:     1310,
		`mem_verdict{mem_verdict="fail"}`:                                            1, `mem_verdict{mem_verdict="pass"}`: 0,
		`mem_issues{severity="critical"}`: 1, `mem_issues{severity="warning"}`: 1,
		`mem_growth_verdict{process="com.example.gallery",category="Native Heap",side="after",metric="pss",verdict="leak"}`: 1,
	} {
		if got, ok := e.samples[sample]; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", sample, got, ok, want)
		}
	}
}

// The units of OpenMetrics are base units: a share is a ratio, a time is in seconds.
func TestBaseUnits(t *testing.T) {
	one := func(metric string, v int64) analyze.Series {
		return analyze.Series{Run: "a", N: 50, Steady: v, Max: 2 * v, Verdict: analyze.Stable, Subject: analyze.Subject{Process: "p", Scope: "device", Name: "d", Metric: metric}}
	}
	e := read(t, &analyze.Result{Series: []analyze.Series{one("kv_usage", 250_000), one("kernel_duration", 4_000_000), one("requests_running", 3), one("gpu_used", 7)}})
	for sample, want := range map[string]float64{`mem_kv_usage_ratio{process="p",category="d"}`: 0.25, `mem_kernel_duration_peak_seconds{process="p",category="d"}`: 0.008,
		`mem_requests_running{process="p",category="d"}`: 3, `mem_gpu_used_bytes{process="p",category="d"}`: 7} {
		if got, ok := e.samples[sample]; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", sample, got, ok, want)
		}
	}
}

// Medians over the runs; a restart cuts a series in parts, of which the longest speaks; what is not known is not there.
func TestRuns(t *testing.T) {
	one := func(run string, part, n int, steady int64, slope *float64, v analyze.Verdict) analyze.Series {
		return analyze.Series{Run: run, Part: part, N: n, Steady: steady, Max: 2 * steady, SlopePerS: slope, Verdict: v, Subject: analyze.Subject{Process: "p", Scope: "process", Metric: "rss"}}
	}
	e := read(t, &analyze.Result{Series: []analyze.Series{one("a", 0, 5, 7, nil, analyze.Leak), one("a", 1, 50, 100, example.Of(1.5), analyze.Stable), one("b", 0, 50, 300, example.Of(math.NaN()), analyze.Step),
		one("c", 0, 50, 200, nil, analyze.Stable)}})
	for sample, want := range map[string]float64{`mem_rss_bytes{process="p",category=""}`: 200, `mem_rss_peak_bytes{process="p",category=""}`: 400,
		`mem_growth_verdict{process="p",category="",metric="rss",verdict="step"}`: 1} {
		if got, ok := e.samples[sample]; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", sample, got, ok, want)
		}
	}
	r := &analyze.Result{Series: []analyze.Series{one("a", 0, 5, 7, nil, analyze.Stable)}}
	if text := render(t, r); strings.Contains(text, "growth_bytes") {
		t.Errorf("a slope that is not known is written:\n%s", text)
	}
}

func TestNothingMeasured(t *testing.T) {
	for _, r := range []*analyze.Result{nil, {Verdict: analyze.Pass}} {
		if e := read(t, r); e.samples[`mem_verdict{mem_verdict="pass"}`] != 0 || e.samples[`mem_issues{severity="critical"}`] != 1 {
			t.Errorf("%v", e.samples)
		}
	}
}

func hostile(name string) *analyze.Result {
	r := &analyze.Result{Verdict: analyze.Outcome(name)}
	for _, scope := range []string{"process", "category", "device"} {
		for _, metric := range []string{name, strings.ToUpper(name), name + "_peak", "pss"} {
			s := analyze.Subject{Process: name, Scope: scope, Name: name, Metric: metric}
			r.Series = append(r.Series, analyze.Series{Run: name, Subject: s, N: 3, Steady: math.MaxInt64, Max: math.MinInt64, SlopePerS: example.Of(math.SmallestNonzeroFloat64), Verdict: analyze.Verdict(name)})
			r.Deltas = append(r.Deltas, analyze.Delta{Subject: s, Before: analyze.Level{Median: example.Of(math.Inf(1)), Peak: example.Of(math.MaxFloat64)}, After: analyze.Level{Median: example.Of(1e21)}})
		}
	}
	return r
}

func TestHostileNames(t *testing.T) {
	read(t, example.Hostile())
	read(t, example.Many(300))
	for _, name := range append([]string{`a"b`, `a\`, "a\nb", "}", ",", "# EOF", "\n# EOF\n", "\xff", "\x1b[0m", "", "A-b", "0", "é", strings.Repeat("x", 10_000)}, example.Hostiles...) {
		if _, err := parse(render(t, hostile(name))); err != nil {
			t.Errorf("%.40q: %v", name, err)
		}
	}
}

// Labels come back as they were.
func TestLabels(t *testing.T) {
	for _, name := range []string{`a"b\c`, `\n`, "/system/lib64/libart.so", "{}", "é,=", `\\"`} {
		e := read(t, &analyze.Result{Series: []analyze.Series{{Subject: analyze.Subject{Process: name, Scope: "process", Metric: "rss"}}}})
		for sample, labels := range e.labels {
			if strings.HasPrefix(sample, "mem_rss_bytes") && labels["process"] != name {
				t.Errorf("%q came back as %q", name, labels["process"])
			}
		}
	}
}

// The grammar must be able to refuse.
func TestGrammarRefuses(t *testing.T) {
	good := render(t, example.Single())
	for _, c := range []struct{ what, old, new string }{
		{"end", "# EOF\n", ""}, {"type", " gauge\n", " thing\n"}, {"unit", "# UNIT mem_pss_bytes bytes", "# UNIT mem_pss_bytes seconds"}, {"escape", `category=""`, `category="\x"`},
		{"quote", `category=""`, `category="""`}, {"number", "} 1\n", "} one\n"}, {"order", "# TYPE mem_pss_bytes gauge\n", ""}, {"twice", "# TYPE mem_pss_peak_bytes", "# TYPE mem_pss_bytes"},
		{"state", `{mem_verdict="fail"} 1`, `{mem_verdict="fail"} 2`},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if _, err := parse(bad); bad == good || err == nil {
			t.Errorf("%s: not found", c.what)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range example.Hostiles {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if _, err := parse(render(t, hostile(name))); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	})
}
