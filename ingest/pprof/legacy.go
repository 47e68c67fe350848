package pprof

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// headLines is how many lines may stand before the header: what curl or a server prints.
const headLines = 64

// heapHeader begins the profiles of gperftools, tcmalloc, Go (debug=1) and jemalloc before 4.0.
var heapHeader = []byte("heap profile:")

// kind is what the figures of a profile of text are.
type kind struct {
	half       bool // the period is half of what the header says (Go: runtime/pprof, writeHeapInternal)
	exact      bool // every allocation is in it
	cumulative bool // how the address space grew: nothing is given back
	partial    bool // bytes lost to fragmentation, not allocations
}

// kinds are the words behind the @ of the header (gperftools, src/heap-profile-table.cc and src/malloc_extension.cc).
var kinds = map[string]kind{
	"heapprofile": {exact: true}, "heap_v2": {}, "heapz_v2": {}, "heap": {half: true}, "": {exact: true},
	"growthz": {exact: true, cumulative: true}, "growth": {exact: true, cumulative: true},
	"fragmentationz": {exact: true, partial: true}, "fragmentation": {exact: true, partial: true},
}

// header is "heap profile: N: B [N: B] @ KIND/PERIOD".
type header struct {
	figures
	kind
	period int64
}

// parseHeader reads a header; column is where it is none.
func parseHeader(line []byte) (h header, column int, ok bool) {
	rest, ok := bytes.CutPrefix(line, heapHeader)
	if !ok {
		return h, 1, false
	}
	t := text{s: rest}
	if h.figures, ok = t.figures(); !ok || !t.is('@') {
		return h, len(heapHeader) + t.i + 1, false
	}
	t.blanks()
	at := t.i
	word, digits, sampled := bytes.Cut(bytes.TrimSpace(rest[t.i:]), []byte{'/'})
	if h.kind, ok = kinds[string(word)]; !ok {
		return h, len(heapHeader) + at + 1, false
	}
	h.period = 1
	if sampled && !h.exact {
		p, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil || p <= 0 {
			return h, len(heapHeader) + at + len(word) + 2, false
		}
		if h.period = p; h.half {
			h.period = max(1, p/2)
		}
	}
	return h, 0, true
}

// SniffLegacy claims a header with four figures, or the first line of a Java heapz, near the start.
func SniffLegacy(head []byte) bool {
	for range headLines {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		line = bytes.TrimRight(line, "\r")
		if _, _, ok := parseHeader(line); ok || isJavaHeader(line) {
			return true
		}
		if !more {
			return false
		}
		head = rest
	}
	return false
}

// DecodeLegacy reads a heap profile of text: one row of sites a stack, and heap_alloc, the sum of what is live. The error
// is that of the reading, or says that there is no profile.
func DecodeLegacy(in *source.Input, b *table.Builder) error {
	h := newHeap(in, b)
	for h.l.Scan() {
		line := h.l.Bytes()
		if isJavaHeader(line) {
			return h.java()
		}
		head, column, ok := parseHeader(line)
		if ok {
			return h.legacy(&head)
		}
		if bytes.HasPrefix(line, heapHeader) {
			return source.Errorf(h.l.Pos(column), "held nothing: want heap profile: N: B [N: B] @ heapprofile, heap_v2/PERIOD or heap/PERIOD, have %q", clip(line[column-1:]))
		}
	}
	if err := h.l.Err(); err != nil {
		return err
	}
	return source.Errorf(in.At(1, 1), "held nothing: want a line heap profile: N: B [N: B] @ …")
}

func (h *heap) legacy(head *header) error {
	start := h.l.Line()
	h.period = head.period
	h.stacks()
	if err := h.l.Err(); err != nil {
		return err
	}
	h.b.Snapshot(table.Stamp{Line: start})
	h.b.Process(table.Int{}, h.process)
	h.facts("requested")
	if head.cumulative {
		h.b.Fact("cumulative", "true")
	}
	if head.partial {
		h.b.Fact("partial", "true")
	}
	k := h.rows(func(s *table.Site, e *entry) {
		s.TotalCount, s.TotalBytes = scale(e.totalCount, e.totalBytes, h.period)
		if !head.cumulative {
			s.LiveCount, s.LiveBytes = scale(e.liveCount, e.liveBytes, h.period)
		}
	})
	if h.whole(head.figures, start) && !head.cumulative && !head.partial {
		k.total(start)
	}
	return nil
}

// stacks reads the lines "N: B [N: B] @ 0xA 0xB", the functions that Go writes below each, and the map of modules.
func (h *heap) stacks() {
	var frames []callstack.Frame
	for h.l.Scan() {
		line := bytes.TrimLeft(h.l.Bytes(), " ")
		switch {
		case len(line) == 0:
		case beginsMaps(line):
			h.named(&frames)
			h.maps()
		case line[0] == '#':
			if f, ok := goFrame(line); ok || bytes.HasPrefix(line, []byte("#\t")) {
				frames = append(frames, f) // one that is damaged keeps those around it apart
				if !ok {
					h.b.Problems.Add(h.l.Pos(3), "want #, an address, a function and its place, with tabs between, have %q", clip(line[2:]))
				}
			} else if bytes.HasPrefix(line, []byte("# runtime.MemStats")) {
				h.ended = true
			}
		default:
			h.named(&frames)
			h.entry(h.l.Bytes())
		}
	}
	h.named(&frames)
}

// named gives the last entry the functions that stood below it.
func (h *heap) named(frames *[]callstack.Frame) {
	if n := len(h.entries); n > 0 && len(*frames) > 0 {
		e := &h.entries[n-1]
		e.stack, e.to, h.addrs = callstack.Add(h.b, *frames, e.line), e.from, h.addrs[:e.from]
	}
	*frames = (*frames)[:0]
}

func (h *heap) entry(line []byte) {
	t := text{s: line}
	f, ok := t.figures()
	if !ok || !t.is('@') {
		h.b.Problems.Add(h.l.Pos(t.i+1), "want N: B [N: B] @ and addresses, have %q", clip(line[t.i:]))
		h.bad++
		return
	}
	from, to := h.addresses(&t)
	h.entries = append(h.entries, entry{figures: f, line: h.l.Line(), from: from, to: to})
}

// goFrame reads "#	0x4da907	main.leak+0x47	gopprof/main.go:19", which Go writes with debug=1; the gaps are tabs.
func goFrame(line []byte) (f callstack.Frame, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("#\t"))
	t := text{s: rest}
	if !ok {
		return f, false
	}
	f.Address, f.HasAddress = t.hex()
	ip, named, _ := bytes.Cut(rest, []byte{'\t'})
	f.HasAddress = f.HasAddress && t.i == len(ip)
	name, place, _ := bytes.Cut(bytes.Trim(named, "\t "), []byte{'\t'})
	f.Function, _ = callstack.SplitOffset(string(name))
	f.SourceFile, f.SourceLine = fileLine(string(bytes.Trim(place, "\t ")))
	return f, f.HasAddress
}

// fileLine splits main.go:19; a place without a number is a file.
func fileLine(s string) (file string, line table.Int) {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == ':' {
			if n, err := strconv.ParseInt(s[i+1:], 10, 64); err == nil {
				return s[:i], table.Int{V: n, OK: n > 0}
			}
			break
		}
	}
	return s, table.Int{}
}
