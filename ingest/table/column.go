package table

import "slices"

// vector is one column of a batch. Integers of both signs share ints; a nil valid means that no value is null.
type vector struct {
	ints  []int64
	syms  []Sym
	valid []byte // bit i&7 of byte i>>3, as Arrow has it
}

func (v *vector) int(x int64) { v.ints = append(v.ints, x) }
func (v *vector) sym(x Sym)   { v.syms = append(v.syms, x) }

// opt appends an integer that may be unknown.
func (v *vector) opt(x int64, ok bool) {
	i := len(v.ints)
	if ok {
		v.ints = append(v.ints, x)
		if v.valid != nil {
			v.mark(i, true)
		}
		return
	}
	v.ints = append(v.ints, 0)
	if v.valid == nil {
		v.allValid(i)
	}
	v.mark(i, false)
}

// allValid starts the bitmap: the first n values are known.
func (v *vector) allValid(n int) {
	v.valid = make([]byte, (n+7)>>3, (n+1024)>>3)
	for i := range v.valid {
		v.valid[i] = 0xff
	}
	if n&7 != 0 {
		v.valid[n>>3] = 1<<(n&7) - 1
	}
}

func (v *vector) mark(i int, ok bool) {
	for i>>3 >= len(v.valid) {
		v.valid = append(v.valid, 0)
	}
	if ok {
		v.valid[i>>3] |= 1 << (i & 7)
	} else {
		v.valid[i>>3] &^= 1 << (i & 7)
	}
}

// known says whether value i is not null; for strings the Sym itself tells.
func (v *vector) known(i int) bool {
	if v.syms != nil {
		return v.syms[i] != Null
	}
	return v.valid == nil || v.valid[i>>3]&(1<<(i&7)) != 0
}

func (v *vector) truncate(n int) {
	if v.ints != nil {
		v.ints = v.ints[:n]
	}
	if v.syms != nil {
		v.syms = v.syms[:n]
	}
	if v.valid != nil && len(v.valid) > (n+7)>>3 {
		v.valid = v.valid[:(n+7)>>3]
	}
}

// permute puts value order[i] at from+i; order holds the numbers of the values that stand there.
func (v *vector) permute(from int, order []int) {
	var old vector
	for _, i := range order {
		if v.syms != nil {
			old.sym(v.syms[i])
		} else {
			old.opt(v.ints[i], v.known(i))
		}
	}
	copy(v.syms[min(from, len(v.syms)):], old.syms)
	copy(v.ints[min(from, len(v.ints)):], old.ints)
	for i := 0; v.valid != nil && i < len(order); i++ {
		v.mark(from+i, old.known(i))
	}
}

// Batch is a run of rows of one table, column by column.
type Batch struct {
	n    int
	cols []vector
}

func newBatch(s *Schema) *Batch { return &Batch{cols: make([]vector, len(s.Columns))} }

// grow makes room for n more rows of a schema.
func (b *Batch) grow(s *Schema, n int) {
	for i := range b.cols {
		if s.Columns[i].Kind == String {
			b.cols[i].syms = slices.Grow(b.cols[i].syms, n)
		} else {
			b.cols[i].ints = slices.Grow(b.cols[i].ints, n)
		}
	}
}

// Len is the number of rows.
func (b *Batch) Len() int { return b.n }

func (b *Batch) truncate(n int) {
	b.n = n
	for i := range b.cols {
		b.cols[i].truncate(n)
	}
}

// gather appends the rows rows[i] of from to b.
func (b *Batch) gather(from *Batch, rows []int) {
	for c := range b.cols {
		src, dst := &from.cols[c], &b.cols[c]
		for _, r := range rows {
			if src.syms != nil {
				dst.sym(src.syms[r])
			} else {
				dst.opt(src.ints[r], src.known(r))
			}
		}
	}
	b.n += len(rows)
}
