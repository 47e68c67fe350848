package table

import (
	"fmt"
	"testing"
)

func TestBetween(t *testing.T) {
	no := Int{}
	of := func(v ...Int) []Int { return v }
	for _, c := range []struct {
		got  []Int
		want string
	}{
		{of(Known(0), no, Known(20), Known(30)), "[0 10 20 30]"},
		{of(no, Known(10), Known(20)), "[0 10 20]"},
		{of(no, no, Known(10), Known(15)), "[0 5 10 15]"},
		{of(Known(10), Known(20), no, no), "[10 20 30 40]"},
		{of(Known(0), no, no, Known(9), Known(10)), "[0 3 6 9 10]"},
		{of(Known(7), no), "[7 0]"}, // nothing to go by
	} {
		if got := fmt.Sprint(between(c.got)); got != c.want {
			t.Errorf("%v: %s, want %s", c.got, got, c.want)
		}
	}
}
