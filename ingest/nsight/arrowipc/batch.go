package arrowipc

import "fmt"

// batch is what the metadata of a record batch says: how many rows, and where in its body the parts of its columns stand.
type batch struct {
	rows    int64
	nodes   []node // of each column and part of one, in order
	buffers []span
	views   []int64 // of each column of views: buffers it has beside its two
	codec   int64   // -1 if it is not compressed, 0 LZ4 frames, 1 Zstandard
}

type node struct{ rows, nulls int64 }

// span is a stretch of the body, in bytes.
type span struct{ at, len int64 }

// place is where a column begins in the lists of a batch.
type place struct{ node, buffer int }

// batchOf reads the metadata of a batch and holds it against its message. Slots are those of RecordBatch in Message.fbs.
func batchOf(o object, m message) (*batch, error) {
	b := &batch{rows: o.num(0, 8, 0), codec: -1}
	at, n := o.list(1, 16)
	for i := range n {
		b.nodes = append(b.nodes, node{int64(o.uint(at+16*i, 8)), int64(o.uint(at+16*i+8, 8))})
	}
	at, n = o.list(2, 16)
	for i := range n {
		b.buffers = append(b.buffers, span{int64(o.uint(at+16*i, 8)), int64(o.uint(at+16*i+8, 8))})
	}
	if c, ok := o.child(3); ok {
		if b.codec = c.num(0, 1, 0); b.codec < 0 || b.codec > 1 || c.num(1, 1, 0) != 0 {
			return nil, fmt.Errorf("want buffers in LZ4 frames or Zstandard, have codec %d", b.codec)
		}
	}
	at, n = o.list(4, 8)
	for i := range n {
		b.views = append(b.views, int64(o.uint(at+8*i, 8)))
	}
	if o.bad {
		return nil, errMetadata
	}
	if b.rows < 0 || b.rows > m.worth() {
		return nil, fmt.Errorf("want rows that a batch of %d bytes is worth, have %d", m.metadata+m.size, b.rows)
	}
	return b, b.inside(m.size)
}

// inside holds the numbers of a batch against the length of its body.
func (b *batch) inside(body int64) error {
	for i, s := range b.buffers {
		if s.at < 0 || s.len < 0 || s.at > body || s.len > body-s.at {
			return fmt.Errorf("want buffer %d within a body of %d bytes, have %d bytes at %d", i, body, s.len, s.at)
		}
	}
	for i, n := range b.nodes {
		if n.rows < 0 || n.nulls < 0 || n.nulls > n.rows {
			return fmt.Errorf("want column %d to have rows and nulls among them, have %d and %d", i, n.rows, n.nulls)
		}
	}
	return nil
}

// places finds the columns of a schema in a batch. All that the batch lists must belong to one, and have room for its rows.
func (b *batch) places(fields []field) ([]place, error) {
	var at place
	var out []place
	views := b.views
	for i := range fields {
		f := &fields[i]
		out = append(out, at)
		if !b.skip(f, &at, &views) {
			return nil, fmt.Errorf("want %d columns, have a batch with parts of fewer", len(fields))
		}
		if n := b.nodes[out[i].node]; n.rows != b.rows {
			return nil, fmt.Errorf("want %d rows in column %q, have %d", b.rows, f.name, n.rows)
		}
		if err := b.room(f, out[i]); err != nil {
			return nil, err
		}
	}
	if at.node != len(b.nodes) || at.buffer != len(b.buffers) || len(views) > 0 {
		return nil, fmt.Errorf("want %d columns, have a batch with parts of more", len(fields))
	}
	return out, nil
}

// skip goes behind a column and its parts; false where the batch has not so many.
func (b *batch) skip(f *field, at *place, views *[]int64) bool {
	at.node++
	at.buffer += f.buffers
	if f.views {
		if len(*views) == 0 || (*views)[0] < 0 || (*views)[0] > int64(len(b.buffers)) {
			return false
		}
		at.buffer += int((*views)[0])
		*views = (*views)[1:]
	}
	if at.node > len(b.nodes) || at.buffer > len(b.buffers) {
		return false
	}
	for i := range f.children {
		if !b.skip(&f.children[i], at, views) {
			return false
		}
	}
	return true
}

// room holds the rows of a column against its buffers, so that no row is there that nothing stands for.
func (b *batch) room(f *field, at place) error {
	if f.kind == unread || f.kind == nulls || b.rows == 0 {
		return nil
	}
	want := sizeOf(f, b.rows)
	have := b.buffers[at.buffer+1].len
	if b.codec >= 0 && have > 8 {
		have = have / leastPart * mostOfPart // what it may unpack to at most
	}
	if have < want {
		return fmt.Errorf("want %d bytes for the %d rows of column %q, have a buffer of %d", want, b.rows, f.name, b.buffers[at.buffer+1].len)
	}
	return nil
}

// sizeOf is how many bytes the values of a column take, or its offsets.
func sizeOf(f *field, rows int64) int64 {
	switch f.kind {
	case bools:
		return (rows + 7) / 8
	case texts:
		return (rows + 1) * int64(f.width)
	}
	return rows * int64(f.width)
}
