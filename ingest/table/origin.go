package table

import "time"

// since1970 is a time in ns that no clock but one from 1970 on shows: 31 years.
const since1970 = 1_000_000_000 * 1_000_000_000

// Origin says which clock that other captures may share the first snapshot of a file tells, wall or boot, and what is to be added to
// the times of its rows to come to that clock, in ns. The clock is empty where it tells none: a trace has an origin of its own, unless
// it counts from 1970, or the fact start tells the wall clock of it.
func (f *File) Origin() (clock string, add int64) {
	switch s := &f.Stamp; {
	case s.Wall.OK:
		return "wall", s.Wall.V - f.StampNS
	case s.Boot.OK:
		return "boot", s.Boot.V - f.StampNS
	case s.Trace.OK && s.Trace.V >= since1970:
		return "wall", s.Trace.V - f.StampNS
	case s.Trace.OK:
		if start := f.start(); start.OK {
			return "wall", start.V + s.Trace.V - f.StampNS
		}
	}
	return "", 0
}

func (f *File) start() Int {
	for _, fact := range f.Facts {
		if t, err := time.Parse(time.RFC3339Nano, fact.Value); fact.Name == "start" && err == nil {
			return Known(t.UnixNano())
		}
	}
	return Int{}
}
