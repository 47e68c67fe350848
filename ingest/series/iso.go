package series

import "bytes"

// parseISO reads YYYY-MM-DD, perhaps with slashes, and behind 'T', '_' or a blank HH:MM[:SS[.,fraction]] and a zone
// (ISO 8601). It does by hand what time.Parse does, as it is asked once for every line of a file.
func parseISO(s []byte) (int64, bool) {
	if len(s) < 10 || s[4] != s[7] || s[4] != '-' && s[4] != '/' {
		return 0, false
	}
	y, okY := digits(s[:4])
	m, okM := digits(s[5:7])
	d, okD := digits(s[8:10])
	if !okY || !okM || !okD || y < 1970 || y > 2261 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m) {
		return 0, false
	}
	ns := daysSince1970(y, m, d) * day
	if len(s) == 10 {
		return ns, true
	}
	if s[10] != 'T' && s[10] != ' ' && s[10] != '_' {
		return 0, false
	}
	t, ok := isoTime(s[11:])
	return ns + t, ok
}

// isoTime reads the time of day behind a date; a zone is taken off.
func isoTime(s []byte) (int64, bool) {
	t, zone := s, []byte(nil)
	if i := bytes.IndexAny(s, "Z+-Uz "); i >= 0 {
		t, zone = s[:i], bytes.TrimSpace(s[i:])
	}
	var ns int64
	ok := false
	if len(t) == 5 && t[2] == ':' {
		h, okH := digits(t[:2])
		m, okM := digits(t[3:])
		ns, ok = (h*60+m)*60e9, okH && okM && m < 60
	} else if len(t) >= 8 && t[2] == ':' {
		ns, ok = parseClock(t)
	}
	offset, okZone := zoneOffset(zone)
	return ns - offset, ok && okZone && ns < day+1e9
}

// zoneOffset reads Z, UTC, ±hh, ±hhmm and ±hh:mm, to ns east of Greenwich.
func zoneOffset(s []byte) (int64, bool) {
	switch {
	case len(s) == 0, string(s) == "Z", string(s) == "z", string(s) == "UTC":
		return 0, true
	case len(s) < 3 || s[0] != '+' && s[0] != '-':
		return 0, false
	}
	h, ok := digits(s[1:3])
	rest := bytes.TrimPrefix(s[3:], []byte(":"))
	m, okM := int64(0), len(rest) == 0
	if len(rest) == 2 {
		m, okM = digits(rest)
	}
	ns := (h*60 + m) * 60e9
	if s[0] == '-' {
		ns = -ns
	}
	return ns, ok && okM && h < 24 && m < 60
}

// digits reads a number of nothing but digits.
func digits(s []byte) (int64, bool) {
	var n int64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(s) > 0
}

func daysIn(y, m int64) int64 {
	switch {
	case m == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0):
		return 29
	case m == 2:
		return 28
	case m == 4 || m == 6 || m == 9 || m == 11:
		return 30
	}
	return 31
}

// daysSince1970 counts days in the Gregorian calendar, with years that begin in March so that the leap day is last.
func daysSince1970(y, m, d int64) int64 {
	if m <= 2 {
		y, m = y-1, m+12
	}
	const before1970 = 719468 // days from 1 March of year 0
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 1 - before1970
}
