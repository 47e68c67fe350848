package report

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/analyze"
)

// mostCounts is how many moments of a class are written out.
const mostCounts = 12

// classes tells how many objects of the classes that were asked for there are at each moment.
func (s *story) classes() Section {
	section := Section{ID: "classes", Title: "Classes that were asked for"}
	if len(s.Classes) == 0 {
		return section
	}
	t := &Table{ID: "classes-table", Caption: "Objects at each moment that was captured, in order", Columns: []Column{{Title: "class"}, {Title: "objects"}, {Title: "more at the end", Number: true}, {Title: "returns"}}}
	for i := range s.Classes[:min(len(s.Classes), s.limit.Series)] {
		c := &s.Classes[i]
		t.Rows = append(t.Rows, []Cell{{Text: s.seriesName(analyze.Series{Side: c.Side, Run: c.Run, Subject: c.Subject}, true), Code: true}, {Text: counts(c.Counts)},
			{Text: fmt.Sprintf("%+.0f", c.Left), Value: &c.Left}, returns(c)})
	}
	t.gather()
	section.Blocks = append(section.Blocks, t)
	return section
}

func counts(y []float64) string {
	var parts []string
	for _, v := range y[:min(len(y), mostCounts)] {
		parts = append(parts, fmt.Sprintf("%.0f", v))
	}
	if len(y) > mostCounts {
		parts = append(parts, "…", fmt.Sprintf("%.0f", y[len(y)-1]))
	}
	return strings.Join(parts, " → ")
}

func returns(c *analyze.ClassCount) Cell {
	switch c.Returns {
	case "yes":
		return Cell{Text: "yes", Mark: "=", Tone: Good}
	case "no":
		return Cell{Text: "no: more after every repetition", Mark: "✗", Tone: Bad}
	case "partly":
		return Cell{Text: "not all", Mark: "▲", Tone: Warn}
	}
	return Cell{Text: "one moment", Mark: "?", Tone: Muted}
}
