package nsight

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decoderFunc is what every format of the package exports.
type decoderFunc func(*source.Input, *table.Builder) error

// result is a decoded capture: its rows by the names of their columns, what it says of itself, and what was wrong.
type result struct {
	tables   [table.NumTables][]map[string]string
	problems []string
	facts    map[string]string
	err      error
}

func decodeBytes(t testing.TB, f decoderFunc, name string, data []byte) result {
	t.Helper()
	in, err := source.NewInput(name, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder(name, "test")
	r := result{err: f(in, b), facts: map[string]string{}}
	part := b.Done()
	for _, fact := range part.Facts {
		r.facts[fact.Name] = fact.Value
	}
	set := table.Assemble([]*table.Part{part})
	for _, p := range set.Files[0].Problems {
		r.problems = append(r.problems, p.String())
	}
	for id := range r.tables {
		r.tables[id] = dumped(t, set, table.ID(id))
	}
	return r
}

func dumped(t testing.TB, set *table.Set, id table.ID) (out []map[string]string) {
	t.Helper()
	var buf bytes.Buffer
	if err := set.DumpCSV(&buf, id); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&buf).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range all[1:] {
		m := map[string]string{}
		for i, col := range all[0] {
			m[col] = rec[i]
		}
		out = append(out, m)
	}
	return out
}

// where gives the rows of a table that have all values of "column=value;column~part".
func (r result) where(id table.ID, filter string) (out []map[string]string) {
rows:
	for _, row := range r.tables[id] {
		for _, f := range strings.Split(filter, ";") {
			if col, part, ok := strings.Cut(f, "~"); ok && !strings.Contains(row[col], part) {
				continue rows
			} else if col, v, ok := strings.Cut(f, "="); ok && row[col] != v {
				continue rows
			}
		}
		out = append(out, row)
	}
	return out
}

// lines gives chosen columns of rows, blanks between them, "?" for what is empty.
func lines(rows []map[string]string, columns ...string) (out []string) {
	for _, row := range rows {
		var cells []string
		for _, c := range columns {
			if v := row[c]; v == "" {
				cells = append(cells, "?")
			} else {
				cells = append(cells, v)
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

var same = tabletest.Same

func number(t testing.TB, s string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatalf("want a number: %v", err)
	}
	return v
}

// corpus gives a file of the corpus, or skips the test.
func corpus(t testing.TB, name string) []byte {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the corpus is not beside the checkout")
	}
	data, err := os.ReadFile(filepath.Join(dir, "nvidia", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// printout is all of a result, to be compared with another.
func printout(r result) string { return fmt.Sprint(r.tables, r.facts, r.problems, r.err) }
