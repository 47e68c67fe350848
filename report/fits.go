package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// room tells what would fit below the red lines, and what moving memory off a device would buy.
func (s *story) room() Section {
	section := Section{ID: "fits", Title: "What would fit", Note: "By the growth that was measured in these captures and nothing else: beyond what was seen it is a forecast."}
	if len(s.Fits) == 0 && len(s.Reliefs) == 0 {
		section.Note = ""
		return section
	}
	for _, kind := range unit.Kinds {
		of := slices.DeleteFunc(slices.Clone(s.Fits), func(f analyze.Fit) bool { return kindOf(f.Subject.Metric) != kind })
		if len(of) > 0 {
			section.Blocks = append(section.Blocks, s.fitTable(of, kind).capped(s.limit.Series, "series", "series"))
		}
	}
	if len(s.Reliefs) > 0 {
		section.Blocks = append(section.Blocks, s.reliefTable().capped(s.limit.Series, "category", "categories"))
	}
	return section
}

func (s *story) fitTable(of []analyze.Fit, kind unit.Kind) *Table {
	var values []float64
	for _, f := range of {
		values = append(values, f.Limit)
	}
	scale := scaleOf(kind, values)
	t := &Table{ID: "fits-table" + kindWords[kind], Caption: "How much more work, or time, stays below the red line", Columns: []Column{{Title: "series"}, {Title: "red line"}, bytesColumn("limit", scale), {Title: "work"},
		{Title: "up to", Number: true}, {Title: "95 % interval", Number: true}, {Title: "seen", Number: true}}}
	for i := range of {
		f := &of[i]
		most, interval, seen := Cell{Text: amountOf(f.Driver, f.Most), Value: &f.Most}, Cell{Text: unit.Unknown, Tone: Muted}, Cell{Text: unit.Unknown, Tone: Muted}
		if f.MostLo != nil && f.MostHi != nil {
			lo, hi := min(*f.MostLo, *f.MostHi), max(*f.MostLo, *f.MostHi)
			interval = Cell{Text: amountOf(f.Driver, lo) + " to " + amountOf(f.Driver, hi)}
		}
		if f.Driver != inSeconds {
			seen = plainNumber(f.Seen)
		}
		if f.Driver != inSeconds && f.Most > 2*f.Seen {
			most.Note = "far beyond what was seen"
		}
		t.Rows = append(t.Rows, []Cell{{Text: s.of(f.Side, f.Run, f.Subject, full(f.Subject)), Code: f.Subject.Name != ""}, {Text: name(f.Line)}, number(scale, &f.Limit),
			{Text: workName(f.Driver), Code: f.Driver != inSeconds}, most, interval, seen})
	}
	return t
}

func (s *story) reliefTable() *Table {
	var values []*float64
	for i := range s.Reliefs {
		values = append(values, &s.Reliefs[i].Bytes)
	}
	scale := sizesOf(values...)
	t := &Table{ID: "fits-reliefs", Caption: "What moving the largest parts off the device would leave room for", Columns: []Column{{Title: "part"}, bytesColumn("size", scale), {Title: "work"}, {Title: "room for more", Number: true}}}
	for i := range s.Reliefs {
		r := &s.Reliefs[i]
		t.Rows = append(t.Rows, []Cell{{Text: s.of("", r.Run, r.Subject, full(r.Subject)), Code: true}, number(scale, &r.Bytes), {Text: workName(r.Driver), Code: r.Driver != inSeconds}, {Text: amountOf(r.Driver, r.More), Value: &r.More}})
	}
	return t
}

// inSeconds is the driver of what grows with time alone.
const inSeconds = "seconds"

func workName(driver string) string {
	if driver == inSeconds {
		return "time at this growth"
	}
	return name(driver)
}

// amountOf writes so much of a driver: a number, or a length of time.
func amountOf(driver string, v float64) string {
	if driver == inSeconds {
		return unit.Duration(v)
	}
	return fmt.Sprintf("%.6g", v)
}

// advice is the advice on kernels as one table: which, what of, why and what to try.
func (s *story) advice() Section {
	section := Section{ID: "advice", Title: "Advice on kernels", Note: "By a table of decisions on the counters of the profile; thresholds and reasons stand in the documentation. Nothing here is a fault."}
	if len(s.kernels) == 0 {
		section.Note = ""
		return section
	}
	t := &Table{ID: "advice-table", Caption: plural(len(s.kernels), "piece of advice", "pieces of advice") + ", the kernels that take most time first", Columns: []Column{{Title: "kernel"}, {Title: "would gain from"}, {Title: "launches", Number: true},
		{Title: "time of one", Number: true}, {Title: "why"}, {Title: "try"}}}
	for i := range s.kernels {
		f := &s.kernels[i]
		launches, duration := f.Stats["launches"], Cell{Text: unit.Unknown, Tone: Muted}
		if ns, ok := f.Stats["kernel_duration"]; ok {
			duration = Cell{Text: unit.Quantity(unit.Time, &ns), Value: &ns}
		}
		why := strings.TrimPrefix(f.Message, f.Subject.Name+": ")
		t.Rows = append(t.Rows, []Cell{{Text: s.of(f.Side, f.Run, f.Subject, name(f.Subject.Name)), Code: true}, {Text: name(f.Class)}, {Text: unit.Quantity(unit.Count, &launches), Value: &launches},
			duration, {Text: capital(sentence(why))}, {Text: sentence(f.Advice)}})
	}
	section.Blocks = append(section.Blocks, t.capped(s.limit.Series, "piece of advice", "pieces of advice"))
	return section
}
