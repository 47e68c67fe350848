package meminfo

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decodeFunc is one of the decoders of this package.
type decodeFunc func(*source.Input, *table.Builder) error

// result is what a decoder made of an input: the rows of samples as the dump has them, and what it said.
type result struct {
	rows     []map[string]string
	problems []source.Problem
	noData   int
	facts    []table.Fact
	clock    string
	err      error
}

func read(t testing.TB, decode decodeFunc, name, text string) result {
	t.Helper()
	in, err := source.NewInput(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder(name, "test")
	err = decode(in, b)
	part := b.Done()
	set := table.Assemble([]*table.Part{part})
	r := rowsOf(t, set)
	r.err, r.noData, r.facts, r.problems, r.clock = err, part.NoData, part.Facts, set.Files[0].Problems, set.Clock
	return r
}

// rowsOf gives the samples of a set as its dump has them.
func rowsOf(t testing.TB, set *table.Set) result {
	t.Helper()
	var out bytes.Buffer
	if err := set.DumpCSV(&out, table.Samples); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var r result
	for _, c := range cells[1:] {
		row := map[string]string{}
		for i, name := range cells[0] {
			row[name] = c[i]
		}
		r.rows = append(r.rows, row)
	}
	return r
}

// where picks the rows that fulfil conditions like "pid=12;scope=process".
func (r result) where(conditions string) []map[string]string {
	var out []map[string]string
rows:
	for _, row := range r.rows {
		for _, c := range strings.Split(conditions, ";") {
			if c == "" {
				continue
			}
			k, v, _ := strings.Cut(c, "=")
			if row[k] != v {
				continue rows
			}
		}
		out = append(out, row)
	}
	return out
}

// values gives a column of the rows that fulfil conditions.
func (r result) values(conditions, column string) []string {
	var out []string
	for _, row := range r.where(conditions) {
		out = append(out, row[column])
	}
	return out
}

// value is the only value of the rows that fulfil conditions; "" if there is no row, "many" if there are more.
func (r result) value(conditions string) string {
	v := r.values(conditions, "value")
	switch len(v) {
	case 0:
		return ""
	case 1:
		return v[0]
	}
	return "many"
}

func (r result) messages() string {
	var s []string
	for _, p := range r.problems {
		s = append(s, p.String())
	}
	return strings.Join(s, "\n")
}

// moduleRoot walks up to the folder of go.mod.
func moduleRoot(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot(t), "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// corpus gives a real capture, or skips the test where there are none.
func corpus(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot(t), "..", "shared", "corpus", "android", name))
	if err != nil {
		t.Skipf("no corpus of real captures: %v", err)
	}
	return string(text)
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
