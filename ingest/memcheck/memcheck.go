// Package memcheck reads what valgrind's memcheck found, as text and as XML: lost blocks as sites and faults, errors as
// faults with their stacks, and the total that is lost. It is one of the formats that ingest lists.
//
// The text is that of mc_errors.c and mc_leakcheck.c of valgrind 3.12 to 3.24, the XML that of
// docs/internals/xml-output-protocol4.txt (protocols 4 to 6).
package memcheck

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Sniff recognises an XML document of memcheck, or lines "==PID== …" that only memcheck prints.
func Sniff(head []byte) bool { return sniffXML(head) || sniffText(head) }

func sniffXML(head []byte) bool {
	return bytes.Contains(head, []byte("<valgrindoutput>")) &&
		(bytes.Contains(head, []byte("<protocoltool>memcheck<")) || bytes.Contains(head, []byte("<tool>memcheck<")))
}

// marks are words that stand in no other tool's lines.
var marks = [][]byte{[]byte("Memcheck, a memory error detector"), []byte("HEAP SUMMARY:"), []byte("LEAK SUMMARY:"), []byte(" lost in loss record "),
	[]byte(" are still reachable in loss record ")}

func sniffText(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		_, text, ok := own(line)
		for _, m := range marks {
			if ok && bytes.Contains(text, m) {
				return true
			}
		}
	}
	return false
}

// Decode reads a report. What stands before damage is kept; the error is that of the reading, or says that the input
// held no line of memcheck.
func Decode(in *source.Input, b *table.Builder) error {
	b.Snapshot(table.Stamp{Line: in.Skip + 1})
	b.Fact("tool", "memcheck")
	b.Fact("clock", "order")
	b.Fact("unit", "requested")
	if bytes.Contains(in.Head, []byte("<valgrindoutput>")) {
		return decodeXML(in, b)
	}
	return decodeText(in, b)
}
