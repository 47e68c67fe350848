package symbols

import (
	"bytes"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v)
	}
}

func name16(s string) (out [16]byte) {
	copy(out[:], s)
	return out
}

// machFile is a Mach-O executable of one section of code with two functions, a symbol of data and a debug symbol.
func machFile() []byte {
	const headers = 32 + 72 + 80 + 24 + 24
	strs := "\x00__ZN3app4leakEv\x00_main\x00_data\x00"
	var b bytes.Buffer
	put(&b, macho.FileHeader{Magic: macho.Magic64, Cpu: macho.CpuAmd64, Type: macho.TypeExec, Ncmd: 3, Cmdsz: headers - 32}, uint32(0))
	put(&b, macho.Segment64{Cmd: macho.LoadCmdSegment64, Len: 152, Name: name16("__TEXT"), Addr: 0x100000000, Memsz: 0x4000, Filesz: 0x4000, Prot: 5, Maxprot: 5, Nsect: 1})
	put(&b, macho.Section64{Name: name16("__text"), Seg: name16("__TEXT"), Addr: 0x100001000, Size: 0x200, Offset: 0x1000, Flags: 0x80000400})
	put(&b, uint32(machUUID), uint32(24), [16]byte{0xab, 15: 0xcd})
	put(&b, macho.SymtabCmd{Cmd: macho.LoadCmdSymtab, Len: 24, Symoff: headers, Nsyms: 3, Stroff: headers + 3*16, Strsize: uint32(len(strs))})
	put(&b, macho.Nlist64{Name: 1, Type: 0x0f, Sect: 1, Value: 0x100001000}, macho.Nlist64{Name: 17, Type: 0x0f, Sect: 1, Value: 0x100001080},
		macho.Nlist64{Name: 23, Type: 0x24, Sect: 1, Value: 0x100001010})
	b.WriteString(strs)
	return b.Bytes()
}

// peFile is a PE executable of one section of code with one function.
func peFile() []byte {
	const from = 64 + 4 + 20 + 240 + 40
	var b bytes.Buffer
	b.WriteString("MZ" + strings.Repeat("\x00", 58) + "\x40\x00\x00\x00PE\x00\x00")
	put(&b, pe.FileHeader{Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, PointerToSymbolTable: from, NumberOfSymbols: 2, SizeOfOptionalHeader: 240})
	put(&b, pe.OptionalHeader64{Magic: 0x20b, ImageBase: 0x140000000, NumberOfRvaAndSizes: 16})
	put(&b, pe.SectionHeader32{Name: [8]byte{'.', 't', 'e', 'x', 't'}, VirtualSize: 0x200, VirtualAddress: 0x1000, Characteristics: peCode})
	put(&b, pe.COFFSymbol{Name: [8]byte{'l', 'e', 'a', 'k'}, Value: 0x20, SectionNumber: 1, Type: peFunction, StorageClass: 2})
	put(&b, pe.COFFSymbol{Name: [8]byte{'d', 'a', 't', 'a'}, Value: 0x30, SectionNumber: 1, StorageClass: 2}, uint32(4))
	return b.Bytes()
}

// TestForeign: offsets in Mach-O and PE files count from the address that they are linked for.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		name   string
		data   []byte
		offset uint64
		want   string
		build  string
	}{
		{"Mach-O", machFile(), 0x1034, "_ZN3app4leakEv", "ab0000000000000000000000000000cd"},
		{"Mach-O, next function", machFile(), 0x1081, "main", "ab0000000000000000000000000000cd"},
		{"PE", peFile(), 0x1040, "leak", ""},
	} {
		m, err := load(bytes.NewReader(c.data), int64(len(c.data)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m.sort()
		pc, ok := m.address(spot{offset: c.offset})
		got := m.lookup(pc, false, true)
		if !ok || len(got) != 1 || got[0].function != c.want || m.build != c.build {
			t.Errorf("%s: %x %v %v, build %q; want %s, %q", c.name, pc, ok, got, m.build, c.want, c.build)
		}
		if _, ok := m.address(spot{offset: 0x100000}); ok {
			t.Errorf("%s: code behind the end", c.name)
		}
	}
	if _, err := load(strings.NewReader("\xca\xfe\xba\xbe\x00\x00\x00\x02"), 8); err == nil || !strings.Contains(err.Error(), "lipo") {
		t.Errorf("a universal binary: %v", err)
	}
}

// FuzzImage: no damaged binary ends the program, and what it names lies in it.
func FuzzImage(f *testing.F) {
	f.Add(machFile(), uint64(0x1034))
	f.Add(peFile(), uint64(0x1040))
	for _, name := range []string{"app", "app.debug", "app.stripped"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint64(0x175))
	}
	f.Fuzz(func(t *testing.T, data []byte, offset uint64) {
		p := t.TempDir() + "/x"
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Skip()
		}
		m, err := open(entry{p, "x"})
		if err != nil {
			return
		}
		for _, link := range []bool{false, true} {
			pc, ok := m.address(spot{offset: offset, link: link})
			if !ok {
				continue
			}
			for _, at := range m.lookup(pc, true, link) {
				if at.function == "" {
					t.Error("a place without a name")
				}
			}
		}
	})
}

// FuzzTables: tables of JIT compilers and lists of mappings.
func FuzzTables(f *testing.F) {
	f.Add([]byte("1000 100 old\n1040 20 new\n"), uint64(0x1041))
	f.Add([]byte("DTiJ\x01\x00\x00\x00\x28\x00\x00\x00"+strings.Repeat("\x00", 28)+"\x00\x00\x00\x00\x10\x00\x00\x00"), uint64(1))
	f.Add([]byte("7f0000000000-7f0000001000 r-xp 00000000 fe:00 9 /opt/app\n"), uint64(0x7f0000000010))
	f.Fuzz(func(t *testing.T, data []byte, address uint64) {
		for _, base := range []string{"perf-1.map", "jit-1.dump"} {
			_, read := tableName(base)
			codes, ok := read(data, source.Pos{}, new(source.Problems))
			if !ok {
				continue
			}
			pieces := paint(codes)
			for i, s := range pieces {
				if s.from >= s.to || i > 0 && s.from < pieces[i-1].to {
					t.Fatalf("pieces overlap: %v", pieces)
				}
			}
			last := ""
			for _, c := range codes {
				if address >= c.from && address < c.to {
					last = c.name
				}
			}
			j := &jit{codes: map[int64][]code{1: codes}, pieces: map[int64][]span{}}
			if got, _ := j.find(table.Known(1), address); got.function != last {
				t.Errorf("%x is %q, want the last that has it, %q", address, got.function, last)
			}
		}
		for _, m := range parseMaps(data) {
			if m.start >= m.end {
				t.Errorf("%+v", m)
			}
		}
	})
}
