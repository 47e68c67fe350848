package html

import (
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/unit"
)

func falling(before float64, changes ...float64) *report.Waterfall {
	w := &report.Waterfall{Scale: unit.CommonScale(unit.Bytes, before), Steps: []report.Step{{Label: "before", Total: true, Side: "before", To: before}}}
	at := before
	for _, c := range changes {
		w.Steps = append(w.Steps, report.Step{Label: "part", From: at, To: at + c})
		at += c
	}
	w.Steps = append(w.Steps, report.Step{Label: "after", Total: true, Side: "after", To: at})
	return w
}

func TestFallIsAChain(t *testing.T) {
	for _, c := range []struct {
		name    string
		w       *report.Waterfall
		note    bool
		hollows string
	}{
		{"small steps on a big total", falling(380*mib, 20*mib, -4*mib, 6*mib), true, "..h.."},
		{"steps as big as the total", falling(4*mib, 20*mib, -14*mib), false, "..h."},
		{"from nothing", falling(0, 20*mib), false, "..."},
		{"to nothing", falling(20*mib, -20*mib), false, ".h."},
		{"nothing at all", falling(0), false, ".."},
	} {
		f := newFall(c.w)
		if got := f.Note != ""; got != c.note {
			t.Errorf("%s: note %q", c.name, f.Note)
		}
		hollows := ""
		for i, r := range f.Rows {
			hollows += map[bool]string{true: "h", false: "."}[r.Hollow]
			if r.X < -0.1 || r.X+r.W > 1002.1 || math.IsNaN(r.X+r.W) {
				t.Errorf("%s: bar %d from %v, %v wide", c.name, i, r.X, r.W)
			}
			if i > 0 && !r.Total {
				near := math.Min(math.Abs(r.X-f.Rows[i-1].Link), math.Abs(r.X+r.W-f.Rows[i-1].Link))
				if near > 2 {
					t.Errorf("%s: bar %d does not begin where the one before ended (%v)", c.name, i, near)
				}
			}
		}
		if hollows != c.hollows {
			t.Errorf("%s: bars %q, want %q", c.name, hollows, c.hollows)
		}
		if last := f.Rows[len(f.Rows)-1]; !last.Last {
			t.Errorf("%s: the last row has a line to the next", c.name)
		}
	}
}

func TestBarsShareTheirZero(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	table := &report.Table{Columns: []report.Column{{Title: "name"}, {Bar: true}}, Rows: [][]report.Cell{
		{{Text: "a"}, {Value: v(30)}}, {{Text: "b"}, {Value: v(-10)}}, {{Text: "c"}, {}}, {{Text: "d"}, {Value: v(0)}}, {{Text: "e"}, {Value: v(math.NaN())}}}}
	b := newBars(table)
	if b.column != 1 || b.zero != 250 {
		t.Fatalf("%+v", b)
	}
	for i, want := range []rect{{X: 250, W: 750, Colour: upColour}, {X: 0, W: 250, Colour: downColour, Hollow: true}, {X: 250}, {X: 250}, {X: 250}} {
		if b.rows[i] != want {
			t.Errorf("row %d: %+v, want %+v", i, b.rows[i], want)
		}
	}
	table.Columns[1].Size = true
	if got := newBars(table).rows[0].Colour; got != sizeColour {
		t.Errorf("a size has the colour of a change: %s", got)
	}
	if none := newBars(&report.Table{Columns: []report.Column{{Title: "name"}}}); none.column != -1 {
		t.Errorf("%+v", none)
	}
}

func TestCells(t *testing.T) {
	v := 432013312.0
	table := &report.Table{Columns: []report.Column{{Title: "name"}, {Title: "after", Number: true}, {Title: "verdict"}},
		Rows: [][]report.Cell{{{Text: "/a/b", Code: true, Note: "why"}, {Text: "412.0", Value: &v}, {Text: "leak", Mark: "✗"}}}}
	got := cells(table, newBars(table), 0)
	if !got[0].Head || got[1].Head || got[1].Raw != "432013312" || got[2].Raw != "" {
		t.Errorf("%+v", got)
	}
	if got[0].Verdict == nil || got[0].Verdict.Text != "leak" || got[0].Note != "why" {
		t.Errorf("the name of the row: %+v", got[0])
	}
	table.Wide = true
	if got := cells(table, newBars(table), 0); got[0].Note != "" {
		t.Error("the note of a wide table stands twice")
	}
}

func TestPieces(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"plain":                           "plain",
		"/data/app/lib.so":                "/data/|app/|lib.so",
		"a//b":                            "a/|/b",
		strings.Repeat("x", 70):           strings.Repeat("x", 32) + "|" + strings.Repeat("x", 32) + "|" + strings.Repeat("x", 6),
		strings.Repeat("ä", 33) + "/tail": strings.Repeat("ä", 32) + "|ä/|tail",
	} {
		got := pieces(in)
		if strings.Join(got, "|") != want || strings.Join(got, "") != in {
			t.Errorf("pieces(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSmallChartsStandSideBySide(t *testing.T) {
	small := func() report.Block { return &report.Chart{Small: true} }
	g := groups([]report.Section{{Blocks: []report.Block{small(), small(), &report.Paragraph{}, small(), &report.Chart{}}}})
	var got []string
	for _, row := range g[0].Rows {
		got = append(got, kind(row))
	}
	if want := "pair paragraph pair chart"; strings.Join(got, " ") != want {
		t.Errorf("rows %q, want %q", got, want)
	}
	if n := len(g[0].Rows[0].(pair)); n != 2 {
		t.Errorf("%d charts in the first row", n)
	}
}

func TestAnchor(t *testing.T) {
	if got := anchor(`a b"<ü-9_`); got != "a-b----9_" {
		t.Errorf("%q", got)
	}
}
