package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

func tableRows(b Block) string {
	var out []string
	for _, row := range b.(*Table).Rows {
		out = append(out, rowTexts(row))
	}
	return strings.Join(out, "\n")
}

func TestObjectsAndTheirDwell(t *testing.T) {
	s := newStory(&analyze.Result{Lifetimes: []analyze.Lifetime{
		{Kind: "weights", Made: 1200, Ended: 1190, Alive: 10, NeverEnded: 120 * mib, MeanBytes: of(12.0 * mib), MeanLifeS: of(0.33), Dwell: &analyze.Dwell{Objects: 1190, MeanS: 0.32, MostS: 2, MeanBytes: of(12.0 * mib)}},
		{Kind: "event", Made: 5, PreExisting: 2, Overwritten: 1}}})
	b := s.objects().Blocks
	if got := tableRows(b[0]); got != "weights|1,200|1,190|10|120.0|12.0|330 ms|0\nevent|5|0|0|0|—|—|2" {
		t.Errorf("%s", got)
	}
	if note := b[0].(*Table).Rows[1][0].Note; !strings.HasPrefix(note, "1 object was made at the address of one alive") {
		t.Errorf("%q", note)
	}
	if got := tableRows(b[1]); got != "weights|1,190|12.0|320 ms|2 s" {
		t.Errorf("%s", got)
	}
	if len(newStory(&analyze.Result{}).objects().Blocks) != 0 {
		t.Error("a table of nothing")
	}
}

func reconciliation() analyze.Reconciliation {
	return analyze.Reconciliation{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "rss"}, AtS: 60, Whole: 100 * mib, Unseen: 60 * mib, Message: "app: rss: of 100 MiB are 40 MiB heap in use.",
		Parts: []analyze.Piece{{Name: "heap in use", Metric: "heap_alloc", Bytes: 40 * mib, Share: 0.4}}}
}

func TestResidentSetIsDivided(t *testing.T) {
	x := reconciliation()
	b := newStory(&analyze.Result{Reconciliations: []analyze.Reconciliation{x}}).resident().Blocks
	if got := tableRows(b[0]); got != "heap in use|heap_alloc|40.0|40.0 %|\nnot seen by the profiler||60.0|60.0 %|\nwhole|rss|100.0|100.0 %|" {
		t.Errorf("%s", got)
	}
	x.Unseen, x.Beyond = 0, 5*mib
	b = newStory(&analyze.Result{Reconciliations: []analyze.Reconciliation{x}}).resident().Blocks
	if got := tableRows(b[0]); !strings.Contains(got, "asked for and not in memory||−5.0") {
		t.Errorf("%s", got)
	}
}

func TestViewsSideBySide(t *testing.T) {
	s := newStory(&analyze.Result{Views: &analyze.Views{Tools: []analyze.Viewer{{Run: "a", Format: "memcheck", Unit: "requested", Lost: true, Points: 1}, {Run: "b", Format: "heaptrack", Sampled: true, Points: 20}},
		Sites: []analyze.View{{Site: "leaky", Agree: true, Seen: []analyze.Sight{{Listed: true, Rule: "leaked", Bytes: of(2048.0), Objects: of(4.0)}, {Listed: true, Rule: "leaked", Bytes: of(2048.0)}}},
			{Site: "table", Seen: []analyze.Sight{{}, {Listed: true, Rule: "growth", Bytes: of(1024.0)}}, Why: []string{"a: states only what nothing points to."}}}}})
	b := s.views().Blocks
	if got := tableRows(b[0]); got != "leaky|2.0|2.0|They agree\ntable|—|1.0|A: states only what nothing points to" {
		t.Errorf("%s", got)
	}
	if row := b[0].(*Table).Rows[0]; row[1].Note != "4 objects, leaked" || row[1].Mark != "✗" {
		t.Errorf("%+v", row[1])
	}
	if got := tableRows(b[1]); got != "memcheck a|memcheck|requested|1|states what is lost, not what is reachable\nheaptrack b|heaptrack|—|20|sampled" {
		t.Errorf("%s", got)
	}
}

func peakOf(side, process string, load float64) analyze.Peak {
	return analyze.Peak{Side: side, Subject: analyze.Subject{Process: process, Scope: "device", Name: "GPU 0", Metric: "live_bytes"}, AtS: 12, Start: mib, Peak: load + mib, End: mib,
		Holders: []analyze.Holder{{Name: "load", Sites: 1, Peak: load, Share: 0.9, Stack: []string{"load", "step", "main"}}, {Name: "other sites", Sites: 3, Peak: mib, Start: mib, End: mib}}}
}

func TestPeakByHolder(t *testing.T) {
	b := newStory(&analyze.Result{Peaks: []analyze.Peak{peakOf("", "train", 9*mib)}}).peaks().Blocks
	table := b[0].(*Table)
	if got := tableRows(table); got != "load|9.0|90.0 %||0|0\n3 other sites|1.0|10.0 %||1.0|1.0" || table.Rows[0][0].Note != "load ← step ← main" {
		t.Errorf("%s, %q", got, table.Rows[0][0].Note)
	}
	if table.Caption != "GPU 0: 10.0 MiB alive at the peak, 12 s into the run; 1.0 MiB at the start, 1.0 MiB at the end" {
		t.Errorf("%q", table.Caption)
	}
}

// Of two sides the peaks stand against each other, also where a build has renamed the only process.
func TestPeaksOfTwoSides(t *testing.T) {
	inputs := []analyze.Input{{Side: "before", Run: "before/1"}, {Side: "after", Run: "after/1"}}
	alone := peakOf("after", "train2", mib)
	alone.Subject.Name = "GPU 1"
	small := peakOf("after", "train2", mib)
	b := newStory(&analyze.Result{Inputs: inputs, Peaks: []analyze.Peak{peakOf("before", "train", 9*mib), small, peakOf("after", "train2", 12*mib), alone}}).peaks().Blocks
	if len(b) != 2 {
		t.Fatalf("%d blocks", len(b))
	}
	if got := tableRows(b[0]); got != "all|10.0|13.0|+3.0|\nload|9.0|12.0|+3.0|\n3 other sites|1.0|1.0|0|" {
		t.Errorf("%s", got)
	}
	if got := b[1].(*Table).Caption; !strings.HasPrefix(got, "GPU 1") {
		t.Errorf("%q", got)
	}
}

func TestWhatWouldFit(t *testing.T) {
	gpu := analyze.Subject{Process: "train", Scope: "device", Name: "GPU 0", Metric: "gpu_used"}
	b := newStory(&analyze.Result{Fits: []analyze.Fit{{Subject: gpu, Line: "A100-80GB", Limit: 70 << 30, Driver: "batch_size", Most: 96, MostLo: of(90.0), MostHi: of(104.0), Seen: 32},
		{Subject: gpu, Line: "A100-80GB", Limit: 70 << 30, Driver: "seconds", Most: 7200, MostLo: of(9000.0), MostHi: of(3600.0)}},
		Reliefs: []analyze.Relief{{Subject: analyze.Subject{Scope: "category", Name: "optimizer-state", Metric: "gpu_allocated"}, Bytes: 8 << 30, Driver: "batch_size", More: 12}}}).room().Blocks
	if got := tableRows(b[0]); got != "gpu_used of GPU 0|A100-80GB|70.0|batch_size|96|90 to 104|32\ngpu_used of GPU 0|A100-80GB|70.0|time at this growth|2 h|1 h to 2 h 30 min|—" || b[0].(*Table).Rows[0][4].Note == "" {
		t.Errorf("%s", got)
	}
	if got := tableRows(b[1]); got != "gpu_allocated of optimizer-state|8.0|batch_size|12" {
		t.Errorf("%s", got)
	}
}

// Advice is a table of its own, and no finding.
func TestAdviceIsNoFinding(t *testing.T) {
	kernel := analyze.Subject{Process: "train", Scope: "kernel", Name: "gemm"}
	d := New(&analyze.Result{Findings: []analyze.Finding{{Rule: "advice", Class: "tiling", Severity: "note", Subject: kernel, Message: "gemm: device memory is busy.", Advice: "Tile it.",
		Stats: map[string]float64{"launches": 1200, "kernel_duration": 4480}}}}, Options{})
	for _, section := range d.Sections {
		if section.ID == "findings" {
			t.Error("advice among the findings")
		}
		if section.ID == "advice" {
			if got := tableRows(section.Blocks[0]); got != "gemm|tiling|1,200|4.5 µs|Device memory is busy.|Tile it." {
				t.Errorf("%s", got)
			}
			return
		}
	}
	t.Error("no advice")
}

func TestFindingsShowWhatTheyRestOn(t *testing.T) {
	s := newStory(&analyze.Result{Findings: []analyze.Finding{{Rule: "over-retain", Class: "texture", Severity: "warning", Subject: analyze.Subject{Scope: "class", Name: "make", Metric: "live_count"}, Grain: "chain",
		Grains:  []analyze.Grain{{Grain: "chain", Name: "make < a", Objects: 25, Bytes: 6400, Share: 1, Grows: true, Stack: []string{"make", "a"}}, {Grain: "chain", Name: "make < b", Bytes: 0}},
		Balance: []analyze.BalanceNode{{Depth: 0, Function: "main", Retains: 50, Releases: 25, Net: 25}, {Depth: 1, Function: "make", Retains: 25, Net: 25}},
		Stack:   []string{"use"}, AllocStack: []string{"make", "main"}, FreeStack: []string{"drop"},
		Held: []analyze.Holder{{Name: "make", Sites: 1, Peak: 6400, Share: 1}}}, {Rule: "growth", Severity: "note"}}})
	var got []string
	for _, b := range s.findings().Blocks {
		if table, ok := b.(*Table); ok {
			if !table.Folded || !table.Extra || !strings.HasPrefix(table.Caption, "Finding 1, over-retain · texture · live_count of make: ") {
				t.Errorf("%+v", table)
			}
			got = append(got, table.ID+"\n"+tableRows(table))
		}
	}
	want := []string{"finding-1-grains\nchain|make < a|25|6.2|100 %|grows\nchain|make < b|0|0|0 %|not by itself", "finding-1-balance\nmain|50|25|+25\n\u2003make|25|0|+25",
		"finding-1-stacks\nuse|make|drop\n|main|", "finding-1-held\nmake|6.2|100.0 %||0|0"}
	if strings.Join(got, "\n\n") != strings.Join(want, "\n\n") {
		t.Errorf("%s", strings.Join(got, "\n\n"))
	}
}

// A share of a cache stands in percent and the time of a kernel as a time, in tables of their own.
func TestSharesAndTimesHaveTheirUnits(t *testing.T) {
	series := func(scope, name, metric string, v int64) analyze.Series {
		return analyze.Series{Subject: analyze.Subject{Process: "app", Scope: scope, Name: name, Metric: metric}, N: 30, First: v, Last: v, Min: v, Max: v, Verdict: analyze.Stable}
	}
	s := newStory(&analyze.Result{Series: []analyze.Series{series("process", "", "rss", 5*mib), series("pool", "KV cache", "kv_usage", 623_000), series("kernel", "gemm", "kernel_duration", 4_480), series("pool", "KV cache", "requests_running", 7)}})
	units := map[string]string{}
	for _, b := range s.otherSeries(seen{}).Blocks {
		t := b.(*Table)
		for _, c := range t.Columns {
			if c.Unit != "" && units[t.ID] == "" {
				units[t.ID] = c.Unit
			}
		}
	}
	if units["series-other-bytes"] != "MiB" || units["series-other-shares"] != "%" || units["series-other-times"] != "µs" {
		t.Errorf("%v", units)
	}
	if got := statText("peak", 623_000, kindOf("kv_usage")); got != "62.3 %" {
		t.Errorf("%q", got)
	}
	if got := statText("median", 4_480, kindOf("kernel_duration")); got != "4.5 µs" {
		t.Errorf("%q", got)
	}
}
