package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s = %.8g, want %.8g ± %g", what, got, want, within)
	}
}

func upTo(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func of(n int, f func(i float64) float64) []float64 {
	y := upTo(n)
	for i, x := range y {
		y[i] = f(x)
	}
	return y
}

var (
	healthySaw = []float64{14, 24, 34, 44, 54, 64, 74, 15, 25, 35, 45, 55, 65, 75, 14, 24, 34, 44, 54, 64, 74, 16, 26, 36, 46, 56, 66, 76, 15, 25, 35, 45, 55, 65, 75, 14, 24, 34, 44, 54, 64, 74, 15, 25}
	correlated = []float64{101, 103, 106, 108, 107, 105, 104, 106, 109, 112, 114, 113, 111, 110, 112, 115, 118, 120, 119, 117}
	leakInDays = GrowthInput{T: []float64{0, 4, 8, 14, 19, 25}, Y: []float64{60, 111, 164, 244, 317, 342}, Kind: Objects}
)

// The verdicts of the whole chain on small series whose numbers are known from elsewhere.
func TestJudgeGrowthWorked(t *testing.T) {
	rising := of(len(healthySaw), func(i float64) float64 { return healthySaw[int(i)] + 0.5*i })
	warm := of(20, func(i float64) float64 { return 200 - 60*math.Exp(-i/4) })
	line := of(20, func(i float64) float64 { return 140 + 3*i })
	for _, c := range []struct {
		name       string
		in         GrowthInput
		verdict    Verdict
		confidence string
		basis      string
		growth, p  float64
		withinP    float64
	}{
		{"a real leak, six samples", leakInDays, Leak, "medium", "samples", 282, 0.00138889, 1e-8},
		{"healthy saw-tooth", GrowthInput{T: upTo(44), Y: healthySaw, Kind: Objects}, Stable, "", "trough", -0.6964, 0.603, 5e-4},
		{"saw-tooth with a rising floor", GrowthInput{T: upTo(44), Y: rising, Kind: Objects}, Leak, "medium", "trough", 18.80, 0.00833333, 1e-8},
		{"warm-up", GrowthInput{T: upTo(20), Y: warm, Kind: Objects}, WarmUp, "", "samples", 23.14, 1.36e-4, 1e-5},
		{"line", GrowthInput{T: upTo(20), Y: line, Kind: Objects}, Leak, "high", "samples", 51, 0, 1e-8},
		{"autocorrelated", GrowthInput{T: upTo(20), Y: correlated, Kind: Objects}, Leak, "high", "samples", 14.57, 2.17e-4, 1e-6},
		{"open files", GrowthInput{T: upTo(7), Y: []float64{625, 627, 631, 631, 635, 635, 639}, Kind: Handles}, Leak, "medium", "samples", 12, 0.002833, 1e-6},
		{"one jump at the end", GrowthInput{T: upTo(8), Y: []float64{483.51, 483.53, 483.56, 483.57, 483.55, 483.54, 483.55, 553.36}, Kind: Objects}, Step, "", "samples", 0.07, 0.067, 1e-3},
	} {
		j := JudgeGrowth(c.in, DefaultGrowth)
		if j.Verdict != c.verdict || j.Confidence != c.confidence || j.Basis != c.basis {
			t.Errorf("%s: %s %s on %s, want %s %s on %s: %s", c.name, j.Verdict, j.Confidence, j.Basis, c.verdict, c.confidence, c.basis, j.Reason)
		}
		near(t, c.name+": growth", *j.Growth, c.growth, 0.005)
		near(t, c.name+": p", *j.P, c.p, c.withinP)
	}
}

func TestSignificanceWorked(t *testing.T) {
	for _, c := range []struct {
		name string
		y    []float64
		z, f float64
	}{
		{"warm-up", of(20, func(i float64) float64 { return 200 - 60*math.Exp(-i/4) }), 3.6405, 2.5011},
		{"line", of(20, func(i float64) float64 { return 140 + 3*i }), 5.7574, 1},
		{"autocorrelated", correlated, 3.5178, 1.2097},
	} {
		c0 := newGrower(GrowthInput{T: upTo(20), Y: c.y}, DefaultGrowth).candidates(0.1)[0]
		c0.fit()
		near(t, c.name+": n", float64(c0.len()), 18, 0)
		near(t, c.name+": Z", c0.trend.Z, c.z, 1e-4)
		near(t, c.name+": f", c0.trend.F, c.f, 1e-4)
	}
}

func TestJudgeGrowthTimeToLimit(t *testing.T) {
	in := leakInDays
	in.Limit = 512
	j := JudgeGrowth(in, DefaultGrowth)
	near(t, "days to 512 MB", *j.EtaS, 12.9348, 1e-4)
	if j.Severity != "critical" {
		t.Errorf("severity %s", j.Severity)
	}
}

func TestJudgeGrowthWithoutAnswer(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		in   GrowthInput
		n    int
		drop int
		says string
	}{
		{"nothing", GrowthInput{}, 0, 0, "no sample"},
		{"one sample", GrowthInput{T: []float64{1}, Y: []float64{5}}, 1, 0, "1 sample"},
		{"four samples", GrowthInput{T: upTo(4), Y: []float64{30.95, 34.73, 35.02, 35.06}}, 4, 0, "4 samples"},
		{"all unknown", GrowthInput{T: upTo(9), Y: []float64{nan, nan, nan, nan, nan, nan, nan, nan, nan}}, 0, 9, "9 samples without a usable value"},
		{"no times", GrowthInput{Y: upTo(9)}, 0, 9, "no sample"},
		{"absurd", GrowthInput{T: upTo(6), Y: []float64{-1, 1 << 63, 18446744073709551615, 4, 5, math.Inf(1)}}, 2, 4, "4 samples without a usable value"},
		{"time stands still", GrowthInput{T: make([]float64, 9), Y: upTo(9)}, 9, 0, "same time"},
	} {
		j := JudgeGrowth(c.in, DefaultGrowth)
		if j.Verdict != Undetermined || j.N != c.n || j.Dropped != c.drop || !strings.Contains(j.Reason, c.says) {
			t.Errorf("%s: %s, n %d, dropped %d: %s", c.name, j.Verdict, j.N, j.Dropped, j.Reason)
		}
	}
}

func TestJudgeGrowthConstant(t *testing.T) {
	j := JudgeGrowth(GrowthInput{T: upTo(50), Y: of(50, func(float64) float64 { return 1 << 20 }), Kind: Bytes}, DefaultGrowth)
	if j.Verdict != Stable || *j.SlopePerS != 0 || *j.Resolvable != 0 || !strings.Contains(j.Reason, "same value, 1 MiB") {
		t.Errorf("%s: %s", j.Verdict, j.Reason)
	}
}

// pages is 64 MiB and up to four pages that come and go without a pattern.
func pages(i float64) float64 {
	h := uint64(i+1) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return 64*mib + 4096*float64((h>>40)%5)
}

func TestJudgeGrowthDropsAndSorts(t *testing.T) {
	in := GrowthInput{T: upTo(60), Y: of(60, func(i float64) float64 { return pages(i) + 65536*i }), Kind: Bytes}
	want := JudgeGrowth(in, DefaultGrowth)
	if want.Verdict != Leak || want.Confidence != "high" || want.Severity != "warning" {
		t.Fatalf("%s %s %s: %s", want.Verdict, want.Confidence, want.Severity, want.Reason)
	}
	back := GrowthInput{T: slices.Clone(in.T), Y: slices.Clone(in.Y), Kind: Bytes}
	slices.Reverse(back.T)
	slices.Reverse(back.Y)
	got := JudgeGrowth(back, DefaultGrowth)
	if got.Verdict != Leak || *got.SlopePerS != *want.SlopePerS || !strings.Contains(got.Reason, "clock went back 59 times") {
		t.Errorf("backwards: %s: %s", got.Verdict, got.Reason)
	}
	back.T = append(back.T, math.NaN(), 7)
	back.Y = append(back.Y, 3, math.NaN())
	if got := JudgeGrowth(back, DefaultGrowth); got.Dropped != 2 || *got.SlopePerS != *want.SlopePerS {
		t.Errorf("with unknowns: dropped %d, slope %v", got.Dropped, *got.SlopePerS)
	}
}

func TestJudgeGrowthScales(t *testing.T) {
	for k := range 6 {
		in := leakShapes[k].series(9, 0)
		j := JudgeGrowth(in, DefaultGrowth)
		by := GrowthInput{T: in.T, Y: slices.Clone(in.Y), Kind: in.Kind}
		for i := range by.Y {
			by.Y[i] *= 8
		}
		if got := JudgeGrowth(by, DefaultGrowth); got.Verdict != j.Verdict || math.Abs(*got.SlopePerS / *j.SlopePerS - 8) > 1e-9 {
			t.Errorf("%s × 8: %s, slope × %v", leakShapes[k].name, got.Verdict, *got.SlopePerS / *j.SlopePerS)
		}
	}
}

// Growth under the floor is growth all the same; the floor decides whether it matters.
func TestJudgeGrowthSeverity(t *testing.T) {
	for _, c := range []struct {
		kind  GrowthKind
		start float64
		rate  float64
		want  string
	}{
		{Bytes, 64 * mib, 8192, "note"}, {Bytes, 64 * mib, 65536, "warning"}, {Bytes, 64 * mib, mib, "critical"},
		{Bytes, 8192 * mib, mib, "note"}, {Site, 64 * mib, 8192, "warning"}, {Site, 64 * mib, 40, "note"},
		{Objects, 1000, 0.05, "note"}, {Objects, 1000, 1, "warning"}, {Handles, 1000, 0.05, "warning"},
	} {
		j := JudgeGrowth(GrowthInput{T: upTo(60), Y: of(60, func(i float64) float64 { return c.start + c.rate*i }), Kind: c.kind}, DefaultGrowth)
		if j.Verdict != Leak || j.Severity != c.want {
			t.Errorf("%s %v/s on %v: %s %s, want %s", c.kind, c.rate, c.start, j.Verdict, j.Severity, c.want)
		}
	}
}

func TestJudgeGrowthOnset(t *testing.T) {
	y := of(200, func(i float64) float64 { return pages(i) + 200_000*max(0, i-120) })
	j := JudgeGrowth(GrowthInput{T: upTo(200), Y: y, Kind: Bytes}, DefaultGrowth)
	if j.Verdict != Leak || j.OnsetS == nil {
		t.Fatalf("%s: %s", j.Verdict, j.Reason)
	}
	near(t, "onset", *j.OnsetS, 120, 4)
	near(t, "slope since", *j.SlopePerS, 200_000, 2000)
	near(t, "growth since", *j.Growth, 200_000*79, 200_000*4)
}

func TestJudgeGrowthForms(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(i float64) float64
		want  []Verdict
		basis string
	}{
		{"plateau", func(i float64) float64 { return 20 * mib * min(i/120, 1) }, []Verdict{Plateau}, ""},
		{"plateau within the warm-up", func(i float64) float64 { return 20 * mib * min(i/20, 1) }, []Verdict{Plateau}, ""},
		{"falling", func(i float64) float64 { return -30_000 * i }, []Verdict{Falling}, ""},
		{"step", func(i float64) float64 { return 9 * mib * math.Floor(i/170) }, []Verdict{Step}, ""},
		{"table", func(i float64) float64 { return mib * math.Exp2(math.Floor(math.Log2(1+i/8))) }, []Verdict{Leak}, "doubling"},
		{"table that is full", func(i float64) float64 { return mib * math.Exp2(math.Floor(math.Log2(1+min(i, 60)/8))) }, []Verdict{Step, Plateau}, ""},
		{"few cycles", func(i float64) float64 { return 100_000*i + 10*mib*math.Sin(i/12) }, []Verdict{Leak}, "cycle"},
		{"a cycle alone", func(i float64) float64 { return 10 * mib * math.Sin(i/30) }, []Verdict{Stable, Undetermined}, ""},
		{"a release", func(i float64) float64 { return 200_000*i - 10*mib*math.Floor(i/130) }, []Verdict{Leak}, ""},
	} {
		y := of(240, func(i float64) float64 { return pages(i) + c.f(i) })
		j := JudgeGrowth(GrowthInput{T: upTo(240), Y: y, Kind: Bytes}, DefaultGrowth)
		if !slices.Contains(c.want, j.Verdict) || c.basis != "" && j.Basis != c.basis {
			t.Errorf("%s: %s on %s, want %v %s: %s", c.name, j.Verdict, j.Basis, c.want, c.basis, j.Reason)
		}
		if j.Reason == "" || j.Resolvable == nil {
			t.Errorf("%s: no reason or no resolution", c.name)
		}
	}
}

// Single samples that were read twice over, in one of two neighbours, say nothing.
func TestJudgeGrowthDoubledSamples(t *testing.T) {
	y := of(100, pages)
	for _, i := range []int{20, 71, 90, 98} {
		y[i] *= 2
	}
	j := JudgeGrowth(GrowthInput{T: upTo(100), Y: y, Kind: Bytes}, DefaultGrowth)
	if j.Verdict == Leak || !strings.Contains(j.Reason, "4 single samples far from both neighbours smoothed") {
		t.Errorf("%s: %s", j.Verdict, j.Reason)
	}
}

func TestJudgeGrowthByIteration(t *testing.T) {
	const rounds, each = 12, 4
	in := GrowthInput{T: upTo(rounds * each), Kind: Bytes}
	for i := range rounds * each {
		round := float64(i / each)
		in.Iterations = append(in.Iterations, round)
		in.Y = append(in.Y, 100*mib+24*mib*round+4096*float64(i%each))
	}
	j := JudgeGrowth(in, DefaultGrowth)
	if j.Verdict != Leak || j.Iteration == nil || !j.Iteration.EveryRises || j.Iteration.Cycles != 10 {
		t.Fatalf("%s %+v: %s", j.Verdict, j.Iteration, j.Reason)
	}
	near(t, "per iteration", j.Iteration.Slope, 24*mib, 1)
	near(t, "weakest", j.Iteration.Weakest, 1, 1e-9)
	near(t, "per second", *j.SlopePerS, 24*mib/each, 24*mib/each/20)

	in.Y = in.Y[:0]
	for i := range rounds * each {
		in.Y = append(in.Y, 100*mib-40*mib*math.Exp(-float64(i/each)))
	}
	j = JudgeGrowth(in, DefaultGrowth)
	if j.Verdict == Leak || !j.Iteration.EveryRises || j.Iteration.Weakest > 0.03 {
		t.Errorf("warm-up: %s %+v: %s", j.Verdict, j.Iteration, j.Reason)
	}
}

// The stated rule of differences: [5,5,6] is strong evidence, [10,1,1] is weaker, [3,0,0] and [8,-8,1] are none.
func TestEveryIterationRises(t *testing.T) {
	for _, c := range []struct {
		deltas []float64
		rises  bool
	}{{[]float64{9, 5, 5, 6}, true}, {[]float64{9, 10, 1, 1}, true}, {[]float64{9, 3, 0, 0}, false}, {[]float64{9, 0, 1, 0}, false}, {[]float64{9, 8, -8, 1}, false}} {
		in := GrowthInput{T: upTo(5), Iterations: upTo(5), Y: []float64{10, 0, 0, 0, 0}, Kind: Objects}
		for i, d := range c.deltas {
			in.Y[i+1] = in.Y[i] + d
		}
		it := newGrower(in, DefaultGrowth).byIteration()
		if it == nil || it.EveryRises != c.rises || it.Cycles != 3 {
			t.Errorf("%v: %+v", c.deltas, it)
		}
	}
}

func TestJudgeGrowthMillion(t *testing.T) {
	const n = 1_000_000
	in := GrowthInput{T: upTo(n), Y: of(n, func(i float64) float64 { return pages(i) + 100*i }), Kind: Bytes}
	j := JudgeGrowth(in, DefaultGrowth)
	if j.Verdict != Leak || j.N != n {
		t.Fatalf("%s: %s", j.Verdict, j.Reason)
	}
	near(t, "slope", *j.SlopePerS, 100, 1)
}

func BenchmarkJudgeGrowth(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000, 1_000_000} {
		for _, s := range []struct {
			name string
			rate float64
		}{{"leak", 100}, {"level", 0}} {
			in := GrowthInput{T: upTo(n), Y: of(n, func(i float64) float64 { return pages(i) + s.rate*i }), Kind: Bytes}
			b.Run(fmt.Sprintf("%s-%d", s.name, n), func(b *testing.B) {
				for range b.N {
					JudgeGrowth(in, DefaultGrowth)
				}
			})
		}
	}
}

// TestSeverityOfBends: what grew is held against the level it began at, also where the rate that is stated is that of the end.
func TestSeverityOfBends(t *testing.T) {
	for _, c := range []struct {
		start, first, then float64
		want               string
	}{
		{213500, 400, 560, "warning"},  // by 0.479 of the start; the late line alone, drawn back, would begin lower
		{177600, 560, 400, "critical"}, // by 0.518; it would begin higher
	} {
		r, y := rand.New(rand.NewPCG(1, 2)), make([]float64, 240)
		for i := range y {
			k := float64(i)
			y[i] = 1024 * (c.start + c.first*min(k, 120) + c.then*max(k-120, 0) + 300*r.NormFloat64())
		}
		j := JudgeGrowth(GrowthInput{T: scaled(upTo(240), 10), Y: y, Kind: Bytes}, DefaultGrowth)
		if j.Severity != c.want || j.RateS == nil {
			t.Errorf("from %.0f by %.0f, then %.0f: %s (%s), want %s and the rate of the end", c.start, c.first, c.then, j.Severity, j.Reason, c.want)
		}
	}
}

func scaled(x []float64, by float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] *= by
	}
	return out
}
