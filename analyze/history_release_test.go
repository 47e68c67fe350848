package analyze_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// TestRelease: what is within the tolerance of the parent and beyond that of the release is one finding, and decides.
func TestRelease(t *testing.T) {
	release, before, after := side("v1", 90, 90.3, 89.8, 90.1), side("old", 99, 99.2, 98.9, 99.1), side("new", 100, 100.2, 99.9, 100.1)
	o := analyze.Defaults()
	r := analyze.Compare(before, after, o)
	if len(r.Findings) != 0 || r.Verdict == analyze.Fail {
		t.Fatalf("against the parent alone: %s", r.Summary)
	}
	r.AddRelease(release, after, o)
	if len(r.Release) != 1 || r.Release[0].Verdict != analyze.Regression || len(r.Deltas) != 1 || r.Deltas[0].Verdict == analyze.Regression {
		t.Fatalf("have %+v", r.Release)
	}
	if len(r.Findings) != 1 || r.Findings[0].Class != "release" || r.Findings[0].Fingerprint == pss.Fingerprint("regression") || r.Verdict != analyze.Fail || !strings.Contains(r.Summary, "since the release") {
		t.Errorf("have %s, %+v", r.Summary, r.Findings)
	}
	n := 0
	for _, in := range r.Inputs {
		if in.Side == "release" {
			n++
		}
	}
	if n != 4 || len(r.Inputs) != 12 {
		t.Errorf("%d of %d inputs are the release's", n, len(r.Inputs))
	}
	again := analyze.Compare(release, after, o)
	again.AddRelease(side("v1", 90, 90.3, 89.8, 90.1), after, o)
	if len(again.Findings) != 1 || again.Findings[0].Class == "release" {
		t.Errorf("what the parent shows is told twice: %+v", again.Findings)
	}
}

// TestHistoryRead: a history that was changed by hand is refused before anything looks into it.
func TestHistoryRead(t *testing.T) {
	good := analyze.Over(builds(append(around(200, 12), around(220, 8)...)...), nil, analyze.Defaults())
	text, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"index":12`, `"index":12`, ""},
		{`"index":12`, `"index":20`, "index 20 among 20 builds"},
		{`"index":12`, `"index":-1`, "index -1"},
		{`"basis":"history","confidence":"high","verdict":"regression"`, `"basis":"history","confidence":"high","verdict":"leak"`, `have "leak"`},
		{`{"build":"b20",`, `{"build":"b21"},{"build":"b20",`, ""},
		{`{"build":"b13","runs":1`, `{"build":"b13","runs":0`, "build 12 has no level"},
	} {
		if !strings.Contains(string(text), c.from) {
			t.Fatalf("no %s in %s", c.from, text)
		}
		var r analyze.Result
		if err := json.Unmarshal([]byte(strings.Replace(string(text), c.from, c.to, 1)), &r); err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: have %v, want %q", c.to, err, c.want)
		}
	}
}
