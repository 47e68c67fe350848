package instruments

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// allocation is the attributes of a row of the Allocations List, whose order varies.
type allocation struct{ category, live, caller, image, size, timestamp []byte }

func (d *document) allocation() (a allocation) {
	for i := range d.tag.attrs {
		t := &d.tag.attrs[i]
		switch string(t.name) {
		case "category":
			a.category = t.value
		case "live":
			a.live = t.value
		case "responsible-caller":
			a.caller = t.value
		case "responsible-library":
			a.image = t.value
		case "size":
			a.size = t.value
		case "timestamp":
			a.timestamp = t.value
		}
	}
	return a
}

// allocationRow is one allocation, freed or not. When it was freed is not exported, so it is no event.
func (d *document) allocationRow(content []byte) {
	a := d.allocation()
	var at int64
	for _, v := range d.list {
		if !d.bad {
			at = max(at, v.stackID())
		}
	}
	if at == 0 {
		at = d.caller(a.caller, a.image)
	}
	s := d.details.allocations.site(d.symOf(a.category), at, d.line)
	size := d.figure(a.size, "size")
	s.totalBytes.add(size)
	s.totalCount.add(table.Known(1))
	switch string(a.live) {
	case "true":
		s.liveBytes.add(size)
		s.liveCount.add(table.Known(1))
	case "false":
	default:
		at := a.live
		if at == nil {
			at = d.tag.name
		}
		d.problem(at, "want live=\"true\" or \"false\", have %q: what is live is not known", clip(a.live))
		s.liveBytes.unknown, s.liveCount.unknown = true, true
	}
	d.details.stacks = d.details.stacks || len(bytes.Trim(a.timestamp, "0:.")) > 0
}

func (d *document) writeAllocations() {
	list := d.details.allocations.list
	if len(list) == 0 {
		return
	}
	if d.details.statistics {
		d.b.Problems.Add(d.s.in.At(list[0].line, 0), "want Statistics or the Allocations List, have both, which tell of the same memory: the list is left out; export each by itself")
		return
	}
	if !d.details.stacks {
		d.b.Fact("attached", "true") // all were there before the recording began, and none can have a stack
	}
	var all site
	for i := range list {
		all.join(&list[i])
		d.b.Site(list[i].row())
	}
	if all.line = list[0].line; d.closed {
		d.words.samples(d.b, d.words.process, d.words.empty, all.row())
	}
}

// leakRow is one leaked block, or several of one kind and place.
func (d *document) leakRow([]byte) {
	t := &d.tag
	class := d.symOf(t.value("leaked-object"))
	count := d.figure(t.value("count"), "count")
	s := d.details.leaks.site(class, d.caller(t.value("responsible-frame"), t.value("responsible-library")), d.line)
	s.liveBytes.add(times(d.figure(t.value("size"), "size"), count))
	s.liveCount.add(count)
}

func (d *document) writeLeaks() {
	list := d.details.leaks.list
	if len(list) == 0 {
		return
	}
	var all site
	var classes tally
	for i := range list {
		s := &list[i]
		s.totalBytes.unknown, s.totalCount.unknown = true, true
		all.join(s)
		classes.site(s.class, 0, s.line).join(s)
		d.b.Site(s.row())
	}
	if !d.closed {
		return
	}
	all.line = list[0].line
	d.leaked(d.words.process, d.words.empty, &all)
	for i := range classes.list {
		if c := &classes.list[i]; c.class != table.Null {
			d.leaked(d.words.class, c.class, c)
		}
	}
}

func (d *document) leaked(scope, name table.Sym, s *site) {
	for _, m := range [...]struct {
		metric table.Sym
		value  table.Int
	}{{d.words.leakedBytes, s.liveBytes.int()}, {d.words.leakedCount, s.liveCount.int()}} {
		if m.value.OK {
			d.b.Add(table.Sample{Scope: scope, Name: name, Metric: m.metric, Value: m.value.V, Line: s.line})
		}
	}
}
