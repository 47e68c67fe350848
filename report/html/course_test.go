package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/unit"
)

// courseOf is a course of so many builds; those of gaps are not known.
func courseOf(n int, name string, gaps ...int) *report.Course {
	c := &report.Course{ID: "course-1", Title: "pss over the builds", Scale: unit.Scale{Unit: "MiB", Factor: 1 << 20, Digits: 1}}
	for i := range n {
		v := float64(100+i%7) * (1 << 20)
		c.Builds = append(c.Builds, report.CourseBuild{Name: fmt.Sprintf(name, i), Row: fmt.Sprintf("row-%d", i), Runs: 1, Low: &v, Mid: &v, High: &v})
	}
	for _, i := range gaps {
		c.Builds[i].Low, c.Builds[i].Mid, c.Builds[i].High, c.Builds[i].Runs = nil, nil, nil, 0
	}
	return c
}

// TestCourseNames: names under the axis do not lie on each other and stay in the drawing, however many and long they are.
func TestCourseNames(t *testing.T) {
	for _, n := range []int{1, 2, 3, 18, 40, 200, 400} {
		for _, name := range []string{"b%d", "build-%03d", "release-candidate-of-the-line-%05d", "%040x", "构建-%d"} {
			for _, small := range []bool{false, true} {
				from := courseOf(n, name)
				from.Small = small
				c := newCourse(from)
				end := -1.0
				for _, b := range c.Names {
					wide := c.wide(b.Text)
					if left := b.TextX - wide/2; left < end || left < -0.1 || b.TextX+wide/2 > c.Width+0.1 {
						t.Errorf("%d builds, %s: %q at %g lies on another or outside", n, name, b.Text, b.TextX)
					}
					end = b.TextX + wide/2
				}
				if last := c.Names[len(c.Names)-1]; n > 1 && last.Text != short(c.Builds[n-1].Name) || len(c.Names) < min(n, 2) {
					t.Errorf("%d builds, %s: %d names, the last %q", n, name, len(c.Names), last.Text)
				}
			}
		}
	}
}

// TestCourseGaps: the line breaks where nothing is known, and neighbours that are not known are one shade.
func TestCourseGaps(t *testing.T) {
	c := newCourse(courseOf(12, "b%d", 0, 4, 5, 9, 11))
	if len(c.Gaps) != 4 || c.Gaps[1].W < 1.9*c.Gaps[2].W {
		t.Errorf("have %+v", c.Gaps)
	}
	if n := strings.Count(c.Path, "M"); n != 3 {
		t.Errorf("%d pieces: %s", n, c.Path)
	}
	if n := strings.Count(c.Dots, "h0"); n != 7 {
		t.Errorf("%d dots", n)
	}
	if c := newCourse(courseOf(2, "b%d", 0, 1)); c.Path != "" || c.Last != "" {
		t.Errorf("drawn of nothing: %+v", c)
	}
}

// TestCourseMarks: the names of changes stand beside each other or in lines over each other; the drawing begins below them.
func TestCourseMarks(t *testing.T) {
	from := courseOf(60, "build-%03d")
	for _, i := range []int{20, 21, 22, 23, 58, 59} {
		from.Changes = append(from.Changes, report.CourseChange{Index: i, Text: "+10.0 MiB", Tone: report.Bad})
	}
	c := newCourse(from)
	type span struct{ y, from, to float64 }
	var taken []span
	for _, m := range c.Marks {
		if m.Text == "" {
			continue
		}
		wide := c.wide(m.Build + " " + m.Text)
		s := span{m.Y, m.TextX, m.TextX + wide}
		if m.Anchor == "end" {
			s.from, s.to = m.TextX-wide, m.TextX
		}
		for _, o := range taken {
			if o.y == s.y && s.from < o.to && o.from < s.to {
				t.Errorf("%s lies on another", m.Build)
			}
		}
		if s.to > c.Width || m.Y+float64(c.Font) > c.Top {
			t.Errorf("%s stands outside or in the drawing: %+v", m.Build, s)
		}
		taken = append(taken, s)
	}
	if len(taken) < 4 || len(c.Marks) != 6 || c.Marks[0].Row != "row-20" {
		t.Errorf("%d of %d changes are named", len(taken), len(c.Marks))
	}
}

// TestCourseOfNothing: changes among builds of which nothing is known are no reason to fail.
func TestCourseOfNothing(t *testing.T) {
	c := courseOf(2, "b%d", 0, 1)
	c.Changes = []report.CourseChange{{Index: 1, Text: "+10.0 MiB", Tone: report.Bad}}
	if d := newCourseData(c); len(d.Changes) != 1 || d.Changes[0].Colour != upColour {
		t.Errorf("%+v", d.Changes)
	}
}
