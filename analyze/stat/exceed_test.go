package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The worked example of docs/methods.md, red lines.
func TestExceedWorkedExample(t *testing.T) {
	e := Exceed([]float64{0, 10, 20, 30, 40, 50}, []float64{480, 500, 530, 505, 540, 560}, 512, 0.98*512, false)
	want := []Crossing{{14, true, 2}, {27.2, false, 3}, {32, true, 4}}
	if len(e.Crossings) != len(want) {
		t.Fatalf("%+v", e.Crossings)
	}
	for i, w := range want {
		if c := e.Crossings[i]; math.Abs(c.T-w.T) > 1e-9 || c.Up != w.Up || c.Index != w.Index {
			t.Errorf("crossing %d is %+v, want %+v", i, c, w)
		}
	}
	for name, v := range map[string][2]float64{"above": {e.Above, 31.2}, "area": {e.Area, 610.8}, "peak": {e.Peak, 560}} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
	// 505 is not below 501.76: the series never re-armed, so it came up once.
	if e.Ups != 1 {
		t.Errorf("came up %d times, want once", e.Ups)
	}
}

func TestExceed(t *testing.T) {
	for _, c := range []struct {
		name        string
		y           []float64
		steps       bool
		first       float64
		ups         int
		above, area float64
	}{
		{"never", []float64{1, 2, 10}, false, math.NaN(), 0, 0, 0},
		{"at the limit is not above", []float64{10, 10, 10}, false, math.NaN(), 0, 0, 0},
		{"above all the time", []float64{12, 12, 12}, false, 0, 1, 2, 4},
		{"one sample", []float64{11}, false, 0, 1, 0, 0},
		{"touches and goes on", []float64{10, 12}, false, 0, 1, 1, 1},
		{"re-arms below 9.8", []float64{12, 9, 12}, false, 0, 2, 2 * 2.0 / 3, 2 * 2.0 / 3},
		{"wavers", []float64{9, 11, 9.9, 11, 9.9, 11}, false, 0.5, 1, 0.5 + 4*(1/1.1), 0.5*0.5 + 4*(1/1.1)*0.5},
		{"steps hold", []float64{8, 12, 8}, true, 1, 1, 1, 2},
		{"a step at the end has no time", []float64{8, 8, 12}, true, 2, 1, 0, 0},
	} {
		x := make([]float64, len(c.y))
		for i := range x {
			x[i] = float64(i)
		}
		e := Exceed(x, c.y, 10, 9.8, c.steps)
		first := math.NaN()
		if f, ok := e.First(); ok {
			first = f.T
		}
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !near(first, c.first) || e.Ups != c.ups || !near(e.Above, c.above) || !near(e.Area, c.area) {
			t.Errorf("%s: first %v ups %d above %v area %v, want %v %d %v %v", c.name, first, e.Ups, e.Above, e.Area, c.first, c.ups, c.above, c.area)
		}
	}
	if e := Exceed(nil, nil, 1, 1, false); e.Ups != 0 || e.Crossings != nil {
		t.Errorf("nothing: %+v", e)
	}
}

// Time above by interpolation is what counting very fine steps gives; crossings alternate; scale does not matter.
func TestExceedProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 2 + r.IntN(20)
		x, y, y4 := make([]float64, n), make([]float64, n), make([]float64, n)
		at := 0.0
		for i := range n {
			at += r.Float64()
			x[i], y[i] = at, 100*r.Float64()
			y4[i] = 4 * y[i]
		}
		e, e4 := Exceed(x, y, 50, 49, false), Exceed(x, y4, 200, 196, false)
		if math.Abs(e.Above-e4.Above) > 1e-9 || math.Abs(4*e.Area-e4.Area) > 1e-7 || e.Ups != e4.Ups {
			t.Fatalf("scale matters: %+v %+v", e, e4)
		}
		above := 0.0
		const fine = 20000
		k := 1
		for i := range fine {
			at := x[0] + (x[n-1]-x[0])*(float64(i)+0.5)/fine
			for at > x[k] {
				k++
			}
			if y[k-1]+(y[k]-y[k-1])*(at-x[k-1])/(x[k]-x[k-1]) > 50 {
				above += (x[n-1] - x[0]) / fine
			}
		}
		if math.Abs(above-e.Above) > 0.01*(x[n-1]-x[0]) {
			t.Fatalf("above %v, counted %v", e.Above, above)
		}
		for i, c := range e.Crossings {
			if c.Up != (i%2 == 0) {
				t.Fatalf("crossings do not alternate: %+v", e.Crossings)
			}
		}
	}
}
