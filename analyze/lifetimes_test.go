package analyze_test

import (
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// deed is one line of a log: at so many milliseconds something is done to an object.
type deed struct {
	ms     int64
	op     string
	kind   string
	object uint64
	size   int64 // -1 for none
	stack  string
}

// logged is a run of a log of events; clock mono.
func logged(name string, deeds []deed) analyze.Capture {
	b := table.NewBuilder(name, "test")
	b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
	stacks := map[string]int64{}
	for i, d := range deeds {
		leaf := int64(0)
		if d.stack != "" {
			if _, ok := stacks[d.stack]; !ok {
				for _, f := range strings.Split(d.stack, ";") {
					stacks[d.stack] = b.Frame(table.Frame{Parent: stacks[d.stack], Function: b.Text(f), Module: b.Text("app")}, i+1)
				}
			}
			leaf = stacks[d.stack]
		}
		b.Event(&table.Event{At: d.ms * 1e6, Seq: int64(i), TID: table.Known(1), Op: b.Text(d.op), Class: b.Text(d.kind), Object: d.object, HasObject: true,
			Size: table.Int{V: d.size, OK: d.size >= 0}, Stack: leaf, Line: i + 1})
	}
	return analyze.Capture{Name: name, Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []analyze.Input{{Run: name, Path: name, Format: "memtide-events"}}}
}

// weights is a cache that makes blocks of a size, uses each for 10 ms, and ends it so many milliseconds after the last use.
func weights(blocks int, size, held int64) (out []deed) {
	for i := range int64(blocks) {
		t, a := 1000*i, uint64(0x1000*(i+1))
		out = append(out, deed{t, "alloc", "weights", a, size, "main;load"}, deed{t + 5, "use", "weights", a, -1, "main;run"}, deed{t + 10, "use", "weights", a, -1, "main;run"},
			deed{t + 10 + held, "free", "weights", a, -1, "main;evict"})
	}
	return out
}

// The worked example: a cache that holds quantised weights, 12 MB, for 320 ms after its last use.
func TestWeightsAreHeldAfterTheirLastUse(t *testing.T) {
	r := one(logged("run", weights(20, 12_000_000, 320)))
	if len(r.Lifetimes) != 1 {
		t.Fatalf("%+v", r.Lifetimes)
	}
	l := r.Lifetimes[0]
	if l.Kind != "weights" || l.Made != 20 || l.Ended != 20 || l.Alive != 0 || l.NeverEnded != 0 || *l.MeanBytes != 12e6 || math.Abs(*l.MeanLifeS-0.33) > 1e-9 {
		t.Errorf("%+v", l)
	}
	if d := l.Dwell; d == nil || d.Objects != 20 || math.Abs(d.MeanS-0.32) > 1e-9 || math.Abs(d.MostS-0.32) > 1e-9 || *d.MeanBytes != 12e6 {
		t.Errorf("%+v", l.Dwell)
	}
	f := rule(r, "dwell")
	if f == nil || f.Severity != "note" || f.Class != "weights" || !strings.Contains(f.Message, "11.4 MiB for 0.32 s") || r.Verdict == analyze.Fail {
		t.Errorf("%+v", f)
	}
}

func rule(r *analyze.Result, name string) *analyze.Finding {
	for i := range r.Findings {
		if r.Findings[i].Rule == name {
			return &r.Findings[i]
		}
	}
	return nil
}

func TestDwellHasThreeThresholds(t *testing.T) {
	for name, c := range map[string]struct {
		blocks     int
		size, held int64
		want       bool
	}{"all": {5, 1 << 20, 100, true}, "few": {4, 1 << 20, 100, false}, "small": {5, 1<<20 - 1, 100, false}, "short": {5, 1 << 20, 99, false}} {
		if got := rule(one(logged("run", weights(c.blocks, c.size, c.held))), "dwell") != nil; got != c.want {
			t.Errorf("%s: told %v", name, got)
		}
	}
	o := analyze.Defaults()
	o.Dwell = analyze.DwellConfig{Objects: 2, Bytes: 1000, Seconds: 0.01}
	if rule(analyze.One([]analyze.Capture{logged("run", weights(2, 1000, 10))}, o), "dwell") == nil {
		t.Error("own thresholds are not heeded")
	}
}

// What is there before the log, made twice at one address, released and then ended, and never ended.
func TestLifetimesCountWhatTheLogCovers(t *testing.T) {
	r := one(logged("run", []deed{
		{0, "free", "buffer", 0x10, -1, "main"},
		{1, "alloc", "buffer", 0x20, 100, "main"}, {2, "alloc", "buffer", 0x20, 300, "main"},
		{3, "create", "texture", 0x30, 4096, "main"}, {4, "release", "texture", 0x30, -1, "main"}, {54, "destroy", "texture", 0x30, -1, "main"},
		{60, "create", "event", 0x40, -1, "main"},
	}))
	of := map[string]analyze.Lifetime{}
	for _, l := range r.Lifetimes {
		of[l.Kind] = l
	}
	if b := of["buffer"]; b.PreExisting != 1 || b.Overwritten != 1 || b.Made != 2 || b.Alive != 1 || b.NeverEnded != 300 || b.MeanBytes != nil || b.Dwell != nil {
		t.Errorf("buffer %+v", b)
	}
	if x := of["texture"]; x.Ended != 1 || x.Dwell == nil || math.Abs(x.Dwell.MeanS-0.05) > 1e-9 || *x.Dwell.MeanBytes != 4096 {
		t.Errorf("texture %+v, %+v", x, x.Dwell)
	}
	if e := of["event"]; e.Alive != 1 || e.NeverEnded != 0 || e.MeanLifeS != nil {
		t.Errorf("event %+v", e)
	}
}

// A program that loads, works and gives back: the peak is in the middle, and what held it is told by site.
func TestPeakByItsHolders(t *testing.T) {
	deeds := []deed{{0, "alloc", "heap", 0x1, 1000, "main;malloc"}, {1000, "alloc", "heap", 0x2, 6000, "main;work;load;malloc"}, {2000, "alloc", "heap", 0x3, 3000, "main;work;parse;malloc"},
		{5000, "free", "heap", 0x2, -1, "main"}, {6000, "free", "heap", 0x3, -1, "main"}}
	for i := range int64(30) {
		deeds = append(deeds, deed{1500, "alloc", "heap", uint64(0x100 + i), 10, "main;small" + string(rune('A'+i)) + ";malloc"}, deed{5500, "free", "heap", uint64(0x100 + i), -1, "main"})
	}
	deeds = append(deeds, deed{10_000, "use", "heap", 0x1, -1, "main"})
	r := one(logged("run", deeds))
	if len(r.Peaks) != 1 {
		t.Fatalf("%d peaks", len(r.Peaks))
	}
	p := r.Peaks[0]
	if p.Start != 1000 || p.Peak != 10_300 || p.End != 1000 || p.AtS < 1.99 || p.AtS > 5 || p.Subject.Scope != "process" {
		t.Errorf("%+v", p)
	}
	first, rest := p.Holders[0], p.Holders[len(p.Holders)-1]
	if first.Name != "load" || first.Peak != 6000 || first.Start != 0 || first.End != 0 || math.Abs(first.Share-6000/10_300.0) > 1e-9 || strings.Join(first.Stack, " ") != "load work main" {
		t.Errorf("first %+v", first)
	}
	if len(p.Holders) != 21 || rest.Name != "other sites" || rest.Sites != 13 || rest.Peak != 130 {
		t.Errorf("%d holders, rest %+v", len(p.Holders), rest)
	}
	sum := 0.0
	for _, h := range p.Holders {
		sum += h.Peak
	}
	if sum != p.Peak {
		t.Errorf("the holders add up to %g of %g", sum, p.Peak)
	}
}

// A fault says what held the device then, with what was there before the log.
func TestOutOfDeviceMemoryNamesWhatHeldIt(t *testing.T) {
	b := table.NewBuilder("run", "test")
	gpu, alloc, memory, zero := b.Text("gpu_allocated"), b.Text("alloc"), b.Text("gpu-memory"), b.Text("0")
	cache := b.Frame(table.Frame{Parent: b.Frame(table.Frame{Function: b.Text("main")}, 1), Function: b.Text("grow_cache")}, 1)
	level := int64(5 * mib)
	for i := range int64(40) {
		b.Snapshot(table.Stamp{Trace: table.Known(i * 1e9), Line: int(i) + 1})
		b.Process(table.Known(1), b.Text("server"))
		level += mib
		b.Add(table.Sample{Scope: b.Text("device"), Name: b.Text("GPU 0"), Metric: gpu, Value: level, Line: int(i) + 1})
		b.Event(&table.Event{At: 0, Seq: i, Op: alloc, Class: memory, Object: uint64(i + 1), HasObject: true, Size: table.Known(mib), Device: zero, Stack: cache, Line: int(i) + 1})
	}
	b.Fault(table.Fault{Kind: b.Text("gpu-oom"), Size: table.Known(mib), Detail: b.Text("GPU 0, device_free 0"), Stack: cache, Line: 41})
	r := one(analyze.Capture{Name: "run", Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []analyze.Input{{Run: "run", Path: "run"}}})
	if p := r.Peaks[0]; p.Highest == nil || *p.Highest != 45*mib || p.Peak != 45*mib || p.Subject.Scope != "device" {
		t.Errorf("%+v", p)
	}
	f := rule(r, "fault")
	if f == nil || len(f.Held) != 2 || f.Held[0].Name != "grow_cache" || f.Held[0].Peak != 40*mib || f.Held[1].Name != "alive before the log" || f.Held[1].Peak != 5*mib ||
		!strings.Contains(f.Message, "Then 45 MiB were held on GPU 0, the most by grow_cache 40 MiB (89 %), alive before the log 5 MiB (11 %).") {
		t.Errorf("%+v", f)
	}
}
