package symbols

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"
)

// lines are the line tables and inlined calls of a binary. A compilation unit is read when an address in it is asked for.
type lines struct {
	data  *dwarf.Data
	units []span // of addresses; of is an index into heads
	heads []*unit
}

// span is a range of addresses of something.
type span struct {
	from, to uint64
	of       int
}

// unit is one compilation unit.
type unit struct {
	entry *dwarf.Entry
	read  bool
	rows  []row
	files []*dwarf.LineFile
	subs  []span // functions; of is an index into offsets
	subAt []dwarf.Offset
}

// row is a line from an address on; line 0 is where none is known.
type row struct {
	address uint64
	file    string
	line    int
}

// newLines finds which unit has which addresses; nil if none tells.
func newLines(d *dwarf.Data) *lines {
	l := &lines{data: d}
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		if e.Tag == dwarf.TagCompileUnit || e.Tag == dwarf.TagSkeletonUnit {
			ranges, _ := d.Ranges(e)
			for _, g := range ranges {
				l.units = append(l.units, span{g[0], g[1], len(l.heads)})
			}
			l.heads = append(l.heads, &unit{entry: e})
		}
		r.SkipChildren()
	}
	if len(l.units) == 0 {
		return nil
	}
	sortSpans(l.units)
	return l
}

func sortSpans(s []span) {
	slices.SortStableFunc(s, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
}

// within gives the innermost span of an address: of those that hold it the one that begins last. Spans nest little, so that a
// short look back is enough.
func within(s []span, pc uint64) int {
	i := sort.Search(len(s), func(i int) bool { return s[i].from > pc })
	for n := 0; i > 0 && n < 64; n++ {
		if i--; pc < s[i].to {
			return s[i].of
		}
	}
	return -1
}

// at gives the functions at an address, innermost first, with their lines. Nothing in damaged DWARF ends the program.
func (l *lines) at(pc uint64) (out []place) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	i := within(l.units, pc)
	if i < 0 {
		return nil
	}
	u := l.heads[i]
	if !u.read {
		u.read = true
		l.readRows(u)
		l.readFunctions(u)
	}
	here := place{}
	if n := sort.Search(len(u.rows), func(i int) bool { return u.rows[i].address > pc }); n > 0 {
		here.file, here.line = u.rows[n-1].file, u.rows[n-1].line
	}
	if k := within(u.subs, pc); k >= 0 {
		return l.chain(u, u.subAt[k], pc, here)
	}
	if here.line == 0 {
		return nil
	}
	return []place{here}
}

// readRows reads the line table of a unit.
func (l *lines) readRows(u *unit) {
	r, err := l.data.LineReader(u.entry)
	if err != nil || r == nil {
		return
	}
	var e dwarf.LineEntry
	for r.Next(&e) == nil {
		one := row{address: e.Address}
		if !e.EndSequence && e.File != nil {
			one.file, one.line = e.File.Name, e.Line
		}
		if n := len(u.rows); n > 0 && u.rows[n-1].address == one.address && u.rows[n-1].line != 0 {
			u.rows[n-1] = one // an address without extent
			continue
		}
		u.rows = append(u.rows, one)
	}
	u.files = r.Files()
	slices.SortStableFunc(u.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.address, b.address), cmp.Compare(min(a.line, 1), min(b.line, 1))) // an end before the start behind it
	})
}

// readFunctions finds the functions of a unit that have code, whatever namespace or class they are in.
func (l *lines) readFunctions(u *unit) {
	r := l.data.Reader()
	r.Seek(u.entry.Offset)
	if _, err := r.Next(); err != nil {
		return
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		switch e.Tag {
		case 0:
			depth--
			continue
		case dwarf.TagSubprogram:
			ranges, _ := l.data.Ranges(e)
			for _, g := range ranges {
				u.subs = append(u.subs, span{g[0], g[1], len(u.subAt)})
			}
			u.subAt = append(u.subAt, e.Offset)
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagClassType, dwarf.TagStructType:
			if e.Children {
				depth++
				continue
			}
		}
		if e.Children {
			r.SkipChildren()
		}
	}
	sortSpans(u.subs)
}

// maxInlined bounds the calls that are inlined into each other.
const maxInlined = 64

// chain follows what is inlined at an address from the function that has it inwards. Each names the line at which it was called
// in the one around it.
func (l *lines) chain(u *unit, at dwarf.Offset, pc uint64, here place) []place {
	r := l.data.Reader()
	r.Seek(at)
	e, err := r.Next()
	if err != nil || e == nil {
		return nil
	}
	out := []place{{function: l.nameOf(e, 0)}} // outermost first
	for depth := b2i(e.Children); depth > 0 && len(out) < maxInlined; {
		if e, err = r.Next(); err != nil || e == nil {
			break
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		if (e.Tag == dwarf.TagInlinedSubroutine || e.Tag == dwarf.TagLexDwarfBlock) && l.holds(e, pc) {
			if e.Tag == dwarf.TagInlinedSubroutine {
				u.calledAt(&out[len(out)-1], e)
				out = append(out, place{function: l.nameOf(e, 0)})
			}
			depth = 1 // what follows behind it does not have the address
			if !e.Children {
				break
			}
			continue
		}
		if e.Children {
			r.SkipChildren()
		}
	}
	last := &out[len(out)-1]
	last.file, last.line = here.file, here.line
	slices.Reverse(out)
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (l *lines) holds(e *dwarf.Entry, pc uint64) bool {
	ranges, _ := l.data.Ranges(e)
	return slices.ContainsFunc(ranges, func(g [2]uint64) bool { return pc >= g[0] && pc < g[1] })
}

// calledAt sets where a function calls what is inlined into it.
func (u *unit) calledAt(p *place, e *dwarf.Entry) {
	if i, ok := e.Val(dwarf.AttrCallFile).(int64); ok && i >= 0 && i < int64(len(u.files)) && u.files[i] != nil {
		p.file = u.files[i].Name
	}
	if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok && n > 0 && n < 1<<31 {
		p.line = int(n)
	}
}

// nameOf is the name that linkers know, else that of the source; it may stand with what an entry is an instance of.
func (l *lines) nameOf(e *dwarf.Entry, depth int) string {
	if s, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
		return s
	}
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if at, ok := e.Val(a).(dwarf.Offset); ok && depth < 8 {
			r := l.data.Reader()
			r.Seek(at)
			if o, err := r.Next(); err == nil && o != nil {
				if s := l.nameOf(o, depth+1); s != "" {
					return s
				}
			}
		}
	}
	s, _ := e.Val(dwarf.AttrName).(string)
	return s
}
