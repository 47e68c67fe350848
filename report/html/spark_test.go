package html

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
)

func TestSpark(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	s := newSpark(report.Cell{Spark: &report.Spark{Values: []*float64{v(10), v(10), nil, v(20)}, Marks: []report.Mark{{Index: 3, Tone: report.Bad}}}})
	if n := strings.Count(s.Path, "M"); n != 2 {
		t.Errorf("want a gap where nothing is known: %s", s.Path)
	}
	if len(s.Marks) != 1 || s.Marks[0].Text != upColour || s.Marks[0].At <= s.Width/2 || s.EndX < s.Marks[0].At {
		t.Errorf("have %+v", s)
	}
	for _, values := range [][]*float64{nil, {nil}, {v(5)}, {v(0), v(0)}} {
		if s := newSpark(report.Cell{Spark: &report.Spark{Values: values}}); strings.Contains(s.Path, "NaN") || strings.Contains(s.Path, "Inf") {
			t.Errorf("%v: %s", values, s.Path)
		}
	}
}
