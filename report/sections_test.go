package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

func rowTexts(row []Cell) string {
	var out []string
	for _, c := range row {
		out = append(out, c.Text)
	}
	return strings.Join(out, "|")
}

func TestRunByRun(t *testing.T) {
	d := head("pss", 10*mib, 12*mib, analyze.Regression)
	d.Before.Values, d.After.Values = []float64{9 * mib, 11 * mib}, []float64{12 * mib}
	d.Before.Peak, d.After.End = of(13.0*mib), of(12.5*mib)
	section := newStory(&analyze.Result{Deltas: []analyze.Delta{d}}).runDetails()
	if got := rowTexts(section.Blocks[0].(*Table).Rows[0]); got != "pss|13.0|—|—|12.5" {
		t.Errorf("extremes %q", got)
	}
	runs := section.Blocks[1].(*Table)
	if got := rowTexts(runs.Rows[0]) + " " + rowTexts(runs.Rows[1]); got != "pss|before|9.0|11.0 pss|after|12.0|—" {
		t.Errorf("runs %q", got)
	}
	d.Before.Values = make([]float64, 40)
	if runs := runTable([]analyze.Delta{d}); len(runs.Columns) != 14 || runs.Omitted != "28 runs a side not shown." {
		t.Errorf("%d columns, %q", len(runs.Columns), runs.Omitted)
	}
	d.Before.Values, d.After.Values = nil, nil
	if runs := runTable([]analyze.Delta{d}); runs != nil {
		t.Errorf("a table of no runs: %+v", runs)
	}
}

func TestProcessesOfDifferentMetrics(t *testing.T) {
	one, two := head("pss", 10*mib, 12*mib, analyze.Regression), head("rss", 30*mib, 30*mib, analyze.Equivalent)
	two.Subject.Process = "other"
	s := newStory(&analyze.Result{Deltas: []analyze.Delta{one, two}})
	table := s.processTables()[0].(*Table)
	if table.Caption != "2 processes, the worst first" || table.Rows[0][0].Text != "app · pss" || table.Rows[1][0].Text != "other · rss" {
		t.Errorf("%q: %+v", table.Caption, table.Rows)
	}
	two.Subject.Metric = "pss"
	s = newStory(&analyze.Result{Deltas: []analyze.Delta{one, two}})
	if table = s.processTables()[0].(*Table); table.Caption != "2 processes by pss, the worst first" || table.Rows[0][0].Text != "app" {
		t.Errorf("%q: %+v", table.Caption, table.Rows)
	}
	if got := s.answer("app", "x")[0].(*Table).Columns[0].Title; got != "app" {
		t.Errorf("the table of one of several processes is headed %q", got)
	}
}

func TestWhyUnsettled(t *testing.T) {
	for _, c := range []struct {
		d    analyze.Delta
		want string
	}{
		{analyze.Delta{}, "no interval of the change is known."},
		{analyze.Delta{Note: "only 2 runs."}, "no interval of the change is known (only 2 runs)."},
		{analyze.Delta{ShiftLo: of(-1.0 * mib), ShiftHi: of(9.0 * mib), Band: 2 * mib}, "the change lies in [−1.0, +9.0] MiB and reaches over the tolerance of ±2.0 MiB."},
		{analyze.Delta{ShiftLo: of(15.71 * mib), ShiftHi: of(15.72 * mib), Band: 4.5 * mib, Note: "outside the tolerance, but within the 10 % by which two runs of one build are known to differ"},
			"the change is +15.7 MiB, outside the tolerance of ±4.5 MiB, but within the 10 % by which two runs of one build are known to differ."},
		{analyze.Delta{ShiftLo: of(-9.0 * mib), ShiftHi: of(-8.0 * mib), Band: 2 * mib, Note: "too few"}, "the change lies in [−9.0, −8.0] MiB, outside the tolerance of ±2.0 MiB (too few)."},
		{analyze.Delta{ShiftLo: of(-1.0 * mib), ShiftHi: of(1.0 * mib), Band: 2 * mib, Note: "two runs"}, "the change lies in [−1.0, +1.0] MiB, inside the tolerance of ±2.0 MiB (two runs)."},
		{analyze.Delta{ShiftLo: of(-1.0), ShiftHi: of(9.0), Subject: analyze.Subject{Metric: "count"}}, "the change lies in [−1, +9]."},
	} {
		if got := whyUnsettled(c.d); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestFewRuns(t *testing.T) {
	for _, c := range []struct {
		before, after int
		want          string
	}{{4, 4, ""}, {5, 9, ""}, {1, 1, "One run a side"}, {1, 5, "With 1 run before and 5 after"}, {3, 3, "With 3 runs before"}, {0, 2, "0 runs before and 2 after: nothing"}} {
		r := &analyze.Result{}
		for side, n := range map[string]int{"before": c.before, "after": c.after} {
			for i := range n {
				r.Inputs = append(r.Inputs, analyze.Input{Side: side, Run: string(rune('a' + i))}, analyze.Input{Side: side, Run: string(rune('a' + i))})
			}
		}
		text := ""
		for _, i := range newStory(r).fewRuns() {
			text += i.Text
		}
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%d and %d runs: %q, want %q", c.before, c.after, text, c.want)
		}
	}
}

func TestWeakInputs(t *testing.T) {
	s := newStory(&analyze.Result{Inputs: []analyze.Input{{Path: "a", NoData: 2, Lossy: true, Clock: "order"}, {Path: "b", Problems: 1, Lossy: true, Clock: "order"}, {Path: "c", Clock: "wall"}}, Series: []analyze.Series{seriesOf("process", "", analyze.Stable, 0)}})
	var got []string
	for _, i := range s.weakInputs() {
		got = append(got, strings.Fields(i.Text)[0]+" "+strings.Fields(i.Text)[1])
	}
	if want := "2 samples, 2 inputs, 1 record, No times"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
	if last := s.weakInputs()[3].Text; !strings.Contains(last, "a and b") || strings.Contains(last, "c") && strings.Contains(last, " c:") {
		t.Errorf("%q", last)
	}
}

// Parts of other metrics are named, not silently left out.
func TestPartsOfOtherMetricsAreNamed(t *testing.T) {
	part := func(metric, scope string) analyze.Delta {
		d := head(metric, mib, 2*mib, analyze.Regression)
		d.Subject.Scope, d.Subject.Name = scope, "x"
		return d
	}
	s := newStory(&analyze.Result{Deltas: []analyze.Delta{head("pss", 9*mib, 10*mib, analyze.Regression), part("pss", "category"), part("swap", "category"),
		part("rss", "region"), part("count", "handle"), part("live_bytes", "class")}})
	var got []string
	for _, b := range s.grew("app", "grew", "").Blocks {
		switch b := b.(type) {
		case *Table:
			got = append(got, b.ID)
		case *Waterfall:
			got = append(got, b.ID)
		case *Paragraph:
			got = append(got, b.Text)
		}
	}
	if want := "grew-waterfall, grew-category-pss, grew-class-live_bytes, grew-handle-count, The parts are told by pss; the same in swap and rss is in the JSON result."; strings.Join(got, ", ") != want {
		t.Errorf("%q", strings.Join(got, ", "))
	}
}

func TestOptionsHaveDefaults(t *testing.T) {
	got := Options{Rows: 7, Columns: -1}.filled()
	if got.Rows != 7 || got.Columns != 240 || got.Series != 120 || got.Processes != 3 || got.Charts != 8 || got.Findings != 50 {
		t.Errorf("%+v", got)
	}
}

func TestTitleAndContext(t *testing.T) {
	r := &analyze.Result{Deltas: []analyze.Delta{head("pss", 1, 2, "")}, Inputs: []analyze.Input{
		{Side: "before", Run: "1", Format: "smaps", Device: "Pixel 7"}, {Side: "after", Run: "1", Format: "smaps", Device: "Pixel 8"}, {Side: "after", Run: "2", Format: "csv"}}}
	d := New(r, Options{})
	if d.Title != "app: memory before and after" || d.Context != "app · Pixel 7 and Pixel 8 · smaps and csv" {
		t.Errorf("%q, %q", d.Title, d.Context)
	}
	if d := New(nil, Options{}); d.Title != "memory over time" || d.Context != "" {
		t.Errorf("%q, %q", d.Title, d.Context)
	}
}

func TestChartsBesideTheFirst(t *testing.T) {
	r := &analyze.Result{}
	for i, m := range []string{"swap", "pss", "rss", "uss", "dirty"} {
		tl := values(float64(i)*mib, float64(i+1)*mib)
		tl.Subject = analyze.Subject{Process: "app", Scope: "process", Metric: m}
		r.Timeline = append(r.Timeline, tl)
	}
	s := newStory(r)
	s.limit.Charts = 2
	blocks := s.charts("app", "charts").Blocks
	if len(blocks) != 3 || blocks[0].(*Chart).Title != "rss over time" || !blocks[0].(*Chart).Small || blocks[2].(*Paragraph).Text != "Not drawn, the same as another or further down in the order: dirty and swap." {
		t.Errorf("%d blocks", len(blocks))
	}
	if s.chartMetric("app") != "pss" || s.chartMetric("other") != "" {
		t.Errorf("%q, %q", s.chartMetric("app"), s.chartMetric("other"))
	}
}

func TestKindsAreApart(t *testing.T) {
	got := kinds([]analyze.Delta{head("pss", 1, 2, ""), head("live_count", 1, 2, ""), head("rss", 1, 2, "")})
	if len(got[unit.Bytes]) != 2 || len(got[unit.Count]) != 1 {
		t.Errorf("%d and %d", len(got[unit.Bytes]), len(got[unit.Count]))
	}
}
