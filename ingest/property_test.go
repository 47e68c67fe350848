package ingest

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/table"
)

// valuesOf gives the last value of each process metric of a file's own run.
func valuesOf(t *testing.T, path string) (map[string]int64, *table.Set) {
	t.Helper()
	runs, err := Load([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, s := range table.SeriesOf(runs[0].Set) {
		if s.Scope == "process" {
			out[s.Metric] = s.Value[len(s.Value)-1]
		}
	}
	return out, runs[0].Set
}

// TestRollupIsTheSum: the kernel's own sums are those of the mappings, for a process of this machine that stands still.
// Pss may differ by its rounding: 1 KiB a mapping.
func TestRollupIsTheSum(t *testing.T) {
	p := exec.Command("sleep", "60")
	if err := p.Start(); err != nil {
		t.Skip(err)
	}
	defer p.Process.Kill() //nolint:errcheck // it ends by itself
	time.Sleep(100 * time.Millisecond)
	dir := t.TempDir()
	for _, name := range []string{"smaps", "smaps_rollup"} {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(p.Process.Pid) + "/" + name)
		if err != nil {
			t.Skipf("no %s here: %v", name, err)
		}
		if err := os.WriteFile(dir+"/"+name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum, set := valuesOf(t, dir+"/smaps")
	rollup, _ := valuesOf(t, dir+"/smaps_rollup")
	rounding := int64(set.Len(table.Mappings)) << 10
	for _, m := range []string{"rss", "pss", "pss_dirty", "shared_clean", "shared_dirty", "private_clean", "private_dirty", "referenced", "anonymous", "swap", "swap_pss", "uss", "dirty"} {
		a, inSum := sum[m]
		b, inRollup := rollup[m]
		allowed := int64(0)
		if m == "pss" || m == "pss_dirty" || m == "swap_pss" || m == "referenced" {
			allowed = rounding
		}
		if inSum != inRollup || b-a > allowed || a-b > allowed && m != "referenced" {
			t.Errorf("%s: the mappings add up to %d, the rollup says %d", m, a, b)
		}
	}
	if rollup["rss"] == 0 {
		t.Error("nothing was measured")
	}
}

// TestSidesOfOneRun: a format and its sum beside it, read as one run, give each metric once.
func TestSeveralFormatsOfOneRun(t *testing.T) {
	rollup := "55d000000000-7ffc00021000 ---p 00000000 00:00 0                          [rollup]\nRss: 113 kB\nPss: 113 kB\nShared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 113 kB\n"
	tree(t, map[string]string{"d/smaps-7-1795951515": smapsOf(101), "d/rollup-7-1795951515": rollup, "d/status-7-1795951515": status("7", "112")})
	got := load(t, Options{}, "d")
	want(t, "run", got.say(), "d [d/rollup-7-1795951515:smaps-rollup d/smaps-7-1795951515:smaps d/status-7-1795951515:proc-status] name [113]\n")
	for _, s := range table.SeriesOf(got.runs[0].Set) {
		if s.Process != "app" || len(s.Value) != 1 {
			t.Errorf("%v has %d values", s.Subject, len(s.Value))
		}
	}
}
