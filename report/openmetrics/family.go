package openmetrics

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strings"
)

// metricset is the families of an exposition, by name.
type metricset struct {
	families map[string]*family
	named    map[[2]string]string // (statistic, metric) to family
	owner    map[string][2]string
}

func newMetricset() *metricset {
	return &metricset{map[string]*family{}, map[[2]string]string{}, map[string][2]string{}}
}

type family struct {
	name, kind, unit, help string
	samples                map[string]string // labels to value
}

type pair struct{ name, value string }

// family is the one of a name, made if it is not there.
func (m *metricset) family(name, kind, unit, help string) *family {
	f := m.families[name]
	if f == nil {
		f = &family{name, kind, unit, help, map[string]string{}}
		m.families[name] = f
	}
	return f
}

// of is the family of a statistic of a metric: mem_pss_bytes, mem_pss_peak_bytes, mem_pss_growth_bytes_per_second. Two
// metrics whose names differ only in what a family name cannot hold, or that meet another's statistic, get a mark.
func (m *metricset) of(statistic, metric, unit, help string) *family {
	key := [2]string{statistic, metric}
	name, ok := m.named[key]
	if !ok {
		base := "mem_" + word(metric) + statistic
		name = base + suffix(unit)
		if _, taken := m.owner[name]; taken || m.families[name] != nil {
			h := sha256.Sum256([]byte(metric))
			name = base + "_" + hex.EncodeToString(h[:8]) + suffix(unit)
		}
		m.named[key], m.owner[name] = name, key
	}
	return m.family(name, "gauge", unit, help)
}

func suffix(unit string) string {
	if unit == "" {
		return ""
	}
	return "_" + unit
}

// word keeps what the name of a family may hold.
func word(metric string) string {
	text := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' {
			return r
		}
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return '_'
	}, metric)
	if len(text) > 100 {
		text = text[:100]
	}
	return cmp.Or(strings.Trim(text, "_"), "unnamed")
}

// add adds a sample; a value that is not known adds none, and a set of labels keeps its first value.
func (f *family) add(v float64, labels ...pair) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	var parts []string
	for _, l := range labels {
		parts = append(parts, l.name+`="`+quote(l.value)+`"`)
	}
	key := "{" + strings.Join(parts, ",") + "}"
	if _, ok := f.samples[key]; !ok {
		f.samples[key] = number(v)
	}
}

func (m *metricset) sorted() []*family {
	return slices.SortedFunc(maps.Values(m.families), func(a, b *family) int { return cmp.Compare(a.name, b.name) })
}

// write writes a family that has samples; the order of the descriptors is that of the specification.
func (f *family) write(w *bufio.Writer) {
	if len(f.samples) == 0 {
		return
	}
	w.WriteString("# TYPE " + f.name + " " + f.kind + "\n")
	if f.unit != "" {
		w.WriteString("# UNIT " + f.name + " " + f.unit + "\n")
	}
	w.WriteString("# HELP " + f.name + " " + quote(f.help) + "\n")
	for _, labels := range slices.Sorted(maps.Keys(f.samples)) {
		w.WriteString(f.name + labels + " " + f.samples[labels] + "\n")
	}
}
