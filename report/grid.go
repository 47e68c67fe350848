package report

import (
	"math"
	"slices"
	"sort"

	"github.com/memtide/memtide/analyze"
)

// overRuns makes one line of the runs of a side: on a common grid of times the median of the runs' middles, with the
// least and greatest value of any run around it. Times where fewer than half of the runs are known are left out.
func overRuns(runs [][]analyze.Timeline, columns int) []Point {
	if len(runs) == 1 {
		return joined(runs[0], columns)
	}
	start, end, most := 0.0, 0.0, 2
	for _, parts := range runs {
		n := 0
		for _, p := range parts {
			n += len(p.TimeS)
			if usable(p) > 0 {
				start = math.Min(start, p.TimeS[0])
			}
			if len(p.TimeS) > 0 {
				end = math.Max(end, p.TimeS[len(p.TimeS)-1])
			}
		}
		most = max(most, n)
	}
	n := min(most, columns)
	var points []Point
	gap := false
	for i := range n {
		width := (end - start) / float64(n-1)
		p, ok := across(runs, start+float64(i)*width, width)
		if !ok {
			gap = len(points) > 0
			continue
		}
		p.Gap, gap = gap, false
		points = append(points, p)
	}
	return points
}

// across is the point of all runs at one time.
func across(runs [][]analyze.Timeline, t, width float64) (Point, bool) {
	out := Point{T: t, Min: math.Inf(1), Max: math.Inf(-1)}
	var mids []float64
	for _, parts := range runs {
		p, ok := at(parts, t, width)
		if !ok {
			continue
		}
		mids = append(mids, p.Mid)
		out.Min, out.Max = math.Min(out.Min, p.Min), math.Max(out.Max, p.Max)
	}
	if len(mids)*2 < len(runs) || len(mids) == 0 {
		return out, false
	}
	out.Mid = median(mids)
	return out, true
}

// at is a run at one time: between two of its columns, with the extremes of those within half a grid step.
func at(parts []analyze.Timeline, t, width float64) (Point, bool) {
	for _, p := range parts {
		n := usable(p)
		if n == 0 || t < p.TimeS[0]-width/2 || t > p.TimeS[n-1]+width/2 {
			continue
		}
		i := min(sort.SearchFloat64s(p.TimeS[:n], t), n-1)
		out := Point{T: t, Min: p.Min[i], Mid: p.Mid[i], Max: p.Max[i]}
		if i > 0 && p.TimeS[i] > t {
			f := (t - p.TimeS[i-1]) / (p.TimeS[i] - p.TimeS[i-1])
			out.Min, out.Mid, out.Max = mix(p.Min, i, f), mix(p.Mid, i, f), mix(p.Max, i, f)
		}
		for j := sort.SearchFloat64s(p.TimeS[:n], t-width/2); j < n && p.TimeS[j] < t+width/2; j++ {
			out.Min, out.Max = math.Min(out.Min, p.Min[j]), math.Max(out.Max, p.Max[j])
		}
		return out, true
	}
	return Point{}, false
}

func mix(values []float64, i int, f float64) float64 {
	return values[i-1] + f*(values[i]-values[i-1])
}

// joined is one run as it is, restarts as gaps; only if it has more columns than fit, neighbours are merged.
func joined(parts []analyze.Timeline, columns int) []Point {
	var points []Point
	for _, p := range parts {
		for i := range usable(p) {
			points = append(points, Point{p.TimeS[i], p.Min[i], p.Mid[i], p.Max[i], i == 0 && len(points) > 0})
		}
	}
	return merged(points, columns)
}

// merged reduces points to at most n, keeping every extreme and every gap.
func merged(points []Point, n int) []Point {
	if len(points) <= n || n < 1 {
		return points
	}
	size := (len(points) + n - 1) / n
	var out []Point
	for chunk := range slices.Chunk(points, size) {
		p := chunk[len(chunk)/2]
		mids := make([]float64, len(chunk))
		for i, c := range chunk {
			p.Min, p.Max, p.Gap = math.Min(p.Min, c.Min), math.Max(p.Max, c.Max), p.Gap || c.Gap
			mids[i] = c.Mid
		}
		p.Mid = median(mids)
		out = append(out, p)
	}
	return out
}

// usable is how many columns of a timeline are whole: a damaged result may have lists of different lengths, or
// values that are no numbers; the line ends there.
func usable(t analyze.Timeline) int {
	n := min(len(t.TimeS), len(t.Min), len(t.Mid), len(t.Max))
	for i := range n {
		sum := t.TimeS[i] + t.Min[i] + t.Mid[i] + t.Max[i]
		if math.IsNaN(sum) || math.IsInf(sum, 0) || i > 0 && t.TimeS[i] < t.TimeS[i-1] {
			return i
		}
	}
	return n
}

func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	if len(v)%2 == 1 {
		return v[len(v)/2]
	}
	return (v[len(v)/2-1] + v[len(v)/2]) / 2
}
