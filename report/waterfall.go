package report

import (
	"fmt"
	"math"

	"github.com/memtide/memtide/report/unit"
)

// mostSteps is how many parts a waterfall names; the smaller ones are one step.
const mostSteps = 12

// part is a change with a name, for a waterfall.
type part struct {
	label, note string
	change      float64
}

// waterfall leads from before to after by the parts, greatest first. It sums by construction: what the parts do
// not explain is a step of its own, since medians need not add and captures need not be complete. What is too small to
// be a number in the scale of the picture is no step.
func waterfall(kind unit.Kind, before, after float64, parts []part) *Waterfall {
	parts = sorted(parts,
		by(func(p part) float64 { return -math.Abs(p.change) }),
		by(func(p part) string { return p.label }))
	values := []float64{before, after}
	for i := range min(len(parts), mostSteps) {
		values = append(values, parts[i].change)
	}
	w := Waterfall{Scale: unit.CommonScale(kind, values...)}
	least := w.Scale.Least()
	at := before
	add := func(label, note string, change float64) {
		w.Steps = append(w.Steps, Step{Label: label, Note: note, From: at, To: at + change})
		at += change
	}
	w.Steps = append(w.Steps, Step{Label: "before", Total: true, Side: "before", To: before})
	rest, count := 0.0, 0
	for i, p := range parts {
		if i < mostSteps && math.Abs(p.change) >= least {
			add(p.label, p.note, p.change)
			continue
		}
		rest += p.change
		if p.change != 0 {
			count++
		}
	}
	if math.Abs(rest) >= least {
		add(plural(count, "smaller part"), "summed", rest)
	}
	if left := after - at; math.Abs(left) >= least {
		add("remainder", "in the total, in none of the parts", left)
	}
	w.Steps = append(w.Steps, Step{Label: "after", Total: true, Side: "after", To: after})
	return &w
}

// caption says what the waterfall is about.
func (w *Waterfall) name(id, metric, parts string) *Waterfall {
	w.ID, w.Metric, w.Caption = id, name(metric), fmt.Sprintf("%s by %s: how the total went from one to the other", name(metric), parts)
	return w
}
