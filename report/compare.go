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

// compare is the story of two sides: how much, what grew, what is wrong, what cannot be said, is it still growing.
func (s *story) compare() []Section {
	first := Section{ID: "answer", Brief: mostRows, Blocks: s.notes()}
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
			told = append(told, s.grew(p, "grew", "What grew"))
			continue
		}
		told = append(told, s.process(p, fmt.Sprintf("process-%d", i+1)))
	}
	if s.system {
		told = append(told, s.process(machine, "system"))
	}
	sections := append([]Section{first}, told...)
	if len(s.processes) > 0 {
		sections = append(sections, s.charts(s.processes[0], "charts"))
	}
	return slices.Concat(sections, []Section{s.release(), s.findings(), s.classes(), s.stacks()}, s.evidence(), []Section{s.redlines(), s.room(), s.objectives(), s.work(), s.shared(), s.limits(), s.stillGrowing(), s.runDetails()})
}

// process is all of one process in one section, for those that do not have the first screen.
func (s *story) process(process, id string) Section {
	section := s.grew(process, id, s.heading(process))
	section.Brief = 0
	answer := s.answer(process, id)
	for _, b := range answer {
		if t, ok := b.(*Table); ok {
			t.Caption, t.Columns[0].Title = strings.TrimPrefix(t.Caption, s.heading(process)+": "), "measure" // the heading says it
		}
	}
	section.Blocks = append(answer, section.Blocks...)
	return section
}

// notes are the sentences that must not be missed: the rest of the headline, findings, and what weakens the comparison.
func (s *story) notes() []Block {
	var blocks []Block
	if _, rest := s.headline(); rest != "" && !s.inFindings(rest) {
		blocks = append(blocks, &Paragraph{Text: rest})
	}
	if n := len(s.Findings); n > 0 {
		blocks = append(blocks, &Paragraph{Text: s.findingsText(), Link: "findings", Tone: s.worstTone()})
	}
	blocks = append(blocks, s.standing()...)
	if s.twoSided() && s.runs("before") == 1 && s.runs("after") == 1 {
		blocks = append(blocks, &Paragraph{Tone: Warn, Link: "limits", Text: oneRun})
	}
	return blocks
}

// inFindings says whether a text stands among the findings already.
func (s *story) inFindings(text string) bool {
	text = strings.ToLower(strings.TrimRight(text, ". "))
	return slices.ContainsFunc(s.Findings, func(f analyze.Finding) bool { return strings.Contains(strings.ToLower(f.Message), text) })
}

const oneRun = "One run a side: this cannot tell a difference between two builds from one between two starts of the same build."

// answer is the A/B table of the totals of a process and the chart of the one that speaks for it.
func (s *story) answer(process, id string) []Block {
	heads := kinds(s.deltas(process, isHead))
	first, others := s.totals(heads[unit.Bytes], unit.Bytes, process, id)
	var counts, moreCounts []Block
	for _, kind := range unit.Kinds[1:] {
		shown, more := s.totals(heads[kind], kind, process, id)
		counts, moreCounts = append(counts, shown...), append(moreCounts, more...)
	}
	blocks := first
	if c := s.chart(process, s.chartMetric(process), false); c != nil {
		blocks = append(blocks, c)
	}
	return append(append(append(blocks, counts...), others...), moreCounts...)
}

// totals are the A/B table of the totals of one kind that matter, and the folded one of the others.
func (s *story) totals(ds []analyze.Delta, kind unit.Kind, process, id string) (first, others []Block) {
	if len(ds) == 0 {
		return nil, nil
	}
	c := choose(deltaMeasures(ds))
	word := cmp.Or(strings.TrimPrefix(kindWords[kind], "-"), "totals")
	t := s.totalsTable(takes(ds, c.shown), kind, process)
	t.ID, t.Caption = id+"-"+word, s.levelCaption(process)
	t.Notes = slices.Concat(c.notes, t.Notes, bandNote(takes(ds, c.shown), kind))
	first = []Block{t}
	if len(c.others) > 0 {
		rest := s.totalsTable(takes(ds, c.others), kind, process)
		rest.ID, rest.Folded, rest.Extra = id+"-other-"+word, true, true
		rest.Caption = plural(len(c.others), "other measure") + s.ofOne(process)
		others = []Block{rest}
	}
	return first, others
}

func (s *story) totalsTable(ds []analyze.Delta, kind unit.Kind, process string) *Table {
	title := "measure"
	if len(s.processes) > 1 {
		title = s.processName(process)
	}
	return deltaTable(ds, kind, nameColumn(title, false), beforeColumn, afterColumn, changeColumn, relativeColumn, intervalColumn, verdictColumn)
}

// levelCaption says of what and which number of a run stands in a table.
func (s *story) levelCaption(process string) string {
	if !slices.ContainsFunc(s.deltasOf[process], func(d analyze.Delta) bool { return max(d.Before.N, d.After.N) > 1 }) {
		return s.heading(process) + ": one sample a side"
	}
	text := s.heading(process) + ": median of the last half of "
	if s.runs("before") <= 1 && s.runs("after") <= 1 {
		return text + "the samples"
	}
	return text + "each run, and of these the median over the runs"
}

// ofOne names the process where there are several.
func (s *story) ofOne(process string) string {
	if len(s.processes) > 1 || process == machine {
		return " of " + s.processName(process)
	}
	return ""
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
	n := min(len(mains), mostRows, s.limit.Rows)
	if n == 0 {
		return nil
	}
	first := table("processes", strings.TrimSpace(plural(len(s.processes), "process", "processes")+metric+", the worst first"), mains[:n])
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
		d.Subject.Scope, d.Subject.Name = "named", s.processName(p)
		ds = append(ds, d)
	}
	for _, d := range ds {
		if d.Subject.Metric != ds[0].Subject.Metric {
			for i := range ds {
				ds[i].Subject.Name += " · " + ds[i].Subject.Metric
			}
			return ds, ""
		}
	}
	for i := range ds {
		metric = " by " + ds[i].Subject.Metric
	}
	return ds, metric
}

// details is what an A/B table leaves out: peak, end and the value of each run.
func (s *story) runDetails() Section {
	section := Section{ID: "runs", Title: "Peak, end and each run", Folded: true,
		Note: "The run is what is compared: samples of one run are not independent of each other."}
	if len(s.processes) == 0 {
		return section
	}
	var heads []analyze.Delta
	for _, d := range kinds(s.deltas(s.processes[0], isHead))[unit.Bytes] {
		if !(measure{from: d.Before.Peak, to: d.After.Peak}).empty() || len(d.Before.Values) > 0 && slices.Max(d.Before.Values) > 0 {
			heads = append(heads, d)
		}
	}
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
	if most < 2 { // what one run a side has stands in the first table
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

// chartMetric is the metric of the first chart: that of the worst finding about a total of the process, else the one
// that speaks for the process, among those that can be drawn.
func (s *story) chartMetric(process string) string {
	metrics := s.drawn(process)
	if len(metrics) == 0 {
		return ""
	}
	for _, f := range s.Findings {
		if f.Subject.Process == process && isHead(f.Subject) && f.Side != "before" && slices.Contains(metrics, f.Subject.Metric) {
			return f.Subject.Metric
		}
	}
	return metrics[0]
}

// drawn lists the metrics of a process's totals that a chart can show, best first: a line needs two samples, and a
// line of nothing but 0 is no news.
func (s *story) drawn(process string) []string {
	metrics := distinct(s.Timeline, func(t analyze.Timeline) string {
		n := usable(t)
		if t.Subject.Process != process || !isHead(t.Subject) || n < 2 || slices.Max(t.Max[:n]) == 0 && slices.Min(t.Min[:n]) == 0 {
			return ""
		}
		return t.Subject.Metric
	})
	slices.SortStableFunc(metrics, by(choice))
	return metrics
}
