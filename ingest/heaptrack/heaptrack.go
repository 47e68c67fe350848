// Package heaptrack reads the two files of KDE's heaptrack: the data file, whose addresses are already names
// (heaptrack_interpret), and the raw one (heaptrack -r). Both give the sites that allocate, their live bytes up to twenty
// times over the run, and the curves of heap and resident memory. It is one of the formats that ingest lists.
//
// The grammar is that of heaptrack 1.0 to 1.4 (file versions 0 to 3): a record a line, its kind in the first character,
// numbers in hexadecimal without 0x.
package heaptrack

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Sniff recognises a data file: the line of versions, then the command, the system or the first string.
func Sniff(head []byte) bool {
	rest, ok := versioned(head)
	return ok && !isRaw(rest) && len(rest) > 2 && rest[1] == ' ' && bytes.IndexByte([]byte("XIsSA"), rest[0]) >= 0
}

// SniffRaw recognises a raw file, which names the program and its modules with their addresses.
func SniffRaw(head []byte) bool {
	rest, ok := versioned(head)
	return ok && isRaw(rest)
}

// versioned cuts the first line, "v 10400 3", off.
func versioned(head []byte) (rest []byte, ok bool) {
	first, rest, ended := bytes.Cut(head, []byte("\n"))
	f := fields{line: bytes.TrimRight(first, "\r"), pos: 1}
	_, ok = f.hex()
	if !ended || !ok || first[0] != 'v' {
		return nil, false
	}
	f.hex()
	return rest, f.done()
}

// isRaw looks for the program or a module near the start: a data file has neither.
func isRaw(head []byte) bool {
	for range 16 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if len(line) > 2 && (line[0] == 'x' || line[0] == 'm') && line[1] == ' ' {
			return true
		}
	}
	return false
}

// Decode reads a data file. What a damaged or cut one holds before the damage is kept; the error is that of the reading,
// or says that the file held nothing.
func Decode(in *source.Input, b *table.Builder) error { return records(in, b, false) }

// DecodeRaw reads a raw file, as Decode does: stacks are addresses in modules there.
func DecodeRaw(in *source.Input, b *table.Builder) error { return records(in, b, true) }

func records(in *source.Input, b *table.Builder, raw bool) error {
	r := newReader(in, b, raw)
	b.Snapshot(table.Stamp{Trace: table.Known(0), Line: in.Skip + 1})
	for r.l.Scan() {
		if line := r.l.Bytes(); len(line) > 0 {
			r.record(line)
		}
		if r.indexed {
			r.rush()
		}
	}
	r.finish()
	if err := r.l.Err(); err != nil {
		return err
	}
	if !b.HasData() {
		return source.Errorf(in.At(in.Skip+1, 1), "held nothing: want allocations or time stamps of heaptrack")
	}
	return nil
}
