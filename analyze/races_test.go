//go:build unix

package analyze

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// racesOf gives the findings of a log that speak of a race, as "rule use-end objects".
func racesOf(t *testing.T, text []byte) (out []string, r *Result) {
	t.Helper()
	in := loadLog(t, bytes.NewReader(text), func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) })
	r = One([]Capture{in}, Defaults())
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Rule == "racy-release":
			out = append(out, f.Rule+" "+f.Subject.Name)
			if f.Class != "race-candidate" || len(f.Evidence) != 2 || f.Evidence[0].Line == 0 || f.Evidence[1].Line <= f.Evidence[0].Line || len(f.FreeStack) == 0 || len(f.Stack) == 0 || len(f.AllocStack) == 0 {
				t.Errorf("evidence %+v, stacks %q %q %q", f.Evidence, f.Stack, f.FreeStack, f.AllocStack)
			}
		case f.Stats["unordered"] > 0:
			out = append(out, f.Rule+" unordered")
		case f.Severity != "note":
			out = append(out, f.Severity+" "+f.Rule)
		}
	}
	return out, r
}

// TestCapturedRaces: logs of threads that were captured: those that end an object behind all its uses are not accused, the others are.
func TestCapturedRaces(t *testing.T) {
	found, racy, accused, calm := 0, 0, 0, 0
	paths, _ := filepath.Glob("testdata/races/*.ndjson")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ndjson")
		got, _ := racesOf(t, text)
		want := raceWanted(name)
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if want != "" {
			racy, found = racy+1, found+min(len(got), 1)
		} else {
			calm, accused = calm+1, accused+min(len(got), 1)
		}
	}
	t.Logf("%d of %d captured races found, %d of %d programs that are in order accused", found, racy, accused, calm)
	if racy != 5 || calm != 9 {
		t.Errorf("%d and %d logs", racy, calm)
	}
}

func raceWanted(name string) string {
	switch {
	case name == "race_late_use":
		return "use-after-free unordered"
	case strings.HasPrefix(name, "race_"):
		return "racy-release use_it"
	}
	return ""
}

const racyLog = `{"schema":"memtide-events/1","clock":"mono","tool":"t","process":"p","pid":1}
{"ts_ns":1,"tid":1,"op":"alloc","kind":"heap","addr":"0x10","size":8,"stack":["make@a.c:1"]}
{"ts_ns":2,"tid":1,"op":"fork","addr":"0x90"}
{"ts_ns":3,"tid":2,"op":"begin","addr":"0x90"}
{"ts_ns":4,"tid":2,"op":"use","addr":"0x10","stack":["work@a.c:2"]}
{"ts_ns":5,"tid":1,"op":"free","addr":"0x10","stack":["drop@a.c:3"]}
{"ts_ns":6,"tid":1,"op":"join","addr":"0x90"}
`

// TestNoRaceWithoutOrder: without a word of order, or with events missing among which it may be, no race is told; why is said.
func TestNoRaceWithoutOrder(t *testing.T) {
	var plain []string
	for _, line := range strings.SplitAfter(racyLog, "\n") {
		if !strings.Contains(line, "0x90") {
			plain = append(plain, line)
		}
	}
	lost := `{"ts_ns":7,"op":"mark","lost":3}` + "\n"
	for name, c := range map[string]struct{ text, rules, warns string }{
		"with order":       {racyLog, "racy-release work", ""},
		"without":          {strings.Join(plain, ""), "", ""},
		"events were lost": {racyLog + lost, "", "3 events were lost: what orders them may be missing"},
		"lost, no order":   {strings.Join(plain, "") + lost, "", ""},
		"a damaged line":   {racyLog + `{"ts_ns":7,"tid":2,"op":"signal"}` + "\n", "", "1 record of the log could not be read: what orders them may be missing"},
		"a sample":         {racyLog + `{"ts_ns":7,"tid":2,"op":"use","addr":"0x20","weight":5}` + "\n", "", ""},
	} {
		got, r := racesOf(t, []byte(c.text))
		if strings.Join(got, ", ") != c.rules {
			t.Errorf("%s: %q", name, got)
		}
		said := strings.Join(r.Warnings, " ")
		if strings.Contains(said, "no race is told") != (c.warns != "") || !strings.Contains(said, c.warns) {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// TestRacesAsRows: a log whose rows are kept says the same as one that is followed as it is read.
func TestRacesAsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "racy.ndjson")
	if err := os.WriteFile(path, []byte(racyLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []bool{false, true} {
		r := One([]Capture{read(t, rows, path)}, Defaults())
		if len(r.Findings) != 1 || !strings.HasPrefix(r.Findings[0].Message, "work uses what drop ends in another thread without any order between the two: 1 object of kind heap, 1 time. ") ||
			!strings.HasSuffix(r.Findings[0].Message, "Thread 2 uses it at line 5 of the log, thread 1 ends it at line 6.") || r.Verdict != Fail {
			t.Errorf("rows %v: %+v", rows, r.Findings)
		}
	}
}

// TestRacesByBpftrace: what a script prints of threads is understood the same.
func TestRacesByBpftrace(t *testing.T) {
	got, _ := racesOf(t, []byte(`1000000001 1 1 alloc 0x10 8
    make+1

1000000002 1 1 fork 0x2
1000000003 1 2 use 0x10
    work+1

1000000004 1 1 lock 0x70
1000000005 1 1 free 0x10
    drop+1

`))
	if strings.Join(got, ", ") != "racy-release work" {
		t.Errorf("%q", got)
	}
}
