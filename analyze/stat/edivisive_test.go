package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

var stepped = []float64{10, 10, 11, 10, 9, 20, 21, 20, 19, 20}

func TestEnergy(t *testing.T) {
	for i, want := range []float64{11.5429, 17.2, 28.72, 46, 28.72, 17.2, 8.9714} {
		k := i + 2
		if have := Energy(stepped[:k], stepped[k:]); math.Abs(have-want) > 5e-5 {
			t.Errorf("q of the split at %d: want %g, have %g", k, want, have)
		}
	}
}

// TestEnergyOfBest: the running sums of the search give what the formula gives.
func TestEnergyOfBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		y := make([]float64, 4+rng.IntN(30))
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		d := EDivisive{MinSegment: 2}
		have, ok := d.best(y)
		want := Split{Q: math.Inf(-1)}
		for k := 2; k <= len(y)-2; k++ {
			if q := Energy(y[:k], y[k:]); q > want.Q {
				want = Split{Index: k, Q: q}
			}
		}
		if !ok || have.Index != want.Index || math.Abs(have.Q-want.Q) > 1e-9 {
			t.Fatalf("want %+v, have %+v in %v", want, have, y)
		}
	}
}

func TestChanges(t *testing.T) {
	d := EDivisive{MinSegment: 3, Repeats: 999, Alpha: 0.01, Seed: 1}
	have := d.Changes(stepped)
	if len(have) != 1 || have[0].Index != 5 || math.Abs(have[0].Q-46) > 1e-9 || have[0].P > 0.01 {
		t.Errorf("want the one change at 5, have %+v", have)
	}
	up := append(append([]float64{}, stepped...), 30, 31, 30, 29, 30)
	if have := d.Changes(up); len(have) != 2 || have[0].Index != 5 || have[1].Index != 10 {
		t.Errorf("want changes at 5 and 10, have %+v", have)
	}
	hump := []float64{10, 10, 11, 10, 9, 10, 9, 11, 20, 21, 20, 19, 20, 20, 21, 19, 10, 11, 10, 9, 10, 10, 11, 9}
	if have := d.Changes(hump); len(have) != 2 || have[0].Index != 8 || have[1].Index != 16 {
		t.Errorf("want the rise at 8 and the fall at 16, have %+v", have)
	}
	for _, y := range [][]float64{nil, {1}, {1, 2, 3, 4, 5}, {7, 7, 7, 7, 7, 7, 7, 7}} {
		if have := d.Changes(y); have != nil {
			t.Errorf("%v: want no change, have %+v", y, have)
		}
	}
}

// TestChangesByChance: of series without a change at most the rate asked for has one.
func TestChangesByChance(t *testing.T) {
	rng, found := rand.New(rand.NewPCG(5, 6)), 0
	for i := range 300 {
		y := make([]float64, 40)
		for j := range y {
			y[j] = rng.NormFloat64()
		}
		if (EDivisive{MinSegment: 6, Repeats: 199, Alpha: 0.05, Seed: uint64(i)}).Changes(y) != nil {
			found++
		}
	}
	if found > 35 {
		t.Errorf("%d of 300 series have a change, want at most 35", found)
	}
}
