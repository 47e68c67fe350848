package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Kind is an output of Apple's tools that is recognised, so that it can be refused with the reason.
type Kind struct {
	Name, Title string
	Capture     string // what to take in its place
	Sniff       func(head []byte) bool
	advice      string
}

// Decode refuses the file: the error says what it is and what to take in its place.
func (k Kind) Decode(in *source.Input, _ *table.Builder) error {
	return source.Errorf(in.At(1, 1), "held nothing: %s; take %s instead", k.advice, k.Capture)
}

// Refused lists what is recognised and not read.
func Refused() []Kind { return refused }

var refused = []Kind{
	{"stringdups", "stringdups", "`heap PID` or `leaks PID`", sniffStringdups, "the text of stringdups, of which no form is known well enough to be read"},
	{"malloc-history-all", "malloc_history -allBySize and -callTree", "`leaks PID`, or `malloc_history PID ADDRESS`", sniffCalls, "sums of malloc_history over all addresses, of which no form is known well enough to be read"},
}

func sniffStringdups(head []byte) bool {
	if isMessage(head, "stringdups") {
		return true
	}
	return eachLine(head, func(line []byte) bool {
		return isOf(line, "stringdups") || bytes.HasPrefix(line, []byte("stringdups Report Version:"))
	})
}

// sniffCalls claims "231 calls for 15246 bytes: …" as the first lines below the header, if there is one.
func sniffCalls(head []byte) bool {
	return eachLine(head, func(line []byte) bool {
		w, next := wordAt(line, 0)
		rest, ok := bytes.CutPrefix(line[next:], []byte(" calls for "))
		_, after, found := bytes.Cut(rest, []byte(" bytes"))
		return count(w.text).OK && len(w.text) > 0 && ok && found && bytes.HasPrefix(after, []byte(":"))
	})
}
