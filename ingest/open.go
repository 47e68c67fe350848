package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path"
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
	maxDepth   = 3       // archives inside archives
	maxInner   = 1 << 30 // an archive that is itself a member is held in memory
)

// errEnough ends a walk that has seen what it wanted.
var errEnough = errors.New("enough")

// raw reads a file and keeps count and hash of what it holds.
type raw struct {
	name  string
	r     io.Reader
	hash  hash.Hash
	bytes int64
	tell  func(int64)
}

func newRaw(name string, r io.Reader, tell func(int64)) *raw {
	return &raw{name: name, r: r, hash: sha256.New(), tell: tell}
}

func (f *raw) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.hash.Write(p[:n])
	f.bytes += int64(n)
	if f.tell != nil {
		f.tell(int64(n))
	}
	if err != nil && err != io.EOF {
		err = &unreadable{f.name, err}
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
	visit  func(*source.Input) error
	file   *os.File // a regular file, for zip, which is read from its end
	budget *budget
	depth  int
}

// walk looks at the first bytes and unpacks what they say.
func (w *walker) walk(name string, r io.Reader) error {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		if n == 0 {
			return broken(name, err)
		}
		r = &failing{err}
	}
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

func (w *walker) inner() *walker {
	return &walker{visit: w.visit, budget: w.budget, depth: w.depth + 1}
}

func (w *walker) packed(name string, r io.Reader, open func(io.Reader) (io.Reader, error)) error {
	out, err := open(r)
	if err != nil {
		return broken(name, err)
	}
	if z, ok := out.(*zstd.Decoder); ok {
		defer z.Close()
	}
	return w.inner().walk(name, &bounded{name: name, r: out, b: w.budget})
}

func (w *walker) zip(name string, r io.Reader) error {
	at, size, err := w.seekable(name, r)
	if err != nil {
		return err
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return broken(name, err)
	}
	if len(z.File) > maxMembers {
		return source.Errorf(source.Pos{File: name}, "want at most %d members, have %d", maxMembers, len(z.File))
	}
	var errs []error
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if err := w.member(memberName(name, f.Name), f); over(err) {
			return err
		} else {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// over says whether a walk ends here: it has what it wanted, or the archive is hostile.
func over(err error) bool { return errors.Is(err, errEnough) || errors.Is(err, errBomb) }

// memberName shows a member behind its archive; wherever it wants to be unpacked to, it stays below.
func memberName(archive, member string) string {
	return archive + "!" + path.Clean("/"+member)
}

func (w *walker) member(name string, f *zip.File) error {
	if f.Flags&1 != 0 {
		return source.Errorf(source.Pos{File: name}, "cannot be unpacked: it is encrypted")
	}
	r, err := f.Open()
	if err != nil {
		return broken(name, err)
	}
	defer r.Close()
	return w.inner().walk(name, &bounded{name: name, r: r, b: w.budget})
}

// seekable gives the archive for reading from its end: the file itself, or what a stream holds, in memory.
func (w *walker) seekable(name string, r io.Reader) (io.ReaderAt, int64, error) {
	if w.file != nil {
		return w.file, w.budget.file, nil
	}
	all, err := io.ReadAll(io.LimitReader(r, maxInner+1))
	if len(all) > maxInner {
		return nil, 0, source.Errorf(source.Pos{File: name}, "want an inner archive of at most %d bytes", maxInner)
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
			return errors.Join(append(errs, broken(name, err))...)
		}
		if n >= maxMembers {
			return source.Errorf(source.Pos{File: name}, "want at most %d members", maxMembers)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		member := memberName(name, h.Name)
		if err := w.inner().walk(member, &bounded{name: member, r: t, b: w.budget}); over(err) {
			return err
		} else {
			errs = append(errs, err)
		}
	}
}

// plain hands on text and other plain bytes, a byte order mark and UTF-16 taken away.
func (w *walker) plain(name string, r io.Reader) error {
	if j, ok := r.(*joined); ok && startsWithMark(j.head) {
		r = transform.NewReader(r, unicode.BOMOverride(transform.Nop))
	}
	in, err := source.NewInput(name, r)
	if err != nil && len(in.Head) == 0 {
		return broken(name, err)
	}
	return w.visit(in)
}

func startsWithMark(head []byte) bool {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(string(head[:min(len(head), 3)]), mark) {
			return true
		}
	}
	return false
}
