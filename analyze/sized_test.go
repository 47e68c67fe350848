package analyze

import "testing"

func TestSizesAreNoPowersOfTen(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{{1000, 3, "1000 B"}, {1023 << 10, 3, "1023 KiB"}, {-1000 << 10, 3, "-1000 KiB"}, {999.6 * 1024, 3, "1000 KiB"}, {105e6, 3, "100 MiB"}, {105e6, 4, "100.1 MiB"}, {1 << 30, 3, "1 GiB"}} {
		if got := sized(c.v, c.digits); got != c.want {
			t.Errorf("%g is %q, want %q", c.v, got, c.want)
		}
	}
}
