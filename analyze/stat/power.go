package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// rankEfficiency is what a rank test keeps of the power of a t test on normal data (3/π).
const rankEfficiency = 0.955

// powerFactor is z(0.975) + z(0.80): two-sided 5 %, power 80 %.
var powerFactor = distuv.UnitNormal.Quantile(0.975) + distuv.UnitNormal.Quantile(0.80)

// MinimumDetectable is the smallest shift that n runs a side with standard deviation sd between runs would find in 80 %
// of cases at two-sided 5 %, in the unit of sd: (z.975+z.80)·sd·√(2/(0.955 n)). NaN for n < 1.
func MinimumDetectable(sd float64, n int) float64 {
	if n < 1 {
		return math.NaN()
	}
	return powerFactor * sd * math.Sqrt(2/(rankEfficiency*float64(n)))
}

// RunsNeeded is the number of runs a side for which MinimumDetectable falls to shift; 0 if shift is not positive.
func RunsNeeded(sd, shift float64) int {
	if !(shift > 0) {
		return 0
	}
	n := math.Ceil(2 / rankEfficiency * math.Pow(powerFactor*sd/shift, 2))
	return int(min(max(n, 1), 1e9))
}
