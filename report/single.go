package report

import (
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// single is the story of one side: does it leak, what grows, what is wrong, what cannot be said.
func (s *story) single() []Section {
	first := Section{ID: "answer", Brief: mostRows, Blocks: s.notes()}
	shown := seen{}
	if len(s.processes) > 1 {
		first.Blocks = append(first.Blocks, s.growthTables(shown)...)
	}
	if len(s.processes) == 0 {
		return slices.Concat([]Section{first, s.findings(), s.classes(), s.stacks()}, s.evidence(), []Section{s.redlines(), s.room(), s.objectives(), s.work(), s.shared(), s.limits()})
	}
	p := s.processes[0]
	if c := s.chart(p, s.chartMetric(p), false); c != nil {
		c.trend(s.seriesOfChart(c.ID))
		first.Blocks = append(first.Blocks, c)
	}
	first.Blocks = append(first.Blocks, s.verdictTables(p, "answer", shown)...)
	grew := s.grewOverTime(p)
	grew.Blocks = append(grew.Blocks, s.partsTables(p, "grew", shown)...)
	sections := []Section{first, grew, s.leaking(p), s.charts(p, "charts")}
	if s.system {
		sections = append(sections, Section{ID: "system", Title: "Whole system", Blocks: s.verdictTables(machine, "system", shown)})
	}
	return slices.Concat(sections, []Section{s.findings(), s.classes(), s.stacks()}, s.evidence(), []Section{s.redlines(), s.room(), s.objectives(), s.work(), s.shared(), s.limits(), s.otherSeries(shown)})
}

// seriesOfChart finds the series that a chart shows, if it is the only one.
func (s *story) seriesOfChart(id string) *analyze.Series {
	var found *analyze.Series
	for i, v := range s.Series {
		if anchor("chart", v.Subject) != id {
			continue
		}
		if found != nil {
			return nil
		}
		found = &s.Series[i]
	}
	return found
}

// leaking draws the parts that grow.
func (s *story) leaking(process string) Section {
	section := Section{ID: "leaking", Title: "Growing parts over time"}
	for _, v := range s.growingOfAll(process) {
		if len(section.Blocks) >= s.limit.Charts {
			break
		}
		c := s.draw(func(sub analyze.Subject) bool { return sub == v.Subject }, true)
		if c == nil || slices.ContainsFunc(section.Blocks, func(b Block) bool { return b.(*Chart).ID == c.ID }) {
			continue
		}
		if v.Verdict == analyze.Leak {
			c.trend(s.seriesOfChart(c.ID))
		}
		section.Blocks = append(section.Blocks, c)
	}
	return section
}

func (s *story) growingOfAll(process string) (out []analyze.Series) {
	for _, kind := range unit.Kinds {
		out = append(out, s.growingParts(process, kind)...)
	}
	return out
}

// grewOverTime leads from the first sample to the last by categories. It needs one run in one piece: what grew over
// several runs is no one number.
func (s *story) grewOverTime(process string) Section {
	section := Section{ID: "grew", Title: "What changed from the first sample to the last", Brief: 6}
	metric, scope := s.wholeMetric(process)
	if metric == "" {
		return section
	}
	var total *analyze.Series
	var parts []part
	for i, v := range s.Series {
		switch {
		case v.Subject.Process != process || v.Subject.Metric != metric:
		case isHead(v.Subject):
			total = &s.Series[i]
		case v.Subject.Scope == scope:
			parts = append(parts, part{label: label(v.Subject), note: grownNote(v), change: float64(v.Last) - float64(v.First)})
		}
	}
	w := waterfall(kindOf(metric), float64(total.First), float64(total.Last), parts).name("grew-waterfall", metric, scope)
	if len(w.Steps) < 3 { // nothing moved
		return section
	}
	w.Steps[0].Label, w.Steps[0].Side = "first", ""
	w.Steps[len(w.Steps)-1].Label, w.Steps[len(w.Steps)-1].Side = "last", ""
	section.Blocks = append(section.Blocks, w)
	return section
}

// grownNote is the verdict of a part, where it says more than that nothing is wrong.
func grownNote(v analyze.Series) string {
	if v.Verdict == analyze.Leak || v.Verdict == analyze.Step {
		return string(v.Verdict)
	}
	return ""
}

// wholeMetric is the best metric whose total is one series and that divides into parts, each one series too.
func (s *story) wholeMetric(process string) (metric, scope string) {
	count := map[analyze.Subject]int{}
	var heads []string
	for _, v := range s.Series {
		count[v.Subject]++
		if isHead(v.Subject) && v.Subject.Process == process {
			heads = append(heads, v.Subject.Metric)
		}
	}
	for _, m := range sorted(distinct(heads, func(m string) string { return m }), by(choice)) {
		for _, scope := range partScopes {
			whole, parts := true, 0
			for _, v := range s.Series {
				if v.Subject.Process == process && v.Subject.Metric == m && (isHead(v.Subject) || v.Subject.Scope == scope.scope) {
					whole = whole && count[v.Subject] == 1
					parts += int(order(!isHead(v.Subject)))
				}
			}
			if whole && parts > 0 {
				return m, scope.scope
			}
		}
	}
	return "", ""
}

// growthTables are one row a process, told by its worst total; those that matter less are folded.
func (s *story) growthTables(shown seen) []Block {
	var worst []analyze.Series
	for _, p := range s.processes {
		if heads := s.headsOf(p, unit.Bytes); len(heads) > 0 {
			worst = append(worst, matters(sorted(heads, by(func(v analyze.Series) int { return choice(v.Subject.Metric) })))[0])
		}
	}
	n := min(len(worst), mostRows, s.limit.Series)
	if n == 0 {
		return nil
	}
	first := s.seriesTable(worst[:n], unit.Bytes, "processes", fmt.Sprintf("%s, each by the total that matters most, the worst first", plural(len(worst), "process", "processes")))
	first.Wide = false
	blocks := []Block{first}
	shown.note(worst)
	if n < len(worst) {
		end := min(len(worst), n+s.limit.Series)
		rest := s.seriesTable(worst[n:end], unit.Bytes, "processes-more", plural(len(worst)-n, "more process", "more processes"))
		rest.Folded, rest.Extra = true, true
		if hidden := len(worst) - end; hidden > 0 {
			rest.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(hidden, "process is", "processes are"))
		}
		blocks = append(blocks, rest)
	}
	for _, b := range blocks {
		for _, row := range b.(*Table).Rows {
			row[0].Note = ""
		}
	}
	return blocks
}
