package stat

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestMannWhitney(t *testing.T) {
	s := MannWhitney([]float64{412, 405, 418, 409, 411}, []float64{431, 428, 440, 425, 436}, 0.95)
	near(t, "U", s.U, 25, 0)
	near(t, "p", s.P, 0.00793651, 1e-8)
	near(t, "HL", s.HL, 20, 0)
	near(t, "lo", s.Lo, 13, 0)
	near(t, "hi", s.Hi, 31, 0)
	near(t, "relative", s.HL/411, 0.04866, 1e-5)
	near(t, "CLES", s.CLES, 1, 0)

	s = MannWhitney([]float64{412, 405, 418, 409, 411, 415, 402, 420, 410, 407}, []float64{414, 409, 421, 408, 416, 417, 406, 425, 412, 411}, 0.95)
	near(t, "U'", s.U, 63.5, 0)
	near(t, "p'", s.P, 0.325205, 1e-6)
	near(t, "HL'", s.HL, 3, 0)
	near(t, "CLES'", s.CLES, 0.635, 0)
	near(t, "lo'", s.Lo, -3, 0)
	near(t, "hi'", s.Hi, 9, 0)
	if s.Exact {
		t.Error("ties, and yet exact")
	}
}

func TestMannWhitneyOrderStatistics(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		level float64
	}{{5, 3, 0.9683}, {6, 6, 0.9589}, {7, 9, 0.9621}, {8, 14, 0.9501}, {10, 24, 0.9567}} {
		var s Shift
		if k := s.exact(c.n, c.n, 0.95); k != c.k {
			t.Errorf("%dv%d: K = %d, want %d", c.n, c.n, k, c.k)
		}
		near(t, fmt.Sprint("level of ", c.n), s.Level, c.level, 5e-5)
	}
	eight := MannWhitney(upTo(8), []float64{10, 11, 12, 13, 14, 15, 16, 17}, 0.95)
	near(t, "least p of 8v8", eight.P, 0.000155, 1e-6)
	three := MannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6.5}, 0.95)
	near(t, "least p of 3v3", three.P, 0.1, 1e-12)
	near(t, "3v3 is worth", three.Level, 0.9, 1e-12)
}

func TestMannWhitneyBothShapes(t *testing.T) {
	b := append(make([]float64, 15), 1, 1, 1, 1, 1)
	s := MannWhitney(make([]float64, 20), b, 0.95)
	near(t, "p of a few ones", s.P, 0.01945, 1e-5)
	d, p := KolmogorovSmirnov(make([]float64, 20), b)
	near(t, "D", d, 0.25, 1e-12)
	near(t, "K-S p", p, 0.571, 1e-3)

	x, y := make([]float64, 20), make([]float64, 20)
	for i := range 20 {
		x[i], y[i] = float64(10+i), float64(i)
		if i >= 10 {
			y[i] += 20
		}
	}
	near(t, "p of a wider spread", MannWhitney(x, y, 0.95).P, 1, 0)
	_, p = KolmogorovSmirnov(x, y)
	near(t, "K-S p of it", p, 0.0123, 1e-4)
}

func TestEmptySides(t *testing.T) {
	if s := MannWhitney(nil, []float64{1}, 0.95); !math.IsNaN(s.P) {
		t.Errorf("%+v", s)
	}
	if d, p := KolmogorovSmirnov([]float64{1}, nil); !math.IsNaN(d) || !math.IsNaN(p) {
		t.Errorf("D %v p %v", d, p)
	}
	if s := MannWhitney([]float64{3}, []float64{3}, 0.95); s.P != 1 || s.HL != 0 || s.Lo != 0 || s.Hi != 0 {
		t.Errorf("one against one: %+v", s)
	}
}

func TestKolmogorovLimitMeetsExact(t *testing.T) {
	a, b := upTo(1000), upTo(1000)
	for i := range b {
		b[i] += 60.5
	}
	d, exact := KolmogorovSmirnov(a, b)
	near(t, "p", kolmogorovLimit(d*math.Sqrt(500)), exact, 0.02)
	d, p := KolmogorovSmirnov(upTo(1200), upTo(1200))
	near(t, "D of equals", d, 0, 0)
	near(t, "p of equals", p, 1, 1e-12)
}

func TestEffectiveSamples(t *testing.T) {
	for _, c := range []struct {
		rho, n float64
		block  int
	}{{0.5, 66.67, 8}, {0.8, 22.22, 16}, {0.9, 10.53, 27}, {0.95, 5.13, 43}} {
		near(t, fmt.Sprint("n_eff ", c.rho), EffectiveN(200, c.rho), c.n, 0.005)
		if b := BlockLength(200, c.rho); b != c.block {
			t.Errorf("block length at %v = %d, want %d", c.rho, b, c.block)
		}
	}
}

func TestMinimumDetectable(t *testing.T) {
	for n, want := range map[int][4]float64{3: {2.34, 4.68, 9.36, 18.73}, 5: {1.81, 3.63, 7.25, 14.51}, 8: {1.43, 2.87, 5.73, 11.5}, 10: {1.28, 2.56, 5.13, 10.26}, 20: {0.91, 1.81, 3.63, 7.25}} {
		for i, sd := range []float64{1, 2, 4, 8} {
			near(t, fmt.Sprintf("n %d sd %v", n, sd), MinimumDetectable(sd, n), want[i], 0.04)
		}
	}
	if n := RunsNeeded(1, MinimumDetectable(1, 8)*1.0001); n != 8 {
		t.Errorf("runs needed = %d, want 8", n)
	}
}

func TestAdjust(t *testing.T) {
	p := []float64{.0002, .0011, .004, .009, .012, .021, .034, .041, .2, .5}
	want := []float64{.002, .0055, .013333, .0225, .024, .035, .048571, .05125, .222222, .5}
	count := func(q []float64) (n int) {
		for _, v := range q {
			if v <= 0.05 {
				n++
			}
		}
		return n
	}
	got := BenjaminiHochberg(p)
	for i := range want {
		near(t, fmt.Sprint("BH ", i), got[i], want[i], 1e-6)
	}
	if n := count(got); n != 7 {
		t.Errorf("BH rejects %d", n)
	}
	if n := count(BenjaminiYekutieli(p)); n != 3 {
		t.Errorf("BY rejects %d", n)
	}
	slices.Reverse(p)
	if got := BenjaminiHochberg(p); got[0] != .5 || math.Abs(got[9]-.002) > 1e-12 {
		t.Errorf("order not kept: %v", got)
	}
}

func TestBootstrap(t *testing.T) {
	a, b := noise(200, 1), noise(200, 2)
	for i := range b {
		b[i] += 5
	}
	c := Bootstrap{Repeats: 2000, Seed: 7, Level: 0.95}
	lo, hi := c.MedianShift(a, b)
	if !(lo > 4.4 && lo < 5 && hi > 5 && hi < 5.6) {
		t.Errorf("interval [%v, %v] of a shift of 5", lo, hi)
	}
	lo2, hi2 := c.MedianShift(a, b)
	if lo != lo2 || hi != hi2 {
		t.Error("the same seed gave another interval")
	}
	lo, hi = c.MedianShift([]float64{3, 3, 3}, []float64{3, 3, 3})
	near(t, "constant lo", lo, 0, 0)
	near(t, "constant hi", hi, 0, 0)
	if lo, _ := c.MedianShift(nil, b); !math.IsNaN(lo) {
		t.Error("an empty side has an interval")
	}
}
