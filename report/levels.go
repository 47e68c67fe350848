package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report/unit"
)

// short says that a one-sided result has series and none that is long enough to be judged for growth: then the story
// is what is there.
func (s *story) short() bool {
	return !s.twoSided() && len(s.Series) > 0 && s.mostSamples() < fewest
}

func (s *story) mostSamples() int {
	n := 0
	for _, v := range s.Series {
		n = max(n, v.N)
	}
	return n
}

// levels is the story of one snapshot, or of too few to speak of growth: what holds how much, by process and by part.
func (s *story) levels() []Section {
	first := Section{ID: "answer", Brief: mostRows, Blocks: append(s.notes(), &Paragraph{Text: s.shortText()})}
	told, metric := s.ranking()
	if len(told) == 0 {
		told = s.processes
	}
	var sections []Section
	if len(s.processes) > 1 {
		first.Blocks = append(first.Blocks, s.rankingTables(metric)...)
	}
	for i, p := range told[:min(len(told), s.limit.Processes)] {
		blocks := append(s.levelTables(p, fmt.Sprintf("levels-%d", i+1)), s.sizes(p, fmt.Sprintf("sizes-%d", i+1))...)
		if len(told) == 1 {
			first.Blocks = append(first.Blocks, blocks...)
			if c := s.chart(p, s.chartMetric(p), false); c != nil {
				first.Blocks = append(first.Blocks, c)
			}
			sections = append(sections, s.grewOverTime(p), s.charts(p, "charts"))
			continue
		}
		sections = append(sections, Section{ID: fmt.Sprintf("process-%d", i+1), Title: s.heading(p), Blocks: blocks})
	}
	if s.system {
		sections = append([]Section{{ID: "system", Title: "Whole system", Brief: 4, Blocks: append(s.levelTables(machine, "levels-system"), s.sizes(machine, "sizes-system")...)}}, sections...)
	}
	return slices.Concat([]Section{first}, sections, []Section{s.findings(), s.classes(), s.stacks()}, s.evidence(), []Section{s.redlines(), s.room(), s.objectives(), s.work(), s.shared(), s.limits()})
}

// shortText says what a result of few samples cannot tell, and what it would take.
func (s *story) shortText() string {
	if n := s.mostSamples(); n > 1 {
		return fmt.Sprintf("%d samples show what is there, not whether it grows (inconclusive): that takes at least %d samples, better 30.", n, fewest)
	}
	return fmt.Sprintf("One snapshot shows what is there, not whether it grows (inconclusive): that takes at least %d samples, better 30.", fewest)
}

// levelHeadline says what is there in a sentence, where nothing is wrong and nothing can be judged.
func (s *story) levelHeadline() string {
	if !s.short() || len(s.Findings) > 0 || len(s.processes) == 0 {
		return ""
	}
	if told, metric := s.ranking(); len(told) > 1 {
		return s.manyHeadline(told, metric)
	}
	p := s.processes[0]
	heads := sorted(s.headsOf(p, unit.Bytes), by(func(v analyze.Series) int { return choice(v.Subject.Metric) }))
	var texts []string
	for _, v := range heads {
		if len(texts) < 3 && v.Last != 0 {
			texts = append(texts, unit.Quantity(unit.Bytes, floatOf(v.Last))+" "+label(v.Subject)+s.which(v))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s.", s.heading(p), strings.Join(texts, ", "))
}

// which says in a sentence which run and part a series is, where there are several.
func (s *story) which(v analyze.Series) string {
	var of []string
	if run := s.runLabel(v); run != "" {
		of = append(of, run)
	}
	if v.Part > 0 {
		of = append(of, fmt.Sprintf("after restart %d", v.Part))
	} else if slices.ContainsFunc(s.Series, func(o analyze.Series) bool { return o.Part > 0 && o.Subject == v.Subject && o.Run == v.Run }) {
		of = append(of, "before the restart")
	}
	if len(of) == 0 {
		return ""
	}
	return " (" + strings.Join(of, ", ") + ")"
}

func (s *story) manyHeadline(told []string, metric string) string {
	sum := 0.0
	for _, p := range told {
		sum += value(s.last(p, metric))
	}
	text := plural(len(told), "process", "processes")
	if table.MetricOf(metric).Additive {
		text += fmt.Sprintf(" hold %s %s", unit.Quantity(kindOf(metric), &sum), metric)
	} else {
		text += " by " + metric
	}
	return fmt.Sprintf("%s; the most is in %s (%s) and %s (%s).", text, s.processName(told[0]), unit.Quantity(kindOf(metric), s.last(told[0], metric)),
		s.processName(told[1]), unit.Quantity(kindOf(metric), s.last(told[1], metric)))
}

// headsOf are the totals of a process of one kind, in the order of tables.
func (s *story) headsOf(process string, kind unit.Kind) []analyze.Series {
	var out []analyze.Series
	for _, v := range s.seriesOf[process] {
		if isHead(v.Subject) && kindOf(v.Subject.Metric) == kind {
			out = append(out, v)
		}
	}
	return sorted(out,
		by(func(v analyze.Series) int { return rank(v.Subject.Metric) }),
		by(func(v analyze.Series) string { return v.Subject.Metric + "\x00" + v.Subject.Name }))
}

// last is the last value of a total; nil if it is not known.
func (s *story) last(process, metric string) *float64 {
	for _, v := range s.seriesOf[process] {
		if v.Subject.Metric == metric && isHead(v.Subject) {
			return floatOf(v.Last)
		}
	}
	return nil
}

// ranking orders the processes by the metric that most of them have and that tells most.
func (s *story) ranking() (told []string, metric string) {
	have := map[string]int{}
	for _, p := range s.processes {
		for _, m := range distinct(s.headsOf(p, unit.Bytes), func(v analyze.Series) string { return v.Subject.Metric }) {
			have[m]++
		}
	}
	for _, m := range telling {
		if have[m] > 0 && have[m]*2 >= len(s.processes) {
			metric = m
			break
		}
	}
	if metric == "" {
		return nil, ""
	}
	told = slices.DeleteFunc(slices.Clone(s.processes), func(p string) bool { return s.last(p, metric) == nil })
	return sorted(told, by(func(p string) float64 { return -value(s.last(p, metric)) }), by(func(p string) string { return p })), metric
}

// rankingTables are one row a process, the greatest first; what does not fit is folded.
func (s *story) rankingTables(metric string) []Block {
	told, _ := s.ranking()
	metrics := []string{metric}
	for _, m := range []string{"rss", "uss", "private_dirty", "swap_pss", "swap"} {
		known := slices.IndexFunc(told, func(p string) bool { return value(s.last(p, m)) != 0 }) >= 0
		if m != metric && known && len(metrics) < 4 {
			metrics = append(metrics, m)
		}
	}
	all := sizing{metrics: metrics, one: "process", many: "processes", additive: func(m string) bool { return table.MetricOf(m).Additive }}
	for _, p := range told {
		row := sized{name: s.processName(p), code: true}
		for _, m := range metrics {
			row.values = append(row.values, s.last(p, m))
		}
		all.rows = append(all.rows, row)
	}
	return all.tables("processes", s.limit.Series)
}

// levelTables are the totals of a process: the ones that matter, and the folded others.
func (s *story) levelTables(process, id string) []Block {
	var blocks, others []Block
	for _, kind := range unit.Kinds {
		heads := s.headsOf(process, kind)
		if len(heads) == 0 {
			continue
		}
		c := choose(seriesMeasures(heads))
		word := kindWords[kind]
		t := s.levelTable(takes(heads, c.shown), kind)
		t.ID, t.Caption, t.Notes = id+word, s.levelsCaption(process), c.notes
		blocks = append(blocks, t)
		if len(c.others) > 0 {
			rest := s.levelTable(takes(heads, c.others), kind)
			rest.ID, rest.Caption, rest.Folded, rest.Extra = id+word+"-other", plural(len(c.others), "other measure")+s.ofOne(process), true, true
			others = append(others, rest)
		}
	}
	return append(blocks, others...)
}

// levelsCaption names the process where no heading does.
func (s *story) levelsCaption(process string) string {
	text := "Totals"
	if s.mostSamples() > 1 {
		text = "Totals: first and last sample, and the range"
	}
	if len(s.processes) > 1 || s.system {
		return text
	}
	return s.heading(process) + ": " + sentenceLower(text)
}

func sentenceLower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// levelTable writes what there is: one value a measure of a snapshot, the way from first to last of a few samples.
func (s *story) levelTable(of []analyze.Series, kind unit.Kind) *Table {
	var values []float64
	for _, v := range of {
		values = append(values, float64(v.First), float64(v.Last), float64(v.Min), float64(v.Max))
	}
	scale := scaleOf(kind, values)
	column := func(title string) Column { return Column{Title: title, Unit: scale.Unit, Number: true} }
	t := &Table{}
	if s.mostSamples() == 1 {
		t.Columns = []Column{{Title: "measure"}, column("size"), {Bar: true, Size: true, Extra: true}, {Title: "what it is", Extra: true}}
		for _, v := range of {
			t.Rows = append(t.Rows, []Cell{{Text: s.seriesName(v, false)}, number(scale, floatOf(v.Last)), {Value: floatOf(v.Last)},
				{Text: sentenceCase(table.MetricOf(v.Subject.Metric).Meaning), Tone: Muted}})
		}
		if kind != unit.Bytes {
			t.Columns[1].Title = map[unit.Kind]string{unit.Count: "how many", unit.Share: "share", unit.Time: "time"}[kind]
		}
		return t
	}
	t.Columns = []Column{{Title: "measure"}, column("first"), column("last"), column("change"), column("least"), column("greatest"), {Title: "samples", Number: true}}
	for _, v := range of {
		change := float64(v.Last) - float64(v.First)
		t.Rows = append(t.Rows, []Cell{{Text: s.seriesName(v, false)}, number(scale, floatOf(v.First)), number(scale, floatOf(v.Last)),
			{Text: scale.Signed(&change), Value: &change}, number(scale, floatOf(v.Min)), number(scale, floatOf(v.Max)), {Text: unit.Integer(int64(v.N)), Value: floatOf(int64(v.N))}})
	}
	return t
}
