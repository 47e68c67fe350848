package analyze

import (
	"cmp"
	"fmt"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// misuse is what a rule about the order of events is called in a message.
var misuse = map[string]string{
	"double-free":     "ends an object that was ended before",
	"use-after-free":  "uses an object after its end",
	"over-release":    "releases an object that has no reference left",
	"mismatched-pair": "ends an object by the wrong function for how it was made",
}

var misuseAdvice = map[string]string{
	"double-free":     "See which of the two should end the object: both stacks are given.",
	"use-after-free":  "See who still holds the object when it is ended; between threads, what should make the one wait for the other.",
	"over-release":    "Find the retain that belongs to this release, or the release that is one too many.",
	"mismatched-pair": "Pair each maker with its own end: malloc with free, new with delete, create with destroy.",
}

// mistakes makes findings of what was done in the wrong order.
func (r *Result) mistakes(c *Capture, b *books) {
	if len(b.ledgers) == 0 || b.partial {
		return
	}
	type of struct {
		pid        int64
		rule, name string
		kind       table.Sym
	}
	groups, files := map[of]*lifetime.Mistake{}, map[of]string{}
	var order []of
	var all []lifetime.Mistake
	var from []string
	for i, l := range b.ledgers {
		for _, m := range l.Mistakes {
			m.Tail = l.DisorderNS > 0 && m.TimeNS >= l.ToNS-l.DisorderNS
			all, from = append(all, m), append(from, b.files[i])
		}
	}
	for i, m := range all {
		k := of{m.PID, m.Rule, table.SiteOf(b.resolver.calls(m.Stack)), m.Kind}
		if g := groups[k]; g != nil {
			g.Tail = g.Tail && m.Tail
			g.Objects, g.Events, g.Right = g.Objects+m.Objects, g.Events+m.Events, g.Right+m.Right
			g.Unordered += m.Unordered
			for t := range m.Threads {
				g.Threads[t] = true
			}
			continue
		}
		groups[k], files[k] = &m, from[i]
		order = append(order, k)
	}
	for _, k := range order {
		r.Findings = append(r.Findings, misuseFinding(c, b, groups[k], k.name, files[k]))
	}
}

// Fewer events than that, of a site of which so many times as many objects were ended in order, are what a single hole in a log
// looks like. A log with more holes shows itself: objects are made at addresses of others that are alive.
const (
	fewMistakes = 5
	mostRight   = 5
)

func rare(m *lifetime.Mistake) bool {
	return m.Events < fewMistakes && m.Right >= mostRight*m.Events
}

func misuseFinding(c *Capture, b *books, m *lifetime.Mistake, name, file string) Finding {
	kind := cmp.Or(c.Set.String(m.Kind), "heap")
	process := b.resolver.process(pidOf(m.PID), "")
	name = cmp.Or(name, kind)
	f := Finding{Rule: m.Rule, Class: kind, Severity: "critical", Side: c.Side, Run: c.Name, Subject: Subject{Process: process, Scope: "class", Name: name},
		Stats:    map[string]float64{"objects": float64(m.Objects), "events": float64(m.Events), "threads": float64(len(m.Threads))},
		Evidence: []Evidence{{File: file, Line: m.Line, TimeNS: &m.TimeNS}}, Warnings: []string{}, Advice: misuseAdvice[m.Rule],
		FreeStack: shown(b.resolver.calls(m.Ended)), AllocStack: shown(b.resolver.calls(m.Made)), Grain: "function", object: m}
	f.stacked(b.resolver.calls(m.Stack))
	f.Message = fmt.Sprintf("%s %s: %s of kind %s, %s", readable(name), misuse[m.Rule], plural(int(m.Objects), "object"), kind, plural(int(m.Events), "time"))
	if len(m.Threads) > 1 {
		f.Message += fmt.Sprintf(", with %d threads at work", len(m.Threads))
	}
	f.Message += "."
	if m.Unordered > 0 && b.lossy == "" {
		f.Stats["unordered"] = float64(m.Unordered)
		f.Message += fmt.Sprintf(" Nothing in the log orders %d of them with the end by another thread: it is a race, and may happen the other way round.", m.Unordered)
	}
	f.soften(b, nil)
	switch {
	case b.lossy != "":
		f.Severity = "note" // the event between may be one of those lost
	case m.Tail:
		f.Severity = "note"
		f.Warnings = append(f.Warnings, "the lines of this log are out of order and it is at its end: the event that made the object anew may have been cut off")
	case rare(m):
		f.Severity = "warning"
		f.Warnings = append(f.Warnings, fmt.Sprintf("it looks the same where one event is missing in the log, which made the object anew at its address: %d others made there were ended as they should", m.Right))
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, kind)
	return f
}
