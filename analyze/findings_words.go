package analyze

import (
	"fmt"
	"strings"
)

func title(s Subject) string {
	text := s.Metric
	if s.Name != "" {
		text += " of " + readable(s.Name)
	}
	if s.Process != "" {
		text = s.Process + ": " + text
	}
	return text
}

// culprits names the parts that carry the growth of a total, in its own metric if they have it. Parts are estimated
// apart from the total, so that a share can come out a little over the whole.
func culprits(total *Series, parts []*Series) string {
	var names []string
	seen := map[string]bool{}
	for _, p := range parts {
		g := value(p.Growth)
		if p.Subject.Metric != total.Subject.Metric || seen[p.Subject.Name] || g < 0.1*value(total.Growth) {
			continue
		}
		seen[p.Subject.Name] = true
		share := 100 * g / value(total.Growth)
		if share > 95 {
			return ", all of it in " + p.Subject.Name
		}
		names = append(names, fmt.Sprintf("%s %.0f %%", p.Subject.Name, share))
	}
	if len(names) == 0 {
		return ""
	}
	return ", in " + strings.Join(names[:min(3, len(names))], ", ")
}

func value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// rates are the units of time for a rate, the longest first. The unit is never longer than the capture: a rate an hour
// from six seconds would claim what nobody saw.
var rates = []struct {
	seconds float64
	name    string
}{{86400, "a day"}, {3600, "an hour"}, {60, "a minute"}, {1, "a second"}}

func rate(s *Series) string {
	if s.Per != "" {
		return fmt.Sprintf("%s a %s", amount(s.Subject, value(s.SlopePerS)), s.Per)
	}
	unit := rates[len(rates)-1]
	for _, u := range rates[1:] {
		if s.DurationS >= u.seconds {
			unit = u
			break
		}
	}
	if kindOf(s.Subject) != Objects && kindOf(s.Subject) != Handles {
		return fmt.Sprintf("%s %s", amount(s.Subject, value(s.SlopePerS)*unit.seconds), unit.name)
	}
	return fmt.Sprintf("%.3g %s", value(s.SlopePerS)*unit.seconds, unit.name)
}

// mebibytes writes a size in the unit that fits it, in three digits.
func mebibytes(v float64) string { return sized(v, 3) }

// sized writes a size in the unit that fits it, in so many digits, and never as a power of ten.
func sized(v float64, digits int) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for (v >= 1024 || v <= -1024) && i < len(units)-1 {
		v /= 1024
		i++
	}
	if v >= 999.5 || v <= -999.5 {
		return fmt.Sprintf("%.0f %s", v, units[i])
	}
	return fmt.Sprintf("%.*g %s", digits, v, units[i])
}

func statsOf(s *Series) map[string]float64 {
	out := map[string]float64{"n": float64(s.N), "duration_s": s.DurationS}
	for name, v := range map[string]*float64{"slope_per_s": s.SlopePerS, "slope_lo": s.SlopeLo, "slope_hi": s.SlopeHi, "growth": s.Growth, "resolvable": s.Resolvable, "p": s.P} {
		if v != nil {
			out[name] = *v
		}
	}
	return out
}

// next says what to do about growth, by what grows.
var next = map[string]string{
	"heap":        "Take heap profiles at two moments (heaptrack, jemalloc or tcmalloc profiles, pprof) and compare them.",
	"Native Heap": "Take native heap profiles (heapprofd, malloc_debug) at two moments and compare them.",
	"Dalvik Heap": "Take two heap dumps (hprof) after the same scenario and look for growing classes, or run LeakCanary.",
	"anon":        "Anonymous maps grow: look for an arena, mmap allocator or JIT; heap profilers that follow mmap show the stack.",
	"file":        "Mapped files grow: look for files that are mapped and never unmapped; clean pages can be dropped by the kernel.",
	"shared":      "Shared memory grows: look for memfd, ashmem or shm segments that are kept.",
	"stack":       "Stacks grow: count the threads.",
	"gpu":         "Device memory grows: take a GPU memory capture of the same run.",
}

func advice(s *Series, parts []*Series) string {
	for _, name := range append([]string{s.Subject.Name}, partNames(parts)...) {
		if text := next[name]; text != "" {
			return text
		}
	}
	if s.Subject.Scope == "class" || s.Subject.Scope == "handle" {
		return "Objects of one kind pile up: repeat one scenario, and see whether their number returns to what it was."
	}
	return "Repeat the scenario with a heap profile taken at the start and at the end, and compare the two."
}

func partNames(parts []*Series) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Subject.Name)
	}
	return out
}
