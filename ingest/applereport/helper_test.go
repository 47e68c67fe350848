package applereport

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/internal/tabletest"
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
	return tabletest.Dump(t, r.set, id, columns)
}

var same = tabletest.Same

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
