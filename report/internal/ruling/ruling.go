// Package ruling lists what a result rules on, one subject at a time, in the form that CI systems know: a test that
// held or did not (Tests), an issue with a severity, a place and an identity (Issues). It decides what counts as
// which; the renderers of CI formats only write it down. All its strings are one clean line, unless said otherwise.
package ruling

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/label"
)

// Outcome says whether what a Ruling demands holds.
type Outcome string

// The outcomes of a Ruling.
const (
	Held    Outcome = "held"
	Broken  Outcome = "broken"
	Open    Outcome = "open"    // the captures do not settle it: neither pass nor fail
	Excused Outcome = "excused" // broken, and let through by the policy
)

// Ruling is what a result says of one subject.
type Ruling struct {
	Suite       string // the analyser, or the rule of the policy, that spoke
	Name        string // stable from build to build; holds limits, but nothing that was measured
	Rule, Class string
	Metric      string
	Outcome     Outcome
	Severity    string // critical, warning or note
	Status      string // new, kept, fixed, or empty where nothing was compared
	Message     string // a sentence with the numbers in it
	Policy      bool   // demanded by a policy file, not by memtide's own rules
	Numbers     []Number
	Places      []Place
	Subject     analyze.Subject
	Stack       []string // leaf first
	Advice      string
	Notes       []string
	Excuse      string
	Known       string // the fingerprint by which a policy lets a finding through; empty if it has none
	Fingerprint string // the same bug has the same one in the next build; unique among Issues
}

// Number is something measured, raw and in words.
type Number struct {
	Name  string
	Value float64
	Text  string
}

// The lengths that names and sentences are cut to, in characters; the JSON result has all of them.
const (
	longName = 160
	longText = 1000
)

func short(text string) string    { return label.Short(text, longName) }
func sentence(text string) string { return label.Short(text, longText) }

var severities = []string{"critical", "warning", "note"}

// severity is one of the three; what is none of them is taken as a warning.
func severity(text string) string {
	if slices.Contains(severities, text) {
		return text
	}
	return "warning"
}

// identity is the fingerprint of a ruling: a hash of what it is about, never of what was measured.
func identity(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:16])
}

func subjectKey(s analyze.Subject) string {
	return strings.Join([]string{s.Process, s.Scope, s.Name, s.Metric}, "\x00")
}

// title names a subject: "com.example.app: pss of Native Heap".
func title(s analyze.Subject) string {
	text := cmp.Or(short(s.Metric), "memory")
	if s.Name != "" {
		text += " of " + short(s.Name)
	}
	if s.Process != "" {
		text = short(s.Process) + ": " + text
	}
	return text
}

// Text is the whole ruling for a reader, in several lines: message, numbers, places, stack, advice.
func (r Ruling) Text() string {
	lines := []string{r.Message}
	add := func(head string, items ...string) {
		if items = slices.DeleteFunc(items, func(s string) bool { return s == "" }); len(items) > 0 {
			lines = append(lines, head+strings.Join(items, "\n"+strings.Repeat(" ", len(head))))
		}
	}
	add("excused: ", r.Excuse)
	add("severity: ", strings.TrimSpace(r.Severity+" "+r.Status))
	for _, n := range r.Numbers {
		add(n.Name+": ", n.Text)
	}
	for _, p := range r.Places[:min(len(r.Places), mostPlaces)] {
		add("at: ", p.String())
	}
	if more := len(r.Places) - mostPlaces; more > 0 {
		add("at: ", fmt.Sprintf("%d more places", more))
	}
	add("stack, innermost first: ", r.Stack...)
	add("note: ", r.Notes...)
	add("try: ", r.Advice)
	add("fingerprint: ", r.Known)
	return strings.Join(lines, "\n")
}

// mostPlaces is how many places a text names one by one.
const mostPlaces = 20

// known is a fingerprint as a policy takes it; what could be none is left out.
func known(print string) string {
	if len(print) > 64 || strings.Trim(print, "0123456789abcdefghijklmnopqrstuvwxyz:-._") != "" {
		return ""
	}
	return print
}
