package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// history is the story of a series of builds: what changed and with which build, every build, and how far it is from the
// release.
func (s *story) history() []Section {
	first := Section{ID: "answer", Brief: mostRows, Blocks: s.notes()}
	heads, others := s.historyHeads()
	rows := s.rowsOfBuilds(heads)
	if len(heads) > 0 {
		first.Blocks = append(first.Blocks, s.course(heads[0], rows, false))
	}
	for _, kind := range unit.Kinds {
		if of := ofKind(heads, kind); len(of) > 0 {
			first.Blocks = append(first.Blocks, s.historyTable(of, kind, "totals", s.buildsText()))
		}
	}
	for _, kind := range unit.Kinds {
		if of := ofKind(others, kind); len(of) > 0 {
			t := s.historyTable(of, kind, "others", plural(len(of), "other measure"))
			t.Folded, t.Extra = true, true
			first.Blocks = append(first.Blocks, t)
		}
	}
	changes := s.changes(slices.Concat(heads, others), rows)
	return []Section{first, changes, s.courses(heads, others, rows), s.everyBuild(heads, rows), s.drifts(heads), s.redlines(), s.findings(), s.limits()}
}

func ofKind(all []*analyze.History, kind unit.Kind) (out []*analyze.History) {
	for _, h := range all {
		if kindOf(h.Subject.Metric) == kind {
			out = append(out, h)
		}
	}
	return out
}

// historyHeads are the histories of totals: those that a first table always has or that changed for the worse, and the others.
// The worst stand first, and of one process together.
func (s *story) historyHeads() (heads, others []*analyze.History) {
	worst, size := map[string]int{}, map[string]float64{}
	var all []*analyze.History
	for i := range s.Histories {
		h := &s.Histories[i]
		if !isHead(h.Subject) || len(h.Builds) == 0 || !everNotZero(h) {
			continue
		}
		key := historyOf(h.Subject)
		worst[key] = max(worst[key], changeWeight[h.Verdict])
		size[key] = max(size[key], value(h.Builds[len(h.Builds)-1].Median))
		all = append(all, h)
	}
	all = sorted(all, by(func(h *analyze.History) int { return -worst[historyOf(h.Subject)] }), by(func(h *analyze.History) float64 { return -size[historyOf(h.Subject)] }),
		by(func(h *analyze.History) string { return historyOf(h.Subject) }), by(func(h *analyze.History) int { return choice(h.Subject.Metric) }))
	for _, h := range all {
		if slices.Contains(leading, h.Subject.Metric) || h.Verdict == analyze.Regression && h.Subject.Scope != "system" {
			heads = append(heads, h)
		} else {
			others = append(others, h)
		}
	}
	if len(heads) == 0 {
		heads, others = others, nil
	}
	return heads, others
}

func historyOf(s analyze.Subject) string { return s.Process + "\x00" + s.Scope + "\x00" + s.Name }

func everNotZero(h *analyze.History) bool {
	return slices.ContainsFunc(h.Builds, func(b analyze.BuildLevel) bool { return value(b.Median) != 0 })
}

// historyName names a total: with its process only where there are several.
func (s *story) historyName(sub analyze.Subject) string {
	text := label(sub)
	if sub.Scope == "process" && s.manyProcesses() {
		text = s.processName(sub.Process) + " " + text
	}
	return text
}

func (s *story) manyProcesses() bool {
	names := distinct(s.Histories, func(h analyze.History) string {
		if h.Subject.Scope != "process" {
			return ""
		}
		return "=" + h.Subject.Process
	})
	return len(names) > 1
}

// buildsText says how many builds there are, and which; nothing where there is no history.
func (s *story) buildsText() string {
	if len(s.Histories) == 0 || len(s.Histories[0].Builds) == 0 {
		return ""
	}
	builds := s.Histories[0].Builds
	text := fmt.Sprintf("%s, %s to %s", plural(s.measuredBuilds(), "build"), cut(name(builds[0].Build), longRun), cut(name(builds[len(builds)-1].Build), longRun))
	if gaps := len(builds) - s.measuredBuilds(); gaps > 0 {
		text += fmt.Sprintf("; %d without data", gaps)
	}
	return text
}

// measuredBuilds counts the builds that any history has a level of: the others are gaps.
func (s *story) measuredBuilds() (n int) {
	for i := range s.Histories[0].Builds {
		if slices.ContainsFunc(s.Histories, func(h analyze.History) bool { return i < len(h.Builds) && h.Builds[i].Runs > 0 }) {
			n++
		}
	}
	return n
}

// historyTable is one row a total: where it is now, how it changed, and its course.
func (s *story) historyTable(of []*analyze.History, kind unit.Kind, id, caption string) *Table {
	shown := of[:min(len(of), s.limit.Rows)]
	var levels, shifts []float64
	for _, h := range shown {
		levels = append(levels, present([]*float64{h.Builds[len(h.Builds)-1].Median})...)
		shifts = append(shifts, present([]*float64{mainShift(h), h.Resolvable})...)
	}
	level, shift := scaleOf(kind, levels), scaleOf(kind, shifts)
	t := &Table{ID: "history-" + id + kindWords[kind], Caption: caption, Columns: []Column{{Title: "measure"},
		{Title: "newest", Unit: level.Unit, Number: true}, {Title: "change", Unit: shift.Unit, Number: true}, {Title: "with build"},
		{Title: "could have shown", Unit: shift.Unit, Number: true, Extra: true}, {Title: "verdict"}, {Title: "builds"}}}
	for _, h := range shown {
		d := analyze.Delta{Verdict: h.Verdict, Shift: mainShift(h)}
		t.Rows = append(t.Rows, []Cell{{Text: s.courseName(h.Subject), Note: sentence(h.Note)}, number(level, h.Builds[len(h.Builds)-1].Median), changeCell(d, shift),
			{Text: changedWith(h), Code: mainChange(h) != nil}, number(shift, h.Resolvable), verdictCell(d, unit.Scale{}), sparkCell(h)})
	}
	if more := len(of) - len(shown); more > 0 {
		t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(more, "measure is", "measures are"))
	}
	t.Notes = []Note{{Text: "“Could have shown” is the least lasting change of the newest builds that would have been told.", Extra: true}}
	return t
}

// mainChange is the newest change that is in force: the worst, if any is for the worse.
func mainChange(h *analyze.History) *analyze.ChangePoint {
	var found *analyze.ChangePoint
	for i := range h.Changes {
		p := &h.Changes[i]
		if p.UndoneBy == "" && (found == nil || p.Verdict == analyze.Regression || found.Verdict != analyze.Regression) {
			found = p
		}
	}
	return found
}

func mainShift(h *analyze.History) *float64 {
	if p := mainChange(h); p != nil {
		return &p.Shift
	}
	if h.Drift != nil {
		return h.Drift.Shift
	}
	return nil
}

// changedWith names the build that the change came with; a drift came with none.
func changedWith(h *analyze.History) string {
	switch p := mainChange(h); {
	case p != nil:
		return name(p.Build)
	case h.Drift == nil:
		return unit.Unknown
	case h.Drift.PerBuild != nil:
		return "each a little"
	}
	return "since " + name(h.Drift.Against)
}

// changes lists all changes of totals, those in force and for the worse first.
func (s *story) changes(of []*analyze.History, builds buildRows) Section {
	section := Section{ID: "history", Title: "History", Brief: mostRows, Note: "Where the level of the builds changed. From and to are medians of the builds before and after, the change and its interval are of their means."}
	type row struct {
		h *analyze.History
		p *analyze.ChangePoint
	}
	for _, kind := range unit.Kinds {
		var rows []row
		var levels, shifts []float64
		for _, h := range ofKind(of, kind) {
			for i := range h.Changes {
				p := &h.Changes[i]
				rows = append(rows, row{h, p})
				levels, shifts = append(levels, p.From, p.To), append(shifts, p.Shift, p.ShiftLo, p.ShiftHi)
			}
		}
		if len(rows) == 0 {
			continue
		}
		rows = sorted(rows, by(func(r row) bool2 { return order(r.p.UndoneBy != "") }), by(func(r row) bool2 { return order(r.p.Verdict != analyze.Regression) }))
		level, shift := scaleOf(kind, levels), scaleOf(kind, shifts)
		t := &Table{ID: "changes" + kindWords[kind], Caption: plural(len(rows), "change"), Columns: []Column{{Title: "measure"}, {Title: "with build"},
			{Title: "from", Unit: level.Unit, Number: true}, {Title: "to", Unit: level.Unit, Number: true}, {Title: "change", Unit: shift.Unit, Number: true},
			{Title: "relative", Number: true, Extra: true}, {Title: "95 % interval", Unit: shift.Unit, Number: true}, {Title: "verdict"},
			{Title: "builds since", Number: true, Extra: true}, {Title: "confidence", Extra: true}, {Title: "carried by", Extra: true}}}
		for i, r := range rows {
			if i == s.limit.Series {
				t.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(len(rows)-i, "change is", "changes are"))
				break
			}
			t.Rows = append(t.Rows, s.changeRow(r.h, r.p, builds, level, shift))
		}
		section.Blocks = append(section.Blocks, t)
	}
	if len(section.Blocks) == 0 {
		section.Note = ""
		section.Brief = 0
		section.Blocks = []Block{&Paragraph{Text: "No change of level was found in any total."}}
	}
	return section
}

func (s *story) changeRow(h *analyze.History, p *analyze.ChangePoint, builds buildRows, level, shift unit.Scale) []Cell {
	state, d := name(string(p.Verdict)), analyze.Delta{Verdict: p.Verdict, Shift: &p.Shift, Relative: p.Relative}
	cell := Cell{Text: state, Tone: changeTone[p.Verdict], Mark: changeMark[p.Verdict]}
	if p.UndoneBy != "" {
		cell = Cell{Text: state + ", undone by " + name(p.UndoneBy), Tone: Muted}
	}
	why := name(p.Confidence)
	if p.Basis == "newest" {
		why += ": few builds yet"
	}
	return []Cell{{Text: s.historyName(h.Subject), Note: sentence(p.Note)}, {Text: name(p.Build), Code: true, Link: builds.of(h, p.Index)}, number(level, &p.From), number(level, &p.To), {Text: shift.Signed(&p.Shift), Value: &p.Shift, Tone: cell.Tone},
		relativeCell(d, unit.Scale{}), {Text: shift.Interval(&p.ShiftLo, &p.ShiftHi), Tone: Muted}, cell, {Text: unit.Integer(int64(p.After)), Value: floatOf(int64(p.After))}, {Text: why}, {Text: partsText(p.Parts)}}
}

func partsText(parts []analyze.Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, fmt.Sprintf("%s %.0f %%", name(p.Name), 100*p.Share))
	}
	if len(texts) == 0 {
		return unit.Unknown
	}
	return strings.Join(texts, ", ")
}
