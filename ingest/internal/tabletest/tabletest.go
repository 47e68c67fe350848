// Package tabletest is what the tests of the formats share: tables as lines of text, their comparison, and processor time.
package tabletest

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/table"
)

// Dump gives the rows of a table with the cells of these columns, unknown ones as "-", with " | " between them.
func Dump(t testing.TB, set *table.Set, id table.ID, columns string) []string {
	t.Helper()
	var buf bytes.Buffer
	if err := set.DumpCSV(&buf, id); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&buf).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, record := range records[1:] {
		var cells []string
		for _, c := range strings.Fields(columns) {
			cell := record[table.Schemas[id].Column(c)]
			if cell == "" {
				cell = "-"
			}
			cells = append(cells, cell)
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out
}

// Same fails the test where lines differ.
func Same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\ngot\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// CPUOf is the processor time that a call takes, that of all its goroutines.
func CPUOf(f func()) time.Duration {
	from := CPU()
	f()
	return CPU() - from
}
