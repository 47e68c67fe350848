package table

import (
	"slices"
	"strings"
)

// RawFrame is a frame of a set, with what helps to tell which code it is.
type RawFrame struct {
	Call
	Format string // of the capture it was read from
	PID    Int    // of the process whose stacks it is in; not known where several processes have it
	Inner  bool   // it called another frame: its address is one of a return, wherever the tool prints those
}

// Rename asks of each frame what it is called: nil keeps it, else the calls, innermost first, stand in its place (more than one
// where functions were inlined). Frames that become equal are one, and so are stacks; where the class of a site was told by its
// stack, it follows. It gives the number of frames that got another name.
func (s *Set) Rename(name func(*RawFrame) []Call) int {
	if s.Len(Frames) == 0 {
		return 0
	}
	r := &renaming{set: s, to: make([]int64, s.Len(Frames)+1), syms: s.symbols()}
	users, inner := s.users(), s.inner()
	for _, b := range s.tables[Frames] {
		for i := range b.n {
			id := b.cols[0].ints[i]
			f := RawFrame{Call: s.call(b, i), PID: users[id].pid(), Inner: inner[id]}
			if file := s.files[b.cols[7].syms[i]]; file != nil {
				f.Format = file.Format
			}
			r.place(b, i, name(&f))
		}
	}
	if r.changed > 0 {
		r.settle()
	}
	return r.changed
}

// renaming builds the frames of a set anew.
type renaming struct {
	set     *Set
	trie    trie    // nodes of two files stay two, since each row says where it was read
	to      []int64 // new ids by old ones
	syms    map[string]Sym
	changed int
}

// place writes row i of a batch, or what it is to be called.
func (r *renaming) place(b *Batch, i int, calls []Call) {
	c := b.cols
	id, parent, file, line := c[0].ints[i], int64(0), c[7].syms[i], c[8].ints[i]
	if p := c[1].at(i); p.OK && p.V > 0 && p.V < id {
		parent = r.to[p.V]
	}
	if calls == nil {
		r.to[id] = r.trie.frame(&Frame{parent, c[2].syms[i], c[5].syms[i], c[3].syms[i], c[4].at(i), uint64(c[6].ints[i]), c[6].known(i)}, file, line)
		return
	}
	r.changed++
	for k := len(calls) - 1; k >= 0; k-- {
		n := &calls[k]
		parent = r.trie.frame(&Frame{parent, r.sym(n.Function), r.sym(n.Module), r.sym(n.SourceFile), n.SourceLine, n.Address, n.HasAddress}, file, line)
	}
	r.to[id] = parent
}

// sym numbers a string in the dictionary of the set; the empty one is Null.
func (r *renaming) sym(text string) Sym {
	if text == "" {
		return Null
	}
	y, ok := r.syms[text]
	if !ok {
		y = Sym(len(r.set.strings))
		r.set.strings = append(r.set.strings, text)
		r.syms[text] = y
	}
	return y
}

// settle puts the new frames in the place of the old, and all that holds ids of them in step.
func (r *renaming) settle() {
	s := r.set
	classes := r.classes()
	s.tables[Frames] = r.trie.batches(cutEvery(4*batchRows, r.trie.nodes.Len()))
	for t, columns := range frameColumns {
		if ID(t) == Frames {
			continue
		}
		for _, b := range s.tables[t] {
			for _, c := range columns {
				b.follow(&b.cols[c], r.to)
			}
		}
	}
	r.reclass(classes)
	s.EachStream(func(_ *File, st *Stream) { st.moved = r.to })
}

func (b *Batch) follow(v *vector, to []int64) {
	for i := range b.n {
		if v.known(i) && v.ints[i] > 0 && v.ints[i] < int64(len(to)) {
			v.ints[i] = to[v.ints[i]]
		}
	}
}

// classes says of each old stack of the sites whether its class is the one that the stack tells.
func (r *renaming) classes() map[siteClass]bool {
	out := map[siteClass]bool{}
	for _, b := range r.set.tables[Sites] {
		for i := range b.n {
			k := siteClass{b.cols[siteStack].at(i).V, b.cols[4].syms[i]}
			if _, known := out[k]; !known && k.stack > 0 && k.stack < int64(len(r.to)) {
				out[k] = r.set.strings[k.class] == SiteOf(r.set.Calls(k.stack))
			}
		}
	}
	told := map[siteClass]bool{}
	for k, is := range out {
		if n := (siteClass{r.to[max(0, min(k.stack, int64(len(r.to)-1)))], k.class}); is {
			told[n] = true
		}
	}
	return told
}

// siteClass is a stack with the class of a site that has it.
type siteClass struct {
	stack int64
	class Sym
}

func (r *renaming) reclass(told map[siteClass]bool) {
	now := map[int64]Sym{}
	for _, b := range r.set.tables[Sites] {
		for i := range b.n {
			k := siteClass{b.cols[siteStack].at(i).V, b.cols[4].syms[i]}
			if !told[k] {
				continue
			}
			y, known := now[k.stack]
			if !known {
				y = r.sym(SiteOf(r.set.Calls(k.stack)))
				now[k.stack] = y
			}
			b.cols[4].syms[i] = y
		}
	}
}

// symbols finds the strings of the set by their text.
func (s *Set) symbols() map[string]Sym {
	out := make(map[string]Sym, len(s.strings))
	for i, text := range s.strings {
		if _, ok := out[text]; !ok && i > 0 {
			out[text] = Sym(i)
		}
	}
	return out
}

// users are the processes that a frame is in a stack of: none, one, or several.
type users struct {
	one     int64
	n       int8
	unknown bool
}

// any says whether the frame is in a stack at all.
func (u users) any() bool { return u.n > 0 || u.unknown }

// use notes that a stack of events that are no rows is one of a process.
func (s *streamed) use(stack int64, pid Int) {
	for int64(len(s.users)) <= stack {
		s.users = append(s.users, users{})
	}
	if u := &s.users[stack]; u.n < 2 {
		u.add(users{pid.V, int8(bool2int(pid.OK)), !pid.OK})
	}
}

func (u users) pid() Int { return Int{u.one, u.n == 1 && !u.unknown} }

func (u *users) add(o users) {
	switch {
	case u.n == 0:
		u.one, u.n = o.one, o.n
	case o.n > 1 || o.n == 1 && o.one != u.one:
		u.n = 2
	}
	u.unknown = u.unknown || o.unknown
}

// users finds by id of frame which processes have it. Callers have lower ids than what they call.
func (s *Set) users() []users {
	out := make([]users, s.Len(Frames)+1)
	for t, c := range map[ID]int{Sites: 1, Events: eventPID, Faults: 1} {
		for _, b := range s.tables[t] {
			for _, column := range frameColumns[t] {
				for i := range b.n {
					id, pid := b.cols[column].at(i), b.cols[c].at(i)
					if id.V > 0 && id.V < int64(len(out)) {
						out[id.V].add(users{pid.V, int8(bool2int(pid.OK)), !pid.OK})
					}
				}
			}
		}
	}
	s.EachStream(func(_ *File, st *Stream) {
		for id, u := range st.users {
			if at := int64(id) + st.Frames; id > 0 && at < int64(len(out)) && u.any() {
				out[at].add(u)
			}
		}
	})
	s.eachParent(func(id, parent int64) {
		if out[id].any() {
			out[parent].add(out[id])
		}
	})
	return out
}

func bool2int(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inner finds by id which frames have called another.
func (s *Set) inner() []bool {
	out := make([]bool, s.Len(Frames)+1)
	s.eachParent(func(_, parent int64) { out[parent] = true })
	return out
}

// eachParent visits the frames that have a caller, from the last to the first.
func (s *Set) eachParent(visit func(id, parent int64)) {
	for k := len(s.tables[Frames]) - 1; k >= 0; k-- {
		b := s.tables[Frames][k]
		for i := b.n - 1; i >= 0; i-- {
			if p := b.cols[1].at(i); p.OK && p.V > 0 && p.V < b.cols[0].ints[i] {
				visit(b.cols[0].ints[i], p.V)
			}
		}
	}
}

// Stack is the id in the set of a stack of the builder; 0 stays 0.
func (s *Stream) Stack(id int64) int64 {
	if id == 0 {
		return 0
	}
	if id += s.Frames; id > 0 && id < int64(len(s.moved)) {
		return s.moved[id]
	}
	return id
}

// Mapped is a mapping of a file, as a capture of the run lists it.
type Mapped struct {
	PID                Int
	Start, End, Offset uint64
	Inode              int64
	Path               string
	Executable         bool
}

// EachMapped visits the mappings whose address, offset and file are known, each once however often it was listed.
func (s *Set) EachMapped(visit func(Mapped)) {
	type key struct {
		pid        Int
		start, end int64
		offset     int64
		path       Sym
	}
	seen := map[key]bool{}
	for _, b := range s.tables[Mappings] {
		c := b.cols
		for i := range b.n {
			k := key{c[mapPID].at(i), c[mapStart].ints[i], c[mapEnd].ints[i], c[mapOffset].ints[i], c[mapPath].syms[i]}
			if !c[mapStart].known(i) || !c[mapOffset].known(i) || k.path == Null || seen[k] {
				continue
			}
			seen[k] = true
			perms := s.strings[c[mapPerms].syms[i]]
			visit(Mapped{k.pid, uint64(k.start), uint64(k.end), uint64(k.offset), c[mapInode].ints[i], s.strings[k.path], len(perms) > 2 && perms[2] == 'x'})
		}
	}
}

// Raw says whether a frame is told by its address alone: without a name, or as a place in a module.
func (c *Call) Raw() bool {
	return c.Function == "" || c.HasAddress && c.Module != "" && strings.HasPrefix(c.Function, c.Module+"+0x")
}

// Remark notes, once, what a reader of the tables should know and is no fault of an input.
func (s *Set) Remark(text string) {
	if !slices.Contains(s.remarks, text) {
		s.remarks = append(s.remarks, text)
	}
}

// Remarks lists them.
func (s *Set) Remarks() []string { return s.remarks }

// HasFrame says whether a frame of the set is such a one.
func (s *Set) HasFrame(is func(*Call) bool) bool {
	for _, b := range s.tables[Frames] {
		for i := range b.n {
			if c := s.call(b, i); is(&c) {
				return true
			}
		}
	}
	return false
}
