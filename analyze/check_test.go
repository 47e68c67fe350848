package analyze_test

import (
	"math"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// What a result says of itself is believed only as far as it fits together.
func TestCheckRefusesWhatDoesNotFitTogether(t *testing.T) {
	whole := func() *analyze.Result {
		return analyze.Compare(side("b", 100, 101), side("a", 120, 121), analyze.Defaults())
	}
	if err := whole().Check(); err != nil {
		t.Fatalf("a true result: %v", err)
	}
	for name, break_ := range map[string]func(*analyze.Result){
		"schema":     func(r *analyze.Result) { r.Schema = "memtide/result/9" },
		"lengths":    func(r *analyze.Result) { r.Timeline[0].Mid = r.Timeline[0].Mid[1:] },
		"empty":      func(r *analyze.Result) { r.Timeline[0] = analyze.Timeline{} },
		"order":      func(r *analyze.Result) { r.Timeline[0].TimeS[0] = 1e6 },
		"size":       func(r *analyze.Result) { r.Timeline[0].Max[0] = math.MaxFloat64 },
		"spread":     func(r *analyze.Result) { r.Timeline[0].Min[0] = r.Timeline[0].Max[0] + 1 },
		"samples":    func(r *analyze.Result) { r.Series[0].N = -1 },
		"no samples": func(r *analyze.Result) { r.Series[0].N = 0 },
		"min":        func(r *analyze.Result) { r.Series[0].Min = r.Series[0].Max + 1 },
		"median":     func(r *analyze.Result) { r.Series[0].Median = r.Series[0].Max + 1 },
		"first":      func(r *analyze.Result) { r.Series[0].First = r.Series[0].Min - 1 },
		"last":       func(r *analyze.Result) { r.Series[0].Last = r.Series[0].Max + 1 },
		"steady":     func(r *analyze.Result) { r.Series[0].Steady = r.Series[0].Min - 1 },
		"verdict":    func(r *analyze.Result) { r.Series[0].Verdict = "fine" },
		"no outcome": func(r *analyze.Result) { r.Verdict = "" },
		"outcome":    func(r *analyze.Result) { r.Verdict = "passed" },
		"change":     func(r *analyze.Result) { r.Deltas[0].Verdict = "better" },
		"severity":   func(r *analyze.Result) { r.Findings = []analyze.Finding{{Severity: "high"}} },
		"a mark": func(r *analyze.Result) {
			r.Anchors = []analyze.Anchors{{Run: "x", Marks: []analyze.Mark{{Name: "m", TimeS: 1e300}}}}
		},
		"an iteration": func(r *analyze.Result) {
			r.Anchors = []analyze.Anchors{{Run: "x", Count: 1, Iteration: []int64{1}, IterationS: []float64{-1e300}}}
		},
		"a mark that no run has": func(r *analyze.Result) { r.Align = &analyze.AlignAt{At: "mark", Name: "nope"} },
		"align":                  func(r *analyze.Result) { r.Align = &analyze.AlignAt{At: "middle"} },
		"of a check":             func(r *analyze.Result) { r.Checks = []analyze.Check{{Outcome: "ok"}} },
	} {
		r := whole()
		break_(r)
		if r.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
