package report

import (
	"slices"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// aligned is a result of two sides whose runs reach a mark at different times: at a third of a line of four points.
func aligned(where analyze.AlignAt) *analyze.Result {
	sub := analyze.Subject{Process: "p", Scope: "process", Metric: "rss"}
	r := &analyze.Result{Schema: analyze.Schema}
	for side, at := range map[string][2]float64{"before": {10, 12}, "after": {20, 26}} {
		for i, run := range []string{"1", "2"} {
			t := at[i]
			r.Timeline = append(r.Timeline, analyze.Timeline{Side: side, Run: run, Subject: sub, TimeS: []float64{0, t, 2 * t, 3 * t}, Min: []float64{1, 2, 3, 4}, Mid: []float64{1, 2, 3, 4}, Max: []float64{1, 2, 3, 4}})
			r.Anchors = append(r.Anchors, analyze.Anchors{Side: side, Run: run, Marks: []analyze.Mark{{Name: "login", TimeS: t}}})
			stamp := int64(2 * t * 1e9)
			r.Findings = append(r.Findings, analyze.Finding{Rule: "growth", Severity: "warning", Side: side, Run: run, Subject: sub, Evidence: []analyze.Evidence{{File: "f", TimeNS: &stamp}}})
		}
		r.Inputs = append(r.Inputs, analyze.Input{Side: side})
	}
	if err := r.SetAlign(where); err != nil {
		panic(err)
	}
	return r
}

// Each run is laid at its own mark before the runs of a side become one line; findings move with their runs, data stay.
func TestAlignAtMark(t *testing.T) {
	r := aligned(analyze.AlignAt{At: analyze.AtMark, Name: "login"})
	s := tell(r, Options{})
	c := s.draw(func(analyze.Subject) bool { return true }, false)
	if c.Axis.Zero != "login" || len(c.Lines) != 2 {
		t.Fatalf("axis %v, %d lines", c.Axis, len(c.Lines))
	}
	for _, l := range c.Lines {
		want := map[string]float64{"before": -12, "after": -26}[l.Side]
		if l.Points[0].T != want && l.Points[0].T > want+3 {
			t.Errorf("%s begins at %g, want %g", l.Side, l.Points[0].T, want)
		}
		i := slices.IndexFunc(l.Points, func(p Point) bool { return p.T >= 0 })
		if p := l.Points[i]; p.Mid < 2 || p.Mid > 3 {
			t.Errorf("%s has %g just behind the mark, want 2 and a little", l.Side, p.Mid)
		}
		if at, ok := l.Anchors.TimeOfMark("login"); !ok || at != 0 {
			t.Errorf("%s: the mark is at %g, want 0", l.Side, at)
		}
	}
	m := s.moments(func() (all []told) {
		for _, f := range r.Findings {
			all = append(all, told{Finding: f})
		}
		return all
	}(), make([]Finding, len(r.Findings)))
	for i, row := range m.Rows {
		zero := r.Zero(r.Findings[i].Side, r.Findings[i].Run)
		if row.Times[0] != zero { // it was seen at twice the time of the mark
			t.Errorf("finding %d is at %g, want %g", i, row.Times[0], zero)
		}
	}
	if r.Timeline[0].TimeS[0] != 0 {
		t.Error("the result itself was moved")
	}
}

// What an axis without time counts is said by its Span and its noun.
func TestAxisSpan(t *testing.T) {
	for _, c := range []struct {
		per  string
		span float64
		want string
	}{{"", 90, "1 min 30 s"}, {"sample", 12, "12 samples"}, {"1e9 instructions", 2.5, "2.5 G instructions"}, {"1e9 instructions", 0.0025, "2.5 M instructions"}, {"GB allocated", 3, "3 GB allocated"}} {
		if got := (Axis{Per: c.per}).Span(c.span); got != c.want {
			t.Errorf("%s %g: %s, want %s", c.per, c.span, got, c.want)
		}
	}
}
