package series

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// TestGrowthCorpus holds the series of the corpus against their own lines, read in the plainest way.
func TestGrowthCorpus(t *testing.T) {
	for _, f := range corpus(t, "growth/*.csv") {
		text := read(t, f)
		r := decode(t, DecodeCSV, f, text)
		if r.err != nil || len(r.problems) > 0 || !SniffCSV([]byte(text)) {
			t.Errorf("%s: %v %v", f, r.err, r.problems)
			continue
		}
		var want []string
		zero := int64(-1)
		for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
			at, kB, _ := strings.Cut(strings.TrimRight(line, "\r"), ",")
			whole, frac, _ := strings.Cut(at, ".")
			ms, errTime := strconv.ParseInt(whole+(frac + "000")[:3], 10, 64)
			rss, errRSS := strconv.ParseInt(kB, 10, 64)
			if errTime != nil || errRSS != nil {
				t.Fatal(f, line)
			}
			if zero < 0 {
				zero = ms
			}
			want = append(want, fmt.Sprintf("%d process rss %d", (ms-zero)*1e6, rss*1024))
		}
		same(t, f, short(r.rows(t)), want)
	}
}

func TestABCorpus(t *testing.T) {
	for _, f := range corpus(t, "ab/*/*/*.csv") {
		text := read(t, f)
		r := decode(t, DecodeCSV, f, text)
		lines := strings.Count(text, "\n") - 1
		if r.err != nil || len(r.problems) > 0 || r.set.Len(table.Samples) != 3*lines {
			t.Errorf("%s: %v %v %d rows of %d lines", f, r.err, r.problems, r.set.Len(table.Samples), lines)
		}
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "growth")
	dir, err := filepath.EvalSymlinks(filepath.Join(root(t), "..", "shared", "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	sniffs := map[string]func([]byte) bool{"series-csv": SniffCSV, "psrecord": SniffPsrecord, "pidstat": SniffPidstat, "ps": SniffPS}
	n := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(rel, "growth/0") || strings.HasPrefix(rel, "ab/0") {
			return err
		}
		head := headOf(t, path)
		n++
		for name, sniff := range sniffs {
			if sniff(head) {
				t.Errorf("%s is claimed as %s: %q", rel, name, head[:min(len(head), 80)])
			}
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Fatal(n, err)
	}
}

func headOf(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	head, _ := io.ReadAll(io.LimitReader(r, source.HeadSize))
	return bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n"))
}
