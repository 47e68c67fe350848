package analyze

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memtide/memtide/analyze/lifetime"
)

// pending makes findings of objects whose last reference was given up and that were never ended: the count says free, the memory is
// held all the same. A few at the end of a log are on their way; those that wait longer by far than any did that was ended have been
// forgotten by whoever should end them.
func (r *Result) pending(c *Capture, b *books) {
	if b.partial {
		return
	}
	for n, l := range b.ledgers {
		for i := range l.Kinds {
			a := &l.Kinds[i]
			kind := cmp.Or(c.Set.String(a.Kind), "heap")
			device := strings.HasPrefix(kind, "gpu-")
			if a.Overdue > 0 || device && a.Pending > 0 && a.Waited == 0 {
				r.Findings = append(r.Findings, pendingFinding(c, b, a, kind, b.files[n]))
			}
		}
	}
}

func pendingFinding(c *Capture, b *books, a *lifetime.Account, kind, file string) Finding {
	process := b.resolver.process(pidOf(a.PID), "")
	s := Subject{Process: process, Scope: "class", Name: kind, Metric: "live_bytes"}
	f := Finding{Rule: "unfinished-release", Class: kind, Severity: "note", Side: c.Side, Run: c.Name, Subject: s, Evidence: []Evidence{{File: file}}, Warnings: []string{}, settled: true,
		Stats:  map[string]float64{"objects": float64(a.Pending), "bytes": float64(a.PendingBytes), "overdue": float64(a.Overdue), "ended": float64(a.Waited), "longest_wait_s": float64(a.LongestWaitNS) / 1e9},
		Advice: "See what ends an object behind its last release: a stream or fence that is never waited for, a queue of deferred frees that is not drained, a view that outlives the count."}
	if a.Overdue >= fewSurvivors && a.OverdueSpans >= fewSurvivors && b.lossy == "" && !(b.short && strings.HasPrefix(kind, "gpu-")) {
		f.Severity, f.settled = "warning", false
	}
	f.Message = fmt.Sprintf("%s of kind %s (%s) wait for their end though nothing refers to them any more", plural(int(a.Pending), "object"), kind, mebibytes(float64(a.PendingBytes)))
	if a.Waited > 0 {
		f.Message += fmt.Sprintf(": %d of them longer by far than any of the %d that were ended, which took at most %s", a.Overdue, a.Waited, span(float64(a.LongestWaitNS)/1e9))
	} else {
		f.Message += ", and no other was ended"
	}
	f.Message += "."
	f.soften(b, nil)
	f.Fingerprint = fingerprint(f.Rule, s, kind)
	return f
}
