package analyze_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// TestLostEvents runs the made-up programs with events missing and not a word of it. A free that is missing looks like a leak until
// the address is used again, which shows both that it was freed and that the log has holes; an allocation that is missing makes of
// the next free a double one. None of it may be critical, and parts that keep nothing are seldom accused.
func TestLostEvents(t *testing.T) {
	programs := 4
	if v, err := strconv.Atoi(os.Getenv("MEMTIDE_STATISTICS")); err == nil {
		programs = v
	}
	for _, share := range []float64{0.0001, 0.001, 0.01, 0.05} {
		found, leaks, innocents, accused, critical := 0, 0, 0, 0, 0
		blamed := map[string]int{}
		for seed := range programs {
			p := &program{b: table.NewBuilder("run", "test"), r: rand.New(rand.NewPCG(uint64(seed), 78)), stacks: map[string]int64{}, lose: share}
			r := p.run(200+p.r.IntN(1200), behaviours)
			for _, x := range behaviours {
				i := slices.IndexFunc(r.Findings, func(f analyze.Finding) bool { return f.Subject.Name == x.name && f.Severity != "note" })
				switch {
				case x.leaks:
					leaks++
					found += min(i+1, 1)
				default:
					innocents++
					if i >= 0 {
						accused++
						blamed[x.name]++
					}
				}
			}
			if slices.ContainsFunc(r.Findings, func(f analyze.Finding) bool { return f.Severity == "critical" && f.Rule != "leaked" }) {
				critical++
			}
		}
		t.Logf("%.2f %% of the events lost: %d of %d leaks found, %d of %d innocent parts accused %v; a misuse is critical in %d of %d", 100*share, found, leaks, accused, innocents, blamed, critical, programs)
		if critical > 0 || float64(found) < 0.95*float64(leaks) {
			t.Errorf("want no misuse critical, and 95 %% found")
		}
	}
}

// TestLinesFarOutOfOrder: a log of two halves the wrong way round is beyond what is put in order as it is read. That is said, and
// nothing in it is critical.
func TestLinesFarOutOfOrder(t *testing.T) {
	b := table.NewBuilder("run", "test")
	b.Stream(lifetime.NewStream(b))
	b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
	b.Process(table.Known(7), table.Null)
	alloc, free := b.Text("alloc"), b.Text("free")
	const n = 100000
	for i := range int64(n) {
		at := (i + n/2) % n // the second half first
		b.Event(&table.Event{At: 20 * at, Op: alloc, Class: b.Text("heap"), Object: uint64(at % 7), HasObject: true, Size: table.Known(8), Line: int(i)})
		b.Event(&table.Event{At: 20*at + 10, Op: free, Object: uint64(at % 7), HasObject: true, Line: int(i)})
	}
	r := analyze.One([]analyze.Capture{{Name: "run", Set: table.Assemble([]*table.Part{b.Done()})}}, analyze.Defaults())
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "could not be put in order") }) {
		t.Errorf("%q", r.Warnings)
	}
	for _, f := range r.Findings {
		if f.Severity == "critical" {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
}
