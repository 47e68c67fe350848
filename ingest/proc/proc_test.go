package proc

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

type decodeFunc func(*source.Input, *table.Builder) error

// read decodes text and gives the samples as lines "time pid process scope name metric value line", and the problems.
func read(t testing.TB, decode decodeFunc, text string) (rows []string, problems []string, part *table.Part, err error) {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	err = decode(in, b)
	for _, p := range b.Problems.List() {
		problems = append(problems, p.String())
	}
	part = b.Done()
	var out bytes.Buffer
	if err := table.Assemble([]*table.Part{part}).DumpCSV(&out, table.Samples); err != nil {
		t.Fatal(err)
	}
	cells, csvErr := csv.NewReader(&out).ReadAll()
	if csvErr != nil {
		t.Fatal(csvErr)
	}
	for _, c := range cells[1:] {
		rows = append(rows, strings.Join([]string{c[0], c[2], c[3], c[4], c[5], c[6], c[7], c[9]}, " "))
	}
	return rows, problems, part, err
}

func same(t *testing.T, what string, have, want []string) {
	t.Helper()
	if h, w := strings.Join(have, "\n"), strings.Join(want, "\n"); h != w {
		t.Errorf("%s\nwant:\n%s\nhave:\n%s", what, w, h)
	}
}

// corpus reads a capture of the corpus beside the checkout, which is not part of it.
func corpus(t testing.TB, name string) string {
	return string(file(t, filepath.Join("..", "..", "..", "shared", "corpus", name), "no corpus of real captures beside the checkout"))
}

func file(t testing.TB, path, absent string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skip(absent)
	}
	return data
}
