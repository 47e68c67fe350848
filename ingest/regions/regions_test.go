package regions

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

type decodeFunc func(*source.Input, *table.Builder) error

// result is what a capture was decoded to; rows are cells joined by blanks.
type result struct {
	samples  []string // time pid process scope name metric value line
	mappings []string // time pid process start end perms path category, the sizes known as name=kB, line
	problems []string
	part     *table.Part
	err      error
}

func read(t testing.TB, decode decodeFunc, text string) (r result) {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	r.err = decode(in, b)
	for _, p := range b.Problems.List() {
		r.problems = append(r.problems, p.String())
	}
	r.part = b.Done()
	set := table.Assemble([]*table.Part{r.part})
	for _, c := range dump(t, set, table.Samples) {
		r.samples = append(r.samples, strings.Join([]string{c[0], c[2], c[3], c[4], c[5], c[6], c[7], c[9]}, " "))
	}
	for _, c := range dump(t, set, table.Mappings) {
		row := strings.Join(append(append([]string{}, c[:6]...), c[8], c[9]), " ")
		for i, size := range c[10 : 10+int(table.NumSizes)] {
			if v, err := strconv.ParseInt(size, 10, 64); err == nil {
				row += fmt.Sprintf(" %s=%d", table.Schemas[table.Mappings].Columns[10+i].Name, v>>10)
			}
		}
		r.mappings = append(r.mappings, row+" "+c[len(c)-1])
	}
	return r
}

func dump(t testing.TB, set *table.Set, id table.ID) [][]string {
	t.Helper()
	var out bytes.Buffer
	if err := set.DumpCSV(&out, id); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return cells[1:]
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
