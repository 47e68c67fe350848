package analyze

import (
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// A request that was refused is told with its sizes, in the finding and in the summary.
func TestOutOfMemoryIsToldWithSizes(t *testing.T) {
	row := &table.FaultRow{Kind: "gpu-oom", Detail: "GPU 1, device_free 95682560", Size: table.Known(5 << 30)}
	want := "Out of memory on GPU 1: asked for 5 GiB, 91.2 MiB were free on the device."
	if got := outOfMemory("", row); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := outOfMemory("app", row); got != "app: o"+want[1:] {
		t.Error(got)
	}
	if got := outOfMemory("app", &table.FaultRow{Kind: "gpu-oom", Detail: "cudaMalloc returned 2"}); got != "" {
		t.Error(got)
	}
	r := &Result{Findings: []Finding{{Rule: "fault", Class: "gpu-oom", Severity: "critical", Message: want + " In one piece it would not have fit either."}}}
	if r.conclude(); r.Summary != want {
		t.Error(r.Summary)
	}
}

// What is open is counted only if there is more than one, and a capture that cannot show growth says why.
func TestOpenResultsSayWhy(t *testing.T) {
	series := func(metric string, reason string, verdict Verdict) Series {
		return Series{Subject: Subject{Process: "app", Scope: "process", Metric: metric}, N: 40, Verdict: verdict, Reason: reason}
	}
	one := &Result{Series: []Series{series("pss", "one pass cannot tell growth from work; by itself: no growth", Undetermined)}}
	if _, got := one.calm(); got != "It cannot be said whether memory grows: one pass cannot tell growth from work." {
		t.Error(got)
	}
	for n, want := range map[int]string{1: "x is open.", 2: "x and 1 more are open."} {
		if got := openText([]string{"x", "y"}[:n]); got != "It cannot be said whether memory grows: "+want {
			t.Error(got)
		}
	}
}

// A handle that two metrics count is told once.
func TestUnendedIsToldOnce(t *testing.T) {
	r := &Result{}
	for _, metric := range []string{"count", "live_count"} {
		r.unended(&Series{N: 9, Subject: Subject{Process: "app", Scope: "handle", Name: "cuda-event", Metric: metric}}, 2, 0)
	}
	if len(r.Warnings) != 1 {
		t.Error(r.Warnings)
	}
}
