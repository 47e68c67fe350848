package analyze

import (
	"math"
	"slices"
)

// shape is a way in which real processes use memory, and whether it is a leak.
type shape struct {
	name string
	leak bool
	draw func(g *generator) []float64
}

// Sizes of what is no leak are shares of the base; they are as large as or larger than the leaks.
var leakShapes = []shape{
	{"linear", true, func(g *generator) []float64 { return g.white(g.each(g.linear)) }},
	{"linear ar.9", true, func(g *generator) []float64 { return g.ar(g.each(g.linear), 0.9, 1.5) }},
	{"linear heavy tails", true, func(g *generator) []float64 { return g.heavy(g.each(g.linear)) }},
	{"warm-up then leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), saturate(g.base*g.between(0.1, 1), g.between(0.02, 0.1))))
	}},
	{"saw rising floor", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.leakSaw(g.growth*g.between(0.3, 5), g.between(7, 30), 0.2)))
	}},
	{"saw fast rising floor", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.leakSaw(g.growth*g.between(0.3, 4), float64(g.n)/g.between(5, 10), 0.3)))
	}},
	{"stairs 6-14", true, func(g *generator) []float64 {
		k := 6 + g.IntN(9)
		e := g.edges(float64(k), 0.2)
		size := make([]float64, len(e))
		for i := range size {
			size[i] = g.growth / float64(k) * g.between(0.8, 1.2)
		}
		return g.white(g.each(stairs(e, size)))
	}},
	{"stairs at random", true, func(g *generator) []float64 {
		k := 15 + g.IntN(60)
		at, size := make([]float64, k), make([]float64, k)
		for i := range at {
			at[i], size[i] = g.Float64(), g.growth/float64(k)*g.ExpFloat64()
		}
		return g.white(g.each(stairs(at, size)))
	}},
	{"late start", true, func(g *generator) []float64 { return g.white(g.each(ramp(g.growth, g.between(0.3, 0.65), 1))) }},
	{"sine few periods + leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.sine(g.growth*g.between(0.2, 0.8), g.between(1.5, 3))))
	}},
	{"day and night + leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.wave(g.growth*g.between(0.3, 2.5), g.between(5, 12))))
	}},
	{"fast period + leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.wave(g.growth*g.between(0.3, 3), g.between(12, 40))))
	}},
	{"load comes and goes + leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.pulses(g.growth*g.between(0.3, 1.5), 8+g.IntN(12), g.between(0.02, 0.06))))
	}},
	{"pool + leak", true, func(g *generator) []float64 {
		return g.bounded(g.white(g.each(g.linear)), g.growth*g.between(0.2, 0.6), g.between(0.1, 0.4))
	}},
	{"bursts + leak", true, func(g *generator) []float64 {
		return g.bursts(g.white(g.each(g.linear)), g.growth*g.between(0.5, 3), 4+g.IntN(10), g.between(0.01, 0.03))
	}},
	{"doubling table", true, func(g *generator) []float64 {
		load, first := g.between(0.9, 1.9), g.base*g.between(0.02, 0.1)
		return g.white(g.each(func(u float64) float64 {
			return first * math.Exp2(math.Floor(math.Log2(1+31*load*u)))
		}))
	}},
	{"many tables", true, func(g *generator) []float64 {
		f := make([]float64, 12+g.IntN(20))
		for i := range f {
			f[i] = math.Exp2(g.Float64())
		}
		return g.white(g.each(func(u float64) (v float64) {
			for _, x := range f {
				v += x * math.Exp2(math.Floor(math.Log2((1+11*u)/x)))
			}
			return v * g.growth / float64(11*len(f)) * 1.4
		}))
	}},
	{"irregular sampling", true, func(g *generator) []float64 {
		for i := range g.u {
			g.u[i] = g.Float64()
		}
		slices.Sort(g.u)
		return g.white(g.each(g.linear))
	}},
	{"gaps and spikes", true, func(g *generator) []float64 {
		var u []float64
		a, b := g.between(0.2, 0.4), g.between(0.6, 0.8)
		for _, x := range g.u {
			if math.Abs(x-a) > 0.08 && math.Abs(x-b) > 0.06 {
				u = append(u, x)
			}
		}
		g.u, g.n = u, len(u)
		return g.spikes(g.white(g.each(g.linear)), 0.015, 2)
	}},
	{"huge pages", true, func(g *generator) []float64 {
		g.growth = max(g.growth, 20*mib)
		return quantise(g.each(g.linear), 2*mib)
	}},
	{"full and young collections", true, func(g *generator) []float64 {
		a := g.growth * g.between(0.5, 2)
		return g.white(g.plus(g.plus(g.each(g.linear), g.leakSaw(a, g.between(6, 9), 0.2)), g.leakSaw(a*0.3, g.between(25, 50), 0.2)))
	}},
	{"compacting log + leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.leakSaw(g.growth*g.between(0.3, 1), g.between(5.5, 8), 0.1)))
	}},
	{"leak with releases", true, func(g *generator) []float64 {
		k := 1 + g.IntN(3)
		at, size := make([]float64, k), make([]float64, k)
		for i := range at {
			at[i], size[i] = g.between(0.15, 0.75), -g.growth*g.between(0.08, 0.2)
		}
		return g.white(g.plus(g.each(g.linear), stairs(at, size)))
	}},
	{"step then leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), stairs([]float64{g.between(0.1, 0.5)}, []float64{g.growth * g.between(0.5, 3)})))
	}},
	{"accelerating", true, func(g *generator) []float64 {
		p := g.between(1.5, 2.5)
		return g.white(g.each(func(u float64) float64 { return g.growth * math.Pow(u, p) }))
	}},
	{"leak only under load", true, func(g *generator) []float64 {
		w, p := 2*math.Pi*g.between(4, 10), g.between(0, 2*math.Pi)
		return g.white(g.each(func(u float64) float64 { return g.growth * (u + (math.Cos(p)-math.Cos(w*u+p))/w) }))
	}},
	{"hump then leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), hump(g.growth*g.between(0.5, 1.5), g.between(0.1, 0.3), g.between(0.03, 0.06))))
	}},
	{"leak, noise grows", true, func(g *generator) []float64 {
		y := g.each(g.linear)
		for i, u := range g.u {
			y[i] += g.noise * (0.5 + 1.5*u) * g.NormFloat64()
		}
		return y
	}},
	{"lower limit of a falling cache", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), func(u float64) float64 { return g.growth * 2 * math.Exp(-u/0.05) }))
	}},
}

var steadyShapes = []shape{
	{"iid", false, func(g *generator) []float64 { return g.white(g.each(zero)) }},
	{"heavy tails", false, func(g *generator) []float64 { return g.heavy(g.each(zero)) }},
	{"ar.5", false, func(g *generator) []float64 { return g.ar(g.each(zero), 0.5, 2) }},
	{"ar.9", false, func(g *generator) []float64 { return g.ar(g.each(zero), 0.9, 2) }},
	{"ar.98", false, func(g *generator) []float64 { return g.ar(g.each(zero), 0.98, 2) }},
	{"random walk", false, func(g *generator) []float64 { return g.walk(g.each(zero), g.base*g.between(0.01, 0.1)) }},
	{"warm-up", false, func(g *generator) []float64 {
		return g.white(g.each(saturate(g.base*g.between(0.1, 1), g.between(0.02, 0.12))))
	}},
	{"slow warm-up", false, func(g *generator) []float64 {
		return g.white(g.each(saturate(g.base*g.between(0.1, 0.6), g.between(0.12, 0.3))))
	}},
	{"warm-up, ar", false, func(g *generator) []float64 {
		return g.ar(g.each(saturate(g.base*g.between(0.1, 0.6), g.between(0.03, 0.15))), 0.9, 1.5)
	}},
	{"fill then flat", false, func(g *generator) []float64 {
		return g.white(g.each(ramp(g.base*g.between(0.1, 0.6), 0, g.between(0.15, 0.6))))
	}},
	{"fill late then flat", false, func(g *generator) []float64 {
		return g.white(g.each(ramp(g.base*g.between(0.1, 0.6), g.between(0.15, 0.35), g.between(0.5, 0.75))))
	}},
	{"fill twice", false, func(g *generator) []float64 {
		a := g.base * g.between(0.1, 0.3)
		return g.white(g.plus(g.each(ramp(a, 0.05, g.between(0.15, 0.25))), ramp(a*g.between(0.5, 1), g.between(0.35, 0.5), g.between(0.55, 0.75))))
	}},
	{"step", false, func(g *generator) []float64 {
		return g.white(g.each(stairs([]float64{g.between(0.1, 0.9)}, []float64{g.base * g.between(0.05, 0.5)})))
	}},
	{"step at the end", false, func(g *generator) []float64 {
		return g.white(g.each(stairs([]float64{g.between(0.88, 0.98)}, []float64{g.base * g.between(0.05, 0.5)})))
	}},
	{"2-4 stairs then flat", false, func(g *generator) []float64 {
		k := 2 + g.IntN(3)
		at, size := make([]float64, k), make([]float64, k)
		for i := range at {
			at[i], size[i] = g.between(0.05, 0.7), g.base*g.between(0.02, 0.15)
		}
		return g.white(g.each(stairs(at, size)))
	}},
	{"step up and down", false, func(g *generator) []float64 {
		a := g.base * g.between(0.05, 0.5)
		return g.white(g.each(stairs([]float64{g.between(0.1, 0.5), g.between(0.55, 0.95)}, []float64{a, -a})))
	}},
	{"saw", false, func(g *generator) []float64 {
		return g.white(g.each(g.saw(g.base*g.between(0.03, 0.5), g.between(5, 40), 0.2)))
	}},
	{"saw, few teeth", false, func(g *generator) []float64 {
		return g.white(g.each(g.saw(g.base*g.between(0.03, 0.5), g.between(1.5, 5), 0.2)))
	}},
	{"saw fast", false, func(g *generator) []float64 {
		return g.white(g.each(g.saw(g.base*g.between(0.03, 0.5), float64(g.n)/g.between(5, 10), 0.3)))
	}},
	{"saw, heap limit grows", false, func(g *generator) []float64 {
		s, k := g.saw(g.base*g.between(0.1, 0.4), g.between(7, 25), 0.2), g.between(0.5, 1.5)
		return g.white(g.each(func(u float64) float64 { return s(u) * (1 + k*u) }))
	}},
	{"slow sine", false, func(g *generator) []float64 {
		return g.white(g.each(g.sine(g.base*g.between(0.03, 0.3), g.between(1, 3))))
	}},
	{"day and night", false, func(g *generator) []float64 {
		return g.white(g.each(g.wave(g.base*g.between(0.03, 0.3), g.between(1.5, 8))))
	}},
	{"fast period", false, func(g *generator) []float64 {
		return g.white(g.each(g.wave(g.base*g.between(0.03, 0.3), g.between(8, 40))))
	}},
	{"load comes and goes", false, func(g *generator) []float64 {
		return g.white(g.each(g.pulses(g.base*g.between(0.03, 0.3), 2+g.IntN(20), g.between(0.02, 0.12))))
	}},
	{"load still on at the end", false, func(g *generator) []float64 {
		a := g.base * g.between(0.05, 0.4)
		at := g.between(0.75, 0.95)
		return g.white(g.plus(g.each(g.pulses(a, 1+g.IntN(3), 0.15)), stairs([]float64{at}, []float64{a})))
	}},
	{"pool between bounds", false, func(g *generator) []float64 {
		return g.bounded(g.white(g.each(zero)), g.base*g.between(0.03, 0.4), g.between(0.05, 0.4))
	}},
	{"bursts", false, func(g *generator) []float64 {
		return g.bursts(g.white(g.each(zero)), g.base*g.between(0.05, 0.5), 2+g.IntN(12), g.between(0.01, 0.08))
	}},
	{"doubling table, full", false, func(g *generator) []float64 {
		first, full := g.base*g.between(0.02, 0.1), g.between(0.1, 0.4)
		return g.white(g.each(func(u float64) float64 {
			return first * math.Exp2(math.Floor(math.Log2(1+15*min(u/full, 1))))
		}))
	}},
	{"hump", false, func(g *generator) []float64 {
		return g.white(g.each(hump(g.base*g.between(0.05, 0.5), g.between(0.2, 0.8), g.between(0.05, 0.15))))
	}},
	{"two humps", false, func(g *generator) []float64 {
		a := g.base * g.between(0.05, 0.4)
		return g.white(g.plus(g.each(hump(a, g.between(0.15, 0.4), g.between(0.04, 0.1))), hump(a*g.between(0.7, 1.4), g.between(0.55, 0.85), g.between(0.04, 0.1))))
	}},
	{"huge pages", false, func(g *generator) []float64 {
		return quantise(g.ar(g.each(zero), 0.7, 1+mib/g.noise), 2*mib)
	}},
	{"doubled samples", false, func(g *generator) []float64 { return g.spikes(g.white(g.each(zero)), 0.02, 2) }},
	{"spike at the end", false, func(g *generator) []float64 {
		y := g.white(g.each(zero))
		for i := len(y) - 1 - g.IntN(3); i < len(y); i++ {
			y[i] *= g.between(1.2, 2)
		}
		return y
	}},
	{"full and young collections", false, func(g *generator) []float64 {
		a := g.base * g.between(0.1, 0.5)
		return g.white(g.plus(g.each(g.saw(a, g.between(2, 8), 0.2)), g.saw(a*0.3, g.between(25, 50), 0.2)))
	}},
	{"compacting log", false, func(g *generator) []float64 {
		return g.white(g.each(g.saw(g.base*g.between(0.1, 0.5), g.between(1.2, 5), 0.1)))
	}},
	{"falling", false, func(g *generator) []float64 {
		return g.white(g.each(func(u float64) float64 { return -g.growth * u }))
	}},
	{"restart drop, warm-up again", false, func(g *generator) []float64 {
		at, tau, a := g.between(0.3, 0.6), g.between(0.03, 0.08), g.base*g.between(0.2, 1)
		return g.white(g.each(func(u float64) float64 {
			if u > at {
				u -= at
			}
			return a * (1 - math.Exp(-u/tau))
		}))
	}},
	{"noise grows", false, func(g *generator) []float64 {
		y := g.each(zero)
		for i, u := range g.u {
			y[i] += g.noise * (0.5 + 3*u) * math.Abs(g.NormFloat64())
		}
		return y
	}},
	{"page jitter", false, func(g *generator) []float64 {
		y := quantise(g.each(zero), 4096)
		for i := range y {
			if g.Float64() < 0.2 {
				y[i] += 4096 * float64(g.IntN(4))
			}
		}
		return y
	}},
	{"constant", false, func(g *generator) []float64 { return quantise(g.each(zero), 4096) }},
	{"warm-up and saw", false, func(g *generator) []float64 {
		a := g.base * g.between(0.1, 0.5)
		return g.white(g.plus(g.each(saturate(a, g.between(0.03, 0.1))), g.saw(a*g.between(0.1, 1), g.between(6, 25), 0.2)))
	}},
	{"step and pool", false, func(g *generator) []float64 {
		a := g.base * g.between(0.05, 0.3)
		return g.bounded(g.white(g.each(stairs([]float64{g.between(0.2, 0.7)}, []float64{a}))), a*g.between(0.1, 0.5), 0.2)
	}},
	{"buffer drains", false, func(g *generator) []float64 {
		at, a := g.between(0.05, 0.3), g.base*g.between(0.1, 0.5)
		return g.white(g.each(func(u float64) float64 {
			if u < at {
				return a * u / at
			}
			return a * math.Exp(-(u-at)/0.3)
		}))
	}},
}

func zero(float64) float64 { return 0 }
