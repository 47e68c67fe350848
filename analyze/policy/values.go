package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// kind is a form that a scalar of a policy may have. All share one list, which the schema is written from too.
type kind struct {
	what    string // what is wanted, in an error
	pattern string // for the schema; a text that fits it may still be refused
	number  bool   // a bare number may stand for one
	exact   bool   // what does not fit the pattern is refused at once
	words   []string
	parse   func(text string) (any, error)
}

const (
	digits    = `[0-9]+(\.[0-9]+)?`
	sizeUnits = `(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)`
	sizes     = digits + ` ?` + sizeUnits
	totals    = `(gpu_total|mem_total|mem_limit)`
	periods   = `(s|min|h|d|iteration)`
)

var (
	severities  = []string{"note", "warning", "critical"}
	anyText     = &kind{what: "a text", pattern: `.+`, parse: text}
	glob        = &kind{what: "a name or pattern", pattern: `.+`, parse: text}
	severity    = &kind{what: "a severity", words: severities, parse: text}
	outcome     = &kind{what: "a word", words: []string{"pass", "warn", "fail"}, parse: text}
	onOff       = &kind{what: "on or off", words: []string{"on", "off", "true", "false"}, parse: func(s string) (any, error) { return s == "on" || s == "true", nil }}
	whole       = &kind{what: "a number of iterations", pattern: `[1-9][0-9]{0,8}`, number: true, exact: true, parse: func(s string) (any, error) { return strconv.Atoi(s) }}
	power       = &kind{what: "a power of two such as 64", pattern: `[1-9][0-9]{0,7}`, number: true, exact: true, parse: parsePower}
	one         = &kind{what: "version 1", pattern: `1`, number: true, exact: true, parse: text}
	percent     = &kind{what: "a share such as 2 %", pattern: digits + ` ?%`, parse: parsePercent}
	level       = &kind{what: "a size such as 512 MiB, a count, or a share such as 90 % of mem_limit", pattern: sizes + `|` + digits + `|` + digits + ` ?% of ` + totals, number: true, parse: parseLevel}
	difference  = &kind{what: "a size such as 4 MiB, or a count", pattern: sizes + `|` + digits, number: true, parse: parseDifference}
	rate        = &kind{what: "a rate such as 1 MiB/h, or the growth of a run such as 4 MiB", pattern: `(` + sizes + `|` + digits + `)( ?/ ?` + periods + `)?`, number: true, parse: parseRate}
	duration    = &kind{what: "a time such as 60 s", pattern: digits + ` ?(s|min|h|d)`, parse: parseDuration}
	replacement = &kind{what: "a size such as 78 GB, or off", pattern: sizes + `|off`, parse: parseReplacement}
	date        = &kind{what: "a date such as 2027-03-31", pattern: `[0-9]{4}-[0-9]{2}-[0-9]{2}`, parse: parseDate}
	fingerprint = &kind{what: "a fingerprint of 16 digits and letters a to f", pattern: `[0-9a-f]{16}`, exact: true, parse: text}
)

func text(s string) (any, error) { return s, nil }

// amount is a number with what it counts: bytes or things.
type amount struct {
	v     float64
	bytes bool
}

// threshold is the limit of a red line: an amount, or a share of a total.
type threshold struct {
	amount
	of string
}

// pace is a limit of growth: per seconds, per iteration, or of a run.
type pace struct {
	amount
	seconds   float64 // 0 for the whole run
	iteration bool
	text      string
}

var (
	sized   = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)\s*([^0-9\s/%].*)?$`)
	shared  = regexp.MustCompile(`^(` + digits + `) ?%$`)
	sharing = regexp.MustCompile(`^(` + digits + `) ?% of (\S+)$`)
	factors = map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
	seconds = map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400}
)

// parsePower reads a power of two above 1.
func parsePower(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 2 || n&(n-1) != 0 {
		return nil, fmt.Errorf("have %q", s)
	}
	return n, nil
}

// parseDuration reads a time above 0, in seconds.
func parseDuration(s string) (any, error) {
	m := sized.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || seconds[strings.TrimSpace(m[2])] == 0 {
		return nil, fmt.Errorf("have %q; the units are s min h d", s)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v <= 0 {
		return nil, fmt.Errorf("have %q: it must be above 0", s)
	}
	return v * seconds[strings.TrimSpace(m[2])], nil
}

// parseAmount reads a size with its unit, or a bare count. A letter alone is no unit: 75 G may be GB or GiB, and these differ
// by 7 %.
func parseAmount(s string) (amount, error) {
	m := sized.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return amount{}, fmt.Errorf("have %q", s)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	unit := strings.TrimSpace(m[2])
	switch f, known := factors[unit]; {
	case err != nil || v < 0:
		return amount{}, fmt.Errorf("have %q: it must not be negative", s)
	case unit == "":
		return amount{v, false}, small(s, v)
	case known:
		return amount{v * f, true}, small(s, v*f)
	case len(unit) == 1 && strings.Contains("kKMGT", unit):
		dec, bin := strings.ToUpper(unit)+"B", strings.ToUpper(unit)+"iB"
		if dec == "KB" {
			dec = "kB"
		}
		return amount{}, fmt.Errorf("%q may mean %s %s (%.0f B) or %s %s (%.0f B): write one of them", s, m[1], dec, v*factors[dec], m[1], bin, v*factors[bin])
	}
	return amount{}, fmt.Errorf("unknown unit %q%s", unit, unitLike(unit))
}

func small(s string, v float64) error {
	if v >= 1<<60 {
		return fmt.Errorf("%q is more than any memory has", s)
	}
	return nil
}

// unitLike names the units that differ from a wrong one in their letters' case only, or are near.
func unitLike(unit string) string {
	var all []string
	for _, u := range []string{"B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"} {
		if strings.EqualFold(u, unit) {
			return fmt.Sprintf("; did you mean %q?", u)
		}
		all = append(all, u)
	}
	return "; the units are " + strings.Join(all, " ")
}

func parseSize(s string) (amount, error) {
	a, err := parseAmount(s)
	if err == nil && !a.bytes {
		return a, fmt.Errorf("%q has no unit", s)
	}
	return a, err
}

func parsePercent(s string) (any, error) {
	m := shared.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("have %q", s)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	return v / 100, err
}

func parseLevel(s string) (any, error) {
	if m := sharing.FindStringSubmatch(s); m != nil {
		v, err := strconv.ParseFloat(m[1], 64)
		if !regexp.MustCompile(`^` + totals + `$`).MatchString(m[3]) {
			return nil, fmt.Errorf("a share of %q: want one of gpu_total, mem_total, mem_limit", m[3])
		}
		return threshold{amount{v / 100, true}, m[3]}, err
	}
	if strings.HasSuffix(s, "%") {
		return nil, fmt.Errorf("%q of what? write: %s of mem_limit", s, s)
	}
	if strings.Contains(s, "/") {
		return nil, fmt.Errorf("%q is a rate; it belongs under growth", s)
	}
	a, err := parseAmount(s)
	return threshold{amount: a}, err
}

func parseDifference(s string) (any, error) {
	if strings.HasSuffix(s, "%") {
		return nil, fmt.Errorf("%q is a share: write relative: %s", s, s)
	}
	return parseAmount(s)
}

func parseRate(s string) (any, error) {
	head, per, is := strings.Cut(s, "/")
	if strings.HasSuffix(strings.TrimSpace(head), "%") {
		return nil, fmt.Errorf("%q: growth is limited in bytes or counts, not in shares", s)
	}
	a, err := parseAmount(strings.TrimSpace(head))
	p := pace{amount: a, text: s}
	per = strings.TrimSpace(per)
	switch {
	case err != nil || !is:
	case per == "iteration":
		p.iteration = true
	case seconds[per] == 0:
		err = fmt.Errorf("unknown time %q; want s, min, h, d or iteration", per)
	default:
		p.seconds = seconds[per]
	}
	return p, err
}

func parseReplacement(s string) (any, error) {
	if s == "off" {
		return amount{0, true}, nil
	}
	a, err := parseSize(s)
	if err == nil && a.v == 0 {
		err = fmt.Errorf("a line at 0 B is always crossed")
	}
	return a, err
}

func parseDate(s string) (any, error) {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return nil, fmt.Errorf("have %q", s)
	}
	return day, nil
}
