package analyze_test

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// Shares and times are no bytes: neither in words nor in what counts as a change.
func TestSharesAndTimesAreNoBytes(t *testing.T) {
	series := func(metric string, from, step int64) analyze.Capture {
		return capture("run", 60, func(i int) []row { return []row{{"app", "kernel", "gemm", metric, from + step*int64(i)}} })
	}
	for metric, want := range map[string]string{"kernel_duration": "500 µs in", "kv_usage": "50 % in"} {
		step := int64(10_000)
		r := one(series(metric, 100_000, step))
		s := r.Series[0]
		if !strings.Contains(s.Reason, want[strings.Index(want, " "):]) || strings.Contains(s.Reason, "iB") || rule(r, "growth") != nil {
			t.Errorf("%s: %s (%d findings)", metric, s.Reason, len(r.Findings))
		}
	}
	if s := one(series("kernel_duration", 100_000, 10_000)).Series[0]; s.Verdict != analyze.Undetermined || !strings.HasPrefix(s.Reason, "a time is no memory") {
		t.Errorf("%s: %s", s.Verdict, s.Reason)
	}
	sides := [2][]analyze.Capture{{}, {}}
	for i := range int64(5) {
		sides[0], sides[1] = append(sides[0], series("kernel_duration", 100_000+i, 0)), append(sides[1], series("kernel_duration", 200_000+i, 0))
	}
	if d := compareRuns(sides[0], sides[1]).Deltas[0]; d.Verdict != analyze.Regression || d.Band > 10_000 {
		t.Errorf("100 µs to 200 µs is %s, band %g", d.Verdict, d.Band)
	}
}
