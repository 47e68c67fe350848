package symbols

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// jitOrder reads the header: a magic that tells the order of bytes, and the size of the header.
func jitOrder(data []byte) (binary.ByteOrder, bool) {
	if len(data) < 40 {
		return nil, false
	}
	switch string(data[:4]) {
	case "DTiJ":
		return binary.LittleEndian, true
	case "JiTD":
		return binary.BigEndian, true
	}
	return nil, false
}

// fields is the body of a record.
type fields struct {
	data  []byte
	order binary.ByteOrder
}

// load reads pid, tid, vma, address, size and index, then a name.
func (f fields) load() (code, bool) {
	if len(f.data) < 40 {
		return code{}, false
	}
	from, size := f.order.Uint64(f.data[16:]), f.order.Uint64(f.data[24:])
	name, _, ok := bytes.Cut(f.data[40:], []byte{0})
	if !ok || len(name) == 0 || size == 0 || from+size < from {
		return code{}, false
	}
	return code{from: from, to: from + size, name: string(bytes.ToValidUTF8(name, []byte("\uFFFD")))}, true
}

// move reads pid, tid, vma, the old and the new address, and the size.
func (f fields) move() (from, to, size uint64, ok bool) {
	if len(f.data) < 40 {
		return 0, 0, 0, false
	}
	from, to, size = f.order.Uint64(f.data[16:]), f.order.Uint64(f.data[24:]), f.order.Uint64(f.data[32:])
	return from, to, size, to+size > to
}

// rows reads an address and a number of entries, then of each an address, a line, a discriminator and a file, where "\xff" stands
// for the file of the one before.
func (f fields) rows() (address uint64, out []row) {
	if len(f.data) < 16 {
		return 0, nil
	}
	address = f.order.Uint64(f.data)
	rest, file := f.data[16:], ""
	for len(rest) > 16 {
		one := row{address: f.order.Uint64(rest), line: int(f.order.Uint32(rest[8:]))}
		name, more, ok := bytes.Cut(rest[16:], []byte{0})
		if !ok {
			break
		}
		if string(name) != "\xff" {
			file = string(bytes.ToValidUTF8(name, []byte("\uFFFD")))
		}
		one.file, rest = file, more
		out = append(out, one)
	}
	slices.SortStableFunc(out, byAddress)
	return address, out
}
