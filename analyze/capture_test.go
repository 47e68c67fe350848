package analyze_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// row is one sample for a capture built in a test.
type row struct {
	process, scope, name, metric string
	value                        int64
}

// capture builds a run: rows(i) are the samples of second i.
func capture(name string, n int, rows func(i int) []row) analyze.Capture {
	b := table.NewBuilder(name, "test")
	for i := range n {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(i) * 1e9), Line: i + 1})
		for _, r := range rows(i) {
			b.Process(table.Known(1), b.Text(r.process))
			b.Add(table.Sample{Scope: b.Text(r.scope), Name: b.Text(r.name), Metric: b.Text(r.metric), Value: r.value, Line: i + 1})
		}
	}
	return analyze.Capture{Name: name, Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []analyze.Input{{Run: name, Path: name, Format: "test"}}}
}

const mib = 1 << 20

// level is a run of one metric at a level, in MiB.
func level(name, metric string, v float64) analyze.Capture {
	return capture(name, 20, func(int) []row { return []row{{"app", "process", "", metric, int64(v * mib)}} })
}

// side is runs of pss at levels in MiB.
func side(name string, levels ...float64) []analyze.Capture {
	var out []analyze.Capture
	for i, v := range levels {
		out = append(out, level(fmt.Sprint(name, "/", i), "pss", v))
	}
	return out
}

func delta(t *testing.T, r *analyze.Result, s analyze.Subject) analyze.Delta {
	t.Helper()
	for _, d := range r.Deltas {
		if d.Subject == s {
			return d
		}
	}
	t.Fatalf("no delta of %v in %d", s, len(r.Deltas))
	return analyze.Delta{}
}

var pss = analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}

// The worked numbers of docs/methods.md, through the whole of Compare.
func TestCompareWorkedNumbers(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []float64
		shift, lo, hi float64 // MiB
		p             float64
		verdict       analyze.Change
		band          float64
	}{
		{"five runs", []float64{412, 405, 418, 409, 411}, []float64{431, 428, 440, 425, 436}, 20, 13, 31, 0.00793651, analyze.Regression, 0},
		{"ten runs", []float64{412, 405, 418, 409, 411, 415, 402, 420, 410, 407}, []float64{414, 409, 421, 408, 416, 417, 406, 425, 412, 411}, 3, -3, 9, 0.325205, analyze.Unsettled, 0},
		{"ten runs, wide band", []float64{412, 405, 418, 409, 411, 415, 402, 420, 410, 407}, []float64{414, 409, 421, 408, 416, 417, 406, 425, 412, 411}, 3, -3, 9, 0.325205, analyze.Equivalent, 10},
	} {
		o := analyze.Defaults()
		if c.band > 0 {
			o.AB.BandBytes, o.AB.BandShare = c.band*mib, 0
		}
		d := delta(t, analyze.Compare(side("b", c.before...), side("a", c.after...), o), pss)
		near(t, c.name+" shift", *d.Shift, c.shift*mib, 1)
		near(t, c.name+" lo", *d.ShiftLo, c.lo*mib, 1)
		near(t, c.name+" hi", *d.ShiftHi, c.hi*mib, 1)
		near(t, c.name+" p", *d.P, c.p, 1e-6)
		if d.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s", c.name, d.Verdict, c.verdict)
		}
	}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if got < want-within || got > want+within {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestCompareWithItselfIsSilent(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5} {
		runs := func() []analyze.Capture { return side("x", []float64{100, 103, 99, 101, 98}[:n]...) }
		r := analyze.Compare(runs(), runs(), analyze.Defaults())
		for _, d := range r.Deltas {
			if d.Verdict == analyze.Regression || d.Verdict == analyze.Improvement {
				t.Errorf("%d runs: %v is %s", n, d.Subject, d.Verdict)
			}
		}
		if r.Verdict == analyze.Fail {
			t.Errorf("%d runs: %s: %s", n, r.Verdict, r.Summary)
		}
	}
}

func TestFewRunsMustExceedWhatRunsDifferBy(t *testing.T) {
	for _, c := range []struct {
		before, after []float64
		want          analyze.Change
		outcome       analyze.Outcome
	}{
		{[]float64{100}, []float64{107}, analyze.Unsettled, analyze.Inconclusive},
		{[]float64{100}, []float64{115}, analyze.Regression, analyze.Fail},
		{[]float64{100}, []float64{85}, analyze.Improvement, analyze.Pass},
		{[]float64{100, 101, 102}, []float64{104, 106, 105}, analyze.Unsettled, analyze.Inconclusive},
		{[]float64{100, 101, 102}, []float64{120, 125, 119}, analyze.Regression, analyze.Fail},
		{[]float64{100, 130, 102}, []float64{120, 125, 119}, analyze.Unsettled, analyze.Inconclusive},
	} {
		r := analyze.Compare(side("b", c.before...), side("a", c.after...), analyze.Defaults())
		if d := delta(t, r, pss); d.Verdict != c.want || r.Verdict != c.outcome {
			t.Errorf("%v against %v: %s, %s; want %s, %s", c.before, c.after, d.Verdict, r.Verdict, c.want, c.outcome)
		}
		if !strings.Contains(strings.Join(r.Warnings, " "), "at least 4 runs") {
			t.Errorf("%v against %v: no word on the number of runs: %v", c.before, c.after, r.Warnings)
		}
	}
}

func TestMoreIsBetterTurnsTheVerdict(t *testing.T) {
	free := func(name string, v float64) []analyze.Capture {
		var out []analyze.Capture
		for i := range 5 {
			out = append(out, level(fmt.Sprint(name, i), "mem_available", v+float64(i)))
		}
		return out
	}
	s := analyze.Subject{Process: "app", Scope: "process", Metric: "mem_available"}
	if d := delta(t, analyze.Compare(free("b", 1000), free("a", 800), analyze.Defaults()), s); d.Verdict != analyze.Regression {
		t.Errorf("less available memory is %s", d.Verdict)
	}
}

// parted is a run whose total is the sum of two categories, in MiB.
func parted(name string, total, heap float64) analyze.Capture {
	return capture(name, 20, func(int) []row {
		return []row{
			{"app", "process", "", "pss", int64(total * mib)},
			{"app", "category", "heap", "pss", int64(heap * mib)},
			{"app", "category", "file", "pss", int64((total - heap) * mib)},
		}
	})
}

func partedSide(name string, total, heap float64) []analyze.Capture {
	var out []analyze.Capture
	for i := range 5 {
		out = append(out, parted(fmt.Sprint(name, i), total+0.1*float64(i), heap+0.1*float64(i)))
	}
	return out
}

func TestPartsAreTestedOnlyUnderAChangedTotal(t *testing.T) {
	heap := analyze.Subject{Process: "app", Scope: "category", Name: "heap", Metric: "pss"}
	r := analyze.Compare(partedSide("b", 200, 100), partedSide("a", 200, 130), analyze.Defaults())
	if d := delta(t, r, heap); d.Verdict != analyze.Unsettled || !strings.Contains(d.Note, "total did not change") {
		t.Errorf("a move between parts: %s, %q", d.Verdict, d.Note)
	}
	r = analyze.Compare(partedSide("b", 200, 100), partedSide("a", 230, 130), analyze.Defaults())
	if d := delta(t, r, heap); d.Verdict != analyze.Regression || d.PAdjusted == nil || *d.PAdjusted < *d.P {
		t.Errorf("a part that carries the change: %+v", d)
	}
}

func TestSharesOfThePartsSumToOne(t *testing.T) {
	r := analyze.Compare(partedSide("b", 200, 100), partedSide("a", 260, 190), analyze.Defaults())
	sum := 0.0
	for _, d := range r.Deltas {
		if d.Subject.Scope == "category" {
			sum += *d.Share
		}
	}
	near(t, "sum of shares", sum, 1, 1e-9)
}

func TestRenamedProcessIsComparedAndSaid(t *testing.T) {
	b := []analyze.Capture{capture("b", 5, func(int) []row { return []row{{"old", "process", "", "pss", 100 * mib}} })}
	a := []analyze.Capture{capture("a", 5, func(int) []row { return []row{{"new", "process", "", "pss", 100 * mib}} })}
	r := analyze.Compare(b, a, analyze.Defaults())
	d := delta(t, r, analyze.Subject{Process: "new", Scope: "process", Metric: "pss"})
	if d.Before.Runs != 1 || d.After.Runs != 1 || !strings.Contains(strings.Join(r.Warnings, " "), "different names") {
		t.Errorf("%+v, warnings %v", d, r.Warnings)
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	both := func(int) []row {
		return []row{{"app", "process", "", "pss", 100 * mib}, {"app", "process", "", "swap_pss", 9 * mib}}
	}
	r := analyze.Compare([]analyze.Capture{level("b", "pss", 100)}, []analyze.Capture{capture("a", 20, both)}, analyze.Defaults())
	d := delta(t, r, analyze.Subject{Process: "app", Scope: "process", Metric: "swap_pss"})
	if d.Before.Median != nil || d.Shift != nil || d.Verdict != analyze.Unsettled || d.Note != "not measured before" {
		t.Errorf("%+v", d)
	}
}

func TestMissingPartIsZeroAndNew(t *testing.T) {
	with := func(int) []row {
		return []row{{"app", "process", "", "pss", 130 * mib}, {"app", "category", "heap", "pss", 100 * mib}, {"app", "category", "gpu", "pss", 30 * mib}}
	}
	without := func(int) []row {
		return []row{{"app", "process", "", "pss", 100 * mib}, {"app", "category", "heap", "pss", 100 * mib}}
	}
	r := analyze.Compare([]analyze.Capture{capture("b", 20, without)}, []analyze.Capture{capture("a", 20, with)}, analyze.Defaults())
	d := delta(t, r, analyze.Subject{Process: "app", Scope: "category", Name: "gpu", Metric: "pss"})
	if d.Verdict != analyze.New || *d.Before.Median != 0 || *d.Shift != 30*mib {
		t.Errorf("%+v", d)
	}
}

// Scaling all values by k scales the shift and its interval by k.
func TestShiftScales(t *testing.T) {
	one := delta(t, analyze.Compare(side("b", 100, 102, 99, 104, 101), side("a", 130, 128, 135, 131, 127), analyze.Defaults()), pss)
	two := delta(t, analyze.Compare(side("b", 200, 204, 198, 208, 202), side("a", 260, 256, 270, 262, 254), analyze.Defaults()), pss)
	near(t, "shift", *two.Shift, 2**one.Shift, 2)
	near(t, "lo", *two.ShiftLo, 2**one.ShiftLo, 2)
	near(t, "hi", *two.ShiftHi, 2**one.ShiftHi, 2)
}

// Of two hundred mappings and a total without a change, five noisy runs a side must raise no alarm.
func TestAAComparisonsRaiseNoAlarm(t *testing.T) {
	const trials, seed = 60, 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	alarms := 0
	for range trials {
		noisy := func(name string) []analyze.Capture {
			var out []analyze.Capture
			for i := range 5 {
				base := 300 * (1 + 0.01*r.NormFloat64())
				out = append(out, capture(fmt.Sprint(name, i), 8, func(int) []row {
					rows := []row{{"app", "process", "", "pss", int64(base * mib)}}
					for m := range 40 {
						rows = append(rows, row{"app", "category", fmt.Sprint("c", m), "pss", int64(base / 40 * (1 + 0.05*r.NormFloat64()) * mib)})
					}
					return rows
				}))
			}
			return out
		}
		for _, d := range analyze.Compare(noisy("b"), noisy("a"), analyze.Defaults()).Deltas {
			if d.Verdict == analyze.Regression || d.Verdict == analyze.Improvement {
				alarms++
				break
			}
		}
	}
	if alarms > 1 {
		t.Errorf("%d of %d comparisons of the same with the same raise an alarm", alarms, trials)
	}
}
