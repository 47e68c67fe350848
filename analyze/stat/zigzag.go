package stat

// Troughs are the indices of the minima of a zig-zag: a minimum counts once the series has fallen by at least
// reversal before it and risen by at least reversal after it. So the first and the last stretch give none.
func Troughs(y []float64, reversal float64) []int {
	var out []int
	if len(y) == 0 {
		return out
	}
	const unknown, up, down = 0, 1, -1
	dir, lo, hi := unknown, 0, 0
	for i, v := range y {
		if v > y[hi] {
			hi = i
		}
		if v < y[lo] {
			lo = i
		}
		switch {
		case dir != up && v-y[lo] >= reversal:
			if dir == down {
				out = append(out, lo)
			}
			dir, hi = up, i
		case dir != down && y[hi]-v >= reversal:
			dir, lo = down, i
		}
	}
	return out
}
