package smaps

import (
	"github.com/memtide/memtide/ingest/category"
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
	if d.open {
		d.usual = max(d.usual, d.fields)
	}
	d.open = false
}

// end writes the snapshot. One that was cut is dropped whole, as its sums would be false: it ends in half a line, or
// its last mapping has fewer fields than the ones before. A cut in the middle of a file is a process that died
// while it was read.
func (d *decoder) end(eof bool) {
	defer func() { d.rows = d.rows[:0] }()
	if len(d.rows) == 0 {
		return
	}
	last := &d.rows[len(d.rows)-1]
	if d.half || d.open && !d.maps && (d.fields == 0 || d.fields < d.usual) {
		at, how := d.l.Line(), "ends in the middle of a mapping"
		if !eof {
			at, how = last.Line, "its last mapping is not whole"
		}
		p := d.l.Pos(0)
		p.Line = at
		d.b.Problems.Add(p, "snapshot dropped: %s (%d mappings, the last of %d fields where %d are usual)", how, len(d.rows), d.fields, d.usual)
		d.open, d.failed = false, true
		return
	}
	d.closeMapping()
	d.write()
}

func (d *decoder) write() {
	chained := category.For(d.android).Chained()
	d.b.Fact("platform", platforms[d.android])
	var last table.Mapping
	for i := range d.rows {
		m := &d.rows[i]
		c := d.paths.class[b2i(d.android)][m.Path]
		m.Category, m.Subcategory = c.category, c.subcategory
		if m.Path == d.paths.empty && chained != "" && m.Start == last.End && d.b.String(last.Category) == chained {
			m.Category, m.Subcategory = last.Category, last.Subcategory
		}
		const parts = 1<<table.MapSharedDirty | 1<<table.MapPrivateDirty
		if m.Has&parts == parts {
			m.Set(table.MapDirty, m.Sizes[table.MapSharedDirty]+m.Sizes[table.MapPrivateDirty])
		}
		d.b.Map(m)
		last.Category, last.Subcategory, last.End = m.Category, m.Subcategory, m.End
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
