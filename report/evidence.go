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
	return []Section{s.allocator(), s.peaks(), s.objects(), s.resident(), s.bothSides(), s.views(), s.advice()}
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

// chainText writes the innermost frames of a call chain, with the names of their files; of Python those of its own files.
func chainText(stack []string) string {
	python := slices.ContainsFunc(stack, ofPython)
	var out []string
	for _, f := range stack {
		if len(out) == mostFrames || python && !ofPython(f) {
			continue
		}
		function, file := f, ""
		if i := strings.LastIndexByte(f, ' '); i >= 0 {
			function, file = f[:i], f[i+1:]
		}
		if i := strings.LastIndexAny(file, `/\`); i >= 0 {
			f = function + " " + file[i+1:]
		}
		out = append(out, name(f))
	}
	return strings.Join(out, " ← ")
}

func ofPython(frame string) bool { return strings.Contains(frame, ".py:") }

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
