package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

func pieces(x analyze.Reconciliation) string {
	var out []string
	for _, p := range x.Parts {
		out = append(out, fmt.Sprintf("%s %g", p.Name, p.Bytes/mib))
	}
	return strings.Join(out, ", ")
}

// process gives values of one process, in MiB.
func process(values map[string]int64) analyze.Capture {
	return capture("run", 6, func(int) (out []row) {
		for _, m := range sorted(values) {
			out = append(out, row{"app", "process", "", m, values[m] * mib})
		}
		return out
	})
}

// The worked example: 100 MiB resident, of which 40 are heap in use, 12 slack of the allocator, 20 files, 3 shared.
func TestHeapAgainstTheResidentSet(t *testing.T) {
	r := one(process(map[string]int64{"rss": 100, "rss_file": 20, "rss_shmem": 3, "heap_alloc": 40, "heap_size": 52, "stacks": 1}))
	if len(r.Reconciliations) != 1 {
		t.Fatalf("%+v", r.Reconciliations)
	}
	x := r.Reconciliations[0]
	if got := pieces(x); got != "heap in use 40, allocator: taken and not handed out 12, stacks 1, mapped files 20, shared memory 3" || x.Unseen != 24*mib || x.Whole != 100*mib || x.Beyond != 0 {
		t.Errorf("%s, unseen %g of %g", got, x.Unseen, x.Whole)
	}
	if !strings.Contains(x.Message, "the profiler does not see 24 MiB (24 %)") || rule(r, "reconcile") != nil {
		t.Errorf("%s", x.Message)
	}
}

// Address space that was never touched is more than the whole; what is not known is not 0.
func TestPartsBeyondTheWholeAreSaid(t *testing.T) {
	r := one(process(map[string]int64{"rss": 100, "heap_alloc": 40, "heap_size": 400}))
	if x := r.Reconciliations[0]; x.Unseen != 0 || x.Beyond != 300*mib || !strings.Contains(x.Message, "more than the whole") {
		t.Errorf("%+v", x)
	}
	if r := one(process(map[string]int64{"rss": 100, "heap_size": 400})); r.Reconciliations != nil {
		t.Errorf("of a process without a heap total: %+v", r.Reconciliations)
	}
}

// profiled is a run with sites and a resident set, in MiB.
func profiled(site, rss int64) analyze.Capture {
	b := table.NewBuilder("run", "test")
	for i := range 6 {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(i) * 1e9), Line: i + 1})
		b.Process(table.Known(1), b.Text("app"))
		b.Site(table.Site{Class: b.Text("load"), LiveBytes: table.Known(site * mib), LiveCount: table.Known(5), Line: i + 1})
		b.Add(table.Sample{Scope: b.Text("process"), Metric: b.Text("rss"), Value: rss * mib, Line: i + 1})
	}
	part := b.Done()
	part.Complete = true
	return analyze.Capture{Name: "run", Set: table.Assemble([]*table.Part{part}), Inputs: []analyze.Input{{Run: "run", Path: "run"}}}
}

func TestWhatTheProfilerDoesNotSee(t *testing.T) {
	for _, c := range []struct {
		site, rss int64
		told      bool
	}{{10, 40, true}, {10, 20, false}, {5, 20, false}, {30, 50, false}} {
		r := one(profiled(c.site, c.rss))
		if f := rule(r, "reconcile"); (f != nil) != c.told || f != nil && (f.Severity != "note" || f.Stats["unseen"] != float64(c.rss-c.site)*mib) || r.Verdict == analyze.Fail {
			t.Errorf("%d of %d MiB: %+v", c.site, c.rss, f)
		}
	}
}

// A framework's device is known by its number, the driver's by number and product.
func TestReservedAgainstAllocatedAndUsed(t *testing.T) {
	r := one(capture("run", 6, func(int) []row {
		return []row{{"train", "device", "GPU 1", "gpu_allocated", 6 * mib}, {"train", "device", "GPU 1", "gpu_reserved", 8 * mib}, {"", "device", "GPU 1 NVIDIA A100", "gpu_used", 10 * mib},
			{"", "device", "GPU 10 NVIDIA A100", "gpu_used", 50 * mib}, {"train", "device", "GPU 0", "gpu_allocated", mib}}
	}))
	if len(r.Reconciliations) != 1 {
		t.Fatalf("%+v", r.Reconciliations)
	}
	x := r.Reconciliations[0]
	if x.Subject.Name != "GPU 1 NVIDIA A100" || pieces(x) != "allocated by the framework 6, reserved and not allocated 2" || x.Unseen != 2*mib ||
		!strings.Contains(x.Message, "2 MiB (25 %) is held by the framework's allocator and not in use; of 10 MiB in use by the driver's count 2 MiB is outside of the framework.") {
		t.Errorf("%+v", x)
	}
}

// checker is a memory checker's report: what it states as lost, by function, and what it lists as reachable.
func checker(name string, lost, reachable map[string]int64) analyze.Capture {
	b := table.NewBuilder(name, "memcheck")
	b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
	line := 0
	for kind, sites := range map[string]map[string]int64{"leak-definite": lost, "leak-reachable": reachable} {
		for _, f := range sorted(sites) {
			line++
			leaf := b.Frame(table.Frame{Function: b.Text(f), Module: b.Text("app")}, line)
			b.Site(table.Site{Class: b.Text(f), Stack: leaf, LiveBytes: table.Known(sites[f]), LiveCount: table.Known(sites[f] / 4), Line: line})
			b.Fault(table.Fault{Kind: b.Text(kind), Size: table.Known(sites[f]), AllocStack: leaf, Line: line})
		}
	}
	b.Fact("unit", "requested")
	return analyze.Capture{Name: name, Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []analyze.Input{{Run: name, Path: name, Format: "memcheck"}}}
}

func TestWhatEachToolSaw(t *testing.T) {
	var all []heap
	for i := range int64(40) {
		all = append(all, heap{"main;leaky": 40_000 * (i + 1), "main;table": 8_000 * (i + 1), "main;steady": 5000})
	}
	profile := dumps("profile", true, all...)
	r := one(profile, checker("memcheck", map[string]int64{"leaky": 1_600_000}, map[string]int64{"table": 320_000, "steady": 5000}))
	v := r.Views
	if v == nil || len(v.Tools) != 2 || v.Tools[0].Lost || !v.Tools[1].Lost || v.Tools[1].Unit != "requested" || v.Tools[0].Points != 40 {
		t.Fatalf("%+v", v)
	}
	of := map[string]analyze.View{}
	for _, s := range v.Sites {
		of[s.Site] = s
	}
	if len(of) != 2 || v.Sites[0].Site != "leaky" {
		t.Fatalf("%+v", v.Sites)
	}
	leaky, grows := of["leaky"], of["table"]
	if !leaky.Agree || leaky.Why != nil || leaky.Seen[0].Rule != "leaked" || leaky.Seen[1].Rule != "leaked" || *leaky.Seen[1].Bytes != 1_600_000 || *leaky.Seen[0].Objects != 400_000 {
		t.Errorf("%+v", leaky)
	}
	if grows.Agree || grows.Seen[0].Rule == "" || grows.Seen[1].Rule != "" || !grows.Seen[1].Listed || !slices.Equal(grows.Why, []string{"memcheck: states only what nothing points to, so that what is reachable is no leak to it"}) {
		t.Errorf("%+v", grows)
	}
}

func TestViewsNeedTwoWitnesses(t *testing.T) {
	if r := one(checker("a", map[string]int64{"leaky": 4000}, nil)); r.Views != nil {
		t.Errorf("%+v", r.Views)
	}
	if r := one(checker("a", map[string]int64{"leaky": 4000}, nil), growing("b", 40, 0, 0)); r.Views != nil {
		t.Errorf("%+v", r.Views)
	}
	if r := one(checker("a", nil, map[string]int64{"leaky": 4000}), checker("b", nil, map[string]int64{"leaky": 4000})); r.Views != nil {
		t.Errorf("nobody saw a leak: %+v", r.Views)
	}
}

func TestViewsSayWhyFiguresDiffer(t *testing.T) {
	a, b := checker("a", map[string]int64{"leaky": 4000, "_ZN3app4lostEv.cold": 400}, nil), checker("b", map[string]int64{"leaky": 8000, "app::lost()": 400}, nil)
	v := one(a, b).Views
	if len(v.Sites) != 2 || v.Sites[0].Agree || !slices.Equal(v.Sites[0].Why, []string{"They are of runs of different length, or of different moments of one."}) {
		t.Errorf("%+v", v.Sites)
	}
	if s := v.Sites[1]; s.Site != "app::lost()" || !s.Agree {
		t.Errorf("one function under two names: %+v", s)
	}
}
