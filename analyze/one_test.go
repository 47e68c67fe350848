package analyze_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

func one(c ...analyze.Capture) *analyze.Result { return analyze.One(c, analyze.Defaults()) }

// growing is a run whose heap gains step bytes a second and whose cache loses as many, under a flat total.
func growing(name string, n int, heap, cache int64) analyze.Capture {
	return capture(name, n, func(i int) []row {
		h, c := 50*mib+heap*int64(i), 200*mib+cache*int64(i)
		return []row{{"app", "process", "", "pss", h + c}, {"app", "category", "heap", "pss", h}, {"app", "category", "file", "pss", c}}
	})
}

func TestGrowthOfAProcessNamesThePartThatGrows(t *testing.T) {
	r := one(growing("run", 60, mib, 0))
	if len(r.Findings) != 1 || r.Verdict != analyze.Fail {
		t.Fatalf("%s, %d findings", r.Verdict, len(r.Findings))
	}
	f := r.Findings[0]
	if f.Subject != pss || f.Rule != "growth" || !strings.Contains(f.Message, "all of it in heap") || !strings.Contains(f.Advice, "heap profiles") {
		t.Errorf("%+v", f)
	}
	if len(f.Evidence) != 3 || f.Evidence[0].Line != 1 || f.Evidence[2].Line != 60 || f.Evidence[0].File != "run" {
		t.Errorf("evidence %+v", f.Evidence)
	}
	near(t, "slope", f.Stats["slope_per_s"], mib, 1)
}

func TestLeakHiddenInAFlatTotalIsFound(t *testing.T) {
	r := one(growing("run", 60, mib, -mib))
	if len(r.Findings) != 1 || r.Findings[0].Subject.Name != "heap" || !strings.Contains(r.Findings[0].Message, "The total hides it.") {
		t.Errorf("%+v", r.Findings)
	}
}

func TestFingerprintHoldsNoValue(t *testing.T) {
	a, b := one(growing("x", 60, mib, 0)), one(growing("y", 90, 3*mib, 0))
	if a.Findings[0].Fingerprint != b.Findings[0].Fingerprint || a.Findings[0].Fingerprint == one(growing("x", 60, mib, -mib)).Findings[0].Fingerprint {
		t.Error("the fingerprint follows values, or does not follow the subject")
	}
}

func TestSnapshotIsInconclusive(t *testing.T) {
	r := one(growing("x", 1, 0, 0))
	if r.Verdict != analyze.Inconclusive || len(r.Findings) != 0 {
		t.Errorf("%s: %s", r.Verdict, r.Summary)
	}
	for _, s := range r.Series {
		if s.Verdict != analyze.Undetermined || s.SlopePerS != nil || s.First == 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestPeaksSinceTheStartAreNotAccused(t *testing.T) {
	r := one(capture("x", 60, func(i int) []row {
		return []row{{"app", "process", "", "vm_hwm", int64(100+i) * mib}, {"app", "process", "", "vss", int64(100+i) * mib}}
	}))
	for _, s := range r.Series {
		if s.Subject.Metric == "vm_hwm" && s.Verdict != analyze.Undetermined {
			t.Errorf("vm_hwm is %s", s.Verdict)
		}
	}
	if len(r.Findings) != 0 {
		t.Errorf("%+v", r.Findings)
	}
}

func TestCountsAndHandlesStandForThemselves(t *testing.T) {
	r := one(capture("x", 60, func(i int) []row {
		return []row{{"app", "class", "Activities", "count", int64(2 + i)}, {"app", "handle", "fds", "count", int64(40 + i)}, {"app", "handle", "threads", "count", 12}}
	}))
	rules := map[string]string{}
	for _, f := range r.Findings {
		rules[f.Subject.Name] = f.Rule
	}
	if len(rules) != 2 || rules["Activities"] != "growth" || rules["fds"] != "handle-leak" {
		t.Errorf("%v", rules)
	}
}

func TestRestartCutsTheSeries(t *testing.T) {
	b := table.NewBuilder("x", "test")
	for i := range 80 {
		pid, v := int64(1), int64(100+i)
		if i >= 50 {
			pid, v = 2, int64(20)
		}
		b.Snapshot(table.Stamp{Trace: table.Known(int64(i) * 1e9), Line: i + 1})
		b.Process(table.Known(pid), b.Text("app"))
		b.Add(table.Sample{Scope: b.Text("process"), Name: b.Text(""), Metric: b.Text("pss"), Value: v * mib, Line: i + 1})
	}
	r := one(analyze.Capture{Name: "x", Set: table.Assemble([]*table.Part{b.Done()})})
	if len(r.Series) != 2 || r.Series[0].Verdict != analyze.Leak || r.Series[1].Verdict != analyze.Stable || r.Series[1].Part != 1 {
		t.Errorf("%+v", r.Series)
	}
}

func TestFaultIsAFindingWithItsStack(t *testing.T) {
	b := table.NewBuilder("x", "test")
	b.Process(table.Known(7), b.Text("app"))
	root := b.Frame(table.Frame{Function: b.Text("main"), Module: b.Text("app")}, 1)
	leaf := b.Frame(table.Frame{Parent: root, Function: b.Text("crash"), Module: b.Text("app")}, 2)
	b.Fault(table.Fault{Kind: b.Text("use-after-free"), Detail: b.Text("SIGSEGV"), Stack: leaf, Line: 3})
	r := one(analyze.Capture{Name: "x", Set: table.Assemble([]*table.Part{b.Done()})})
	if len(r.Findings) != 1 || r.Verdict != analyze.Fail {
		t.Fatalf("%s %+v", r.Verdict, r.Findings)
	}
	if f := r.Findings[0]; f.Rule != "use-after-free" || f.Subject.Name != "crash" || strings.Join(f.Stack, " ") != "crash main" || f.Evidence[0].Line != 3 {
		t.Errorf("%+v", f)
	}
}

func TestTimelineKeepsEveryPeak(t *testing.T) {
	r := one(capture("x", 10000, func(i int) []row {
		v := int64(100 * mib)
		if i == 7777 {
			v = 900 * mib
		}
		return []row{{"app", "process", "", "pss", v}}
	}))
	l := r.Timeline[0]
	if len(l.TimeS) > 400 || len(l.TimeS) != len(l.Max) || len(l.Min) != len(l.Mid) {
		t.Fatalf("%d columns", len(l.TimeS))
	}
	peak := 0.0
	for _, v := range l.Max {
		peak = max(peak, v)
	}
	near(t, "peak", peak, 900*mib, 0)
}

func TestEarlierResultStandsForItsCaptures(t *testing.T) {
	o := analyze.Defaults()
	r := one(side("x", 100)...)
	before := []analyze.Capture{{Name: "x.json", Earlier: r}}
	d := delta(t, analyze.Compare(before, side("a", 150), o), pss)
	if d.Verdict != analyze.Regression || *d.Shift != 50*mib {
		t.Errorf("%+v", d)
	}
}

func TestAMoveInsideAnonymousMemoryIsANote(t *testing.T) {
	r := one(capture("x", 60, func(i int) []row {
		heap, anon := 50*mib+mib*int64(i), 200*mib-mib*int64(i)
		return []row{{"app", "process", "", "pss", heap + anon}, {"app", "process", "", "anonymous", heap + anon},
			{"app", "category", "heap", "pss", heap}, {"app", "category", "anon", "pss", anon}}
	}))
	if len(r.Findings) != 1 || r.Findings[0].Severity != "note" || r.Verdict == analyze.Fail {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
}

// Of thousands of noisy series some rise by chance: none of them may fail the capture.
func TestManySeriesRaiseNoAlarm(t *testing.T) {
	const seed = 5
	rnd := rand.New(rand.NewPCG(seed, 0))
	r := one(capture("x", 11, func(int) []row {
		var rows []row
		for m := range 3000 {
			rows = append(rows, row{"app", "pool", fmt.Sprint("p", m), "live_bytes", int64(100*mib + 20*mib*rnd.NormFloat64())})
		}
		return rows
	}))
	for _, f := range r.Findings {
		if f.Severity != "note" {
			t.Errorf("seed %d: %s", seed, f.Message)
		}
	}
}
