package table

import "testing"

// TestOrigin: which clock a file shares with others, and how far its times are from it.
func TestOrigin(t *testing.T) {
	start := []Fact{{"start", "2025-06-15T15:06:40Z"}}
	for _, c := range []struct {
		name  string
		file  File
		clock string
		add   int64
	}{
		{"wall", File{Stamp: Stamp{Wall: Known(1000), Boot: Known(5)}, StampNS: 10}, "wall", 990},
		{"boot", File{Stamp: Stamp{Boot: Known(500)}, StampNS: 10}, "boot", 490},
		{"a trace that counts from 1970", File{Stamp: Stamp{Trace: Known(1_750_000_000_000_000_000)}, StampNS: 0}, "wall", 1_750_000_000_000_000_000},
		{"a trace whose start is told", File{Stamp: Stamp{Trace: Known(7)}, StampNS: 2, Facts: start}, "wall", 1_750_000_000_000_000_005},
		{"a trace by itself", File{Stamp: Stamp{Trace: Known(7)}}, "", 0},
		{"order", File{Facts: start}, "", 0},
	} {
		if clock, add := c.file.Origin(); clock != c.clock || add != c.add {
			t.Errorf("%s: %q and %d, want %q and %d", c.name, clock, add, c.clock, c.add)
		}
	}
}
