package analyze_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
)

// packed is a file of a tar.
type packed struct {
	name string
	data []byte
}

// together is the result of logs that stand in one tar: one run of several files.
func together(t *testing.T, o analyze.Options, files ...packed) *analyze.Result {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o600, Size: int64(len(f.data))}); err != nil {
			t.Fatal(err)
		}
		w.Write(f.data)
	}
	w.Close()
	runs, err := ingest.Load([]string{"-"}, ingest.Options{Stdin: &out, Events: func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) }})
	if err != nil || len(runs) != 1 || len(runs[0].Set.Files) != len(files) {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return analyze.One([]analyze.Capture{{Name: "run", Set: runs[0].Set}}, o)
}

// TestEvidenceOfTheSecondLog: what is wrong in the second of two logs of a run is shown in that one.
func TestEvidenceOfTheSecondLog(t *testing.T) {
	const head = `{"schema":"memtide-events/1","clock":"mono","tool":"t","process":"p","pid":%d}` + "\n"
	calm := fmt.Sprintf(head, 1) + `{"ts_ns":1,"tid":1,"op":"alloc","kind":"heap","addr":"0x1000","size":64,"stack":["a@a.c:1"]}
{"ts_ns":2000000000,"tid":1,"op":"free","kind":"heap","addr":"0x1000","stack":["a@a.c:2"]}
`
	wrong := fmt.Sprintf(head, 2) + `{"ts_ns":1,"tid":1,"op":"alloc","kind":"heap","addr":"0x2004","size":64,"stack":["b@b.c:1"]}
{"ts_ns":2,"tid":1,"op":"fork","kind":"thread","addr":"0x1"}
{"ts_ns":3,"tid":2,"op":"begin","kind":"thread","addr":"0x1"}
{"ts_ns":4,"tid":2,"op":"use","addr":"0x2004","stack":["use@b.c:2"]}
{"ts_ns":5,"tid":1,"op":"free","addr":"0x2004","stack":["end@b.c:3"]}
{"ts_ns":6,"tid":1,"op":"create","kind":"gpu-memory","device":"GPU 0","addr":"0x3000","size":4096,"rc":1,"stack":["c@b.c:4"]}
{"ts_ns":7,"tid":1,"op":"release","kind":"gpu-memory","addr":"0x3000","rc":0,"stack":["c@b.c:5"]}
{"ts_ns":2000000000,"tid":1,"op":"join","kind":"thread","addr":"0x1"}
`
	o := analyze.Defaults()
	o.Alignments = []analyze.Alignment{{Name: "aligned", Kind: "heap", Multiple: 64}}
	r := together(t, o, packed{"a.ndjson", []byte(calm)}, packed{"b.ndjson", []byte(wrong)})
	seen := map[string]bool{}
	for _, f := range r.Findings {
		seen[f.Rule] = true
		for _, e := range f.Evidence {
			if !strings.HasSuffix(e.File, "b.ndjson") {
				t.Errorf("%s is shown at %s:%d", f.Rule, e.File, e.Line)
			}
		}
	}
	for _, rule := range []string{"racy-release", "unfinished-release", "alignment"} {
		if !seen[rule] {
			t.Errorf("no %s in %+v", rule, r.Findings)
		}
	}
}

// TestBothSidesOfTwoDevicesInOneRun: each finding is joined within the logs that it is about, though all are of one run, and the same
// finding is made part of another once.
func TestBothSidesOfTwoDevicesInOneRun(t *testing.T) {
	c, _ := train("wall")
	cuda0, torch0 := c.lines(), c.snapshot()
	c.device = 1
	cuda1, torch1 := bytes.ReplaceAll(bytes.ReplaceAll(cuda0, []byte(`"GPU 0"`), []byte(`"GPU 1"`)), []byte(`"pid":4242`), []byte(`"pid":4343`)), c.snapshot()
	r := together(t, analyze.Defaults(), packed{"cuda0.ndjson", cuda0}, packed{"torch0.pickle", torch0}, packed{"cuda1.ndjson", cuda1}, packed{"torch1.pickle", torch1})
	joined := 0
	for _, f := range r.Findings {
		if f.Joined == nil {
			continue
		}
		joined++
		for _, s := range f.Joined.Sides {
			if !strings.Contains(s.File, f.Joined.Device+".") {
				t.Errorf("%s on device %s of %s is joined to %s", f.Rule, f.Joined.Device, f.Joined.Sides[0].File, s.File)
			}
		}
		seen := map[string]bool{f.Fingerprint: true}
		for _, m := range f.Joined.Merged {
			if seen[m.Fingerprint] {
				t.Errorf("%s has %s twice", f.Rule, m.Message)
			}
			seen[m.Fingerprint] = true
		}
	}
	if joined != 2 {
		t.Errorf("%d findings are joined, want one of each device", joined)
	}
}
