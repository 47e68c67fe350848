package analyze_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/stat"
)

// build is one build of the runs given, each of two samples of pss.
func build(name string, levels ...float64) analyze.Build {
	var runs []analyze.Capture
	for i, v := range levels {
		runs = append(runs, capture(fmt.Sprint(name, "/", i), 2, func(int) []row { return []row{{"app", "process", "", "pss", int64(v * mib)}} }))
	}
	return analyze.NewBuild(name, runs)
}

// builds names them b01, b02 …
func builds(levels ...float64) (out []analyze.Build) {
	for i, v := range levels {
		out = append(out, build(fmt.Sprintf("b%02d", i+1), v))
	}
	return out
}

// around is n levels near v: what scatters between the runs of one build.
func around(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v * (1 + []float64{0, 0.004, -0.003, 0.001, -0.005, 0.003, -0.001}[i%7])
	}
	return out
}

func over(t *testing.T, bs []analyze.Build) (*analyze.Result, analyze.History) {
	t.Helper()
	r := analyze.Over(bs, nil, analyze.Defaults())
	if len(r.Histories) == 0 || r.Histories[0].Subject != pss {
		t.Fatalf("no history of pss in %d", len(r.Histories))
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	return r, r.Histories[0]
}

func TestHistoryStep(t *testing.T) {
	r, h := over(t, builds(append(around(200, 14), around(220, 13)...)...))
	if len(h.Changes) != 1 || h.Changes[0].Build != "b15" || h.Changes[0].Confidence != "high" || h.Changes[0].Basis != "history" {
		t.Fatalf("want one change with b15, have %+v", h.Changes)
	}
	p := h.Changes[0]
	if p.ShiftLo > 20*mib || p.ShiftHi < 20*mib || p.ShiftLo < 18*mib || p.After != 13 {
		t.Errorf("want an interval that holds 20 MiB, have %g to %g", p.ShiftLo/mib, p.ShiftHi/mib)
	}
	if h.Verdict != analyze.Regression || r.Verdict != analyze.Fail || !strings.Contains(r.Summary, "with build b15") || !strings.Contains(r.Summary, "interval") {
		t.Errorf("have %s: %s", r.Verdict, r.Summary)
	}
	if len(r.Findings) != 1 || r.Findings[0].Rule != "regression" || r.Findings[0].Class != "change-point" || r.Findings[0].Fingerprint == "" {
		t.Errorf("have %+v", r.Findings)
	}
}

// TestHistoryUndone: what was brought back, and what got better, is told in the history and is no finding.
func TestHistoryUndone(t *testing.T) {
	r, h := over(t, builds(slices.Concat(around(200, 10), around(230, 9), around(201, 10))...))
	if len(h.Changes) != 2 || h.Changes[0].UndoneBy != "b20" || h.Changes[1].Verdict != analyze.Improvement {
		t.Fatalf("have %+v", h.Changes)
	}
	if len(r.Findings) != 0 || r.Verdict != analyze.Pass {
		t.Errorf("have %s: %s, %d findings", r.Verdict, r.Summary, len(r.Findings))
	}
	r, h = over(t, builds(append(around(200, 12), around(180, 12)...)...))
	if h.Verdict != analyze.Improvement || r.Verdict != analyze.Pass || !strings.HasPrefix(r.Summary, "Memory got better") {
		t.Errorf("have %s, %s: %s", h.Verdict, r.Verdict, r.Summary)
	}
}

func TestHistoryNewest(t *testing.T) {
	for k := 1; k <= 5; k++ {
		r, h := over(t, builds(append(around(200, 15), around(220, k)...)...))
		if len(h.Changes) != 1 || h.Changes[0].Build != "b16" || h.Changes[0].Basis != "newest" || h.Changes[0].After != k || r.Verdict != analyze.Fail {
			t.Fatalf("%d new builds: have %+v", k, h.Changes)
		}
		want := "low"
		if k >= 3 {
			want = "medium"
		}
		if h.Changes[0].Confidence != want || len(r.Findings[0].Warnings) == 0 || !strings.Contains(r.Findings[0].Warnings[0], "so far") {
			t.Errorf("%d new builds: confidence %s, warnings %q", k, h.Changes[0].Confidence, r.Findings[0].Warnings)
		}
	}
}

// TestHistoryShort: too few builds say what they cannot say.
func TestHistoryShort(t *testing.T) {
	for n, want := range map[int]string{2: "2 builds: no change point", 6: "6 builds: no change point", 7: "7 builds: changes within", 11: "11 builds: changes within"} {
		r, h := over(t, builds(around(200, n)...))
		if len(h.Changes) != 0 || !strings.Contains(strings.Join(r.Warnings, " "), want) {
			t.Errorf("%d builds: %+v, %q", n, h.Changes, r.Warnings)
		}
	}
	if r, h := over(t, builds(append(around(200, 8), 240)...)); len(h.Changes) != 1 || r.Verdict != analyze.Fail {
		t.Errorf("one new build after eight: %s, %+v", r.Summary, h.Changes)
	}
	if r, h := over(t, builds(200, 201, 260)); len(r.Findings) != 1 || h.Verdict != analyze.Regression || r.Findings[0].Class != "drift" {
		t.Errorf("three builds: %s, %+v", r.Summary, r.Findings)
	}
	four := func(v float64) []float64 { return around(v, 5) }
	r, h := over(t, []analyze.Build{build("a", four(200)...), build("b", four(210)...)})
	if h.Verdict != analyze.Regression || h.Drift.P == nil || h.Drift.Against != "a" || r.Verdict != analyze.Fail {
		t.Errorf("two builds of five runs: %s, drift %+v", r.Summary, h.Drift)
	}
}

// TestHistoryDrift: a rise with every build is blamed on none.
func TestHistoryDrift(t *testing.T) {
	levels := around(200, 30)
	for i := range levels {
		levels[i] += 0.6 * float64(i)
	}
	r, h := over(t, builds(levels...))
	if len(h.Changes) != 0 || h.Verdict != analyze.Regression || h.Drift.PerBuild == nil || math.Abs(*h.Drift.PerBuild/mib-0.6) > 0.05 {
		t.Fatalf("have changes %+v, drift %+v", h.Changes, h.Drift)
	}
	if len(r.Findings) != 1 || r.Findings[0].Class != "drift" || !strings.Contains(r.Findings[0].Message, "no single build brought it") {
		t.Errorf("have %+v", r.Findings)
	}
}

// TestHistoryRelease: builds that do not change among themselves are held against the release.
func TestHistoryRelease(t *testing.T) {
	release := build("v1", around(180, 3)...)
	r := analyze.Over(builds(around(200, 20)...), &release, analyze.Defaults())
	if h := r.Histories[0]; len(h.Changes) != 0 || !h.Drift.Release || h.Drift.Against != "v1" || h.Drift.Verdict != analyze.Regression || *h.Drift.ShiftLo < 15*mib {
		t.Errorf("have %+v", h.Drift)
	}
	if len(r.Findings) != 1 || r.Findings[0].Class != "release" || r.Verdict != analyze.Fail {
		t.Errorf("have %+v", r.Findings)
	}
	same := build("v1", 200.5)
	if r := analyze.Over(builds(around(200, 20)...), &same, analyze.Defaults()); r.Verdict != analyze.Pass || len(r.Findings) != 0 {
		t.Errorf("the same level: %s: %s", r.Verdict, r.Summary)
	}
}

// TestHistoryParts: the category that carries a change is named, one that comes with it too.
func TestHistoryParts(t *testing.T) {
	var bs []analyze.Build
	for i := range 24 {
		n := around(1, 24)[i]
		bs = append(bs, analyze.NewBuild(fmt.Sprintf("b%02d", i+1), []analyze.Capture{capture("run", 2, func(int) []row {
			add, gpu := 0.0, []row{}
			if i >= 12 {
				add, gpu = 20, []row{{"app", "category", "gpu", "pss", 5 * mib}}
			}
			return append([]row{{"app", "process", "", "pss", int64((205*n + add*1.25 - 5) * mib)}, {"app", "category", "heap", "pss", int64((100*n + add) * mib)},
				{"app", "category", "file", "pss", int64(100 * n * mib)}}, gpu...)
		})}))
	}
	_, h := over(t, bs)
	if len(h.Changes) != 1 || len(h.Changes[0].Parts) != 2 || h.Changes[0].Parts[0].Name != "heap" || h.Changes[0].Parts[1].Name != "gpu" {
		t.Fatalf("have %+v", h.Changes)
	}
	if s := h.Changes[0].Parts[0].Share; s < 0.75 || s > 0.85 {
		t.Errorf("heap carries %g, want 0.8", s)
	}
}

// TestHistoryGaps: a build of which nothing is known is no 0, and a process that was renamed is one.
func TestHistoryGaps(t *testing.T) {
	bs := builds(append(around(200, 10), around(230, 10)...)...)
	bs[9] = analyze.NewBuild("b10", nil)
	bs[0] = analyze.NewBuild("b01", []analyze.Capture{capture("old", 2, func(int) []row { return []row{{"application", "process", "", "pss", 200 * mib}} })})
	r, h := over(t, bs)
	if h.Builds[9].Runs != 0 || h.Builds[9].Median != nil || h.Builds[0].Median == nil {
		t.Errorf("have %+v", h.Builds)
	}
	if len(h.Changes) != 1 || h.Changes[0].Build != "b11" || !strings.Contains(h.Changes[0].Note, "b10") {
		t.Errorf("have %+v", h.Changes)
	}
	if all := strings.Join(r.Warnings, " "); !strings.Contains(all, "taken for one") || !strings.Contains(all, "Nothing is known of 1 build") {
		t.Errorf("have %q", r.Warnings)
	}
}

// TestHistoryBuilds: a result carries the history on as the captures would.
func TestHistoryBuilds(t *testing.T) {
	all := builds(append(around(200, 14), around(220, 9)...)...)
	want, _ := over(t, all)
	half, _ := over(t, builds(append(around(200, 14), around(220, 9)...)[:15]...))
	have, _ := over(t, append(half.Builds(), all[15:]...))
	if have.Summary != want.Summary || len(have.Findings) != len(want.Findings) || have.Findings[0].Fingerprint != want.Findings[0].Fingerprint {
		t.Errorf("want %s\nhave %s", want.Summary, have.Summary)
	}
}

// noise is what scatters in a generated history: run noise of sd (a share), and between builds AR(1) of coefficient phi and
// so much of sd.
type noise struct {
	runs           int
	sd, phi, share float64
}

// usual is what the promises below are made for.
func usual(runs int, sd float64) noise { return noise{runs, sd, 0.5, 0.5} }

// generated is 30 builds of a level of 200 MiB, 5 % more from build at on, and what is said of them.
func (n noise) generated(seed uint64, at int) *analyze.Result {
	rng := rand.New(rand.NewPCG(seed, uint64(1000*n.sd)+uint64(n.runs)))
	state := rng.NormFloat64()
	var bs []analyze.Build
	for i := range 30 {
		state = n.phi*state + math.Sqrt(1-n.phi*n.phi)*rng.NormFloat64()
		level, levels := 200.0, make([]float64, n.runs)
		if i >= at {
			level *= 1.05
		}
		for k := range levels {
			levels[k] = level * (1 + n.sd*(n.share*state+rng.NormFloat64()))
		}
		bs = append(bs, build(fmt.Sprintf("b%02d", i), levels...))
	}
	o := analyze.Defaults()
	o.Seed = seed
	return analyze.Over(bs, nil, o)
}

// alarms counts the histories of so many that have a finding, and those that name a build within one of the right one.
func (n noise) alarms(repeats int, at func(seed int) int) (found, near int) {
	for seed := range repeats {
		r, at := n.generated(uint64(seed), at(seed)), at(seed)
		if len(r.Findings) > 0 {
			found++
		}
		if slices.ContainsFunc(r.Histories[0].Changes, func(p analyze.ChangePoint) bool { return p.Index >= at-1 && p.Index <= at+1 }) {
			near++
		}
	}
	return found, near
}

// TestHistoryStatistics: at most 2 % of steady histories of 30 builds alarm, 95 % of the shifts of 5 % at a run noise of 1 %
// are found, 90 % with the right build give or take one. MEMTIDE_STATISTICS sets the number of histories, and prints what is
// not promised too.
func TestHistoryStatistics(t *testing.T) {
	repeats := 200
	more, err := strconv.Atoi(os.Getenv("MEMTIDE_STATISTICS"))
	if err == nil {
		repeats = max(more, repeats)
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(repeats) }
	never := func(int) int { return 30 }
	anywhere := func(seed int) int { return 6 + seed%19 }
	for _, runs := range []int{1, 3} {
		for _, sd := range []float64{0.01, 0.03, 0.05} {
			found, _ := usual(runs, sd).alarms(repeats, never)
			t.Logf("steady, %d runs, noise %g %%: %.1f %% alarm", runs, 100*sd, percent(found))
			if percent(found) > 2 {
				t.Errorf("%d runs, noise %g %%: %.1f %% of steady histories alarm, want at most 2", runs, 100*sd, percent(found))
			}
		}
		found, near := usual(runs, 0.01).alarms(repeats, anywhere)
		t.Logf("+5 %%, %d runs, noise 1 %%: %.1f %% found, %.1f %% with the build", runs, percent(found), percent(near))
		if percent(found) < 95 || percent(near) < 90 {
			t.Errorf("%d runs: %.1f %% of shifts found, %.1f %% with the build; want 95 and 90", runs, percent(found), percent(near))
		}
	}
	if err != nil {
		return
	}
	for _, n := range []noise{{1, 0.05, 0.5, 1}, {3, 0.05, 0.5, 1}, {1, 0.05, 0.8, 0.5}, {3, 0.05, 0.8, 0.5}} {
		found, _ := n.alarms(repeats, never)
		t.Logf("steady, %+v: %.1f %% alarm", n, percent(found))
	}
	for _, n := range []noise{{1, 0.01, 0, 0}, {1, 0.02, 0, 0}, {3, 0.02, 0.5, 0.5}, {3, 0.03, 0.5, 0.5}} {
		found, near := n.alarms(repeats, anywhere)
		t.Logf("+5 %%, %+v: %.1f %% found, %.1f %% with the build", n, percent(found), percent(near))
	}
	for _, k := range []int{1, 2, 3, 5} {
		for _, n := range []noise{{1, 0.01, 0, 0}, usual(1, 0.01)} {
			found, _ := n.alarms(repeats, func(int) int { return 30 - k })
			t.Logf("+5 %% in the newest %d builds, %+v: %.1f %%", k, n, percent(found))
		}
	}
}

// TestHistoryMethod: the vote of Perfherder's rule and the split of the worked example, through the whole analysis.
func TestHistoryMethod(t *testing.T) {
	back := []float64{99, 101, 100, 99, 101, 100, 98, 102, 100, 99, 101, 100}
	fore := []float64{104, 105, 103, 104, 106, 104, 105, 103, 104, 105, 104, 103}
	_, h := over(t, builds(append(slices.Clone(back), fore...)...))
	if len(h.Changes) != 1 || h.Changes[0].Index != 12 || h.Changes[0].Confidence != "high" {
		t.Errorf("have %+v", h.Changes)
	}
	slices.Reverse(back)
	if score, _ := stat.Perfherder(back, fore); math.Abs(score-9.870440) > 1e-6 {
		t.Errorf("t %g, want 9.870440", score)
	}
}

// TestHistoryRedlines: the newest build is held against the lines of a policy, by its peak if an old history knows no more; lines that are a share of a total
// and subjects that the newest build lacks are left out. Holding again forgets what was found before.
func TestHistoryRedlines(t *testing.T) {
	peak, low := 120.0, 90.0
	newest := analyze.BuildLevel{Build: "b2", Level: analyze.Level{Runs: 1, Median: &low, Lo: &low, Peak: &peak}}
	h := analyze.History{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}, Builds: []analyze.BuildLevel{{Build: "b1"}, newest}}
	gone := analyze.History{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "rss"}, Builds: []analyze.BuildLevel{newest, {Build: "b2"}}}
	r := &analyze.Result{Histories: []analyze.History{h, gone}, Findings: []analyze.Finding{{Rule: "regression"}}}
	line := func(limit float64, below bool, of string) analyze.RedlineConfig {
		return analyze.RedlineConfig{Lines: []analyze.Redline{{Name: "x", Match: analyze.Match{Process: "*", Metric: "*"}, Limit: limit, Below: below, Of: of}}}
	}
	for _, c := range []struct {
		o        analyze.RedlineConfig
		headroom float64
		margins  int
	}{{line(100, false, ""), -20, 1}, {line(150, false, ""), 30, 1}, {line(95, true, ""), -5, 1}, {line(0.5, false, "mem_total"), 0, 0}} {
		r.HoldHistories(c.o)
		if len(r.Redlines) != c.margins || c.margins > 0 && *r.Redlines[0].Headroom != c.headroom {
			t.Errorf("%+v: have %+v", c.o.Lines, r.Redlines)
		}
		if crossed := len(r.Findings) == 2; len(r.Findings) > 2 || crossed != (c.headroom < 0) {
			t.Errorf("%+v: %d findings", c.o.Lines, len(r.Findings))
		}
	}
	none := &analyze.Result{Redlines: []analyze.Margin{{}}}
	none.HoldHistories(analyze.RedlineConfig{})
	if len(none.Redlines) != 1 {
		t.Error("a result without histories keeps its margins")
	}
}

// TestHistoryRedlineOfOneRun: a build crosses a line if one of its runs does, and so it does when the history was written and
// read again.
func TestHistoryRedlineOfOneRun(t *testing.T) {
	run := func(at, v float64) analyze.Capture {
		return capture("run", 20, func(i int) []row {
			if i == 10 {
				return []row{{"app", "process", "", "pss", int64(v * mib)}}
			}
			return []row{{"app", "process", "", "pss", int64(at * mib)}}
		})
	}
	for _, c := range []struct {
		v, limit float64
		below    bool
	}{{293, 200, false}, {1, 50, true}} {
		o := analyze.Defaults()
		o.Redlines.Lines = []analyze.Redline{{Name: "x", Match: analyze.Match{Process: "*", Metric: "pss"}, Limit: c.limit * mib, Below: c.below}}
		newest := analyze.NewBuild("b2", []analyze.Capture{run(100, 100), run(100, c.v), run(100, 100)})
		r := analyze.Over([]analyze.Build{build("b1", 100, 100, 100), newest}, nil, o)
		text, err := json.Marshal(r)
		var read analyze.Result
		if err == nil {
			err = json.Unmarshal(text, &read)
		}
		if err != nil {
			t.Fatal(err)
		}
		read.HoldHistories(o.Redlines)
		carried := analyze.Over(read.Builds(), nil, o)
		for name, r := range map[string]*analyze.Result{"made": r, "read": &read, "carried on": carried} {
			if len(r.Redlines) != 1 || *r.Redlines[0].Peak != c.v*mib || len(r.Findings) != 1 || r.Findings[0].Rule != "redline" {
				t.Errorf("%s, limit %g: %+v", name, c.limit, r.Redlines)
			}
		}
	}
}
