package policy

import (
	"fmt"
	"math"

	"github.com/memtide/memtide/analyze"
)

// who names a subject: "app: rss of heap".
func who(s analyze.Subject) string {
	text := s.Metric
	if s.Name != "" {
		text += " of " + s.Name
	}
	if s.Process != "" {
		text = s.Process + ": " + text
	}
	return text
}

// amountOf writes a value of a metric with its unit.
func amountOf(metric string, v float64) string {
	switch unitOf(metric) {
	case "count":
		return fmt.Sprintf("%.4g", v)
	case "ppm":
		return fmt.Sprintf("%.4g %%", v/1e4)
	case "ns":
		return fmt.Sprintf("%.4g µs", v/1e3)
	}
	for _, u := range []struct {
		name string
		size float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if math.Abs(v) >= u.size {
			return fmt.Sprintf("%.4g %s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.4g B", v)
}

func signed(metric string, v float64) string {
	if v > 0 {
		return "+" + amountOf(metric, v)
	}
	return amountOf(metric, v)
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
