package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is a fit of y = base + factor·x^exponent.
type Power struct {
	Base, Factor, Exponent float64
	Lo, Hi                 float64 // of the exponent; an infinity where the data do not bound it
	Explained              float64 // share of the variance that the curve explains
	N                      int
}

// greatestExponent bounds the exponents that are tried; least is its negative.
const greatestExponent = 5.0

// LogPower fits y = factor·x^exponent by least squares of the logarithms, with the t interval of the slope at the given
// confidence. Points with x or y not above 0 are left out; NaN exponent with fewer than three of them.
func LogPower(x, y []float64, level float64) Power {
	var u, v []float64
	for i := range x {
		if x[i] > 0 && y[i] > 0 {
			u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
		}
	}
	n := len(u)
	p := Power{Exponent: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), N: n}
	slope, intercept, rss, sxx, syy := leastSquares(u, v)
	if n < 3 || sxx == 0 {
		return p
	}
	p.Factor, p.Exponent, p.Explained = math.Exp(intercept), slope, explained(rss, syy)
	half := studentQuantile(level, n-2) * math.Sqrt(rss/float64(n-2)/sxx)
	p.Lo, p.Hi = slope-half, slope+half
	return p
}

// BasePower fits y = base + factor·x^exponent by least squares. For each exponent base and factor are those of a line; the
// interval of the exponent holds those whose squares stay within the F quantile with 1 and n-3 degrees of freedom of the
// least (Bates and Watts 1988, profile likelihood). NaN exponent with fewer than four different x.
func BasePower(x, y []float64, level float64) Power {
	n := len(x)
	p := Power{Exponent: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), N: n}
	if n < 4 || distinct(x) < 4 {
		return p
	}
	best, at := math.Inf(1), 0.0
	const step = 0.01
	for k := step; k <= greatestExponent; k += step {
		if r := powerSquares(x, y, k); r < best {
			best, at = r, k
		}
	}
	at = golden(at-step, at+step, func(k float64) float64 { return powerSquares(x, y, k) })
	factor, base, rss, _, syy := leastSquares(raised(x, at), y)
	p.Base, p.Factor, p.Exponent, p.Explained = base, factor, at, explained(rss, syy)
	f := studentQuantile(level, n-3)
	limit := rss*(1+f*f/float64(n-3)) + 1e-12*syy
	p.Lo, p.Hi = edge(x, y, at, -step, limit), edge(x, y, at, step, limit)
	return p
}

func distinct(x []float64) int {
	seen := map[float64]bool{}
	for _, v := range x {
		seen[v] = true
	}
	return len(seen)
}

// edge walks from the best exponent until the squares leave the limit, and gives the first exponent where they have.
func edge(x, y []float64, k, step, limit float64) float64 {
	for {
		next := k + step
		if next <= 0 || next > greatestExponent {
			return math.Copysign(math.Inf(1), step)
		}
		if powerSquares(x, y, next) > limit {
			return next
		}
		k = next
	}
}

func powerSquares(x, y []float64, k float64) float64 {
	_, _, rss, _, _ := leastSquares(raised(x, k), y)
	return rss
}

func raised(x []float64, k float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Pow(v, k)
	}
	return out
}

// leastSquares fits v = intercept + slope·u, with the squares left over and those of u and v round their means.
func leastSquares(u, v []float64) (slope, intercept, rss, suu, svv float64) {
	n := float64(len(u))
	var mu, mv, suv float64
	for i := range u {
		mu, mv = mu+u[i]/n, mv+v[i]/n
	}
	for i := range u {
		a, b := u[i]-mu, v[i]-mv
		suu, svv, suv = suu+a*a, svv+b*b, suv+a*b
	}
	if suu == 0 {
		return 0, mv, svv, 0, svv
	}
	slope = suv / suu
	return slope, mv - slope*mu, max(svv-slope*suv, 0), suu, svv
}

func explained(rss, syy float64) float64 {
	if syy == 0 {
		return 0
	}
	return 1 - rss/syy
}

// studentQuantile is the two-sided quantile of Student's t.
func studentQuantile(level float64, freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(1 - (1-level)/2)
}

// golden finds the least value of f between a and b by sections in the golden ratio.
func golden(a, b float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	c, d := b-ratio*(b-a), a+ratio*(b-a)
	fc, fd := f(c), f(d)
	for range 40 {
		if fc < fd {
			b, d, fd = d, c, fc
			c = b - ratio*(b-a)
			fc = f(c)
		} else {
			a, c, fc = c, d, fd
			d = a + ratio*(b-a)
			fd = f(d)
		}
	}
	return (a + b) / 2
}
