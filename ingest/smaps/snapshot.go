package smaps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/category"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// pathClasses keeps the class of every path under both rule sets, since which one holds is known only at the end of
// a snapshot. The slices are indexed by table.Sym.
type pathClasses struct {
	b       *table.Builder
	empty   table.Sym
	known   []bool
	android []bool // the path marks its capture as Android's
	class   [2][]class
}

type class struct{ category, subcategory table.Sym }

// learn classifies a path when it is met first, and says whether it is one of Android.
func (p *pathClasses) learn(y table.Sym, path []byte) bool {
	for int(y) >= len(p.known) {
		p.known = append(p.known, false)
		p.android = append(p.android, false)
		p.class[0] = append(p.class[0], class{})
		p.class[1] = append(p.class[1], class{})
	}
	if !p.known[y] {
		p.known[y], p.android[y] = true, category.Android(path)
		p.class[0][y] = p.intern(category.OfLinux.Classify(path))
		p.class[1][y] = p.intern(category.OfAndroid.Classify(path))
	}
	return p.android[y]
}

func (p *pathClasses) intern(c category.Class) class {
	out := class{category: p.b.Text(c.Category)}
	if c.Subcategory != "" {
		out.subcategory = p.b.Text(c.Subcategory)
	}
	return out
}

// closeMapping notes how many fields a whole mapping of this capture has.
func (d *decoder) closeMapping() {
	if d.open && d.fresh {
		d.usual, d.fresh = 0, false
	}
	if d.open {
		d.usual = max(d.usual, d.fields)
	}
	d.open = false
}

// end writes the snapshot. One that was cut is dropped whole, as its sums would be false.
func (d *decoder) end(eof bool) {
	defer func() { d.rows = d.rows[:0] }()
	if len(d.rows) == 0 {
		return
	}
	if why := d.cut(); why != "" {
		at := d.l.Pos(0)
		if !eof {
			at.Line = d.rows[len(d.rows)-1].Line
		}
		d.b.Problems.Add(at, "snapshot dropped: %s (%d mappings, the last of %d fields where %d are usual)", why, len(d.rows), d.fields, d.usual)
		d.open = false
		return
	}
	d.closeMapping()
	d.whole = d.whole || d.special()
	d.b.Whole = d.whole
	if eof && !d.whole {
		d.b.Doubt = &table.Doubt{Pos: d.l.Pos(0), Found: fmt.Sprintf("the last mapping is %q, where a whole smaps ends in one of the kernel's ([stack], [vdso], [vsyscall])", clip([]byte(d.lastPath())))}
	}
	d.write()
}

// cut says how a snapshot shows that its end is missing: it ends in half a line; its last mapping has fewer fields than
// the ones before; or, as the kernel writes whole mappings only and a process that ends while it is read just stops,
// it does not end in a mapping of the kernel although another one of this capture does.
func (d *decoder) cut() string {
	switch {
	case d.half != "":
		return d.half
	case d.maps && !d.l.Ended() && !d.special():
		return halfLine
	case d.open && !d.maps && (d.fields == 0 || d.fields < d.usual || len(d.rows) == 1 && d.rows[0].Has&least != least):
		return "its last mapping is not whole"
	case d.whole && !d.special():
		return "it ends before the mappings that the kernel puts last"
	}
	return ""
}

// least are the fields that every kernel prints (2.6.14 and later).
const least = 1<<table.MapSize | 1<<table.MapRSS | 1<<table.MapSharedClean | 1<<table.MapSharedDirty | 1<<table.MapPrivateClean | 1<<table.MapPrivateDirty

// special says whether the last mapping is one that ends an address space: the stack, or what the kernel puts above it.
// The vdso and its data are elsewhere in a static program, so they count only behind the stack.
func (d *decoder) special() bool {
	path := d.lastPath()
	switch {
	case path == "[stack]" || path == "[vsyscall]" || path == "[vectors]":
		return true
	case strings.HasPrefix(path, "[v") || path == "[sigpage]" || path == "[uprobes]":
		return slices.ContainsFunc(d.rows, func(m table.Mapping) bool { return d.b.String(m.Path) == "[stack]" })
	}
	return false
}

func (d *decoder) lastPath() string { return d.b.String(d.rows[len(d.rows)-1].Path) }

func (d *decoder) write() {
	chained := category.For(d.android).Chained()
	d.b.Fact("platform", platforms[d.android])
	d.b.Reserve(table.Mappings, len(d.rows))
	var last table.Mapping
	for i := range d.rows {
		m := &d.rows[i]
		c := d.paths.class[b2i(d.android)][m.Path]
		m.Category, m.Subcategory = c.category, c.subcategory
		if m.Path == d.paths.empty && chained != "" && m.Start == last.End && d.b.String(last.Category) == chained {
			m.Category, m.Subcategory = last.Category, last.Subcategory
		}
		if !m.SetDirty() {
			d.b.Problems.Count(source.Pos{File: d.b.File, Line: m.Line}, "want a sum of dirty below 2^63 bytes, have a larger one: it is left out")
		}
		d.b.Map(m)
		last.Category, last.Subcategory, last.End = m.Category, m.Subcategory, m.End
	}
	if d.lost {
		d.b.Incomplete()
	}
	d.total += len(d.rows)
}

var platforms = map[bool]string{true: "Android", false: "Linux"}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
