package analyze_test

import (
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// TestClassesAtEachMoment: the worked deltas of the rule on repetitions, and a class that partly returns.
func TestClassesAtEachMoment(t *testing.T) {
	for _, c := range []struct {
		counts   []int64
		returns  string
		findings int
	}{{[]int64{4, 9, 14, 20}, "no", 1}, {[]int64{4, 14, 15, 16}, "no", 1}, {[]int64{4, 7, 7, 7}, "partly", 1}, {[]int64{4, 4, 5, 5}, "partly", 1}, {[]int64{4, 12, 4, 4}, "yes", 0},
		{[]int64{40, 75, 60}, "partly", 1}, {[]int64{4, 9}, "partly", 0}, {[]int64{4}, "unknown", 0}} {
		o := analyze.Defaults()
		o.Classes.Patterns = []string{"MTL*", "Nothing"}
		r := analyze.One([]analyze.Capture{capture("run", len(c.counts), func(i int) []row {
			return []row{{"app", "class", "MTLBuffer", "live_count", c.counts[i]}, {"app", "class", "Other", "live_count", c.counts[i]}}
		})}, o)
		if len(r.Classes) != 1 || r.Classes[0].Returns != c.returns || len(r.Findings) != c.findings {
			t.Errorf("%v: %+v, findings %+v", c.counts, r.Classes, r.Findings)
		}
		if c.returns == "partly" && len(r.Findings) > 0 && r.Findings[0].Severity != "note" {
			t.Errorf("%v: %s", c.counts, r.Findings[0].Severity)
		}
		if len(r.Warnings) != 1 {
			t.Errorf("%v: a pattern that fits nothing is not told: %v", c.counts, r.Warnings)
		}
	}
}

// TestPairs: two classes of which there should be as many.
func TestPairs(t *testing.T) {
	o := analyze.Defaults()
	o.Classes.Pairs = [][2]string{{"View", "Controller"}, {"View", "Missing"}}
	r := analyze.One([]analyze.Capture{capture("run", 1, func(int) []row {
		return []row{{"app", "class", "View", "count", 7}, {"app", "class", "Controller", "count", 5}}
	})}, o)
	if len(r.Findings) != 1 || r.Findings[0].Rule != "mismatched-pair" || len(r.Warnings) != 1 {
		t.Errorf("%+v %v", r.Findings, r.Warnings)
	}
}

// TestShared: a file that two processes map is one, and what one of them has written is its own.
func TestShared(t *testing.T) {
	b := table.NewBuilder("x", "test")
	for pid := range int64(2) {
		b.Process(table.Known(pid+1), b.Text([]string{"one", "two"}[pid]))
		m := table.Mapping{Start: 1 << 20, End: 5 << 20, HasRange: true, Path: b.Text("/opt/model.bin"), Category: b.Text("file"), Line: int(pid) + 1}
		for s, v := range map[table.Size]int64{table.MapRSS: 4, table.MapPSS: 2 + pid, table.MapSharedClean: 4 - 2*pid, table.MapPrivateDirty: 2 * pid, table.MapPrivateClean: 0, table.MapSharedDirty: 0} {
			m.Set(s, v*mib)
		}
		b.Map(&m)
	}
	r := one(analyze.Capture{Name: "x", Set: table.Assemble([]*table.Part{b.Done()})})
	if len(r.Shared) != 1 || len(r.Shared[0].Users) != 2 || r.Shared[0].RSS != 8*mib || *r.Shared[0].Held != 5*mib || *r.Shared[0].Saved != 3*mib || r.Shared[0].Written != 2*mib {
		t.Errorf("%+v", r.Shared)
	}
	found := false
	for _, f := range r.Findings {
		found = found || f.Rule == "sharing" && f.Severity == "note"
	}
	if !found {
		t.Errorf("%+v", r.Findings)
	}
}
