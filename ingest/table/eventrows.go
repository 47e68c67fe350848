package table

import "strings"

// EventRow is one row of events. Strings are Syms of the set it came from, or of the Builder that it is streamed from.
type EventRow struct {
	TimeNS, Seq    int64
	PID, TID       Int
	Op, Class      Sym
	Object         uint64
	HasObject      bool
	Size, Refcount Int
	Device         Sym
	Stack          int64
	Place          int64 // line in the file
}

// EachEvent visits the events of a run in order of time; what is equal in it in the order of the file.
func (s *Set) EachEvent(visit func(*EventRow)) {
	var e EventRow
	for _, b := range s.tables[Events] {
		c := b.cols
		for i := range b.n {
			e = EventRow{TimeNS: c[0].ints[i], Seq: c[eventSeq].ints[i], PID: c[eventPID].at(i), TID: c[eventTID].at(i), Op: c[eventOp].syms[i], Class: c[eventClass].syms[i],
				Object: uint64(c[eventObject].ints[i]), HasObject: c[eventObject].known(i), Size: c[eventSize].at(i), Refcount: c[eventRefcount].at(i),
				Device: c[eventDevice].syms[i], Stack: c[eventStack].at(i).V, Place: c[eventFile+1].ints[i]}
			visit(&e)
		}
	}
}

// EachStream visits what was not kept as rows, with the file it is of.
func (s *Set) EachStream(visit func(*File, *Stream)) {
	for i := range s.Files {
		for k := range s.Files[i].Streams {
			visit(&s.Files[i], &s.Files[i].Streams[k])
		}
	}
}

// EventFile names the file of the events of a run: the first, where there are several.
func (s *Set) EventFile() string {
	for _, b := range s.tables[Events] {
		if b.n > 0 {
			return s.strings[b.cols[eventFile].syms[0]]
		}
	}
	for i := range s.Files {
		if len(s.Files[i].Streams) > 0 {
			return s.Files[i].Name
		}
	}
	return ""
}

// Call is one frame of a stack, with its strings.
type Call struct {
	ID                           int64
	Function, Module, SourceFile string
	SourceLine                   Int
	Address                      uint64
	HasAddress                   bool
}

// Name is the function, else the address, else the module.
func (c *Call) Name() string {
	switch {
	case c.Function != "":
		return c.Function
	case c.HasAddress:
		return hexAddress(c.Address)
	}
	return c.Module
}

// Garbage says whether a frame is a bare address that cannot be one of code: above the user's half of the address space, and not
// of the kernel.
func (c *Call) Garbage() bool { return c.Function == "" && c.HasAddress && garbage(c.Address) }

// Calls gives a stack by the id of its leaf, leaf first.
func (s *Set) Calls(id int64) (out []Call) {
	s.EachCall(id, func(c *Call) bool {
		out = append(out, *c)
		return true
	})
	return out
}

// EachCall visits a stack by the id of its leaf, leaf first, as long as visit says so. The call is valid until visit returns.
func (s *Set) EachCall(id int64, visit func(*Call) bool) {
	var c Call
	for n := 0; id > 0 && n < MaxStack; n++ {
		b, i := s.frameAt(id)
		if b == nil {
			return
		}
		if c = s.call(b, i); !visit(&c) {
			return
		}
		id = b.cols[1].at(i).V
	}
}

// Depth is the number of frames of a stack by the id of its leaf; MaxStack+1 for more than a walk visits.
func (s *Set) Depth(id int64) (n int) {
	for ; id > 0 && n <= MaxStack; n++ {
		b, i := s.frameAt(id)
		if b == nil {
			break
		}
		id = b.cols[1].at(i).V
	}
	return n
}

// Caller is the id of the caller of a frame; 0 for none.
func (s *Set) Caller(id int64) int64 {
	b, i := s.frameAt(id)
	if b == nil {
		return 0
	}
	return b.cols[1].at(i).V
}

// Call is a frame by its id; false if there is none.
func (s *Set) Call(id int64) (Call, bool) {
	b, i := s.frameAt(id)
	if b == nil {
		return Call{}, false
	}
	return s.call(b, i), true
}

func (s *Set) call(b *Batch, i int) Call {
	c := b.cols
	return Call{c[0].ints[i], s.strings[c[2].syms[i]], s.strings[c[5].syms[i]], s.strings[c[3].syms[i]], c[4].at(i), uint64(c[6].ints[i]), c[6].known(i)}
}

func hexAddress(v uint64) string {
	const digits = "0123456789abcdef"
	var buf [16]byte
	i := len(buf)
	for {
		i--
		buf[i] = digits[v&15]
		if v >>= 4; v == 0 {
			return "0x" + string(buf[i:])
		}
	}
}

// allocators are functions that only pass an allocation on: what libc, libstdc++ and libc++ export for it. Nothing else of
// them (sysmalloc, arenas) is skipped, nor anything of the kernel. Of CUDA its allocating calls are, of PyTorch its C++.
var allocators = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("malloc calloc realloc reallocarray free cfree memalign aligned_alloc posix_memalign valloc pvalloc strdup strndup " +
		"__libc_malloc __libc_calloc __libc_realloc __libc_free __libc_memalign " +
		"__GI___libc_malloc __GI___libc_calloc __GI___libc_realloc __GI___libc_free __GI___libc_memalign") {
		out[w] = true
	}
	return out
}()

// IsAllocator says whether a function, or all of its module, only passes allocations on: the site of an allocation is the first
// frame that does not.
func IsAllocator(function, module string) bool {
	if allocators[function] {
		return true
	}
	for _, p := range []string{"operator new", "operator delete", "_Znw", "_Zna", "_Zdl", "_Zda", "__interceptor_", "torch::", "c10::", "at::", "cudaMalloc", "cudaHostAlloc", "cuMemAlloc", "cuMemHostAlloc"} {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	for _, p := range []string{"libjemalloc", "libtcmalloc", "vgpreload_", "libheaptrack", "libcuda.so", "libcudart.so"} {
		if strings.HasPrefix(module, p) {
			return true
		}
	}
	return false
}

// SiteOf is the name of the first call, from the leaf, that is not of an allocator; that of the leaf where all are. In a stack
// with Python in it, it is the first call of Python: what lies below is the interpreter and its libraries.
func SiteOf(leafFirst []Call) string {
	for i := range leafFirst {
		if c := &leafFirst[i]; strings.HasSuffix(c.SourceFile, ".py") {
			return c.Name()
		}
	}
	for i := range leafFirst {
		if c := &leafFirst[i]; !IsAllocator(c.Function, c.Module) {
			return c.Name()
		}
	}
	if len(leafFirst) == 0 {
		return ""
	}
	return leafFirst[0].Name()
}

// Bare says whether a stack of the Builder has at most one frame that is somebody's: addresses above the user's half and
// not of the kernel are none.
func (b *Builder) Bare(stack int64) bool {
	n := 0
	for id := stack; id > 0 && n < 2; {
		at := b.trie.nodes.At(int(id - 1))
		if raw := at.code&1 != 0 && b.trie.codes.At(int(at.code>>1)).function == Null; !raw || !garbage(at.address) {
			n++
		}
		id = int64(at.parent)
	}
	return n <= 1
}

func garbage(address uint64) bool { return address >= 1<<47 && address < 0xffff_8000_0000_0000 }

// ProcessNames gives the names of the processes that a run tells, by pid.
func (s *Set) ProcessNames() map[int64]string {
	out := map[int64]string{}
	s.eachSubject(func(pid *vector, process []Sym, i int) {
		if pid.known(i) && process[i] != Null && out[pid.ints[i]] == "" {
			out[pid.ints[i]] = s.strings[process[i]]
		}
	})
	return out
}

// EventPIDs is the number of processes in the events of a run.
func (s *Set) EventPIDs() int {
	if s.eventPIDs == 0 {
		seen := map[int64]bool{}
		for _, b := range s.tables[Events] {
			c := &b.cols[eventPID]
			for i := range b.n {
				if c.known(i) {
					seen[c.ints[i]] = true
				}
			}
		}
		s.eventPIDs = len(seen) + 1
	}
	return s.eventPIDs - 1
}
