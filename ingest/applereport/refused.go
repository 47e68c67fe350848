package applereport

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Kind is a report of Apple's systems that is recognised, so that it can be refused with the reason.
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

const memoryReports = "a JetsamEvent-… (bug type 298) or a crash report (309)"

var refused = []Kind{
	ofType("ips-stackshot", "stackshot", "288", "stacks of all threads at one moment"),
	ofType("ips-panic", "panic of the kernel", "210", "a panic of the kernel"),
	ofType("ips-resource-cpu", "excessive processor time", "202", "a report on processor time"),
	ofType("ips-resource-wakeups", "excessive wakeups", "206", "a report on wakeups"),
	{"ips-other", "other .ips reports", memoryReports, isOther, "an .ips report of a bug type that tells of no memory"},
}

func ofType(name, title, bugType, advice string) Kind {
	return Kind{name, title, memoryReports, func(head []byte) bool { return bugTypeOf(head) == bugType }, advice + " (bug type " + bugType + "), which tells of no memory"}
}

func isOther(head []byte) bool {
	switch bugTypeOf(head) {
	case "", "298", "309", "109", "288", "210", "202", "206":
		return false
	}
	return true
}
