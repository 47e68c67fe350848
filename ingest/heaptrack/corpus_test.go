package heaptrack

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// unpacked reads a file of the corpus, packed as heaptrack packs it.
func unpacked(t testing.TB, path string) string {
	packed := []byte(read(t, path))
	var r io.Reader = bytes.NewReader(packed)
	var err error
	switch {
	case bytes.HasPrefix(packed, []byte{0x1f, 0x8b}):
		r, err = gzip.NewReader(r)
	case bytes.HasPrefix(packed, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// atEnd adds the live bytes and the allocations of the sites at the last time; of one class, or of all.
func atEnd(t testing.TB, r result, class string) (live, calls int64) {
	rows := r.dump(t, table.Sites, "time_ns live_bytes total_count class")
	last, _, _ := strings.Cut(rows[len(rows)-1], " | ")
	for i := len(rows) - 1; i >= 0 && strings.HasPrefix(rows[i], last+" | "); i-- {
		f := strings.SplitN(rows[i], " | ", 4)
		if class == "" || f[3] == class {
			b, err1 := strconv.ParseInt(f[1], 10, 64)
			n, err2 := strconv.ParseInt(f[2], 10, 64)
			if live, calls = live+b, calls+n; err1 != nil || err2 != nil {
				t.Fatal(rows[i])
			}
		}
	}
	return live, calls
}

// TestCorpus holds the captures against what heaptrack_print says of them, and what the program did.
func TestCorpus(t *testing.T) {
	for pattern, want := range map[string]struct {
		live, calls int64
		problems    int
	}{
		"heap/heaptrack.leakmix.zst":              {676000, 5101, 0},
		"heap/heaptrack.raw.leakmix.raw.zst":      {676000, 5101, 0},
		"heap/public/heaptrack.david.*.gz":        {30460, 2896, 0},
		"heap/public/heaptrack.heaptrack_gui.*":   {1046380, 315255, 0},
		"heap/public/heaptrack.embedded_lsan*":    {10, 5, 0},
		"heap/public/heaptrack.test_sysroot.raw*": {-1, -1, 0},
	} {
		for _, path := range corpus(t, pattern) {
			text := unpacked(t, path)
			f := Decode
			if strings.Contains(path, "raw") {
				f = DecodeRaw
			}
			r := decode(t, f, path, text)
			live, calls := atEnd(t, r, "")
			if r.err != nil || len(r.problems) != want.problems || want.calls >= 0 && calls != want.calls || want.live >= 0 && (live-want.live > 10 || live-want.live < -10) {
				t.Errorf("%s: live %d, calls %d, want %+v; %v %q", path, live, calls, want, r.err, r.problems)
			}
			if Sniff([]byte(text[:min(len(text), source.HeadSize)])) == SniffRaw([]byte(text)) {
				t.Errorf("%s: want one format to claim it", path)
			}
		}
	}
}

// TestAcceptance is the part of the acceptance table that concerns rows.
func TestAcceptance(t *testing.T) {
	for _, path := range corpus(t, "heap/heaptrack.leakmix.zst") {
		r := decode(t, Decode, path, unpacked(t, path))
		rows := r.dump(t, table.Sites, "time_ns class total_count")
		if _, churn := atEnd(t, r, "churn"); !strings.HasPrefix(rows[len(rows)-1], "3916000000 | ") || churn != 1000 {
			t.Errorf("last row %q, churn %d", rows[len(rows)-1], churn)
		}
		samples := r.dump(t, table.Samples, "time_ns metric value")
		if last := samples[len(samples)-1]; last != "3916000000 | rss | 4730880" {
			t.Errorf("last sample %q", last)
		}
		times := map[string]bool{}
		for _, row := range rows {
			times[strings.Split(row, " | ")[0]] = true
		}
		if live, _ := atEnd(t, r, "leak_batch"); len(times) != points || live != 409600 {
			t.Errorf("%d points, leak_batch %d", len(times), live)
		}
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "heap")
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "heaptrack.") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		head, _ := io.ReadAll(io.LimitReader(f, source.HeadSize))
		if Sniff(head) || SniffRaw(head) {
			t.Errorf("%s is claimed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
