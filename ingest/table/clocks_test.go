package table

import "testing"

// TestClocksOfOneRun: dated captures keep their times beside ones that have none; those are laid out over the same span.
func TestClocksOfOneRun(t *testing.T) {
	var parts []builder
	for i := range int64(5) {
		parts = append(parts, newTest("smaps", "smaps").at((100+10*i)*1e9, 1).process(7, "app").sample("process", "", "rss", i, 2))
	}
	for i := range int64(3) {
		parts = append(parts, newTest("heap", "heap").bare(1).sample("process", "", "heap_alloc", i, 2))
	}
	parts = append(parts, newTest("once", "once").bare(1).sample("process", "", "vm_hwm", 9, 2))
	trace := newTest("trace", "trace")
	trace.Snapshot(Stamp{Boot: Known(5e9), Line: 1})
	trace.Add(Sample{Scope: trace.Text("process"), Name: trace.Text(""), Metric: trace.Text("swap"), Value: 1, Line: 1})
	trace.Add(Sample{Scope: trace.Text("process"), Name: trace.Text(""), Metric: trace.Text("swap"), Value: 2, Line: 2, At: 3e9})
	s := sets(append(parts, trace)...)
	want(t, "samples", rows(t, s, Samples, "time_ns", "metric", "value"), `
0 heap_alloc 0
0 rss 0
0 swap 1
3000000000 swap 2
10000000000 rss 1
20000000000 heap_alloc 1
20000000000 rss 2
30000000000 rss 3
40000000000 heap_alloc 2
40000000000 vm_hwm 9
40000000000 rss 4
`)
	if s.Clock != "wall" || s.Start != Known(100e9) || len(s.Problems()) != 5 {
		t.Errorf("clock %s from %v, problems %v", s.Clock, s.Start, s.Problems())
	}
}
