package callstack

// mostText bounds the text that Leaves keep.
const mostText = 16 << 20

// Leaves are the leaves of stacks by their text, so that only the first of equal ones is read. They forget, since a log may have a
// stack of its own for each event: what is read again gives the same leaf. The zero value is empty.
type Leaves struct {
	of   map[string]int64
	text int
}

// Find gives the leaf of a stack; false if it must be read.
func (l *Leaves) Find(text []byte) (leaf int64, ok bool) {
	leaf, ok = l.of[string(text)]
	return leaf, ok
}

// Keep notes the leaf of a stack that was read.
func (l *Leaves) Keep(text []byte, leaf int64) {
	if l.text += len(text); l.of == nil || l.text > mostText {
		l.of, l.text = map[string]int64{}, len(text)
	}
	l.of[string(text)] = leaf
}
