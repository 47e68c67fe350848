package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// severityWeight orders severities; what has none is least.
var severityWeight = map[string]int{"critical": 3, "warning": 2, "note": 1}

var severityTone = map[string]Tone{"critical": Bad, "warning": Warn, "note": Plain}

// mostEvidence is how many places of one finding are named.
const mostEvidence = 8

func (s *story) worstTone() Tone {
	tone, weight := Plain, 0
	for _, f := range s.Findings {
		if w := severityWeight[f.Severity]; w > weight {
			tone, weight = severityTone[f.Severity], w
		}
	}
	return tone
}

// findings tells what is wrong, worst first. With two sides each finding is new, fixed or kept by its fingerprint,
// and a kept one is told once, as it is after.
func (s *story) findings() Section {
	section := Section{ID: "findings", Title: "Findings", Brief: 2}
	if len(s.Findings) == 0 {
		return section
	}
	all := sorted(s.statuses(),
		by(func(f told) int { return -statusWeight[f.status] }),
		by(func(f told) int { return -severityWeight[f.Severity] }))
	block := &Findings{}
	for i, f := range all {
		if i == s.limit.Findings {
			block.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(len(all)-i, "finding is", "findings are"))
			break
		}
		block.Items = append(block.Items, s.finding(f, i))
	}
	if m := s.moments(all, block.Items); m != nil {
		section.Blocks = append(section.Blocks, m)
	}
	section.Blocks = append(append(section.Blocks, block), s.details(all, block.Items)...)
	return section
}

// findingsText is the message of the only finding, where the headline is not about it and does not say it, or counts the findings by
// severity and by what became of them.
func (s *story) findingsText() string {
	all := s.statuses()
	if f := all[0]; len(all) == 1 && f.Rule != "growth" && f.Rule != "regression" && f.Message != "" && f.status == "" {
		head, _ := split(capital(sentence(f.Message)))
		if said, _ := s.headline(); head != said {
			return head
		}
	}
	severities := tallyOf(all, []string{"critical", "warning", "note"}, func(f told) string { return f.Severity })
	text := plural(len(all), "finding") + ": " + severities
	if one := strings.Split(severities, ", "); len(one) == 1 && severities != "" {
		text = fmt.Sprintf("%s %s", severities, strings.TrimLeft(plural(len(all), "finding"), "0123456789 "))
	}
	became := tallyOf(all, []string{"new", "kept", "fixed"}, func(f told) string { return f.status })
	if number, word, _ := strings.Cut(became, " "); number == fmt.Sprint(len(all)) {
		became = word
	}
	if became != "" {
		text += " (" + became + ")"
	}
	return strings.TrimSuffix(text, ": ") + "."
}

// tallyOf counts in words: "1 critical, 2 warning".
func tallyOf(all []told, words []string, of func(told) string) string {
	var parts []string
	for _, word := range words {
		n := 0
		for _, f := range all {
			if of(f) == word {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// told is a finding with its status.
type told struct {
	analyze.Finding
	status string
}

// statusWeight puts what was fixed last.
var statusWeight = map[string]int{"new": 1, "kept": 1, "": 1, "fixed": 0}

// statuses says of each finding what became of it: as the comparison has settled it, or, in a result of an earlier
// version that holds the findings of both sides, by their fingerprints.
func (s *story) statuses() []told {
	settled := !s.twoSided() || slices.ContainsFunc(s.Findings, func(f analyze.Finding) bool { return f.Status != "" })
	sides := map[string]map[string]bool{"before": {}, "after": {}}
	for _, f := range s.Findings {
		if seen := sides[f.Side]; seen != nil {
			seen[f.Fingerprint] = true
		}
	}
	var out []told
	for _, f := range s.Findings {
		status := name(f.Status)
		if !settled && f.Fingerprint != "" {
			here, there := sides["after"][f.Fingerprint], sides["before"][f.Fingerprint]
			if f.Side == "before" && here {
				continue
			}
			status = map[bool]string{true: map[bool]string{true: "kept", false: "new"}[there], false: "fixed"}[here]
			if f.Side != "before" && f.Side != "after" {
				status = ""
			}
		}
		out = append(out, told{f, status})
	}
	return out
}

func (s *story) finding(f told, i int) Finding {
	out := Finding{
		ID: fmt.Sprintf("finding-%d", i+1), Severity: name(f.Severity), Tone: severityTone[f.Severity], Status: f.status,
		Title: s.findingTitle(f.Finding), Message: sentence(f.Message), Advice: sentence(f.Advice), Print: name(f.Fingerprint),
		Series: anchor("series", f.Subject),
	}
	if f.status == "fixed" {
		out.Tone = Good
	}
	for _, w := range f.Warnings {
		out.Warnings = append(out.Warnings, sentence(w))
	}
	for _, frame := range f.Stack {
		out.Stack = append(out.Stack, name(frame))
	}
	for _, line := range f.Source {
		out.Source = append(out.Source, name(line))
	}
	kind := kindOf(f.Subject.Metric)
	for j, e := range f.Evidence {
		if j == mostEvidence {
			out.Evidence = append(out.Evidence, fmt.Sprintf("and %s", plural(len(f.Evidence)-j, "more place")))
			break
		}
		if len(f.Evidence) == 1 && e.TimeNS != nil && *e.TimeNS == 0 {
			e.TimeNS = nil // the only sample: that it was at 0 s says nothing
		}
		out.Evidence = append(out.Evidence, place(e, kind))
	}
	for _, key := range sorted(slices.Sorted(maps.Keys(f.Stats)), by(lowFirst)) {
		out.Numbers = append(out.Numbers, Item{Term: statName(key), Text: statText(key, f.Stats[key], kind)})
	}
	return out
}

func (s *story) findingTitle(f analyze.Finding) string {
	parts := []string{name(f.Rule)}
	if f.Class != "" && f.Class != f.Rule {
		parts = append(parts, name(f.Class))
	}
	if about := full(f.Subject); about != "" && about != f.Class {
		parts = append(parts, about)
	}
	if len(s.processes) > 1 && f.Subject.Process != "" {
		parts = append(parts, s.processName(f.Subject.Process))
	}
	return strings.Join(parts, " · ")
}

// place is file:line, with the time and the value that stood there if known.
func place(e analyze.Evidence, kind unit.Kind) string {
	text := name(e.File)
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	var more []string
	if e.TimeNS != nil {
		more = append(more, "at "+unit.Duration(float64(*e.TimeNS)/1e9))
	}
	if e.Value != nil {
		more = append(more, unit.Quantity(kind, floatOf(*e.Value)))
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// lowFirst orders the ends of an interval as they are read.
func lowFirst(key string) string { return strings.ReplaceAll(key, "_hi", "_lo~") }

// statKinds are the numbers of a finding that are in the unit of its metric, per second, or seconds; any other is a
// plain number.
var statKinds = map[string]func(unit.Kind, float64) string{
	"growth": quantity, "floor": quantity, "resolvable": quantity, "shift": change, "shift_lo": change, "shift_hi": change, "relative": ratio,
	"bytes": inBytes, "indirect_bytes": inBytes, "size": inBytes, "held": inBytes, "mean_bytes": inBytes, "whole": inBytes, "unseen": inBytes, "heap": inBytes,
	"device_free": inBytes, "inactive": inBytes, "fitting": inBytes, "largest_free": inBytes, "slack": inBytes,
	"mean_dwell_s": seconds, "most_dwell_s": seconds,
	"peak": quantity, "limit": quantity, "headroom": quantity, "median": quantity, "live_bytes": quantity,
	"p":           probable,
	"slope_per_s": rateText, "slope_lo": rateText, "slope_hi": rateText,
	"duration_s": seconds, "time_above_s": seconds, "eta_s": seconds,
}

// statName is the key in words; the unit it names stands with the number.
func statName(key string) string {
	key = strings.TrimSuffix(strings.TrimSuffix(name(key), "_per_s"), "_s")
	return strings.ReplaceAll(key, "_", " ")
}

func quantity(k unit.Kind, v float64) string { return unit.Quantity(k, &v) }
func inBytes(_ unit.Kind, v float64) string  { return unit.Quantity(unit.Bytes, &v) }
func change(k unit.Kind, v float64) string   { return unit.Change(k, &v) }
func ratio(_ unit.Kind, v float64) string    { return unit.Percent(&v) }

// probable writes a p value as sentences do: it is never 0.
func probable(_ unit.Kind, v float64) string {
	if v < 1e-6 {
		return "< 1e-6"
	}
	return fmt.Sprintf("%.4g", v)
}

func seconds(_ unit.Kind, v float64) string { return unit.Duration(v) }

func rateText(k unit.Kind, v float64) string {
	scale := unit.RateScale(k, v)
	return strings.TrimSpace(scale.Signed(&v) + " " + scale.Unit)
}

func statText(key string, v float64, kind unit.Kind) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return unit.Unknown
	}
	if write := statKinds[key]; write != nil {
		return write(kind, v)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return unit.Integer(int64(v))
	}
	return fmt.Sprintf("%.4g", v)
}
