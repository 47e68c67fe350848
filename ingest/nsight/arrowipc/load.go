package arrowipc

import (
	"fmt"
	"io"
)

// loader reads columns of one table.
type loader struct {
	t     *Table
	left  int64 // bytes that the columns of the batch may still take
	dicts map[int64]*words
	un    unpacker
}

// room takes bytes from what is left.
func (l *loader) room(n int64) error {
	if l.left -= n; n < 0 || l.left < 0 {
		return fmt.Errorf("columns unpack to more than %d times the length of their batch", worth)
	}
	return nil
}

// buffer reads a stretch of a body of which so many bytes are needed.
func (l *loader) buffer(body int64, s span, codec, need int64) ([]byte, error) {
	if codec >= 0 && s.len > 0 {
		return l.packed(body, s, codec, need)
	}
	if s.len < need {
		return nil, fmt.Errorf("want a buffer of %d bytes at byte %d, have %d", need, body+s.at, s.len)
	}
	return l.read(body+s.at, need)
}

func (l *loader) read(at, n int64) ([]byte, error) {
	if err := l.room(n); err != nil {
		return nil, err
	}
	out := make([]byte, n)
	if k, err := l.t.f.r.ReadAt(out, at); int64(k) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("byte %d: %w", at, err)
	}
	return out, nil
}

// packed reads a compressed buffer: the length of what it holds, 8 bytes, -1 where that is not compressed after all.
func (l *loader) packed(body int64, s span, codec, need int64) ([]byte, error) {
	if s.len < 8 {
		return nil, fmt.Errorf("want a compressed buffer with its length at byte %d, have %d bytes", body+s.at, s.len)
	}
	in, err := l.read(body+s.at, s.len)
	if err != nil {
		return nil, err
	}
	size := int64(number(in, 8))
	in = in[8:]
	if size == 0 {
		in = nil
	} else if size == -1 {
		size = int64(len(in))
	} else if size < 0 || size > (int64(len(in))/leastPart+1)*mostOfPart {
		return nil, fmt.Errorf("want a buffer at byte %d that %d bytes unpack to, have %d", body+s.at, len(in), size)
	} else if err := l.room(size); err != nil {
		return nil, err
	} else if in, err = l.un.pack(codec, in, size); err != nil {
		return nil, fmt.Errorf("byte %d: %w", body+s.at, err)
	}
	if size < need {
		return nil, fmt.Errorf("want a buffer of %d bytes at byte %d, have %d", need, body+s.at, size)
	}
	return in[:need], nil
}

// column reads one column of a batch.
func (l *loader) column(f *field, b *batch, p place, body int64) (*Column, error) {
	c := &Column{kind: f.kind, width: f.width, signed: f.signed, rows: int(b.rows)}
	if c.kind == unread || c.kind == nulls || b.rows == 0 {
		return c, nil
	}
	var err error
	if s, n := b.buffers[p.buffer], b.nodes[p.node]; s.len > 0 || n.nulls > 0 {
		if c.valid, err = l.buffer(body, s, b.codec, (b.rows+7)/8); err != nil {
			return nil, err
		}
		if have := c.nulls(); have != n.nulls {
			return nil, fmt.Errorf("want %d nulls in column %q, have %d", n.nulls, f.name, have)
		}
	}
	values, err := l.buffer(body, b.buffers[p.buffer+1], b.codec, sizeOf(f, b.rows))
	if err != nil {
		return nil, err
	}
	if f.kind == texts {
		c.offsets = values
		return c, l.text(c, f, b, p, body)
	}
	c.data = values
	if f.words != nil {
		return c, l.numbered(c, f)
	}
	return c, nil
}

// text reads the text of a column, whose offsets must not go back.
func (l *loader) text(c *Column, f *field, b *batch, p place, body int64) (err error) {
	last := c.offset(0)
	for i := range c.rows {
		next := c.offset(i + 1)
		if last < 0 || next < last {
			return fmt.Errorf("row %d of column %q ends before it begins", i+1, f.name)
		}
		last = next
	}
	c.data, err = l.buffer(body, b.buffers[p.buffer+2], b.codec, last)
	if c.data == nil {
		c.data = []byte{}
	}
	return err
}

// numbered holds the numbers of a dictionary column against its words.
func (l *loader) numbered(c *Column, f *field) error {
	if c.words = l.dicts[f.id]; c.words == nil {
		c.words = &words{}
	}
	n := uint64(c.words.len())
	for i := range c.rows {
		if c.known(i) && uint64(c.raw(i)) >= n {
			return fmt.Errorf("want one of %d words of the dictionary %d in column %q, have number %d", n, f.id, f.name, c.raw(i))
		}
	}
	return nil
}
