// Package computesanitizer reads the reports of NVIDIA's compute-sanitizer and of cuda-memcheck before it: leaks of device
// and pinned memory as sites and faults, errors as faults. It is one of the formats that ingest lists.
//
// The text is that of cuda-memcheck of CUDA 9 to 11 and of compute-sanitizer 2020 to 2025: lines that begin with "=========".
// The program's own words stand between.
package computesanitizer

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var mark = []byte("=========")

// xmlRoot is the root of a report that was written with --xml.
var xmlRoot = []byte("<ComputeSanitizerOutput")

// titles are the first lines of a report.
var titles = [...][]byte{[]byte("========= COMPUTE-SANITIZER"), []byte("========= CUDA-MEMCHECK")}

// Sniff recognises a report by its first line, which words of the program may precede.
func Sniff(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		for _, t := range titles {
			if bytes.HasPrefix(line, t) {
				return true
			}
		}
		if bytes.HasPrefix(line, xmlRoot) {
			return true
		}
	}
	return false
}

// Decode reads a log with one or more reports. Its error is that of the reading, or says why the input held nothing: a
// report without errors in which leaks were not looked for measures nothing.
func Decode(in *source.Input, b *table.Builder) error {
	r := &reader{b: b, l: source.NewLines(in), sites: map[siteKey]*site{}, frames: map[string]callstack.Frame{}}
	b.Snapshot(table.Stamp{Line: in.Skip + 1})
	b.Fact("clock", "order")
	b.Fact("unit", "requested")
	for r.l.Scan() {
		line := r.l.Bytes()
		if rest, ok := bytes.CutPrefix(line, mark); ok {
			r.line(rest)
		} else if bytes.HasPrefix(line, xmlRoot) {
			return source.Errorf(r.l.Pos(1), "held nothing: want the text of compute-sanitizer, have XML: take it without --xml")
		}
	}
	r.finish()
	if err := r.l.Err(); err != nil {
		return err
	}
	if !b.HasData() {
		return source.Errorf(in.At(in.Skip+1, 0), "held nothing: want leaks or errors, have none, and leaks were not looked for: take it with compute-sanitizer --leak-check full")
	}
	return nil
}
