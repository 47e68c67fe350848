package sarif

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

var levels = map[string]string{"critical": "error", "warning": "warning", "note": "note"}

// baselines are SARIF's words for the status of a finding (3.27.24).
var baselines = map[string]string{"new": "new", "kept": "unchanged", "fixed": "absent"}

// resultOf writes an issue. What is fixed, or open, is no failure: it has a kind that says so, and then SARIF wants the
// level none (3.27.10).
func resultOf(i ruling.Ruling, index int) result {
	r := result{RuleID: i.Rule, RuleIndex: index, Level: levels[i.Severity], Message: message{plain(text(i))}, Baseline: baselines[i.Status],
		Prints: map[string]string{"memtide/v1": i.Fingerprint, "primaryLocationLineHash": i.Fingerprint + ":1"}, Properties: properties(i)}
	switch i.Outcome {
	case ruling.Held:
		r.Kind, r.Level = "pass", "none"
	case ruling.Open:
		r.Kind, r.Level = "open", "none"
	case ruling.Excused:
		r.Suppressions = []suppression{{"external", "accepted", i.Excuse}}
	}
	r.place(i)
	r.stack(i)
	return r
}

// text is the message, whose first sentence GitHub takes as the title, then what to try.
func text(i ruling.Ruling) string {
	parts := []string{i.Message}
	if i.Advice != "" {
		parts = append(parts, "Try: "+i.Advice)
	}
	parts = append(parts, i.Notes...)
	if more := len(i.Places) - limits.locations; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more places are in the JSON result.", more))
	}
	return label.Short(strings.Join(parts, " "), 4000)
}

// plain breaks what SARIF would read in a message: links of the form [text](target), and placeholders of the form {0}.
func plain(text string) string { return inert.Replace(text) }

var inert = strings.NewReplacer("](", "] (", "{", "{{", "}", "}}")

// place writes the first place as the location, which is the only one that GitHub shows, and the others as related.
func (r *result) place(i ruling.Ruling) {
	for k, p := range i.Places[:min(len(i.Places), limits.locations)] {
		l := location{Physical: &physicalLocation{artifactLocation{uri(p.Path())}, region{p.Line, 1, p.Line}}}
		if p.Note != "" {
			l.Message = &message{plain(p.Note)}
		}
		if k == 0 {
			r.Locations = append(r.Locations, l)
			continue
		}
		l.ID = k
		r.Related = append(r.Related, l)
	}
	names := logical(i)
	switch {
	case len(names) == 0:
	case len(r.Locations) == 0:
		r.Locations = []location{{Logical: names}}
	default:
		r.Locations[0].Logical = names
	}
}

// logical names the process, and the part of it that is spoken of.
func logical(i ruling.Ruling) []logicalLocation {
	var out []logicalLocation
	process, name := label.Short(i.Subject.Process, 300), label.Short(i.Subject.Name, 300)
	if process != "" {
		out = append(out, logicalLocation{Name: process, Kind: "process"})
	}
	if name != "" {
		kind := label.Short(i.Subject.Scope, 100)
		if kind == "" {
			kind = "part"
		}
		out = append(out, logicalLocation{Name: name, Full: strings.Trim(process+"/"+name, "/"), Kind: kind})
	}
	return out
}

// mostFrames is how many frames of a stack are written.
const mostFrames = 100

func (r *result) stack(i ruling.Ruling) {
	if len(i.Stack) == 0 {
		return
	}
	s := stack{}
	if more := len(i.Stack) - mostFrames; more > 0 {
		s.Message = &message{fmt.Sprintf("%d more frames are in the JSON result.", more)}
	}
	for _, f := range i.Stack[:min(len(i.Stack), mostFrames)] {
		s.Frames = append(s.Frames, frame{location{Logical: []logicalLocation{{Name: label.Short(f, 300), Kind: "function"}}}})
	}
	r.Stacks = []stack{s}
}

func properties(i ruling.Ruling) map[string]any {
	out := map[string]any{"severity": i.Severity, "subject": map[string]string{"process": label.Short(i.Subject.Process, 300), "scope": label.Short(i.Subject.Scope, 100),
		"name": label.Short(i.Subject.Name, 300), "metric": i.Metric}}
	if i.Class != "" {
		out["class"] = i.Class
	}
	numbers := map[string]float64{}
	for _, n := range i.Numbers {
		numbers[n.Name] = n.Value
	}
	if len(numbers) > 0 {
		out["numbers"] = numbers
	}
	if len(i.Places) > 0 && i.Places[0].Path() != i.Places[0].File {
		out["file"] = i.Places[0].File // as it was given
	}
	return out
}
