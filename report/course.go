package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Course is a chart of a level over builds, in their order. All values are in raw units; Scale writes them.
type Course struct {
	ID      string
	Title   string
	Desc    string // what can be seen, for those who do not see it
	Scale   unit.Scale
	Builds  []CourseBuild
	Changes []CourseChange
	Release *Limit  // the level of the release
	Limits  []Limit // red lines within the range of the values, or near it
	Beyond  string  // what is said of those that are not
	Small   bool    // may stand beside another one
}

// CourseBuild is one build. Mid is nil where nothing is known of it: that is a gap, not 0.
type CourseBuild struct {
	Name, Date     string   // the date is empty where captures do not say it
	Row            string   // the ID of its row in a table; empty if it has none
	Runs           int64    // 0 in a gap
	Low, Mid, High *float64 // of the medians of its runs
}

// CourseChange is a build from which on the level is another one.
type CourseChange struct {
	Index  int    // of that build
	Text   string // by how much
	Tone   Tone
	Undone bool
}

// course draws one history.
func (s *story) course(h *analyze.History, rows buildRows, small bool) *Course {
	c := &Course{ID: anchor("course", h.Subject), Title: s.courseName(h.Subject) + " over the builds", Small: small}
	var values []float64
	for i, b := range h.Builds {
		one := CourseBuild{Name: name(b.Build), Date: builtOn(b), Row: rows.of(h, i), Runs: int64(b.Runs)}
		if b.Runs > 0 && drawable(b.Median) {
			one.Low, one.Mid, one.High = orElse(b.Lo, b.Median), b.Median, orElse(b.Hi, b.Median)
			values = append(values, *one.Low, *one.Mid, *one.High)
		}
		c.Builds = append(c.Builds, one)
	}
	kind := kindOf(h.Subject.Metric)
	c.Scale = unit.CommonScale(kind, values...)
	shift := scaleOf(kind, shiftsOf(h))
	for _, p := range h.Changes {
		if p.Index >= 0 && p.Index < len(c.Builds) {
			c.Changes = append(c.Changes, CourseChange{p.Index, strings.TrimSpace(shift.Signed(&p.Shift) + " " + shift.Unit), changeTone[p.Verdict], p.UndoneBy != ""})
		}
	}
	if d := h.Drift; d != nil && d.Release && drawable(d.Before.Median) {
		c.Release = &Limit{Label: name(d.Against), Value: *d.Before.Median}
	}
	c.redlines(h, s.Redlines, values)
	c.Desc = c.words(kind) + c.Desc
	return c
}

func (s *story) courseName(sub analyze.Subject) string {
	if isHead(sub) {
		return s.historyName(sub)
	}
	text := full(sub)
	if s.manyProcesses() {
		text = s.processName(sub.Process) + " " + text
	}
	return text
}

// builtOn is the day of a build's captures, where they say it.
func builtOn(b analyze.BuildLevel) string {
	day, _, _ := strings.Cut(b.Date, "T")
	return name(day)
}

func orElse(v, otherwise *float64) *float64 {
	if drawable(v) {
		return v
	}
	return otherwise
}

func drawable(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }

func shiftsOf(h *analyze.History) (out []float64) {
	for i := range h.Changes {
		out = append(out, h.Changes[i].Shift)
	}
	return out
}

// words says what the drawing shows.
func (c *Course) words(kind unit.Kind) string {
	var first, last *CourseBuild
	for i := range c.Builds {
		if b := &c.Builds[i]; b.Mid != nil {
			if last = b; first == nil {
				first = b
			}
		}
	}
	if first == nil {
		return ""
	}
	text := fmt.Sprintf("From %s in %s to %s in %s.", unit.Quantity(kind, first.Mid), first.Name, unit.Quantity(kind, last.Mid), last.Name)
	for _, p := range c.Changes {
		text += fmt.Sprintf(" %s with %s.", p.Text, c.Builds[p.Index].Name)
	}
	return text
}

// redlines adds the lines that a history is held against: those near its values are drawn, the others told.
func (c *Course) redlines(h *analyze.History, margins []analyze.Margin, values []float64) {
	if len(values) == 0 {
		return
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	for _, m := range margins {
		if m.Subject != h.Subject || !drawable(m.Limit) || len(c.Limits) == 3 {
			continue
		}
		l := Limit{Label: "red line " + name(m.Line), Value: *m.Limit}
		said := unit.Quantity(kindOf(h.Subject.Metric), m.Limit)
		if near := math.Max(high-low, high/2); *m.Limit <= high+near && *m.Limit >= low-near {
			c.Limits, c.Desc = append(c.Limits, l), c.Desc+" "+capital(fmt.Sprintf("%s at %s.", l.Label, said))
			continue
		}
		c.Beyond = strings.TrimSpace(c.Beyond + " " + capital(fmt.Sprintf("%s at %s is outside of the chart.", l.Label, said)))
	}
}
