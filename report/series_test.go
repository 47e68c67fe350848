package report

import (
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

func seriesOf(scope, name string, v analyze.Verdict, growth float64) analyze.Series {
	return analyze.Series{Run: "run-1", Subject: analyze.Subject{Process: "app", Scope: scope, Name: name, Metric: "pss"}, N: 60, DurationS: 90, First: 10 * mib, Last: 12 * mib,
		Verdict: v, Growth: &growth, Resolvable: of(0.5 * mib), SlopePerS: of(growth / 90)}
}

func TestWhatMattersFirst(t *testing.T) {
	small := seriesOf("category", "small leak", analyze.Leak, 9*mib)
	small.Severity = "note"
	big := seriesOf("category", "big leak", analyze.Leak, 2*mib)
	big.Severity = "critical"
	var got []string
	for _, v := range matters([]analyze.Series{seriesOf("category", "calm", analyze.Stable, 0), small, seriesOf("category", "step", analyze.Step, mib),
		seriesOf("process", "", analyze.Stable, 0), seriesOf("category", "unknown", analyze.Undetermined, 0), big}) {
		got = append(got, label(v.Subject))
	}
	if want := "big leak, small leak, step, unknown, pss, calm"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
}

func TestSeriesRows(t *testing.T) {
	leak := seriesOf("category", "Native Heap", analyze.Leak, 2*mib)
	leak.Confidence, leak.Severity, leak.Reason, leak.Part = "medium", "note", "It grew.", 1
	unknown := seriesOf("process", "", analyze.Undetermined, 0)
	unknown.Growth, unknown.SlopePerS, unknown.Resolvable = nil, nil, nil
	s := newStory(&analyze.Result{Series: []analyze.Series{leak, unknown}})
	table := s.seriesTable(s.Series, unit.Bytes, "x", "")
	for i, want := range []string{"pss of Native Heap · after restart 1|small leak, medium confidence|+2.00|0.50|+80.0|—|10.0|12.0", "pss|inconclusive|—|—|—|—|10.0|12.0"} {
		var got []string
		for _, c := range table.Rows[i] {
			got = append(got, c.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("row %d: %q, want %q", i, strings.Join(got, "|"), want)
		}
	}
	if c := table.Rows[0][1]; c.Note != "" || c.Mark == "" || c.Tone != Warn || !strings.HasSuffix(table.Caption, "(60 samples in 1 min 30 s)") || table.Columns[4].Unit != "MiB/h" {
		t.Errorf("%+v", c)
	}
	if table.Rows[0][0].Note != "It grew." || !table.Wide {
		t.Errorf("%+v", table.Rows[0][0])
	}
}

func TestTally(t *testing.T) {
	if got, want := tally([]analyze.Series{{Verdict: analyze.Stable}, {Verdict: analyze.Leak}, {Verdict: analyze.Stable}}), "3 series: 1 leak, 2 stable"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := tally([]analyze.Series{{}}); got != "1 series" {
		t.Errorf("%q", got)
	}
}

func TestCountsAndBytesAreTwoTables(t *testing.T) {
	handles := seriesOf("handle", "fd", analyze.Leak, 12)
	handles.Subject.Metric = "count"
	s := newStory(&analyze.Result{Series: []analyze.Series{handles, seriesOf("process", "", analyze.Stable, mib)}})
	blocks := s.otherSeries(seen{}).Blocks
	if len(blocks) != 2 || blocks[0].(*Table).Columns[2].Unit != "MiB" || blocks[1].(*Table).Columns[2].Unit != "" || blocks[0].(*Table).ID == blocks[1].(*Table).ID {
		t.Errorf("%d blocks", len(blocks))
	}
}

// A waterfall over time is only told where each total and part is one series: a restart or a second run is not.
func TestGrowthIsToldOfOneRunInOnePiece(t *testing.T) {
	total, part := seriesOf("process", "", analyze.Leak, 2*mib), seriesOf("category", "Native Heap", analyze.Leak, 2*mib)
	total.Last, part.First, part.Last = 15*mib, 4*mib, 8*mib
	whole := newStory(&analyze.Result{Series: []analyze.Series{total, part}})
	w := whole.grewOverTime("app").Blocks[0].(*Waterfall)
	var got []string
	for _, s := range w.Steps {
		change := s.To - s.From
		got = append(got, s.Label+" "+w.Scale.Text(&change))
	}
	if want := "first 10.0, Native Heap 4.0, remainder 1.0, last 15.0"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
	again := total
	again.Part = 1
	cut := newStory(&analyze.Result{Series: []analyze.Series{total, again, part}})
	if blocks := cut.grewOverTime("app").Blocks; len(blocks) != 0 {
		t.Errorf("told over a restart: %+v", blocks[0])
	}
}

func TestSidesOfAChart(t *testing.T) {
	timeline := func(side, run string) analyze.Timeline {
		tl := line(0, 1, 2)
		tl.Side, tl.Run, tl.Subject = side, run, analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}
		return tl
	}
	for _, c := range []struct {
		name string
		of   []analyze.Timeline
		want string
	}{
		{"sides", []analyze.Timeline{timeline("before", "1"), timeline("before", "2"), timeline("after", "1")}, "before (median of 2 runs), after"},
		{"runs without a side", []analyze.Timeline{timeline("", "one"), timeline("", "two")}, "one, two"},
		{"many runs without a side", []analyze.Timeline{timeline("", "1"), timeline("", "2"), timeline("", "3"), timeline("", "4"), timeline("", "5")}, "(median of 5 runs)"},
	} {
		chart := newStory(&analyze.Result{Timeline: c.of}).chart("app", "pss", false)
		var got []string
		for _, l := range chart.Lines {
			got = append(got, l.Label)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, strings.Join(got, ", "), c.want)
		}
	}
	if c := newStory(&analyze.Result{}).chart("app", "pss", false); c != nil {
		t.Errorf("a chart of nothing: %+v", c)
	}
}

func TestChartSaysWhatItShows(t *testing.T) {
	tl := line(0, 60, 120)
	tl.Subject = analyze.Subject{Process: "app", Scope: "process", Metric: "live_count"}
	c := newStory(&analyze.Result{Timeline: []analyze.Timeline{tl}}).chart("app", "live_count", false)
	if want := "from 0 to 1,200 in 2 min, between −1 and 1,201."; c.Desc != want {
		t.Errorf("%q, want %q", c.Desc, want)
	}
}

func TestTrendGoesThroughTheMiddle(t *testing.T) {
	c := &Chart{Lines: []Line{{Points: joined([]analyze.Timeline{line(0, 1, 2, 3)}, 100)}}}
	c.trend(&analyze.Series{SlopePerS: of(10.0)})
	if l := c.Lines[1]; l.Points[0].Mid != 0 || l.Points[1].Mid != 30 {
		t.Errorf("%+v", l)
	}
	for _, slope := range []*float64{nil, of(1.0)} { // unknown, and a chart with two lines already
		n := len(c.Lines)
		if c.trend(&analyze.Series{SlopePerS: slope}); len(c.Lines) != n {
			t.Error("a line was added")
		}
	}
}

func TestAnchorsAreStableAndDifferent(t *testing.T) {
	a, b := analyze.Subject{Process: "a", Name: "bc"}, analyze.Subject{Process: "ab", Name: "c"}
	again := anchor("x", a)
	if anchor("x", a) == anchor("x", b) || anchor("x", a) != again || math.Abs(float64(len(anchor("x", a))-14)) > 0 {
		t.Errorf("%s %s", anchor("x", a), anchor("x", b))
	}
}
