package nsight

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// inMemory is how long an export may be to be held in memory; longer ones go to a temporary file.
const inMemory = 64 << 20

// spooled is an input for reading at any place.
type spooled struct {
	io.ReaderAt
	size int64
	file *os.File // nil in memory
	err  error    // what ended the reading early
}

// Size is that of the input in bytes.
func (s *spooled) Size() (int64, error) { return s.size, nil }

// spool copies an input, which is a stream, to where it can be read at any place.
func spool(in *source.Input) (*spooled, error) {
	r := in.Reader()
	var held chunks
	n, err := held.fill(r)
	if err != nil || n < inMemory {
		return &spooled{ReaderAt: held, size: n, err: err}, nil
	}
	f, err := os.CreateTemp("", "memtide-*")
	if err != nil {
		return nil, noRoom(err)
	}
	_ = os.Remove(f.Name()) // where an open file can be removed; Close tries again
	s := &spooled{ReaderAt: f, file: f}
	for _, c := range held {
		if _, err := f.Write(c); err != nil {
			s.Close()
			return nil, noRoom(err)
		}
	}
	n, err = io.Copy(f, r)
	if s.size = inMemory + n; err != nil {
		if errors.As(err, new(*os.PathError)) {
			err = noRoom(err)
		}
		s.err = err
	}
	return s, nil
}

func noRoom(err error) error {
	return fmt.Errorf("an export of more than %d MiB needs room for a temporary file: %w", inMemory>>20, bare(err))
}

const chunkSize = 1 << 20

// chunks is a text in pieces of chunkSize, of which the last may be shorter.
type chunks [][]byte

// fill takes a stream up to inMemory bytes.
func (c *chunks) fill(r io.Reader) (n int64, err error) {
	for n < inMemory {
		buf := make([]byte, chunkSize)
		k, err := io.ReadFull(r, buf)
		*c = append(*c, buf[:k])
		n += int64(k)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
	return n, nil
}

// ReadAt reads over the ends of chunks.
func (c chunks) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		i, in := (at+int64(n))/chunkSize, (at+int64(n))%chunkSize
		if i >= int64(len(c)) || in >= int64(len(c[i])) {
			return n, io.EOF
		}
		n += copy(p[n:], c[i][in:])
	}
	return n, nil
}

// bare takes the path off an error of the file system: it differs from run to run.
func bare(err error) error {
	if e := new(os.PathError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Close gives the temporary file back.
func (s *spooled) Close() {
	if s.file != nil {
		s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// whole holds the length that the header tells against that of the file, and says what is not in it.
func (s *spooled) whole(in *source.Input, b *table.Builder) error {
	if s.err != nil {
		return s.err
	}
	var h [100]byte
	if n, _ := s.ReadAt(h[:], 0); n < len(h) {
		return source.Errorf(in.At(0, 0), "cut: want a header of %d bytes, have %d", len(h), n)
	}
	page := int64(binary.BigEndian.Uint16(h[16:]))
	if page == 1 {
		page = 65536
	}
	pages := int64(binary.BigEndian.Uint32(h[28:]))
	if stated := page * pages; s.size < stated && page >= 512 && page&(page-1) == 0 {
		return source.Errorf(in.At(0, 0), "cut: the header tells of %d pages of %d bytes, have %d of %d bytes: export the report again", pages, page, s.size, stated)
	}
	if h[18] == 2 {
		b.Problems.Add(in.At(0, 0), "a database in WAL mode: rows that still stand in a -wal file beside it are not read; export the report again, or run `sqlite3 FILE 'PRAGMA journal_mode=DELETE'`")
	}
	return nil
}
