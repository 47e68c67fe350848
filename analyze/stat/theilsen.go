package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Line is a straight line fitted by Theil and Sen, with the interval of its slope.
type Line struct {
	Slope     float64 // median of the slopes between all pairs of points at different t
	Lo, Hi    float64 // interval of the slope
	Intercept float64 // median of y - slope·t
	Pairs     int64   // pairs of points at different t; 0 when there is no line
}

// enumerated is the longest series whose pairwise slopes are all written down; longer ones are counted instead.
const enumerated = 1500

// TheilSen fits a line to points that stand in the order of t (Theil 1950, Sen 1968). variance is that of
// Mann-Kendall's S (with the correction of HamedRao when there is one) and level the confidence wanted, as 0.95: of the
// N sorted slopes the interval takes the ranks (N-C)/2, rounded down, and (N+C)/2+1, rounded up, with C = z·√variance.
// Up to 1,500 points all slopes are written down and selected from. Beyond that a slope of given rank is found by bisection on the count of
// slopes below a value, which is a count of inversions: O(n log n) each, and exact to 2⁻⁵² of the range of slopes.
// Without two different t the Line is zero.
func TheilSen(t, y []float64, variance, level float64) Line {
	var f selector
	if len(t) <= enumerated {
		f = allSlopes(t, y)
	} else {
		f = newCounter(t, y)
	}
	n := f.pairs()
	if n == 0 {
		return Line{Intercept: Median(y)}
	}
	c := distuv.UnitNormal.Quantile(0.5+level/2) * math.Sqrt(max(variance, 0))
	lo := min(max(int64(math.Floor((float64(n)-c)/2)), 1), n)
	hi := max(min(int64(math.Ceil((float64(n)+c)/2+1)), n), 1)
	l := Line{Pairs: n, Slope: f.rank((n + 1) / 2)}
	l.Lo, l.Hi = f.rank(lo), f.rank(hi)
	if n%2 == 0 {
		l.Slope = (l.Slope + f.rank(n/2+1)) / 2
	}
	d := make([]float64, len(y))
	for i := range d {
		d[i] = y[i] - l.Slope*t[i]
	}
	l.Intercept = Median(d)
	return l
}

// selector finds the slope of a rank, counted from 1.
type selector interface {
	pairs() int64
	rank(k int64) float64
}

// slopes are all of them; those that were selected stand in their places, so that the next one is sought between them.
type slopes struct {
	all  []float64
	done []int // places in order that hold what they would in a sorted list
}

func (s *slopes) pairs() int64 { return int64(len(s.all)) }

func (s *slopes) rank(k int64) float64 {
	at := int(k - 1)
	i, found := slices.BinarySearch(s.done, at)
	if found {
		return s.all[at]
	}
	from, to := 0, len(s.all)
	if i > 0 {
		from = s.done[i-1] + 1
	}
	if i < len(s.done) {
		to = s.done[i]
	}
	s.done = slices.Insert(s.done, i, at)
	switch at { // the neighbour of one that is known
	case from:
		least := from
		for j := from; j < to; j++ {
			if s.all[j] < s.all[least] {
				least = j
			}
		}
		s.all[from], s.all[least] = s.all[least], s.all[from]
		return s.all[from]
	case to - 1:
		most := from
		for j := from; j < to; j++ {
			if s.all[j] > s.all[most] {
				most = j
			}
		}
		s.all[to-1], s.all[most] = s.all[most], s.all[to-1]
		return s.all[to-1]
	}
	return nth(s.all[from:to], at-from)
}

func allSlopes(t, y []float64) *slopes {
	s := make([]float64, 0, len(t)*(len(t)-1)/2)
	for i := range t {
		for j := i + 1; j < len(t); j++ {
			if t[j] != t[i] {
				s = append(s, (y[j]-y[i])/(t[j]-t[i]))
			}
		}
	}
	return &slopes{all: s}
}

// counter counts slopes without writing them down. Points of equal t are kept in rising order of y, so that no pair of
// them is ever an inversion.
type counter struct {
	t, y, d, tmp []float64
	n            int64
	lo, hi       float64
}

func newCounter(t, y []float64) *counter {
	c := &counter{t: slices.Clone(t), y: slices.Clone(y), d: make([]float64, len(t)), tmp: make([]float64, len(t))}
	m := int64(len(t))
	c.n = m * (m - 1) / 2
	for i := 0; i < len(t); {
		j := i + 1
		for j < len(t) && t[j] == t[i] {
			j++
		}
		slices.Sort(c.y[i:j])
		c.n -= int64(j-i) * int64(j-i-1) / 2
		i = j
	}
	c.lo, c.hi = c.extremes()
	return c
}

// extremes of all pairwise slopes are slopes between neighbours in t (the mediant lies between its parts).
func (c *counter) extremes() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, k := 0, 0; i < len(c.t); i = k {
		for k = i + 1; k < len(c.t) && c.t[k] == c.t[i]; k++ {
		}
		if k == len(c.t) {
			break
		}
		m := k + 1
		for m < len(c.t) && c.t[m] == c.t[k] {
			m++
		}
		dt := c.t[k] - c.t[i]
		lo = min(lo, (c.y[k]-c.y[k-1])/dt)
		hi = max(hi, (c.y[m-1]-c.y[i])/dt)
	}
	return lo, hi
}

func (c *counter) pairs() int64 { return c.n }

// below counts the slopes less than b: pairs whose y - b·t falls.
func (c *counter) below(b float64) int64 {
	for i := range c.d {
		c.d[i] = c.y[i] - b*(c.t[i]-c.t[0])
	}
	return inversions(c.d, c.tmp)
}

func (c *counter) rank(k int64) float64 {
	lo, hi := c.lo, c.hi
	for range 60 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if c.below(mid) >= k {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo + (hi-lo)/2
}
