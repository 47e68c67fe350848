package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
)

// loadELF reads segments, symbols, build id and DWARF of an ELF file.
func loadELF(r io.ReaderAt, size int64) (*image, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("want an ELF file: %w", err)
	}
	m := &image{build: buildID(f), base: ^uint64(0)}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		m.base = min(m.base, p.Vaddr&^0xfff)
		if p.Flags&elf.PF_X != 0 {
			m.segments = append(m.segments, segment{p.Off, p.Filesz, p.Vaddr, p.Memsz})
		}
	}
	m.link, m.crc = debugLink(f)
	for _, list := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		syms, err := list()
		if err != nil {
			continue // no such table
		}
		for i := range syms {
			m.symbol(f, &syms[i])
		}
	}
	if small(f.Sections, size) {
		if d, err := f.DWARF(); err == nil {
			m.lines = newLines(d)
		}
	}
	return m, nil
}

// ranks orders the names of one address.
var ranks = map[elf.SymBind]int8{elf.STB_GLOBAL: 0, elf.STB_WEAK: 1}

func (m *image) symbol(f *elf.File, s *elf.Symbol) {
	kind := elf.ST_TYPE(s.Info)
	if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || s.Section == elf.SHN_UNDEF || s.Name == "" {
		return
	}
	at := s.Value
	if f.Machine == elf.EM_ARM {
		at &^= 1 // Thumb
	}
	rank, known := ranks[elf.ST_BIND(s.Info)]
	if !known {
		rank = 2
	}
	name, _, _ := strings.Cut(s.Name, "@") // malloc@@GLIBC_2.2.5, in symbol tables
	m.funcs = append(m.funcs, function{at, s.Size, name, rank})
}

// maxRatio bounds what compressed sections may unpack to.
const maxRatio = 64

// small says whether the sections of DWARF unpack to no more than a file of this size can hold in earnest.
func small(sections []*elf.Section, size int64) bool {
	total, any := uint64(0), false
	for _, s := range sections {
		if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			if s.Type == elf.SHT_NOBITS {
				continue
			}
			any = any || s.Name == ".debug_info" || s.Name == ".zdebug_info"
			if s.Size > uint64(size)*maxRatio {
				return false
			}
			total += s.Size
		}
	}
	return any && total <= uint64(size)*maxRatio
}

// buildID reads the note that linkers leave: 20 bytes of a hash, mostly.
func buildID(f *elf.File) string {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE && s.Size < 1<<16 {
			if data, err := s.Data(); err == nil {
				if id := noteID(data, f.ByteOrder); id != "" {
					return id
				}
			}
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE && p.Filesz < 1<<16 {
			data := make([]byte, p.Filesz)
			n, _ := io.ReadFull(p.Open(), data)
			if id := noteID(data[:n], f.ByteOrder); id != "" {
				return id
			}
		}
	}
	return ""
}

// noteID goes through notes: sizes of name and content, a type, then both, each padded to 4 bytes.
func noteID(data []byte, order binary.ByteOrder) string {
	for len(data) >= 12 {
		name, desc, kind := uint64(order.Uint32(data)), uint64(order.Uint32(data[4:])), order.Uint32(data[8:])
		from := 12 + (name+3)&^3
		to := from + desc
		if to > uint64(len(data)) {
			return ""
		}
		if kind == 3 && name == 4 && bytes.HasPrefix(data[12:], []byte("GNU\x00")) {
			return hex.EncodeToString(data[from:to])
		}
		data = data[min((to+3)&^3, uint64(len(data))):]
	}
	return ""
}

// debugLink reads .gnu_debuglink: a name, padding, and the checksum of the file of that name.
func debugLink(f *elf.File) (string, uint32) {
	s := f.Section(".gnu_debuglink")
	if s == nil || s.Size > 4096 {
		return "", 0
	}
	data, err := s.Data()
	end := bytes.IndexByte(data, 0)
	if err != nil || end <= 0 || len(data) < (end+4)&^3+4 {
		return "", 0
	}
	return string(data[:end]), f.ByteOrder.Uint32(data[(end+4)&^3:])
}

// crcOf is the checksum that .gnu_debuglink has of a file; 0 if it cannot be read.
func crcOf(path string) uint32 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, f); err != nil {
		return 0
	}
	return h.Sum32()
}
