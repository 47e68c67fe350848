// Package sanitizer reads the reports of LeakSanitizer, AddressSanitizer, ThreadSanitizer and MemorySanitizer: leaks as
// sites and faults, errors as faults with the stacks of the access, the free and the allocation. It is one of the formats
// that ingest lists.
//
// The text is that of lib/sanitizer_common, lsan, asan, tsan and msan of LLVM's compiler-rt 6 to 18, and of gcc 8 to 14,
// which has the same source. Words of the program may stand between.
package sanitizer

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// tools are the sanitizers whose reports are read.
var tools = []string{"LeakSanitizer", "AddressSanitizer", threadSanitizer, "MemorySanitizer"}

const threadSanitizer = "ThreadSanitizer"

// Sniff recognises the head line of a report: "==PID==ERROR: AddressSanitizer: …" or "WARNING: ThreadSanitizer: …".
func Sniff(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if _, ok := headOf(string(prefixless(bytes.TrimRight(line, "\r")))); ok {
			return true
		}
	}
	return false
}

// Decode reads a log with one or more reports. What stands before damage is kept; the error is that of the reading, or
// says that the input held no report.
func Decode(in *source.Input, b *table.Builder) error {
	r := &reader{l: source.NewLines(in), b: b, calls: map[string]call{}}
	b.Snapshot(table.Stamp{Line: in.Skip + 1})
	b.Fact("clock", "order")
	b.Fact("unit", "requested")
	for r.l.Scan() {
		r.line(r.prefixless(r.l.Bytes()))
	}
	r.finish()
	if err := r.l.Err(); err != nil {
		return err
	}
	if !b.HasData() {
		return source.Errorf(in.At(in.Skip+1, 1), "held nothing: want a report of a sanitizer, ==PID==ERROR: …")
	}
	return nil
}

// prefixless cuts off what logcat puts before a line: "05-01 12:00:00.000  1234  1234 I wrap.sh : ".
// The time is not used: what stands behind the same tag as in the line before is read if it is damaged.
func (r *reader) prefixless(line []byte) []byte {
	text := prefixless(line)
	if n := len(line) - len(text); n > 0 {
		r.tag = append(r.tag[:0], line[timeLen:n]...)
	} else if len(r.tag) > 0 {
		if i := bytes.Index(line[:min(len(line), 100)], r.tag); i >= 0 {
			return line[i+len(r.tag):]
		}
	}
	return text
}

// timeLen is the length of a time of logcat.
const timeLen = len("05-01 12:00:00.000")

func prefixless(line []byte) []byte {
	if len(line) < 31 || line[2] != '-' || line[5] != ' ' || line[8] != ':' || line[11] != ':' || line[14] != '.' {
		return line
	}
	if i := bytes.Index(line[30:], []byte(": ")); i >= 0 {
		return line[30+i+2:]
	}
	return line
}
