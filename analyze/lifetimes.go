package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze/lifetime"
)

// Lifetime is what became of the objects of one kind in one process, by a log of events.
type Lifetime struct {
	Side        string `json:"side,omitempty"`
	Run         string `json:"run"`
	Process     string `json:"process"`
	Kind        string `json:"kind"`
	Made        int64  `json:"made"`
	Ended       int64  `json:"ended"`
	Alive       int64  `json:"alive"`
	PreExisting int64  `json:"pre_existing"` // ended, used or counted without having been seen made: the log began later
	Overwritten int64  `json:"overwritten"`  // made at the address of one alive: events were missed
	NeverEnded  int64  `json:"never_ended_bytes"`

	MeanBytes *float64 `json:"mean_bytes"`  // of those made and ended; nil if no size is known
	MeanLifeS *float64 `json:"mean_life_s"` // of those made and ended; nil if there are none or the log has no times
	Dwell     *Dwell   `json:"dwell,omitempty"`
}

// Dwell is how long objects are held when nobody uses them any more: from the last use or release to the end.
type Dwell struct {
	Objects   int64    `json:"objects"` // that were used or released before their end
	MeanS     float64  `json:"mean_s"`
	MostS     float64  `json:"most_s"`
	MeanBytes *float64 `json:"mean_bytes"` // held in that time, by one object; nil if no size is known
}

// DwellConfig is from when on it is told that objects are held unused: all three must be reached.
type DwellConfig struct {
	Objects int64   // how many
	Bytes   float64 // mean size of one
	Seconds float64 // mean time from the last use to the end
}

// DefaultDwell are the thresholds in force.
var DefaultDwell = DwellConfig{Objects: 5, Bytes: 1 << 20, Seconds: 0.1}

// lifetimes adds what became of the objects of a capture, and the findings of what is held unused.
func (r *Result) lifetimes(c *Capture, b *books, o DwellConfig) {
	if c.Set == nil {
		return
	}
	if o == (DwellConfig{}) {
		o = DefaultDwell
	}
	for _, k := range b.accounts(c) {
		l := lifetimeOf(c, k)
		r.Lifetimes = append(r.Lifetimes, l)
		if d := l.Dwell; d != nil && d.Objects >= o.Objects && value(d.MeanBytes) >= o.Bytes && d.MeanS >= o.Seconds {
			r.Findings = append(r.Findings, dwellFinding(c, b, &l))
		}
	}
}

// account is the sum of the accounts of one kind of the processes of one name.
type account struct {
	process, kind string
	lifetime.Account
}

// accounts adds up the ledgers of a capture, those that made most bytes first.
func (b *books) accounts(c *Capture) []*account {
	var out []*account
	for _, l := range b.ledgers {
		for i := range l.Kinds {
			a := &l.Kinds[i]
			process, kind := b.resolver.process(pidOf(a.PID), ""), cmp.Or(c.Set.String(a.Kind), "heap")
			at := slices.IndexFunc(out, func(o *account) bool { return o.process == process && o.kind == kind })
			if at < 0 {
				out = append(out, &account{process: process, kind: kind})
				at = len(out) - 1
			}
			out[at].add(a)
		}
	}
	slices.SortStableFunc(out, func(x, y *account) int {
		return cmp.Compare(y.SumBytes+y.NeverEndedBytes, x.SumBytes+x.NeverEndedBytes)
	})
	return out
}

func (a *account) add(o *lifetime.Account) {
	a.Made, a.Ended, a.Alive = a.Made+o.Made, a.Ended+o.Ended, a.Alive+o.Alive
	a.PreExisting, a.Overwritten, a.NeverEndedBytes = a.PreExisting+o.PreExisting, a.Overwritten+o.Overwritten, a.NeverEndedBytes+o.NeverEndedBytes
	a.Timed, a.SumBytes, a.SumLifeNS = a.Timed+o.Timed, a.SumBytes+o.SumBytes, a.SumLifeNS+o.SumLifeNS
	a.Idle, a.SumIdleNS, a.IdleByteNS = a.Idle+o.Idle, a.SumIdleNS+o.SumIdleNS, a.IdleByteNS+o.IdleByteNS
	a.MaxIdleNS = max(a.MaxIdleNS, o.MaxIdleNS)
}

// lifetimeOf tells an account. A log that is in order but has no times tells numbers and sizes only.
func lifetimeOf(c *Capture, a *account) Lifetime {
	l := Lifetime{Side: c.Side, Run: c.Name, Process: a.process, Kind: a.kind, Made: a.Made, Ended: a.Ended, Alive: a.Alive, PreExisting: a.PreExisting,
		Overwritten: a.Overwritten, NeverEnded: a.NeverEndedBytes}
	if a.SumBytes > 0 {
		l.MeanBytes = quotient(float64(a.SumBytes), a.Timed)
	}
	if c.Set.Clock == "order" {
		return l
	}
	l.MeanLifeS = quotient(float64(a.SumLifeNS)/1e9, a.Timed)
	if a.Idle > 0 {
		l.Dwell = &Dwell{Objects: a.Idle, MeanS: float64(a.SumIdleNS) / 1e9 / float64(a.Idle), MostS: float64(a.MaxIdleNS) / 1e9}
		if a.IdleByteNS > 0 && a.SumIdleNS > 0 {
			mean := a.IdleByteNS / float64(a.SumIdleNS)
			l.Dwell.MeanBytes = &mean
		}
	}
	return l
}

func quotient(sum float64, n int64) *float64 {
	if n == 0 {
		return nil
	}
	v := sum / float64(n)
	return &v
}

func dwellFinding(c *Capture, b *books, l *Lifetime) Finding {
	d := l.Dwell
	s := Subject{Process: l.Process, Scope: "class", Name: l.Kind, Metric: "live_bytes"}
	f := Finding{Rule: "dwell", Class: l.Kind, Severity: "note", Side: c.Side, Run: c.Name, Subject: s, Evidence: []Evidence{}, Warnings: []string{}, settled: true,
		Stats:  map[string]float64{"objects": float64(d.Objects), "mean_bytes": value(d.MeanBytes), "mean_dwell_s": d.MeanS, "most_dwell_s": d.MostS},
		Advice: "End these objects right after their last use, or give their memory to the next one in that time: what is held here adds to every peak.",
		Message: fmt.Sprintf("%s is held unused: each of %d objects keeps %s for %s on average (at most %s) after its last use or release, until it is ended.",
			l.Kind, d.Objects, mebibytes(value(d.MeanBytes)), span(d.MeanS), span(d.MostS))}
	if at := b.largestOf(l.Process, l.Kind); at != nil {
		f.Evidence = at.evidence
		if len(at.chains) > 0 {
			f.stacked(at.chains[0].calls())
		}
	}
	f.soften(b, nil)
	f.Fingerprint = fingerprint(f.Rule, s, f.Class)
	return f
}

// largestOf is the site of a kind of objects that held most at any time.
func (b *books) largestOf(process, kind string) *site {
	var best *site
	most := -1.0
	for _, s := range b.sites {
		if s.process != process || cmp.Or(s.kind, "heap") != kind || len(s.evidence) == 0 {
			continue
		}
		if top := slices.Max(append([]float64{0}, s.bytes...)); top > most {
			best, most = s, top
		}
	}
	return best
}
