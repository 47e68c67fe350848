package pprof

import (
	"math"

	"github.com/memtide/memtide/ingest/table"
)

// scale turns the samples of one stack into an estimate of all its allocations. A Poisson sampler with a mean of period
// bytes sees an allocation of s bytes with the probability 1 - exp(-s/period) (gperftools, src/sampler.h; jemalloc, jeprof
// AdjustSamples), and s is taken as the mean of the stack. Both are unknown beyond 63 bits.
func scale(count, bytes, period int64) (c, b table.Int) {
	if period <= 1 || count == 0 {
		return table.Known(count), table.Known(bytes)
	}
	if bytes == 0 {
		return table.Known(0), table.Known(0)
	}
	r := float64(bytes) / float64(count) / float64(period)
	factor := 1 / -math.Expm1(-r)
	return rounded(float64(count) * factor), rounded(float64(bytes) * factor)
}

// rounded is unknown beyond 63 bits, and where it is no number: a stack of negative bytes and positive count has none.
func rounded(v float64) table.Int {
	if !(math.Abs(v) < 1<<63) {
		return table.Int{}
	}
	return table.Known(int64(math.Round(v)))
}
