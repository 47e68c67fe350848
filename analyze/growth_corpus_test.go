package analyze

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"testing"
)

// corpus finds a folder of ../shared/corpus beside the module, or skips the test.
func corpus(t *testing.T, folder string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	path := filepath.Join(dir, "..", "shared", "corpus", folder)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s", path)
	}
	return path
}

func readRows(t *testing.T, path string, comma rune) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = comma
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

func readSeries(t *testing.T, path string) GrowthInput {
	t.Helper()
	in := GrowthInput{Kind: Bytes}
	for _, r := range readRows(t, path, ',') {
		s, err1 := strconv.ParseFloat(r[0], 64)
		kb, err2 := strconv.ParseFloat(r[1], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %q", path, r)
		}
		in.T, in.Y = append(in.T, s), append(in.Y, kb*1024)
	}
	return in
}

// TestGrowthCorpus judges the labelled series that lie beside the checkout: at least 98 % of the leaks, at most 1 % false
// alarms, and a stated rate within 10 % of the true one in the median.
func TestGrowthCorpus(t *testing.T) {
	dir := corpus(t, "growth")
	var found, alarms score
	var ratio []float64
	for _, r := range readRows(t, filepath.Join(dir, "labels.tsv"), '\t') {
		j := JudgeGrowth(readSeries(t, filepath.Join(dir, r[0])), DefaultGrowth)
		s := &alarms
		if r[1] == "leak" {
			s = &found
		}
		s.n++
		if j.Verdict == Leak {
			s.leak++
		}
		if (j.Verdict == Leak) != (r[1] == "leak") {
			t.Logf("%s %s %s: %s: %s", r[0], r[1], r[2], j.Verdict, j.Reason)
		}
		if rate, _ := strconv.ParseFloat(r[3], 64); rate > 0 && j.Verdict == Leak {
			ratio = append(ratio, *j.SlopePerS/rate)
			if q := *j.SlopePerS / rate; q < 0.8 || q > 1.25 {
				t.Logf("%s %s: rate off by %.2f", r[0], r[2], q)
			}
		}
	}
	sort.Float64s(ratio)
	mid := ratio[len(ratio)/2]
	t.Logf("found %.2f %% of %d, false alarms %.2f %% of %d, stated rate over true rate %.3f (10 %% %.3f, 90 %% %.3f)",
		found.rate(), found.n, alarms.rate(), alarms.n, mid, ratio[len(ratio)/10], ratio[len(ratio)*9/10])
	if found.rate() < 98 || alarms.rate() > 1 || mid < 0.9 || mid > 1.1 {
		t.Error("below what was asked for")
	}
}
