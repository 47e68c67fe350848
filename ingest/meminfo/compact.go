package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffCompact claims the form of -c: "version,1", then "time,<uptime>,<realtime>".
func SniffCompact(head []byte) bool {
	before, found := false, false
	eachLine(head, func(line []byte) bool {
		line = trim(line)
		if len(line) == 0 {
			return true
		}
		found = before && isTime(line)
		before = string(line) == "version,1"
		return !found
	})
	return found
}

// compact reads the lines. Android 11 and later print each tag twice, first with rss and then with pss, and no title
// between them: which of the two a line is shows only when the dump ends.
type compact struct {
	text    decoder // for the lines that -c prints as the text form does
	records []compactRecord
	parts   int  // how many times the tags began
	closed  bool // the categories of this part were there: an oom line begins the next
	whole   bool // the line ram was there, which stands behind all lists
	begun   bool
	samples int
	failure []byte
	failed  int
}

// compactRecord is a record with its process and the part of the dump it stands in, from 1.
type compactRecord struct {
	record
	part    int
	pid     table.Int
	process table.Sym
}

// DecodeCompact reads the form of -c. Where a dump has one set of figures it is taken as pss. The error is that of
// the reading, or says why the file held nothing.
func DecodeCompact(in *source.Input, b *table.Builder) error {
	c := &compact{text: decoder{b: b, l: source.NewLines(in)}}
	c.text.words.init(b)
	b.Fact("platform", "Android")
	b.Snapshot(table.Stamp{Line: 1})
	l := c.text.l
	for l.Scan() {
		if line := trim(l.Bytes()); len(line) > 0 {
			c.line(line)
		}
	}
	c.end()
	return closing(in, l, b, c.samples, c.failure, c.failed)
}

func (c *compact) words() *words { return &c.text.words }

func (c *compact) line(line []byte) {
	tag, rest, comma := bytes.Cut(line, []byte{','})
	if !c.text.l.Ended() {
		c.problem("want the rest of the line, have the end of the file: it is dropped")
		return
	}
	if !comma || footerKey(line) {
		c.between(line)
		return
	}
	switch string(tag) {
	case "version":
		c.start()
	case "time":
		c.time(rest)
	case "proc":
		c.proc(rest)
	case "oom":
		c.level(rest, c.words().oom)
	case "cat":
		c.closed = true
		c.level(rest, c.words().category)
	case "ram":
		c.whole = true
		c.system(rest, "mem_total", "free_ram", "used_ram")
	case "lostram":
		c.system(rest, "lost_ram")
	case "zram":
		c.zram(rest)
	case "ksm":
		c.system(rest, "ksm", "", "", "")
	case "tuning":
		c.text.b.Fact("tuning", string(rest))
	default:
		if c.closed && bytes.Count(rest, []byte{','}) == 2 {
			c.level(rest, c.words().subcategory)
			return
		}
		if name, size, ok := bytes.Cut(rest, []byte{','}); ok && c.closed && len(name) > 0 && isNumber(size) {
			c.problem("want two sizes behind a name, have %q: the line is cut", clip(line))
			return
		}
		c.between(line)
	}
}

func (c *compact) problem(format string, args ...any) {
	c.text.b.Problems.Add(c.text.l.Pos(0), format, args...)
}

func (c *compact) start() {
	if c.begun {
		c.end()
		c.text.b.Snapshot(table.Stamp{Line: c.text.l.Line()})
	}
	c.begun = true
}

func (c *compact) time(rest []byte) {
	_, real, _ := bytes.Cut(rest, []byte{','})
	ms, end, ok := integer(real, 0)
	if !ok || end != len(real) || ms < 0 || ms > 1<<43 {
		c.problem("want time,<uptime>,<realtime>, have %q", clip(rest))
		return
	}
	c.text.b.Stamp(func(s *table.Stamp) { s.Boot = table.Known(ms * 1e6) })
}

// open begins the next set of tags where one stands that cannot follow.
func (c *compact) open() {
	if c.parts == 0 || c.closed {
		c.parts++
		c.closed = false
	}
}

// level reads "<label>,<kB>,<swap kB or N/A>" of an OOM level, a category or a part of one.
func (c *compact) level(rest []byte, scope table.Sym) {
	if scope == c.words().oom {
		c.open()
	}
	f := splitFields(nil, rest)
	if len(f) != 3 {
		c.problem("want a label and two figures, have %q", clip(rest))
		return
	}
	c.put(compactRecord{record: record{scope: scope, name: c.text.b.Sym(f[0])}}, f[1], f[2])
}

// proc reads "<oom label>,<name>,<pid>,<kB>,<swap or N/A>,<a|e>"; a name may have commas.
func (c *compact) proc(rest []byte) {
	c.open()
	f := splitFields(nil, rest)
	n := len(f)
	if n < 6 {
		c.problem("want six fields behind proc, have %q", clip(rest))
		return
	}
	pid, end, ok := integer(f[n-4], 0)
	if !ok || end != len(f[n-4]) || pid < 0 {
		c.problem("want a pid, have %q", clip(f[n-4]))
		return
	}
	if n > 6 && isNumber(f[n-5]) {
		c.problem("want a name before the pid, have the number %q: a comma shifted the fields", clip(f[n-5]))
		return
	}
	r := compactRecord{record: record{scope: c.words().process, name: c.words().empty}, pid: table.Known(pid)}
	if name := bytes.Join(f[1:n-4], []byte{','}); len(name) > 0 {
		r.process = c.text.b.Sym(name)
	}
	c.put(r, f[n-3], f[n-2])
}

// put keeps a record until the dump ends.
func (c *compact) put(r compactRecord, value, swapped []byte) {
	c.begun = true
	r.part, r.line = max(c.parts, 1), c.text.l.Line()
	if !c.figure(&r, pss, value) || string(swapped) != "N/A" && !c.figure(&r, swapPSS, swapped) {
		return
	}
	c.records = append(c.records, r)
}

func (c *compact) figure(r *compactRecord, f figure, s []byte) bool {
	n, end, ok := integer(s, 0)
	v, fits := kib(n)
	if !ok || end != len(s) || !fits || n < 0 {
		c.problem("want a size in kB, have %q", clip(s))
		return false
	}
	r.set(f, v)
	return true
}

// system reads figures of the machine; an empty metric is not stored.
func (c *compact) system(rest []byte, metrics ...string) {
	c.begun = true
	f := splitFields(nil, rest)
	if len(f) != len(metrics) {
		c.problem("want %d figures, have %q", len(metrics), clip(rest))
		return
	}
	for i, m := range metrics {
		if n, end, ok := integer(f[i], 0); ok && end == len(f[i]) {
			c.text.systemRow(m, n, 0)
		} else {
			c.problem("want a size in kB, have %q", clip(f[i]))
		}
	}
}

// zram reads "<physical>,<swap total>,<swap free>".
func (c *compact) zram(rest []byte) {
	c.system(rest, "zram_physical", "swap_total", "")
	f := splitFields(nil, rest)
	if len(f) != 3 {
		return
	}
	total, end, ok := integer(f[1], 0)
	free, end2, ok2 := integer(f[2], 0)
	if ok && ok2 && end == len(f[1]) && end2 == len(f[2]) && total >= free && free >= 0 {
		c.text.systemRow("swap_used", total-free, 0)
	} else {
		c.problem("want the size of swap and what is free of it in kB, have %q", clip(rest))
	}
}

// between reads what is no line of the compact form: sums that Android prints as in the text form, and what stands
// between dumps.
func (c *compact) between(line []byte) {
	for i := range failures {
		if bytes.HasPrefix(line, []byte(failures[i].prefix)) {
			c.failure, c.failed = bytes.Clone(clip(line)), c.text.l.Line()
			c.begun = true
			return
		}
	}
	if footerKey(line) {
		c.text.footerRow(line)
		return
	}
	if m, ok := source.ParseMark(line); ok {
		c.start()
		c.begun = false
		if m.HasWall {
			c.text.b.Stamp(func(s *table.Stamp) { s.Wall = table.Known(m.Wall) })
		}
	}
}

// end writes the records of the dump.
func (c *compact) end() {
	b := c.text.b
	if !c.whole && len(c.records) > 0 {
		c.problem("want the line ram that ends the lists, have the end of the dump: its %d lines are dropped, as it cannot be told whether they are rss or pss", len(c.records))
		c.records = c.records[:0]
	}
	if c.parts > 2 {
		b.Problems.Add(c.text.l.Pos(0), "want the lists once or twice in a dump, have them %d times: those behind are dropped", c.parts)
	}
	for i := range c.records {
		r := &c.records[i]
		if r.part > 2 {
			continue
		}
		if c.parts >= 2 && r.part == 1 {
			r.v[rss] = r.v[pss]
			r.has = r.has&^(1<<pss) | 1<<rss
		}
		b.Process(r.pid, r.process)
		c.words().emit(b, &r.record)
	}
	b.Process(table.Int{}, table.Null)
	if b.HasData() {
		c.samples++
	} else if c.begun {
		b.NoSample()
	}
	c.records, c.parts, c.closed, c.whole, c.begun = c.records[:0], 0, false, false, false
}
