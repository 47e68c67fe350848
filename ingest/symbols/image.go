package symbols

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// image is a binary or a debug file: where its code is, and what its functions are called.
type image struct {
	name     string // as it is shown
	build    string // build id or UUID, in hex; empty if it has none
	link     string // name of the debug file, with its checksum
	crc      uint32
	base     uint64 // address that the file is linked for
	rva      bool   // offsets count from base (Mach-O, PE)
	segments []segment
	funcs    []function
	lines    *lines // nil without DWARF
	complete bool
}

// segment is a part of a file that is mapped to be executed.
type segment struct{ offset, size, address, memory uint64 }

// function is a symbol of code.
type function struct {
	address, size uint64
	name          string
	rank          int8 // among names of one address: the lowest is taken
}

// place is a function with the line in it.
type place struct {
	function, file string
	line           int
}

// errNone is a file that is no binary.
var errNone = errors.New("no ELF, Mach-O or PE file")

// open reads a binary of any of the three kinds. Damaged files make the readers of the standard library fail in ways that they
// do not promise.
func open(e entry) (m *image, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("want a binary; it is damaged: %v", p)
		}
	}()
	f, err := os.Open(e.path)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, plain(err)
	}
	m, err = load(f, info.Size())
	if err != nil {
		return nil, err
	}
	m.name = e.name
	m.sort()
	return m, nil
}

// load recognises a binary by its first bytes.
func load(r io.ReaderAt, size int64) (*image, error) {
	var magic [4]byte
	if n, _ := r.ReadAt(magic[:], 0); n < 4 {
		return nil, errNone
	}
	switch {
	case string(magic[:]) == "\x7fELF":
		return loadELF(r, size)
	case bytes.HasPrefix(magic[:], []byte("MZ")):
		return loadPE(r, size)
	case bytes.Contains([]byte("\xfe\xed\xfa\xce \xfe\xed\xfa\xcf \xce\xfa\xed\xfe \xcf\xfa\xed\xfe"), magic[:]):
		return loadMachO(r, size)
	case string(magic[:]) == "\xca\xfe\xba\xbe":
		return nil, errors.New("a universal binary: want that of the one architecture that ran (lipo -thin)")
	}
	return nil, errNone
}

// sort puts functions in order of address, one at each.
func (m *image) sort() {
	slices.SortFunc(m.funcs, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.address, b.address), cmp.Compare(a.rank, b.rank), cmp.Compare(underscores(a.name), underscores(b.name)),
			cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name), cmp.Compare(b.size, a.size))
	})
	m.funcs = slices.CompactFunc(m.funcs, func(a, b function) bool { return a.address == b.address })
}

func underscores(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }

// adopt takes from another file of the same build what this one lacks.
func (m *image) adopt(o *image) {
	if len(o.funcs) > len(m.funcs) {
		m.funcs = o.funcs
	}
	if m.lines == nil {
		m.lines = o.lines
	}
	if m.link == "" {
		m.link, m.crc = o.link, o.crc
	}
	if !m.loaded() && o.loaded() {
		m.segments = o.segments
	}
}

// loaded says whether the segments have bytes: those of debug files are emptied, and their offsets mean nothing.
func (m *image) loaded() bool {
	return slices.ContainsFunc(m.segments, func(s segment) bool { return s.size > 0 })
}

// holds says whether code was mapped from where this file has some.
func (m *image) holds(x *mapping) bool {
	if !x.executable || m.rva || !m.loaded() {
		return true
	}
	return slices.ContainsFunc(m.segments, func(s segment) bool {
		return s.offset < x.offset+(x.end-x.start) && x.offset < s.offset+s.size
	})
}

// address is the address that a place is linked for. False where the file has no code there.
func (m *image) address(at spot) (uint64, bool) {
	if m.rva {
		return m.base + at.offset, m.code(m.base + at.offset)
	}
	if at.link {
		if m.code(at.offset) {
			return at.offset, true
		}
		return m.base + at.offset, m.code(m.base + at.offset)
	}
	for _, s := range m.segments {
		if at.offset >= s.offset && at.offset-s.offset < s.size {
			return at.offset - s.offset + s.address, true
		}
	}
	return 0, false
}

func (m *image) code(address uint64) bool {
	return slices.ContainsFunc(m.segments, func(s segment) bool { return address >= s.address && address-s.address <= s.memory })
}

// lookup names an address, innermost function first. The address of a return stands behind the call, which may be the last
// instruction of its function; but a probe on the entry of a function gives its first.
func (m *image) lookup(pc uint64, isReturn, inner bool) []place {
	if _, starts := m.find(pc); isReturn && (inner || !starts) {
		pc--
	}
	f, _ := m.find(pc)
	var out []place
	if m.lines != nil {
		out = m.lines.at(pc)
	}
	switch {
	case f == nil:
		return slices.DeleteFunc(out, func(p place) bool { return p.function == "" })
	case len(out) == 0:
		return []place{{function: f.name}}
	}
	out[len(out)-1].function = f.name
	return slices.DeleteFunc(out, func(p place) bool { return p.function == "" })
}

// find gives the function at an address, and whether it starts there.
func (m *image) find(pc uint64) (f *function, starts bool) {
	i, exact := slices.BinarySearchFunc(m.funcs, pc, func(f function, pc uint64) int { return cmp.Compare(f.address, pc) })
	if exact {
		return &m.funcs[i], true
	}
	for n := 0; n < 8 && i > 0; n++ { // labels may stand inside a function
		i--
		if f := &m.funcs[i]; pc-f.address < f.size || f.size == 0 && n == 0 {
			return f, false
		}
	}
	return nil, false
}
