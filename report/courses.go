package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// buildRows are the IDs of the rows of builds, by process or device.
type buildRows map[string][]string

// rowsOfBuilds gives each build of each process with a table a row that links lead to. It is made of the build's name, so that
// a link lasts as long as that.
func (s *story) rowsOfBuilds(heads []*analyze.History) buildRows {
	groups, order := byThing(heads)
	out := buildRows{}
	for i, key := range order[:min(len(order), s.limit.Processes)] {
		h, taken := groups[key][0], map[string]int{}
		for k, b := range h.Builds {
			id := fmt.Sprintf("builds-%d-%s", i+1, slug(name(b.Build)))
			if taken[id]++; taken[id] > 1 {
				id = fmt.Sprintf("%s-n%d", id, taken[id])
			}
			if k < len(h.Builds)-mostBuilds {
				id = "" // the table does not go back so far
			}
			out[key] = append(out[key], id)
		}
	}
	return out
}

// of is the row of a build of a history; categories are told with their process.
func (r buildRows) of(h *analyze.History, i int) string {
	key := historyOf(h.Subject)
	if h.Subject.Scope == "category" {
		key = historyOf(analyze.Subject{Process: h.Subject.Process, Scope: "process"})
	}
	if ids := r[key]; i >= 0 && i < len(ids) {
		return ids[i]
	}
	return ""
}

// slug is a name in letters, digits and dashes.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, cut(text, longRun))
}

// courses draws what changed besides the first: totals, and the categories that carry it. The rest is a small line each.
func (s *story) courses(heads, others []*analyze.History, rows buildRows) Section {
	section := Section{ID: "courses", Title: "Other measures over the builds"}
	var quiet []*analyze.History
	drawn := 0
	for i, h := range slices.Concat(heads, others, s.categories()) {
		switch {
		case i == 0: // it is on the first screen
		case len(h.Changes) > 0 && drawn < s.limit.Charts:
			drawn++
			section.Blocks = append(section.Blocks, s.course(h, rows, true))
		case h.Subject.Scope == "category":
			quiet = append(quiet, h)
		}
	}
	for _, kind := range unit.Kinds {
		if of := ofKind(quiet, kind); len(of) > 0 {
			t := s.historyTable(of, kind, "parts", plural(len(of), "more category", "more categories"))
			t.Folded, t.Extra = true, true
			section.Blocks = append(section.Blocks, t)
		}
	}
	return section
}

// categories are their histories, those first that changed, then the largest.
func (s *story) categories() (out []*analyze.History) {
	for i := range s.Histories {
		if h := &s.Histories[i]; h.Subject.Scope == "category" && len(h.Builds) > 0 && everNotZero(h) {
			out = append(out, h)
		}
	}
	return sorted(out, by(func(h *analyze.History) bool2 { return order(len(h.Changes) == 0) }), by(func(h *analyze.History) int { return choice(h.Subject.Metric) }),
		by(func(h *analyze.History) float64 { return -value(h.Builds[len(h.Builds)-1].Median) }), by(func(h *analyze.History) string { return h.Subject.Process + "\x00" + h.Subject.Name }))
}
