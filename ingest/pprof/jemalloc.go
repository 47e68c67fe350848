package pprof

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// jemallocHeader begins a profile of jemalloc from 4.0 on (src/prof_data.c, prof_dump_header_impl); messages of the library
// itself may stand before it.
var jemallocHeader = []byte("heap_v2/")

// SniffJemalloc claims a line heap_v2/PERIOD with the totals of all threads behind it.
func SniffJemalloc(head []byte) bool {
	for rest := head; len(rest) > 0; {
		line, after, ok := bytes.Cut(rest, []byte{'\n'})
		if !ok {
			return false
		}
		if _, is := periodOf(line); is {
			total, _, _ := bytes.Cut(after, []byte{'\n'})
			_, is = threadTotal(total)
			return is
		}
		rest = after
	}
	return false
}

// periodOf reads heap_v2/524288.
func periodOf(line []byte) (int64, bool) {
	digits, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r "), jemallocHeader)
	if !ok {
		return 0, false
	}
	t := text{s: digits}
	p, ok := t.number()
	return p, ok && p > 0 && t.i == len(digits)
}

// threadTotal reads "  t*: N: B [N: B]", the figures of all threads together.
func threadTotal(line []byte) (f figures, ok bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("t*:"))
	if !ok {
		return f, false
	}
	t := text{s: rest}
	return t.figures()
}

// DecodeJemalloc reads a heap profile of jemalloc, as prof.dump writes it: one row of sites a stack, scaled where the
// profile is sampled, and heap_alloc, their sum. The figures of single threads are passed over: they are parts of the
// others. The error is that of the reading, or says that there is no profile.
func DecodeJemalloc(in *source.Input, b *table.Builder) error {
	h := newHeap(in, b)
	found := false
	for !found && h.l.Scan() {
		h.period, found = periodOf(h.l.Bytes())
	}
	if !found {
		if err := h.l.Err(); err != nil {
			return err
		}
		return source.Errorf(in.At(1, 1), "held nothing: want a line heap_v2/PERIOD")
	}
	start := h.l.Line()
	stated, ok := h.jemallocStacks()
	if err := h.l.Err(); err != nil {
		return err
	}
	if !ok {
		return source.Errorf(in.At(start, 0), "held nothing: want the totals of all threads, t*: N: B [N: B], behind the header")
	}
	h.jemallocRows(stated, start)
	return nil
}

// jemallocStacks reads the totals and the stacks.
func (h *heap) jemallocStacks() (stated figures, ok bool) {
	open := false // a stack whose figures are still to come
	for h.l.Scan() {
		line := h.l.Bytes()
		switch {
		case beginsMaps(line):
			h.maps()
		case len(line) > 0 && line[0] == '@':
			h.endStack(&open, false)
			from, to := h.addresses(&text{s: line, i: 1})
			h.entries = append(h.entries, entry{line: h.l.Line(), from: from, to: to})
			open = true
		case bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("t*:")):
			f, is := threadTotal(line)
			if !is {
				h.b.Problems.Add(h.l.Pos(1), "want t*: N: B [N: B], have %q", clip(line))
				h.bad++
			} else if open {
				h.entries[len(h.entries)-1].figures, open = f, false
			} else if !ok {
				stated, ok = f, true
			}
		}
	}
	h.endStack(&open, !h.ended)
	return stated, ok
}

// endStack drops a stack that has no figures. At the end of a file that is cut that is no fault of its own.
func (h *heap) endStack(open *bool, atEnd bool) {
	if last := len(h.entries) - 1; *open {
		if !atEnd {
			h.b.Problems.Add(h.in.At(h.entries[last].line, 0), "want t*: N: B [N: B] below the stack, have none: it is left out")
			h.bad++
		}
		h.entries = h.entries[:last]
	}
	*open = false
}

func (h *heap) jemallocRows(stated figures, line int) {
	b := h.b
	b.Snapshot(table.Stamp{Line: line})
	b.Process(table.Int{}, h.process)
	h.facts("usable")
	b.Fact("tool", "jemalloc")
	known := stated.totalBytes != 0 // prof_accum is off by default
	k := h.rows(func(s *table.Site, e *entry) {
		s.LiveCount, s.LiveBytes = scale(e.liveCount, e.liveBytes, h.period)
		if known {
			s.TotalCount, s.TotalBytes = scale(e.totalCount, e.totalBytes, h.period)
		}
	})
	if h.period == 1 {
		if h.whole(stated, line) {
			k.total(line)
		}
		return
	}
	// jemalloc 5.3 corrects the figures of sampled stacks, but not their totals, so they prove nothing.
	b.Whole = h.ended
	switch {
	case !h.ended && !h.l.Ended():
		h.cut(h.l.Line(), "the map of modules, have the end of the file")
		return
	case !h.ended: // systems without /proc write none
		b.Doubt = &table.Doubt{Pos: h.l.Pos(0), Found: "no map of modules stands behind the stacks"}
	}
	if h.bad == 0 {
		k.total(line)
	}
}

// facts are those that all profiles of text have.
func (h *heap) facts(unit string) {
	h.b.Fact("clock", "order")
	h.b.Fact("unit", unit)
	h.b.Fact("sampled", strconv.FormatBool(h.period > 1))
	h.b.Fact("period", strconv.FormatInt(h.period, 10))
}
