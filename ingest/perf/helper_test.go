package perf_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// result is a decoded text.
type result struct {
	set *table.Set
	err error
}

type decoder func(*source.Input, *table.Builder) error

func decode(t testing.TB, f decoder, text string) result {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "perf-script")
	err = f(in, b)
	return result{table.Assemble([]*table.Part{b.Done()}), err}
}

// dump gives columns of a table, a row a line, what is not known as "-".
func (r result) dump(t testing.TB, id table.ID, columns string) []string {
	t.Helper()
	var w bytes.Buffer
	if err := r.set.DumpCSV(&w, id); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&w).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range all[1:] {
		var cells []string
		for _, c := range strings.Fields(columns) {
			cell := row[table.Schemas[id].Column(c)]
			if cell == "" {
				cell = "-"
			}
			if c == "object" && strings.HasPrefix(cell, "-") {
				t.Fatal("a negative object")
			}
			if n, err := strconv.ParseUint(cell, 10, 64); (c == "address" || c == "object") && err == nil {
				cell = fmt.Sprintf("%#x", n)
			}
			cells = append(cells, cell)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

func (r result) problems() []string {
	var out []string
	for _, p := range r.set.Problems() {
		out = append(out, p.String())
	}
	return out
}

func (r result) facts() map[string]string {
	out := map[string]string{}
	for _, f := range r.set.Facts() {
		out[f.Name] = f.Value
	}
	return out
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	return read(t, filepath.Join("../../fixtures", name))
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// corpus is the folder of real captures beside the checkout; without it the test is skipped.
func corpus(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks("../../../shared/corpus")
	if err != nil {
		t.Skip("the corpus is not beside the checkout")
	}
	return dir
}
