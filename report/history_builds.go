package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Spark is the course of a value over builds, to be drawn small. A value that is not known is nil.
type Spark struct {
	Values []*float64
	Marks  []Mark
}

// Mark is a place of a Spark at which the value changed.
type Mark struct {
	Index int // the first value after the change
	Tone  Tone
}

// mostSparks is how many builds, the newest, a Spark shows.
const mostSparks = 200

// sparkCell draws the course of the medians; its text does it in characters, with a bar before each change, and is cut to the
// newest builds.
func sparkCell(h *analyze.History) Cell {
	from := max(0, len(h.Builds)-mostSparks)
	spark := &Spark{}
	for _, b := range h.Builds[from:] {
		v := b.Median
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			v = nil
		}
		spark.Values = append(spark.Values, v)
	}
	for _, p := range h.Changes {
		if p.Index >= from && p.Index < len(h.Builds) {
			spark.Marks = append(spark.Marks, Mark{p.Index - from, changeTone[p.Verdict]})
		}
	}
	return Cell{Text: spark.text(36), Spark: spark}
}

// text is the course in at most so many characters of eight heights, the newest builds of it. All heights are between the least
// and the greatest value; where they hardly differ it stays low.
func (s *Spark) text(most int) string {
	low, high := s.Range()
	heights := []rune("▁▂▃▄▅▆▇█")
	var out []rune
	for i, v := range s.Values {
		for _, m := range s.Marks {
			if m.Index == i {
				out = append(out, '│')
			}
		}
		if v == nil {
			out = append(out, '·')
			continue
		}
		height := 0
		if high > low {
			height = int(math.Round((*v - low) / (high - low) * float64(len(heights)-1)))
		}
		out = append(out, heights[max(0, min(height, len(heights)-1))])
	}
	return string(out[max(0, len(out)-most):])
}

// Range is what the drawing spans: the values, and at least a twentieth of the greatest so that noise looks like noise.
func (s *Spark) Range() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range s.Values {
		if v != nil {
			low, high = math.Min(low, *v), math.Max(high, *v)
		}
	}
	if math.IsInf(low, 0) {
		return 0, 0
	}
	return low, math.Max(high, low+math.Abs(high)/20)
}

// Desc says in words what a Spark shows, for those who do not see it.
func (s *Spark) Desc() string {
	return fmt.Sprintf("%s, %s marked", plural(len(s.Values), "build"), plural(len(s.Marks), "change"))
}

// everyBuild is a table of the builds for each process or device that speaks first: the measure that tells most with its
// spread, and others beside it.
func (s *story) everyBuild(heads []*analyze.History, rows buildRows) Section {
	section := Section{ID: "builds", Title: "Every build"}
	groups, order := byThing(heads)
	for i, key := range order[:min(len(order), s.limit.Processes)] {
		section.Blocks = append(section.Blocks, s.buildTable(groups[key], fmt.Sprintf("builds-%d", i+1), rows))
	}
	return section
}

// byThing groups the histories of sizes by process or device, in the order of the first of each.
func byThing(heads []*analyze.History) (groups map[string][]*analyze.History, order []string) {
	groups = map[string][]*analyze.History{}
	for _, h := range ofKind(heads, unit.Bytes) {
		key := historyOf(h.Subject)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], h)
	}
	return groups, order
}

// mostBuilds is how many builds, the newest, a table names.
const mostBuilds = 400

// besides is how many other measures stand in the table of builds.
const besides = 4

func (s *story) buildTable(of []*analyze.History, id string, rows buildRows) *Table {
	main, others := of[0], slices.DeleteFunc(slices.Clone(of[1:]), func(h *analyze.History) bool { return len(h.Builds) != len(of[0].Builds) })
	others = others[:min(len(others), besides)]
	var values, shifts []float64
	for i, b := range main.Builds {
		values = append(values, present([]*float64{b.Median, b.Lo, b.Hi})...)
		shifts = append(shifts, present([]*float64{step(main, i)})...)
		for _, o := range others {
			values = append(values, present([]*float64{o.Builds[i].Median})...)
		}
	}
	scale, shift := scaleOf(unit.Bytes, values), scaleOf(unit.Bytes, shifts)
	named := label(main.Subject)
	t := &Table{ID: id, Caption: strings.TrimSpace(s.historyName(main.Subject) + ": median over the runs of each build, the least and the greatest of them"), Columns: []Column{{Title: "build"}, {Title: "date"},
		{Title: "runs", Number: true}, {Title: named, Unit: scale.Unit, Number: true}, {Title: "least", Unit: scale.Unit, Number: true}, {Title: "greatest", Unit: scale.Unit, Number: true},
		{Title: "to the build before", Unit: shift.Unit, Number: true}, {Title: "change of level"}}}
	for _, o := range others {
		t.Columns = append(t.Columns, Column{Title: label(o.Subject), Unit: scale.Unit, Number: true})
	}
	from := max(0, len(main.Builds)-mostBuilds)
	if from > 0 {
		t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(from, "older build is", "older builds are"))
	}
	for i := from; i < len(main.Builds); i++ {
		b, move := main.Builds[i], step(main, i)
		row := []Cell{{Text: name(b.Build), Code: true, ID: rows.of(main, i)}, {Text: cmp.Or(builtOn(b), unit.Unknown)}, {Text: unit.Integer(int64(b.Runs)), Value: floatOf(int64(b.Runs))}, number(scale, b.Median), number(scale, b.Lo), number(scale, b.Hi),
			{Text: shift.Signed(move), Value: move}, changedAt(main, i)}
		for _, o := range others {
			row = append(row, number(scale, o.Builds[i].Median))
		}
		t.Rows = append(t.Rows, row)
	}
	if !slices.ContainsFunc(main.Builds, func(b analyze.BuildLevel) bool { return b.Date != "" }) {
		t.without(1)
	}
	return t
}

// without takes a column out.
func (t *Table) without(column int) {
	t.Columns = slices.Delete(t.Columns, column, column+1)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Delete(row, column, column+1)
	}
}

// step is the difference of a build to the one before.
func step(h *analyze.History, i int) *float64 {
	if i == 0 || h.Builds[i].Median == nil || h.Builds[i-1].Median == nil {
		return nil
	}
	d := *h.Builds[i].Median - *h.Builds[i-1].Median
	return &d
}

func changedAt(h *analyze.History, i int) Cell {
	for _, p := range h.Changes {
		if p.Index == i {
			return Cell{Text: name(string(p.Verdict)), Tone: changeTone[p.Verdict], Mark: changeMark[p.Verdict]}
		}
	}
	return Cell{}
}

var releaseColumn = column{Column{Title: "release", Number: true}, levels, beforeColumn.values, beforeColumn.cell}

// drifts holds the newest builds against the release or the first build.
func (s *story) drifts(heads []*analyze.History) Section {
	section := Section{ID: "drift", Title: "Against the first build", Brief: 3}
	var ds []analyze.Delta
	against := releaseColumn
	for _, h := range heads {
		if h.Drift == nil || kindOf(h.Subject.Metric) != unit.Bytes || len(ds) == s.limit.Rows {
			continue
		}
		d := h.Drift.Delta
		d.Subject.Scope, d.Subject.Name = "named", s.historyName(h.Subject)
		if h.Drift.PerBuild != nil && d.Note == "" {
			scale := unit.CommonScale(unit.Bytes, *h.Drift.PerBuild)
			d.Note = "about " + strings.TrimSpace(scale.Signed(h.Drift.PerBuild)+" "+scale.Unit) + " with each build"
		}
		ds = append(ds, d)
		if against.Title = name(h.Drift.Against); h.Drift.Release {
			section.Title = "Against the release"
		}
	}
	if len(ds) == 0 {
		return section
	}
	newest := afterColumn
	newest.Title, newest.Side = "newest builds", ""
	t := deltaTable(ds, unit.Bytes, nameColumn("measure", false), against, newest, changeColumn, relativeColumn, intervalColumn, verdictColumn)
	t.ID, t.Caption = "drift-totals", "The newest builds of the present level, 6 at most, against "+against.Title
	section.Blocks = []Block{t}
	return section
}

// release is, beside a comparison, the after side against the release.
func (s *story) release() Section {
	section := Section{ID: "release", Title: "Against the release", Brief: 3}
	var heads, parts []analyze.Delta
	for _, d := range s.Release {
		switch {
		case kindOf(d.Subject.Metric) != unit.Bytes:
		case isHead(d.Subject) && (d.Verdict == analyze.Regression || d.Verdict == analyze.Improvement || isLeading(d.Subject.Metric)):
			heads = append(heads, s.named(d))
		case !isHead(d.Subject) && (d.Verdict == analyze.Regression || d.Verdict == analyze.Improvement || d.Verdict == analyze.New):
			d.Subject.Name = full(d.Subject)
			parts = append(parts, s.named(d))
		}
	}
	for i, ds := range [][]analyze.Delta{heads, parts} {
		if len(ds) == 0 {
			continue
		}
		ds = sorted(ds, by(func(d analyze.Delta) int { return -changeWeight[d.Verdict] }), by(func(d analyze.Delta) int { return choice(d.Subject.Metric) }))
		t := deltaTable(ds[:min(len(ds), s.limit.Rows)], unit.Bytes, nameColumn("measure", false), releaseColumn, afterColumn, changeColumn, relativeColumn, intervalColumn, verdictColumn)
		t.ID, t.Caption = "release-totals", "The after side against the release"
		if i == 1 {
			t.ID, t.Caption, t.Folded, t.Extra = "release-parts", "Categories that changed since the release", true, true
		}
		if more := len(ds) - len(t.Rows); more > 0 {
			t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(more, "row is", "rows are"))
		}
		section.Blocks = append(section.Blocks, t)
	}
	return section
}

func isLeading(metric string) bool {
	return slices.Contains(leading, metric)
}

// named puts the process into the name of a row, where there are several.
func (s *story) named(d analyze.Delta) analyze.Delta {
	text := label(d.Subject)
	if len(s.processes) > 1 {
		text = s.processName(d.Subject.Process) + " " + text
	}
	d.Subject.Scope, d.Subject.Name = "named", text
	return d
}
