package memleak

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// group is the outstanding allocations of one stack, of which the frames are still to come.
type group struct {
	open         bool
	bytes, count table.Int
	line         int
	text         []byte  // the frames as printed, each with a line end
	at           []place // of each frame
}

type place struct{ line, column int }

// stack is a stack with its site, as it was written for the same frames before.
type stack = callstack.Stack

// grouped reads "BYTES bytes in COUNT allocations from stack".
func (d *decoder) grouped(text []byte) bool {
	size, rest, ok := number(text, " bytes in ")
	if !ok {
		return false
	}
	count, rest, ok := number(rest, " allocations from stack")
	if !ok {
		if !d.l.Ended() {
			d.flush()
			d.b.Problems.Add(d.l.Pos(1), "want \"N bytes in N allocations from stack\", have the end of the file in this line")
		}
		return false
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return false
	}
	d.flush()
	if d.inside {
		d.group = group{open: true, bytes: size, count: count, line: d.l.Line(), text: d.group.text[:0], at: d.group.at[:0]}
	}
	for _, v := range [...]table.Int{size, count} {
		if !v.OK {
			d.b.Problems.Add(d.l.Pos(1), "want bytes and allocations that fit in 63 bits, have %q: a count that fell below 0 is printed so", clip(text))
		}
	}
	return true
}

// damaged takes the head of a group or an interval that could not be read, so that what stands below is not counted to the
// group before.
func (d *decoder) damaged(text []byte) bool {
	want := ""
	switch {
	case !d.l.Ended():
	case bytes.HasSuffix(text, []byte(" allocations from stack")) && bytes.Contains(text, []byte(" bytes in ")):
		if _, rest, ok := number(text, " bytes in "); ok {
			_, _, ok = number(rest, " allocations from stack")
			if ok {
				return false
			}
		}
		want = "N bytes in N allocations from stack"
	case bytes.HasSuffix(text, []byte(" stacks with outstanding allocations:")):
		want = "[12:00:00] Top 10 stacks with outstanding allocations:"
	}
	if want == "" {
		return false
	}
	d.flush()
	d.b.Problems.Add(d.l.Pos(1), "want %q, have %q: what stands below it is left out", want, clip(text))
	d.inside = d.inside && want[0] != '['
	return true
}

// number reads digits and the words behind them. A number beyond 63 bits is not known.
func number(text []byte, words string) (table.Int, []byte, bool) {
	v, n := digits(text)
	known := n > 0
	if !known {
		for n = 0; n < len(text) && text[n]-'0' <= 9; n++ {
		}
	}
	if n == 0 || !bytes.HasPrefix(text[n:], []byte(words)) {
		return table.Int{}, text, false
	}
	return table.Int{V: v, OK: known}, text[n+len(words):], true
}

// frame keeps a line of the stack for flush, which knows most stacks already.
func (d *decoder) frame(column int, text []byte) {
	d.group.text = append(append(d.group.text, text...), '\n')
	d.group.at = append(d.group.at, place{d.l.Line(), column})
}

// flush writes the row of the group that has ended. A group of which no frame could be read tells of no site.
func (d *decoder) flush() {
	g := &d.group
	if !g.open {
		return
	}
	g.open = false
	at, known := d.stacks[string(g.text)]
	if !known {
		var sound bool
		if at, sound = d.add(g); sound {
			d.stacks[string(g.text)] = at
		} else if at.Leaf == 0 {
			return
		}
	}
	d.b.Site(table.Site{Class: at.Class, Stack: at.Leaf, LiveBytes: g.bytes, LiveCount: g.count, Line: g.line})
	d.sites++
}

// end writes the last group. Where the file ends before the first frame of it, the file was cut there.
func (d *decoder) end() {
	if d.group.open && d.group.line == d.l.Line() {
		d.group.open = false
		d.b.Problems.Add(d.l.Pos(0), "want the frames of a stack, have the end of the file: the group is left out")
	}
	d.flush()
}

// add writes a stack that was not met before. It is not sound where a frame cannot be read: the stack is cut there.
func (d *decoder) add(g *group) (at stack, sound bool) {
	frames := make([]callstack.Frame, 0, len(g.at))
	var above callstack.Frame // with an address: functions inlined there have it too
	text := g.text
	for _, p := range g.at {
		one, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		f, is, ok := parseFrame(one)
		if !ok {
			pos := d.l.Pos(p.column)
			pos.Line = p.line
			d.b.Problems.Add(pos, "want a frame such as \"0x000055ce75c5f1bc main+0x13 [app]\", have %q: the stack is cut there", clip(one))
			return d.write(frames, g.line+1), false
		}
		if f.HasAddress {
			above = f
		}
		if is {
			f.Address, f.HasAddress = above.Address, above.HasAddress
			frames = append(frames, f)
		}
	}
	return d.write(frames, g.line+1), true
}

func (d *decoder) write(frames []callstack.Frame, line int) stack {
	s := callstack.Add(d.b, frames, line)
	if d.b.String(s.Class) == "" {
		s.Class = table.Null
	}
	return s
}

func clip(s []byte) string {
	const most = 80
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}
