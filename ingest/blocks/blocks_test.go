package blocks

import (
	"slices"
	"testing"
)

// TestList holds a list against a slice, over the ends of its blocks.
func TestList(t *testing.T) {
	var l List[int]
	var want []int
	for i := range 3*size + 7 {
		if at := l.Add(-i); at != i || l.Len() != i+1 {
			t.Fatalf("element %d is at %d of %d", i, at, l.Len())
		}
		want = append(want, -i)
	}
	for i := 0; i < l.Len(); i += 1000 {
		*l.At(i) *= 2
		want[i] *= 2
	}
	var got []int
	for i := range l.Len() {
		got = append(got, *l.At(i))
	}
	if !slices.Equal(got, want) {
		t.Error("a list has other elements than were put in")
	}
}

// TestTruncate: a list that was cut grows on from there.
func TestTruncate(t *testing.T) {
	for _, n := range []int{0, 1, size - 1, size, size + 1, 2 * size} {
		var l List[int]
		for i := range 2*size + 5 {
			l.Add(i)
		}
		l.Truncate(n)
		for i := range 2 * size {
			if at := l.Add(-i); at != n+i {
				t.Fatalf("cut to %d: element %d is at %d", n, i, at)
			}
		}
		for i := range l.Len() {
			want := i
			if i >= n {
				want = n - i
			}
			if got := *l.At(i); got != want {
				t.Fatalf("cut to %d: %d at %d, want %d", n, got, i, want)
			}
		}
	}
}

// TestListIsNotCopied: a long list takes little more from the machine than what it holds.
func TestListIsNotCopied(t *testing.T) {
	const n = 1 << 18
	r := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			var l List[int64]
			for i := range n {
				l.Add(int64(i))
			}
		}
	})
	if got := r.AllocedBytesPerOp(); got > 8*n*11/10 {
		t.Errorf("%d bytes for a list of %d", got, 8*n)
	}
}
