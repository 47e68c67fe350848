package stat

import "container/heap"

// Step is the best fit of two levels to a series.
type Step struct {
	Index         int     // first sample of the second level
	Before, After float64 // medians of the two parts
	Cost          float64 // sum of absolute distances from them
}

// StepFit finds the split of y into two parts, each of at least one sample, with the least sum of absolute distances
// from the medians of the parts, in O(n log n). Of equal splits the first is taken. Fewer than two values give a
// Step of index 0 and no height.
func StepFit(y []float64) Step {
	n := len(y)
	if n < 2 {
		m := Median(y)
		return Step{Before: m, After: m}
	}
	left := costs(y)
	r := make([]float64, n)
	for i, v := range y {
		r[n-1-i] = v
	}
	right := costs(r)
	best := 1
	for k := 2; k < n; k++ {
		if left[k]+right[n-k] < left[best]+right[n-best] {
			best = k
		}
	}
	return Step{best, Median(y[:best]), Median(y[best:]), left[best] + right[n-best]}
}

// costs gives the sum of absolute distances from the median for each prefix: the upper half of the values less the
// lower half. Two heaps keep the halves apart.
func costs(y []float64) []float64 {
	var low, high half
	var sumLow, sumHigh float64
	out := make([]float64, len(y)+1)
	for i, v := range y {
		if len(low) == 0 || v <= -low[0] {
			heap.Push(&low, -v)
			sumLow += v
		} else {
			heap.Push(&high, v)
			sumHigh += v
		}
		for len(low) > len(high)+1 {
			x := -heap.Pop(&low).(float64)
			heap.Push(&high, x)
			sumLow, sumHigh = sumLow-x, sumHigh+x
		}
		for len(high) > len(low) {
			x := heap.Pop(&high).(float64)
			heap.Push(&low, -x)
			sumLow, sumHigh = sumLow+x, sumHigh-x
		}
		out[i+1] = sumHigh - sumLow
		if len(low) > len(high) {
			out[i+1] -= low[0] // low[0] is minus the median: the odd one out lies on it
		}
	}
	return out
}

// half is a heap with the least value on top.
type half []float64

func (h half) Len() int           { return len(h) }
func (h half) Less(i, j int) bool { return h[i] < h[j] }
func (h half) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *half) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *half) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
