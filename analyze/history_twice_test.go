package analyze

import (
	"slices"
	"testing"
)

// TestTwice: builds with the same files are told, whatever the order of these; those whose files are not known are not.
func TestTwice(t *testing.T) {
	build := func(name string, sums ...string) Build {
		b := Build{Name: name}
		for _, s := range sums {
			b.Inputs = append(b.Inputs, Input{SHA256: s})
		}
		return b
	}
	h := histories{r: &Result{}, builds: []Build{build("a", "1", "2"), build("b", "1"), build("c", "2", "1"), build("b", "1"), build("d"), build("e"), build("f", ""), build("g", "")}}
	h.twice()
	want := []string{"The builds a and c hold the same files: each counts as a build of its own.", "Build b was given more than once: each time counts as a build of its own."}
	if !slices.Equal(h.r.Warnings, want) {
		t.Errorf("%q", h.r.Warnings)
	}
}
