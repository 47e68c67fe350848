package mallocinfo_test

import (
	"bytes"

	"os"
	"path/filepath"
	"testing"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/mallocinfo"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

type decoder func(*source.Input, *table.Builder) error

// formats is the one of this package.
var formats = []struct {
	name   string
	sniff  func([]byte) bool
	decode decoder
}{
	{"malloc-info", mallocinfo.Sniff, mallocinfo.Decode},
}

// result is a decoded capture.
type result struct {
	set      *table.Set
	problems []string
	facts    map[string]string
	err      error
}

func decode(t testing.TB, f decoder, data []byte) result {
	t.Helper()
	in, err := source.NewInput("x", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	r := result{err: f(in, b), facts: map[string]string{}}
	part := b.Done()
	for _, fact := range part.Facts {
		r.facts[fact.Name] = fact.Value
	}
	r.set = table.Assemble([]*table.Part{part})
	for _, p := range r.set.Files[0].Problems {
		r.problems = append(r.problems, p.String())
	}
	return r
}

// dump gives a table with the cells of these columns, unknown ones as "-".
func (r result) dump(t testing.TB, id table.ID, columns string) []string {
	t.Helper()
	return tabletest.Dump(t, r.set, id, columns)
}

const (
	siteColumns   = "time_ns class live_bytes live_count total_bytes total_count line"
	sampleColumns = "time_ns process scope name metric value line"
	frameColumns  = "id parent function source_file source_line module address"
)

// all gives every row.
func (r result) all(t testing.TB) []string {
	rows := append(r.dump(t, table.Sites, siteColumns+" stack process pid"), r.dump(t, table.Samples, sampleColumns)...)
	return append(rows, r.dump(t, table.Frames, frameColumns)...)
}

var same = tabletest.Same

const root = "../.."

func fixture(t testing.TB, format, file string) []byte {
	data, err := os.ReadFile(filepath.Join(root, "fixtures", format, file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fixtures gives the names of the captures of a format.
func fixtures(t testing.TB, format string) []string {
	paths, err := filepath.Glob(filepath.Join(root, "fixtures", format, "*.*"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("%s: %d fixtures, %v", format, len(paths), err)
	}
	var out []string
	for _, p := range paths {
		if filepath.Base(p) != "SOURCE.md" {
			out = append(out, filepath.Base(p))
		}
	}
	return out
}

// corpus reads a capture of the corpus beside the checkout, which is not part of it.
func corpus(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(root, "..", "shared", "corpus", name))
	if err != nil {
		t.Skip("no corpus of real captures beside the checkout")
	}
	return data
}
