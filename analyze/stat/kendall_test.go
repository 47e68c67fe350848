package stat

import (
	"fmt"
	"math"
	"testing"
)

var (
	seriesA = []float64{60, 111, 164, 244, 317, 342} // MB, a real application
	daysA   = []float64{0, 4, 8, 14, 19, 25}
	seriesB = []float64{10, 10, 12, 12, 11, 13, 13, 14}
	seriesC = []float64{101, 103, 106, 108, 107, 105, 104, 106, 109, 112, 114, 113, 111, 110, 112, 115, 118, 120, 119, 117}
	seriesD = []float64{625, 627, 631, 631, 635, 635, 639} // open files
)

func TestMannKendall(t *testing.T) {
	for _, c := range []struct {
		name          string
		y             []float64
		s, v, z, pUp  float64
		withinV, with float64
		exact         bool
	}{
		{"A", seriesA, 15, 28.3333, 2.630142, 0.00138889, 1e-4, 1e-8, true},
		{"B ties", seriesB, 21, 62.333333, 2.533202, 0.0113026 / 2, 1e-6, 1e-7, false},
		{"C", seriesC, 140, 948, 4.514510, math.NaN(), 1e-9, 0, false},
		{"D", seriesD, 19, 42.3333, 2.766504, 0.002833, 1e-4, 1e-6, false},
	} {
		got := MannKendall(c.y)
		near(t, c.name+" S", got.S, c.s, 0)
		near(t, c.name+" Var", got.Var, c.v, c.withinV)
		near(t, c.name+" Z", got.Z, c.z, 1e-6)
		if got.Exact != c.exact {
			t.Errorf("%s: exact = %v", c.name, got.Exact)
		}
		if !math.IsNaN(c.pUp) {
			near(t, c.name+" p", got.PUp, c.pUp, c.with)
		}
	}
	near(t, "A normal p", normalTail(2.630142), 0.004267, 1e-6)
}

func TestMannKendallExact(t *testing.T) {
	for n, want := range map[int]float64{4: 0.0416667, 5: 0.00833333, 6: 0.00138889, 7: 0.000198413, 8: 2.48016e-5} {
		near(t, fmt.Sprint("p of n=", n), MannKendall(upTo(n)).PUp, want, want*1e-5)
	}
	down := MannKendall([]float64{5, 4, 3, 2, 1})
	near(t, "falling, one-sided", down.PUp, 1, 0)
	near(t, "falling, two-sided", down.P, 2*0.00833333, 1e-7)
}

func TestMannKendallDegenerate(t *testing.T) {
	for _, y := range [][]float64{nil, {1}, {3, 3, 3, 3}} {
		if got := MannKendall(y); got.S != 0 || got.PUp != 1 || got.P != 1 || got.Z != 0 {
			t.Errorf("%v: %+v", y, got)
		}
	}
	if got := HamedRao(upTo(4), []float64{7, 7, 7, 7}, 0); got.PUp != 1 {
		t.Errorf("constant: %+v", got)
	}
}

func TestHamedRao(t *testing.T) {
	x := upTo(20)
	line := TheilSen(x, seriesC, 948, 0.95)
	near(t, "C Sen", line.Slope, 0.857143, 1e-6)
	got := HamedRao(x, seriesC, line.Slope)
	near(t, "f", got.F, 1.3018006, 1e-7)
	near(t, "Var", got.Var, 1234.106925, 1e-5)
	near(t, "Z", got.Z, 3.956748, 1e-6)
	near(t, "p", got.P, 7.5977e-5, 1e-9)
	d := make([]float64, 20)
	for i := range d {
		d[i] = seriesC[i] - line.Slope*x[i]
	}
	r, _ := ranks(d)
	rho := Autocorrelation(r)
	for k, want := range []float64{0.582380, -0.223494, -0.763539, -0.702136, -0.160183, 0.413806} {
		near(t, fmt.Sprint("rho ", k+1), rho[k+1], want, 1e-6)
	}
}

// The residuals of an exact line are rounding, and rounding has no autocorrelation.
func TestHamedRaoOfALine(t *testing.T) {
	x, y := upTo(18), make([]float64, 18)
	for i := range y {
		x[i] += 1.5e9
		y[i] = 140 + 3.1*float64(i)
	}
	got := HamedRao(x, y, TheilSen(x, y, 0, 0.95).Slope)
	near(t, "f", got.F, 1, 0)
	near(t, "Z", got.Z, 5.7574, 1e-4)
}

func TestInversionsAgreeWithPairs(t *testing.T) {
	for seed := range uint64(20) {
		y := noise(200, seed)
		for i := range y {
			y[i] = math.Round(y[i] * 4) // ties
		}
		s := 0.0
		for i := range y {
			for j := i + 1; j < len(y); j++ {
				s += float64(compare(y[j], y[i]))
			}
		}
		near(t, "S", MannKendall(y).S, s, 0)
	}
}

func TestAutocorrelationByTransform(t *testing.T) {
	y := noise(700, 3)
	got := Autocorrelation(y)
	for _, k := range []int{1, 7, 300, 699} {
		mean, num, den := 0.0, 0.0, 0.0
		for _, v := range y {
			mean += v / 700
		}
		for i, v := range y {
			den += (v - mean) * (v - mean)
			if i+k < 700 {
				num += (v - mean) * (y[i+k] - mean)
			}
		}
		near(t, fmt.Sprint("lag ", k), got[k], num/den, 1e-10)
	}
}

func BenchmarkHamedRao(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		x, y := upTo(n), noise(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				HamedRao(x, y, 0)
			}
		})
	}
}
