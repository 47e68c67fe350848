package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// margin is one of pss, in MiB.
func margin(line string, peak, limit float64) analyze.Margin {
	return analyze.Margin{Line: line, Severity: "critical", Run: "r", PeakOf: "samples", Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "pss"},
		Peak: of(peak * mib), Limit: of(limit * mib), Headroom: of((limit - peak) * mib)}
}

func redlineStory(margins ...analyze.Margin) *story {
	v := seriesOf("process", "", analyze.Stable, 0)
	v.Run = "r"
	return newStory(&analyze.Result{Series: []analyze.Series{v}, Redlines: margins})
}

func TestRedlineTable(t *testing.T) {
	crossed, far, unknown, low, soon := margin("crossed", 90, 80), margin("far", 10, 80), margin("unknown", 10, 0), margin("low", 95, 80), margin("soon", 40, 80)
	crossed.AboveS, crossed.Crossings, crossed.PeakOf = 75, 3, "vm_hwm"
	unknown.Limit, unknown.Headroom, unknown.Note = nil, nil, "the capture does not state gpu_total"
	low.Below, low.Headroom = true, of(15.0*mib)
	soon.EtaS, soon.EtaLo, soon.EtaHi = of(3600.0), of(7200.0), of(1800.0)
	again := crossed
	again.Run, again.Peak, again.Headroom = "other", of(81.0*mib), of(-1.0*mib)
	table := redlineStory(far, again, unknown, soon, low, crossed).redlines().Blocks[0].(*Table)
	var got []string
	for _, row := range table.Rows {
		var cells []string
		for _, c := range row[1:] {
			cells = append(cells, c.Mark+c.Text+map[bool]string{true: " (" + c.Note + ")"}[c.Note != ""])
		}
		got = append(got, strings.Join(cells, " | "))
	}
	want := []string{
		"crossed | 90.0 (by vm_hwm) | 80.0 | −10.0 | 1 min 15 s | — | ✗crossed 3 times",
		"low | 95.0 (the least) | 80.0 | 15.0 | 0 s | — | =kept",
		"soon | 40.0 | 80.0 | 40.0 | 0 s | 1 h (30 min to 2 h) | =kept",
		"far | 10.0 | 80.0 | 70.0 | 0 s | — | =kept",
		"unknown | 10.0 | — | — | — | — | ?not known",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if table.Caption != "5 series held against a red line, 1 crossed it, the nearest first" || table.Rows[4][0].Note != unknown.Note {
		t.Errorf("%q, %q", table.Caption, table.Rows[4][0].Note)
	}
	if s := redlineStory().redlines(); len(s.Blocks) != 0 {
		t.Errorf("no red lines: %+v", s)
	}
}

func TestManyRedlinesAreFolded(t *testing.T) {
	var all []analyze.Margin
	for i := range 30 {
		all = append(all, margin(string(rune('a'+i)), float64(i), 80))
	}
	s := redlineStory(all...)
	s.limit.Series = 10
	first, rest := s.redlines().Blocks[0].(*Table), s.redlines().Blocks[1].(*Table)
	if len(first.Rows) != mostRows || first.Folded || len(rest.Rows) != 10 || !rest.Folded || rest.Omitted != "12 series are not listed; all are in the JSON result." {
		t.Errorf("%d and %d rows, %q", len(first.Rows), len(rest.Rows), rest.Omitted)
	}
}

func TestRedlineSentence(t *testing.T) {
	crossed, soon, low := margin("a", 90, 80), margin("b", 40, 80), margin("c", 75, 80)
	crossed.AboveS, soon.EtaS = 60, of(7200.0)
	low.Below, low.Headroom = true, of(-5.0*mib)
	for _, c := range []struct {
		margins []analyze.Margin
		want    string
		tone    Tone
	}{
		{nil, "", Plain},
		{[]analyze.Margin{margin("far", 10, 80)}, "", Plain},
		{[]analyze.Margin{margin("near", 70, 80), margin("far", 10, 80)}, "Red line near: pss peaks at 70.0 MiB, limit 80.0 MiB.", Warn},
		{[]analyze.Margin{soon, margin("far", 50, 80)}, "Red line b: pss peaks at 40.0 MiB, limit 80.0 MiB, reached in 2 h.", Warn},
		{[]analyze.Margin{soon, crossed}, "Red line a: pss peaks at 90.0 MiB, limit 80.0 MiB, crossed for 1 min.", Bad},
		{[]analyze.Margin{low}, "Red line c: pss falls to 75.0 MiB, limit 80.0 MiB, crossed.", Bad},
	} {
		if text, tone := redlineStory(c.margins...).redlineText(); text != c.want || tone != c.tone {
			t.Errorf("%q (%s), want %q (%s)", text, tone, c.want, c.tone)
		}
	}
}

// A limit is drawn where the values keep a third of the chart's height, else it is a sentence.
func TestLimitsOfACharts(t *testing.T) {
	for _, c := range []struct {
		low, high, limit float64
		drawn            bool
	}{{300, 400, 450, true}, {300, 400, 350, true}, {300, 400, 600, true}, {300, 400, 601, false}, {100, 400, 1200, true}, {100, 400, 1201, false}, {300, 400, 99, false}, {300, 400, 101, true}} {
		tl := values(c.low*mib, c.high*mib)
		tl.Limit = of(c.limit * mib)
		tl.Subject = analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}
		m := margin("budget", c.high, c.limit)
		s := newStory(&analyze.Result{Timeline: []analyze.Timeline{tl, tl}, Redlines: []analyze.Margin{m}})
		chart := s.chart("app", "pss", false)
		if drawn := len(chart.Limits) == 1; drawn != c.drawn || drawn == (chart.Beyond != "") {
			t.Errorf("%v to %v, limit %v: %+v, %q", c.low, c.high, c.limit, chart.Limits, chart.Beyond)
		}
		if said := chart.Desc + chart.Beyond; !strings.Contains(said, "ed line budget at "+unit.Quantity(unit.Bytes, &[]float64{c.limit * mib}[0])) {
			t.Errorf("%v: %q", c.limit, said)
		}
	}
}

// A red line is drawn over the builds of captures that name no process, and the one value of a build has no time beyond it.
func TestTheRedLineOfAHistoryWithoutAProcess(t *testing.T) {
	sub := analyze.Subject{Scope: "process", Metric: "rss"}
	h, m := analyze.History{Subject: sub}, margin("max rss", 120, 100)
	for _, name := range []string{"b1", "b2"} {
		h.Builds = append(h.Builds, analyze.BuildLevel{Build: name, Level: analyze.Level{Runs: 1, Median: of(120.0 * mib)}})
	}
	m.Subject, m.Run = sub, "b2"
	s := newStory(&analyze.Result{Histories: []analyze.History{h}, Redlines: []analyze.Margin{m}})
	if c := s.course(&s.Histories[0], nil, false); len(c.Limits) != 1 || c.Limits[0].Value != 100*mib {
		t.Errorf("drawn are %v", c.Limits)
	}
	if text, _ := s.redlineText(); strings.Contains(text, "whole system") || !strings.HasSuffix(text, "limit 100.0 MiB, crossed.") {
		t.Error(text)
	}
	if cell := s.redlines().Blocks[0].(*Table).Rows[0][5]; cell.Text != unit.Unknown {
		t.Errorf("time beyond is %q", cell.Text)
	}
}
