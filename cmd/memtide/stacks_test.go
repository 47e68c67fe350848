package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
)

// exported writes the stacks of a fixture and gives the path.
func exported(t *testing.T, args ...string) string {
	t.Helper()
	args[0] = filepath.Join(top, "fixtures", args[0])
	out := filepath.Join(t.TempDir(), "x.pb.gz")
	if said := call(append([]string{"export", "-o", out}, args...)...); said != "" {
		t.Fatalf("export %q: %s", args, said)
	}
	return out
}

// totals are the sums of the four figures at the last time of a capture, and how many of them are known.
func totals(t *testing.T, path string) string {
	t.Helper()
	runs, err := ingest.Load([]string{path}, ingest.Options{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%s: %d runs, %v", path, len(runs), err)
	}
	var sums [4]int64
	var known [4]bool
	for row := range table.SitesAt(runs[0].Set, table.Moment{}) {
		for i, v := range []table.Int{row.LiveBytes, row.LiveCount, row.TotalBytes, row.TotalCount} {
			sums[i], known[i] = sums[i]+v.V, known[i] || v.OK
		}
	}
	return fmt.Sprint(sums, known)
}

// TestStacksReadBack: what memtide exports as pprof it reads back with equal totals.
func TestStacksReadBack(t *testing.T) {
	for _, f := range []string{"pprof/go-2.pb", "pprof/native.pb", "pprof/jax.pb", "jemalloc-heap/sampled.heap", "pprof-legacy/server.0001.heap", "heaptrack/leakmix.txt",
		"heaptrack/inlined.txt", "dhat/native.json", "tracemalloc/diff.txt"} {
		want := totals(t, filepath.Join(top, "fixtures", f))
		out := exported(t, f)
		if have := totals(t, out); have != want {
			t.Errorf("%s: %s read back, want %s", f, have, want)
		}
		first, _ := os.ReadFile(out)
		if again, _ := os.ReadFile(exported(t, f)); string(again) != string(first) {
			t.Errorf("%s: the second time gives other bytes", f)
		}
	}
}

var accounting = regexp.MustCompile(`accounting for (-?\d+)B?, `)

// topOf is what `go tool pprof -top` says all of a profile adds up to.
func topOf(t *testing.T, sample string, args ...string) int64 {
	t.Helper()
	args = append([]string{"tool", "pprof", "-top", "-symbolize=none", "-nodefraction=0", "-edgefraction=0", "-nodecount=100000", "-unit=B", "-sample_index=" + sample}, args...)
	text, err := exec.Command("go", args...).CombinedOutput()
	m := accounting.FindSubmatch(text)
	if err != nil || m == nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}

// TestPprofReadsStacks holds the totals that pprof sees in exports against those that the captures are known to have; for two
// of them also the difference.
func TestPprofReadsStacks(t *testing.T) {
	if text, err := exec.Command("go", "tool", "-n", "pprof").CombinedOutput(); err != nil {
		t.Skipf("go tool pprof is not here: %v %s", err, text)
	}
	for _, c := range []struct {
		file           string
		bytes, objects int64
	}{{"pprof/go-0.pb", 286203, 184}, {"pprof/go-2.pb", 509854, 379}, {"heaptrack/leakmix.txt", 55608, 94}, {"memtide-events/pass.ndjson", 128, 1}} {
		out := exported(t, c.file)
		if b, n := topOf(t, "inuse_space", out), topOf(t, "inuse_objects", out); b != c.bytes || n != c.objects {
			t.Errorf("%s: pprof sees %d bytes in %d objects, want %d in %d", c.file, b, n, c.bytes, c.objects)
		}
	}
	before, after := exported(t, "pprof/go-0.pb"), exported(t, "pprof/go-2.pb")
	if b, n := topOf(t, "inuse_space", "-diff_base", before, after), topOf(t, "inuse_objects", "-diff_base", before, after); b != 509854-286203 || n != 379-184 {
		t.Errorf("the difference is %d bytes in %d objects", b, n)
	}
}

// TestStacksAt: a capture of several times gives those of the chosen one.
func TestStacksAt(t *testing.T) {
	runs, err := ingest.Load([]string{filepath.Join(top, "fixtures/heaptrack/leakmix.txt")}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(m table.Moment) (n, at int64) {
		for row := range table.SitesAt(runs[0].Set, m) {
			n, at = n+row.LiveBytes.V, row.TimeNS
		}
		return n, at
	}
	first, from := sum(table.Moment{First: true})
	last, to := sum(table.Moment{})
	half, mid := sum(table.Moment{Until: table.Known((from + to) / 2)})
	if !(from < mid && mid < to) || first == last || half == last {
		t.Fatalf("the fixture does not tell: %d at %d, %d at %d, %d at %d", first, from, half, mid, last, to)
	}
	for at, want := range map[string]int64{"first": first, "last": last, fmt.Sprint(float64(from+to) / 2e9): half} {
		have := totals(t, exported(t, "heaptrack/leakmix.txt", "--at", at))
		if !strings.HasPrefix(have, fmt.Sprintf("[%d ", want)) {
			t.Errorf("--at %s: %s, want %d bytes", at, have, want)
		}
	}
}
