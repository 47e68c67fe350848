package ingest

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func side(t testing.TB, o Options, arg string) loaded {
	t.Helper()
	return within(t, 20*time.Second, func() loaded { r, err := Side(arg, o); return loaded{r, err} })
}

func status(pid, kb string) string {
	return "Name:\tapp\nState:\tS (sleeping)\nPid:\t" + pid + "\nVmSize:\t 9000 kB\nVmHWM:\t 900 kB\nVmRSS:\t " + kb + " kB\nThreads:\t1\n"
}

func TestFolders(t *testing.T) {
	tree(t, map[string]string{
		"snapshots/smaps_1": smapsOf(1), "snapshots/smaps_2": smapsOf(2), "snapshots/smaps_10": smapsOf(10), "snapshots/.hidden": "x", "snapshots/sub/smaps_11": smapsOf(11),
		"series/b.csv": csvText, "series/a.csv": csvText, "series/notes.md": "what I did",
		"folders/r1/smaps_1": smapsOf(1), "folders/r1/smaps_2": smapsOf(2), "folders/r2/smaps_1": smapsOf(3), "folders/SOURCES.md": "from a phone", "folders/r10/x.csv": csvText, "folders/r10/y.csv": csvText,
		"mixed/one.csv": csvText, "mixed/smaps_1": smapsOf(1), "withnote/smaps_1": smapsOf(1), "withnote/README": "hello", "empty/": "", "hidden/.x": "x", "notes/README": "hello", "notes/TODO": "more",
		"half/r1/smaps_1": smapsOf(1), "half/r2/": "",
	})
	for arg, say := range map[string]string{
		"snapshots": "snapshots [snapshots/smaps_1:smaps snapshots/smaps_2:smaps snapshots/smaps_10:smaps snapshots/sub/smaps_11:smaps] order [13 14 22 23]\n",
		"series": "series/a.csv [series/a.csv:series-csv] trace [100 200 300]\n  problem series/notes.md: no capture that memtide knows: skipped\n" +
			"series/b.csv [series/b.csv:series-csv] trace [100 200 300]\n",
		"folders": `folders/r1 [folders/r1/smaps_1:smaps folders/r1/smaps_2:smaps] order [13 14]
  problem folders/SOURCES.md: no capture that memtide knows: skipped
folders/r2 [folders/r2/smaps_1:smaps] order [15]
folders/r10/x.csv [folders/r10/x.csv:series-csv] trace [100 200 300]
folders/r10/y.csv [folders/r10/y.csv:series-csv] trace [100 200 300]
`,
		"withnote": "withnote [withnote/smaps_1:smaps] order [13]\n  problem withnote/README: no capture that memtide knows: skipped\n",
		"empty":    "error empty: held nothing: the folder is empty\n",
		"hidden":   "error hidden: held nothing: the folder is empty\n",
		"notes":    "error notes/README: no capture that memtide knows (2 files looked at); see `memtide formats`, or name one with --format\n",
		"half":     "half/r1 [half/r1/smaps_1:smaps] order [13]\nerror half/r2: held nothing\n",
		"none":     "error none: no such file or directory\n",
	} {
		want(t, arg, side(t, Options{}, arg).say(), say)
		want(t, arg+" loaded", load(t, Options{}, arg).say(), say)
	}
	if got := side(t, Options{}, "mixed"); len(got.runs) != 1 {
		t.Errorf("mixed: %s", got.say())
	}
}

// TestLinks: a folder or a run may be a link; a link that leads nowhere is told; a ring ends.
func TestLinks(t *testing.T) {
	tree(t, map[string]string{"real/smaps_1": smapsOf(1), "real/smaps_2": smapsOf(2), "runs/": ""})
	for from, to := range map[string]string{"link": "real", "runs/a": "../real", "runs/b": "../real", "real/ring": "..", "real/smaps_3": "nowhere"} {
		if err := os.Symlink(to, from); err != nil {
			t.Skip(err)
		}
	}
	want(t, "link", load(t, Options{}, "link").say(), `
link [link/smaps_1:smaps link/smaps_2:smaps] order [13 14]
  problem link/smaps_3: no such file or directory
  problem link/ring: no capture that memtide knows: skipped
`)
	if got := load(t, Options{}, "runs"); len(got.runs) != 2 || got.runs[0].Name != "runs/a" {
		t.Errorf("runs:\n%s", got.say())
	}
	if got := load(t, Options{}, "real/smaps_3"); got.err == nil || !strings.Contains(got.err.Error(), "no such file") {
		t.Errorf("dangling: %s", got.say())
	}
}

// TestDenied: a file of a folder that must not be read is a problem, one that the user names is an error.
func TestDenied(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	tree(t, map[string]string{"d/smaps_1": smapsOf(1), "d/smaps_2": smapsOf(2), "d/sub/smaps_3": smapsOf(3)})
	for _, p := range []string{"d/smaps_2", "d/sub"} {
		if err := os.Chmod(p, 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(p, 0o755)
	}
	want(t, "folder", load(t, Options{}, "d").say(), `
d [d/smaps_1:smaps] order [13]
  problem d/smaps_2: permission denied
  problem d/sub: permission denied
`)
	if got := load(t, Options{}, "d/smaps_1", "d/smaps_2"); len(got.runs) > 0 || got.err == nil || got.err.Error() != "d/smaps_2: permission denied" {
		t.Errorf("named: %s", got.say())
	}
}

// TestUnreadableNamed holds the same rule where root runs the tests: the path goes through a file.
func TestUnreadableNamed(t *testing.T) {
	tree(t, map[string]string{"smaps_1": smapsOf(1), "smaps_2": smapsOf(2)})
	o := Options{}
	run, err := o.run(group{name: "x", files: []file{{path: "smaps_1", name: "smaps_1", named: true}, {path: "smaps_2/inner", name: "smaps_2/inner", named: true}}})
	if run != nil || !errors.As(err, new(*unreadable)) || err.Error() != "smaps_2/inner: not a directory" {
		t.Errorf("%v", err)
	}
	run, err = o.run(group{name: "x", files: []file{{path: "smaps_1", name: "smaps_1"}, {path: "smaps_2/inner", name: "smaps_2/inner"}}})
	if err != nil || len(run.Set.Problems()) != 1 {
		t.Errorf("in a folder: %v", err)
	}
}

// TestNoAbsolutePaths: what stands in a result does not tell where on this machine it was.
func TestNoAbsolutePaths(t *testing.T) {
	tree(t, map[string]string{"d/smaps_1": smapsOf(1), "d/empty": "", "d/cut.gz": gz(t, logOf(2))[:40], "d/README": "x"})
	if err := os.Symlink("nowhere", "d/dangling"); err != nil {
		t.Skip(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{dir + "/d", dir + "/d/smaps_1"} {
		if got := load(t, Options{}, arg); len(got.runs) != 1 || strings.Contains(got.say(), dir) {
			t.Errorf("%s", got.say())
		}
	}
}

func TestSideBySide(t *testing.T) {
	tree(t, map[string]string{
		"smaps_1": smapsOf(1), "smaps_2": smapsOf(2), "smaps_10": smapsOf(10), "a.csv": csvText, "late-1795951525.smaps": smapsOf(2), "early-1795951515.smaps": smapsOf(1),
		"smaps-100": smapsOf(1), "smaps-100-1795951515": smapsOf(1), "smaps-200-1795951525": smapsOf(2), "status_1": status("7", "50"), "status_2": status("7", "60"),
	})
	want(t, "numbers", load(t, Options{}, "smaps_10", "smaps_2", "smaps_1").say(), ". [smaps_1:smaps smaps_2:smaps smaps_10:smaps] order [13 14 22]\n")
	want(t, "series", load(t, Options{}, "smaps_1", "a.csv", "smaps_2").say(), ". [smaps_1:smaps smaps_2:smaps] order [13 14]\na.csv [a.csv:series-csv] trace [100 200 300]\n")
	want(t, "times", load(t, Options{}, "late-1795951525.smaps", "early-1795951515.smaps").say(), ". [late-1795951525.smaps:smaps early-1795951515.smaps:smaps] name [13 14]\n")
	pids := func(args ...string) string {
		var out []string
		for _, pid := range pidsOf(load(t, Options{}, args...)) {
			out = append(out, itoa(int(pid)))
		}
		return strings.Join(out, " ")
	}
	for args, want := range map[string]string{
		"smaps_1 smaps_2":                           "",        // they count
		"smaps_1 smaps_2 status_1 status_2":         "7",       // so do these, the records tell
		"smaps-100":                                 "100",     // one number
		"smaps-100-1795951515 smaps-200-1795951525": "100 200", // numbers beside times
	} {
		if got := pids(strings.Fields(args)...); got != want {
			t.Errorf("%s: pids %q, want %q", args, got, want)
		}
	}
}
