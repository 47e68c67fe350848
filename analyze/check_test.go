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
		"schema":  func(r *analyze.Result) { r.Schema = "memtide/result/9" },
		"lengths": func(r *analyze.Result) { r.Timeline[0].Mid = r.Timeline[0].Mid[1:] },
		"empty":   func(r *analyze.Result) { r.Timeline[0] = analyze.Timeline{} },
		"order":   func(r *analyze.Result) { r.Timeline[0].TimeS[0] = 1e6 },
		"size":    func(r *analyze.Result) { r.Timeline[0].Max[0] = math.MaxFloat64 },
		"spread":  func(r *analyze.Result) { r.Timeline[0].Min[0] = r.Timeline[0].Max[0] + 1 },
		"samples": func(r *analyze.Result) { r.Series[0].N = -1 },
	} {
		r := whole()
		break_(r)
		if r.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
