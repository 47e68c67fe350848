// Package blocks is for where a capture has millions of something: a list that grows without being copied, so that no more than
// what it holds is taken from the machine, and an index without pointers.
package blocks

const (
	shift = 12
	size  = 1 << shift
)

// List is a list in blocks of a fixed size. Its zero value is empty.
type List[T any] struct {
	blocks [][]T
	n      int
}

// Len is the number of elements.
func (l *List[T]) Len() int { return l.n }

// At is the place of an element. The first block moves while it is filled: a place is good until the next Add.
func (l *List[T]) At(i int) *T { return &l.blocks[i>>shift][i&(size-1)] }

// Add appends an element and gives its index.
func (l *List[T]) Add(v T) int {
	if l.n&(size-1) == 0 {
		l.grow()
	}
	last := &l.blocks[l.n>>shift]
	*last = append(*last, v)
	l.n++
	return l.n - 1
}

// Truncate leaves the first n elements.
func (l *List[T]) Truncate(n int) {
	l.n, l.blocks = n, l.blocks[:(n+size-1)>>shift]
	if rest := n & (size - 1); rest > 0 {
		last := &l.blocks[n>>shift]
		*last = (*last)[:rest]
	}
}

// grow adds a block. The first is grown step by step, since most captures are small.
func (l *List[T]) grow() {
	if l.n == 0 {
		l.blocks = append(l.blocks[:0], nil)
		return
	}
	l.blocks = append(l.blocks, make([]T, 0, size))
}
