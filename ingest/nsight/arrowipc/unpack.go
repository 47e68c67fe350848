package arrowipc

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// leastPart bytes of a compressed buffer unpack to mostOfPart at most: a block of Zstandard has a head of 3 bytes and one
// more, and up to 128 KiB of content. LZ4 is far below that (255 times).
const leastPart, mostOfPart = 4, 128 << 10

// unpacker unpacks buffers.
type unpacker struct {
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

// pack gives what a compressed buffer holds, which must be of the length that was told. A panic of a library is an error.
func (u *unpacker) pack(codec int64, in []byte, size int64) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	if codec == 0 {
		out, err = u.lz4Frame(in, size)
	} else {
		out, err = u.zstdFrame(in, size)
	}
	if err == nil && int64(len(out)) != size {
		err = fmt.Errorf("want %d bytes in a compressed buffer, have %d", size, len(out))
	}
	return out, err
}

func (u *unpacker) lz4Frame(in []byte, size int64) ([]byte, error) {
	if u.lz4 == nil {
		u.lz4 = lz4.NewReader(nil)
	}
	u.lz4.Reset(bytes.NewReader(in))
	out := make([]byte, size)
	n, err := io.ReadFull(u.lz4, out)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return out[:n], err
}

func (u *unpacker) zstdFrame(in []byte, size int64) (out []byte, err error) {
	var h zstd.Header
	if err := h.Decode(in); err != nil {
		return nil, err
	}
	if h.HasFCS && h.FrameContentSize != uint64(size) {
		return nil, fmt.Errorf("want %d bytes in a compressed buffer, have %d", size, h.FrameContentSize)
	}
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
	}
	return u.zstd.DecodeAll(in, make([]byte, 0, size))
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
