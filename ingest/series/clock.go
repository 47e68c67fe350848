package series

import (
	"bytes"
	"math"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// timeNames are the names of a time column, without its unit; the value is the unit that the name itself tells, in
// ns, or 0.
var timeNames = map[string]int64{
	"time": 0, "t": 0, "ts": 0, "timestamp": 0, "epoch": 0, "date": 0, "datetime": 0, "date_time": 0, "elapsed": 0,
	"elapsed_time": 0, "clock": 0, "uptime": 0, "wall_time": 0, "walltime": 0, "unix_time": 0, "unixtime": 0,
	"seconds": 1e9,
}

// iterationNames are the names of a column that counts the rounds of a scenario.
var iterationNames = map[string]bool{"iteration": true, "iter": true, "cycle": true, "loop": true, "round": true, "step": true}

// timeUnits are the units of a time column in ns.
var timeUnits = map[string]int64{
	"s": 1e9, "sec": 1e9, "secs": 1e9, "seconds": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1, "min": 60e9, "minutes": 60e9,
	"h": 3600e9, "hours": 3600e9,
}

// kinds of times; the first time of a file decides which it has.
const (
	unseen = iota
	number
	timeOfDay
	date
)

const (
	day = int64(24 * 3600e9)
	// setBack is the largest fall of a time of day that is taken for a clock that was set back (end of summer
	// time, NTP) and not for midnight.
	setBack = int64(3600e9)
	// firstWall is the smallest number that is a time since 1970: 10⁸ s, as ns.
	firstWall = int64(1e17)
)

// clock reads the cells of a time column. The first value settles the kind and, for a number without a unit, the
// unit: a column does not change it half-way.
type clock struct {
	unit       int64 // ns per unit of a number; 0 until the first one tells it
	comma      bool  // the decimal comma is allowed
	kind       int
	wall       bool
	days, last int64 // for times of day: what midnights added, and the time before

	earliest, latest int64 // of the times that were read
	started          bool
	far              bool // the last cell is a time, but not within 2^63 ns of all others: no difference of the two would be right
}

// read gives a time in ns: since 1970 if stamp calls it wall time, else since an origin of the capture's own.
func (c *clock) read(cell []byte) (int64, bool) {
	ns, ok := c.parse(cell)
	c.far = false
	if !ok {
		return 0, false
	}
	from, to := ns, ns
	if c.started {
		from, to = min(ns, c.earliest), max(ns, c.latest)
	}
	if c.far = uint64(to)-uint64(from) > math.MaxInt64; c.far {
		return 0, false
	}
	c.earliest, c.latest, c.started = from, to, true
	return ns, true
}

func (c *clock) parse(cell []byte) (int64, bool) {
	if c.kind <= number {
		if d, ok := parseDecimal(cell, c.comma); ok {
			return c.number(d)
		}
	}
	if ns, ok := parseClock(cell); ok && (c.kind == unseen || c.kind == timeOfDay) {
		c.kind = timeOfDay
		return c.midnight(ns), true
	}
	if c.kind == unseen || c.kind == date {
		ns, ok := parseDate(cell)
		if ok {
			c.kind, c.wall = date, true
		}
		return ns, ok
	}
	return 0, false
}

// stamp puts a time into the clock that it is of.
func (c *clock) stamp(ns int64, line int) table.Stamp {
	if c.wall {
		return table.Stamp{Wall: table.Known(ns), Line: line}
	}
	return table.Stamp{Trace: table.Known(ns), Line: line}
}

func (c *clock) number(d decimal) (int64, bool) {
	unit := c.unit
	if unit == 0 {
		unit = unitOf(d)
	}
	ns, ok := d.times(uint64(unit))
	if !ok {
		return 0, false
	}
	if c.kind == unseen {
		c.kind, c.unit, c.wall = number, unit, ns >= firstWall
	}
	return ns, true
}

// unitOf guesses the unit of a bare number by its size: it is a time since 1970, or else seconds.
func unitOf(d decimal) int64 {
	whole := d.mant / pow10[d.scale]
	switch {
	case whole >= 1e17:
		return 1
	case whole >= 1e14:
		return 1e3
	case whole >= 1e11:
		return 1e6
	}
	return 1e9
}

// midnight adds a day when the time of day falls.
func (c *clock) midnight(ns int64) int64 {
	if ns+c.days < c.last-setBack {
		c.days += day
	}
	c.last = ns + c.days
	return c.last
}

// parseClock reads H:MM:SS with a fraction, to ns. Hours beyond 23 are those of a stopwatch.
func parseClock(s []byte) (int64, bool) {
	i := bytes.IndexByte(s, ':')
	if i < 1 || i > 4 || len(s) < i+6 || s[i+3] != ':' {
		return 0, false
	}
	h, okH := integer(s[:i])
	m, okM := integer(s[i+1 : i+3])
	sec, okS := parseDecimal(s[i+4:], true)
	ns, okN := sec.times(1e9)
	if !okH || !okM || !okS || !okN || sec.neg || m > 59 || ns >= 61e9 {
		return 0, false
	}
	return (h*60+m)*60e9 + ns, true
}

// parseDate reads a date, and a time of day behind it, to ns since 1970. Without a zone it counts as UTC.
func parseDate(s []byte) (int64, bool) {
	if ns, ok := parseISO(s); ok {
		return ns, true
	}
	if len(s) > 64 {
		return 0, false
	}
	return source.ParseTime(string(s))
}
