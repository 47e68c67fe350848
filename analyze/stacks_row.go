package analyze

import "fmt"

func bytesOf(l *StackLevel) *int64   { return l.Bytes }
func objectsOf(l *StackLevel) *int64 { return l.Objects }

// compare fills in what follows from the two sides.
func (d *StackDelta) compare() {
	if d.Before == nil || d.After == nil {
		return
	}
	d.Delta = &StackLevel{less(d.After.Bytes, d.Before.Bytes), less(d.After.Objects, d.Before.Objects)}
	b, a := d.Before.Bytes, d.After.Bytes
	if d.Delta.Bytes == nil {
		b, a = d.Before.Objects, d.After.Objects
	}
	d.Ratio, d.State = ratio(b, a), came(b, a)
}

func less(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	v := *a - *b
	return &v
}

// ratio is a by b, where b is more than nothing.
func ratio(b, a *int64) *float64 {
	if b == nil || a == nil || *b <= 0 {
		return nil
	}
	v := float64(*a) / float64(*b)
	return &v
}

// came says what is new and what was removed.
func came(b, a *int64) Change {
	switch {
	case b == nil || a == nil:
	case *b == 0 && *a > 0:
		return New
	case *b > 0 && *a == 0:
		return Removed
	}
	return ""
}

// size is the greater side; of figures below 0, which sampling can give, the one further from it.
func (d *StackDelta) size(of func(*StackLevel) *int64) (size int64) {
	for _, l := range []*StackLevel{d.Before, d.After} {
		if l != nil {
			if v := of(l); v != nil {
				size = max(size, *v, -*v)
			}
		}
	}
	return size
}

func (d *StackDelta) change(of func(*StackLevel) *int64) int64 {
	if d.Delta == nil || of(d.Delta) == nil {
		return 0
	}
	return max(*of(d.Delta), -*of(d.Delta))
}

// gather adds a row to a rest. Its change is that of the chains that both sides could have shown.
func (d *StackDelta) gather(e *StackDelta) {
	d.Rest += max(e.Rest, 1)
	for _, x := range []struct {
		to   **StackLevel
		from *StackLevel
	}{{&d.Before, e.Before}, {&d.After, e.After}, {&d.Delta, e.Delta}} {
		if x.from == nil {
			continue
		}
		if *x.to == nil {
			*x.to = &StackLevel{}
		}
		(*x.to).Bytes, (*x.to).Objects = added((*x.to).Bytes, x.from.Bytes), added((*x.to).Objects, x.from.Objects)
	}
	if d.Before != nil && d.After != nil {
		d.Ratio = ratio(d.Before.Bytes, d.After.Bytes)
	}
}

// added adds what is known.
func added(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	v := *a + *b
	return &v
}

// checkStacks holds that the rows of stacks say what memtide says.
func (r *Result) checkStacks() error {
	for i := range r.Stacks {
		d := &r.Stacks[i]
		if d.Rest < 0 {
			return fmt.Errorf("stack %d: a rest of %d chains", i, d.Rest)
		}
		if err := known("state", d.State, []Change{"", New, Removed}); err != nil {
			return fmt.Errorf("stack %d: %w", i, err)
		}
	}
	return nil
}
