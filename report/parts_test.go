package report

import (
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

const mib = 1 << 20

func of[T any](v T) *T { return &v }

func head(metric string, before, after float64, v analyze.Change) analyze.Delta {
	return analyze.Delta{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: metric}, Before: analyze.Level{Median: &before, Runs: 4},
		After: analyze.Level{Median: &after, Runs: 4}, Shift: of(after - before), ShiftLo: of(after - before - 1), ShiftHi: of(after - before + 1), Verdict: v}
}

func newStory(r *analyze.Result) *story {
	return tell(r, Options{})
}

func TestRelativeCell(t *testing.T) {
	with := func(lo, hi, relative *float64, v analyze.Change) analyze.Delta {
		return analyze.Delta{Before: analyze.Level{Median: of(10.0)}, After: analyze.Level{Median: of(60.0)}, Shift: of(5.0), ShiftLo: lo, ShiftHi: hi, Relative: relative, Verdict: v}
	}
	for _, c := range []struct {
		d    analyze.Delta
		want string
	}{
		{with(of(1.0), of(9.0), of(0.05), analyze.Regression), "+5.0 %"},
		{with(of(-1.0), of(9.0), of(0.05), analyze.Unsettled), "~ +5.0 %"},
		{with(of(-1.0), of(0.0), of(-0.05), analyze.Equivalent), "~ −5.0 %"},
		{with(of(1.0), of(9.0), of(5.0), analyze.Regression), "×6.00"},
		{with(nil, nil, of(0.05), analyze.Unsettled), "~ +5.0 %"},
		{with(nil, nil, of(0.05), analyze.Regression), "+5.0 %"},
		{with(nil, nil, nil, analyze.Regression), "—"},
		{with(nil, nil, nil, analyze.New), "new"}, {with(nil, nil, nil, analyze.Removed), "removed"},
		{with(nil, nil, of(math.NaN()), analyze.Regression), "—"},
	} {
		if got := relativeCell(c.d, unit.Scale{}).Text; got != c.want {
			t.Errorf("%+v: %q, want %q", c.d, got, c.want)
		}
	}
	same := with(of(0.0), of(0.0), of(0.0), analyze.Equivalent)
	same.Shift = of(0.0)
	if got := relativeCell(same, unit.Scale{}).Text; got != "0 %" {
		t.Errorf("no change at all: %q", got)
	}
}

func TestVerdictsHaveAMarkEach(t *testing.T) {
	seen := map[string]analyze.Change{}
	for _, v := range []analyze.Change{analyze.Regression, analyze.Improvement, analyze.Equivalent, analyze.Unsettled, analyze.New, analyze.Removed} {
		c := verdictCell(analyze.Delta{Verdict: v}, unit.Scale{})
		if c.Mark == "" || seen[c.Mark] != "" || c.Text != string(v) {
			t.Errorf("%s: %+v, mark of %q", v, c, seen[c.Mark])
		}
		seen[c.Mark] = v
	}
	if got := verdictCell(analyze.Delta{}, unit.Scale{}); got.Text != "—" || got.Mark != "" {
		t.Errorf("no verdict: %+v", got)
	}
	for v := range seriesWeight {
		if seriesMark[v] == "" {
			t.Errorf("series verdict %s has no mark", v)
		}
	}
}

func TestProbability(t *testing.T) {
	for _, c := range []struct {
		p    *float64
		want string
	}{{nil, "—"}, {of(0.0), "< 0.0001"}, {of(0.00001), "< 0.0001"}, {of(0.0079), "0.0079"}, {of(0.34), "0.34"}, {of(1.0), "1.00"}, {of(math.NaN()), "—"}} {
		if got := probability(c.p).Text; got != c.want {
			t.Errorf("%v is %q, want %q", c.p, got, c.want)
		}
	}
}

func TestMoved(t *testing.T) {
	for _, c := range []struct {
		name string
		d    analyze.Delta
		want *float64
	}{
		{"the shift", analyze.Delta{Shift: of(3.0), Before: analyze.Level{Median: of(1.0)}, After: analyze.Level{Median: of(9.0)}}, of(3.0)},
		{"all of what is new", analyze.Delta{Verdict: analyze.New, After: analyze.Level{Median: of(9.0)}}, of(9.0)},
		{"all of what is gone", analyze.Delta{Verdict: analyze.Removed, Before: analyze.Level{Median: of(9.0)}}, of(-9.0)},
		{"the difference", analyze.Delta{Before: analyze.Level{Median: of(1.0)}, After: analyze.Level{Median: of(9.0)}}, of(8.0)},
		{"one side only is unknown", analyze.Delta{After: analyze.Level{Median: of(9.0)}}, nil},
	} {
		got := moved(c.d)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestMainMetric(t *testing.T) {
	part := func(metric string) analyze.Delta {
		d := head(metric, 1, 2, analyze.Regression)
		d.Subject.Scope, d.Subject.Name = "category", "heap"
		return d
	}
	unknown := head("pss", 1, 2, analyze.Regression)
	unknown.Before.Median = nil
	for _, c := range []struct {
		name   string
		deltas []analyze.Delta
		want   string
	}{
		{"pss before rss", []analyze.Delta{head("rss", 1, 2, ""), head("pss", 1, 2, "")}, "pss"},
		{"one with parts before one without", []analyze.Delta{head("pss", 1, 2, ""), head("rss", 1, 2, ""), part("rss")}, "rss"},
		{"known on both sides", []analyze.Delta{unknown, head("swap", 1, 2, "")}, "swap"},
		{"a metric nobody listed", []analyze.Delta{head("odd", 1, 2, "")}, "odd"},
		{"none", nil, ""},
	} {
		if got := newStory(&analyze.Result{Deltas: c.deltas}).mainMetric("app"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestProcessesByWhatMatters(t *testing.T) {
	delta := func(process string, change float64, v analyze.Change) analyze.Delta {
		d := head("pss", 100*mib, 100*mib+change, v)
		d.Subject.Process = process
		return d
	}
	s := newStory(&analyze.Result{Deltas: []analyze.Delta{delta("calm", 0, analyze.Equivalent), delta("b", 2, analyze.Regression), delta("a", 9, analyze.Regression),
		delta("big-but-unsure", 999*mib, analyze.Unsettled), delta("better", -50, analyze.Improvement)}})
	if got, want := strings.Join(s.processes, " "), "a b big-but-unsure better calm"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s = newStory(&analyze.Result{Series: []analyze.Series{
		{Subject: analyze.Subject{Process: "calm", Scope: "process", Metric: "pss"}, Verdict: analyze.Stable, Growth: of(9e9)},
		{Subject: analyze.Subject{Process: "leaky", Scope: "process", Metric: "pss"}, Verdict: analyze.Leak}}})
	if s.processes[0] != "leaky" {
		t.Errorf("%q", s.processes)
	}
}

func TestWaterfallSteps(t *testing.T) {
	var many []part
	for i := range 20 {
		many = append(many, part{label: string(rune('a' + i)), change: float64(i)})
	}
	for _, c := range []struct {
		name          string
		before, after float64
		parts         []part
		want          string
	}{
		{"exact", 10, 16, []part{{"a", "", 2}, {"b", "new", 4}}, "before b a after"},
		{"remainder", 10, 20, []part{{"a", "", 2}}, "before a remainder after"},
		{"a rest that the scale does not show is rounding", 10 * mib, 12*mib + 900, []part{{"a", "", 2 * mib}, {"b", "", 800}}, "before a after"},
		{"what did not move is no step", 10, 10, []part{{"a", "", 0}}, "before after"},
		{"down", 10, 4, []part{{"a", "", -8}, {"b", "", 2}}, "before a b after"},
		{"twelve are named", 0, 190, many, "before t s r q p o n m l k j i 7 smaller parts after"},
	} {
		var got []string
		for _, s := range waterfall(unit.Bytes, c.before, c.after, c.parts).Steps {
			got = append(got, s.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, strings.Join(got, " "), c.want)
		}
	}
}

// The tail sums what is known; a column in which nothing is known stays unknown.
func TestTail(t *testing.T) {
	got := tail([]analyze.Delta{{Shift: of(1.0), After: analyze.Level{Median: of(5.0)}}, {Shift: of(-3.0)}, {}}, "mappings")
	if *got.Shift != -2 || *got.After.Median != 5 || got.Before.Median != nil || got.Share != nil || got.Subject.Name != "3 more mappings" {
		t.Errorf("%+v", got)
	}
}

func TestColumnsOfATableShareTheirScale(t *testing.T) {
	ds := []analyze.Delta{head("rss", 2048*mib, 2050*mib, analyze.Regression), head("swap", 12*mib, 12*mib+300, analyze.Equivalent)}
	table := deltaTable(ds, unit.Bytes, nameColumn("measure", false), beforeColumn, afterColumn, changeColumn)
	if table.Columns[1].Unit != "MiB" || table.Columns[2].Unit != "MiB" {
		t.Errorf("before in %s, after in %s", table.Columns[1].Unit, table.Columns[2].Unit)
	}
	for i, want := range []string{"rss 2,048.0 2,050.0 +2,048.00", "swap 12.0 12.0 +0.29"} {
		var got []string
		for _, c := range table.Rows[i] {
			got = append(got, c.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("row %d: %q, want %q (change in %s)", i, strings.Join(got, " "), want, table.Columns[3].Unit)
		}
	}
}

func TestSystemAndDeviceTotalsAreTold(t *testing.T) {
	d := head("gpu_used", mib, 2*mib, analyze.Regression)
	d.Subject = analyze.Subject{Scope: "device", Name: "GPU 0", Metric: "gpu_used"}
	doc := New(&analyze.Result{Deltas: []analyze.Delta{d}}, Options{})
	table := doc.Sections[0].Blocks[0].(*Table)
	if got := table.Rows[0][0].Text; got != "GPU 0 gpu_used" || table.Caption != "Whole system: one sample a side" {
		t.Errorf("%q under %q", got, table.Caption)
	}
}
