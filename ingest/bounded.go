package ingest

import (
	"errors"
	"io"

	"github.com/memtide/memtide/ingest/source"
)

const (
	maxRatio  = 400      // of unpacked to packed bytes; deflate reaches 1032 on nothing but zeros
	ratioFrom = 64 << 20 // unpacked bytes below which any ratio is let through
)

// errBomb is the end of an input that unpacks out of all proportion.
var errBomb = errors.New("unpacks to more than 400 times its size: refused as damaged or hostile")

// budget is what one file may unpack to in all its layers and members together: what an archive says of the sizes of
// its members proves nothing, and members may share their bytes.
type budget struct {
	file     int64 // size of the file; 0 of a stream
	raw      *raw  // what was read of a stream; nil if the size is known
	unpacked int64
}

func (b *budget) spend(n int) error {
	b.unpacked += int64(n)
	packed := b.file
	if b.raw != nil {
		packed = max(packed, b.raw.bytes)
	}
	if b.unpacked > ratioFrom && b.unpacked/maxRatio > packed {
		return errBomb
	}
	return nil
}

// bounded reads what is unpacked as long as the budget lasts. An error comes back again and again, and is a fault of
// the capture: what was read before it stays.
type bounded struct {
	name string
	r    io.Reader
	b    *budget
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	if over := b.b.spend(n); over != nil {
		n, err = 0, over
	}
	if err != nil && err != io.EOF {
		err = broken(b.name, err)
	}
	b.err = err
	return n, err
}

// broken is the error of an archive that is cut or damaged, or refused.
func broken(name string, err error) error {
	if errors.As(err, new(*source.Error)) || errors.As(err, new(*unreadable)) {
		return err
	}
	if errors.Is(err, errBomb) {
		return &unreadable{name, err}
	}
	return source.Errorf(source.Pos{File: name}, "cut or damaged: %v; what stands before that is read", err)
}

// joined is io.MultiReader for two, without the loss of large reads behind the first.
type joined struct {
	head []byte
	r    io.Reader
}

func (j *joined) Read(p []byte) (int, error) {
	if len(j.head) > 0 {
		n := copy(p, j.head)
		j.head = j.head[n:]
		return n, nil
	}
	return j.r.Read(p)
}

// failing gives the error that the reading of a head met, behind that head.
type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }
