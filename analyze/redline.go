package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// RedlineConfig says which limits the series are held against.
type RedlineConfig struct {
	BuiltIn bool               // the lines of known devices, and the limits that captures name
	Replace map[string]float64 // by name of a built-in line: another limit, in the unit of its metric; 0 takes it away
	Lines   []Redline          // a user's own
	Rearm   float64            // share of the limit below which a series that crossed it must fall to cross it again
}

// DefaultRedlines are those in force unless a policy says otherwise.
var DefaultRedlines = RedlineConfig{BuiltIn: true, Rearm: 0.98}

// Redline is a level that a series must not exceed, or not fall below.
type Redline struct {
	Name     string  // class of its findings, unique: "A100-80GB"
	Match    Match   // the series it holds for; a device's without a pattern of processes is held against their sum
	Limit    float64 // in the unit of the metric; with Of a share of that total
	Of       string  // gpu_total, mem_total or mem_limit, as the capture states it; empty for a limit in itself
	Below    bool    // the series must not fall below it
	Every    int     // look at the first sample of every so many iterations only; 0 at every sample
	Severity string  // of the finding; critical if empty
}

// Margin is how far one series kept from one red line, crossed or not. Sampled values are a lower bound of the peak.
type Margin struct {
	Line      string   `json:"line"`
	Severity  string   `json:"severity"`
	Side      string   `json:"side,omitempty"`
	Run       string   `json:"run"`
	Subject   Subject  `json:"subject"`
	Below     bool     `json:"below,omitempty"` // the line must not be undercut
	Limit     *float64 `json:"limit"`           // nil if the capture lacks the total that it is a share of
	Peak      *float64 `json:"peak"`            // greatest value; the least, if Below
	PeakOf    string   `json:"peak_of"`         // samples, or the metric that keeps the peak: vm_hwm
	Headroom  *float64 `json:"headroom"`        // from the peak to the limit; negative if it was crossed
	Crossings int      `json:"crossings"`       // each but the first after it was below 98 % of the limit
	FirstS    *float64 `json:"first_s,omitempty"`
	AboveS    float64  `json:"above_s"`
	Area      float64  `json:"area"` // beyond the line, in the unit of the metric times seconds
	EtaS      *float64 `json:"eta_s,omitempty"`
	EtaLo     *float64 `json:"eta_lo,omitempty"` // with the ends of the interval of the slope
	EtaHi     *float64 `json:"eta_hi,omitempty"`
	Note      string   `json:"note,omitempty"`

	Fingerprint string `json:"fingerprint"` // of its finding, if it was crossed
}

// Crossed says whether the line was crossed.
func (m *Margin) Crossed() bool { return m.Headroom != nil && *m.Headroom < 0 }

// line is a red line with what it fits, which a pattern cannot always say.
type line struct {
	Redline
	fits    func(Subject) bool
	whole   bool // of a device hold it against the whole, not against what each process has of it
	decimal bool // the limit is known by its decimal unit: say what the same number read as GiB would be
}

func (l Redline) own() line {
	return line{Redline: l, fits: l.Match.Fits, whole: l.Match.Process == "" || l.Match.Process == "*"}
}

// holder holds the series of one capture against red lines.
type holder struct {
	c       RedlineConfig
	capture *Capture
	tracks  []*track
	whole   []*track // the same, with one series in place of the several that processes have of one device
	steps   bool     // values hold until the next one: a log of events, not samples
	r       *Result
	margins int // where those of this capture begin
}

// hold adds the margins of a capture and the findings of the lines that were crossed. The tracks learn their limits.
func (r *Result) hold(c *Capture, tracks []*track, o RedlineConfig) *holder {
	h := &holder{c: o, capture: c, tracks: tracks, steps: c.stepwise(), r: r, margins: len(r.Redlines)}
	h.whole = h.wholeDevices(tracks)
	lines := h.builtIn()
	for _, l := range o.Lines {
		lines = append(lines, l.own())
	}
	for _, l := range lines {
		for _, parts := range h.subjects(l) {
			h.against(l, parts)
		}
	}
	return h
}

// subjects groups the tracks that a line fits by subject: the parts of a series that restarts cut.
func (h *holder) subjects(l line) [][]*track {
	tracks := h.tracks
	if l.whole {
		tracks = h.whole
	}
	var out [][]*track
	index := map[Subject]int{}
	for _, k := range tracks {
		if !l.fits(k.subject) || len(k.y) == 0 {
			continue
		}
		i, ok := index[k.subject]
		if !ok {
			i = len(out)
			index[k.subject] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], k)
	}
	return out
}

// against holds one subject against a line.
func (h *holder) against(l line, parts []*track) {
	k := parts[0]
	m := Margin{Line: l.Name, Severity: cmp.Or(l.Severity, "critical"), Side: h.capture.Side, Run: k.run, Subject: k.subject, Below: l.Below,
		PeakOf: "samples", Fingerprint: fingerprint("redline", k.subject, l.Name)}
	limit, ok := h.limit(l, k.subject)
	if !ok {
		m.Note = fmt.Sprintf("the capture does not tell the %s that the limit is a share of", l.Of)
		h.r.Redlines = append(h.r.Redlines, m)
		h.r.Warnings = append(h.r.Warnings, fmt.Sprintf("Red line %s: %s cannot be held against it: %s.", l.Name, title(k.subject), m.Note))
		return
	}
	m.Limit = &limit
	e := h.measure(&m, l, parts)
	h.r.Redlines = append(h.r.Redlines, m)
	if m.Peak == nil {
		return
	}
	for _, p := range parts {
		p.limits = append(p.limits, bound{limit, l.Below})
	}
	if m.Crossed() {
		h.r.Findings = append(h.r.Findings, h.finding(&m, l, e))
	}
}

// extent is where a line was crossed: the samples to show.
type extent struct {
	track         *track
	before, first int // samples round the first crossing; before is -1 if the first sample is beyond
	peakTrack     *track
	peak          int
}

// measure fills in a margin from the parts of a series.
func (h *holder) measure(m *Margin, l line, parts []*track) (x extent) {
	limit, rearm, sign := *m.Limit, *m.Limit*h.c.Rearm, 1.0
	if l.Below {
		limit, rearm, sign = -limit, -*m.Limit/h.c.Rearm, -1
	}
	for _, k := range parts {
		at, note := k.checked(l.Every)
		m.Note = cmp.Or(note, m.Note)
		if len(at) == 0 {
			continue
		}
		t, y := make([]float64, len(at)), make([]float64, len(at))
		for i, j := range at {
			t[i], y[i] = k.t[j], sign*k.greatest(j, l.Below)
		}
		e := stat.Exceed(t, y, limit, rearm, h.steps)
		if c, ok := e.First(); ok && m.FirstS == nil {
			m.FirstS, x.track, x.before, x.first = &c.T, k, -1, at[c.Index]
			if c.Index > 0 {
				x.before = at[c.Index-1]
			}
		}
		m.Crossings, m.AboveS, m.Area = m.Crossings+e.Ups, m.AboveS+e.Above, m.Area+e.Area
		if peak := sign * e.Peak; m.Peak == nil || sign*peak > sign**m.Peak {
			m.Peak, x.peakTrack, x.peak = &peak, k, at[e.PeakIndex]
		}
	}
	if m.Peak == nil {
		m.Note = "no sample has a usable value"
		return x
	}
	h.recordedPeak(m, l, parts)
	headroom := sign * (*m.Limit - *m.Peak)
	m.Headroom = &headroom
	return x
}

// peaks name the metric that keeps the greatest value of another one since the process started.
var peaks = map[string]string{"rss": "vm_hwm", "vss": "vm_peak", "footprint": "footprint_peak", "gpu_allocated": "gpu_allocated_peak", "gpu_reserved": "gpu_reserved_peak"}

// recordedPeak takes the peak that the system kept, where the capture has it: samples miss what lies between them.
func (h *holder) recordedPeak(m *Margin, l line, parts []*track) {
	keeper := m.Subject
	keeper.Metric = peaks[m.Subject.Metric]
	if keeper.Metric == "" || l.Below || l.Every > 0 || h.steps {
		return
	}
	for _, k := range h.tracks {
		if k.subject != keeper || len(k.y) == 0 || !slices.ContainsFunc(parts, k.samePID) {
			continue
		}
		for i := range k.y {
			if v := k.greatest(i, false); v < absurdValue && v >= *m.Peak {
				m.Peak, m.PeakOf = &v, keeper.Metric
			}
		}
	}
}

// absurdValue is the value from which a sample is no measurement: counters that wrapped (2^64-1) and marks of "none".
const absurdValue = 1 << 60

// checked lists the samples to look at, and says what was left out.
func (k *track) checked(every int) (at []int, note string) {
	turn := math.Inf(-1)
	for i, v := range k.y {
		if math.IsNaN(v) || v >= absurdValue || v <= -absurdValue {
			note = "samples without a usable value were left out"
			continue
		}
		if every > 0 && k.iterations != nil {
			n := math.Floor(k.iterations[i] / float64(every))
			if n == turn {
				continue
			}
			turn = n
		}
		at = append(at, i)
	}
	if every > 0 && k.iterations == nil {
		note = "the capture counts no iterations, so every sample was looked at"
	}
	return at, note
}

// greatest is the value of a sample; of a column of an earlier result the greatest in it, or the least.
func (k *track) greatest(i int, below bool) float64 {
	switch {
	case below && k.low != nil:
		return k.low[i]
	case !below && k.high != nil:
		return k.high[i]
	}
	return k.y[i]
}

func (k *track) samePID(o *track) bool {
	return k.pid == nil || o.pid == nil || *k.pid == *o.pid
}
