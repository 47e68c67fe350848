// Package meminfo reads what `dumpsys meminfo` prints on Android 2 to 16, in its three forms:
//
//	dumpsys-meminfo          Android dumpsys meminfo               adb shell dumpsys meminfo -a PACKAGE
//	dumpsys-meminfo-checkin  Android dumpsys meminfo --checkin     adb shell dumpsys meminfo --checkin
//	dumpsys-meminfo-compact  Android dumpsys meminfo -c            adb shell dumpsys meminfo -c
//
// The text has two writers: the tables of a process come from the process itself
// (frameworks/base/core/java/android/app/ActivityThread.java, dumpMemInfoTable), the lists of the whole system and
// the sums of RAM from system_server (services/core/java/com/android/server/am/ActivityManagerService.java,
// dumpApplicationMemoryUsage). All their figures are KiB, whatever they call them; here they become bytes.
//
// A file may hold many dumps, with or without a line of time between them: each is a snapshot.
package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Sniff claims the text form: the whole dump, a block of one process, a bare table or App Summary, the lists of the
// whole system, or nothing but the line that says why there is no dump.
func Sniff(head []byte) bool {
	if bytes.Contains(head, []byte("== dumpstate: ")) {
		return false
	}
	found := false
	eachLine(head, func(line []byte) bool {
		line = trim(line)
		found = opens(line) || isNothing(line)
		return !found
	})
	return found || hasTable(head)
}

// opens says whether a line can only stand in a dumpsys meminfo.
func opens(line []byte) bool {
	if len(line) < len("App Summary") {
		return false
	}
	switch line[0] {
	case 'A':
		return bytes.HasPrefix(line, header) || string(line) == "App Summary"
	case '*':
		return bytes.HasPrefix(line, blockStart)
	case 'T':
		_, _, ok := listTitle(line)
		return ok
	}
	return false
}

// isNothing says whether a line stands in place of a dump and names the service, or no other could have written it.
func isNothing(line []byte) bool {
	for _, f := range failures {
		if f.ours && bytes.HasPrefix(line, []byte(f.prefix)) {
			return true
		}
	}
	return false
}

// hasTable looks for the two lines of headings over a rule.
func hasTable(head []byte) bool {
	var h headings
	found := false
	eachLine(head, func(line []byte) bool {
		line = trim(line)
		found = isRule(line) && h.complete()
		h.note(line)
		return !found
	})
	return found
}

// eachLine visits the lines of a head until visit says false.
func eachLine(head []byte, visit func([]byte) bool) {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if !visit(line) {
			return
		}
		head = rest
	}
}

// Decode reads the text form into samples of processes, their categories, framework objects and heaps, and of the
// whole system. A block that ends before its TOTAL row, or that the end of the file cuts, gives no row and a problem.
// The error is that of the reading, or says why the file held nothing.
func Decode(in *source.Input, b *table.Builder) error {
	d := &decoder{b: b, l: source.NewLines(in), reached: map[int64]stage{}}
	d.words.init(b)
	b.Fact("platform", "Android")
	d.begin(table.Stamp{Line: 1})
	for d.l.Scan() {
		d.line(d.l.Bytes())
	}
	d.finish()
	if err := d.l.Err(); err != nil {
		return err
	}
	if d.samples == 0 {
		return d.nothing(in)
	}
	return nil
}

// nothing tells why no snapshot has data: the dump's own words, else the first problem.
func (d *decoder) nothing(in *source.Input) error {
	if d.failure != nil {
		return source.Errorf(in.At(d.failedAt, 0), "held nothing: %q", d.failure)
	}
	if ps := d.b.Problems.List(); len(ps) > 0 {
		return source.Errorf(ps[0].Pos, "held nothing: %s", ps[0].Message)
	}
	return source.Errorf(in.At(d.l.Line(), 0), "held nothing: want the table of a process or a list of processes")
}
