package stat

import (
	"slices"
	"testing"
)

// saw is a healthy saw-tooth of period 7.
var saw = []float64{14, 24, 34, 44, 54, 64, 74, 15, 25, 35, 45, 55, 65, 75, 14, 24, 34, 44, 54, 64, 74, 16, 26, 36, 46, 56, 66, 76, 15, 25, 35, 45, 55, 65, 75, 14, 24, 34, 44, 54, 64, 74, 15, 25}

func at(y []float64, index []int) []float64 {
	out := make([]float64, len(index))
	for i, k := range index {
		out[i] = y[k]
	}
	return out
}

func TestTroughs(t *testing.T) {
	got := Troughs(saw, 30)
	if !slices.Equal(got, []int{7, 14, 21, 28, 35}) {
		t.Fatalf("troughs at %v", got)
	}
	y, x := at(saw, got), []float64{7, 14, 21, 28, 35}
	near(t, "S", MannKendall(y).S, -2, 0)
	near(t, "Sen", TheilSen(x, y, 1, 0.95).Slope, -0.017857, 1e-6)

	rising := slices.Clone(saw)
	for i := range rising {
		rising[i] += 0.5 * float64(i)
	}
	got = Troughs(rising, 30)
	y = at(rising, got)
	if want := []float64{18.5, 21, 26.5, 29, 31.5}; !slices.Equal(y, want) {
		t.Fatalf("troughs %v, want %v", y, want)
	}
	mk := MannKendall(y)
	near(t, "rising S", mk.S, 10, 0)
	near(t, "rising Z", mk.Z, 2.204541, 1e-6)
	near(t, "rising p", mk.PUp, 0.00833333, 1e-8)
	near(t, "rising Sen", TheilSen(x, y, 1, 0.95).Slope, 0.482143, 1e-6)
}

func TestTroughsOfNothing(t *testing.T) {
	for _, y := range [][]float64{nil, {1}, {1, 2, 3}, {5, 5, 5, 5}} {
		if got := Troughs(y, 1); len(got) != 0 {
			t.Errorf("%v: %v", y, got)
		}
	}
}

func TestStepFit(t *testing.T) {
	y := []float64{483.51, 483.53, 483.56, 483.57, 483.55, 483.54, 483.55, 553.36}
	got := StepFit(y)
	if got.Index != 7 || got.After != 553.36 {
		t.Errorf("%+v", got)
	}
	near(t, "before", got.Before, 483.55, 1e-9)
}

func TestStepFitAgreesWithTrying(t *testing.T) {
	cost := func(y []float64) (c float64) {
		m := Median(y)
		for _, v := range y {
			c += max(v-m, m-v)
		}
		return c
	}
	for seed := range uint64(20) {
		y := noise(41, seed)
		least := 1e9
		for k := 1; k < len(y); k++ {
			least = min(least, cost(y[:k])+cost(y[k:]))
		}
		got := StepFit(y)
		near(t, "cost", got.Cost, least, 1e-9)
		near(t, "cost at the index", cost(y[:got.Index])+cost(y[got.Index:]), least, 1e-9)
	}
	if got := StepFit([]float64{4}); got.Index != 0 || got.Before != 4 || got.After != 4 {
		t.Errorf("one value: %+v", got)
	}
}
