package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPowerLaws: exponents put in come out, with and without a base.
func TestPowerLaws(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16, 32}
	for _, k := range []float64{0.5, 1, 1.5, 2, 3} {
		y, z := make([]float64, len(x)), make([]float64, len(x))
		for i := range x {
			y[i] = 3 * math.Pow(x[i], k)
			z[i] = 700 + y[i]
		}
		if p := LogPower(x, y, 0.95); math.Abs(p.Exponent-k) > 1e-9 || math.Abs(p.Factor-3) > 1e-9 || p.Explained < 1-1e-9 {
			t.Errorf("x^%g: %+v", k, p)
		}
		if p := BasePower(x, z, 0.95); math.Abs(p.Exponent-k) > 1e-6 || math.Abs(p.Base-700) > 1e-3 || p.Lo > k || p.Hi < k || p.Hi-p.Lo > 0.05 {
			t.Errorf("700 + 3 x^%g: %+v", k, p)
		}
	}
}

// TestPowerInterval: the interval holds the truth about as often as it says.
func TestPowerInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := []float64{1, 2, 4, 8, 12, 16, 24, 32}
	held := [2]int{}
	const repeats = 400
	for range repeats {
		y, z := make([]float64, len(x)), make([]float64, len(x))
		for i := range x {
			y[i] = 2 * x[i] * x[i] * math.Exp(0.1*r.NormFloat64())
			z[i] = 500 + 2*x[i]*x[i] + 20*r.NormFloat64()
		}
		for i, p := range []Power{LogPower(x, y, 0.95), BasePower(x, z, 0.95)} {
			if p.Lo <= 2 && 2 <= p.Hi {
				held[i]++
			}
		}
	}
	for i, n := range held {
		if share := float64(n) / repeats; share < 0.91 || share > 0.99 {
			t.Errorf("fit %d: the interval held the exponent in %.1f %% of cases", i, 100*share)
		}
	}
}

func TestPowerOfTooLittle(t *testing.T) {
	for _, p := range []Power{LogPower([]float64{1, 2}, []float64{1, 2}, 0.95), LogPower([]float64{2, 2, 2}, []float64{1, 2, 3}, 0.95),
		LogPower([]float64{-1, 0, 2}, []float64{1, 2, 3}, 0.95), BasePower([]float64{1, 2, 2, 2}, []float64{1, 2, 3, 4}, 0.95)} {
		if !math.IsNaN(p.Exponent) {
			t.Errorf("%+v", p)
		}
	}
	if p := BasePower([]float64{1, 2, 3, 4}, []float64{5, 5, 5, 5}, 0.95); p.Factor != 0 || p.Explained != 0 {
		t.Errorf("of a constant: %+v", p)
	}
}
