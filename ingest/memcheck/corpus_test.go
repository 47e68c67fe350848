package memcheck

import (
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

// TestAcceptance is the part of the acceptance table that concerns rows.
func TestAcceptance(t *testing.T) {
	for _, path := range corpus(t, "heap/memcheck.*") {
		text := read(t, path)
		r := decode(t, Decode, path, text)
		if r.err != nil || len(r.problems) > 0 || !Sniff([]byte(text)) {
			t.Errorf("%s: %v %q", path, r.err, r.problems)
		}
		if strings.Contains(path, "uaf") {
			same(t, path, r.dump(t, table.Faults, "kind address size process"), []string{"use-after-free | 77860936 | 4 | uaf"})
			continue
		}
		leaks := int64(0)
		for _, row := range r.dump(t, table.Faults, "kind size") {
			if size, found := strings.CutPrefix(row, "leak-definite | "); found {
				n, _ := strconv.ParseInt(size, 10, 64)
				leaks += n
			}
		}
		sites := strings.Join(r.dump(t, table.Sites, "class live_bytes live_count"), "\n")
		if leaks != 254800 || !strings.Contains(sites, "leak_batch | 204800 | 50") || r.set.Len(table.Sites) != 5 {
			t.Errorf("%s: lost %d\n%s", path, leaks, sites)
		}
		if frames := strings.Join(r.dump(t, table.Frames, "function source_line"), "\n"); !strings.Contains(frames, "leak_linear | 18") {
			t.Errorf("%s: %s", path, frames)
		}
		same(t, path, r.dump(t, table.Samples, "process metric value"), []string{"leakmix | leaked_bytes | 254800", "leakmix | leaked_count | 550"})
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "heap")
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "memcheck.") || d.Name() == "SOURCES.md" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if head, _ := io.ReadAll(io.LimitReader(f, source.HeadSize)); Sniff(head) {
			t.Errorf("%s is claimed", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
