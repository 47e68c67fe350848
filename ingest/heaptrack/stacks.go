package heaptrack

import (
	"bytes"
	"math"
	"path"

	"github.com/memtide/memtide/ingest/blocks"
	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// stacks are the tables that a file builds up: strings, addresses, and the tree of traces.
type stacks struct {
	b            *table.Builder
	strings      []table.Sym       // from 1; 0 is none
	bases        []table.Sym       // base names of strings that are modules, filled when they are met; -1 before
	calls        []call            // of all addresses, those of one address innermost first
	ips          []span            // from 1; places in calls
	traces       blocks.List[node] // from 1; 0 is the root
	program      string
	modules      callstack.Modules // raw
	places       map[uint64]int    // raw: address to ips
	late         int               // lists of modules that were added to one in use
	suppressions suppressions
}

// heaptrack unloads all modules before it lists them again. A list that grows while it is in use must be sorted each time,
// and the kernel has a bound on segments (vm.max_map_count): beyond these the time would be out of proportion.
const (
	maxLate     = 100
	maxSegments = 1 << 16
)

// call is one frame of an address: more than one where calls were inlined.
type call struct {
	frame      table.Frame
	code       table.Code
	allocator  bool
	suppressed bool
}

type span struct{ first, end int32 }

// node is a trace: its place in the table of frames, and whose allocation one with this stack is.
type node struct {
	frame      int32 // ids of frames are dense: there are no more than traces and calls
	owner      int32 // the first call, from the leaf, that is not of an allocator; ^ the leaf where all are; nobody
	site       int32 // of the ledger; -1 where there is none yet
	suppressed bool
}

// nobody is the owner of a trace without a call.
const nobody = math.MinInt32

func (s *stacks) init(b *table.Builder) {
	s.b = b
	s.strings, s.bases = []table.Sym{table.Null}, []table.Sym{table.Null}
	s.ips = []span{{}}
	s.traces.Add(node{owner: nobody, site: -1})
	s.places = map[uint64]int{}
}

// text reads "s 4 main"; versions before 3 have no length.
func (r *reader) text(f *fields) bool {
	if r.sized {
		if _, ok := f.hex(); !ok {
			return false
		}
	}
	s := &r.stacks
	if len(s.strings) == 1 {
		r.name(f.text())
	}
	y := table.Null
	if t := f.text(); len(t) > 0 {
		y = r.b.Sym(t)
	}
	s.strings, s.bases = append(s.strings, y), append(s.bases, -1)
	return true
}

// string takes the index of a string; 0 is none.
func (s *stacks) string(f *fields) (int, bool) {
	i, ok := f.index()
	return i, ok && i < len(s.strings)
}

// base is the base name of a string that is a path.
func (s *stacks) base(i int) table.Sym {
	if s.bases[i] < 0 {
		s.bases[i] = s.b.Text(path.Base(s.b.String(s.strings[i])))
	}
	return s.bases[i]
}

// instruction reads "i IP MODULE [FUNCTION [FILE LINE]]…", the calls of one address, the innermost first. One that cannot
// be read keeps its number, so that those behind it keep theirs.
func (r *reader) instruction(f *fields) bool {
	s := &r.stacks
	first := len(s.calls)
	defer func() { s.ips = append(s.ips, span{int32(first), int32(len(s.calls))}) }()
	ip, ok := f.hex()
	module, known := s.string(f)
	if !ok || !known {
		return false
	}
	frame := table.Frame{Module: s.base(module), Address: ip, HasAddress: true}
	if f.done() {
		s.call(frame)
		return true
	}
	for !f.done() {
		function, ok1 := s.string(f)
		if !ok1 {
			s.call(frame)
			return false
		}
		frame.Function, frame.SourceFile, frame.SourceLine = s.strings[function], table.Null, table.Int{}
		if f.done() { // a symbol of which no debug information tells the place
			s.call(frame)
			return true
		}
		file, ok2 := s.string(f)
		line, ok3 := f.index()
		if ok2 && ok3 {
			frame.SourceFile, frame.SourceLine = s.strings[file], table.Int{V: int64(line), OK: line > 0}
		}
		if s.call(frame); !ok2 || !ok3 {
			return false
		}
	}
	return true
}

// call adds a frame to the address that is being read.
func (s *stacks) call(f table.Frame) {
	function, module := s.b.String(f.Function), s.b.String(f.Module)
	s.calls = append(s.calls, call{f, s.b.Code(f), table.IsAllocator(function, module), s.suppressions.match(function, module, s.b.String(f.SourceFile))})
}

// trace reads "t IP PARENT": the address by its number, in a raw file by itself. A trace comes after its parent. One that
// cannot be read keeps its number.
func (r *reader) trace(f *fields) bool {
	s := &r.stacks
	ip, ok := f.hex()
	parent, ok2 := f.index()
	if ok = ok && ok2 && parent < s.traces.Len(); ok && r.raw {
		ip = uint64(s.place(ip))
	}
	if !ok || ip >= uint64(len(s.ips)) {
		s.traces.Add(node{owner: nobody, site: -1})
		return false
	}
	s.traces.Add(s.grow(*s.traces.At(parent), s.ips[ip], r.l.Line()))
	return true
}

// grow puts the calls of an address on a trace.
func (s *stacks) grow(n node, at span, line int) node {
	n.site = -1
	for i := at.end - 1; i >= at.first; i-- {
		c := &s.calls[i]
		n.frame = int32(s.b.Call(int64(n.frame), c.code, c.frame.Address, c.frame.HasAddress, line))
		n.suppressed = n.suppressed || c.suppressed
		if !c.allocator {
			n.owner = i
		} else if n.owner < 0 {
			n.owner = ^i
		}
	}
	return n
}

// class names the owner of a trace; the leaf where all calls are of an allocator.
func (s *stacks) class(n *node) table.Sym {
	if n.owner == nobody {
		return table.Null
	}
	f := &s.calls[max(n.owner, ^n.owner)].frame
	if f.Function != table.Null {
		return f.Function
	}
	return s.b.Text((&callstack.Frame{Address: f.Address, HasAddress: f.HasAddress}).Name())
}

// place numbers an address of a raw file, named by the modules that are loaded now.
func (s *stacks) place(addr uint64) int {
	if i, ok := s.places[addr]; ok {
		return i
	}
	f := s.modules.Frame(addr)
	first := int32(len(s.calls))
	frame := table.Frame{Address: addr, HasAddress: true}
	if f.Function != "" {
		frame.Function, frame.Module = s.b.Text(f.Function), s.b.Text(f.Module)
	}
	s.call(frame)
	s.ips = append(s.ips, span{first, first + 1})
	s.places[addr] = len(s.ips) - 1
	return len(s.ips) - 1
}

// module reads "m LEN PATH BASE {VADDR SIZE}", the segments of one file in memory; "m 1 -" unloads all, "x" is the
// program. The offset that a name gets is that of the file's own addresses.
func (r *reader) module(f *fields) bool {
	s := &r.stacks
	size := 0
	if r.sized {
		v, ok := f.index()
		if !ok || v > len(f.line)-f.pos-1 {
			return false
		}
		size = v
	} else if size = bytes.IndexByte(append(f.text(), ' '), ' '); size < 0 {
		return false
	}
	name := f.text()[:min(size, len(f.text()))]
	f.pos += 1 + len(name)
	if string(name) == "-" {
		s.modules, s.late = callstack.Modules{}, 0
		clear(s.places)
		return true
	}
	if len(s.places) > 0 {
		s.late++
	}
	if s.late > maxLate || s.modules.Len() > maxSegments {
		r.b.Problems.Count(r.l.Pos(1), "want modules listed anew after they change, have ever more: these are not used")
		return true
	}
	clear(s.places)
	return s.segments(string(name), f)
}

func (s *stacks) segments(name string, f *fields) bool {
	if name == "x" {
		name = s.program
	}
	base, ok := f.hex()
	for ok && !f.done() {
		addr, ok1 := f.hex()
		size, ok2 := f.hex()
		if ok = ok1 && ok2; ok && size > 0 {
			s.modules.Add(callstack.Mapping{Start: base + addr, End: base + addr + size, Offset: addr, Path: name})
		}
	}
	return ok
}
