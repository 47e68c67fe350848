package stat

import (
	"fmt"
	"testing"
)

func TestTheilSen(t *testing.T) {
	a := TheilSen(daysA, seriesA, MannKendall(seriesA).Var, 0.95)
	near(t, "A slope", a.Slope, 13.142857, 1e-6)
	near(t, "A lo", a.Lo, 8.909091, 1e-6)
	near(t, "A hi", a.Hi, 13.909091, 1e-6)
	near(t, "A intercept", a.Intercept, 59.428571, 1e-6)
	near(t, "A days to 512 MB", (512-seriesA[5])/a.Slope, 12.9348, 1e-4)
	near(t, "B", TheilSen(upTo(8), seriesB, 1, 0.95).Slope, 0.5, 0)
	near(t, "D", TheilSen(upTo(7), seriesD, 1, 0.95).Slope, 2, 0)
	calls := []float64{200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100}
	heap := []float64{388160, 584848, 778320, 970512, 1169024, 1357360, 1552336, 1752032, 1945056, 2140624}
	near(t, "bytes a call", TheilSen(calls, heap, 1, 0.95).Slope, 1945.3067, 1e-4)
	near(t, "S of the calls", MannKendall(heap).S, 45, 0)
}

func TestTheilSenDegenerate(t *testing.T) {
	for _, c := range [][2][]float64{{nil, nil}, {{1}, {5}}, {{2, 2, 2}, {1, 5, 9}}} {
		if got := TheilSen(c[0], c[1], 1, 0.95); got.Pairs != 0 || got.Slope != 0 {
			t.Errorf("%v: %+v", c, got)
		}
	}
	if got := TheilSen([]float64{0, 0, 1}, []float64{1, 9, 5}, 0, 0.95); got.Pairs != 2 || got.Slope != 0 {
		t.Errorf("equal times: %+v", got)
	}
}

func TestTheilSenCountedAgreesWithSelected(t *testing.T) {
	for seed := range uint64(6) {
		y, x := noise(300, seed), upTo(300)
		for i := range y {
			y[i] += 0.01 * x[i]
			x[i] = float64(int(x[i]) / (1 + int(seed)%3)) // equal times
		}
		s, c := allSlopes(x, y), newCounter(x, y)
		if s.pairs() != c.pairs() {
			t.Fatalf("seed %d: %d pairs counted, %d written down", seed, c.pairs(), s.pairs())
		}
		for _, k := range []int64{1, 2, 1000, s.pairs() / 2, s.pairs() - 1, s.pairs()} {
			near(t, fmt.Sprintf("seed %d rank %d", seed, k), c.rank(k), s.rank(k), 1e-11)
		}
	}
}

func BenchmarkTheilSen(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		x, y := upTo(n), noise(n, 1)
		v := MannKendall(y).Var
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				TheilSen(x, y, v, 0.95)
			}
		})
	}
}
