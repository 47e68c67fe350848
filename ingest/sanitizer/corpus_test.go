package sanitizer

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
)

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "heap")
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(d.Name(), "san.") || d.Name() == "SOURCES.md" {
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
