package analyze

import "testing"

// TestBuildsOfOneProcess: builds that all have one process id are snapshots of a run.
func TestBuildsOfOneProcess(t *testing.T) {
	for name, c := range map[string]struct {
		pids [][]int64
		want bool
	}{
		"one":       {[][]int64{{9}, {9}, nil, {9}}, true},
		"several":   {[][]int64{{9}, {10}}, false},
		"in one":    {[][]int64{{9, 10}, {9, 10}}, false},
		"unknown":   {[][]int64{nil, nil}, false},
		"container": {[][]int64{{1}, {1}}, false}, // the first process of each
	} {
		h := histories{r: &Result{}}
		for _, p := range c.pids {
			h.r.Inputs = append(h.r.Inputs, Input{PID: p})
		}
		if _, got := h.oneProcess(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
