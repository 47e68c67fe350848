package torch

import "errors"

var errTwice = errors.New("want a record in one list, have it in two")

// maxFrames bounds a stack; Python's own limit of recursion is 1000.
const maxFrames = 10_000

// extend puts items into a list, which becomes one of what its first item is.
func (m *machine) extend(o *object, items []value) error {
	if len(items) == 0 {
		return nil
	}
	was := o.shape()
	s, _ := m.shapeOf(items[0])
	switch {
	case was == sStack || was == sList && s == sFrame:
		return m.extendStack(o, items)
	case was == sRange || was == sList && (s == sEvent || s == sSegment || s == sBlock):
		return m.extendRange(o, items)
	case was == sLists || was == sList && (s == sRange || s == sList || s == sLists):
		return m.extendLists(o, items)
	case was == sList && s == sHistory:
		*o = m.objects[items[0].n] // of the allocations that a block served, the first is the newest
	case was == sList && pairOf(items).kind == kPair:
		*o = newObject(sPair, pairOf(items).n)
	case was == sList || was == sPair:
		*o = newObject(sOther, 0)
		fallthrough
	case was == sOther:
		if anyTrue(items) {
			*o = newObject(sOther, 1)
		}
	case was != sHistory:
		return errors.New("want a list to put items into, have a dict")
	}
	return nil
}

func (m *machine) extendStack(o *object, items []value) error {
	ids := m.ids[:0]
	if o.shape() == sStack {
		if ids = m.idsOf(int32(o.n()), ids); len(ids)%batchItems != 0 {
			return errPieces
		}
	}
	for _, v := range items {
		s, n := m.shapeOf(v)
		if s != sFrame {
			m.b.Problems.Count(m.place(), "want a frame in a stack, have something else")
			continue
		}
		ids = append(ids, int32(n))
	}
	if len(ids) > maxFrames {
		m.b.Problems.Count(m.place(), "want at most %d frames in a stack, have more", maxFrames)
		ids = ids[:maxFrames]
	}
	m.ids = ids
	*o = newObject(sStack, int64(m.stackID(ids)))
	return nil
}

// extendRange takes records, which must be those read since the list began: so two numbers hold it.
func (m *machine) extendRange(o *object, items []value) error {
	var r span
	kind, first := m.shapeOf(items[0])
	fresh := o.shape() == sList
	if fresh {
		r.first = int32(first)
	} else {
		r = m.ranges[o.n()]
		kind = m.kinds[o.n()]
	}
	for _, v := range items {
		s, n := m.shapeOf(v)
		if s != kind {
			m.b.Problems.Count(m.place(), "want a list of records of one kind, have something else in it")
			continue
		}
		if n != int64(r.first+r.n) {
			return errTwice
		}
		r.n++
	}
	if fresh {
		m.ranges = append(m.ranges, r)
		m.kinds = append(m.kinds, kind)
		*o = newObject(sRange, int64(len(m.ranges)-1))
		return nil
	}
	m.ranges[o.n()] = r
	return nil
}

// rangeOf gives the records of a list of a kind; none if it is another.
func (m *machine) rangeOf(v value, kind shape) span {
	if s, n := m.shapeOf(v); s == sRange && m.kinds[n] == kind {
		return m.ranges[n]
	}
	return span{}
}

// takeRange is rangeOf for a list that may belong to one owner only: through the memo of a pickle it could have many, and
// each would count all of it.
func (m *machine) takeRange(v value, kind shape) span {
	r := m.rangeOf(v, kind)
	if r.n > 0 {
		_, n := m.shapeOf(v)
		m.ranges[n] = span{}
	}
	return r
}

func (m *machine) extendLists(o *object, items []value) error {
	if o.shape() == sList {
		m.lists = append(m.lists, nil)
		*o = newObject(sLists, int64(len(m.lists)-1))
	}
	l := &m.lists[o.n()]
	*l = append(*l, items...)
	return nil
}
