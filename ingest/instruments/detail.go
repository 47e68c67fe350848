package instruments

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// detailKind is a detail of a track, known by an attribute that no other has: a result does not name itself.
type detailKind struct {
	name, attribute string
	row             func(*document, []byte)
}

var detailKinds = []detailKind{
	{"Statistics", "persistent-bytes", (*document).statisticsRow},
	{"Statistics", "count-persistent", (*document).statisticsRow},
	{"Leaks", "leaked-object", (*document).leakRow},
	{"Regions Map", "address-range", (*document).regionRow},
	{"Allocations List", "identifier", (*document).allocationRow},
	{"Allocations List", "live", (*document).allocationRow},
}

// details is what the rows of details add up to.
type details struct {
	kind        *detailKind // of the node
	allocations tally
	leaks       tally
	stacks      bool // an allocation was made after the start of the recording
	statistics  bool
	regions     bool
}

// detailRow reads a row whose values are attributes.
func (d *document) detailRow(content []byte) {
	k := d.details.kind
	if k == nil || d.tag.value(k.attribute) == nil {
		if k = d.kindOf(); k == nil {
			d.b.Problems.Count(d.at(), "want a row of Statistics, the Allocations List, Leaks or the Regions Map, have one of %s: it is left out", attributes(d.tag.attrs))
			return
		}
		d.details.kind = k
		d.names = note(d.names, k.name)
	}
	if !d.begun {
		d.begun = true
		d.b.Snapshot(table.Stamp{Line: d.line})
	}
	d.b.Process(table.Int{}, table.Null)
	k.row(d, content)
}

func (d *document) kindOf() *detailKind {
	for i := range detailKinds {
		if d.tag.value(detailKinds[i].attribute) != nil {
			return &detailKinds[i]
		}
	}
	return nil
}

// attributes tells which ones an unknown row has.
func attributes(attrs []attr) string {
	var out []string
	for _, a := range attrs[:min(len(attrs), 8)] {
		out = append(out, string(clip(a.name)))
	}
	return strings.Join(out, " ")
}

// figure is an attribute that holds a number.
func (d *document) figure(s []byte, what string) table.Int {
	if n, ok := decimal(s); ok {
		return table.Known(int64(n))
	}
	at := s
	if s == nil {
		at = d.tag.name
	}
	d.problem(at, "want %s as a whole number, have %q: no sum over it is known", what, clip(s))
	return table.Int{}
}

// symOf is the string of an attribute, Null where it is empty.
func (d *document) symOf(s []byte) table.Sym {
	if len(s) == 0 {
		return table.Null
	}
	return d.sym(s)
}

// caller makes a stack of one call, of what a row says of its responsible caller.
func (d *document) caller(name, library []byte) int64 {
	if len(name) == 0 || bytes.HasPrefix(name, []byte("&lt;Call stack limit")) || bytes.HasPrefix(name, []byte("<Call stack limit")) {
		return 0
	}
	f := frameOf{module: d.symOf(base(library))}
	if f.address, f.hasAddress = hexadecimal(name); !f.hasAddress {
		f.function = d.symOf(name)
	}
	return d.stack([]value{frame | value(d.frames.put(f))}, d.line).stackID()
}

// statisticsRow is the total of a category of allocations, or of all of a kind.
func (d *document) statisticsRow([]byte) {
	t := &d.tag
	d.details.statistics = true
	site := table.Site{Line: d.line,
		LiveBytes: d.figure(t.value("persistent-bytes"), "persistent-bytes"), LiveCount: d.figure(t.value("count-persistent"), "count-persistent"),
		TotalBytes: d.figure(t.value("total-bytes"), "total-bytes"), TotalCount: d.figure(t.value("count-total"), "count-total")}
	writeStatistics(d.b, &d.words, d.b.String(d.symOf(t.value("category"))), site)
}

// regionRow is a mapping of VM Tracker.
func (d *document) regionRow([]byte) {
	d.details.regions = true
	m := table.Mapping{Line: d.line}
	for _, a := range d.tag.attrs {
		switch string(a.name) {
		case "address-range":
			from, to, ok := bytes.Cut(a.value, []byte(" - "))
			start, ok1 := hexadecimal(from)
			end, ok2 := hexadecimal(to)
			if m.HasRange = ok && ok1 && ok2 && start <= end; !m.HasRange {
				d.problem(a.value, "want 0xSTART - 0xEND, have %q", clip(a.value))
				continue
			}
			m.Start, m.End = start, end
		case "path":
			m.Path = d.sym(a.value)
		case "type":
			m.Category = d.sym(a.value)
		case "protections":
			perms, _, _ := bytes.Cut(a.value, []byte("/"))
			m.Perms = d.sym(perms)
		case "virtual-size":
			d.regionSize(&m, table.MapSize, a)
		case "resident-size":
			d.regionSize(&m, table.MapRSS, a)
		case "dirty-size":
			d.regionSize(&m, table.MapDirty, a)
		case "swapped-size":
			d.regionSize(&m, table.MapSwap, a)
		}
	}
	d.b.Map(&m)
}

func (d *document) regionSize(m *table.Mapping, s table.Size, a attr) {
	if v := d.figure(a.value, string(a.name)); v.OK {
		m.Set(s, v.V)
	} else {
		m.Bad |= 1 << s
	}
}

// write gives what the rows of details add up to. Of a truncated document the sums are not known: sites stay, as the
// least that there is, but no total is given.
func (x *details) write(d *document) {
	d.b.Process(table.Int{}, table.Null)
	if !d.closed && x.regions {
		d.b.Incomplete()
	}
	d.writeAllocations()
	d.writeLeaks()
}
