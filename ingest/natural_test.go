package ingest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

func TestNatural(t *testing.T) {
	for _, c := range [][2]string{
		{"smaps_2", "smaps_10"}, {"a", "b"}, {"a", "a1"}, {"1", "01"}, {"1a", "1b"}, {"01", "2"}, {"a9b10", "a10b1"}, {"a1b2", "a1b10"}, {"", "a"}, {"9", "a"},
		{"99999999999999999999", "100000000000000000000"}, {"2017-11-24-09-14-08", "2017-11-24-10-00-00"}, {"x/2/y", "x/10/a"},
	} {
		a, b := c[0], c[1]
		if c[0] == "1" { // equal as numbers: the order is that of bytes
			a, b = c[1], c[0]
		}
		if natural(a, b) >= 0 || natural(b, a) <= 0 || natural(a, a) != 0 {
			t.Errorf("%q is not before %q", a, b)
		}
	}
}

// TestNaturalIsAnOrder: whatever three names, the comparison does not contradict itself.
func TestNaturalIsAnOrder(t *testing.T) {
	var names []string
	parts := []string{"", "a", "1", "01", "10", "a1", "a01", "1a", "b2", "é", "-"}
	for _, x := range parts {
		for _, y := range parts {
			names = append(names, x+y)
		}
	}
	for _, a := range names {
		for _, b := range names {
			if cmp.Compare(natural(a, b), 0) != -cmp.Compare(natural(b, a), 0) || natural(a, b) == 0 && a != b {
				t.Fatalf("%q, %q", a, b)
			}
			for _, c := range names {
				if natural(a, b) < 0 && natural(b, c) < 0 && natural(a, c) >= 0 {
					t.Fatalf("%q < %q < %q", a, b, c)
				}
			}
		}
	}
}

func TestInOrder(t *testing.T) {
	for given, sorted := range map[string]string{
		"smaps_1 smaps_10 smaps_2":                "smaps_1 smaps_2 smaps_10",
		"start.txt middle.txt end.txt":            "start.txt middle.txt end.txt",
		"smaps_2 status_2 smaps_1 status_1 other": "smaps_1 smaps_2 status_1 status_2 other",
	} {
		var files []file
		for _, name := range strings.Fields(given) {
			files = append(files, file{name: name})
		}
		inOrder(files)
		var got []string
		for _, f := range files {
			got = append(got, f.name)
		}
		if !slices.Equal(got, strings.Fields(sorted)) {
			t.Errorf("%s: %v", given, got)
		}
	}
}
