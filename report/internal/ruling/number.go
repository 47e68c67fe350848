package ruling

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// KindOf tells what a metric counts.
func KindOf(metric string) unit.Kind {
	switch (analyze.Subject{Metric: metric}).Unit() {
	case "count":
		return unit.Count
	case "ppm":
		return unit.Share
	case "ns":
		return unit.Time
	}
	return unit.Bytes
}

// numbers collects what is known: nil and values that are not finite are left out.
type numbers []Number

func (n *numbers) add(name string, v *float64, write func(*float64) string) {
	if v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
		*n = append(*n, Number{Name: named(name), Value: *v, Text: write(v)})
	}
}

func (n *numbers) quantity(name string, kind unit.Kind, v *float64) {
	n.add(name, v, func(v *float64) string { return unit.Quantity(kind, v) })
}

func (n *numbers) change(name string, kind unit.Kind, v *float64) {
	n.add(name, v, func(v *float64) string { return unit.Change(kind, v) })
}

func (n *numbers) rate(name string, kind unit.Kind, v *float64) {
	n.add(name, v, func(v *float64) string {
		scale := unit.RateScale(kind, *v)
		return strings.TrimSpace(scale.Signed(v) + " " + scale.Unit)
	})
}

func (n *numbers) plain(name string, v *float64) {
	n.add(name, v, func(v *float64) string { return fmt.Sprintf("%.4g", *v) })
}

// stats are the numbers of a finding, by name; those whose unit the name does not tell stay plain.
func (n *numbers) stats(kind unit.Kind, stats map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(stats)) {
		v := stats[name]
		switch {
		case slices.Contains(sizes, name):
			n.quantity(name, kind, &v)
		case strings.HasPrefix(name, "slope"):
			n.rate(name, kind, &v)
		case strings.HasSuffix(name, "_s"):
			n.add(name, &v, func(v *float64) string { return unit.Duration(*v) })
		default:
			n.plain(name, &v)
		}
	}
}

// sizes are the numbers of findings that are in the unit of the metric.
var sizes = []string{"growth", "floor", "resolvable", "shift", "shift_lo", "shift_hi", "peak", "limit", "headroom", "median", "live_bytes"}

// named keeps the name of a number short: it is ours, unless a result was made up.
func named(name string) string { return short(strings.TrimSpace(name)) }
