package fault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decoderFunc is what every format of the package exports.
type decoderFunc func(*source.Input, *table.Builder) error

// result is a decoded text: its set, what went wrong, and its samples as the dump prints them.
type result struct {
	set      *table.Set
	problems []string
	facts    map[string]string
	noData   int
	err      error
}

func decode(t testing.TB, f decoderFunc, name, text string) result {
	t.Helper()
	in, err := source.NewInput(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder(name, "test")
	r := result{err: f(in, b), facts: map[string]string{}}
	part := b.Done()
	for _, fact := range part.Facts {
		r.facts[fact.Name] = fact.Value
	}
	r.set = table.Assemble([]*table.Part{part})
	r.noData = r.set.Files[0].NoData
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
	sampleColumns = "time_ns pid process scope name metric value line"
	faultColumns  = "time_ns pid process kind address size detail line"
	frameColumns  = "id parent function module address line"
)

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	tabletest.Same(t, what, got, want...)
}

// root walks up to the folder of go.mod.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// corpus gives the files of the corpus that match, or skips the test.
func corpus(t testing.TB, pattern string) []string {
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the corpus is not beside the checkout")
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t testing.TB, path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
