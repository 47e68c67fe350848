package analyze

import "github.com/memtide/memtide/analyze/stat"

// maxColumns is how many columns a timeline has at most: about one a pixel of a chart.
const maxColumns = 400

// timeline reduces a track to what a chart can show. Each column keeps the least, middle and greatest value of
// its span of time, so that no peak is lost.
func (k *track) timeline() Timeline {
	l := Timeline{Side: k.side, Run: k.run, Subject: k.subject, Part: k.part, Limit: k.drawn()}
	n := len(k.y)
	span := k.t[n-1] - k.t[0]
	for i := 0; i < n; {
		j := i + 1
		if n > maxColumns && span > 0 {
			column := k.column(i, span)
			for j < n && k.column(j, span) == column {
				j++
			}
		}
		l.add(k.t[i:j], k.y[i:j])
		i = j
	}
	return l
}

func (k *track) column(i int, span float64) int {
	return min(int((k.t[i]-k.t[0])/span*maxColumns), maxColumns-1)
}

func (l *Timeline) add(t, y []float64) {
	least, greatest := y[0], y[0]
	for _, v := range y {
		least, greatest = min(least, v), max(greatest, v)
	}
	mid := y[0]
	if len(y) > 1 {
		mid = stat.Median(y)
	}
	l.TimeS = append(l.TimeS, t[len(t)/2])
	l.Min, l.Mid, l.Max = append(l.Min, least), append(l.Mid, mid), append(l.Max, greatest)
}
