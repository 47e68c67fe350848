package arrowipc

import (
	"fmt"
	"slices"
)

// index walks the messages of a file from a place on, without their bodies.
func (f *File) index(at int64) error {
	var open *Table // nil where no stream is begun
	for at < f.size {
		m, err := f.next(at, open)
		if err != nil {
			return fmt.Errorf("byte %d: %w", at, err)
		}
		switch {
		case m.kind == kindSchema:
			open = f.Tables[len(f.Tables)-1]
		case m.kind == 0 && open == nil: // a long row of zeros would be as many marks
			return fmt.Errorf("byte %d: want the schema of a table, have the mark at the end of a stream", at)
		case m.kind == 0:
			open = nil
		}
		at = m.body + m.size
	}
	return f.whole(open)
}

// whole says whether a file ended as it must: a stream with its mark, a file with the batches that its footer lists, the
// dictionaries of which may stand behind them.
func (f *File) whole(open *Table) error {
	if !f.trailing {
		if open != nil {
			return fmt.Errorf("byte %d: want a mark at the end of the stream: it is cut", f.size)
		} else if len(f.Tables) == 0 {
			return fmt.Errorf("byte 0: want the schema of a table, have nothing")
		}
		return nil
	}
	if len(f.Tables) != 1 {
		return fmt.Errorf("byte %d: want a file with one table, have %d", f.size, len(f.Tables))
	}
	t := f.Tables[0]
	slices.SortStableFunc(t.messages, func(a, b message) int { return a.kind - b.kind })
	n := 0
	for _, m := range t.messages {
		if m.kind == kindBatch {
			n++
		}
	}
	if n != f.batches {
		return fmt.Errorf("byte %d: want the %d batches that the footer lists, have %d", f.size, f.batches, n)
	}
	return nil
}

// next reads the head of a message and enters it: a schema as a table, a batch with the table it belongs to. Its kind is 0
// for the mark at the end of a stream. Slots are those of Message in Message.fbs.
func (f *File) next(at int64, open *Table) (m message, err error) {
	if m, err = f.frame(at); err != nil || m.metadata == 0 {
		return m, err
	}
	meta, err := f.bytes(m.at, m.metadata)
	if err != nil {
		return m, err
	}
	root := meta.root()
	version, header := root.num(0, 2, 0), object{}
	m.kind, m.size = int(root.num(1, 1, 0)), root.num(3, 8, 0)
	header, ok := root.child(2)
	switch {
	case meta.bad || !ok:
		return m, errMetadata
	case version != 3 && version != 4:
		return m, fmt.Errorf("want metadata of version 4 or 5, have %d", version+1)
	case m.size < 0 || m.size > f.size-m.body:
		return m, fmt.Errorf("want a body of at most %d bytes, have %d: it is cut or damaged", f.size-m.body, m.size)
	}
	switch {
	case m.kind == kindSchema && open == nil:
		return m, f.table(meta, header)
	case (m.kind == kindBatch || m.kind == kindDictionary) && open != nil:
		open.messages = append(open.messages, m)
		return m, nil
	}
	return m, fmt.Errorf("want a schema and then batches, have a message of kind %d", m.kind)
}

// frame reads what stands before the metadata: 4 bytes of ones, which versions before 0.15 have not, and its length. A
// length of 0 is the mark at the end of a stream.
func (f *File) frame(at int64) (m message, err error) {
	for _, first := range []bool{true, false} {
		if f.size-at < 4 {
			return m, fmt.Errorf("want the length of a message, have %d bytes: it is cut", f.size-at)
		}
		b, err := f.bytes(at, 4)
		if err != nil {
			return m, err
		}
		n := int64(b.uint(0, 4))
		if at += 4; first && n == 0xffffffff {
			continue
		}
		if n > f.size-at {
			return m, fmt.Errorf("want metadata of at most %d bytes, have %d: it is cut or damaged", f.size-at, n)
		}
		return message{at: at, metadata: n, body: at + n}, nil
	}
	return m, fmt.Errorf("want the length of a message, have the mark before one")
}

func (f *File) table(meta *flat, header object) error {
	s := &schema{flat: meta, left: 4 * len(meta.b)}
	fields, name, err := s.read(header)
	if err != nil {
		return err
	}
	t := &Table{Name: name, f: f, fields: fields}
	for _, c := range fields {
		t.Columns = append(t.Columns, c.name)
	}
	f.Tables = append(f.Tables, t)
	return nil
}
