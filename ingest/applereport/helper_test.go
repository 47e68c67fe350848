package applereport

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// format is one of the package's.
type format struct {
	name   string
	sniff  func([]byte) bool
	decode func(*source.Input, *table.Builder) error
}

var formats = []format{
	{"footprint-json", SniffFootprint, DecodeFootprint},
	{"jetsam", SniffJetsam, DecodeJetsam},
	{"apple-crash", SniffCrash, DecodeCrash},
	{"kscrash", SniffKSCrash, DecodeKSCrash},
	{"metrickit", SniffMetricKit, DecodeMetricKit},
	{"xctest-metrics", SniffXCTest, DecodeXCTest},
	{"refcount-csv", SniffRefcount, DecodeRefcount},
}

// result is what a text gave.
type result struct {
	format   string
	set      *table.Set
	problems []string
	facts    map[string]string
	err      error
}

// read decodes a text by the format that claims it, which must be one.
func read(t testing.TB, text string) result {
	t.Helper()
	var claims []format
	for _, f := range formats {
		if f.sniff([]byte(text[:min(len(text), source.HeadSize)])) {
			claims = append(claims, f)
		}
	}
	if len(claims) != 1 {
		t.Fatalf("want one format that claims the text, have %d: %.80q", len(claims), text)
	}
	return decodeAs(t, claims[0], strings.NewReader(text))
}

func decodeAs(t testing.TB, f format, r io.Reader) result {
	t.Helper()
	in, err := source.NewInput("x", r)
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", f.name)
	out := result{format: f.name, facts: map[string]string{}}
	out.err = f.decode(in, b)
	out.set = table.Assemble([]*table.Part{b.Done()})
	for _, p := range out.set.Problems() {
		out.problems = append(out.problems, p.String())
	}
	for _, f := range out.set.Facts() {
		out.facts[f.Name] = f.Value
	}
	return out
}

// dump gives the named columns of a table's rows; "-" for what is not known.
func (r result) dump(t testing.TB, id table.ID, columns string) []string {
	t.Helper()
	var w bytes.Buffer
	if err := r.set.DumpCSV(&w, id); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&w).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, rec := range records[1:] {
		var cells []string
		for _, c := range strings.Fields(columns) {
			cell := rec[table.Schemas[id].Column(c)]
			if cell == "" {
				cell = "-"
			}
			cells = append(cells, cell)
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: have\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// corpus reads a real capture, or skips the test.
func corpus(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", "apple", name))
	if err != nil {
		t.Skip("no corpus of real captures beside the checkout")
	}
	return string(text)
}
