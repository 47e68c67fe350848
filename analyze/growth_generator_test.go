package analyze

import (
	"math"
	"math/rand/v2"
)

// generator draws the series that the statistical acceptance judges. A shape takes its parameters from it, so that
// no two series of a shape are alike; the seed decides all of them.
type generator struct {
	*rand.Rand
	n      int
	base   float64   // bytes at the start
	noise  float64   // standard deviation, bytes
	growth float64   // bytes a leak adds over the capture
	u      []float64 // time of each sample, 0 … 1
	dt     float64   // seconds the capture lasts
}

const mib = 1 << 20

func newGenerator(seed, stream uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, stream))}
	g.n = int(math.Exp(g.between(math.Log(60), math.Log(900))))
	g.base = mib * math.Exp(g.between(math.Log(20), math.Log(4000)))
	share := math.Exp(g.between(math.Log(0.0005), math.Log(0.008)))
	g.noise = g.base * share
	g.growth = g.base * math.Exp(g.between(math.Log(max(0.015, 6*share)), math.Log(0.30)))
	g.dt = float64(g.n) * []float64{0.5, 1, 5, 10, 30}[g.IntN(5)]
	g.even()
	return g
}

func (g *generator) even() {
	g.u = make([]float64, g.n)
	for i := range g.u {
		g.u[i] = float64(i) / float64(g.n-1)
	}
}

func (g *generator) between(a, b float64) float64 { return a + (b-a)*g.Float64() }

// each evaluates a level at every time, on top of the base.
func (g *generator) each(f func(u float64) float64) []float64 {
	y := make([]float64, g.n)
	for i, u := range g.u {
		y[i] = g.base + f(u)
	}
	return y
}

// plus adds a function of time in place.
func (g *generator) plus(y []float64, f func(u float64) float64) []float64 {
	for i, u := range g.u {
		y[i] += f(u)
	}
	return y
}

// white adds independent noise, heavy the same with fat tails, ar noise with memory (its standard deviation is k
// times the usual).
func (g *generator) white(y []float64) []float64 {
	for i := range y {
		y[i] += g.noise * g.NormFloat64()
	}
	return y
}

func (g *generator) heavy(y []float64) []float64 {
	for i := range y {
		y[i] += g.noise * g.NormFloat64() / math.Sqrt(max(g.ExpFloat64(), 0.02))
	}
	return y
}

func (g *generator) ar(y []float64, phi, k float64) []float64 {
	v, s := g.NormFloat64(), math.Sqrt(1-phi*phi)
	for i := range y {
		y[i] += k * g.noise * v
		v = phi*v + s*g.NormFloat64()
	}
	return y
}

// linear is a leak over the whole capture.
func (g *generator) linear(u float64) float64 { return g.growth * u }

// saw is a saw-tooth of height a and the given number of cycles, each of its own length.
func (g *generator) saw(a, cycles, jitter float64) func(u float64) float64 {
	cycles = min(cycles, float64(g.n)/5) // faster ones cannot be seen in the samples
	edges := g.edges(cycles, jitter)
	return func(u float64) float64 {
		i := 0
		for edges[i+1] <= u {
			i++
		}
		return a * (u - edges[i]) / (edges[i+1] - edges[i])
	}
}

// leakSaw is a saw-tooth on top of a leak. Its teeth are cut at the samples, which blurs the floor by the height of a tooth
// over the samples in it; that blur is kept below a third of the growth, as nobody could see the floor rise otherwise.
func (g *generator) leakSaw(a, cycles, jitter float64) func(u float64) float64 {
	return g.saw(min(a, 0.3*g.growth*float64(g.n)/cycles), cycles, jitter)
}

// edges cuts 0 … 1 at a mean distance of 1/cycles, starting before 0 and ending after 1.
func (g *generator) edges(cycles, jitter float64) []float64 {
	e := []float64{-g.Float64() / cycles}
	for e[len(e)-1] <= 1 {
		e = append(e, e[len(e)-1]+(1+jitter*g.between(-1, 1))/cycles)
	}
	return e
}

// wave is a smooth periodic load with a second harmonic, between 0 and a.
func (g *generator) wave(a, periods float64) func(u float64) float64 {
	periods = min(periods, float64(g.n)/5)
	p, q, k := g.between(0, 2*math.Pi), g.between(0, 2*math.Pi), g.between(0, 0.3)
	return func(u float64) float64 {
		w := 2 * math.Pi * periods * u
		return a * (0.5 + (math.Sin(w+p)+k*math.Sin(2*w+q))/(2*(1+k)))
	}
}

// sine is a pure one.
func (g *generator) sine(a, periods float64) func(u float64) float64 {
	p := g.between(0, 2*math.Pi)
	return func(u float64) float64 { return a * (1 + math.Sin(2*math.Pi*periods*u+p)) / 2 }
}

// pulses is a load that comes and goes: jobs overlap and each holds memory while it runs.
func (g *generator) pulses(a float64, count int, length float64) func(u float64) float64 {
	type job struct{ from, to, size float64 }
	jobs := make([]job, count)
	for i := range jobs {
		l := length * g.between(0.5, 1.5)
		from := g.between(-l, 1)
		jobs[i] = job{from, from + l, a * g.between(0.5, 1.5)}
	}
	return func(u float64) (v float64) {
		for _, j := range jobs {
			if u >= j.from && u < j.to {
				v += j.size
			}
		}
		return v
	}
}

// bounded is a pool that is filled and drained at random between two bounds.
func (g *generator) bounded(y []float64, a, rate float64) []float64 {
	v, drift := g.Float64(), g.between(-1, 1)
	for i := range y {
		if g.Float64() < 0.1 {
			drift = g.between(-1, 1)
		}
		v += rate * (drift + 0.5*g.NormFloat64())
		if v < 0 || v > 1 {
			v = min(max(v, 0), 1)
			drift = -drift
		}
		y[i] += a * v
	}
	return y
}

// bursts rise at once and fade.
func (g *generator) bursts(y []float64, a float64, count int, fade float64) []float64 {
	at := make([]float64, count)
	size := make([]float64, count)
	for i := range at {
		at[i], size[i] = g.Float64(), a*g.between(0.3, 1)
	}
	return g.plus(y, func(u float64) (v float64) {
		for i, x := range at {
			if u >= x {
				v += size[i] * math.Exp(-(u-x)/fade)
			}
		}
		return v
	})
}

// spikes multiply single samples.
func (g *generator) spikes(y []float64, share, factor float64) []float64 {
	for i := range y {
		if g.Float64() < share {
			y[i] *= g.between(1+(factor-1)/4, factor)
		}
	}
	return y
}

// stairs rises at the given times by the given sizes.
func stairs(at, size []float64) func(u float64) float64 {
	return func(u float64) (v float64) {
		for i, x := range at {
			if u >= x {
				v += size[i]
			}
		}
		return v
	}
}

// walk is a random walk whose total spread is about a.
func (g *generator) walk(y []float64, a float64) []float64 {
	v := 0.0
	for i := range y {
		y[i] += v
		v += a / math.Sqrt(float64(len(y))) * g.NormFloat64()
	}
	return y
}

// quantise rounds down to whole units, as pages and huge pages do.
func quantise(y []float64, unit float64) []float64 {
	for i := range y {
		y[i] = math.Floor(y[i]/unit) * unit
	}
	return y
}

func saturate(a, tau float64) func(u float64) float64 {
	return func(u float64) float64 { return a * (1 - math.Exp(-u/tau)) }
}

// ramp rises by a from one time to another and stays.
func ramp(a, from, to float64) func(u float64) float64 {
	return func(u float64) float64 { return a * min(max((u-from)/(to-from), 0), 1) }
}

// hump rises and falls back.
func hump(a, at, width float64) func(u float64) float64 {
	return func(u float64) float64 { x := (u - at) / width; return a * math.Exp(-x*x/2) }
}
