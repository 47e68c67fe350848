package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// region is a line of the list of regions, taken apart.
type region struct {
	name, detail     []byte
	perms            []byte
	lo, hi           uint64
	hasRange         bool
	sizes            []cell
	opened, finished int // places of the brackets
}

// parse finds the range before a bracket, START-END or kernel-kernel: names before it and sizes in the bracket vary in width.
func (g *region) parse(line []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '[')
		if i < 0 {
			return false
		}
		if i += from; i > 0 && line[i-1] == ' ' && g.before(line[:i]) {
			g.opened = i
			end := bytes.IndexByte(line[i:], ']')
			if g.finished = i + end; end < 0 {
				return false
			}
			g.inside(line)
			g.behind(line[g.finished+1:])
			return true
		}
		from = i + 1
	}
}

// maxRange is the longest range: two addresses of 16 digits.
const maxRange = 33

// before reads the type and the range.
func (g *region) before(s []byte) bool {
	s = bytes.TrimRight(s, " ")
	from := max(0, len(s)-maxRange-1)
	i := from + bytes.LastIndexByte(s[from:], ' ')
	if i < from {
		return false
	}
	low, high, ok := bytes.Cut(s[i+1:], []byte("-"))
	if g.name = bytes.TrimSpace(s[:i+1]); !ok || len(g.name) == 0 {
		return false
	}
	start, ok1 := hexadecimal(low)
	end, ok2 := hexadecimal(high)
	g.lo, g.hi, g.hasRange = start, end, ok1 && ok2 && start <= end
	return g.hasRange || string(low) == "kernel" && string(high) == "kernel"
}

func (g *region) inside(line []byte) {
	g.sizes = g.sizes[:0]
	for i := g.opened + 1; ; {
		var w cell
		if w, i = wordAt(line[:g.finished], i); len(w.text) == 0 {
			return
		}
		g.sizes = append(g.sizes, w)
	}
}

// behind reads "rw-/rwx SM=COW PURGE=N  detail". The protection that is in force stands before the slash.
func (g *region) behind(s []byte) {
	g.perms, g.detail = nil, nil
	w, i := wordAt(s, 0)
	if len(w.text) >= 3 && bytes.IndexByte(w.text, '/') == 3 {
		g.perms = w.text[:3]
	} else {
		i = w.at
	}
	for _, key := range []string{"SM=", "PURGE="} {
		if w, next := wordAt(s, i); bytes.HasPrefix(w.text, []byte(key)) {
			i = next
		}
	}
	g.detail = bytes.TrimSpace(s[i:])
}

// regionColumns are the columns in the bracket of the head of the list.
var regionColumns = map[string]table.Size{"VSIZE": table.MapSize, "RSDNT": table.MapRSS, "DIRTY": table.MapDirty, "SWAP": table.MapSwap}

// regions reads the list of regions.
type regions struct {
	*reader
	columns []table.Size
	listed  bool // the lines below a head are regions
	region
	counts []regionCount
	index  map[table.Sym]int
}

// regionCount is how many regions of a type there are.
type regionCount struct {
	name table.Sym
	n    int64
	line int
}

var defaultColumns = []table.Size{table.MapSize, table.MapRSS, table.MapDirty, table.MapSwap}

// head reads "REGION TYPE  START - END  [ VSIZE  RSDNT  DIRTY   SWAP] …".
func (g *regions) head(line []byte) {
	g.columns, g.listed = g.columns[:0], true
	_, in, _ := bytes.Cut(line, []byte("["))
	in, _, _ = bytes.Cut(in, []byte("]"))
	for i := 0; ; {
		var w cell
		if w, i = wordAt(in, i); len(w.text) == 0 {
			return
		}
		column, ok := regionColumns[string(w.text)]
		if !ok {
			column = table.NumSizes
		}
		g.columns = append(g.columns, column)
	}
}

// row writes the region that was read last.
func (g *regions) row() {
	columns := g.columns
	if len(columns) == 0 {
		columns = defaultColumns
	}
	if len(g.sizes) != len(columns) {
		g.b.Problems.Add(g.l.Pos(g.opened+1), "want %d sizes in brackets, have %d: the region is left out", len(columns), len(g.sizes))
		g.b.Incomplete()
		return
	}
	m := table.Mapping{Line: g.l.Line(), Start: g.lo, End: g.hi, HasRange: g.hasRange, Category: symOf(g.b, g.name)}
	if len(g.perms) > 0 {
		m.Perms = symOf(g.b, g.perms)
	}
	m.Path = symOf(g.b, g.detail)
	for i, c := range g.sizes {
		g.size(&m, columns[i], c)
	}
	g.b.Map(&m)
	g.rows++
	g.count(m.Category)
}

// size sets a column. The size of the range is exact where the printed one is a rounding of it.
func (g *regions) size(m *table.Mapping, column table.Size, c cell) {
	v := sizeOf(c.text)
	switch {
	case column == table.NumSizes:
	case !v.ok:
		g.b.Problems.Add(g.l.Pos(c.at+1), "want a size such as 16K, have %q", clip(c.text))
		m.Bad |= 1 << column
	case column == table.MapSize && m.HasRange && within(m.End-m.Start, v):
		m.Set(column, int64(m.End-m.Start))
	default:
		m.Set(column, v.v)
	}
}

// within says whether an exact figure is printed as v.
func within(exact uint64, v size) bool {
	return int64(exact) >= 0 && int64(exact) >= v.v-v.half-1 && int64(exact) <= v.v+v.half+1
}

func (g *regions) count(name table.Sym) {
	i, ok := g.index[name]
	if !ok {
		if g.index == nil {
			g.index = map[table.Sym]int{}
		}
		i = len(g.counts)
		g.index[name] = i
		g.counts = append(g.counts, regionCount{name, 0, g.l.Line()})
	}
	g.counts[i].n++
}

// writeCounts gives how many regions there are, where no summary tells it.
func (g *regions) writeCounts(summed bool) {
	if len(g.counts) > 0 && !summed {
		all := int64(0)
		for _, c := range g.counts {
			all += c.n
			g.sample(g.scope.category, c.name, "count", table.Known(c.n), c.line)
		}
		g.level("count", table.Known(all), g.counts[0].line)
	}
	g.counts, g.index, g.listed = nil, nil, false
}
