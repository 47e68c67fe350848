package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memtide/memtide/analyze"
)

// Starter writes a commented policy that the result of One passes today: limits a fifth above what was measured; growth as it
// is now, let pass until a date; and what is wrong already as known findings that expire on the same. It is a beginning to be edited, not a judgement
// that all is well. A result without a series gives an error, since nothing can be written from it.
func Starter(r *analyze.Result, expires time.Time) ([]byte, error) {
	totals := totalsOf(r)
	if len(totals) == 0 {
		return nil, fmt.Errorf("no series was measured from which a policy could be written")
	}
	var b strings.Builder
	b.WriteString(head)
	writeLimits(&b, totals)
	writeGrowth(&b, r, expires)
	b.WriteString(tail)
	known, err := wrong(r, b.String(), expires)
	if err != nil {
		return nil, err
	}
	b.WriteString(known)
	return []byte(b.String()), nil
}

const head = `# A policy of memtide, begun from a run. Hold captures against it with:  memtide gate --policy FILE …
# Check it after editing with:  memtide policy check FILE
version: 1
fail_on: warning          # note, warning or critical: from which severity on a finding breaks the policy
on_inconclusive: warn     # pass, warn or fail: what becomes of a check that could not be decided

`

const tail = `
# How much more than before is tolerated, in a comparison of two builds.
regressions:
  - metric: "*"
    absolute: 1 MiB
    relative: 2 %
    single_run: 10 %      # with fewer than four runs a side

# The built-in red lines: devices, limits that captures name.
redlines:
  built_in: on
`

// few is how many series a starter sets limits for: more than that nobody would read.
const few = 12

// told is the order in which metrics are preferred for a limit.
var told = []string{"footprint", "pss", "rss", "uss", "gpu_used", "heap_alloc", "cgroup_usage", "live_bytes"}

// peakOf names the metric whose peak another one keeps.
var peakOf = map[string]string{"vm_hwm": "rss", "vm_peak": "vss", "footprint_peak": "footprint", "gpu_allocated_peak": "gpu_allocated", "gpu_reserved_peak": "gpu_reserved"}

// total is a series to limit, with its greatest value over all runs.
type total struct {
	subject analyze.Subject
	peak    float64
}

// totalsOf picks for each process, or thing with no process, its most telling totals, the largest first.
func totalsOf(r *analyze.Result) []total {
	index := map[analyze.Subject]int{}
	var all []total
	for i := range r.Series {
		s := &r.Series[i]
		rank := slices.Index(told, s.Subject.Metric)
		if rank < 0 && !lowerIsBetter(s.Subject.Metric) || s.N == 0 || s.Max >= 1<<59 || s.Max <= 0 || s.Subject.Scope == "category" || s.Subject.Scope == "mapping" {
			continue
		}
		at, ok := index[s.Subject]
		if !ok {
			at = len(all)
			index[s.Subject] = at
			all = append(all, total{subject: s.Subject})
		}
		all[at].peak = max(all[at].peak, float64(s.Max))
	}
	for i := range r.Series { // a limit is held against the peak that the system kept
		s := r.Series[i].Subject
		if s.Metric = peakOf[s.Metric]; s.Metric != "" {
			if at, ok := index[s]; ok {
				all[at].peak = max(all[at].peak, float64(r.Series[i].Max))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b total) int {
		return cmp.Or(cmp.Compare(preference(a), preference(b)), cmp.Compare(b.peak, a.peak))
	})
	return onePerThing(all)
}

func preference(t total) int {
	if t.subject.Scope != "process" && t.subject.Scope != "device" {
		return len(told) + 1
	}
	if i := slices.Index(told, t.subject.Metric); i >= 0 {
		return i
	}
	return len(told)
}

func slope(s *analyze.Series) float64 {
	if s.SlopePerS == nil {
		return math.Inf(-1)
	}
	return *s.SlopePerS
}

func onePerThing(all []total) (out []total) {
	seen := map[[3]string]bool{}
	for _, t := range all {
		key := [3]string{t.subject.Process, t.subject.Scope, t.subject.Name}
		if !seen[key] && len(out) < few {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

func writeLimits(b *strings.Builder, totals []total) {
	b.WriteString("# Levels that must not be exceeded: a fifth above the greatest value of the run.\nlimits:\n")
	for _, t := range totals {
		fmt.Fprintf(b, "%s    max: %s      # was %s\n", patternOf(t.subject), roundUp(t.subject.Metric, 1.2*t.peak), amountOf(t.subject.Metric, t.peak))
	}
}

// pattern is a rule that was written, and what it fits.
type pattern struct {
	match analyze.Match
	text  string
}

// writeGrowth allows each process that grows what it grows by now, until a date, and all else 1 MiB an hour. One that an earlier one hides
// is left out.
func writeGrowth(b *strings.Builder, r *analyze.Result, expires time.Time) {
	b.WriteString("\n# How fast it may grow. The first rule that fits a series holds for it.\ngrowth:\n")
	rules := []pattern{}
	for _, s := range fastest(r) {
		hour := *s.SlopePerS * 3600
		of := s.Subject
		if of.Scope == "process" {
			of.Metric = "*"
		}
		one := pattern{analyze.Match(of), fmt.Sprintf("%s    max: %s/h      # %s grows by %s/h now: a leak to be mended until then\n    expires: %s\n",
			patternOf(of), roundUp(s.Subject.Metric, 1.2*hour), s.Subject.Metric, amountOf(s.Subject.Metric, hour), expires.Format(time.DateOnly))}
		if of.Process == "" { // it fits any process, so it comes after those that are named
			rules = append(rules, one)
		} else {
			rules = slices.Insert(rules, 0, one)
		}
	}
	var written []pattern
	for _, one := range rules {
		if !slices.ContainsFunc(written, func(w pattern) bool { return w.match.Covers(one.match) }) {
			written = append(written, one)
			b.WriteString(one.text)
		}
	}
	b.WriteString("  - metric: \"*\"\n    max: 1 MiB/h\n")
}

// fastest lists what grows: of each process the total that grows fastest, and every other thing but parts of processes.
func fastest(r *analyze.Result) (out []*analyze.Series) {
	index := map[analyze.Subject]int{}
	for i := range r.Series {
		s := &r.Series[i]
		of := s.Subject
		if s.Verdict != analyze.Leak || s.SlopePerS == nil || of.Scope == "category" || of.Scope == "mapping" || of.Scope == "process" && (!lowerIsBetter(of.Metric) || unitOf(of.Metric) != "bytes") {
			continue
		}
		if of.Scope == "process" {
			of.Metric = ""
		}
		if at, ok := index[of]; !ok {
			index[of] = len(out)
			out = append(out, s)
		} else if slope(s) > slope(out[at]) {
			out[at] = s
		}
	}
	return out[:min(len(out), 2*few)]
}

func patternOf(s analyze.Subject) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - metric: %s\n", quoted(s.Metric))
	if s.Process != "" {
		fmt.Fprintf(&b, "    process: %s\n", quoted(s.Process))
	}
	switch s.Scope {
	case "process":
	case "device":
		fmt.Fprintf(&b, "    device: %s\n", quoted(s.Name))
	default:
		fmt.Fprintf(&b, "    scope: %s\n", quoted(s.Scope))
		if s.Name != "" {
			fmt.Fprintf(&b, "    name: %s\n", quoted(s.Name))
		}
	}
	return b.String()
}

// quoted writes a name as YAML in double quotes, whatever a capture called it.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// roundUp writes a value rounded up to two digits of its unit.
func roundUp(metric string, v float64) string {
	if unitOf(metric) != "bytes" {
		return fmt.Sprintf("%.0f", math.Max(math.Ceil(v), 1))
	}
	unit, size := "KiB", 1024.0
	for _, u := range []string{"MiB", "GiB", "TiB"} {
		if v < 1024*size {
			break
		}
		unit, size = u, size*1024
	}
	n := math.Max(v/size, 1)
	step := math.Pow(10, math.Max(math.Floor(math.Log10(n))-1, 0))
	return fmt.Sprintf("%.0f %s", math.Ceil(n/step)*step, unit)
}

// wrong lists what breaks the policy so far as known findings.
func wrong(r *analyze.Result, text string, expires time.Time) (string, error) {
	p, err := Parse("policy", []byte(text))
	if err != nil {
		return "", err
	}
	copied := *r
	copied.Warnings, copied.Method = slices.Clone(r.Warnings), slices.Clone(r.Method)
	p.Judge(&copied, expires)
	var b strings.Builder
	seen := map[string]bool{}
	for _, c := range copied.Checks {
		if c.Outcome != analyze.Fail || seen[c.Fingerprint] {
			continue
		}
		seen[c.Fingerprint] = true
		if b.Len() == 0 {
			b.WriteString("\n# What was wrong already when this policy was begun.\nknown:\n")
		}
		fmt.Fprintf(&b, "  - fingerprint: %q      # %s\n    reason: there when the policy was begun\n    expires: %s\n", c.Fingerprint, oneLine(c.Name), expires.Format(time.DateOnly))
	}
	return b.String(), nil
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}
