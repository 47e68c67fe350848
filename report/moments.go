package report

import (
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze"
)

// Moments are findings on one axis of time: a row each, with marks where its evidence was seen.
type Moments struct {
	ID, Caption string
	Rows        []Moment
	From, To    float64 // seconds: the axis
	Axis        Axis
}

// Moment is one row of Moments.
type Moment struct {
	Link  string // the ID of the finding
	Label string
	Tone  Tone
	Side  string
	Times []float64 // seconds, in order
}

// mostMoments is how many findings stand on the axis.
const mostMoments = 24

// moments puts findings on an axis of time: nil unless two of them were seen at a known time, or one over a time.
func (s *story) moments(of []told, items []Finding) *Moments {
	m := &Moments{ID: "moments", Caption: "When: the evidence of each finding, by the time since the start of its run", Axis: s.commonAxis()}
	if m.Axis.Zero != "" {
		m.Caption = fmt.Sprintf("When: the evidence of each finding, by the time from what each run is aligned at: %s", m.Axis.Zero)
	}
	spread := false
	for i, f := range of[:min(len(of), len(items))] {
		times := timesOf(f.Finding, s.zero(f.Side, f.Run))
		if len(times) == 0 || len(m.Rows) == mostMoments {
			continue
		}
		if len(m.Rows) == 0 {
			m.From, m.To = times[0], times[0]
		}
		m.From, m.To = min(m.From, times[0]), max(m.To, times[len(times)-1])
		spread = spread || len(m.Rows) > 0 || len(times) > 1
		m.Rows = append(m.Rows, Moment{Link: items[i].ID, Label: items[i].Title, Tone: items[i].Tone, Side: f.Side, Times: times})
	}
	for _, t := range s.Timeline { // the axis is that of the charts
		if n := usable(t); n > 0 && len(m.Rows) > 0 {
			m.From, m.To = min(m.From, t.TimeS[0]), max(m.To, t.TimeS[n-1])
		}
	}
	if !spread || m.From == m.To {
		return nil
	}
	return m
}

// timesOf are the times of the evidence of a finding, counted from zero.
func timesOf(f analyze.Finding, zero float64) []float64 {
	var times []float64
	for _, e := range f.Evidence {
		if e.TimeNS == nil {
			continue
		}
		if t := float64(*e.TimeNS)/1e9 - zero; !slices.Contains(times, t) {
			times = append(times, t)
		}
	}
	slices.Sort(times)
	return times
}
