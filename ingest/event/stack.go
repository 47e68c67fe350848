package event

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
)

// stack gives the leaf of the line's stack, 0 for none. An event whose stack cannot be read is one without a stack.
func (d *decoder) stack() int64 {
	r := &d.rec
	leaf, known := int64(0), false
	if r.has(stack) {
		leaf, known = d.leaf()
	}
	if !r.has(stackID) {
		return leaf
	}
	id, ok := whole(r.raw(stackID))
	if !ok {
		d.wrong(stackID, "a whole number below 2^63")
		return leaf
	}
	if known {
		d.ids[id] = leaf
		return leaf
	}
	if leaf, known = d.ids[id]; !known {
		d.b.Problems.Count(d.l.Pos(r.cells[stackID].from+1), "want a stack_id that a line above explains, have one that none does")
	}
	return leaf
}

// defines reads a line that only gives a stack its number.
func (d *decoder) defines() {
	if r := &d.rec; !r.has(stackID) || !r.has(stack) {
		d.absent("stack_id and stack")
		return
	}
	d.stack()
}

// leaf looks a stack up by its text, so that only the first of equal ones is read.
func (d *decoder) leaf() (leaf int64, ok bool) {
	raw := d.rec.raw(stack)
	if leaf, ok = d.stacks.Find(raw); ok {
		return leaf, true
	}
	frames, ok := d.rec.frames()
	if !ok {
		d.wrong(stack, "an array of frames in quotes, or frames joined by ;")
		return 0, false
	}
	leaf = callstack.Add(d.b, frames, d.l.Line()).Leaf
	d.stacks.Keep(raw, leaf)
	return leaf, true
}

// frames reads the stack of the line, leaf first.
func (r *record) frames() (out []callstack.Frame, ok bool) {
	c := r.cells[stack]
	if r.csv || c.quoted {
		s, ok := r.value(stack)
		for _, one := range bytes.Split(s, []byte{';'}) {
			if one = bytes.TrimSpace(one); len(one) > 0 {
				out = append(out, parseFrame(string(one)))
			}
		}
		return out, ok
	}
	if !is(r.text, c.from, '[') {
		return nil, false
	}
	return r.array(blanks(r.text, c.from+1), c.to-1)
}

// array reads the strings between two places of the line.
func (r *record) array(i, to int) (out []callstack.Frame, ok bool) {
	if i == to {
		return nil, true
	}
	for is(r.text, i, '"') {
		end, escaped := r.quote(i + 1)
		if end < 0 || end >= to {
			return nil, false
		}
		s := r.text[i+1 : end]
		if escaped {
			if s, ok = unescape(s); !ok {
				return nil, false
			}
		}
		if s = bytes.TrimSpace(s); len(s) > 0 {
			out = append(out, parseFrame(string(s)))
		}
		if i = blanks(r.text, end+1); i == to {
			return out, r.text[to] == ']'
		}
		if !is(r.text, i, ',') {
			return nil, false
		}
		i = blanks(r.text, i+1)
	}
	return nil, false
}
