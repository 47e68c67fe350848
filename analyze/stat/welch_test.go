package stat

import (
	"math"
	"testing"
)

func TestWelch(t *testing.T) {
	w := Welch(stepped[5:], stepped[:5], 0.95)
	if math.Abs(w.T+22.36068) > 1e-5 || math.Abs(w.P/1.6925e-8-1) > 1e-4 || math.Abs(w.DF-8) > 1e-9 {
		t.Errorf("want t -22.36068, p 1.6925e-8, df 8, have %+v", w)
	}
	if w.Shift != -10 || w.Lo >= -10 || w.Hi <= -10 || math.Abs(w.Hi+w.Lo+20) > 1e-9 {
		t.Errorf("want an interval round -10, have %+v", w)
	}
	if c := Welch([]float64{1, 1}, []float64{2, 2}, 0.95); c.P != 0 || c.Shift != 1 || !math.IsInf(c.T, 1) {
		t.Errorf("two constants: have %+v", c)
	}
	if c := Welch([]float64{1, 1}, []float64{1, 1}, 0.95); c.P != 1 || c.T != 0 {
		t.Errorf("one constant: have %+v", c)
	}
	if c := Welch([]float64{1}, []float64{2, 3}, 0.95); !math.IsNaN(c.P) {
		t.Errorf("one value: have %+v", c)
	}
}

func TestNoise(t *testing.T) {
	before := []float64{10, 12, 11, 9, 8, 10}
	n := NoiseOf([][]float64{before, {20}})
	if want := 0.3 + 1*(1+4*0.3)/7; math.Abs(n.Rho-want) > 1e-9 || n.SD <= math.Sqrt2 || n.DF >= 5 {
		t.Errorf("want the autocorrelation %g, more than sd 1.414 and less than 5 degrees, have %+v", want, n)
	}
	if n := NoiseOf([][]float64{{10, 8, 11, 9, 12, 10}, {20}}); math.Abs(n.SD-math.Sqrt2) > 1e-9 || n.DF != 5 || n.Rho != 0 {
		t.Errorf("want sd 1.414 with 5 degrees, have %+v", n)
	}
	n = Noise{SD: math.Sqrt2, DF: 5}
	one := n.Shift(before, []float64{20}, 0.95)
	if want := 10 / math.Sqrt(2*(1+1.0/6)); math.Abs(one.T-want) > 1e-9 || one.DF != 5 {
		t.Errorf("want t %g, have %+v", want, one)
	}
	if three := n.Shift(before, []float64{20, 20, 20}, 0.95); three.SE >= one.SE {
		t.Errorf("three values must say more than one: %+v, %+v", three, one)
	}
	n.Rho = 0.5
	if alike := n.Shift(before, []float64{20}, 0.95); alike.SE <= one.SE {
		t.Errorf("autocorrelation must widen: have %+v after %+v", alike, one)
	}
}

func TestLagOne(t *testing.T) {
	if r := lagOne([]float64{1, -1, 1, -1, 1, -1, 1, -1}, 1); r != 0 {
		t.Errorf("want 0 for values that alternate, have %g", r)
	}
	if r := lagOne([]float64{-4, -3, -2, -1, 0, 1, 2, 3, 4}, 1); r != 0.9 {
		t.Errorf("want the bound 0.9 for a ramp, have %g", r)
	}
}

func TestPerfherder(t *testing.T) {
	back := []float64{100, 101, 99, 100, 102, 98, 100, 101, 99, 100, 101, 99}
	fore := []float64{104, 105, 103, 104, 106, 104, 105, 103, 104, 105, 104, 103}
	mb, vb := weighted(back)
	mf, vf := weighted(fore)
	for _, c := range []struct{ have, want float64 }{{mb, 100.064103}, {mf, 104.256410}, {vb, 1.277210}, {vf, 0.887574}} {
		if math.Abs(c.have-c.want) > 1e-6 {
			t.Errorf("want %g, have %g", c.want, c.have)
		}
	}
	score, relative := Perfherder(back, fore)
	if math.Abs(score-9.870440) > 1e-6 || math.Abs(relative-0.041896) > 1e-6 {
		t.Errorf("want t 9.870440 and +4.1896 %%, have %g and %g", score, relative)
	}
}
