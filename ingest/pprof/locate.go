package pprof

import "fmt"

// census is what the references of a profile are checked against.
type census struct {
	types, strings int
	locations      map[uint64]bool
	seen           map[int]map[uint64]bool // ids of each kind of record
}

// stringFields are the fields of each record of Profile that are indexes into the table of strings.
var stringFields = map[int][]int{sampleType: {1, 2}, mappingOf: {5, 6}, functionOf: {2, 3, 4}, periodType: {1, 2}}

// labelStrings are those of a label: key, text and unit.
var labelStrings = []int{1, 2, 4}

// locate finds the first record that does not fit the others: an index beyond the strings, a location that is not there, a
// sample of too many values, an id that is met twice. Nil if there is none.
func locate(data []byte) *wireFault {
	n := census{locations: map[uint64]bool{}, seen: map[int]map[uint64]bool{mappingOf: {}, locationOf: {}, functionOf: {}}}
	if f := n.count(data); f != nil {
		return f
	}
	c := cursor{data: data}
	for f := (field{}); c.next(&f); {
		if !profileShape.allows(&f) && f.number <= lastField {
			return &wireFault{f.at, fmt.Sprintf("want field %d of a profile, have other bytes", f.number)}
		}
		if fault := n.record(&f); fault != nil {
			return fault
		}
	}
	return c.err
}

// count takes the numbers that references are held against, and finds ids that are met twice.
func (n *census) count(data []byte) *wireFault {
	c := cursor{data: data}
	for f := (field{}); c.next(&f); {
		switch f.number {
		case sampleType:
			n.types++
		case stringOf:
			n.strings++
		case mappingOf, locationOf, functionOf:
			id := idOf(&f)
			if id == 0 || n.seen[f.number][id] {
				return &wireFault{f.at, fmt.Sprintf("want an id that no record of its kind has yet, have %d", id)}
			}
			n.seen[f.number][id] = true
		}
	}
	return c.err
}

func idOf(f *field) (id uint64) {
	c := cursor{data: f.body}
	for inner := (field{}); c.next(&inner); {
		if inner.number == 1 {
			id = inner.value
		}
	}
	return id
}

func (n *census) record(f *field) *wireFault {
	if f.number == sampleOf {
		return n.sample(f)
	}
	return n.texts(f, stringFields[f.number])
}

// texts checks the fields of a record that are indexes of strings.
func (n *census) texts(f *field, which []int) *wireFault {
	c := cursor{data: f.body, base: f.bodyAt}
	for inner := (field{}); c.next(&inner); {
		for _, w := range which {
			if inner.number == w && inner.value >= uint64(n.strings) {
				return &wireFault{inner.at, fmt.Sprintf("want a string below %d, have number %d", n.strings, inner.value)}
			}
		}
	}
	return c.err
}

// sample checks the number of values and the locations of a sample.
func (n *census) sample(f *field) *wireFault {
	c := cursor{data: f.body, base: f.bodyAt}
	values := 0
	for inner := (field{}); c.next(&inner); {
		switch inner.number {
		case 1:
			if id, ok := n.missing(&inner); ok {
				return &wireFault{inner.at, fmt.Sprintf("want a location of the profile, have number %d", id)}
			}
		case 2:
			values += len(numbersOf(&inner))
		case 3:
			if fault := n.texts(&inner, labelStrings); fault != nil {
				return fault
			}
		}
	}
	if c.err == nil && values != n.types {
		return &wireFault{f.at, fmt.Sprintf("want %d values of a sample, have %d", n.types, values)}
	}
	return c.err
}

// missing gives the first location that the profile does not have.
func (n *census) missing(f *field) (uint64, bool) {
	for _, id := range numbersOf(f) {
		if !n.seen[locationOf][id] {
			return id, true
		}
	}
	return 0, false
}

// numbersOf reads a repeated number, packed or not.
func numbersOf(f *field) []uint64 {
	if f.wire == wireVarint {
		return []uint64{f.value}
	}
	var out []uint64
	for c := (cursor{data: f.body}); c.pos < len(c.data); {
		v, ok := c.uvarint()
		if !ok {
			break
		}
		out = append(out, v)
	}
	return out
}
