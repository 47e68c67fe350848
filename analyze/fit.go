package analyze

import (
	"fmt"
	"math"
	"slices"
)

// Fit is how much more work a limit leaves room for, by what the capture alone shows.
type Fit struct {
	Side    string   `json:"side,omitempty"`
	Run     string   `json:"run,omitempty"`
	Subject Subject  `json:"subject"`
	Line    string   `json:"line"` // the red line that is kept
	Limit   float64  `json:"limit"`
	Driver  string   `json:"driver"`  // what is counted: requests, batch_size, or seconds
	Most    float64  `json:"most"`    // the greatest value of the driver below the line
	MostLo  *float64 `json:"most_lo"` // with the ends of the interval of the growth; nil where it is not bounded
	MostHi  *float64 `json:"most_hi"`
	Seen    float64  `json:"seen"` // the greatest value in the capture: beyond it this is a forecast
	Message string   `json:"message"`
}

// Relief is what moving a category off the device would leave room for.
type Relief struct {
	Run     string  `json:"run,omitempty"`
	Subject Subject `json:"subject"` // of the category
	Bytes   float64 `json:"bytes"`   // that it takes at the end
	Driver  string  `json:"driver,omitempty"`
	More    float64 `json:"more"` // of the driver, or seconds of run
	Message string  `json:"message"`
}

// fits says what would fit below the red lines of the series that go with some work, and with time where they grow.
func (r *Result) fits() {
	for i := range r.Couplings {
		c := &r.Couplings[i]
		for k := range r.Redlines {
			if m := &r.Redlines[k]; m.Limit != nil && !m.Below && m.Subject == c.Subject && (m.Run == c.Run || c.Run == "") && !r.fitted(c, m) {
				r.fit(c, m)
			}
		}
	}
	for i := range r.Redlines {
		m := &r.Redlines[i]
		if m.EtaS == nil || m.Limit == nil || m.Crossed() {
			continue
		}
		f := Fit{Side: m.Side, Run: m.Run, Subject: m.Subject, Line: m.Line, Limit: *m.Limit, Driver: "seconds", Most: *m.EtaS, MostLo: m.EtaLo, MostHi: m.EtaHi}
		f.Message = fmt.Sprintf("%s stays below %s for %s more at its growth", title(m.Subject), m.Line, span(*m.EtaS))
		if m.EtaLo != nil && m.EtaHi != nil {
			f.Message += fmt.Sprintf(" (%s to %s)", span(min(*m.EtaLo, *m.EtaHi)), span(max(*m.EtaLo, *m.EtaHi)))
		}
		r.Fits = append(r.Fits, f)
	}
	r.reliefs()
}

func (r *Result) fitted(c *Coupling, m *Margin) bool {
	return slices.ContainsFunc(r.Fits, func(f Fit) bool {
		return f.Driver == c.Driver && f.Line == m.Line && f.Subject == c.Subject && f.Run == c.Run
	})
}

func (r *Result) fit(c *Coupling, m *Margin) {
	f := Fit{Side: c.Side, Run: c.Run, Subject: c.Subject, Line: m.Line, Limit: *m.Limit, Driver: c.Driver, Seen: c.To}
	at := c.solver(*m.Limit)
	if at == nil {
		return
	}
	f.Most = math.Floor(at(c.middle()))
	lo, hi := c.bounds()
	if v := math.Floor(at(lo)); !math.IsNaN(v) && !math.IsInf(v, 0) {
		f.MostHi = &v
	}
	if v := math.Floor(at(hi)); !math.IsNaN(v) && !math.IsInf(v, 0) {
		f.MostLo = &v
	}
	if math.IsNaN(f.Most) || math.IsInf(f.Most, 0) || f.Most < 0 {
		return
	}
	f.Message = fmt.Sprintf("%s stays below %s up to %.6g %s", title(c.Subject), m.Line, f.Most, c.Driver)
	if f.MostLo != nil && f.MostHi != nil {
		f.Message += fmt.Sprintf(" (%.6g to %.6g)", *f.MostLo, *f.MostHi)
	}
	if f.Most > 2*c.To {
		f.Message += fmt.Sprintf("; only %.6g were seen, so this is far ahead", c.To)
	}
	r.Fits = append(r.Fits, f)
}

// middle and bounds are the figure of growth of a coupling and its interval: a slope or an exponent.
func (c *Coupling) middle() float64 {
	if c.Form == "power" {
		return value(c.Exponent)
	}
	return value(c.Slope)
}

func (c *Coupling) bounds() (lo, hi float64) {
	nan := math.NaN()
	pick := func(v *float64) float64 {
		if v == nil {
			return nan
		}
		return *v
	}
	if c.Form == "power" {
		return pick(c.ExponentLo), pick(c.ExponentHi)
	}
	return pick(c.SlopeLo), pick(c.SlopeHi)
}

// solver gives the value of the driver at which the level comes to a limit, for a slope or an exponent; nil where the fit is not of
// a level. The curve is held at its end, where the capture was.
func (c *Coupling) solver(limit float64) func(float64) float64 {
	if c.Of != "level" && c.Of != "peak" || c.Level == 0 {
		return nil
	}
	room := limit - c.Level
	if c.Form == "linear" {
		return func(slope float64) float64 { return c.To + room/slope }
	}
	return func(exponent float64) float64 { // growth is factor × (to^e − from^e)
		factor := c.Growth / (math.Pow(c.To, value(c.Exponent)) - math.Pow(c.From, value(c.Exponent)))
		span := math.Pow(c.To, value(c.Exponent)) * factor / math.Pow(c.To, exponent) // the same part of the level at To
		return math.Pow(math.Pow(c.To, exponent)+room/span, 1/exponent)
	}
}

// mostReliefs bounds the categories that are told.
const mostReliefs = 3

// reliefs says what moving the largest categories of a device off it would leave room for.
func (r *Result) reliefs() {
	for i := range r.Fits {
		f := &r.Fits[i]
		if f.Subject.Scope != "device" && f.Subject.Metric != "gpu_used" && f.Subject.Metric != "gpu_allocated" {
			continue
		}
		for _, s := range r.largest(f.Run)[:min(len(r.largest(f.Run)), mostReliefs)] {
			more := r.more(f, float64(s.Last))
			if more <= 0 {
				continue
			}
			what := fmt.Sprintf("%.4g more %s", more, f.Driver)
			if f.Driver == "seconds" {
				what = span(more) + " more"
			}
			r.Reliefs = append(r.Reliefs, Relief{Run: s.Run, Subject: s.Subject, Bytes: float64(s.Last), Driver: f.Driver, More: more,
				Message: fmt.Sprintf("%s off the device (%s) would leave room for %s", s.Subject.Name, mebibytes(float64(s.Last)), what)})
		}
	}
}

// more is how much of the driver so many bytes are.
func (r *Result) more(f *Fit, bytes float64) float64 {
	if f.Driver == "seconds" {
		for i := range r.Series {
			if s := &r.Series[i]; s.Subject == f.Subject && s.Run == f.Run && value(s.SlopePerS) > 0 {
				return bytes / *s.SlopePerS
			}
		}
		return 0
	}
	for i := range r.Couplings {
		if c := &r.Couplings[i]; c.Subject == f.Subject && c.Driver == f.Driver && c.Form == "linear" && value(c.Slope) > 0 {
			return math.Floor(bytes / *c.Slope)
		}
	}
	return 0
}

// largest are the categories of device memory in a run, greatest first.
func (r *Result) largest(run string) []*Series {
	var out []*Series
	for i := range r.Series {
		s := &r.Series[i]
		if s.Run == run && (s.Subject.Scope == "category" || s.Subject.Scope == "pool" || s.Subject.Scope == "class") && s.Last > 0 &&
			slices.Contains([]string{"gpu_allocated", "gpu_reserved", "gpu_used", "live_bytes"}, s.Subject.Metric) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *Series) int { return int(min(max(b.Last-a.Last, -1), 1)) })
	return out
}
