package unit

import (
	"fmt"
	"math"
)

// Duration writes a length of time in its two greatest units: "350 ms", "45 s", "2 min 5 s", "3 h 10 min", "2 d 4 h".
func Duration(seconds float64) string {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return Unknown
	}
	if seconds < 0 {
		return minus + Duration(-seconds)
	}
	switch {
	case seconds == 0:
		return "0 s"
	case math.Round(seconds*1000) < 1000:
		return Scale{Factor: 0.001}.Text(&seconds) + " ms"
	case seconds < 10 && seconds != math.Trunc(seconds):
		return fmt.Sprintf("%.1f s", seconds)
	}
	return long(math.Round(seconds))
}

func long(seconds float64) string {
	parts := []struct {
		size float64
		unit string
	}{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}
	for i, p := range parts {
		if seconds < p.size {
			continue
		}
		whole := math.Trunc(seconds / p.size)
		text := Scale{}.Text(&whole) + " " + p.unit
		if i+1 == len(parts) {
			return text
		}
		next := parts[i+1]
		if rest := math.Trunc((seconds - whole*p.size) / next.size); rest > 0 {
			text += fmt.Sprintf(" %g %s", rest, next.unit)
		}
		return text
	}
	return "0 s"
}
