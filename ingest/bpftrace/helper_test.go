package bpftrace

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// result is a decoded text: its set, what went wrong, and what it says of itself.
type result struct {
	set      *table.Set
	problems []string
	facts    map[string]string
	err      error
}

type decoder func(*source.Input, *table.Builder) error

func decode(t testing.TB, f decoder, text string) result {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "bpftrace")
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

// rows gives columns of a table as the dump prints them, a row a line; an empty cell is "-".
func (r result) rows(t testing.TB, id table.ID, columns string) []string {
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
			if n, err := strconv.ParseUint(cell, 10, 64); err == nil && c == "object" {
				cell = "0x" + strconv.FormatUint(n, 16)
			}
			if cell == "" {
				cell = "-"
			}
			cells = append(cells, cell)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

var same = tabletest.Same

// corpus reads a capture of the corpus beside the checkout, which is not part of it.
func corpus(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", name))
	if os.IsNotExist(err) {
		t.Skip("no corpus of real captures beside the checkout")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fixtures are the captures of a format in the repository, by name.
func fixtures(t testing.TB, format string) map[string]string {
	t.Helper()
	paths, _ := filepath.Glob("../../fixtures/" + format + "/*")
	out := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(p) != "SOURCE.md" {
			out[filepath.Base(p)] = string(text)
		}
	}
	if len(out) < 4 {
		t.Fatalf("%d fixtures", len(out))
	}
	return out
}
