// Package arrowipc reads tables of Arrow's IPC format, as a file or as a stream: the columns that are asked for, one batch
// at a time. It takes no number of the file on trust: each is held against the length of what it speaks of before memory
// is taken for it, so that damage ends in an error that names its byte. The library of Arrow takes lengths as they stand.
//
// The format is that of https://arrow.apache.org/docs/format/Columnar.html, messages and schemas those of Message.fbs and
// Schema.fbs there. Integers, floating point, booleans, text and dictionaries of them are read.
package arrowipc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// worth times its length is what the columns of a batch may take in memory, and how many rows it may have; leeway is added
// to that for small ones. Compressed columns of an export, whose times all differ, are far below that.
const worth, leeway = 64, 4096

var errMetadata = errors.New("damaged metadata")

// File is a list of tables.
type File struct {
	Tables []*Table

	r        io.ReaderAt
	size     int64 // up to the footer
	trailing bool  // it has a footer
	batches  int   // that the footer lists
}

// Table is one table: its name, if the metadata has one under table_name, and those of its columns.
type Table struct {
	Name    string
	Columns []string

	f        *File
	fields   []field
	messages []message
}

// message is where a batch stands in the file.
type message struct {
	kind       int
	at         int64 // of its metadata
	metadata   int64 // length
	body, size int64
}

func (m message) worth() int64 { return worth*(m.metadata+m.size) + leeway }

// Kinds of messages, as MessageHeader in Message.fbs.
const (
	kindSchema     = 1
	kindDictionary = 2
	kindBatch      = 3
)

const magic = "ARROW1"

// Open finds the tables of a file, or of streams that stand one behind the other. On an error the tables that stand before
// the damage are given with it: the last of them may have lost rows.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	head := make([]byte, len(magic))
	if n, _ := r.ReadAt(head, 0); n == len(magic) && string(head) == magic {
		if err := f.footer(); err != nil {
			return f, err
		}
		return f, f.index(8)
	}
	return f, f.index(0)
}

// footer reads the end of a file: a list of its batches, the length of that, and the magic again. The messages before it
// are a stream.
func (f *File) footer() error {
	end := make([]byte, 4+len(magic))
	if _, err := f.r.ReadAt(end, f.size-int64(len(end))); f.size < 8+int64(len(end)) || err != nil && err != io.EOF || string(end[4:]) != magic {
		return fmt.Errorf("byte %d: want the end of an Arrow file, %q: it is cut", f.size, magic)
	}
	n := int64(number(end, 4))
	if f.size -= int64(len(end)); n > f.size-8 {
		return fmt.Errorf("byte %d: want the length of a footer of at most %d bytes, have %d", f.size, f.size-8, n)
	}
	f.size -= n
	meta, err := f.bytes(f.size, n)
	if err != nil {
		return err
	}
	_, f.batches = meta.root().list(3, 24)
	if f.trailing = true; meta.bad {
		return fmt.Errorf("byte %d: a footer with %w", f.size, errMetadata)
	}
	return nil
}

func (f *File) bytes(at, n int64) (*flat, error) {
	b := make([]byte, n)
	if k, err := f.r.ReadAt(b, at); int64(k) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("byte %d: %w", at, err)
	}
	return &flat{b: b}, nil
}

// Named says whether a text begins with the schema of a table that has a name, as the stream of an export does.
func Named(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")) {
		return false
	}
	f := &File{r: bytes.NewReader(head), size: int64(len(head))}
	_, _ = f.next(0, nil)
	return len(f.Tables) > 0 && f.Tables[0].Name != ""
}

// Each visits the batches of a table with the columns that are asked for, by their places in Columns. Batches before an
// error have been visited.
func (t *Table) Each(columns []int, visit func(cols []*Column, rows int)) error {
	l := &loader{t: t, dicts: map[int64]*words{}}
	defer l.un.close()
	for _, m := range t.messages {
		l.left = m.worth()
		meta, err := t.f.bytes(m.at, m.metadata)
		if err != nil {
			return err
		}
		header, _ := meta.root().child(2)
		if m.kind == kindDictionary {
			err = l.dictionary(m, header, columns)
		} else {
			err = l.batch(m, header, columns, visit)
		}
		if err != nil {
			return fmt.Errorf("byte %d: %w", m.at, err)
		}
	}
	return nil
}

func (l *loader) batch(m message, header object, columns []int, visit func([]*Column, int)) error {
	b, err := batchOf(header, m)
	if err != nil {
		return err
	}
	places, err := b.places(l.t.fields)
	if err != nil {
		return err
	}
	var cols []*Column
	for _, k := range columns {
		c, err := l.column(&l.t.fields[k], b, places[k], m.body)
		if err != nil {
			return err
		}
		cols = append(cols, c)
	}
	visit(cols, int(b.rows))
	return nil
}

// dictionary reads the words of a dictionary, if a column that is asked for has it. Slots are those of DictionaryBatch.
func (l *loader) dictionary(m message, header object, columns []int) error {
	id := header.num(0, 8, 0)
	k := slices.IndexFunc(columns, func(k int) bool { f := &l.t.fields[k]; return f.words != nil && f.kind != unread && f.id == id })
	data, ok := header.child(1)
	if !ok {
		return errMetadata
	} else if k < 0 {
		return nil
	}
	b, err := batchOf(data, m)
	if err != nil {
		return err
	}
	fields := []field{*l.t.fields[columns[k]].words}
	if _, err := b.places(fields); err != nil {
		return err
	}
	c, err := l.column(&fields[0], b, place{}, m.body)
	if err != nil {
		return err
	}
	w := l.dicts[id]
	if delta := header.num(2, 1, 0) != 0; w == nil || !delta {
		w = &words{}
		l.dicts[id] = w
	}
	w.pieces, w.ends = append(w.pieces, c), append(w.ends, w.len()+c.rows)
	return nil
}
