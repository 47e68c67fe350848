package openmetrics_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The grammar of OpenMetrics 1.0 as far as it is used: no time stamps, no exemplars, the types gauge and stateset.
var (
	descriptor = regexp.MustCompile(`^# (TYPE|UNIT|HELP) ([a-z_:][a-z0-9_:]*) (.*)$`)
	sample     = regexp.MustCompile(`^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?)$`)
	labelPair  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[n"\\])*)"(,|$)`)
	helpText   = regexp.MustCompile(`^(?:[^"\\\n]|\\[n"\\])*$`)
)

// exposition is a parsed file.
type exposition struct {
	types   map[string]string
	samples map[string]float64 // name and labels, in order
	labels  map[string]map[string]string
}

// parse reads an exposition, or says what is wrong with it.
func parse(text string) (*exposition, error) {
	if !utf8.ValidString(text) || strings.Contains(text, "\r") || !strings.HasSuffix(text, "\n# EOF\n") && text != "# EOF\n" {
		return nil, fmt.Errorf("bytes or end")
	}
	e := &exposition{map[string]string{}, map[string]float64{}, map[string]map[string]string{}}
	family, described := "", ""
	for i, line := range strings.Split(strings.TrimSuffix(text, "# EOF\n"), "\n") {
		var err error
		switch {
		case line == "" && strings.HasSuffix(text, line+"# EOF\n"):
		case strings.HasPrefix(line, "#"):
			family, described, err = e.describe(line, family, described)
		default:
			err = e.sample(line, family)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: %q", i+1, err, line)
		}
	}
	return e, e.states()
}

// describe reads a line about a family: TYPE opens a new one, UNIT and HELP follow in that order, once each.
func (e *exposition) describe(line, family, described string) (string, string, error) {
	m := descriptor.FindStringSubmatch(line)
	if m == nil {
		return "", "", fmt.Errorf("no descriptor")
	}
	kind, name, rest := m[1], m[2], m[3]
	switch {
	case kind == "TYPE" && e.types[name] != "":
		return "", "", fmt.Errorf("family twice")
	case kind == "TYPE" && !slices.Contains([]string{"gauge", "stateset"}, rest):
		return "", "", fmt.Errorf("type")
	case kind == "TYPE":
		e.types[name] = rest
		return name, kind, nil
	case name != family || described >= "UNIT" && kind == "UNIT" && described != "TYPE" || described == "HELP":
		return "", "", fmt.Errorf("order")
	case kind == "UNIT" && !strings.HasSuffix(name, "_"+rest):
		return "", "", fmt.Errorf("unit is no suffix")
	case kind == "HELP" && !helpText.MatchString(rest):
		return "", "", fmt.Errorf("escapes")
	}
	return family, kind, nil
}

func (e *exposition) sample(line, family string) error {
	m := sample.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("no sample")
	}
	if m[1] != family {
		return fmt.Errorf("not of the family %s", family)
	}
	labels, err := labelsOf(m[2])
	if err != nil {
		return err
	}
	key := m[1] + "{" + m[2] + "}"
	if _, twice := e.samples[key]; twice {
		return fmt.Errorf("sample twice")
	}
	v, err := strconv.ParseFloat(m[3], 64)
	e.samples[key], e.labels[key] = v, labels
	return err
}

func labelsOf(text string) (map[string]string, error) {
	out := map[string]string{}
	for text != "" {
		m := labelPair.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("labels at %q", text)
		}
		if _, twice := out[m[1]]; twice {
			return nil, fmt.Errorf("label %s twice", m[1])
		}
		out[m[1]] = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(m[2])
		text = text[len(m[0]):]
	}
	return out, nil
}

// states checks that a state set has a label of its own name, values 0 and 1, and one state that is on.
func (e *exposition) states() error {
	on := map[string]float64{}
	for key, v := range e.samples {
		name, _, _ := strings.Cut(key, "{")
		if e.types[name] == "stateset" {
			if _, ok := e.labels[key][name]; !ok || v != 0 && v != 1 {
				return fmt.Errorf("state %s %v", key, v)
			}
			on[name] += v
		}
	}
	for name, n := range on {
		if n > 1 {
			return fmt.Errorf("%s has %v states", name, n)
		}
	}
	return nil
}
