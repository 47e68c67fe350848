package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
)

// privateEvidence is a result whose evidence names people: objects, peaks, reconciliations, views, fits, and what findings rest on.
func privateEvidence() *analyze.Result {
	r := example.Single()
	const process, run, frame = "com.acme.nightowl", "/home/alice/zeppelin/run-7", "load secretproject/core/weights.cc:12"
	of := func(scope, name, metric string) analyze.Subject {
		return analyze.Subject{Process: process, Scope: scope, Name: name, Metric: metric}
	}
	holder := analyze.Holder{Name: "load", Sites: 1, Stack: []string{frame, "main /home/alice/zeppelin/main.cc:3"}, Peak: 5, Share: 1}
	size := 5.0
	r.Lifetimes = []analyze.Lifetime{{Run: run, Process: process, Kind: "buffer of com.acme.nightowl", Made: 3, Dwell: &analyze.Dwell{Objects: 1, MeanS: 1, MeanBytes: &size}}}
	r.Peaks = []analyze.Peak{{Run: run, Subject: of("process", "", "live_bytes"), Peak: 5, Holders: []analyze.Holder{holder}}}
	r.Reconciliations = []analyze.Reconciliation{{Run: run, Subject: of("process", "", "rss"), Whole: 5, Unseen: 5, Parts: []analyze.Piece{{Name: "heap in use", Metric: "heap_alloc"}}, Message: process + " of " + run}}
	r.Views = &analyze.Views{Tools: []analyze.Viewer{{Run: run, Format: "memcheck"}, {Run: "/home/alice/zeppelin/other", Format: "heaptrack"}},
		Sites: []analyze.View{{Site: "load", Seen: []analyze.Sight{{Listed: true, Rule: "leaked", Bytes: &size}, {}}, Why: []string{run + ": events were lost"}}}}
	r.Fits = []analyze.Fit{{Run: run, Subject: of("device", "GPU 0", "gpu_used"), Line: "budget of " + process, Limit: 9, Driver: "requests", Message: process + " stays below"}}
	r.Reliefs = []analyze.Relief{{Run: run, Subject: of("category", "weights", "gpu_allocated"), Bytes: 5, Driver: "requests", Message: "in " + run}}
	f := &r.Findings[0]
	f.AllocStack, f.FreeStack, f.Held = []string{frame}, []string{"free /home/alice/zeppelin/x.cc:3"}, []analyze.Holder{holder}
	f.Grains = []analyze.Grain{{Grain: "chain", Name: "load < main", Stack: []string{frame}}, {Grain: "thread", Name: "made by thread 1"}}
	f.Balance = []analyze.BalanceNode{{Function: "retain", Retains: 2, Net: 2}}
	r.Findings = append(r.Findings, analyze.Finding{Rule: "advice", Class: "tiling", Severity: "note", Subject: of("kernel", "gemm", ""), Message: "gemm: seen in " + run, Advice: "tile"})
	return r
}

func TestRedactEvidence(t *testing.T) {
	plain := privateEvidence()
	whole, _ := json.Marshal(plain)
	secrets := []string{"alice", "zeppelin", "nightowl", "secretproject", "weights.cc"}
	for _, s := range secrets {
		if !strings.Contains(string(whole), s) {
			t.Fatalf("%q is not in the result: the test is worth nothing", s)
		}
	}
	shown := report.New(plain, report.Options{})
	doc := report.New(report.Redact(plain), report.Options{})
	for _, id := range []string{"objects", "peaks", "resident", "views", "fits", "advice"} {
		if len(section(t, shown, id).Blocks) == 0 || len(section(t, doc, id).Blocks) == 0 {
			t.Errorf("section %s is empty", id)
		}
	}
	for name, render := range renderers {
		var b bytes.Buffer
		if err := render(&b, doc); err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if i := strings.Index(b.String(), s); i >= 0 {
				t.Errorf("%s: %q in …%s…", name, s, b.String()[max(0, i-60):min(b.Len(), i+60)])
			}
		}
	}
}
