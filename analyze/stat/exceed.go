package stat

// Crossing is one passage through a limit.
type Crossing struct {
	T     float64
	Up    bool // from at most the limit to above it
	Index int  // of the first sample beyond: the passage lies between it and the one before
}

// Excess is what a series did above a limit. Times have the unit of t, the area is value times time.
type Excess struct {
	Crossings []Crossing // every passage; the first is a start above the limit, if there is one
	Ups       int        // times it came up, after it had been below the level that re-arms; a start above counts
	Above     float64    // time above the limit
	Area      float64    // between the series and the limit, where it is above
	Peak      float64    // greatest value
	PeakIndex int
}

// Exceed follows a series through a limit, along straight lines between the samples; with steps true each value holds until the
// next sample instead. A series that wavers round the limit comes up once: it must fall below rearm before it can come up again.
// t must not fall, and is as long as y. An empty series gives a zero Excess.
func Exceed(t, y []float64, limit, rearm float64, steps bool) Excess {
	var e Excess
	if len(y) == 0 {
		return e
	}
	e.Peak = y[0]
	armed := true
	for i, v := range y {
		if v > e.Peak {
			e.Peak, e.PeakIndex = v, i
		}
		if i == 0 {
			if v > limit {
				e.Crossings = append(e.Crossings, Crossing{t[0], true, 0})
			}
		} else {
			e.segment(t[i-1], t[i], y[i-1]-limit, v-limit, i, steps)
		}
		if v > limit && armed {
			e.Ups++
		}
		armed = v < rearm || armed && v <= limit
	}
	return e
}

// segment adds what lies between two samples, given their distances from the limit.
func (e *Excess) segment(t0, t1, d0, d1 float64, i int, steps bool) {
	at, dt := t1, t1-t0
	crosses := d0 > 0 != (d1 > 0)
	if crosses && !steps {
		at = t0 + dt*d0/(d0-d1)
	}
	if crosses {
		e.Crossings = append(e.Crossings, Crossing{at, d1 > 0, i})
	}
	switch {
	case steps && d0 > 0:
		e.Above, e.Area = e.Above+dt, e.Area+dt*d0
	case steps:
	case d0 > 0 && d1 > 0:
		e.Above, e.Area = e.Above+dt, e.Area+dt*(d0+d1)/2
	case d0 > 0:
		e.Above, e.Area = e.Above+at-t0, e.Area+(at-t0)*d0/2
	case d1 > 0:
		e.Above, e.Area = e.Above+t1-at, e.Area+(t1-at)*d1/2
	}
}

// First is the first time above, if there is one.
func (e *Excess) First() (Crossing, bool) {
	if len(e.Crossings) == 0 {
		return Crossing{}, false
	}
	return e.Crossings[0], true
}
