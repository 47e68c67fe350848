package computesanitizer

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// reader goes through a log with one record open at a time.
type reader struct {
	b      *table.Builder
	l      *source.Lines
	open   *record
	frames map[string]callstack.Frame // by the text of their lines
	sites  map[siteKey]*site
	order  []*site
	bytes  int64 // of the leaks of the report at hand
	blocks int64
	all    struct{ bytes, blocks int64 } // of all reports
	leaks  bool                          // leaks were looked for
	ended  bool                          // the report at hand has its summary
	begun  bool
}

// record is a leak or an error, with the stack of the device, of the host, or both.
type record struct {
	kind    string // of the fault
	text    string
	name    string // that the program gave the leaked block
	line    int
	size    table.Int
	address uint64
	located bool
	stack   []callstack.Frame
	done    bool // a second stack has begun, which is that of an allocation near by
	headed  bool // the head line of the host's stack was met
}

type siteKey struct {
	class table.Sym
	leaf  int64
}

type site struct {
	siteKey
	bytes, blocks int64
	line          int
}

// maxFrames bounds the frames that are kept by their text.
const maxFrames = 1 << 16

// line reads a line behind its "=========".
func (r *reader) line(rest []byte) {
	text := string(bytes.TrimSpace(rest))
	switch {
	case text == "":
		r.flush()
	case strings.HasPrefix(text, "Host Frame:"), strings.HasPrefix(text, "Device Frame:"):
		_, call, _ := strings.Cut(text, ":")
		r.frame(strings.TrimSpace(call), r.l.Bytes())
	case strings.HasPrefix(text, "in ") && r.open != nil && len(r.open.stack) > 0:
		r.inModule(text[len("in "):])
	case bytes.HasPrefix(rest, []byte("   ")):
		r.detail(text)
	default:
		r.flush()
		r.head(text)
	}
}

// head reads a line that is not indented: the beginning of a record, or a line of the summary.
func (r *reader) head(text string) {
	switch {
	case strings.HasPrefix(text, "COMPUTE-SANITIZER"), strings.HasPrefix(text, "CUDA-MEMCHECK"):
		r.unsummed()
		r.begun = true
		tool, _, _ := strings.Cut(strings.ToLower(text), " ")
		r.b.Fact("tool", tool)
	case strings.HasPrefix(text, "LEAK SUMMARY: "):
		r.leakSummary(text[len("LEAK SUMMARY: "):])
	case strings.HasPrefix(text, "ERROR SUMMARY: "), strings.HasPrefix(text, "RACECHECK SUMMARY: "):
		r.ended = true
	case strings.HasPrefix(text, "Leaked "):
		r.leak(text)
	case strings.HasPrefix(text, "Error: "), strings.HasPrefix(text, "Unable to "), strings.HasPrefix(text, "Target application terminated"):
		r.b.Problems.Add(r.l.Pos(len(mark)+2), "want a program that ran to its end, have the tool's words %q", text[:min(len(text), 90)])
	default:
		if kind := kindOf(text); kind != "" {
			r.open = &record{kind: kind, text: text, line: r.l.Line()}
			if r.l.Ended() {
				r.open.size = sizeIn(text)
			}
		}
	}
}

// leak begins "Leaked 1,048,576 bytes at 0x7f566f200000 called NAME".
func (r *reader) leak(text string) {
	size, rest := number(text[len("Leaked "):])
	at, ok := strings.CutPrefix(rest, " bytes at 0x")
	addr, n := hex(at)
	if behind := at[min(n, len(at)):]; !size.OK || !ok || n == 0 || !r.l.Ended() || behind != "" && !strings.HasPrefix(behind, " ") {
		r.b.Problems.Add(r.l.Pos(len(mark)+2), "want Leaked N bytes at 0xADDRESS, have %q", text[:min(len(text), 60)])
		return
	}
	r.open = &record{kind: "leak-definite", text: text, line: r.l.Line(), size: size, address: addr, located: true}
	if name, ok := strings.CutPrefix(at[n:], " called "); ok {
		r.open.name = name
	}
}

// detail reads an indented line of a record that is no frame.
func (r *reader) detail(text string) {
	o := r.open
	switch {
	case o == nil:
	case strings.HasPrefix(text, "Saved host backtrace"), strings.HasPrefix(text, "Host backtrace"):
		o.done = o.done || o.headed
		o.headed = true
	case strings.HasPrefix(text, "at ") && len(o.stack) == 0:
		f, ok := deviceFrame(text[len("at "):])
		if !ok {
			r.b.Problems.Count(r.l.Pos(len(mark)+1), "want at 0xADDRESS in PLACE or at FUNCTION+0xOFFSET, have %q", text[:min(len(text), 60)])
		} else if r.l.Ended() {
			o.stack = append(o.stack, f)
		}
	case strings.HasPrefix(text, "Address 0x"), strings.HasPrefix(text, "Access to 0x"), strings.HasPrefix(text, "Access at 0x"):
		_, at, _ := strings.Cut(text, "0x")
		if addr, n := hex(at); n > 0 && !o.located && r.l.Ended() {
			o.address, o.located = addr, true
		}
		if strings.Contains(text, "misaligned") {
			o.kind = "misaligned-access"
		}
	}
}

// frame puts a call on the stack that is being read.
func (r *reader) frame(text string, line []byte) {
	o := r.open
	if o == nil || o.done {
		return
	}
	if !r.l.Ended() {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want the end of the line, have that of the file: this call may be cut and is left out")
		return
	}
	f, ok := r.frames[text]
	if !ok {
		if f, ok = frameOf(text); !ok { // it keeps those around it apart
			r.b.Problems.Count(r.l.Pos(len(line)-len(text)+1), "want a call such as main [0x3113], have another line")
			o.stack = append(o.stack, callstack.Frame{})
			return
		}
		if len(r.frames) >= maxFrames {
			clear(r.frames)
		}
		r.frames[text] = f
	}
	o.stack = append(o.stack, f)
}

// inModule gives the call in front of it the file that it is in.
func (r *reader) inModule(path string) {
	f := &r.open.stack[len(r.open.stack)-1]
	if f.Module == "" && !r.open.done && r.l.Ended() {
		setModule(f, path)
	}
}

// flush writes the open record.
func (r *reader) flush() {
	o := r.open
	if r.open = nil; o == nil {
		return
	}
	r.b.Process(table.Int{}, table.Null)
	fault := table.Fault{Kind: r.b.Text(o.kind), Detail: r.b.Text(o.text), Address: o.address, HasAddress: o.located, Size: o.size, Line: o.line}
	if o.kind != "leak-definite" {
		fault.Stack = callstack.Add(r.b, o.stack, o.line).Leaf
		r.b.Fault(fault)
		return
	}
	class := "gpu-memory"
	for i := range o.stack {
		if pinned[o.stack[i].Function] {
			class = "pinned-host"
		}
	}
	if o.name != "" {
		o.stack = append([]callstack.Frame{{Function: "[" + o.name + "]"}}, o.stack...)
	}
	fault.AllocStack = callstack.Add(r.b, o.stack, o.line).Leaf
	r.b.Fault(fault)
	r.count(siteKey{r.b.Text(class), fault.AllocStack}, o)
}

// pinned are the calls that allocate memory of the host for the device.
var pinned = map[string]bool{"cudaHostAlloc": true, "cudaMallocHost": true, "cuMemHostAlloc": true, "cuMemAllocHost": true, "cuMemAllocHost_v2": true}

// count adds a leak to its site and to its report.
func (r *reader) count(k siteKey, o *record) {
	s := r.sites[k]
	if s == nil {
		s = &site{siteKey: k, line: o.line}
		r.sites[k] = s
		r.order = append(r.order, s)
	}
	sum, ok := table.Sum(s.bytes, o.size.V)
	total, fits := table.Sum(r.all.bytes, o.size.V)
	if !ok || !fits {
		r.b.Problems.Add(r.l.Pos(0), "want leaks whose sum fits in 63 bits, have larger ones")
		return
	}
	s.bytes, r.all.bytes = sum, total
	s.blocks++
	r.all.blocks++
	r.bytes += o.size.V
	r.blocks++
	r.leaks = true
}

// leakSummary holds the leaks against "1049089 bytes leaked in 3 allocations".
func (r *reader) leakSummary(text string) {
	size, rest := number(text)
	rest, ok := strings.CutPrefix(rest, " bytes leaked in ")
	blocks, _ := number(rest)
	if !size.OK || !ok || !blocks.OK {
		r.b.Problems.Add(r.l.Pos(len(mark)+2), "want N bytes leaked in M allocations, have %q", text[:min(len(text), 60)])
		return
	}
	if size.V != r.bytes || blocks.V != r.blocks {
		r.b.Problems.Add(r.l.Pos(1), "want leaks that add up to the summary, %d bytes in %d allocations, have %d in %d: the report is cut, or --print-limit was reached",
			size.V, blocks.V, r.bytes, r.blocks)
	}
	r.leaks = true
	r.bytes, r.blocks = 0, 0
}

// unsummed tells of a report whose summary is missing.
func (r *reader) unsummed() {
	if r.begun && !r.ended {
		r.b.Problems.Count(r.l.Pos(0), "want an ERROR SUMMARY at the end of a report, have none: it is cut")
	}
	r.ended, r.bytes, r.blocks = false, 0, 0
}

// finish writes the sites, and the leaks of all reports as a sample.
func (r *reader) finish() {
	r.flush()
	r.unsummed()
	for _, s := range r.order {
		r.b.Site(table.Site{Class: s.class, Stack: s.leaf, LiveBytes: table.Known(s.bytes), LiveCount: table.Known(s.blocks), Line: s.line})
	}
	if !r.leaks {
		r.b.Fact("note", "leak check was off: take it with --leak-check full")
		return
	}
	r.b.Fact("leak_report", "true")
	r.b.Process(table.Int{}, table.Null)
	for _, m := range [...]struct {
		name  string
		value int64
	}{{"leaked_bytes", r.all.bytes}, {"leaked_count", r.all.blocks}} {
		r.b.Add(table.Sample{Scope: r.b.Text("process"), Name: r.b.Text(""), Metric: r.b.Text(m.name), Value: m.value, Line: max(1, r.l.Line())})
	}
}
