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

// couldHave explains the column that stands beside every verdict.
const couldHave = "“Could have shown” is the least growth over the whole capture that would have been seen: a slower leak can hide under it."

// verdictTables are the verdicts on the totals of a process that matter; shown collects what they hold.
func (s *story) verdictTables(process, id string, shown seen) []Block {
	var blocks []Block
	for _, kind := range unit.Kinds {
		heads := matters(s.headsOf(process, kind))
		c := choose(s.mark(seriesMeasures(heads)))
		if len(c.shown) == 0 {
			continue
		}
		word := kindWords[kind] + "-verdicts"
		t := s.seriesRows(takes(heads, c.shown), kind, id+word, s.verdictCaption(process, kind))
		t.Notes = c.notes
		if len(blocks) == 0 && s.leftOut(takes(heads, c.shown)) {
			t.Notes = append(t.Notes, s.warmUpNote())
		}
		blocks = append(append(blocks, t), t.reasons()...)
		shown.note(takes(heads, c.shown))
	}
	return blocks
}

// reasons takes the reasons out of the rows into a folded table of their own: on the first screen the numbers stand
// close together, and one click away what they mean.
func (t *Table) reasons() []Block {
	why := &Table{ID: t.ID + "-why", Caption: "Why each verdict", Folded: true, Extra: true, Columns: []Column{{Title: "series"}, {Title: "why"}}}
	for _, row := range t.Rows {
		reason := capital(row[0].Note)
		same := slices.IndexFunc(why.Rows, func(r []Cell) bool { return r[1].Text == reason })
		switch {
		case reason == "":
		case same >= 0:
			if names := strings.Split(why.Rows[same][0].Text, ", "); !slices.Contains(names, row[0].Text) {
				why.Rows[same][0].Text += ", " + row[0].Text
			}
		default:
			why.Rows = append(why.Rows, []Cell{{Text: row[0].Text}, {Text: reason}})
		}
		row[0].Note = ""
	}
	if len(why.Rows) == 0 {
		return nil
	}
	return []Block{why}
}

func (s *story) verdictCaption(process string, kind unit.Kind) string {
	switch kind {
	case unit.Count:
		return s.heading(process) + ": what is counted"
	case unit.Share, unit.Time:
		return s.heading(process) + map[unit.Kind]string{unit.Share: ": shares", unit.Time: ": times"}[kind]
	}
	return s.heading(process) + ": does it grow? Beside each verdict the growth and the least growth that could have shown"
}

// partsTables are the verdicts on the parts that grow.
func (s *story) partsTables(process, id string, shown seen) []Block {
	var blocks []Block
	for _, kind := range unit.Kinds {
		of := s.growingParts(process, kind)
		of = of[:min(len(of), mostRows)]
		if len(of) == 0 {
			continue
		}
		word := "-parts" + kindWords[kind]
		blocks = append(blocks, s.seriesTable(of, kind, id+word, "Parts that grow, the worst first, each by the metric that tells most"))
		shown.note(of)
	}
	return blocks
}

// growingParts are the parts with the verdict leak or step, each in the one metric that shows it best, worst first.
func (s *story) growingParts(process string, kind unit.Kind) []analyze.Series {
	var of []analyze.Series
	have := map[string]bool{}
	for _, v := range sorted(s.seriesOf[process], by(func(v analyze.Series) int { return choice(v.Subject.Metric) })) {
		key := v.Subject.Scope + "\x00" + v.Subject.Name + "\x00" + v.Run
		grows := v.Verdict == analyze.Leak || v.Verdict == analyze.Step
		if grows && kindOf(v.Subject.Metric) == kind && !isHead(v.Subject) && divides(v.Subject) && !trifling(v) && !have[key] {
			have[key] = true
			of = append(of, v)
		}
	}
	return matters(of)
}

// trifling says that what a verdict is about is too small to be told first: less than 16 pages,
// less than 5 things, less than 1 % of a whole, less than a microsecond.
func trifling(v analyze.Series) bool {
	most := math.Max(math.Abs(value(v.Growth)), math.Abs(float64(v.Last)-float64(v.First)))
	return most < map[unit.Kind]float64{unit.Bytes: 64 << 10, unit.Count: 5, unit.Share: 1e4, unit.Time: 1e3}[kindOf(v.Subject.Metric)]
}

// divides says whether a scope is one of those that a reader is told of; others show the same memory in another order.
func divides(sub analyze.Subject) bool {
	return slices.ContainsFunc(partScopes, func(p partScope) bool { return p.scope == sub.Scope })
}

// seen are the series that stand somewhere in the report.
type seen map[seriesKey]bool

type seriesKey struct {
	side, run string
	subject   analyze.Subject
	part      int
}

func keyOf(v analyze.Series) seriesKey { return seriesKey{v.Side, v.Run, v.Subject, v.Part} }

func (s seen) note(of []analyze.Series) {
	for _, v := range of {
		s[keyOf(v)] = true
	}
}

// otherSeries is the folded section of all series that stand nowhere else, worst first.
func (s *story) otherSeries(shown seen) Section {
	section := Section{ID: "series-other", Title: "All other series", Folded: true, Note: couldHave}
	for _, kind := range unit.Kinds {
		var of []analyze.Series
		for _, v := range s.Series {
			if kindOf(v.Subject.Metric) == kind && !shown[keyOf(v)] && (v.First != 0 || v.Last != 0 || v.Max != 0) {
				of = append(of, v)
			}
		}
		of = matters(of)
		n := min(len(of), s.limit.Series)
		if n == 0 {
			continue
		}
		word := cmp.Or(strings.TrimPrefix(kindWords[kind], "-"), "bytes")
		t := s.seriesTable(of[:n], kind, "series-other-"+word, tally(of))
		t.Extra = true
		if hidden := len(of) - n; hidden > 0 {
			t.Omitted = fmt.Sprintf("%s, all further down in this order, not listed; all are in the JSON result.", plural(hidden, "series is", "series are"))
		}
		section.Blocks = append(section.Blocks, t)
	}
	return section
}

// stillGrowing is, with two sides, what each run is by itself: by the metric that speaks for the first process.
func (s *story) stillGrowing() Section {
	section := Section{ID: "series", Title: "Is it still growing?", Brief: 3, Note: couldHave}
	if len(s.processes) == 0 || len(s.Series) == 0 {
		return section
	}
	if n := s.mostSamples(); n < fewest {
		section.Note = ""
		section.Blocks = []Block{&Paragraph{Text: fmt.Sprintf("That cannot be said: the longest series has %s, and at least %d are needed, better 30.", plural(n, "sample"), fewest)}}
		return section
	}
	p := s.processes[0]
	metric := cmp.Or(s.chartMetric(p), s.mainMetric(p))
	var of []analyze.Series
	for _, v := range s.headsOf(p, kindOf(metric)) {
		if v.Subject.Metric == metric {
			of = append(of, v)
		}
	}
	shown := seen{}
	of = matters(of)
	if n := min(len(of), 2*mostRows); n > 0 {
		t := s.seriesTable(of[:n], kindOf(metric), "series-verdicts", s.tallyBySide(of, metric))
		if s.leftOut(of[:n]) {
			note := s.warmUpNote()
			note.Extra = true
			t.Notes = append(t.Notes, note)
		}
		section.Blocks = append(section.Blocks, t)
		shown.note(of[:n])
	}
	section.Blocks = append(section.Blocks, foldedTables(s.otherSeries(shown))...)
	return section
}

// foldedTables are the tables of a section, each folded by itself.
func foldedTables(section Section) []Block {
	for _, b := range section.Blocks {
		if t, ok := b.(*Table); ok {
			t.Folded, t.Caption = true, "Other series, "+t.Caption
		}
	}
	return section.Blocks
}

// tallyBySide counts the verdicts of each side: "pss before: 8 warm-up; after: 7 warm-up, 1 stable".
func (s *story) tallyBySide(of []analyze.Series, metric string) string {
	var parts []string
	for _, side := range []string{"before", "after"} {
		one := slices.DeleteFunc(slices.Clone(of), func(v analyze.Series) bool { return v.Side != side })
		if len(one) > 0 {
			_, text, _ := strings.Cut(tally(one), ": ")
			parts = append(parts, side+": "+text)
		}
	}
	return name(metric) + " " + strings.Join(parts, "; ")
}

// matters orders series: the worst verdict first, totals before parts, then the greatest growth.
func matters(of []analyze.Series) []analyze.Series {
	return sorted(of,
		by(func(v analyze.Series) int { return -weightOf(v) }),
		by(func(v analyze.Series) int { return severityWeight[v.Severity] * -1 }),
		by(func(v analyze.Series) bool2 { return order(!isHead(v.Subject)) }),
		by(func(v analyze.Series) float64 { return -math.Abs(value(v.Growth)) }),
		by(func(v analyze.Series) string { return v.Subject.Process + "\x00" + v.Subject.Name }),
		by(func(v analyze.Series) int { return rank(v.Subject.Metric) }),
		by(func(v analyze.Series) string { return v.Side + "\x00" + v.Run }),
		by(func(v analyze.Series) int { return v.Part }))
}

// bool2 is a truth value that can be ordered.
type bool2 int

func order(b bool) bool2 {
	if b {
		return 1
	}
	return 0
}

// seriesTable writes series, in the order given; a reason that several share stands once under the table.
func (s *story) seriesTable(of []analyze.Series, kind unit.Kind, id, caption string) *Table {
	t := s.seriesRows(of, kind, id, caption)
	t.gather()
	return t
}

// seriesRows writes each series with its reason.
func (s *story) seriesRows(of []analyze.Series, kind unit.Kind, id, caption string) *Table {
	var levels, rates, grown []float64
	for _, v := range of {
		levels = append(levels, float64(v.First), float64(v.Last))
		rates = append(rates, present([]*float64{v.SlopePerS, v.SlopeLo, v.SlopeHi})...)
		grown = append(grown, present([]*float64{v.Growth, v.Resolvable})...)
	}
	level, growth, rate := scaleOf(kind, levels), scaleOf(kind, grown), unit.Scale{}
	if per := perOf(of); len(rates) > 0 && per != "" {
		rate = scaleOf(kind, rates)
		rate.Unit += "/" + per
	} else if len(rates) > 0 {
		rate = unit.RateScale(kind, rates...)
	}
	t := &Table{ID: id, Caption: caption, Wide: true, Columns: []Column{
		{Title: "series"}, {Title: "verdict"}, {Title: "growth", Unit: growth.Unit, Number: true},
		{Title: "could have shown", Unit: growth.Unit, Number: true}, {Title: "slope", Unit: rate.Unit, Number: true},
		{Title: "95 % interval", Unit: rate.Unit, Number: true, Extra: true}, {Title: "first", Unit: level.Unit, Number: true, Extra: true},
		{Title: "last", Unit: level.Unit, Number: true, Extra: true}, {Title: "samples", Number: true, Extra: true}, {Title: "time", Number: true, Extra: true}}}
	for _, v := range of {
		t.Rows = append(t.Rows, []Cell{
			{Text: s.seriesName(v, true), Code: v.Subject.Name != "", Note: sentence(v.Reason)}, seriesVerdict(v),
			{Text: growth.Signed(v.Growth), Value: v.Growth, Tone: seriesTone(v)}, number(growth, v.Resolvable),
			{Text: rate.Signed(v.SlopePerS), Value: v.SlopePerS}, {Text: rate.Interval(v.SlopeLo, v.SlopeHi), Tone: Muted},
			number(level, floatOf(v.First)), number(level, floatOf(v.Last)),
			{Text: unit.Integer(int64(v.N)), Value: floatOf(int64(v.N))}, {Text: lasted(v), Value: &v.DurationS},
		})
	}
	return oneLength(t, of)
}

// perOf is what a second stands for in all of the series, where they have no time.
func perOf(of []analyze.Series) string {
	for _, v := range of {
		if v.Per != of[0].Per {
			return ""
		}
	}
	if len(of) == 0 {
		return ""
	}
	return of[0].Per
}

// lasted is how long a series is.
func lasted(v analyze.Series) string {
	switch {
	case v.Per == "sample":
		return "no time"
	case v.Per != "":
		return fmt.Sprintf("%.4g × %s", v.DurationS, v.Per)
	}
	return unit.Duration(v.DurationS)
}

// oneLength puts the number of samples and their time into the caption where all rows have the same.
func oneLength(t *Table, of []analyze.Series) *Table {
	for _, v := range of {
		if v.N != of[0].N || v.DurationS != of[0].DurationS {
			return t
		}
	}
	n := len(t.Columns) - 2
	t.Columns = t.Columns[:n]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:n]
	}
	if of[0].Per == "sample" {
		t.Caption += fmt.Sprintf(" (%s)", plural(of[0].N, "sample"))
		return t
	}
	t.Caption += fmt.Sprintf(" (%s in %s)", plural(of[0].N, "sample"), lasted(of[0]))
	return t
}

// tally counts verdicts: "2 leak, 1 step, 40 stable".
func tally(of []analyze.Series) string {
	text := ""
	for _, v := range []analyze.Verdict{analyze.Leak, analyze.Step, analyze.Undetermined, analyze.WarmUp, analyze.Plateau, analyze.Falling, analyze.Stable} {
		n := 0
		for _, one := range of {
			if one.Verdict == v {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(", %d %s", n, v)
		}
	}
	if text == "" {
		return plural(len(of), "series", "series")
	}
	return plural(len(of), "series", "series") + ": " + text[2:]
}

// seriesName says which series a row is: with the process if asked for and there are several, and with the side, run
// and part only where there are several.
func (s *story) seriesName(v analyze.Series, withProcess bool) string {
	text := full(v.Subject)
	if withProcess && (len(s.processes) > 1 || v.Subject.Process == machine && v.Subject.Scope != "device") {
		text = s.processName(v.Subject.Process) + " " + text
	}
	if run := s.runLabel(v); run != "" {
		text += " · " + run
	}
	if v.Part > 0 {
		text += fmt.Sprintf(" · after restart %d", v.Part)
	}
	return text
}

func seriesTone(v analyze.Series) Tone {
	switch v.Verdict {
	case analyze.Leak:
		if v.Severity == "note" {
			return Warn
		}
		return Bad
	case analyze.Step, analyze.Undetermined:
		return Warn
	}
	return Plain
}

var seriesMark = map[analyze.Verdict]string{
	analyze.Leak: "✗", analyze.Step: "▟", analyze.Undetermined: "?", analyze.WarmUp: "◠", analyze.Plateau: "◠", analyze.Falling: "↘", analyze.Stable: "=",
}

func seriesVerdict(v analyze.Series) Cell {
	c := Cell{Text: clean(string(v.Verdict)), Tone: seriesTone(v), Mark: seriesMark[v.Verdict]}
	if c.Text == "" {
		return Cell{Text: unit.Unknown}
	}
	if v.Severity == "note" {
		c.Text = "small " + c.Text
	}
	if v.Confidence != "" {
		c.Text += ", " + name(v.Confidence) + " confidence"
	}
	return c
}
