package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report/unit"
)

// limits is the section on what could not be said, and why: a reader must not take silence for a pass.
func (s *story) limits() Section {
	section := Section{ID: "limits", Title: "What could not be said", Brief: 1}
	list := &List{}
	for _, part := range []func() []Item{s.fewRuns, s.unlike, s.unsettledTotals, s.unsettledSeries, s.weakInputs} {
		list.Items = append(list.Items, part()...)
	}
	for _, w := range s.Warnings {
		if text := sentence(w); !slices.ContainsFunc(list.Items, func(i Item) bool { return i.Text == text }) {
			list.Items = append(list.Items, Item{Text: text})
		}
	}
	if n := neverEnded(list.Items); n > 0 && len(s.Findings) == 0 {
		section.Brief = min(n, 2) + 1
	}
	if len(list.Items) == 0 && (len(s.Series) > 0 || len(s.Deltas) > 0) {
		list.Items = []Item{{Text: "Nothing was left open: every total has a verdict, and no input had gaps."}}
	}
	if n := len(list.Items); n > s.limit.Series {
		list.Items = list.Items[:s.limit.Series]
		list.Omitted = fmt.Sprintf("%d more not listed; all are in the JSON result.", n-s.limit.Series)
	}
	if len(list.Items) == 1 && (s.short() || list.Items[0].Text == s.unread().String()) {
		section.Brief = 0 // the first screen says it
	}
	if len(list.Items) > 0 {
		section.Blocks = []Block{list}
	}
	return section
}

// neverEnded puts what was made and never ended first, and counts it: it may be the leak that no curve shows.
func neverEnded(items []Item) (n int) {
	other := func(i Item) bool { return !strings.Contains(i.Text, " were never ended ") }
	slices.SortStableFunc(items, func(a, b Item) int { return int(order(other(a)) - order(other(b))) })
	for n < len(items) && !other(items[n]) {
		n++
	}
	return n
}

// fewRuns says what the number of runs does not allow, unless the analysis has said it already.
func (s *story) fewRuns() []Item {
	before, after := s.runs("before"), s.runs("after")
	switch {
	case !s.twoSided() || before >= 4 && after >= 4 || s.warned("runs a side"):
		return nil
	case before == 0 || after == 0:
		return []Item{{Text: fmt.Sprintf("There are %s before and %d after: nothing could be compared.", plural(before, "run"), after), Tone: Warn}}
	case before == 1 && after == 1:
		return []Item{{Text: "One run a side: the intervals cover the spread within these two runs and not the spread from run to run. Four or more runs a side can tell a difference between two builds from one between two starts.", Tone: Warn}}
	}
	return []Item{{Text: fmt.Sprintf("With %s before and %d after, no interval of a change can be trusted at 95 %%; from four a side on it can.",
		plural(before, "run"), after), Tone: Warn}}
}

// warned says whether the analysis itself, in a warning or in its summary, has all of some words.
func (s *story) warned(words ...string) bool {
	return slices.ContainsFunc(append([]string{s.Summary}, s.Warnings...), func(text string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// unlike names what differs between the sides besides the build.
func (s *story) unlike() []Item {
	var items []Item
	for _, what := range []struct {
		many   string
		values func(analyze.Input) []string
	}{
		{"processes", func(in analyze.Input) []string { return in.Process }},
		{"devices", func(in analyze.Input) []string { return []string{in.Device} }},
		{"formats", func(in analyze.Input) []string { return []string{in.Format} }},
	} {
		before, after := s.values("before", what.values), s.values("after", what.values)
		if len(before) == 0 || len(after) == 0 || slices.Equal(before, after) || s.warned(append(before, after...)...) {
			continue
		}
		items = append(items, Item{Tone: Warn, Text: fmt.Sprintf("The two sides hold different %s: %s before, %s after.",
			what.many, enumerate(before, 4), enumerate(after, 4))})
	}
	return items
}

func (s *story) values(side string, field func(analyze.Input) []string) []string {
	var all []string
	for _, in := range s.Inputs {
		if in.Side == side {
			all = append(all, field(in)...)
		}
	}
	names := distinct(all, func(n string) string { return n })
	slices.Sort(names)
	return names
}

func (s *story) unsettledTotals() []Item {
	const most = 6
	var items []Item
	n := 0
	for _, p := range s.processes {
		for _, d := range s.deltas(p, isHead) {
			if d.Verdict != analyze.Unsettled {
				continue
			}
			if n++; n > most {
				continue
			}
			if d.Note = strings.TrimSuffix(d.Note, "."); s.repeated(d.Note) && !strings.HasPrefix(d.Note, "outside") {
				d.Note = "" // it stands once under the table
			}
			items = merge(items, Item{Term: s.ofProcess(label(d.Subject), p), Text: whyUnsettled(d)})
		}
	}
	if n > most {
		items = append(items, Item{Text: fmt.Sprintf("%s inconclusive too.", plural(n-most, "other total is", "other totals are"))})
	}
	return items
}

// merge adds an item, or its term to the one that says the same.
func merge(items []Item, item Item) []Item {
	for i := range items {
		if items[i].Text == item.Text && items[i].Tone == item.Tone {
			items[i].Term += ", " + item.Term
			return items
		}
	}
	return append(items, item)
}

// repeated says whether several totals have the same note.
func (s *story) repeated(note string) bool {
	n := 0
	for _, d := range s.Deltas {
		if isHead(d.Subject) && strings.TrimSuffix(d.Note, ".") == note {
			n++
		}
	}
	return n > 1
}

func whyUnsettled(d analyze.Delta) string {
	kind := kindOf(d.Subject.Metric)
	if d.ShiftLo == nil || d.ShiftHi == nil {
		return "no interval of the change is known" + noteText(d.Note)
	}
	scale := unit.CommonScale(kind, *d.ShiftLo, *d.ShiftHi, d.Band)
	text := "the change lies in " + scale.Interval(d.ShiftLo, d.ShiftHi)
	if scale.Text(d.ShiftLo) == scale.Text(d.ShiftHi) {
		text = "the change is " + scale.Signed(d.ShiftLo)
	}
	text = strings.TrimSpace(text + " " + scale.Unit)
	if d.Band <= 0 {
		return text + noteText(d.Note)
	}
	band := strings.TrimSpace(fmt.Sprintf("the tolerance of ±%s %s", scale.Text(&d.Band), scale.Unit))
	switch {
	case *d.ShiftLo > d.Band || *d.ShiftHi < -d.Band:
		return text + outside(band, d)
	case -d.Band <= *d.ShiftLo && *d.ShiftHi <= d.Band:
		return text + ", inside " + band + noteText(d.Note)
	}
	return text + " and reaches over " + band + noteText(d.Note)
}

// outside says why a change beyond the tolerance has no verdict: the note of the comparison does.
func outside(band string, d analyze.Delta) string {
	note := strings.TrimSuffix(sentence(d.Note), ".")
	if rest, ok := strings.CutPrefix(note, "outside the tolerance"); ok {
		return ", outside " + band + rest + "."
	}
	return ", outside " + band + noteText(note)
}

func noteText(note string) string {
	if note == "" {
		return "."
	}
	return " (" + strings.TrimSuffix(sentence(note), ".") + ")."
}

func (s *story) ofProcess(text, process string) string {
	if len(s.processes) > 1 {
		return text + " of " + s.processName(process)
	}
	return text
}

// unsettledSeries counts the series without a verdict, and names the totals among them. Those of too few samples are
// one sentence, unless that is the whole story.
func (s *story) unsettledSeries() []Item {
	var items []Item
	open, few := 0, 0
	for _, v := range s.Series {
		switch {
		case v.Verdict != analyze.Undetermined || v.N >= fewest && table.MetricOf(v.Subject.Metric).Better == "":
		case v.N < fewest:
			few++
		default:
			open++
			if isHead(v.Subject) && len(items) < 5 && !s.twoSided() {
				items = append(items, Item{Term: s.seriesName(v, true), Text: sentence(v.Reason)})
			}
		}
	}
	if more := open - len(items); more > 0 {
		text := plural(more, "series", "series")
		if len(items) > 0 {
			text = plural(more, "other series", "other series")
		}
		items = append(items, Item{Text: text + " could not be judged for growth."})
	}
	if few == len(s.Series) && few > 0 {
		if s.twoSided() {
			return nil // the section on growth says it
		}
		return []Item{{Text: fmt.Sprintf("Whether anything grows: no series has the %d samples that this takes.", fewest)}}
	}
	if few > 0 {
		items = append(items, Item{Text: fmt.Sprintf("%s fewer than %d samples: too few to judge growth.", plural(few, "series has", "series have"), fewest)})
	}
	return items
}

// weakInputs names what the captures lack.
func (s *story) weakInputs() []Item {
	noData, lossy := 0, 0
	var unordered []string
	for _, in := range s.Inputs {
		noData += in.NoData
		if in.Lossy {
			lossy++
		}
		if in.Clock == "order" && s.mostSamples() > 1 {
			unordered = append(unordered, in.Path)
		}
	}
	var items []Item
	add := func(n int, text string) {
		if n > 0 {
			items = append(items, Item{Text: text})
		}
	}
	add(noData, plural(noData, "sample holds", "samples hold")+" no data: left out, with nothing put in the place.")
	add(lossy, plural(lossy, "input is", "inputs are")+" lossy: the tool dropped records, so what is missing there proves nothing.")
	u := s.unread()
	add(u.total(), u.String())
	if len(unordered) > 0 {
		add(1, "No times are known for "+enumerate(unordered, 3)+": samples stand in the order of their names, and no slope per time can be trusted.")
	}
	return items
}
