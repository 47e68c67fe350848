package perf

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Kind is a file that stands beside traces and heap profiles and holds no history of memory: it is recognised, so that it
// can be refused with the reason.
type Kind struct {
	Name, Title string
	Capture     string // what to take in its place
	Sniff       func(head []byte) bool
	advice      string
}

// Decode refuses the file: the error says what it is and what to take in its place.
func (k Kind) Decode(in *source.Input, _ *table.Builder) error {
	return source.Errorf(in.At(1, 1), "%s; take %s instead", k.advice, k.Capture)
}

// Refused lists what is recognised and not read. No two claim the same file.
func Refused() []Kind { return refused }

const (
	scriptCapture = "`perf script --ns -F comm,pid,tid,cpu,time,event,trace,ip,sym,symoff,dso --show-mmap-events > FILE`"
	memoryCapture = "a trace or heap profile that names its functions itself (see `memtide formats`)"
)

var refused = []Kind{
	{"perf-data", "perf.data", scriptCapture, startsWith("PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP"), "a perf.data file, which only perf of the same machine resolves"},
	{"jitdump", "jitdump of a JIT compiler", memoryCapture, startsWith("DTiJ\x01\x00\x00\x00", "JiTD\x00\x00\x00\x01"), "a jitdump: code and names of a JIT compiler, no memory events"},
	{"memray-bin", "memray .bin", "`memray table` or `memray stats --json` of it", startsWith("memray\x00"), "a recording of memray, whose layout changes with each version"},
	{"perf-kmem-stat", "perf kmem stat", "`perf record -e kmem:mm_page_alloc,kmem:mm_page_free,kmem:rss_stat`, then " + scriptCapture, holds("\n Callsite   ", "\nSUMMARY (SLAB allocator)", "\nSUMMARY (page allocator)"), "the tables of perf kmem stat: sums over the whole recording, nothing over time"},
	{"perf-probe-list", "perf probe -l", "`perf record` with these probes, then " + scriptCapture, everyLine(isProbe), "a list of probes, not what they recorded"},
	{"buildid-list", "perf buildid-list", memoryCapture, everyLine(isBuildID), "a list of build-ids: which files a recording was made with, no memory events"},
	{"perf-map", "perf-PID.map of a JIT compiler", memoryCapture, isPerfMap, "a perf map: addresses and names of code of a JIT compiler, no memory events"},
	{"heaptrack-print", "heaptrack_print", "the data file itself (heaptrack.PROGRAM.PID.zst or .gz)", holds("\nMOST CALLS TO ALLOCATION FUNCTIONS", "\nPEAK MEMORY CONSUMERS", "\nMOST TEMPORARY ALLOCATIONS"), "a report of heaptrack_print, with rounded sums"},
	{"ms-print", "ms_print of massif", "the massif.out.PID file itself", isMsPrint, "a report of ms_print, with a graph and rounded sums"},
	{"pprof-text", "text of jeprof or pprof", "the profile itself (the .heap file, or the .pb.gz)", isPprofText, "a report of jeprof or pprof, with rounded sums and without stacks"},
}

func startsWith(magics ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, m := range magics {
			if bytes.HasPrefix(head, []byte(m)) {
				return true
			}
		}
		return false
	}
}

// holds claims a text in which a line begins with any of the words, which have the line end before them.
func holds(words ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, w := range words {
			if bytes.HasPrefix(head, []byte(w[1:])) || bytes.Contains(head, []byte(w)) {
				return true
			}
		}
		return false
	}
}

// everyLine claims a text whose lines all have one shape; the last of a head may be cut.
func everyLine(shape func([]byte) bool) func([]byte) bool {
	return func(head []byte) bool {
		n := 0
		for len(head) > 0 {
			line, rest, whole := bytes.Cut(head, []byte{'\n'})
			line, head = bytes.TrimRight(line, "\r"), rest
			if len(line) == 0 {
				continue
			}
			if !shape(line) {
				return !whole && n > 1
			}
			n++
		}
		return n > 0
	}
}

// isProbe is "  probe_libc:free  (on __GI___libc_free@malloc/malloc.c in /lib/libc.so.6 with ptr)".
func isProbe(line []byte) bool {
	name, rest, ok := bytes.Cut(trimLeft(line), []byte(" "))
	return ok && bytes.IndexByte(name, ':') > 0 && bytes.HasPrefix(trimLeft(rest), []byte("(on ")) && bytes.HasSuffix(line, []byte(")"))
}

// isBuildID is "a868d8c2b7d0af8e96fe0a28fa8bb53893bb64f8 /usr/bin/app".
func isBuildID(line []byte) bool {
	id, file, ok := bytes.Cut(line, []byte(" "))
	return ok && len(file) > 0 && len(id) >= 32 && len(id) <= 40 && len(bytes.Trim(id, "0123456789abcdef")) == 0
}

// isPerfMap claims lines such as "1358e4e4b116 32 JS:~handler app.js:3:22". Columns of plain numbers, which other tools
// print, have no hex digits and no names.
func isPerfMap(head []byte) bool {
	hex, lines := false, 0
	claimed := everyLine(func(line []byte) bool {
		start, rest, _ := bytes.Cut(line, []byte(" "))
		size, name, _ := bytes.Cut(rest, []byte(" "))
		_, ok1 := hexadecimal(start)
		_, ok2 := hexadecimal(size)
		hex = hex || bytes.ContainsAny(start, "abcdef")
		lines++
		return ok1 && ok2 && len(start) > 4 && len(name) > 0 && name[0]-'0' > 9
	})(head)
	return claimed && hex && lines > 2
}

func isMsPrint(head []byte) bool {
	return bytes.HasPrefix(head, []byte("-----")) && bytes.Contains(head, []byte("\nMassif arguments:")) && bytes.Contains(head, []byte("\nms_print arguments:"))
}

// isPprofText is "Total: 1630208 B" with columns of percents, or the head of go tool pprof -top.
func isPprofText(head []byte) bool {
	first, rest, _ := bytes.Cut(head, []byte{'\n'})
	second, _, _ := bytes.Cut(rest, []byte{'\n'})
	if bytes.HasPrefix(first, []byte("Total: ")) && bytes.Count(second, []byte("% ")) >= 3 {
		return true
	}
	return bytes.Contains(head, []byte("\nShowing nodes accounting for ")) && bytes.Contains(head, []byte("flat  flat%"))
}
