package ingest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// figureColumns are the columns whose values a damaged digit must not change without a word; ids, times and names are
// not of them: a name may hold any digits.
var figureColumns = map[table.ID]string{
	table.Samples:  "pid value",
	table.Mappings: "pid size rss pss swap",
	table.Sites:    "pid live_bytes live_count total_bytes total_count",
	table.Events:   "pid tid size refcount",
	table.Faults:   "pid size",
}

// inName are damages of a digit that is part of a name or of a column that may be left out, though a figure looks
// different by it. They are patterns as those of noLoss.
var inName = []struct{ pattern, reason string }{
	{`^compute-sanitizer: .*( in /usr/lib/| in /src/)`, "a frame by another name is another stack, and another row"},
	{`^leaks: .*(CYCLE|-->)`, "the address is a part of the name of a block"},
	{`^nsys-(jsonlines|stats): .*(cuda|cu)[A-Z]\w*_v\d*x`, "a call by another name is not counted"},
	{`^nsys-jsonlines: .*returnValue3x`, "by another name it is another member"},
	{`^showmap: ------ SHOW MAP `, "a banner may be any text"},
	{`^smaps: ### `, "a mark that is none is any text"},
	{`^xctrace-table: .*fmt="Worker 0x2f \(Other, pid: 4x\)"`, "fmt is text for people, taken where no element tells more"},
	{`^xctrace-detail: .*category="Malloc \d*,?\d*x`, "a category is a name"},
}

// TestDamagedDigit: a number of which the second or the last digit is no digit any more is a problem, or its row is as it
// was. To take its digits before the damage for the number is a wrong value that nobody is told of.
func TestDamagedDigit(t *testing.T) {
	number, tried := regexp.MustCompile(`[0-9]{2,}`), 0
	walkTexts(t, func(t *testing.T, f *Format, path string, text []byte) {
		want, said, err := figuresOf(f, text)
		if err != nil {
			return
		}
		for n, at := range number.FindAllIndex(text[:min(len(text), 4000)], 200) {
			place := at[0] + 1
			if n%2 == 1 {
				place = at[1] - 1
			}
			damaged := splice(text, place, place+1, "x")
			tried++
			got, problems, err := figuresOf(f, damaged)
			from, to := lineOf(damaged, place)
			what := fmt.Sprintf("%s: %s", f.Name, damaged[from:to])
			if err == nil && slices.Equal(problems, said) && !slices.Equal(got, want) && !matchesAny(what) {
				t.Errorf("%s:%d: figures changed and it was not told: %.300q, near %q\n%s", path, 1+bytes.Count(text[:place], []byte("\n")), what,
					damaged[max(from, place-60):min(to, place+40)], difference(want, got))
			}
		}
	})
	if tried < 5_000 {
		t.Errorf("%d digits were tried", tried)
	}
}

func matchesAny(what string) bool {
	return slices.ContainsFunc(inName, func(n struct{ pattern, reason string }) bool { return regexp.MustCompile(n.pattern).MatchString(what) })
}

// difference is the first row that one of two has and the other has not.
func difference(want, got []string) string {
	for _, row := range want {
		if !slices.Contains(got, row) {
			return "lost " + row
		}
	}
	return fmt.Sprintf("%d rows, were %d", len(got), len(want))
}

// figuresOf gives the rows of a text, as its figures alone, and what was said of it.
func figuresOf(f *Format, text []byte) (rows, said []string, err error) {
	in, err := source.NewInput("x", bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	b, decode := table.NewBuilder("x", f.Name), f.Decode
	if decode == nil {
		decode = f.Paged(4096)
	}
	err = decode(in, b)
	set := table.Assemble([]*table.Part{b.Done()})
	for id := range table.Schemas {
		if columns := figureColumns[table.ID(id)]; columns != "" {
			rows = append(rows, figureRows(set, table.ID(id), strings.Fields(columns))...)
		}
	}
	slices.Sort(rows)
	for _, p := range set.Files[0].Problems {
		said = append(said, p.String())
	}
	return rows, append(said, fmt.Sprint(set.Files[0].NoData)), err
}

func figureRows(set *table.Set, id table.ID, columns []string) (rows []string) {
	var text bytes.Buffer
	if err := set.DumpCSV(&text, id); err != nil {
		return []string{err.Error()}
	}
	records, _ := csv.NewReader(&text).ReadAll()
	for _, r := range records[min(1, len(records)):] {
		row := table.Schemas[id].Name
		for _, c := range columns {
			row += " " + r[table.Schemas[id].Column(c)]
		}
		rows = append(rows, row)
	}
	return rows
}
