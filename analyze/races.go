package analyze

import (
	"cmp"
	"fmt"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// races makes findings of uses and ends of one object by two threads that nothing in the log orders (rule HB001). A log that says
// nothing of order between threads has none; in one that lacks events, what orders them may be among those.
func (r *Result) races(c *Capture, b *books) {
	if b.partial || c.says("sampled") {
		return
	}
	type of struct {
		pid      int64
		use, end string
		kind     table.Sym
	}
	groups, files := map[of]*lifetime.Race{}, map[of]string{}
	var order []of
	found := int64(0)
	for i, l := range b.ledgers {
		for _, x := range l.Races {
			found += x.Events
			x.Tail = l.DisorderNS > 0 && x.End.TimeNS >= l.ToNS-l.DisorderNS
			k := of{x.PID, table.SiteOf(b.resolver.calls(x.Use.Stack)), table.SiteOf(b.resolver.calls(x.End.Stack)), x.Kind}
			if g := groups[k]; g != nil {
				g.Objects, g.Events, g.Tail = g.Objects+x.Objects, g.Events+x.Events, g.Tail && x.Tail
				continue
			}
			groups[k], files[k] = &x, b.files[i]
			order = append(order, k)
		}
	}
	if b.lossy != "" {
		if found > 0 {
			r.remark([]string{fmt.Sprintf("Nothing in the log orders %s with the end of the object by another thread, but %s: what orders them may be missing, so no race is told.", plural(int(found), "use"), b.lossy)})
		}
		return
	}
	for _, k := range order {
		r.Findings = append(r.Findings, raceFinding(c, b, groups[k], k.use, k.end, files[k]))
	}
}

func raceFinding(c *Capture, b *books, x *lifetime.Race, use, end, file string) Finding {
	kind := cmp.Or(c.Set.String(x.Kind), "heap")
	use, end = cmp.Or(use, kind), cmp.Or(end, kind)
	f := Finding{Rule: "racy-release", Class: "race-candidate", Severity: "warning", Side: c.Side, Run: c.Name, Subject: Subject{Process: b.resolver.process(pidOf(x.PID), ""), Scope: "class", Name: use},
		Stats:    map[string]float64{"objects": float64(x.Objects), "events": float64(x.Events), "thread": float64(x.Use.TID), "end_thread": float64(x.End.TID)},
		Evidence: []Evidence{{File: file, Line: x.Use.Line, TimeNS: &x.Use.TimeNS}, {File: file, Line: x.End.Line, TimeNS: &x.End.TimeNS}}, Warnings: []string{}, Grain: "function",
		FreeStack: shown(b.resolver.calls(x.End.Stack)), AllocStack: shown(b.resolver.calls(x.Made)),
		Advice: "Make the end wait for the use: join the thread or wait for its signal before it, end the object under the lock that guards its uses, or hold a reference while it is used. If atomics or a device order the two, write that into the log as signal and wait."}
	f.stacked(b.resolver.calls(x.Use.Stack))
	f.Message = fmt.Sprintf("%s uses what %s ends in another thread without any order between the two: %s of kind %s, %s.",
		readable(use), readable(end), plural(int(x.Objects), "object"), kind, plural(int(x.Events), "time"))
	f.Message += " No lock, signal or join makes the end wait for the use."
	f.Message += fmt.Sprintf(" Thread %d uses it at line %d of the log, thread %d ends it at line %d.", x.Use.TID, x.Use.Line, x.End.TID, x.End.Line)
	if x.Tail {
		f.Severity, f.settled = "note", true
		f.Warnings = append(f.Warnings, "the lines of this log are out of order and it is at its end: the event that orders the two may have been cut off")
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, kind, end)
	return f
}
