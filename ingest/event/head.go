package event

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// head is what the log says of itself before its events.
type head struct {
	clock string
	pid   table.Int // of lines that name none
	name  table.Sym // of the process
}

// describe reads the header of NDJSON: an object with a schema.
func (d *decoder) describe(line []byte) error {
	var all map[string]any
	if err := json.Unmarshal(line, &all); err != nil {
		d.b.Problems.Add(d.l.Pos(1), "want a header object, have one that is not JSON: %v", err)
		return nil
	}
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if s, _ := all["schema"].(string); s != schema {
		return d.otherSchema(s)
	}
	for _, k := range keys {
		if text, ok := all[k].(string); ok {
			d.describes(k, text)
		} else if n, ok := all[k].(float64); ok && k == "pid" && n >= 0 && n == float64(int32(n)) {
			d.head.pid = table.Known(int64(n))
		} else if all[k] != nil {
			d.b.Problems.Count(d.l.Pos(1), "want a text in the header field %q, have something else", k)
		}
	}
	return nil
}

// comment reads the header of CSV: "# memtide-events/1 clock=mono tool=NAME". Other comments say nothing.
func (d *decoder) comment(line []byte) error {
	words := bytes.Fields(line[1:])
	if len(words) == 0 || !bytes.HasPrefix(words[0], []byte(family)) {
		return nil
	}
	if string(words[0]) != schema {
		return d.otherSchema(string(words[0]))
	}
	for _, w := range words[1:] {
		key, text, ok := strings.Cut(string(w), "=")
		if !ok {
			d.b.Problems.Count(d.l.Pos(1), "want name=value in the header, have %q", clip(w))
			continue
		}
		d.describes(key, text)
	}
	return nil
}

func (d *decoder) otherSchema(s string) error {
	return source.Errorf(d.l.Pos(1), "want the schema %q, have %q", schema, clip([]byte(s)))
}

// describes takes one field of a header. The process has no column in the table of events: it is a fact of the capture.
func (d *decoder) describes(key, text string) {
	switch key {
	case "schema":
	case "clock":
		if text != "mono" && text != "boot" && text != "wall" {
			d.b.Problems.Add(d.l.Pos(1), "want the clock mono, boot or wall, have %q", clip([]byte(text)))
		} else if d.seq == 0 {
			d.head.clock = text
		} else if text != d.head.clock {
			d.b.Problems.Add(d.l.Pos(1), "want one clock, have %s behind %s: it is taken for the same", text, d.head.clock)
		}
	case "pid":
		n, ok := whole([]byte(text))
		if !ok {
			d.b.Problems.Add(d.l.Pos(1), "want a pid, have %q", clip([]byte(text)))
			return
		}
		d.head.pid = table.Known(n)
	case "process":
		d.head.name = d.b.Text(text)
		d.b.Fact("process", text)
	case "tool", "version", "command", "unit", "period":
		d.b.Fact(key, text)
	default:
		d.b.Problems.Count(d.l.Pos(1), "unknown field %q", clip([]byte(key)))
	}
}

// stamp puts the first time into the clock that the log names.
func (d *decoder) stamp(ns int64) table.Stamp {
	s := table.Stamp{Line: d.l.Line()}
	switch d.head.clock {
	case "wall":
		s.Wall = table.Known(ns)
	case "boot":
		s.Boot = table.Known(ns)
	default:
		s.Trace = table.Known(ns)
	}
	return s
}
