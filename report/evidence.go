package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// evidence are the sections on what the verdicts rest on, beside the series: objects, peaks, and what tools say of the same memory.
// All of them are reference material and left out of summaries.
func (s *story) evidence() []Section {
	return []Section{s.peaks(), s.objects(), s.resident(), s.views(), s.advice()}
}

// splitAdvice takes the advice on kernels out of the findings: it has a table of its own.
func (s *story) splitAdvice() {
	var rest []analyze.Finding
	for _, f := range s.Findings {
		if f.Rule == "advice" {
			s.kernels = append(s.kernels, f)
		} else {
			rest = append(rest, f)
		}
	}
	s.Findings = rest
}

// of names what a row is about: the process where there are several, the thing, and the side and run where there are several.
func (s *story) of(side, run string, sub analyze.Subject, what string) string {
	var parts []string
	if sub.Process != "" && sub.Process != machine && (len(s.processes) > 1 || what == "") {
		parts = append(parts, s.processName(sub.Process))
	}
	if what != "" {
		parts = append(parts, what)
	}
	if len(parts) == 0 {
		parts = append(parts, s.processName(sub.Process))
	}
	if label := s.runLabel(analyze.Series{Side: side, Run: run}); label != "" {
		parts = append(parts, label)
	}
	return strings.Join(parts, " · ")
}

// capped cuts a table to so many rows, and says what is left out.
func (t *Table) capped(most int, one, many string) *Table {
	if left := len(t.Rows) - most; left > 0 {
		t.Rows = t.Rows[:most]
		t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(left, one+" is", many+" are"))
	}
	return t
}

// mostDetailed is how many findings, peaks and the like are shown in full.
const mostDetailed = 10

// mostFrames is how many frames of a call chain stand in a cell.
const mostFrames = 4

// chainText writes the innermost frames of a call chain.
func chainText(stack []string) string {
	var out []string
	for _, f := range stack[:min(len(stack), mostFrames)] {
		out = append(out, name(f))
	}
	return strings.Join(out, " ← ")
}

func countCell(v int64) Cell { return Cell{Text: unit.Integer(v), Value: floatOf(v)} }

// timeCell writes a length of time that may not be known.
func timeCell(v *float64) Cell {
	if v == nil {
		return Cell{Text: unit.Unknown, Tone: Muted}
	}
	if *v > 0 && *v < 1e-3 {
		ns := *v * 1e9
		return Cell{Text: unit.Quantity(unit.Time, &ns), Value: v}
	}
	return Cell{Text: unit.Duration(*v), Value: v}
}

func bytesColumn(title string, scale unit.Scale) Column {
	return Column{Title: title, Unit: scale.Unit, Number: true}
}

func sizesOf(values ...*float64) unit.Scale { return scaleOf(unit.Bytes, present(values)) }

// objects are what became of the objects of logs of events.
func (s *story) objects() Section {
	section := Section{ID: "objects", Title: "Objects", Note: "What became of the objects of each kind, by the log of events. An object is dwelling when it is still held after its last use or release."}
	if len(s.Lifetimes) == 0 {
		section.Note = ""
		return section
	}
	section.Blocks = append(section.Blocks, s.lifetimeTable().capped(s.limit.Series, "kind", "kinds"))
	if t := s.dwellTable(); len(t.Rows) > 0 {
		section.Blocks = append(section.Blocks, t.capped(s.limit.Series, "kind", "kinds"))
	}
	return section
}

func (s *story) lifetimeName(l *analyze.Lifetime) Cell {
	return Cell{Text: s.of(l.Side, l.Run, analyze.Subject{Process: l.Process}, name(l.Kind)), Code: true}
}

func (s *story) lifetimeTable() *Table {
	var sizes []*float64
	for i := range s.Lifetimes {
		sizes = append(sizes, s.Lifetimes[i].MeanBytes, floatOf(s.Lifetimes[i].NeverEnded))
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "objects-table", Caption: plural(len(s.Lifetimes), "kind of objects", "kinds of objects"), Columns: []Column{{Title: "kind"}, {Title: "made", Number: true}, {Title: "ended", Number: true},
		{Title: "alive", Number: true}, bytesColumn("never ended", scale), bytesColumn("mean size", scale), {Title: "mean life", Number: true}, {Title: "from before", Number: true}}}
	for i := range s.Lifetimes {
		l := &s.Lifetimes[i]
		row := []Cell{s.lifetimeName(l), countCell(l.Made), countCell(l.Ended), countCell(l.Alive), number(scale, floatOf(l.NeverEnded)), number(scale, l.MeanBytes), timeCell(l.MeanLifeS), countCell(l.PreExisting)}
		if l.Overwritten > 0 {
			row[0].Note = plural(int(l.Overwritten), "object was", "objects were") + " made at the address of one alive: events were missed"
		}
		t.Rows = append(t.Rows, row)
	}
	if slices.ContainsFunc(s.Lifetimes, func(l analyze.Lifetime) bool { return l.PreExisting > 0 }) {
		t.Notes = append(t.Notes, Note{Text: "From before: first seen by their end or use, so made before the log began; they are counted and never accused.", Extra: true})
	}
	return t
}

func (s *story) dwellTable() *Table {
	var sizes []*float64
	for i := range s.Lifetimes {
		if d := s.Lifetimes[i].Dwell; d != nil {
			sizes = append(sizes, d.MeanBytes)
		}
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "objects-dwell", Caption: "Held after the last use or release, until the end", Columns: []Column{{Title: "kind"}, {Title: "objects", Number: true}, bytesColumn("mean size held", scale),
		{Title: "mean time", Number: true}, {Title: "longest", Number: true}}}
	for i := range s.Lifetimes {
		l := &s.Lifetimes[i]
		if d := l.Dwell; d != nil {
			t.Rows = append(t.Rows, []Cell{s.lifetimeName(l), countCell(d.Objects), number(scale, d.MeanBytes), timeCell(&d.MeanS), timeCell(&d.MostS)})
		}
	}
	return t
}

// resident holds heap totals against resident sets, and the views of a device against each other.
func (s *story) resident() Section {
	section := Section{ID: "resident", Title: "Against the resident set"}
	for i := range s.Reconciliations[:min(len(s.Reconciliations), mostDetailed)] {
		x := &s.Reconciliations[i]
		section.Blocks = append(section.Blocks, s.reconciled(x, fmt.Sprintf("resident-%d", i+1)))
	}
	if left := len(s.Reconciliations) - len(section.Blocks); left > 0 {
		section = section.with(plural(left, "more reconciliation is", "more reconciliations are") + " in the JSON result.")
	}
	return section
}

func (s *story) reconciled(x *analyze.Reconciliation, id string) *Table {
	values := []*float64{&x.Whole, &x.Unseen}
	for i := range x.Parts {
		values = append(values, &x.Parts[i].Bytes)
	}
	scale := sizesOf(values...)
	t := &Table{ID: id, Caption: s.of(x.Side, x.Run, x.Subject, full(x.Subject)) + ", " + unit.Duration(x.AtS) + " into the run", Columns: []Column{{Title: "part"}, {Title: "taken from"}, bytesColumn("size", scale),
		{Title: "share", Number: true}, {Bar: true, Size: true, Extra: true}}, Notes: []Note{{Text: sentence(x.Message)}}}
	add := func(what, from string, v *float64, tone Tone) {
		share := shareOf(v, &x.Whole)
		t.Rows = append(t.Rows, []Cell{{Text: what, Tone: tone}, {Text: from, Code: true}, number(scale, v), share, {Value: v}})
	}
	for i := range x.Parts {
		add(name(x.Parts[i].Name), name(x.Parts[i].Metric), &x.Parts[i].Bytes, Plain)
	}
	left := map[bool]string{false: "not seen by the profiler", true: "outside of the framework"}[x.Subject.Scope == "device"]
	if x.Beyond > 0 {
		beyond := -x.Beyond
		add("asked for and not in memory", "", &beyond, Muted)
	} else if x.Unseen > 0 {
		add(left, "", &x.Unseen, Warn)
	}
	add("whole", name(x.Subject.Metric), &x.Whole, Plain)
	return t
}

// views lays what several captures say of the same sites side by side.
func (s *story) views() Section {
	section := Section{ID: "views", Title: "What each tool saw", Note: "Sites that at least one of the captures saw leak: what was alive or lost there at its end, by each."}
	v := s.Views
	if v == nil || len(v.Tools) == 0 || len(v.Sites) == 0 {
		section.Note = ""
		return section
	}
	var sizes []*float64
	for i := range v.Sites {
		for k := range v.Sites[i].Seen {
			sizes = append(sizes, v.Sites[i].Seen[k].Bytes)
		}
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "views-table", Caption: plural(len(v.Sites)+v.More, "site") + " by " + plural(len(v.Tools), "capture"), Columns: []Column{{Title: "site"}}}
	for _, w := range v.Tools {
		t.Columns = append(t.Columns, bytesColumn(s.witness(w), scale))
	}
	for i := range v.Sites {
		t.Rows = append(t.Rows, sightRow(&v.Sites[i], scale, len(v.Tools)))
	}
	if v.More > 0 {
		t.Omitted = plural(v.More, "smaller site is", "smaller sites are") + " not listed."
	}
	t.gather()
	section.Blocks = append(section.Blocks, t, s.witnesses(v))
	return section
}

// witness is what a capture is called in the head of a column.
func (s *story) witness(w analyze.Viewer) string {
	label := s.runLabel(analyze.Series{Run: w.Run})
	if label == "" {
		label = name(w.Run)
	}
	if w.Format == "" || strings.Contains(label, w.Format) {
		return label
	}
	return name(w.Format) + " " + label
}

func sightRow(of *analyze.View, scale unit.Scale, tools int) []Cell {
	var why []string
	for _, w := range of.Why {
		why = append(why, strings.TrimSuffix(sentence(w), "."))
	}
	row := []Cell{{Text: name(of.Site), Code: true, Note: capital(strings.Join(why, "; "))}}
	for i := range tools {
		if i >= len(of.Seen) || !of.Seen[i].Listed {
			row = append(row, Cell{Text: unit.Unknown, Tone: Muted})
			continue
		}
		x := &of.Seen[i]
		c := number(scale, x.Bytes)
		c.Note, c.Tone, c.Mark = "no leak to it", Muted, ""
		if x.Rule != "" {
			c.Note, c.Tone, c.Mark = name(x.Rule), Bad, "✗"
		}
		if x.Objects != nil {
			c.Note = unit.Quantity(unit.Count, x.Objects) + " objects, " + c.Note
		}
		row = append(row, c)
	}
	return row
}

// witnesses says what the captures say of themselves.
func (s *story) witnesses(v *analyze.Views) *Table {
	t := &Table{ID: "views-captures", Caption: "What the captures say of themselves", Folded: true, Columns: []Column{{Title: "capture"}, {Title: "format"}, {Title: "sizes"}, {Title: "times", Number: true}, {Title: "what to mind"}}}
	for _, w := range v.Tools {
		var mind []string
		for text, is := range map[string]bool{"sampled": w.Sampled, "events were lost": w.Lossy, "sees part only": w.Partial, "states what is lost, not what is reachable": w.Lost} {
			if is {
				mind = append(mind, text)
			}
		}
		slices.Sort(mind)
		t.Rows = append(t.Rows, []Cell{{Text: s.witness(w), Code: true}, {Text: name(w.Format), Code: true}, {Text: orUnknown(name(w.Unit))}, countCell(int64(w.Points)), {Text: strings.Join(mind, ", ")}})
	}
	return t
}

func orUnknown(text string) string {
	if text == "" {
		return unit.Unknown
	}
	return text
}
