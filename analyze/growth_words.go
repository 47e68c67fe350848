package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// amount writes a value of the series with its unit.
func (g *grower) amount(v float64) string {
	switch g.in.Kind {
	case Objects, Handles:
		return fmt.Sprintf("%.4g", v)
	case Shares:
		return fmt.Sprintf("%.4g %%", v/1e4)
	case Times:
		return nanoseconds(v)
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

// nanoseconds writes a time in the unit that fits it.
func nanoseconds(v float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	i := 0
	for math.Abs(v) >= 1000 && i < len(units)-1 {
		v /= 1000
		i++
	}
	return fmt.Sprintf("%.4g %s", v, units[i])
}

// unitsOfTime, greatest first, and how long a capture must be for a rate to be given in them.
var unitsOfTime = []unitTime{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}

type unitTime struct {
	name    string
	seconds float64
}

func unitOfTime(s float64) unitTime {
	return unitsOfTime[max(slices.IndexFunc(unitsOfTime, func(u unitTime) bool { return s >= 2*u.seconds || u.seconds == 1 }), 0)]
}

// clock writes a time of the capture, counted from its first sample.
func (g *grower) clock(t float64) string { return g.length(t - g.s.t[0]) }

// length writes a time, or how many ticks where the capture has no time.
func (g *grower) length(s float64) string {
	if g.in.Tick != "" {
		return ticks(s, g.in.Tick)
	}
	return length(s)
}

// ticks counts what stands for seconds.
func ticks(n float64, tick string) string {
	if n == 1 || strings.HasSuffix(tick, "s") {
		return fmt.Sprintf("%.4g %s", n, tick)
	}
	return fmt.Sprintf("%.4g %ss", n, tick)
}

func length(s float64) string {
	u := unitOfTime(s)
	return fmt.Sprintf("%.3g %s", s/u.seconds, u.name)
}

// speed writes growth, time and rate: "3.2 MiB in 40 min (4.8 MiB/h, 95 % interval 4.1 to 5.6)", and if the rate is not that of
// all the time, "(4.8 MiB/h in the last 20 min, …".
func (g *grower) speed(j Judgement) string {
	seconds, unit := 1.0, " a "+g.in.Tick
	if g.in.Tick == "" {
		u := unitOfTime(j.GrowthS)
		seconds, unit = u.seconds, "/"+u.name
	}
	rate := func(v float64) string { return g.amount(v * seconds) }
	late := ""
	if j.RateS != nil {
		late = " in the last " + g.length(*j.RateS)
	}
	return fmt.Sprintf("%s in %s (%s%s%s, %.0f %% interval %s to %s)", g.amount(*j.Growth), g.length(j.GrowthS), rate(*j.SlopePerS), unit, late,
		100*g.c.Level, rate(*j.SlopeLo), rate(*j.SlopeHi))
}

func (g *grower) since(j Judgement) string {
	if j.OnsetS == nil {
		return ""
	}
	return fmt.Sprintf(", since %s after the first sample", g.clock(*j.OnsetS))
}

func (g *grower) perIterationText(it *IterationGrowth) string {
	if it == nil {
		return ""
	}
	every := "not every one adds"
	if it.EveryRises {
		every = fmt.Sprintf("every one of %d adds, the weakest %.2f of the mean", it.Cycles, it.Weakest)
	}
	return fmt.Sprintf("; %s per iteration (%s to %s), %s", g.amount(it.Slope), g.amount(it.Lo), g.amount(it.Hi), every)
}

// small writes a p value.
func small(p float64) string {
	if p < 1e-6 {
		return "< 1e-6"
	}
	return fmt.Sprintf("%.2g", p)
}
