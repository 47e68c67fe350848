package pprof

import (
	"encoding/binary"
	"fmt"
)

// The wire types of protobuf that profile.proto uses.
const (
	wireVarint = 0
	wireBytes  = 2
)

// field is one field of a message; at is where its key stands in the whole profile.
type field struct {
	number, wire int
	value        uint64
	body         []byte
	at, bodyAt   int
}

// wireFault is a place in the bytes of a profile and what is wrong there.
type wireFault struct {
	at   int
	text string
}

// cursor walks over the fields of one message.
type cursor struct {
	data []byte
	base int // of data in the whole profile
	pos  int
	err  *wireFault
}

// next reads a field. It is false at the end and where the bytes are no field, which err tells apart.
func (c *cursor) next(f *field) bool {
	if c.pos >= len(c.data) || c.err != nil {
		return false
	}
	start := c.pos
	key, ok := c.uvarint()
	if !ok {
		return c.fail(start, "want the key of a field")
	}
	*f = field{number: int(min(key>>3, 1<<29)), wire: int(key & 7), at: c.base + start}
	switch f.wire {
	case wireVarint:
		if f.value, ok = c.uvarint(); !ok {
			return c.fail(start, "want a number of at most 10 bytes")
		}
	case wireBytes:
		n, ok := c.uvarint()
		if left := len(c.data) - c.pos; !ok || n > uint64(left) {
			return c.fail(start, fmt.Sprintf("want a field of %d bytes, have %d to the end", n, left))
		}
		f.body, f.bodyAt = c.data[c.pos:c.pos+int(n)], c.base+c.pos
		c.pos += int(n)
	default:
		return c.fail(start, fmt.Sprintf("want a number or a message, have wire type %d", f.wire))
	}
	return true
}

func (c *cursor) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(c.data[c.pos:])
	if n <= 0 {
		return 0, false
	}
	c.pos += n
	return v, true
}

func (c *cursor) fail(at int, text string) bool {
	c.err = &wireFault{c.base + at, text}
	return false
}

// The fields of Profile that are looked at here (proto/profile.proto).
const (
	sampleType = 1
	sampleOf   = 2
	mappingOf  = 3
	locationOf = 4
	functionOf = 5
	stringOf   = 6
	periodType = 11
	lastField  = 15 // doc_url
)

// shape is what a message may hold: for each field number the wire types that are allowed, as bits, and the shape below.
type shape []struct {
	wires uint8
	of    shape
}

const (
	number  = 1 << wireVarint
	packed  = 1<<wireVarint | 1<<wireBytes
	message = 1 << wireBytes
)

var (
	valueTypeShape = shape{{}, {wires: number}, {wires: number}}
	labelShape     = shape{{}, {wires: number}, {wires: number}, {wires: number}, {wires: number}}
	sampleShape    = shape{{}, {wires: packed}, {wires: packed}, {message, labelShape}}
	mappingShape   = shape{{}, {wires: number}, {wires: number}, {wires: number}, {wires: number}, {wires: number}, {wires: number}, {wires: number},
		{wires: number}, {wires: number}, {wires: number}}
	lineShape     = shape{{}, {wires: number}, {wires: number}, {wires: number}}
	locationShape = shape{{}, {wires: number}, {wires: number}, {wires: number}, {message, lineShape}, {wires: number}}
	functionShape = shape{{}, {wires: number}, {wires: number}, {wires: number}, {wires: number}, {wires: number}}
	profileShape  = shape{{}, {message, valueTypeShape}, {message, sampleShape}, {message, mappingShape}, {message, locationShape}, {message, functionShape},
		{wires: message}, {wires: number}, {wires: number}, {wires: number}, {wires: number}, {message, valueTypeShape}, {wires: number}, {wires: packed},
		{wires: number}, {wires: number}}
)

// allows says whether a field fits, and all that is below it.
func (s shape) allows(f *field) bool {
	if f.number <= 0 || f.number >= len(s) || s[f.number].wires&(1<<f.wire) == 0 {
		return false
	}
	if below := s[f.number].of; below != nil {
		c := cursor{data: f.body}
		for inner := (field{}); c.next(&inner); {
			if !below.allows(&inner) {
				return false
			}
		}
		return c.err == nil
	}
	return true
}

// looksLikeProfile walks over the head. All of it must have the shape of a profile, up to a last field that is cut; there
// must be a sample type, and samples or the empty string that begins the table of strings.
func looksLikeProfile(head []byte, cut bool) bool {
	c := cursor{data: head}
	types, samples, strings := 0, 0, 0
	for f := (field{}); c.next(&f); {
		if !profileShape.allows(&f) || f.number == stringOf && strings == 0 && len(f.body) > 0 {
			return false
		}
		switch f.number {
		case sampleType:
			types++
			if len(f.body) == 0 {
				return false
			}
		case sampleOf:
			samples++
		case stringOf:
			strings++
		}
	}
	if c.err != nil && !cut && samples == 0 {
		return false
	}
	return types > 0 && (strings > 0 || samples > 0 && c.err != nil)
}

// A profile of many records of less than smallRecord bytes on average is hostile: in memory it takes
// more than a hundred bytes a record. Those of real profiles have twenty and more.
const (
	smallRecord = 10
	manyRecords = 1 << 18
)

// layout walks over the fields of the profile and gives the places of its samples.
func layout(data []byte) (samples []int, fault *wireFault) {
	c := cursor{data: data}
	types, records := false, 0
	for f := (field{}); c.next(&f); {
		switch f.number {
		case sampleType:
			types = true
		case sampleOf:
			samples = append(samples, f.at)
		}
		if f.number < sampleOf || f.number > functionOf {
			continue
		}
		if f.wire == wireBytes && len(f.body) < 2 {
			return nil, &wireFault{f.at, fmt.Sprintf("want a record, have one of %d bytes", len(f.body))}
		}
		if records++; records > manyRecords && c.pos < smallRecord*records {
			return nil, &wireFault{f.at, fmt.Sprintf("want records of %d bytes and more, have %d in %d bytes", smallRecord, records, c.pos)}
		}
	}
	if c.err == nil && !types {
		return nil, &wireFault{0, "want the types of its samples, have none"}
	}
	return samples, c.err
}
