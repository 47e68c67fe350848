package torch

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decoder is what every format of the package exports.
type decoder func(*source.Input, *table.Builder) error

// result is a decoded capture: its rows by the names of their columns, what it says of itself, and what was wrong.
type result struct {
	set      *table.Set
	tables   [table.NumTables][]map[string]string
	problems []string
	facts    map[string]string
	err      error
}

func decodeBytes(t testing.TB, f decoder, name string, data []byte) result {
	t.Helper()
	r, _ := decodeFrom(t, f, name, bytes.NewReader(data))
	for id := range r.tables {
		r.tables[id] = rowsOf(t, r.set, table.ID(id))
	}
	return r
}

func decodeFrom(t testing.TB, f decoder, name string, from io.Reader) (result, *table.Part) {
	t.Helper()
	in, err := source.NewInput(name, from)
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
	for _, p := range r.set.Files[0].Problems {
		r.problems = append(r.problems, p.String())
	}
	return r, part
}

func rowsOf(t testing.TB, set *table.Set, id table.ID) (out []map[string]string) {
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

// where gives the rows of a table that have all values of "column=value;column=value".
func (r result) where(id table.ID, filter string) (out []map[string]string) {
rows:
	for _, row := range r.tables[id] {
		for _, f := range strings.Split(filter, ";") {
			if col, v, ok := strings.Cut(f, "="); ok && row[col] != v {
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

// stack gives the functions of a stack, leaf first.
func (r result) stack(id string) string {
	frames := map[string]map[string]string{}
	for _, f := range r.tables[table.Frames] {
		frames[f["id"]] = f
	}
	var out []string
	for id != "" && len(out) < 1000 {
		f := frames[id]
		out = append(out, f["function"]+" "+f["source_file"]+":"+f["source_line"])
		id = f["parent"]
	}
	return strings.Join(out, " < ")
}

// corpus gives a file of the corpus, unpacked, or skips the test.
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
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(z)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fixtures gives the captures of a format, in the order of their names.
func fixtures(t testing.TB, format string) [][]byte {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", format, "*"))
	all := map[string][]byte{}
	for _, p := range paths {
		if name := filepath.Base(p); name != "SOURCE.md" {
			all[name] = fixture(t, filepath.Join(format, name))
		}
	}
	if len(all) < 3 {
		t.Fatalf("%d fixtures of %s", len(all), format)
	}
	var out [][]byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out
}

// printout is all of a result, to be compared with another.
func printout(r result) string { return fmt.Sprint(r.tables, r.facts, r.problems, r.err) }
