package event

import (
	"bytes"
	"encoding/json"
)

// field is a field of a line: a key of NDJSON, a column of CSV.
type field uint8

const (
	tsNS field = iota
	ts
	pid
	tid
	thread
	op
	kind
	addr
	oldAddr
	size
	rc
	stack
	stackID
	lost
	weight
	device
	schemaName
	numFields
)

// fieldOf gives numFields for a name that is not known.
func fieldOf(name []byte) field {
	switch string(name) {
	case "ts_ns":
		return tsNS
	case "ts":
		return ts
	case "pid":
		return pid
	case "tid":
		return tid
	case "thread":
		return thread
	case "op":
		return op
	case "kind":
		return kind
	case "addr":
		return addr
	case "old_addr":
		return oldAddr
	case "size":
		return size
	case "rc":
		return rc
	case "stack":
		return stack
	case "stack_id":
		return stackID
	case "lost":
		return lost
	case "weight":
		return weight
	case "device":
		return device
	case "schema":
		return schemaName
	}
	return numFields
}

// cell is the value of a field: text[from:to] of its line, without quotes.
type cell struct {
	from, to int
	quoted   bool
	escaped  bool // it holds escapes (NDJSON) or doubled quotes (CSV)
}

// record is one line, cut into fields.
type record struct {
	text    []byte
	cells   [numFields]cell
	set     uint32 // bit f: cells[f] is there
	csv     bool
	slash   bool   // somewhere in the line stands a backslash
	unknown []cell // names of fields that are not known
	again   int    // where a field stands a second time, or -1
}

func (r *record) begin(line []byte) {
	r.text, r.set, r.unknown, r.again = line, 0, r.unknown[:0], -1
}

func (r *record) has(f field) bool { return r.set&(1<<f) != 0 }

// raw is a value as it stands in the line.
func (r *record) raw(f field) []byte { return r.text[r.cells[f].from:r.cells[f].to] }

// null says whether a value is JSON's null.
func (r *record) null(f field) bool {
	c := &r.cells[f]
	return !c.quoted && !r.csv && c.to-c.from == 4 && string(r.text[c.from:c.to]) == "null"
}

// value is a text without its escapes; false where they are wrong.
func (r *record) value(f field) ([]byte, bool) {
	if c := &r.cells[f]; !c.escaped {
		return r.raw(f), true
	}
	if r.csv {
		return bytes.ReplaceAll(r.raw(f), []byte(`""`), []byte(`"`)), true
	}
	return unescape(r.raw(f))
}

// unescape reads the inside of a JSON string. It is for the few that hold a backslash.
func unescape(s []byte) ([]byte, bool) {
	var out string
	err := json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &out)
	return []byte(out), err == nil
}

func (r *record) put(f field, c cell) {
	if r.has(f) {
		r.again = c.from
	}
	r.cells[f] = c
	r.set |= 1 << f
	if f != addr && f != oldAddr && r.null(f) { // as good as not there; of an address it is the null pointer
		r.set &^= 1 << f
	}
}
