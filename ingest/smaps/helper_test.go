package smaps_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

type decoder func(*source.Input, *table.Builder) error

func decodeWith(t testing.TB, decode decoder, text string) (*table.Set, error) {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "smaps")
	err = decode(in, b)
	return table.Assemble([]*table.Part{b.Done()}), err
}

func decode(t testing.TB, text string) *table.Set {
	t.Helper()
	s, err := decodeWith(t, smaps.Decode, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// dump gives columns of a table, a row a line.
func dump(t testing.TB, s *table.Set, id table.ID, columns ...string) []string {
	t.Helper()
	var w bytes.Buffer
	if err := s.DumpCSV(&w, id); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&w).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range all[1:] {
		var cells []string
		for _, c := range columns {
			cells = append(cells, row[table.Schemas[id].Column(c)])
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

// undated are all columns but time and line.
func undated(id table.ID) []string {
	var out []string
	for _, c := range table.Schemas[id].Columns {
		if c.Name != "time_ns" && c.Name != "line" {
			out = append(out, c.Name)
		}
	}
	return out
}

func problems(s *table.Set) string {
	var out []string
	for _, p := range s.Problems() {
		out = append(out, p.String())
	}
	return strings.Join(out, "\n")
}

func check(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fixtures(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"../../fixtures/smaps/*", "../../fixtures/proc-maps/*"} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(filepath.Dir(p))+"/"+filepath.Base(p)] = string(text)
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d fixtures", len(out))
	}
	return out
}
