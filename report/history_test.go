package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
)

// historyOf is a history of pss in MiB, with changes at the indices given.
func historyOf(levels []float64, changes ...analyze.ChangePoint) *analyze.Result {
	h := analyze.History{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}, Changes: changes, Verdict: analyze.Regression}
	for i, v := range levels {
		b := analyze.BuildLevel{Build: fmt.Sprintf("b%d", i+1)}
		if v > 0 {
			v *= 1 << 20
			b.Level = analyze.Level{Runs: 1, Median: &v, Lo: &v, Hi: &v}
		}
		h.Builds = append(h.Builds, b)
	}
	return &analyze.Result{Schema: analyze.Schema, Verdict: analyze.Fail, Summary: "Memory got worse with b4: app: pss.", Histories: []analyze.History{h}}
}

func tables(d *report.Doc, section string) (out []*report.Table) {
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if t, ok := b.(*report.Table); ok && s.ID == section {
				out = append(out, t)
			}
		}
	}
	return out
}

func texts(row []report.Cell) string {
	var out []string
	for _, c := range row {
		out = append(out, c.Text)
	}
	return strings.Join(out, " | ")
}

func TestHistory(t *testing.T) {
	change := analyze.ChangePoint{Build: "b4", Index: 3, After: 3, From: 100 << 20, To: 120 << 20, Shift: 20 << 20, ShiftLo: 19 << 20, ShiftHi: 21 << 20,
		Basis: "newest", Confidence: "medium", Verdict: analyze.Regression, Parts: []analyze.Part{{Name: "heap", Shift: 18 << 20, Share: 0.9}}}
	d := report.New(historyOf([]float64{100, 101, 0, 120, 121, 120}, change), report.Options{})
	if !strings.Contains(d.Context, "5 builds, b1 to b6; 1 without data") || d.Title != "memory over builds" {
		t.Errorf("context %q, title %q", d.Context, d.Title)
	}
	first := tables(d, "answer")
	if len(first) != 1 || len(first[0].Rows) != 1 {
		t.Fatalf("have %d tables on the first screen", len(first))
	}
	row := first[0].Rows[0]
	if text := texts(row); !strings.Contains(text, "+20.0 | b4") || !strings.HasSuffix(text, "▁▁·│███") {
		t.Errorf("have %q", text)
	}
	spark := row[len(row)-1].Spark
	if spark == nil || len(spark.Values) != 6 || spark.Values[2] != nil || len(spark.Marks) != 1 || spark.Marks[0].Index != 3 {
		t.Errorf("have %+v", spark)
	}
	if text := texts(tables(d, "history")[0].Rows[0]); !strings.Contains(text, "b4 | 100.0 | 120.0 | +20.0 |") || !strings.Contains(text, "medium: few builds yet | heap 90 %") {
		t.Errorf("have %q", text)
	}
	builds := tables(d, "builds")[0]
	if len(builds.Rows) != 6 || builds.Rows[2][2].Value != nil || builds.Rows[3][5].Value != nil || builds.Rows[3][6].Mark == "" || builds.Rows[4][6].Mark != "" {
		t.Errorf("a build of which nothing is known is no 0: %q, %q", texts(builds.Rows[2]), texts(builds.Rows[3]))
	}
}

// TestHistoryUndone: what was brought back stands last and is no alarm.
func TestHistoryUndone(t *testing.T) {
	up := analyze.ChangePoint{Build: "b2", Index: 1, From: 100 << 20, To: 150 << 20, Shift: 50 << 20, Verdict: analyze.Regression, UndoneBy: "b4"}
	down := analyze.ChangePoint{Build: "b4", Index: 3, From: 150 << 20, To: 90 << 20, Shift: -60 << 20, Verdict: analyze.Improvement}
	r := historyOf([]float64{100, 150, 150, 90, 90}, up, down)
	r.Histories[0].Verdict = analyze.Improvement
	d := report.New(r, report.Options{})
	rows := tables(d, "history")[0].Rows
	if !strings.Contains(texts(rows[0]), "improvement") || !strings.Contains(texts(rows[1]), "undone by b4") || rows[1][7].Tone != report.Muted {
		t.Errorf("have %q then %q", texts(rows[0]), texts(rows[1]))
	}
	if text := texts(tables(d, "answer")[0].Rows[0]); !strings.Contains(text, "−60.0 | b4") {
		t.Errorf("have %q", text)
	}
}

// TestHistoryOdd: damaged histories are told as far as they go.
func TestHistoryOdd(t *testing.T) {
	odd := historyOf([]float64{1, 2, 3}, analyze.ChangePoint{Build: "x", Index: 99}, analyze.ChangePoint{Index: -4})
	odd.Histories = append(odd.Histories, analyze.History{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "rss"}}, historyOf([]float64{7}).Histories[0])
	odd.Histories[2].Subject.Metric = "uss"
	report.New(odd, report.Options{})
	odd.Histories = odd.Histories[1:]
	report.New(odd, report.Options{})
}

// TestHistoryRedacted: builds are hidden as runs are.
func TestHistoryRedacted(t *testing.T) {
	r := historyOf([]float64{100, 120}, analyze.ChangePoint{Build: "customer-7", Index: 1, Verdict: analyze.Regression})
	r.Histories[0].Builds[1].Build = "customer-7"
	r.Findings = []analyze.Finding{{Rule: "regression", Severity: "warning", Message: "pss changed with customer-7."}}
	have := report.Redact(r)
	if text := fmt.Sprintf("%+v", have); strings.Contains(text, "customer") {
		t.Errorf("the build's name stands in %s", text)
	}
	if have.Histories[0].Builds[1].Build == have.Histories[0].Builds[0].Build || have.Histories[0].Changes[0].Build != have.Histories[0].Builds[1].Build {
		t.Errorf("have %+v", have.Histories[0])
	}
}

func TestReleaseSection(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	level := func(v float64) analyze.Level { return analyze.Level{Runs: 4, Median: f(v)} }
	d := analyze.Delta{Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}, Before: level(100 << 20), After: level(101 << 20), Shift: f(1 << 20), Verdict: analyze.Equivalent}
	old := d
	old.Before, old.Shift, old.Verdict = level(80<<20), f(21<<20), analyze.Regression
	doc := report.New(&analyze.Result{Schema: analyze.Schema, Deltas: []analyze.Delta{d}, Release: []analyze.Delta{old}}, report.Options{})
	got := tables(doc, "release")
	if len(got) != 1 || got[0].Columns[1].Title != "release" || !strings.Contains(texts(got[0].Rows[0]), "80.0 | 101.0 | +21.0") {
		t.Fatalf("have %+v", got)
	}
}
