package nsight

import (
	"encoding/binary"
	"errors"
	"io"
)

// Sizes of an Arrow file (format/File.fbs, format/Schema.fbs of Apache Arrow): ARROW1, records, footer, length, ARROW1.
const (
	arrowMagic = "ARROW1"
	blockSize  = 24       // offset int64, length of the metadata int32, 4 bytes of padding, length of the body int64
	maxFooter  = 64 << 20 // a footer lists a block for each batch of rows
)

var errNoArrow = errors.New("want an Arrow file, have no such footer: it is cut, damaged or a stream")

// checkBlocks holds the places of all records, as the footer tells them, against the length of the file: the library
// allocates what they say before it reads.
func checkBlocks(r content) error {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	end := make([]byte, 4+len(arrowMagic))
	if size < int64(len(end)) {
		return errNoArrow
	}
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil || string(end[4:]) != arrowMagic {
		return errNoArrow
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if n > maxFooter || n > size-int64(len(end)) {
		return errNoArrow
	}
	f := flat(make([]byte, n))
	if _, err := r.ReadAt(f, size-int64(len(end))-n); err != nil {
		return err
	}
	for _, field := range []int64{2, 3} { // dictionaries, record batches
		at, n := f.vector(field)
		for i := range n {
			offset, meta, body := f.int64(at+i*blockSize), f.int32(at+i*blockSize+8), f.int64(at+i*blockSize+16)
			if offset < 0 || meta < 0 || body < 0 || offset > size || meta > size-offset || body > size-offset-meta {
				return errNoArrow
			}
		}
	}
	return nil
}

// flat is a flatbuffer, read without trust: what lies outside reads as -1.
type flat []byte

func (f flat) int16(at int64) int64 {
	if at < 0 || at+2 > int64(len(f)) {
		return -1
	}
	return int64(binary.LittleEndian.Uint16(f[at:]))
}

func (f flat) int32(at int64) int64 {
	if at < 0 || at+4 > int64(len(f)) {
		return -1
	}
	return int64(int32(binary.LittleEndian.Uint32(f[at:])))
}

func (f flat) int64(at int64) int64 {
	if at < 0 || at+8 > int64(len(f)) {
		return -1
	}
	return int64(binary.LittleEndian.Uint64(f[at:]))
}

// vector gives the place and the number of elements of a field of the root table; none if it is not there.
func (f flat) vector(field int64) (at, n int64) {
	root := f.int32(0)
	table := root - f.int32(root)
	if 4+2*field >= f.int16(table) {
		return 0, 0
	}
	offset := f.int16(table + 4 + 2*field)
	if offset <= 0 {
		return 0, 0
	}
	at = root + offset
	at += f.int32(at)
	return at + 4, min(max(f.int32(at), 0), int64(len(f)))
}
