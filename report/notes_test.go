package report

import (
	"strings"
	"testing"
)

func TestNotesOfSeveralRowsAreSaidOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		notes []string // of rows a, b, c …
		left  string   // what rows keep
		said  string
	}{
		{"none", []string{"", ""}, "|", ""},
		{"one row keeps its own", []string{"mine", ""}, "mine|", ""},
		{"all rows", []string{"same values", "same values"}, "|", "Same values."},
		{"some rows are named", []string{"not there before.", "", "not there before."}, "||", "a and c: not there before."},
		{"many rows are counted", []string{"x", "x", "x", "x", "own"}, "||||own", "4 of the 5 rows: x."},
		{"two notes", []string{"x", "y", "x", "y"}, "|||", "a and c: x. b and d: y."},
	} {
		table := &Table{}
		for i, n := range c.notes {
			table.Rows = append(table.Rows, []Cell{{Text: string(rune('a' + i)), Note: n}})
		}
		table.gather()
		var left, said []string
		for _, row := range table.Rows {
			left = append(left, row[0].Note)
		}
		for _, n := range table.Notes {
			said = append(said, n.Text)
		}
		if strings.Join(left, "|") != c.left || strings.Join(said, " ") != c.said {
			t.Errorf("%s: rows keep %q, said %q", c.name, left, said)
		}
	}
}

func TestTildeIsExplainedWhereItStands(t *testing.T) {
	with := &Table{Rows: [][]Cell{{{Text: "pss"}, {Text: "~ +5.0 %"}}}}
	without := &Table{Rows: [][]Cell{{{Text: "~ odd name", Code: true}, {Text: "+5.0 %"}}}}
	with.gather()
	without.gather()
	if len(with.Notes) != 1 || with.Notes[0].Text != tilde || len(without.Notes) != 0 {
		t.Errorf("%+v, %+v", with.Notes, without.Notes)
	}
}

// A summary says at its top that there is one run a side, and no reason of a series.
func TestNotesThatASummaryLeavesOut(t *testing.T) {
	for note, want := range map[string]bool{"one run a side: the interval is wide": true, "measured by different tools": false} {
		table := &Table{Rows: [][]Cell{{{Text: "a", Note: note}}, {{Text: "b", Note: note}}}}
		if table.gather(); table.Notes[0].Extra != want {
			t.Errorf("%q: %v", note, table.Notes[0].Extra)
		}
	}
	wide := &Table{Wide: true, Rows: [][]Cell{{{Text: "a", Note: "it grew"}}, {{Text: "b", Note: "it grew"}}}}
	if wide.gather(); !wide.Notes[0].Extra {
		t.Error("a reason is in the summary")
	}
}
