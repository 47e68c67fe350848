package analyze

import "testing"

func TestHoles(t *testing.T) {
	every := func(n int, step float64) (t []float64) {
		for i := range n {
			t = append(t, float64(i)*step)
		}
		return t
	}
	after := func(t []float64, pause float64, more []float64) []float64 {
		for _, m := range more {
			t = append(t, t[0]+pause+m)
		}
		return t
	}
	for name, c := range map[string]struct {
		t    []float64
		want hole
		ok   bool
	}{
		"even":                  {t: every(100, 10)},
		"an hour away":          {after(every(60, 10), 590+3600, every(40, 10)), hole{590, 4190, 10}, true},
		"short in a long log":   {t: after(every(6000, 10), 59990+300, every(4000, 10))},
		"few samples":           {t: []float64{0, 1, 2, 3, 500, 501}},
		"a stop of three steps": {t: after(every(30, 10), 290+30, every(30, 10))},
		"nothing":               {},
	} {
		if h, ok := holeOf(c.t); ok != c.ok || ok && h != c.want {
			t.Errorf("%s: %v %v, want %v", name, h, ok, c.want)
		}
	}
}
