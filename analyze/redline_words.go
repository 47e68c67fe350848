package analyze

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

// bound is a limit that a track learned.
type bound struct {
	limit float64
	below bool
}

// drawn is the red line to draw into the chart of a track: the lowest one, so that no other hides behind it.
func (k *track) drawn() *float64 {
	var out *float64
	for _, b := range k.limits {
		if out == nil || b.limit < *out {
			out = &b.limit
		}
	}
	return out
}

// ahead is the nearest limit that a track would reach by growing; 0 if there is none.
func (k *track) ahead() float64 {
	least := 0.0
	for _, b := range k.limits {
		if !b.below && b.limit > k.y[len(k.y)-1] && (least == 0 || b.limit < least) {
			least = b.limit
		}
	}
	return least
}

// predict says of the lines that lie ahead when they would be crossed at the slope that was found, where growth is certain:
// (limit − last) / slope, with the ends of the interval of the slope.
func (h *holder) predict(series []Series) {
	last := map[Subject]*Series{} // the last part of each: its slope is the one that holds now
	for i := range series {
		last[series[i].Subject] = &series[i]
	}
	for i := range h.r.Redlines[h.margins:] {
		if m := &h.r.Redlines[h.margins+i]; last[m.Subject] != nil {
			m.approach(last[m.Subject])
		}
	}
}

func (m *Margin) approach(s *Series) {
	toward, certain := 1.0, s.Verdict == Leak
	if m.Below {
		toward, certain = -1, s.Verdict == Falling
	}
	if m.Limit == nil || !certain || s.SlopePerS == nil {
		return
	}
	gap := toward * (*m.Limit - float64(s.Last))
	slope, fast, slow := toward**s.SlopePerS, toward*value(s.SlopeHi), toward*value(s.SlopeLo)
	if m.Below {
		fast, slow = slow, fast
	}
	eta := func(slope float64) *float64 {
		if v := gap / slope; slope > 0 && !math.IsInf(v, 0) {
			return &v
		}
		return nil
	}
	if gap > 0 && slope > 0 {
		m.EtaS, m.EtaLo, m.EtaHi = eta(slope), eta(fast), eta(slow)
	}
}

// finding states a line that was crossed.
func (h *holder) finding(m *Margin, l line, x extent) Finding {
	f := Finding{Rule: "redline", Class: l.Name, Severity: m.Severity, Side: m.Side, Run: m.Run, Subject: m.Subject, Stats: m.stats(),
		Message: m.sentence() + h.otherReading(m, l, x), Advice: adviceOn(m), Warnings: []string{}, Fingerprint: m.Fingerprint, suspects: []string{l.Name}}
	if x.track != nil {
		if x.before >= 0 {
			f.Evidence = append(f.Evidence, x.track.place(x.before))
		}
		f.Evidence = append(f.Evidence, x.track.place(x.first))
	}
	if x.peakTrack != nil && (x.peakTrack != x.track || x.peak != x.first) {
		f.Evidence = append(f.Evidence, x.peakTrack.place(x.peak))
	}
	if m.PeakOf == "samples" && !h.steps {
		f.Warnings = append(f.Warnings, "The peak is that of the samples: what lies between them may be higher.")
		if m.Below {
			f.Warnings[0] = "The least value is that of the samples: what lies between them may be lower."
		}
	}
	if m.Note != "" {
		f.Warnings = append(f.Warnings, strings.ToUpper(m.Note[:1])+m.Note[1:]+".")
	}
	return f
}

func (m *Margin) stats() map[string]float64 {
	out := map[string]float64{"limit": *m.Limit, "peak": *m.Peak, "headroom": *m.Headroom, "crossings": float64(m.Crossings), "above_ns": m.AboveS * 1e9, "area": m.Area}
	if m.FirstS != nil {
		out["first_ns"] = *m.FirstS * 1e9
	}
	return out
}

// sentence tells of a crossing.
func (m *Margin) sentence() string {
	over, side, to := "went over", "above it", "up"
	if m.Below {
		over, side, to = "fell below", "below it", "down"
	}
	who := fmt.Sprintf("%s %s the red line %s, %s", title(m.Subject), over, m.Line, m.amount(*m.Limit))
	beyond := m.amount(*m.Peak)
	if *m.Limit != 0 {
		beyond += fmt.Sprintf(" (%.1f %%)", 100**m.Peak / *m.Limit)
	}
	if m.FirstS == nil {
		return fmt.Sprintf("%s: %s says that it reached %s, between two samples or before the first; no sample shows it.", who, m.PeakOf, beyond)
	}
	count := "once"
	if m.Crossings > 1 {
		count = fmt.Sprintf("%d times", m.Crossings)
	}
	return fmt.Sprintf("%s, %s into the run: %s, %s %s in all, %s to %s by %s.", who, span(*m.FirstS), count, span(m.AboveS), side, to, beyond, m.PeakOf)
}

// otherReading says of a limit in decimal GB what the same number read as GiB would have meant.
func (h *holder) otherReading(m *Margin, l line, x extent) string {
	if !l.decimal || x.track == nil || math.Mod(*m.Limit, 1e9) != 0 {
		return ""
	}
	binary := *m.Limit / 1e9 * (1 << 30)
	e := stat.Exceed(x.track.t, x.track.y, binary, binary*h.c.Rearm, h.steps)
	if c, ok := e.First(); ok {
		return fmt.Sprintf(" Read as %.0f GiB the line was crossed too, %s into the run.", *m.Limit/1e9, span(c.T))
	}
	return fmt.Sprintf(" Read as %.0f GiB it was not crossed.", *m.Limit/1e9)
}

func adviceOn(m *Margin) string {
	switch {
	case m.Below:
		return "The system was short of memory: see which processes grew before that, and what the kernel ended."
	case m.Subject.Scope == "device":
		return "See what was allocated just before the crossing: a smaller batch, cache share or workspace keeps the device below its line; a capture of allocations names the one that crosses it."
	}
	return "See what was allocated just before the crossing, and whether the limit fits what the process has to do."
}

// amount writes a value of the metric; sizes of whole GB in GB, GiB and bytes, since the units are mistaken for each other.
func (m *Margin) amount(v float64) string {
	switch {
	case m.Subject.Unit() != "bytes":
		return sized(v, 4) // a tenth of a MiB, as tables have it
	case v >= 1e9 && math.Mod(v, 1e9) == 0:
		return fmt.Sprintf("%.0f GB = %.4g GiB = %.0f B", v/1e9, v/(1<<30), v)
	}
	return sized(v, 4) // a tenth of a MiB, as tables have it
}

// span writes a length of time in the unit that fits it.
func span(s float64) string {
	for _, u := range []struct {
		name    string
		seconds float64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}} {
		if math.Abs(s) >= 2*u.seconds {
			return fmt.Sprintf("%.3g %s", s/u.seconds, u.name)
		}
	}
	return fmt.Sprintf("%.3g s", s)
}
