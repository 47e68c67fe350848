package analyze

import "math"

// unseenShapes were written down after the thresholds had been fixed, and the thresholds were not touched since: they
// tell what the method is worth on shapes that it was not fitted to.
var unseenShapes = []shape{
	{"leak in phases", true, func(g *generator) []float64 {
		k := g.between(4, 9)
		p := g.Float64()
		return g.white(g.each(func(u float64) float64 {
			whole, part := math.Modf(k*u + p)
			return g.growth / k * (whole + min(2*part, 1) - min(2*p, 1))
		}))
	}},
	{"slow, then fast", true, func(g *generator) []float64 {
		at := g.between(0.3, 0.6)
		return g.white(g.plus(g.each(func(u float64) float64 { return 0.3 * g.growth * u }), ramp(0.7*g.growth, at, 1)))
	}},
	{"triangle wave + leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.each(g.linear), g.triangle(g.growth*g.between(0.3, 1.5), g.between(6, 25))))
	}},
	{"sharp daily peaks + leak", true, func(g *generator) []float64 {
		p, k := g.between(0, math.Pi), g.between(5, 14)
		return g.white(g.plus(g.each(g.linear), func(u float64) float64 {
			return g.growth * math.Pow(math.Abs(math.Sin(math.Pi*k*u+p)), 5)
		}))
	}},
	{"sessions + leak", true, func(g *generator) []float64 { return g.sessions(g.white(g.each(g.linear)), 0.04*g.growth) }},
	{"noise in proportion", true, func(g *generator) []float64 {
		y := g.ar(g.each(g.linear), 0.7, 1)
		for i := range y {
			y[i] *= 1 + 0.001*g.NormFloat64()
		}
		return y
	}},
	{"leak, idle at the end of each round", true, func(g *generator) []float64 {
		k := float64(10 + g.IntN(20))
		return g.white(g.each(func(u float64) float64 {
			whole, part := math.Modf(k * u)
			held := g.growth * 0.6
			if part > 0.7 {
				held = 0
			}
			return g.growth*whole/k + held
		}))
	}},
	{"warm-up, saw and leak", true, func(g *generator) []float64 {
		return g.white(g.plus(g.plus(g.each(g.linear), saturate(g.growth*g.between(1, 3), g.between(0.03, 0.08))), g.leakSaw(g.growth*g.between(0.3, 2), g.between(10, 30), 0.15)))
	}},
	{"triangle wave", false, func(g *generator) []float64 {
		return g.white(g.each(g.triangle(g.base*g.between(0.03, 0.3), g.between(2, 25))))
	}},
	{"on and off", false, func(g *generator) []float64 {
		k, p, a := g.between(2, 20), g.Float64(), g.base*g.between(0.03, 0.4)
		return g.white(g.each(func(u float64) float64 {
			if _, part := math.Modf(k*u + p); part > 0.5 {
				return a
			}
			return 0
		}))
	}},
	{"cache that fills ever more slowly, then full", false, func(g *generator) []float64 {
		a, full := g.base*g.between(0.1, 0.4), g.between(0.2, 0.6)
		return g.white(g.each(func(u float64) float64 { return a * math.Log1p(9*min(u/full, 1)) / math.Log(10) }))
	}},
	{"levels at random", false, func(g *generator) []float64 {
		k := 3 + g.IntN(3)
		level := g.IntN(k)
		a, change := g.base*g.between(0.02, 0.1), g.between(0.02, 0.1)
		y := g.white(g.each(zero))
		for i := range y {
			if g.Float64() < change {
				level = g.IntN(k)
			}
			y[i] += a * float64(level)
		}
		return y
	}},
	{"rounds of a batch job", false, func(g *generator) []float64 {
		k, a := float64(3+g.IntN(6)), g.base*g.between(0.1, 0.5)
		return g.white(g.each(func(u float64) float64 {
			_, part := math.Modf(k * u)
			return a * min(part/0.4, 1) * min((1-part)/0.1, 1)
		}))
	}},
	{"swing that dies away", false, func(g *generator) []float64 {
		a, k := g.base*g.between(0.05, 0.3), g.between(3, 10)
		return g.white(g.each(func(u float64) float64 { return -a * math.Exp(-u/0.25) * math.Cos(2*math.Pi*k*u) }))
	}},
	{"sessions", false, func(g *generator) []float64 { return g.sessions(g.white(g.each(zero)), g.base*g.between(0.003, 0.02)) }},
	{"idle at the end", false, func(g *generator) []float64 {
		at, a := g.between(0.6, 0.95), g.base*g.between(0.05, 0.4)
		return g.white(g.each(func(u float64) float64 {
			if u > at {
				return 0
			}
			return a
		}))
	}},
	{"stairs down and up", false, func(g *generator) []float64 {
		a, k := g.base*g.between(0.02, 0.1), 3+g.IntN(3)
		return g.white(g.each(func(u float64) float64 { return a * math.Abs(math.Floor(2*float64(k)*u)-float64(k)) }))
	}},
	{"huge pages filling up", false, func(g *generator) []float64 {
		a := max(g.base*0.3, 20*mib)
		return quantise(g.each(saturate(a, g.between(0.05, 0.15))), 2*mib)
	}},
}

// triangle rises and falls at even speed between 0 and a.
func (g *generator) triangle(a, periods float64) func(u float64) float64 {
	p := g.Float64()
	periods = min(periods, float64(g.n)/6)
	return func(u float64) float64 {
		_, part := math.Modf(periods*u + p)
		return a * (1 - math.Abs(2*part-1))
	}
}

// sessions come at random, stay for a random time, and hold a each: about twenty at a time.
func (g *generator) sessions(y []float64, a float64) []float64 {
	const mean, stay = 20.0, 12.0
	active := mean
	for i := range y {
		active += math.Round(mean/stay + math.Sqrt(mean/stay)*g.NormFloat64())
		active = max(active-math.Round(active/stay+math.Sqrt(max(active, 0)/stay)*g.NormFloat64()), 0)
		y[i] += a * active
	}
	return y
}
