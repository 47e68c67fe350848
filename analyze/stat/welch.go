package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MeanShift compares the means of two samples: that of the second less that of the first.
type MeanShift struct {
	Shift  float64
	SE     float64 // standard error of Shift
	T, DF  float64 // Shift in standard errors, and its degrees of freedom
	P      float64 // two-sided
	Lo, Hi float64 // interval of Shift
}

// Welch tests whether the means of a and b differ, without taking their variances for equal (Welch 1947; variances are
// divided by n-1). It takes the values for independent. Fewer than two values on a side give NaN.
func Welch(a, b []float64, level float64) MeanShift {
	if len(a) < 2 || len(b) < 2 {
		nan := math.NaN()
		return MeanShift{nan, nan, nan, nan, nan, nan, nan}
	}
	va, vb := variance(a)/float64(len(a)), variance(b)/float64(len(b))
	df := 1.0
	if va+vb > 0 {
		df = (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	}
	return meanShift(mean(b)-mean(a), va+vb, df, level)
}

// Noise is what scatters about the levels of a series: of one value the standard deviation with its degrees of freedom,
// and the autocorrelation of neighbours.
type Noise struct{ SD, DF, Rho float64 }

// NoiseOf estimates the noise of a series that was cut into parts of one level each. What the means of the parts take
// from variance and autocorrelation is given back. Nothing but parts of one value has no degrees of freedom: SD is 0.
func NoiseOf(parts [][]float64) Noise {
	var rest []float64
	sum := 0.0
	for _, part := range parts {
		m := mean(part)
		for _, v := range part {
			rest = append(rest, v-m)
			sum += (v - m) * (v - m)
		}
	}
	levels := 0
	for _, part := range parts {
		if len(part) > 2 { // less has next to no say in the autocorrelation
			levels++
		}
	}
	out := Noise{Rho: lagOne(rest, levels)}
	free := 0.0
	for _, part := range parts {
		n := float64(len(part))
		free += n * (1 - meanFactor(len(part), out.Rho))
	}
	if free > 0 {
		out.SD = math.Sqrt(sum / free)
	}
	square := out.Rho * out.Rho // a variance is estimated from n(1-ρ²)/(1+ρ²) independent squares
	out.DF = max(float64(len(rest))*(1-square)/(1+square)-float64(len(parts)), 1)
	return out
}

// Shift compares the means of two samples whose noise is known from more than them, so that one value on a side is enough.
// Autocorrelation of neighbours widens the interval. An empty side gives NaN.
func (n Noise) Shift(a, b []float64, level float64) MeanShift {
	v := n.SD * n.SD * (meanFactor(len(a), n.Rho) + meanFactor(len(b), n.Rho))
	return meanShift(mean(b)-mean(a), v, n.DF, level)
}

func meanShift(shift, variance, df, level float64) MeanShift {
	out := MeanShift{Shift: shift, SE: math.Sqrt(variance), DF: df, Lo: shift, Hi: shift, P: 1}
	switch {
	case variance > 0:
		dist := distuv.StudentsT{Sigma: 1, Nu: df}
		out.T = shift / out.SE
		out.P = 2 * dist.CDF(-math.Abs(out.T))
		half := dist.Quantile(0.5+level/2) * out.SE
		out.Lo, out.Hi = shift-half, shift+half
	case shift != 0:
		out.T, out.P = math.Copysign(math.Inf(1), shift), 0
	}
	return out
}

func variance(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m) / float64(len(x)-1)
	}
	return sum
}

// meanFactor is the variance of the mean of n values of a process with autocorrelation rho^lag, over that of one of them.
func meanFactor(n int, rho float64) float64 {
	sum, power := 1.0, 1.0
	for lag := 1; lag < n && power > 1e-12; lag++ {
		power *= rho
		sum += 2 * (1 - float64(lag)/float64(n)) * power
	}
	return sum / float64(n)
}

// lagOne estimates the autocorrelation at lag 1 of residuals from which so many levels (means of parts) were taken, between
// 0 and 0.9. What taking a level costs, about (1+4ρ)/n each, is given back.
func lagOne(residuals []float64, levels int) float64 {
	n, k := float64(len(residuals)), float64(levels)
	if n < 3 {
		return 0
	}
	top, bottom := 0.0, 0.0
	for i, r := range residuals {
		bottom += r * r
		if i > 0 {
			top += r * residuals[i-1]
		}
	}
	if bottom == 0 {
		return 0
	}
	r := top / bottom
	return min(max(r+k*(1+4*r)/n, 0), 0.9)
}

// PerfherderWindow is how many values a side Perfherder's rule looks at.
const PerfherderWindow = 12

// Perfherder is the t of Mozilla's rule for alerts, in which values weigh less the further they are from the change: back
// and fore hold those before and after it, the nearest first, of which up to 12 count with the weights 12/12, 11/12 …
// relative is the change of the weighted means. Its usual limits are t > 7 and 2 %. Fewer than two values on a side give NaN.
func Perfherder(back, fore []float64) (t, relative float64) {
	if len(back) < 2 || len(fore) < 2 {
		return math.NaN(), math.NaN()
	}
	back, fore = back[:min(len(back), PerfherderWindow)], fore[:min(len(fore), PerfherderWindow)]
	mb, vb := weighted(back)
	mf, vf := weighted(fore)
	se := math.Sqrt(vb/float64(len(back)) + vf/float64(len(fore)))
	if shift := math.Abs(mf - mb); shift > 0 {
		t = shift / se
	}
	return t, mf/mb - 1
}

// weighted is the weighted mean, and the plain variance about it.
func weighted(x []float64) (mean, variance float64) {
	sum := 0.0
	for i, v := range x {
		w := float64(PerfherderWindow-i) / PerfherderWindow
		mean, sum = mean+w*v, sum+w
	}
	mean /= sum
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, variance
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}
