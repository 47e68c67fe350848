package analyze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// TestRefused: 10 MiB that do not fit though 20 are free in pieces are fragmentation; what was known only nearly is not settled.
func TestRefused(t *testing.T) {
	const m = 1 << 20
	for _, c := range []struct {
		name                                           string
		asked, free, inactive, fitting, largest, slack int64
		suffix                                         string
		fragmentation                                  float64 // -1: not said
		message, advice                                string
	}{
		{"in pieces", 10, 1, 42, 20, 8, 0, "", 1, "Fragmentation is the cause: 20 MiB", "expandable_segments:True"},
		{"in pieces, expandable", 10, 1, 42, 20, 8, 0, ", expandable", 1, "Fragmentation is the cause", "Expandable segments are in use"},
		{"of other pools", 30, 1, 46, 24, 16, 0, "", 1, "only 24 MiB could serve", "empty_cache"},
		{"with the device's", 46, 2, 45, 24, 16, 0, "", 1, "part of the cause", "expandable_segments"},
		{"full", 64, 1, 46, 24, 16, 0, "", 0, "the device was full", "Less must be held"},
		{"a block would do", 8, 1, 46, 24, 16, 0, "", 0, "A block was large enough", "set_per_process_memory_fraction"},
		{"nearly known", 10, 0, 11, 11, 8, 2, "", -1, "known to within 2 MiB only", ""},
		{"a block would nearly do", 8, 1, 46, 24, 8, 1, "", -1, "known to within 1 MiB only", ""},
		{"nearly known and enough", 10, 0, 20, 20, 8, 2, "", 1, "Fragmentation is the cause", ""},
	} {
		detail := fmt.Sprintf("GPU 1, device_free %d, inactive %d, fitting %d, largest_free %d", c.free*m, c.inactive*m, c.fitting*m, c.largest*m)
		if c.slack > 0 {
			detail += fmt.Sprintf(", slack %d", c.slack*m)
		}
		f := Finding{Message: "a process: gpu-oom GPU 1.", Stats: map[string]float64{}}
		f.refused(detail+c.suffix, table.Known(c.asked*m))
		got, said := f.Stats["fragmentation"]
		if !said {
			got = -1
		}
		if got != c.fragmentation || !strings.Contains(f.Message, c.message) || !strings.Contains(f.Advice, c.advice) || f.Stats["device"] != 1 || f.Stats["largest_free"] != float64(c.largest*m) {
			t.Errorf("%s: %v %s\n%s\n%v", c.name, got, f.Message, f.Advice, f.Stats)
		}
	}
}

// TestRefusedUnknown: where nothing is known of the segments, nothing is said of them.
func TestRefusedUnknown(t *testing.T) {
	f := Finding{Message: "a process: gpu-oom GPU 1, device_free 5.", Advice: "as it was", Stats: map[string]float64{}}
	f.refused("GPU 1, device_free 5", table.Known(10))
	f.refused("cudaMalloc returned 2", table.Int{})
	if f.Message != "a process: gpu-oom GPU 1, device_free 5." || f.Advice != "as it was" || f.Stats["device_free"] != 5 || len(f.Stats) != 2 {
		t.Error(f.Message, f.Advice, f.Stats)
	}
}
