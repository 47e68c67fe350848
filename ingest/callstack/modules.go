package callstack

import (
	"cmp"
	"path"
	"slices"
	"strconv"
)

// Mapping is a mapped file, from the map of modules that a profile carries.
type Mapping struct {
	Start, End, Offset uint64
	Path               string
}

// Modules are the mapped files of a process, for the names of addresses without a symbol.
type Modules struct {
	list   []Mapping
	sorted bool
}

// Add notes a mapping. Of two with one start, the one noted last is taken: a library was loaded in the place of another.
func (m *Modules) Add(x Mapping) { m.list, m.sorted = append(m.list, x), false }

// Len is the number of mappings.
func (m *Modules) Len() int { return len(m.list) }

// Find gives the base name of the file at an address and the place in it, the offset of the mapping counted in.
func (m *Modules) Find(addr uint64) (module string, offset uint64, ok bool) {
	if !m.sorted {
		slices.SortStableFunc(m.list, func(a, b Mapping) int { return cmp.Compare(a.Start, b.Start) })
		m.sorted = true
	}
	i, _ := slices.BinarySearchFunc(m.list, addr, func(x Mapping, a uint64) int {
		if x.Start <= a {
			return -1
		}
		return 1
	})
	if i == 0 || addr >= m.list[i-1].End {
		return "", 0, false
	}
	x := &m.list[i-1]
	return path.Base(x.Path), addr - x.Start + x.Offset, true
}

// Frame is a call of which only the address is known: module+0xoffset where a mapping holds it.
func (m *Modules) Frame(addr uint64) Frame {
	f := Frame{Address: addr, HasAddress: true}
	if module, offset, ok := m.Find(addr); ok {
		f.Module, f.Function = module, module+"+0x"+strconv.FormatUint(offset, 16)
	}
	return f
}
