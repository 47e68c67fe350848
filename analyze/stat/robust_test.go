package stat

import (
	"math"
	"testing"
)

func TestQuantiles(t *testing.T) {
	x := []float64{4, 1, 3, 2}
	near(t, "median", Median(x), 2.5, 0)
	near(t, "quarter", Quantile(x, 0.25), 1.75, 0)
	near(t, "least", Quantile(x, 0), 1, 0)
	near(t, "greatest", Quantile(x, 1), 4, 0)
	near(t, "MAD", MAD([]float64{1, 1, 2, 2, 4, 6, 9}), 1, 0)
	if x[0] != 4 {
		t.Error("the argument was sorted")
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("median of nothing is a number")
	}
}

func TestNoiseSD(t *testing.T) {
	y := noise(20000, 5)
	for i := range y {
		y[i] += 0.01 * float64(i)
	}
	near(t, "sd", NoiseSD(y), 1, 0.03)
	near(t, "sd of one value", NoiseSD(y[:1]), 0, 0)
}

// Quarter medians and the weakest step between them, of three real programs: one warms up, two leak.
func TestWeakestOverMean(t *testing.T) {
	for _, c := range []struct {
		deltas []float64
		want   float64
	}{
		{[]float64{3.78, 0.29, 0.04}, 0.029},
		{[]float64{4736, 2992, 2992, 2704}, 0.806},
		{[]float64{4096, 2944, 3056, 2816}, 0.872},
	} {
		sum, least := 0.0, math.Inf(1)
		for _, d := range c.deltas {
			sum, least = sum+d, min(least, d)
		}
		near(t, "weakest/mean", least/(sum/float64(len(c.deltas))), c.want, 0.0006)
	}
}

// The sign of a least-squares slope depends on where a saw-tooth is cut.
func TestLateHalf(t *testing.T) {
	x := upTo(20)
	warm, leak := make([]float64, 20), make([]float64, 20)
	for i := range x {
		warm[i], leak[i] = 200-60*math.Exp(-x[i]/4), 140+3*x[i]
	}
	all, late := TheilSen(x, warm, 1, 0.95).Slope, TheilSen(x[10:], warm[10:], 1, 0.95).Slope
	near(t, "S", MannKendall(warm).S, 190, 0)
	near(t, "Sen", all, 1.839405, 1e-6)
	near(t, "late Sen", late, 0.426274, 1e-6)
	near(t, "ratio", late/all, 0.2317, 1e-4)
	near(t, "S of the leak", MannKendall(leak).S, 190, 0)
	near(t, "late Sen of the leak", TheilSen(x[10:], leak[10:], 1, 0.95).Slope, 3, 1e-12)
}
