package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const virtualMap = "Virtual Memory Map of process "

// SniffVmmap recognises the output of vmmap, whole or -summary, with its header or without.
func SniffVmmap(head []byte) bool {
	if isMessage(head, "vmmap") {
		return true
	}
	columns := false
	return eachLine(head, func(line []byte) bool {
		switch {
		case bytes.HasPrefix(line, []byte("Exception Type:")):
			return false
		case bytes.HasPrefix(line, []byte(virtualMap)), isOf(line, "vmmap"):
			return true
		case bytes.HasPrefix(line, []byte("REGION TYPE")):
			return columns || bytes.Contains(line, []byte("START - END")) && bytes.Contains(line, []byte("[ VSIZE"))
		}
		w, next := wordAt(line, 0)
		resident, _ := wordAt(line, next)
		columns = string(w.text) == "VIRTUAL" && string(resident.text) == "RESIDENT"
		return false
	})
}

// DecodeVmmap reads reports of vmmap: mappings of the list of regions; samples of the process (footprint, footprint_peak,
// vss, rss, dirty, swap, volatile, nonvolatile, empty, count), of each region type and of each malloc zone. Each report is a
// snapshot.
func DecodeVmmap(in *source.Input, b *table.Builder) error {
	v := &vmmap{reader: newReader(in, b, "vmmap")}
	v.regions.reader, v.summary.reader = v.reader, v.reader
	v.reader.end = v.ended
	return v.read(v.line, "vmmap's list of regions or its summary")
}

type vmmap struct {
	*reader
	regions regions
	summary summary
	summed  bool
	legend  bool
}

func (v *vmmap) line(line []byte) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		v.closeTable()
	case v.summary.open:
		v.summary.row(line)
	case bytes.HasPrefix(line, []byte(virtualMap)):
		v.again()
		pid, name := numbered(v.b, line[len(virtualMap):])
		v.wantPID(pid, line[len(virtualMap):])
		v.subject(pid, name)
	case bytes.HasPrefix(line, []byte("VM page size:")):
		v.b.Fact("page_size", string(bytes.TrimSuffix(bytes.TrimSpace(line[len("VM page size:"):]), []byte(" bytes"))))
	case bytes.HasPrefix(line, []byte("====")):
		v.regions.listed, v.legend = false, bytes.Contains(line, []byte("Legend"))
	case v.legend:
	case bytes.HasPrefix(line, []byte("REGION TYPE")) && bytes.IndexByte(line, '[') > 0:
		v.begin()
		v.regions.head(line)
	case v.summary.above(line):
	case v.summary.second(line):
		v.table()
	default:
		v.region(line)
	}
}

// table begins a table of the summary.
func (v *vmmap) table() {
	if !v.summary.zones && v.summed { // a second summary without a header between
		v.summary.open = false
		v.start()
		v.summary.open = true
	}
	v.begin()
	v.summed = v.summed || !v.summary.zones
}

func (v *vmmap) closeTable() {
	v.regions.listed = false
	v.summary.close()
}

func (v *vmmap) region(line []byte) {
	switch g := &v.regions; {
	case g.parse(line):
		v.begin()
		g.row()
	case v.between(line), libraries(line):
	case g.listed:
		v.b.Problems.Add(v.l.Pos(1), "want TYPE START-END [sizes] of a region, have %q: it is left out", clip(line))
		v.b.Incomplete()
	default:
		v.other(line)
	}
}

// between takes a message of the tool or a time below the list; false for what should be a region.
func (v *vmmap) between(line []byte) bool {
	m, ok := source.ParseMark(line)
	if ok = ok && m.HasWall || message(line, v.tool); ok {
		v.regions.listed = false
		v.other(line)
	}
	return ok
}

// libraries says whether a line is one of the two sums above the summary.
func libraries(line []byte) bool {
	return bytes.HasPrefix(line, []byte("ReadOnly portion")) || bytes.HasPrefix(line, []byte("Writable regions:"))
}

// ended ends a report.
func (v *vmmap) ended() {
	v.closeTable()
	if !v.summed && len(v.regions.counts) > 0 {
		v.b.Fact("truncated", "true") // vmmap ends with its summary: what the regions add up to may be of a part of them
	}
	v.regions.writeCounts(v.summed)
	v.summed, v.legend = false, false
}

// numbered reads "123 (name)", the process in lines of a body.
func numbered(b *table.Builder, s []byte) (pid table.Int, name table.Sym) {
	word, next := wordAt(s, 0)
	pid = count(bytes.TrimRight(word.text, ":"))
	rest := bytes.TrimSpace(s[next:])
	if len(rest) > 2 && rest[0] == '(' && rest[len(rest)-1] == ')' {
		if rest = rest[1 : len(rest)-1]; string(rest) != "null" {
			name = symOf(b, rest)
		}
	}
	return pid, name
}
