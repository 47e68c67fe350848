package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/example"
)

func m(metric string, from, to float64, worse bool) measure {
	return measure{subject: analyze.Subject{Process: "app", Scope: "process", Metric: metric}, from: of(from * mib), to: of(to * mib), worse: worse}
}

func TestChoose(t *testing.T) {
	many := []measure{}
	for i := range 12 {
		many = append(many, m(fmt.Sprintf("odd_%02d", i), float64(i+1), float64(2*i+9), true))
	}
	for _, c := range []struct {
		name        string
		of          []measure
		shown, note string
	}{
		{"few are all shown", []measure{m("rss", 1, 2, false), m("odd", 3, 4, false)}, "rss odd", ""},
		{"what is 0 on both sides is not", []measure{m("rss", 1, 2, false), m("swap", 0, 0, false)}, "rss", ""},
		{"0 on one side is news", []measure{m("rss", 1, 2, false), m("swap", 0, 5, false)}, "rss swap", ""},
		{"nothing but 0", []measure{m("rss", 0, 0, false)}, "rss", ""},
		{"what moved alike is named", []measure{m("rss", 50, 60, true), m("private_dirty", 20, 28, true), m("dirty", 20.05, 28.05, true), m("anonymous", 20, 28, true)},
			"rss private_dirty", "The same as private_dirty: dirty and anonymous."},
		{"not with another verdict", []measure{m("private_dirty", 20, 28, true), m("dirty", 20, 28, false)}, "private_dirty dirty", ""},
		{"leading ones are shown even if alike", []measure{m("rss", 20, 28, true), m("pss", 20, 28, true)}, "rss pss", ""},
		{"worse ones are never silent", many, "odd_00 odd_01 odd_02 odd_03 odd_04 odd_05 odd_06 odd_07", "Worse too, among the other measures: odd_08, odd_09, odd_10 and odd_11."},
		{"calm ones that nobody leads with are left to the other table", append([]measure{m("rss", 1, 2, false)}, calm(9)...), "rss", ""},
	} {
		got := choose(c.of)
		var names, notes []string
		for _, i := range got.shown {
			names = append(names, c.of[i].subject.Metric)
		}
		for _, n := range got.notes {
			notes = append(notes, n.Text)
		}
		if strings.Join(names, " ") != c.shown || strings.Join(notes, " ") != c.note {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, names, notes, c.shown, c.note)
		}
		if len(got.shown)+len(got.others) != len(c.of) {
			t.Errorf("%s: %d of %d", c.name, len(got.shown)+len(got.others), len(c.of))
		}
	}
}

func calm(n int) (of []measure) {
	for i := range n {
		of = append(of, m(fmt.Sprintf("calm_%d", i), 5, 5, false))
	}
	return of
}

// Two devices may have the same numbers and are two all the same.
func TestTwinsAreOfOneThing(t *testing.T) {
	a, b := m("gpu_reserved", 5, 9, true), m("gpu_reserved", 5, 9, true)
	a.subject.Name, b.subject.Name = "GPU 0", "GPU 1"
	if got := choose([]measure{a, b}); len(got.shown) != 2 {
		t.Errorf("%+v", got)
	}
}

// Of 25 metrics at most eight are on the first screen, no regression is silent, and no note stands on two rows.
func TestTwentyFiveMetrics(t *testing.T) {
	doc := New(example.Wide(), Options{})
	table := doc.Sections[0].Blocks[1].(*Table)
	if len(table.Rows) > mostRows {
		t.Errorf("%d rows", len(table.Rows))
	}
	var shown []string
	for _, row := range table.Rows {
		shown = append(shown, row[0].Text)
		if row[0].Note != "" {
			t.Errorf("%s has the note %q", row[0].Text, row[0].Note)
		}
		if value(row[1].Value) == 0 && value(row[2].Value) == 0 {
			t.Errorf("%s is 0 on both sides", row[0].Text)
		}
	}
	if want := "rss pss uss private_dirty heap_alloc heap_size live_bytes vss cgroup_usage"; strings.Join(shown, " ") != want && len(shown) > mostRows {
		t.Errorf("%q", shown)
	}
	notes := ""
	for _, n := range table.Notes {
		notes += n.Text + "\n"
	}
	for _, d := range example.Wide().Deltas {
		if d.Verdict == analyze.Regression && !slices.Contains(shown, d.Subject.Metric) && !strings.Contains(notes, d.Subject.Metric) {
			t.Errorf("%s got worse and is not named: %q, %q", d.Subject.Metric, shown, notes)
		}
	}
	if strings.Count(notes, "One run a side: the interval") != 1 {
		t.Errorf("notes %q", notes)
	}
	if table.Columns[1].Unit != "MiB" || table.Columns[3].Unit != "MiB" {
		t.Errorf("levels in %s, changes in %s", table.Columns[1].Unit, table.Columns[3].Unit)
	}
	others := 0
	for _, b := range doc.Sections[0].Blocks {
		if o, ok := b.(*Table); ok && o.ID == "answer-other-totals" {
			others = len(o.Rows)
			if !o.Folded || !o.Extra || o.Caption != fmt.Sprintf("%d other measures", others) {
				t.Errorf("%+v", o.Caption)
			}
		}
	}
	if others+len(shown) != 25 {
		t.Errorf("%d shown and %d others", len(shown), others)
	}
}

// What the headline is about stands in the table, even beside many leading measures that are worse too.
func TestTheMeasureOfTheHeadlineIsShown(t *testing.T) {
	var ms []measure
	for part := range 3 {
		for i, metric := range leading {
			ms = append(ms, measureOf(metric, 10+100*float64(part)+10*float64(i), true))
		}
	}
	ms = append(ms, measureOf("heap_alloc", 7, true))
	s := &story{Result: &analyze.Result{Findings: []analyze.Finding{{Rule: "growth", Severity: "critical", Subject: ms[len(ms)-1].subject}}}}
	if c := choose(s.mark(ms)); !slices.Contains(c.shown, len(ms)-1) {
		t.Errorf("shown are %v of %d", c.shown, len(ms))
	}
}

// The same twins of several runs are named once.
func TestTwinsOfSeveralRunsAreNamedOnce(t *testing.T) {
	var ms []measure
	for run := range 2 {
		ms = append(ms, measureOf("rss", 50+50*float64(run), false), measureOf("referenced", 50+50*float64(run), false))
	}
	notes := choose(ms).notes
	if len(notes) != 1 || notes[0].Text != "The same as rss: referenced." {
		t.Errorf("%v", notes)
	}
}

func measureOf(metric string, size float64, worse bool) measure {
	return measure{subject: analyze.Subject{Process: "app", Scope: "process", Metric: metric}, from: of(size * mib), to: of(2 * size * mib), worse: worse}
}
