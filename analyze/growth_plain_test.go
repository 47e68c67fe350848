package analyze

import (
	"math"
	"testing"

	"github.com/memtide/memtide/analyze/stat"
)

// plainChain is the chain of gates that JudgeGrowth grew out of, kept to measure against: warm-up cut, bins, troughs of a
// zig-zag, Hamed-Rao, an effect floor as a share of the median, late half, two-level fit.
func plainChain(in GrowthInput, share float64) bool {
	t, y := in.T, in.Y
	w := len(y) / 10
	t, y = t[w:], y[w:]
	floor := share * stat.Median(y)
	if len(y) > 120 {
		p := points{t, t, y}.reduce(100)
		t, y = p.t, p.y
	}
	b := stat.TheilSen(t, y, 0, 0.95).Slope
	d := make([]float64, len(y))
	for i := range d {
		d[i] = y[i] - b*(t[i]-t[0])
	}
	amp := max(floor, 6*stat.NoiseSD(y), 0.5*(stat.Quantile(d, 0.95)-stat.Quantile(d, 0.05)))
	if tr := stat.Troughs(y, amp); len(tr) >= 5 {
		p := points{t, t, y}.at(tr)
		t, y = p.t, p.y
	}
	mk := stat.HamedRao(t, y, stat.TheilSen(t, y, 0, 0.95).Slope)
	l := stat.TheilSen(t, y, mk.Var, 0.95)
	if mk.PUp > 0.01 || l.Lo <= 0 || l.Slope*(t[len(t)-1]-t[0]) <= floor {
		return false
	}
	h, cost := len(y)/2, 0.0
	for i := range y {
		cost += math.Abs(y[i] - l.Intercept - l.Slope*t[i])
	}
	return stat.TheilSen(t[h:], y[h:], 0, 0.95).Slope >= 0.5*l.Slope && stat.StepFit(y).Cost >= 0.6*cost
}

// TestGrowthPlainChain says what the chain it grew out of makes of the same series; it asks for nothing but that the
// comparison can be made.
func TestGrowthPlainChain(t *testing.T) {
	each, seed := number("MEMTIDE_STATISTICS", 2), uint64(number("MEMTIDE_SEED", 1))
	for _, share := range []float64{0.02, 0.003} {
		var rates [3][2]score
		for list, shapes := range [][]shape{leakShapes, steadyShapes, unseenShapes} {
			for _, s := range shapes {
				for k := range each {
					sc := &rates[list][0]
					if !s.leak {
						sc = &rates[list][1]
					}
					sc.n++
					if plainChain(s.series(seed, k), share) {
						sc.leak++
					}
				}
			}
		}
		t.Logf("floor %.1f %%: found %.1f %%, false alarms %.2f %%; of the unseen shapes %.1f %% and %.2f %%",
			100*share, rates[0][0].rate(), rates[1][1].rate(), rates[2][0].rate(), rates[2][1].rate())
	}
}
