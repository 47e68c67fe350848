package symbols

import (
	"debug/dwarf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Of Mach-O: what debug/macho does not name (mach-o/nlist.h, loader.h).
const (
	machStab    = 0xe0
	machType    = 0x0e
	machSection = 0x0e
	machCode    = 0x80000400 // attributes of sections with instructions
	machUUID    = 0x1b
)

// loadMachO reads the symbol table, UUID and DWARF of a Mach-O file. Its offsets count from the header.
func loadMachO(r io.ReaderAt, size int64) (*image, error) {
	f, err := macho.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("want a Mach-O file: %w", err)
	}
	m := &image{rva: true}
	for _, l := range f.Loads {
		switch s := l.(type) {
		case *macho.Segment:
			if s.Name == "__TEXT" {
				m.base = s.Addr
			}
			if s.Prot&4 != 0 {
				m.segments = append(m.segments, segment{s.Offset, s.Filesz, s.Addr, s.Memsz})
			}
		case macho.LoadBytes:
			if len(s) >= 24 && f.ByteOrder.Uint32(s) == machUUID {
				m.build = hex.EncodeToString(s[8:24])
			}
		}
	}
	if f.Symtab != nil {
		for _, s := range f.Symtab.Syms {
			if s.Type&machStab == 0 && s.Type&machType == machSection && s.Sect > 0 && int(s.Sect) <= len(f.Sections) && f.Sections[s.Sect-1].Flags&machCode != 0 {
				m.funcs = append(m.funcs, function{address: s.Value, name: strings.TrimPrefix(s.Name, "_")})
			}
		}
	}
	total := uint64(0)
	for _, s := range f.Sections {
		total += s.Size
	}
	if total <= uint64(size)*maxRatio {
		m.dwarf(f.DWARF())
	}
	return m, nil
}

func (m *image) dwarf(d *dwarf.Data, err error) {
	if err == nil {
		m.lines = newLines(d)
	}
}

// Of PE/COFF: a symbol of a function, and sections with code (winnt.h).
const (
	peFunction = 0x20
	peCode     = 0x20000020
)

// loadPE reads the COFF symbols and DWARF of a PE file, as MinGW writes them; those of PDB files are not read. Its offsets count
// from the image base.
func loadPE(r io.ReaderAt, size int64) (*image, error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("want a PE file: %w", err)
	}
	m := &image{rva: true}
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		m.base = uint64(h.ImageBase)
	case *pe.OptionalHeader64:
		m.base = h.ImageBase
	}
	total := uint64(0)
	for _, s := range f.Sections {
		total += uint64(s.Size)
		if s.Characteristics&peCode != 0 {
			m.segments = append(m.segments, segment{uint64(s.Offset), uint64(s.Size), m.base + uint64(s.VirtualAddress), uint64(s.VirtualSize)})
		}
	}
	for _, s := range f.Symbols {
		if s.Type != peFunction || s.SectionNumber <= 0 || int(s.SectionNumber) > len(f.Sections) {
			continue
		}
		name := s.Name
		if f.Machine == pe.IMAGE_FILE_MACHINE_I386 {
			name = strings.TrimPrefix(name, "_")
		}
		m.funcs = append(m.funcs, function{address: m.base + uint64(f.Sections[s.SectionNumber-1].VirtualAddress) + uint64(s.Value), name: name})
	}
	if total <= uint64(size)*maxRatio {
		m.dwarf(f.DWARF())
	}
	return m, nil
}
