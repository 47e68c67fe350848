package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
)

func coursesOf(d *report.Doc, section string) (out []*report.Course) {
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if c, ok := b.(*report.Course); ok && s.ID == section {
				out = append(out, c)
			}
		}
	}
	return out
}

// TestCourse: the first screen draws the builds in their order; a build without data is a gap, a change leads to its row.
func TestCourse(t *testing.T) {
	const mib = 1 << 20
	change := analyze.ChangePoint{Build: "b4", Index: 3, Shift: 20 * mib, Verdict: analyze.Regression}
	r := historyOf([]float64{100, 101, 0, 120, 121}, change)
	h := &r.Histories[0]
	low, high, release, near, far := 118.0*mib, 125.0*mib, 90.0*mib, 130.0*mib, 4000.0*mib
	h.Builds[3].Lo, h.Builds[3].Hi, h.Builds[3].Runs, h.Builds[3].Date = &low, &high, 3, "2026-03-01T10:00:00Z"
	h.Drift = &analyze.Drift{Against: "v1", Release: true, Delta: analyze.Delta{Before: analyze.Level{Runs: 1, Median: &release}}}
	r.Redlines = []analyze.Margin{{Line: "ceiling", Subject: h.Subject, Limit: &near}, {Line: "roof", Subject: h.Subject, Limit: &far}, {Line: "other", Limit: &near}}
	d := report.New(r, report.Options{})
	got := coursesOf(d, "answer")
	if len(got) != 1 || len(got[0].Builds) != 5 {
		t.Fatalf("have %+v", got)
	}
	c := got[0]
	if b := c.Builds[2]; b.Mid != nil || b.Runs != 0 {
		t.Errorf("a gap is %+v", b)
	}
	if b := c.Builds[3]; *b.Low != low || *b.High != high || b.Runs != 3 || b.Date != "2026-03-01" || b.Row != "builds-1-b4" {
		t.Errorf("have %+v", b)
	}
	if len(c.Changes) != 1 || c.Changes[0] != (report.CourseChange{Index: 3, Text: "+20.0 MiB", Tone: report.Bad}) {
		t.Errorf("have %+v", c.Changes)
	}
	if c.Release == nil || c.Release.Value != release || len(c.Limits) != 1 || c.Limits[0].Label != "red line ceiling" || !strings.Contains(c.Beyond, "Red line roof at 3.9 GiB is outside") {
		t.Errorf("release %+v, lines %+v, %q", c.Release, c.Limits, c.Beyond)
	}
	if want := "From 100.0 MiB in b1 to 121.0 MiB in b5. +20.0 MiB with b4. Red line ceiling at 130.0 MiB."; c.Desc != want {
		t.Errorf("have %q, want %q", c.Desc, want)
	}
	if id := tables(d, "builds")[0].Rows[3][0].ID; id != c.Builds[3].Row {
		t.Errorf("the row is %q", id)
	}
	if link := tables(d, "history")[0].Rows[0][1].Link; link != c.Builds[3].Row {
		t.Errorf("the change leads to %q", link)
	}
}

// TestCourses: what changed besides the first is drawn small, categories too; what did not is a row with a small line.
func TestCourses(t *testing.T) {
	r := historyOf([]float64{100, 120}, analyze.ChangePoint{Build: "b2", Index: 1, Shift: 1 << 20, Verdict: analyze.Regression})
	for i := range 4 {
		h := r.Histories[0]
		h.Subject = analyze.Subject{Process: "app", Scope: "category", Name: fmt.Sprintf("part %d", i), Metric: "pss"}
		if i > 1 {
			h.Changes, h.Verdict = nil, analyze.Equivalent
		}
		r.Histories = append(r.Histories, h)
	}
	d := report.New(r, report.Options{})
	var titles []string
	for _, c := range coursesOf(d, "courses") {
		titles = append(titles, fmt.Sprint(c.Title, c.Small))
	}
	if have := strings.Join(titles, ", "); have != "pss of part 0 over the buildstrue, pss of part 1 over the buildstrue" {
		t.Errorf("drawn: %s", have)
	}
	quiet := tables(d, "courses")
	if len(quiet) != 1 || len(quiet[0].Rows) != 2 || !strings.HasPrefix(texts(quiet[0].Rows[0]), "pss of part 2") {
		t.Errorf("have %+v", quiet)
	}
}
