package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// compare is the story of two sides: how much, what grew, what is wrong, what cannot be said, is it still growing.
func (s *story) compare() []Section {
	first := Section{ID: "answer", Brief: 12, Blocks: s.notes()}
	if len(s.processes) > 1 {
		first.Blocks = append(first.Blocks, s.processTables()...)
	}
	var told []Section
	for i, p := range s.processes {
		if i == s.limit.Processes {
			break
		}
		if i == 0 {
			first.Blocks = append(first.Blocks, s.answer(p, "answer")...)
			told = append(told, s.grew(p, "grew", "What grew"), s.charts(p, "charts"))
			continue
		}
		id := fmt.Sprintf("process-%d", i+1)
		section := s.grew(p, id, processName(p))
		section.Brief = 0
		section.Blocks = append(s.answer(p, id), section.Blocks...)
		told = append(told, section)
	}
	sections := append([]Section{first}, told...)
	return append(sections, s.findings(), s.limits(), s.verdicts("Is it still growing?", "series", 2), s.details())
}

// notes are the sentences that must not be missed: findings, and what weakens the comparison.
func (s *story) notes() []Block {
	var blocks []Block
	if n := len(s.Findings); n > 0 {
		blocks = append(blocks, &Paragraph{Text: s.findingsText(), Link: "findings", Tone: s.worstTone()})
	}
	if s.twoSided() && s.runs("before") == 1 && s.runs("after") == 1 {
		blocks = append(blocks, &Paragraph{Tone: Warn, Link: "limits", Text: "One run a side: this cannot tell a difference between two builds from one between two starts of the same build."})
	}
	return blocks
}

const oneRun = "The intervals cover the spread within these two runs and not the spread from run to run; " +
	"a difference between two builds cannot be told from one between two starts of the same build. Four or more runs a side can."

// answer is the A/B table of the totals of a process and the chart of the one that speaks for it.
func (s *story) answer(process, id string) []Block {
	heads := kinds(s.deltas(process, isHead))
	blocks := s.totals(heads[unit.Bytes], unit.Bytes, process, id)
	if c := s.chart(process, s.chartMetric(process), false); c != nil {
		blocks = append(blocks, c)
	}
	return append(blocks, s.totals(heads[unit.Count], unit.Count, process, id)...)
}

// totals is the A/B table of the totals of one kind.
func (s *story) totals(ds []analyze.Delta, kind unit.Kind, process, id string) []Block {
	if len(ds) == 0 {
		return nil
	}
	title := "measure"
	if len(s.processes) > 1 {
		title = processName(process)
	}
	t := deltaTable(ds, kind, nameColumn(title, false), beforeColumn, afterColumn, changeColumn,
		relativeColumn, intervalColumn, verdictColumn)
	t.ID, t.Caption = id+"-totals", processName(process)+": steady median of each run, median over the runs"
	if kind == unit.Count {
		t.ID, t.Caption = id+"-counts", processName(process)+": counts"
	}
	return []Block{t}
}

// processTables are one row a process, told by its main metric; those that matter less are folded.
func (s *story) processTables() []Block {
	mains, metric := s.mains()
	table := func(id, caption string, ds []analyze.Delta) *Table {
		t := deltaTable(ds, unit.Bytes, nameColumn("process", true), beforeColumn, afterColumn, changeColumn, relativeColumn,
			intervalColumn, verdictColumn)
		t.ID, t.Caption = id, caption
		return t
	}
	n := min(len(mains), s.limit.Rows)
	first := table("processes", strings.TrimSpace(plural(len(s.processes), "process", "processes")+metric), mains[:n])
	if n == len(mains) {
		return []Block{first}
	}
	end := min(len(mains), n+s.limit.Series)
	rest := table("processes-more", plural(len(mains)-n, "more process", "more processes"), mains[n:end])
	rest.Folded, rest.Extra = true, true
	if hidden := len(mains) - end; hidden > 0 {
		rest.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(hidden, "process is", "processes are"))
	}
	return []Block{first, rest}
}

// mains finds the total that speaks for each process, and says which metric that is if it is the same for all.
func (s *story) mains() (ds []analyze.Delta, metric string) {
	for _, p := range s.processes {
		main := s.mainMetric(p)
		heads := s.deltas(p, func(sub analyze.Subject) bool { return isHead(sub) && (sub.Metric == main || main == "") })
		if len(heads) == 0 || kindOf(heads[0].Subject.Metric) != unit.Bytes {
			continue
		}
		d := heads[0]
		d.Note = d.Subject.Metric
		d.Subject.Scope, d.Subject.Name = "named", processName(p)
		ds = append(ds, d)
	}
	for _, d := range ds {
		if d.Subject.Metric != ds[0].Subject.Metric {
			return ds, ""
		}
	}
	for i := range ds {
		metric, ds[i].Note = " by "+ds[i].Subject.Metric, ""
	}
	return ds, metric
}

// details is what an A/B table leaves out: peak, end and the value of each run.
func (s *story) details() Section {
	section := Section{ID: "runs", Title: "Run by run", Folded: true, Note: "The run is what is compared; samples of one run are not independent of each other."}
	if len(s.processes) == 0 {
		return section
	}
	heads := kinds(s.deltas(s.processes[0], isHead))[unit.Bytes]
	if len(heads) == 0 {
		return section
	}
	section.Blocks = append(section.Blocks, extremes(heads))
	if t := runTable(heads); t != nil {
		section.Blocks = append(section.Blocks, t)
	}
	return section
}

// extremes shows peak and end of both sides.
func extremes(ds []analyze.Delta) *Table {
	level := func(title, side string, pick func(analyze.Level) *float64) column {
		of := func(d analyze.Delta) *float64 {
			if side == "before" {
				return pick(d.Before)
			}
			return pick(d.After)
		}
		return column{Column{Title: title + " " + side, Number: true, Side: side}, levels,
			func(d analyze.Delta) []*float64 { return []*float64{of(d)} },
			func(d analyze.Delta, scale unit.Scale) Cell { return number(scale, of(d)) }}
	}
	peak := func(l analyze.Level) *float64 { return l.Peak }
	end := func(l analyze.Level) *float64 { return l.End }
	named := nameColumn("measure", false)
	t := deltaTable(ds, unit.Bytes, named, level("peak", "before", peak), level("peak", "after", peak), level("end", "before", end), level("end", "after", end))
	t.ID, t.Caption, t.Extra = "extremes", "Peak and end, median over the runs", true
	return t
}

// runTable shows the steady median of every run.
func runTable(ds []analyze.Delta) *Table {
	most := 0
	var all []float64
	for _, d := range ds {
		most = max(most, len(d.Before.Values), len(d.After.Values))
		all = append(append(all, d.Before.Values...), d.After.Values...)
	}
	if most == 0 {
		return nil
	}
	const limit = 12
	shown := min(most, limit)
	scale := unit.CommonScale(unit.Bytes, all...)
	t := &Table{ID: "run-values", Caption: "Steady median of each run", Extra: true,
		Columns: []Column{{Title: "measure"}, {Title: "side"}}}
	for i := range shown {
		t.Columns = append(t.Columns, Column{Title: fmt.Sprintf("run %d", i+1), Unit: scale.Unit, Number: true})
	}
	if most > shown {
		t.Omitted = fmt.Sprintf("%s a side not shown.", plural(most-shown, "run"))
	}
	for _, d := range ds {
		for _, side := range []struct {
			name   string
			values []float64
		}{{"before", d.Before.Values}, {"after", d.After.Values}} {
			row := []Cell{{Text: label(d.Subject)}, {Text: side.name}}
			for i := range shown {
				row = append(row, runCell(scale, side.values, i))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func runCell(scale unit.Scale, values []float64, i int) Cell {
	if i >= len(values) || math.IsNaN(values[i]) {
		return Cell{Text: unit.Unknown}
	}
	return number(scale, &values[i])
}

// chartMetric is the metric of the first chart: the one that speaks for the process among those with a timeline.
func (s *story) chartMetric(process string) string {
	metrics := s.drawn(process)
	if len(metrics) == 0 {
		return ""
	}
	return metrics[0]
}

// drawn lists the metrics of a process's totals that have a timeline, best first.
func (s *story) drawn(process string) []string {
	metrics := distinct(s.Timeline, func(t analyze.Timeline) string {
		if t.Subject.Process != process || !isHead(t.Subject) || len(t.TimeS) == 0 {
			return ""
		}
		return t.Subject.Metric
	})
	slices.SortStableFunc(metrics, by(choice))
	return metrics
}
