package analyze

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

type basis struct {
	name   string
	t, y   []float64
	window int // samples: floors below are sought over so many
}

type gates struct {
	basis
	start              float64
	mk                 stat.Trend
	line               stat.Line
	gain               float64 // slope × duration
	drift              float64 // t of block differences
	draw               float64 // drawdown / gain
	late               float64 // slope of the second half / slope
	early              float64 // slope of second half / slope of first half
	step               float64 // cost of two levels / cost of line
	sat                float64
	agree              float64
	record, tail, flat float64
	fail               string
}

// JudgeGrowth says whether one series grows.
func JudgeGrowth(in GrowthInput, c GrowthConfig) Judgement {
	t, y, dropped := cleanSeries(in)
	j := Judgement{Verdict: Undetermined, N: len(y), Dropped: dropped, Basis: "samples"}
	if len(y) < c.MinSamples || t[len(t)-1] == t[0] {
		j.Reason = fmt.Sprintf("%d samples: at least %d at different times are needed", len(y), c.MinSamples)
		return j
	}
	y = fillDips(y)
	n := len(y)
	sat := saturates(t, y, c)
	var best *gates
	var all []gates
	for _, s := range []float64{c.WarmUp, 0.25, 0.4, 0.55} {
		w := int(s * float64(n))
		if s > c.WarmUp && n-w < 16 {
			continue
		}
		for _, b := range bases(t[w:], y[w:], c) {
			g := c.gates(b, s, t, y, w, sat)
			all = append(all, g)
			if g.fail == "" && best == nil {
				best = &all[len(all)-1]
			}
		}
	}
	if best == nil {
		w := int(c.WarmUp * float64(n))
		g := all[0]
		if ok, slope, why := cycles(t[w:], y[w:], c); ok {
			g.name, g.line.Slope, g.fail = "cycle", slope, why
			best = &g
		} else if ok, why := doubling(t, y); ok {
			g.name, g.fail = "doubling", why
			best = &g
		}
	}
	g := all[0]
	if best != nil {
		g = *best
		j.Verdict, j.Confidence = Leak, "medium"
	} else {
		switch g.fail {
		case "late", "sat", "tail", "flat":
			j.Verdict = WarmUp
		case "step":
			j.Verdict = Step
		default:
			j.Verdict = Stable
		}
	}
	j.Basis = g.name
	dur := g.t[len(g.t)-1] - g.t[0]
	res := (g.line.Hi - g.line.Lo) / 2 * dur
	j.DurationS, j.SlopePerS, j.SlopeLo, j.SlopeHi, j.P = dur, &g.line.Slope, &g.line.Lo, &g.line.Hi, &g.mk.PUp
	j.Growth, j.Resolvable = &g.gain, &res
	if best != nil {
		j.Reason = best.fail
	}
	for _, g := range all {
		if best != nil && g.fail != "" && best.name[0] != 'c' {
			continue
		}
		j.Reason += fmt.Sprintf("[%s@%.2f m%d p%.3g drift%.1f draw%.2f late%.2f/%.2f step%.2f sat%.2f agree%.2f rec%.2f tail%.2f flat%.2f %s] ", g.name, g.start, len(g.y), g.mk.PUp, g.drift, g.draw, g.late, g.early, g.step, g.sat, g.agree, g.record, g.tail, g.flat, g.fail)
	}
	return j
}

func bases(t, y []float64, c GrowthConfig) []basis {
	n := len(y)
	out := []basis{samplesBasis(t, y, c)}
	if n > 4000 {
		t, y = bins(t, y, 1000)
		n = len(y)
	}
	for _, k := range []int{24, 12, 8, 6} {
		if n/k >= 4 {
			out = append(out, floorBasis(t, y, k))
		}
	}
	if tr := troughBasis(t, y, c); tr != nil {
		out = append(out, *tr)
	}
	return out
}

func samplesBasis(t, y []float64, c GrowthConfig) basis {
	if len(y) > 120 {
		t, y = bins(t, y, c.Bins)
	}
	return basis{"samples", t, y, 0}
}

// floorBasis takes the least sample of each of k blocks.
func floorBasis(t, y []float64, k int) basis {
	n := len(y)
	b := basis{name: fmt.Sprintf("floor%d", k), window: n / k}
	for i := range k {
		lo, hi := i*n/k, (i+1)*n/k
		m := lo
		for p := lo; p < hi; p++ {
			if y[p] < y[m] {
				m = p
			}
		}
		b.t, b.y = append(b.t, t[m]), append(b.y, y[m])
	}
	return b
}

func troughBasis(t, y []float64, c GrowthConfig) *basis {
	ct, cy := samplesBasisT(t, y, c)
	b0 := stat.TheilSen(ct, cy, 0, c.Level).Slope
	d := make([]float64, len(cy))
	for i := range d {
		d[i] = cy[i] - b0*(ct[i]-ct[0])
	}
	amp := max(6*stat.NoiseSD(y), 0.5*(stat.Quantile(d, 0.95)-stat.Quantile(d, 0.05)))
	if amp <= 0 {
		return nil
	}
	tr := stat.Troughs(y, amp)
	if len(tr) < 5 {
		return nil
	}
	return &basis{"trough", pick(t, tr), pick(y, tr), 3 * (tr[len(tr)-1] - tr[0]) / (2 * (len(tr) - 1))}
}

func samplesBasisT(t, y []float64, c GrowthConfig) ([]float64, []float64) {
	b := samplesBasis(t, y, c)
	return b.t, b.y
}

func (c GrowthConfig) gates(b basis, start float64, t, y []float64, w int, sat float64) gates {
	g := gates{basis: b, start: start}
	slope := stat.TheilSen(b.t, b.y, 0, c.Level).Slope
	g.mk = stat.HamedRao(b.t, b.y, slope)
	g.line = stat.TheilSen(b.t, b.y, g.mk.Var, c.Level)
	alpha := c.Alpha
	if strings.HasPrefix(b.name, "floor") {
		alpha /= th("afloor", 5)
	}
	if start > c.WarmUp {
		alpha = th("awin", 0.001)
		if len(b.y) <= 6 {
			alpha = 0.0014
		}
	}
	m := len(b.y)
	g.gain = g.line.Slope * (b.t[m-1] - b.t[0])
	if g.gain <= 0 || g.mk.PUp > alpha || g.line.Lo <= 0 {
		g.fail = "p"
		return g
	}
	g.drift = drift(b.y)
	g.draw = (drawdown(b.y) - th("dn", 4)*stat.NoiseSD(b.y)) / g.gain
	h := m / 2
	late := stat.TheilSen(b.t[h:], b.y[h:], 0, c.Level).Slope
	first := stat.TheilSen(b.t[:h+1], b.y[:h+1], 0, c.Level).Slope
	g.late, g.early = late/g.line.Slope, late/first
	se := stat.NoiseSD(b.y) * math.Sqrt(12/float64(m-h)) / max(b.t[m-1]-b.t[h], 1e-9) / g.line.Slope
	g.late += th("lateSE", 0) * se
	cost := 0.0
	for i := range b.y {
		cost += math.Abs(b.y[i] - g.line.Intercept - g.line.Slope*b.t[i])
	}
	g.step = stat.StepFit(b.y).Cost / max(cost, 1e-9)
	g.agree = agree(t[w:], y[w:], g.line.Slope)
	g.record = record(y, w, g.gain)
	g.tail = tail(b, t, g.line.Slope)
	env := y
	g.sat = sat
	if w := b.window; w > 0 {
		env = forwardMin(y, w)
		g.sat = saturates(t, env, c)
	}
	g.flat = flat(t, env, g.line.Slope)
	switch {
	case g.late < th("late", 0.5):
		g.fail = "late"
	case g.tail < th("tail", 0.35):
		g.fail = "tail"
	case g.flat > 0:
		g.fail = "flat"
	case g.sat > 0:
		g.fail = "sat"
	case g.step < th("step", 0.6):
		g.fail = "step"
	case g.drift < th("drift", 2.2):
		g.fail = "drift"
	case g.draw > th("draw", 0.4):
		g.fail = "draw"
	case g.agree < th("agree", -0.2):
		g.fail = "agree"
	case start > c.WarmUp && g.record < th("record", 0.3):
		g.fail = "record"
	}
	return g
}

// record is by how much of the gain the floor at the end exceeds the highest floor before the window.
func record(y []float64, w int, gain float64) float64 {
	if w == 0 {
		return 1
	}
	n := len(y)
	k := max(n/12, 1)
	end := slices.Min(y[n-k:])
	worst := math.Inf(-1)
	for i := 0; i+k <= w; i += max(k/2, 1) {
		worst = max(worst, slices.Min(y[i:i+k]))
	}
	if math.IsInf(worst, -1) {
		return 1
	}
	return (end - worst) / gain
}

// agree is the rise of the floors of coarse blocks over the last half against the one claimed.
func agree(t, y []float64, slope float64) float64 {
	least := math.Inf(1)
	for _, k := range []int{5, 8} {
		if len(y)/k < 3 {
			continue
		}
		b := floorBasis(t, y, k)
		h := k / 2
		s := stat.TheilSen(b.t[h:], b.y[h:], 0, 0.95).Slope
		least = min(least, s/slope)
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

func drawdown(y []float64) float64 {
	if len(y) >= 24 {
		z := make([]float64, len(y))
		for i := range y {
			z[i] = stat.Median(y[max(i-2, 0):min(i+3, len(y))])
		}
		y = z
	}
	top, dd := y[0], 0.0
	for _, v := range y {
		top = max(top, v)
		dd = max(dd, top-v)
	}
	return dd
}

// drift is the t statistic of the mean of the differences between the medians of 8 blocks. Their variance is that of
// Newey and West with one lag: noise around a line makes neighbouring differences cancel, a random walk does not.
func drift(y []float64) float64 {
	k := min(len(y), 8)
	b := make([]float64, k)
	for i := range b {
		b[i] = stat.Median(y[i*len(y)/k : (i+1)*len(y)/k])
	}
	mean, ss, s1, last := (b[k-1]-b[0])/float64(k-1), 0.0, 0.0, 0.0
	for i := 1; i < k; i++ {
		d := b[i] - b[i-1] - mean
		ss += d * d
		s1 += d * last
		last = d
	}
	sd := math.Sqrt(max(ss+s1, th("nw", 0.3)*ss) / float64(k-2))
	if sd == 0 {
		return 99
	}
	return mean / sd * math.Sqrt(float64(k-1))
}

// forwardMin is the least value from each sample to w samples later, as far as there are any.
func forwardMin(y []float64, w int) []float64 {
	out := make([]float64, len(y))
	var q []int
	for i := len(y) - 1; i >= 0; i-- {
		for len(q) > 0 && y[q[len(q)-1]] >= y[i] {
			q = q[:len(q)-1]
		}
		q = append(q, i)
		if q[0] > i+w {
			q = q[1:]
		}
		out[i] = y[q[0]]
	}
	return out
}

// fillDips replaces single samples far below both neighbours, when they are rare.
func fillDips(y []float64) []float64 {
	lim := 12 * stat.NoiseSD(y)
	var idx []int
	for i := 1; i+1 < len(y); i++ {
		lo, hi := min(y[i-1], y[i+1]), max(y[i-1], y[i+1])
		if lo-y[i] > max(lim, 2*(hi-lo)) {
			idx = append(idx, i)
		}
	}
	if len(idx) == 0 || len(idx) > max(2, len(y)/50) {
		return y
	}
	out := slices.Clone(y)
	for _, i := range idx {
		out[i] = (y[i-1] + y[i+1]) / 2
	}
	return out
}

func cleanSeries(in GrowthInput) (t, y []float64, dropped int) {
	idx := make([]int, 0, len(in.Y))
	for i, v := range in.Y {
		if math.IsNaN(v) || v < 0 || v > 1e18 || math.IsNaN(in.T[i]) {
			dropped++
			continue
		}
		idx = append(idx, i)
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch {
		case in.T[a] < in.T[b]:
			return -1
		case in.T[a] > in.T[b]:
			return 1
		}
		return 0
	})
	return pick(in.T, idx), pick(in.Y, idx), dropped
}

func pick(x []float64, idx []int) []float64 {
	out := make([]float64, len(idx))
	for i, k := range idx {
		out[i] = x[k]
	}
	return out
}

func bins(t, y []float64, k int) ([]float64, []float64) {
	n := len(y)
	var bt, by []float64
	for i := range k {
		a, b := i*n/k, (i+1)*n/k
		if b > a {
			bt, by = append(bt, stat.Median(t[a:b])), append(by, stat.Median(y[a:b]))
		}
	}
	return bt, by
}

// tail is the least-squares slope of the last quarter of the whole time, or of more where noise hides it, over the claimed one.
func tail(b basis, t []float64, slope float64) float64 {
	m := len(b.y)
	from := t[len(t)-1] - 0.25*(t[len(t)-1]-t[0])
	i := m
	for i > 0 && b.t[i-1] >= from {
		i--
	}
	i = min(i, m-3)
	sd := stat.NoiseSD(b.y)
	for i > m/2 {
		l := b.t[m-1] - b.t[i]
		se := sd * math.Sqrt(12/float64(m-i)) / l
		if se < 0.25*slope {
			break
		}
		i--
	}
	return leastSquares(b.t[i:], b.y[i:]) / slope
}

func leastSquares(t, y []float64) float64 {
	var mt, my, xx, xy float64
	n := float64(len(t))
	for i := range t {
		mt += t[i] / n
		my += y[i] / n
	}
	for i := range t {
		xx += (t[i] - mt) * (t[i] - mt)
		xy += (t[i] - mt) * (y[i] - my)
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

// saturates is positive when a curve that levels off describes the series better than those that go on growing.
func saturates(t, y []float64, c GrowthConfig) float64 {
	b := samplesBasis(t, y, c)
	n := len(b.t)
	u, idx := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = (b.t[i] - b.t[0]) / (b.t[n-1] - b.t[0])
		idx[i] = float64(i) / float64(n-1)
	}
	return min(saturatesOn(u, b.y), saturatesOn(idx, b.y))
}

func saturatesOn(u, y []float64) float64 {
	one := make([]float64, len(u))
	for i := range one {
		one[i] = 1
	}
	sse := func(cols ...[]float64) (float64, []float64, []float64) { return fit(y, append(cols, one)...) }
	sat, growth := math.Inf(1), math.Inf(1)
	var res []float64
	e := make([]float64, len(u))
	try := func(s float64, r []float64) {
		if s < growth {
			growth, res = s, r
		}
	}
	bestTau := 0.0
	at := func(tau float64) {
		for i := range e {
			e[i] = 1 - math.Exp(-u[i]/tau)
		}
		if s, k, _ := sse(e); k[0] > 0 && s < sat {
			sat, bestTau = s, tau
		}
		if s, k, r := sse(e, u); k[1] > 0 {
			try(s, r)
		}
	}
	for _, tau := range []float64{0.02, 0.03, 0.045, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4} {
		at(tau)
	}
	for f := 1.2; f > 1.005; f = math.Sqrt(f) {
		mid := bestTau
		at(min(mid*f, 0.45))
		at(mid / f)
	}
	s, _, r := sse(u)
	try(s, r)
	for k := 0.1; k < 0.75; k += 0.05 {
		for i := range e {
			e[i] = max(0, u[i]-k)
		}
		s, _, r = sse(e)
		try(s, r)
		for i := range e {
			e[i] = 0
			if u[i] >= k {
				e[i] = 1
			}
		}
		if s, co, r := sse(e, u); co[1] > 0 {
			try(s, r)
		}
	}
	rho := min(max(stat.Autocorrelation(res)[1], 0), 0.9)
	eff := stat.EffectiveN(len(u), rho)
	line, _, _ := sse(u)
	if math.IsInf(sat, 1) || growth <= 0 {
		return -1
	}
	f := (sat/growth - 1) * eff
	if sat > line/(1+4/eff) || f > 12 {
		return -f
	}
	return 1
}

// fit solves the least squares of y on the columns and returns the sum of squares, the coefficients and the residuals.
func fit(y []float64, cols ...[]float64) (float64, []float64, []float64) {
	k := len(cols)
	a := make([][]float64, k)
	for i := range a {
		a[i] = make([]float64, k+1)
		for j := range cols {
			for p := range y {
				a[i][j] += cols[i][p] * cols[j][p]
			}
		}
		for p := range y {
			a[i][k] += cols[i][p] * y[p]
		}
	}
	for i := range a {
		p := i
		for r := i; r < k; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p] = a[p], a[i]
		if math.Abs(a[i][i]) < 1e-12 {
			continue
		}
		for r := range a {
			if r != i {
				f := a[r][i] / a[i][i]
				for q := i; q <= k; q++ {
					a[r][q] -= f * a[i][q]
				}
			}
		}
	}
	co := make([]float64, k)
	for i := range co {
		if math.Abs(a[i][i]) >= 1e-12 {
			co[i] = a[i][k] / a[i][i]
		}
	}
	res, s := make([]float64, len(y)), 0.0
	for p := range y {
		res[p] = y[p]
		for i := range cols {
			res[p] -= co[i] * cols[i][p]
		}
		s += res[p] * res[p]
	}
	return s, co, res
}

// flat is positive when the last part has clearly stopped rising: the upper limit of its slope is below 0.35 of the claimed one.
func flat(t, y []float64, slope float64) float64 {
	worst := math.Inf(-1)
	for _, share := range []float64{0.2, 0.25, 0.33} {
		from := t[len(t)-1] - share*(t[len(t)-1]-t[0])
		i, _ := slices.BinarySearch(t, from)
		if len(t)-i < 8 {
			continue
		}
		tt, yy := t[i:], y[i:]
		if len(tt) > 80 {
			tt, yy = bins(tt, yy, 40)
		}
		m := len(tt)
		b := leastSquares(tt, yy)
		var mt, my float64
		for k := range tt {
			mt += tt[k] / float64(m)
			my += yy[k] / float64(m)
		}
		r, ss, xx := make([]float64, m), 0.0, 0.0
		for k := range tt {
			r[k] = yy[k] - my - b*(tt[k]-mt)
			ss += r[k] * r[k]
			xx += (tt[k] - mt) * (tt[k] - mt)
		}
		rho := min(max(stat.Autocorrelation(r)[1], 0), 0.95)
		eff := max(stat.EffectiveN(m, rho), 3)
		se := math.Sqrt(ss / float64(m) * float64(m) / eff / xx)
		worst = max(worst, th("flat", 0.35)-(b+2*se)/slope)
	}
	return worst
}

var thMap = map[string]float64{}

func th(name string, v float64) float64 {
	if x, ok := thMap[name]; ok {
		return x
	}
	if e := os.Getenv("TH_" + name); e != "" {
		v, _ = strconv.ParseFloat(e, 64)
	}
	thMap[name] = v
	return v
}

// cycles finds growth under few, regular cycles.
func cycles(t, y []float64, c GrowthConfig) (bool, float64, string) {
	b := samplesBasis(t, y, c)
	m := len(b.y)
	if m < 24 {
		return false, 0, ""
	}
	u, one := make([]float64, m), make([]float64, m)
	for i := range u {
		u[i], one[i] = (b.t[i]-b.t[0])/(b.t[m-1]-b.t[0]), 1
	}
	cols := make([][]float64, 4)
	for i := range cols {
		cols[i] = make([]float64, m)
	}
	sst, _, _ := fit(b.y, one)
	s0, s1, slope, amp, per, rho := math.Inf(1), math.Inf(1), 0.0, 0.0, 0.0, 0.0
	for p := 0.9; p < 8; p *= 1.03 {
		for i := range u {
			w := 2 * math.Pi * p * u[i]
			cols[0][i], cols[1][i], cols[2][i], cols[3][i] = math.Sin(w), math.Cos(w), math.Sin(2*w), math.Cos(2*w)
		}
		s, _, _ := fit(b.y, one, cols[0], cols[1], cols[2], cols[3])
		s0 = min(s0, s)
		if p < 1.4 {
			continue
		}
		s, co, r := fit(b.y, one, cols[0], cols[1], cols[2], cols[3], u)
		if s < s1 {
			rho = stat.Autocorrelation(r)[1]
			s1, slope, per = s, co[5], p
			amp = 2 * (math.Hypot(co[1], co[2]) + math.Hypot(co[3], co[4]))
		}
	}
	ok := slope > th("cyA", 0.8)*amp && s1 < th("cyR", 0.1)*sst && s0 > th("cyF", 4)*s1 && rho < th("cyRho", 0.5)
	return ok, slope / (b.t[m-1] - b.t[0]), fmt.Sprintf("cycle periods %.2f growth/amp %.2f left %.3f null/alt %.1f rho %.2f", per, slope/amp, s1/sst, s0/s1, rho)
}

// doubling finds a table that doubles while its content grows.
func doubling(t, y []float64) (bool, string) {
	if len(y) > 400 {
		t, y = bins(t, y, 400)
	}
	at := jumps(y)
	n := len(at)
	if n < 3 {
		return false, ""
	}
	level := func(i int) float64 { // median after jump i; -1 is before the first
		lo, hi := 0, len(y)
		if i >= 0 {
			lo = at[i]
		}
		if i+1 < n {
			hi = at[i+1]
		}
		return stat.Median(y[lo:hi])
	}
	size := func(i int) float64 { return level(i) - level(i-1) }
	k := 0
	var ratios string
	for i := n - 1; i >= 2; i-- {
		sr := size(i) / size(i-1)
		gr := (t[at[i]] - t[at[i-1]]) / (t[at[i-1]] - t[at[i-2]])
		ratios += fmt.Sprintf("%.2f/%.2f ", sr, gr)
		if size(i-1) <= 0 || sr < 1.4 || sr > 2.8 || gr/sr > 1.5 || gr/sr < 0.66 {
			break
		}
		k++
	}
	rest := (t[len(t)-1] - t[at[n-1]]) / (t[at[n-1]] - t[at[n-2]])
	sr := size(n-1) / size(n-2)
	return k >= 2 && rest < 1.2*sr, fmt.Sprintf("doubling %d jumps of %d ratios %s rest %.2f", k, n, ratios, rest)
}

// jumps cuts the series into levels by binary segmentation.
func jumps(y []float64) []int {
	n := len(y)
	s1, s2 := make([]float64, n+1), make([]float64, n+1)
	for i, v := range y {
		v -= y[0]
		s1[i+1], s2[i+1] = s1[i]+v, s2[i]+v*v
	}
	sse := func(a, b int) float64 {
		m := s1[b] - s1[a]
		return max(s2[b]-s2[a]-m*m/float64(b-a), 0)
	}
	sd := max(stat.NoiseSD(y), 1e-3*(slices.Max(y)-slices.Min(y)))
	var out []int
	var cut func(a, b, depth int)
	cut = func(a, b, depth int) {
		best, k := 0.0, -1
		for i := a + 1; i < b; i++ {
			if g := sse(a, b) - sse(a, i) - sse(i, b); g > best {
				best, k = g, i
			}
		}
		if k < 0 || best < 40*sd*sd || depth > 8 {
			return
		}
		cut(a, k, depth+1)
		out = append(out, k)
		cut(k, b, depth+1)
	}
	cut(0, n, 0)
	return out
}
