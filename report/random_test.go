package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
)

// dice makes results of any shape: what an analysis may give, and what a damaged or foreign JSON may hold.
type dice struct{ *rand.Rand }

func (d dice) pick(of ...string) string { return of[d.IntN(len(of))] }

func (d dice) number() *float64 {
	if d.IntN(4) == 0 {
		return nil
	}
	v := []float64{0, 1, -3, 4096, 12.5 * mib, -900, 3e9, math.MaxFloat64, math.NaN(), math.Inf(1)}[d.IntN(10)] * (1 + d.Float64())
	return &v
}

func (d dice) subject() analyze.Subject {
	return analyze.Subject{Process: d.pick("", "app", "system"), Scope: d.pick("process", "process", "process", "category", "mapping", "system", "device", "class", "handle", "summary", "oom", "odd"),
		Name: d.pick("", "", "heap", "/a/very/long/path/that/has/no/blank/in/it/"+strings.Repeat("x", 200)), Metric: d.pick("pss", "rss", "uss", "swap", "count", "mem_free", "gpu_used", "odd", "heap_alloc", "vm_hwm")}
}

func (d dice) series(side string) analyze.Series {
	n := []int{0, 1, 1, 3, 60}[d.IntN(5)]
	return analyze.Series{Side: side, Run: d.pick("a", "b/c", "b/d"), Subject: d.subject(), N: n, DurationS: float64(n) * 30, First: int64(d.IntN(1 << 30)), Last: int64(d.IntN(1<<30)) - 1<<20,
		Verdict:    analyze.Verdict(d.pick("leak", "step", "stable", "inconclusive", "plateau", "", "odd")),
		Confidence: d.pick("", "high"), Severity: d.pick("", "note", "warning"), Growth: d.number(), Resolvable: d.number(), SlopePerS: d.number(), SlopeLo: d.number(), SlopeHi: d.number(),
		Reason: d.pick("", "it grew", strings.Repeat("a long reason ", 60))}
}

func (d dice) delta() analyze.Delta {
	return analyze.Delta{Subject: d.subject(), Before: analyze.Level{Runs: 1, N: d.IntN(3), Median: d.number(), Peak: d.number()}, After: analyze.Level{Runs: 1, Median: d.number(), End: d.number()},
		Shift: d.number(), ShiftLo: d.number(), ShiftHi: d.number(), Relative: d.number(), Share: d.number(), PAdjusted: d.number(),
		Verdict: analyze.Change(d.pick("regression", "improvement", "equivalent", "inconclusive", "new", "removed", "")), Note: d.pick("", "one run a side: so", "own")}
}

func (d dice) result() *analyze.Result {
	r := &analyze.Result{Verdict: analyze.Outcome(d.pick("pass", "fail", "inconclusive", "")), Summary: d.pick("", "Short.", strings.Repeat("A long one, (with brackets); and more: ", 9))}
	sides := []string{""}
	if d.IntN(2) == 0 {
		sides = []string{"before", "after"}
		for range d.IntN(40) {
			r.Deltas = append(r.Deltas, d.delta())
		}
	}
	for _, side := range sides {
		for range d.IntN(3) {
			r.Inputs = append(r.Inputs, analyze.Input{Side: side, Run: d.pick("a", "b/c"), Path: "x", Format: d.pick("", "smaps"), Clock: d.pick("order", "wall")})
		}
		for range d.IntN(30) {
			v := d.series(side)
			r.Series = append(r.Series, v)
			t := line(0, 30, 60)
			t.Side, t.Run, t.Subject = side, v.Run, v.Subject
			r.Timeline = append(r.Timeline, t)
		}
	}
	for range d.IntN(3) {
		r.Findings = append(r.Findings, analyze.Finding{Rule: d.pick("growth", "fault", "odd"), Severity: d.pick("warning", "critical", ""), Side: sides[d.IntN(len(sides))],
			Subject: d.subject(), Message: d.pick("", "it grows", strings.Repeat("long ", 90)), Fingerprint: d.pick("", "a"), Status: d.pick("", "", "new"), Stack: []string{"f", "g"}})
	}
	return r
}

// Whatever a result holds, the report of it is whole: tables are rectangular, IDs are used once, the headline is short,
// first tables have at most their rows, and no number is broken.
func TestAnyResultCanBeTold(t *testing.T) {
	for seed := range uint64(300) {
		d := dice{rand.New(rand.NewPCG(seed, 7))}
		doc := New(d.result(), Options{})
		if n := utf8.RuneCountInString(doc.Headline); n == 0 || n > mostHeadline {
			t.Fatalf("seed %d: headline of %d characters", seed, n)
		}
		ids := map[string]bool{}
		for _, s := range doc.Sections {
			for _, b := range s.Blocks {
				if problem := broken(b, ids); problem != "" {
					t.Fatalf("seed %d, section %s: %s", seed, s.ID, problem)
				}
			}
		}
	}
}

// broken says what is wrong with a block, if anything.
func broken(b Block, ids map[string]bool) string {
	id := ""
	switch b := b.(type) {
	case *Table:
		id = b.ID
		for i, row := range b.Rows {
			if len(row) != len(b.Columns) {
				return fmt.Sprintf("%s: row %d has %d cells of %d", b.ID, i, len(row), len(b.Columns))
			}
			for _, c := range row {
				if strings.Contains(c.Text, "NaN") || strings.Contains(c.Text, "Inf") || strings.Contains(c.Text, "%!") || strings.Contains(c.Text, "−0.0 ") {
					return fmt.Sprintf("%s: %q", b.ID, c.Text)
				}
			}
		}
		if strings.HasSuffix(b.ID, "-totals") && !strings.Contains(b.ID, "other") && len(b.Rows) > mostRows {
			return fmt.Sprintf("%s: %d rows", b.ID, len(b.Rows))
		}
		if len(b.Rows) == 0 {
			return b.ID + " is empty"
		}
	case *Chart:
		id = b.ID
	case *Waterfall:
		id = b.ID
	}
	if id != "" && ids[id] {
		return "the ID " + id + " stands twice"
	}
	ids[id] = true
	return ""
}
