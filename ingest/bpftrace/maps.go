package bpftrace

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const wantedMaps = "want prints of maps with numbers, as @bytes[…]: 4096"

// SniffMaps claims text or JSON with the print of a map that has keys, and no events.
func SniffMaps(head []byte) bool {
	return !SniffEvents(head) && (sniffText(head) || sniffJSON(head))
}

func sniffText(head []byte) bool {
	stack := false
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if stack && len(line) > 4 && string(line[:4]) == "    " {
			return true
		}
		p, ok := parsePrint(line)
		stack = ok && !p.closed
		if ok && p.closed && p.keyed {
			if _, number := integer(p.value); number || len(p.value) == 0 {
				return true
			}
		}
	}
	return false
}

func sniffJSON(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if !isRecord(line) {
			continue
		}
		kind, data, ok := cutRecord(line)
		if ok && kind == "map" && bytes.HasPrefix(after(data, "{"), []byte(`"@`)) {
			return true
		}
	}
	return false
}

// DecodeMaps reads dumps of maps: maps with a stack in the key become sites, others samples. They count since the start
// of the trace. The error is that of the reader, or says that no map was printed.
func DecodeMaps(in *source.Input, b *table.Builder) error {
	d := &maps{reader: newReader(in, b), stacks: stacks{}, class: b.Text("class"), count: b.Text("count")}
	d.cur = newDump(0, 1)
	if err := d.each(d); err != nil {
		return err
	}
	d.end()
	clock := "order"
	if d.timed {
		clock = "wall"
	}
	d.facts(clock)
	b.Fact("cumulative", "true")
	if d.rows == 0 {
		return source.Errorf(in.At(1, 1), "held nothing: %s", wantedMaps)
	}
	return nil
}

type maps struct {
	reader
	stacks       stacks
	class, count table.Sym
	cur          *dump
	waiting      []*dump // behind the last time, until it is known what stands behind them
	last         int64   // time of day printed last, ns, midnights counted in
	days         int64   // of it, what midnights added
	timed        bool
	rows         int
	open         bool // a key with a stack goes on in the next lines
	name         []byte
	frames       []byte
	at           int // line of the open key
}

// dump is the maps printed at one time.
type dump struct {
	time    int64
	line    int
	held    map[string]bool
	before  string // the map printed last
	sites   []site
	index   map[siteKey]int
	samples []table.Sample
}

type siteKey struct {
	name  string
	stack int64
}

type site struct {
	siteKey
	class table.Sym
	bytes bool
	value int64
	line  int
}

func newDump(now int64, line int) *dump {
	return &dump{time: now, line: line, held: map[string]bool{}, index: map[siteKey]int{}}
}

// text reads a line of the text form, or the time in JSON.
func (d *maps) text(line []byte, at int, whole bool) {
	if d.open && d.goesOn(line, at, whole) {
		return
	}
	if len(trim(line)) == 0 || prose(line) {
		return
	}
	if ns, ok := clockOf(line); ok {
		d.time(ns)
		return
	}
	if line[0] == '[' || line[0] == '(' {
		return // a row of a histogram
	}
	p, ok := parsePrint(line)
	switch {
	case !ok:
		d.b.Problems.Count(d.pos(at), "lines that are no prints of maps are left out")
	case !p.closed:
		d.open, d.at = true, at
		d.frames = d.frames[:0]
		d.name = append(d.name[:0], p.name...)
	case !whole:
		d.b.Problems.Add(d.pos(at), "want a line end, have the end of the input: the last value is left out")
	default:
		d.entry(p, at)
	}
}

// goesOn reads a line of a key with a stack: a frame, or what stands behind the frames.
func (d *maps) goesOn(line []byte, at int, whole bool) bool {
	switch {
	case len(trim(line)) == 0:
		return true
	case line[0] == ' ' || line[0] == '\t':
		d.frames = append(append(d.frames, line...), '\n')
		return true
	case line[0] != ']' && line[0] != ',':
		d.open = false
		d.b.Problems.Add(d.pos(at), "want the end of a key (]: value), have %q", clip(line))
		return false
	}
	i := bytes.LastIndex(line, []byte("]:"))
	if i < 0 {
		return true // another key, perhaps with a stack of its own
	}
	d.open = false
	if !whole {
		d.b.Problems.Add(d.pos(at), "want a line end, have the end of the input: the last value is left out")
		return true
	}
	d.begin(string(d.name), false)
	d.site(string(d.name), d.frames, trim(line[i+2:]), d.at)
	return true
}

// entry takes a map, or a key of one, that stands in one line.
func (d *maps) entry(p printed, at int) {
	name := string(p.name)
	d.begin(name, false)
	label := name
	if p.keyed {
		label += "[" + string(p.key) + "]"
	}
	d.sample(name, label, p.value, at)
}

// begin notes that a map is printed. A dump begins anew with a map that it already holds: in text, where every key
// is a print of its own, only if another map stood between.
func (d *maps) begin(name string, record bool) {
	c := d.cur
	if c.held[name] && (record || c.before != name) {
		d.close()
		d.cur = newDump(d.last, d.l.Line())
		d.waiting = append(d.waiting, d.cur)
		c = d.cur
	}
	c.held[name], c.before = true, name
}

// site adds a value to those of its stack: every thread has an entry of its own, with the same text.
func (d *maps) site(name string, frames, value []byte, at int) {
	n, ok := d.number(name, value, at)
	if !ok {
		return
	}
	stack := d.stacks.of(d.b, frames, at)
	key := siteKey{name, stack.Leaf}
	i, ok := d.cur.index[key]
	if !ok {
		i = len(d.cur.sites)
		d.cur.index[key] = i
		d.cur.sites = append(d.cur.sites, site{siteKey: key, class: stack.Class, bytes: countsBytes(name), line: at})
	}
	sum, ok := table.Sum(d.cur.sites[i].value, n)
	if !ok {
		d.b.Problems.Count(d.pos(at), "want values whose sum fits in 63 bits, have larger ones")
		return
	}
	d.cur.sites[i].value = sum
}

func (d *maps) sample(name, label string, value []byte, at int) {
	if n, ok := d.number(name, value, at); ok {
		d.cur.samples = append(d.cur.samples, table.Sample{Scope: d.class, Name: d.b.Text(label), Metric: d.count, Value: n, Line: at})
	}
}

// number reads the value of a map. Histograms and statistics have none, and the least, the greatest and the mean of
// something are no counts.
func (d *maps) number(name string, value []byte, at int) (int64, bool) {
	if extreme(name) || len(value) == 0 || bytes.HasPrefix(value, []byte("count ")) {
		return 0, false
	}
	n, ok := integer(value)
	if !ok {
		d.b.Problems.Count(d.pos(at), "want maps of whole numbers, have other values: they are left out")
	}
	return n, ok
}

func (d *maps) pos(line int) source.Pos {
	p := d.l.Pos(1) // the column of a record of JSON tells nothing
	p.Line = line
	return p
}
