package profile

import (
	"io"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// deep has n samples, of which number i has i calls.
func deep(n int) *Profile {
	p := &Profile{}
	for i := 1; i <= n; i++ {
		s := Sample{Depth: i, Calls: func(yield func(*table.Call) bool) {
			for k := i; k > 0 && i-k < table.MaxStack && yield(&table.Call{Function: "f" + strings.Repeat("'", k)}); k-- {
			}
		}}
		s.Values[InuseSpace] = table.Known(1)
		p.Samples = append(p.Samples, s)
	}
	return p
}

// TestFit: the depth is the greatest at which the frames of all stacks fit, and never less than 1.
func TestFit(t *testing.T) {
	for _, c := range []struct{ samples, times, most, depth int }{
		{10, 1, 55, table.MaxStack}, {10, 1, 54, 9}, {10, 1, 52, 8}, {10, 1, 51, 7}, {10, 2, 55, 3}, {10, 1, 10, 1}, {10, 1, 3, 1},
		{0, 1, 10, table.MaxStack}, {600, 1, MostFrames, table.MaxStack},
	} {
		p := deep(c.samples)
		p.fit(c.times, c.most)
		if p.depth != c.depth {
			t.Errorf("%+v: have depth %d", c, p.depth)
		}
	}
}

// TestCut: what is cut says so, in the stack and in number; the calls that are kept are those nearest the allocation.
func TestCut(t *testing.T) {
	p := deep(5)
	p.fit(1, 11) // 1 + 2 + 3 + 3 + 3 would be 12
	var out []string
	for i := range p.Samples {
		n := 0
		for c := range p.calls(&p.Samples[i]) {
			if n++; c.Function == LeftOut {
				out = append(out, "cut")
			}
		}
		if n > 3 {
			t.Errorf("stack %d has %d frames", i, n)
		}
	}
	if n, depth := p.Cut(); n != 3 || depth != 2 || len(out) != 3 {
		t.Errorf("%d stacks cut to %d, %d of them say so", n, depth, len(out))
	}
}

// TestCutBeyondWalk: a chain that is longer than a walk of the tables is cut too, in each form.
func TestCutBeyondWalk(t *testing.T) {
	for _, f := range []func(*Profile, io.Writer) error{(*Profile).Pprof, (*Profile).Speedscope, func(p *Profile, w io.Writer) error { return p.Folded(w, InuseSpace) }} {
		var text strings.Builder
		p := deep(table.MaxStack + 3)
		if err := f(p, &text); err != nil {
			t.Fatal(err)
		}
		if n, depth := p.Cut(); n != 3 || depth != table.MaxStack {
			t.Errorf("%d stacks cut to %d", n, depth)
		}
	}
}
