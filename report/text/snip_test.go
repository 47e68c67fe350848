package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
)

// Names that differ only where they are cut are wrapped.
func TestCutNamesStayApart(t *testing.T) {
	for _, c := range [][]string{
		{"gpu_allocated of GPU (after backward)", "gpu_allocated_peak of GPU (after backward)", "gpu_reserved of GPU (after backward)"},
		{"process live_bytes · run-1/snapshot.pickle", "process live_bytes · run-2/snapshot.pickle", "process live_objects · run-1/snapshot.pickle"},
		{"pss · series-smaps-warmup-plateau", "pss_file · series-smaps-warmup-plateau", "pss"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	} {
		got := snipAll(c, 22)
		for i, text := range got {
			if widthOf(text) > 22 || slices.Contains(got[:i], text) {
				t.Errorf("%q of %q", text, got)
			}
		}
	}
	if got := snipAll([]string{"the very same text twice", "the very same text twice"}, 10); got[0] != got[1] {
		t.Errorf("%q", got)
	}
}

func TestRowsOfATableStayApart(t *testing.T) {
	table := &report.Table{Columns: []report.Column{{Title: "series"}, {Title: "a"}, {Title: "b"}}}
	for _, name := range []string{"gpu_allocated of GPU (after backward)", "gpu_allocated_peak of GPU (after backward)"} {
		table.Rows = append(table.Rows, []report.Cell{{Text: name}, {Text: strings.Repeat("x", 40)}, {Text: strings.Repeat("y", 36)}})
	}
	lines := strings.Split(printed(t, func(p *printer) { p.table(report.Section{Brief: 5}, table) }), "\n")
	if len(lines) < 5 || !strings.HasPrefix(lines[1], " gpu_allocated of GPU ") || !strings.HasPrefix(lines[2], " (after backward)") {
		t.Errorf("have %q", lines)
	}
}

// The first finding is told to its end, where its cause stands; the others are cut after three lines.
func TestTheFirstFindingIsToldWhole(t *testing.T) {
	long := strings.Repeat("word ", 80) + "cause."
	f := &report.Findings{Items: []report.Finding{{Severity: "critical", Message: long}, {Severity: "critical", Message: long}}}
	if got := printed(t, func(p *printer) { p.findings(f, 2) }); strings.Count(got, "cause.") != 1 || strings.Count(got, "…") != 1 {
		t.Error(got)
	}
}
