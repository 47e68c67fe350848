package report

import (
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/example"
)

// Every series of a result can be explored once, what matters most first, with a line where there is one.
func TestExplore(t *testing.T) {
	e := New(example.Compare(), Options{}).Explore
	if e == nil || !e.Sides || e.Omitted != "" {
		t.Fatalf("%+v", e)
	}
	seen, drawn := map[string]bool{}, 0
	for i, r := range e.Rows {
		if seen[r.ID] {
			t.Errorf("%s %s twice", r.Name, r.Metric)
		}
		seen[r.ID] = true
		if i > 0 && r.weight > e.Rows[i-1].weight {
			t.Errorf("%s comes too late", r.Name)
		}
		if r.Chart != nil {
			drawn++
			if len(r.Chart.Lines) == 0 || len(r.Chart.Lines[0].Points) < 2 {
				t.Errorf("%s: a line of nothing", r.Name)
			}
		}
	}
	if first := e.Rows[0]; first.Verdict != "regression" || first.Mark != "✗" || first.Tone != Bad || value(first.Change) != value(first.To)-value(first.From) && first.Change == nil {
		t.Errorf("first %+v", first)
	}
	if drawn == 0 {
		t.Error("no line")
	}
	if New(nil, Options{}).Explore != nil {
		t.Error("nothing can be explored")
	}
}

// Rows are bounded and the points of all lines too, whatever is in a result.
func TestExploreIsBounded(t *testing.T) {
	r := example.Large(300, 400)
	for i := range 6000 {
		d := r.Deltas[i%8]
		d.Verdict = analyze.Equivalent
		d.Subject.Scope, d.Subject.Name = "mapping", string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))
		r.Deltas = append(r.Deltas, d)
	}
	e := New(r, Options{}).Explore
	points := 0
	for _, row := range e.Rows {
		if row.Chart != nil {
			for _, l := range row.Chart.Lines {
				points += len(l.Points)
			}
		}
	}
	if len(e.Rows) != mostEntries || e.Omitted == "" || points > 2*mostPoints || points < mostPoints/4 {
		t.Errorf("%d rows, %d points, %q", len(e.Rows), points, e.Omitted)
	}
}

func TestFindingsLeadOn(t *testing.T) {
	doc := New(example.Stacks(), Options{})
	known := map[string]bool{"": true}
	for _, r := range doc.Explore.Rows {
		known[r.ID] = true
	}
	var flame *Flame
	var found *Findings
	for _, s := range doc.Sections {
		for _, b := range s.Blocks {
			switch b := b.(type) {
			case *Flame:
				flame = b
			case *Findings:
				found = b
			}
		}
	}
	if flame == nil || len(flame.Chains) != 4 || !flame.Bytes || !flame.Objects || !flame.Sides || !flame.Chains[3].Rest {
		t.Fatalf("%+v", flame)
	}
	chains := 0
	for _, f := range found.Items {
		if !known[f.Series] {
			t.Errorf("%s leads to no series", f.Title)
		}
		if f.Chain == flame.Chains[0].ID {
			chains++
		}
	}
	if chains != 1 {
		t.Errorf("%d findings lead to the chain, want 1", chains)
	}
}

// Findings stand on an axis of time once there is more than a moment to show.
func TestMoments(t *testing.T) {
	at := func(seconds ...int64) analyze.Finding {
		f := analyze.Finding{Rule: "growth"}
		for _, s := range seconds {
			ns := s * 1e9
			f.Evidence = append(f.Evidence, analyze.Evidence{File: "a", TimeNS: &ns})
		}
		return f
	}
	for _, c := range []struct {
		name     string
		findings []analyze.Finding
		rows     int
		from, to float64
	}{
		{"none", nil, 0, 0, 0},
		{"one at one time", []analyze.Finding{at(7)}, 0, 0, 0},
		{"one over a time", []analyze.Finding{at(9, 3)}, 1, 3, 9},
		{"two, and one whose time is not known", []analyze.Finding{at(5), at(), at(8)}, 2, 5, 8},
	} {
		s := tell(&analyze.Result{Findings: c.findings}, Options{})
		var m *Moments
		for _, b := range s.findings().Blocks {
			if x, ok := b.(*Moments); ok {
				m = x
			}
		}
		switch {
		case m == nil && c.rows > 0:
			t.Errorf("%s: none", c.name)
		case m != nil && (len(m.Rows) != c.rows || m.From != c.from || m.To != c.to):
			t.Errorf("%s: %+v", c.name, m)
		}
	}
}
