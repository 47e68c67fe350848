package analyze

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRangesLikeAList: the tree finds what a walk over all ranges finds, at both ends of the address space too.
func TestRangesLikeAList(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var all []addressRange
		for i := range r.IntN(40) {
			lo := r.Uint64N(100)
			if r.IntN(2) == 0 {
				lo = math.MaxUint64 - lo
			}
			hi := lo + r.Uint64N(30)
			if hi < lo {
				hi = math.MaxUint64
			}
			all = append(all, addressRange{lo: lo, hi: hi, of: lifeRef{0, i}})
		}
		tree, lo := newRanges(append([]addressRange{}, all...)), r.Uint64N(110)
		if r.IntN(2) == 0 {
			lo = math.MaxUint64 - lo
		}
		hi := max(lo, lo+r.Uint64N(20))
		want := map[lifeRef]bool{}
		for _, a := range all {
			if a.lo <= hi && a.hi >= lo {
				want[a.of] = true
			}
		}
		got := tree.overlapping(lo, hi, nil)
		for _, a := range got {
			if !want[a.of] {
				t.Fatalf("%v is not in [%d, %d]", a, lo, hi)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d ranges, want %d", len(got), len(want))
		}
	}
	many := make([]addressRange, 10000)
	for i := range many {
		many[i] = addressRange{lo: 0, hi: math.MaxUint64, of: lifeRef{0, i}}
	}
	if n := len(newRanges(many).overlapping(5, 5, nil)); n != mostHits+1 {
		t.Errorf("%d of many", n)
	}
}

func TestDeviceNumber(t *testing.T) {
	for in, want := range map[string]string{"GPU 0": "0", "gpu1": "1", "cuda:2": "2", "3": "3", "GPU 0 NVIDIA A100": "0", "GPU-8f2a": "GPU-8f2a", "": ""} {
		if got := deviceNumber(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAddSizes(t *testing.T) {
	for in, want := range map[[2]int64]int64{{5, 3}: 8, {5, -1}: 5, {math.MaxInt64 - 2, 3}: math.MaxInt64, {0, math.MaxInt64}: math.MaxInt64} {
		if got := addSizes(in[0], in[1]); got != want {
			t.Errorf("%d: %d, want %d", in, got, want)
		}
	}
}
