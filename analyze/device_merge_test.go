package analyze

import (
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// TestLevelsBecomePart: growth of a device, as its own capture shows it, is part of the finding that says who keeps the memory; that of
// another device, or of another run, is not.
func TestLevelsBecomePart(t *testing.T) {
	cpu, gpu := &deviceLog{c: &Capture{Name: "cuda"}, file: &table.File{Name: "cuda"}}, &deviceLog{c: &Capture{Name: "torch"}, file: &table.File{Name: "torch", OnDevice: true}}
	j := &deviceJoiner{logs: []*deviceLog{cpu, gpu}, links: make([][]deviceLink, 2)}
	level := func(run, name string) Finding {
		return Finding{Rule: "growth", Severity: "critical", Run: run, Subject: Subject{Scope: "device", Name: name, Metric: "gpu_reserved"}, Stats: map[string]float64{"growth": 100}, Fingerprint: run + name,
			Evidence: []Evidence{{File: run, Line: 9}}, Warnings: []string{"short"}}
	}
	of := func(finding int, bytes int64) *bond {
		return &bond{finding: finding, own: []lifeRef{{0, finding}}, bytes: bytes, joined: bytes, other: []lifeRef{{1, 0}}}
	}
	r := &Result{Findings: []Finding{{Rule: "leaked", Severity: "warning", Run: "cuda", Joined: &Joined{Device: "0", Sides: []JoinedSide{{File: "cuda"}}}},
		level("torch", "GPU 0 NVIDIA A100"), level("torch", "GPU 1"), level("other", "GPU 0")}}
	r.mergeBonds(j, []*bond{of(0, 95)})
	f := &r.Findings[0]
	if len(r.Findings) != 3 || len(f.Joined.Merged) != 1 || f.Severity != "critical" || len(f.Evidence) != 1 || len(f.Warnings) != 1 {
		t.Errorf("%+v", r.Findings)
	}
	r = &Result{Findings: []Finding{{Rule: "leaked", Run: "cuda", Joined: &Joined{Device: "0"}}, level("torch", "GPU 0")}}
	if r.mergeBonds(j, []*bond{{finding: 0, own: []lifeRef{{0, 0}}, bytes: 100, joined: 80, other: []lifeRef{{1, 0}}}}); len(r.Findings) != 2 {
		t.Errorf("80 %% were taken for the same bytes: %+v", r.Findings)
	}
	leak := func(site string) Finding {
		return Finding{Rule: "leaked", Run: "cuda", Fingerprint: site, Joined: &Joined{Device: "0", Sides: []JoinedSide{{File: "cuda"}}}}
	}
	r = &Result{Findings: []Finding{leak("a"), level("torch", "GPU 0")}}
	if r.mergeBonds(j, []*bond{of(0, 49)}); len(r.Findings) != 2 {
		t.Errorf("a leak of 49 was taken for growth of 100: %+v", r.Findings)
	}
	r = &Result{Findings: []Finding{leak("a"), leak("b"), level("torch", "GPU 0")}}
	r.mergeBonds(j, []*bond{of(0, 55), of(1, 90)})
	if len(r.Findings) != 2 || len(r.Findings[0].Joined.Merged) != 0 || len(r.Findings[1].Joined.Merged) != 1 {
		t.Errorf("want the level in the greater leak alone, have %+v", r.Findings)
	}
}
