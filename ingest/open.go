package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/memtide/memtide/ingest/source"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Bounds of what an archive may unpack to: far above any capture, far below what hurts.
const (
	maxMembers = 100_000
	maxRatio   = 400      // of unpacked to packed bytes; deflate reaches 1032 on nothing but zeros
	ratioFrom  = 64 << 20 // unpacked bytes below which any ratio is let through
	maxDepth   = 3        // archives inside archives
	maxInner   = 1 << 30  // an archive that is itself a member is held in memory
)

// errBomb is the end of an input that unpacks out of all proportion.
var errBomb = errors.New("unpacks to more than 400 times its size: refused as damaged or hostile")

// raw reads a file and keeps count and hash of what it holds.
type raw struct {
	r     io.Reader
	hash  hash.Hash
	bytes int64
	tell  func(int64)
}

func newRaw(r io.Reader, tell func(int64)) *raw { return &raw{r: r, hash: sha256.New(), tell: tell} }

func (f *raw) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.hash.Write(p[:n])
	f.bytes += int64(n)
	if f.tell != nil {
		f.tell(int64(n))
	}
	return n, err
}

// sum reads what is left, so that the hash is that of the whole file.
func (f *raw) sum() string {
	_, _ = io.Copy(io.Discard, f)
	return hex.EncodeToString(f.hash.Sum(nil))
}

// walker visits every plain input in a file: its own text, or that of each member of the archive it is.
type walker struct {
	visit func(*source.Input) error
	file  *os.File // for zip, which is read from its end
	size  int64
	depth int
}

// walk looks at the first bytes and unpacks what they say.
func (w *walker) walk(name string, r io.Reader) error {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	r = &joined{head, r}
	if w.depth > maxDepth {
		return source.Errorf(source.Pos{File: name}, "want at most %d archives inside each other", maxDepth)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return w.packed(name, r, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return w.packed(name, r, func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		})
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return w.zip(name, r)
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return w.tar(name, r)
	}
	return w.plain(name, r)
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

func (w *walker) inner() *walker { return &walker{visit: w.visit, depth: w.depth + 1} }

func (w *walker) packed(name string, r io.Reader, open func(io.Reader) (io.Reader, error)) error {
	in := &counter{r: r}
	out, err := open(in)
	if err != nil {
		return source.Errorf(source.Pos{File: name}, "cannot be unpacked: %v", err)
	}
	if z, ok := out.(*zstd.Decoder); ok {
		defer z.Close()
	}
	return w.inner().walk(name, &bounded{r: out, in: in})
}

// counter counts the packed bytes, bounded stops when the unpacked ones leave all proportion to them.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

type bounded struct {
	r   io.Reader
	in  *counter
	out int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.out += int64(n)
	if b.out > ratioFrom && b.out/max(b.in.n, 1) > maxRatio {
		return 0, errBomb
	}
	return n, err
}

func (w *walker) zip(name string, r io.Reader) error {
	at, size, err := w.seekable(r)
	if err != nil {
		return err
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return source.Errorf(source.Pos{File: name}, "want a zip archive: %v", err)
	}
	if len(z.File) > maxMembers {
		return source.Errorf(source.Pos{File: name}, "want at most %d members, have %d", maxMembers, len(z.File))
	}
	var errs []error
	for _, f := range z.File {
		if !f.FileInfo().IsDir() {
			errs = append(errs, w.member(name, f))
		}
	}
	return errors.Join(errs...)
}

func (w *walker) member(name string, f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return source.Errorf(source.Pos{File: name + "!/" + f.Name}, "cannot be unpacked: %v", err)
	}
	defer r.Close()
	in := &counter{n: int64(f.CompressedSize64)}
	return w.inner().walk(name+"!/"+f.Name, &bounded{r: r, in: in})
}

// seekable gives the archive for reading from its end: the file itself, or what a stream holds, in memory.
func (w *walker) seekable(r io.Reader) (io.ReaderAt, int64, error) {
	if w.file != nil {
		return w.file, w.size, nil
	}
	all, err := io.ReadAll(io.LimitReader(r, maxInner+1))
	if len(all) > maxInner {
		return nil, 0, fmt.Errorf("want an inner archive of at most %d bytes", maxInner)
	}
	return bytes.NewReader(all), int64(len(all)), err
}

func (w *walker) tar(name string, r io.Reader) error {
	t := tar.NewReader(r)
	var errs []error
	for n := 0; ; n++ {
		h, err := t.Next()
		if err == io.EOF {
			return errors.Join(errs...)
		}
		if err != nil {
			return errors.Join(append(errs, source.Errorf(source.Pos{File: name}, "want a tar archive: %v", err))...)
		}
		if n >= maxMembers {
			return source.Errorf(source.Pos{File: name}, "want at most %d members", maxMembers)
		}
		if h.Typeflag == tar.TypeReg {
			errs = append(errs, w.inner().walk(name+"!/"+strings.TrimPrefix(h.Name, "./"), t))
		}
	}
}

// plain hands on text and other plain bytes, a byte order mark and UTF-16 taken away.
func (w *walker) plain(name string, r io.Reader) error {
	dec := unicode.BOMOverride(transform.Nop)
	if j, ok := r.(*joined); !ok || !startsWithMark(j.head) {
		dec = nil
	}
	if dec != nil {
		r = transform.NewReader(r, dec)
	}
	in, err := source.NewInput(name, r)
	if err != nil {
		return source.Errorf(source.Pos{File: name}, "cannot be read: %v", err)
	}
	return w.visit(in)
}

func startsWithMark(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}
