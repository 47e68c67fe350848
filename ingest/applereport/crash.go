package applereport

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffCrash recognises a crash report: an .ips file of bug type 309 or 109, or the older text.
func SniffCrash(head []byte) bool {
	if t := bugTypeOf(head); t != "" {
		return t == "309" || t == "109"
	}
	process := false
	for line := range bytes.Lines(head) {
		if v, ok := bytes.CutPrefix(line, []byte("Process:")); ok {
			process = bytes.IndexByte(v, '[') > 0
		}
		if process && bytes.HasPrefix(line, []byte("Exception Type:")) {
			return true
		}
	}
	return holds(head, "{", `"exception"`, `"faultingThread"`) || holds(head, "{", `"procName"`, `"exception"`)
}

// DecodeCrash reads a crash report: one fault, of kind oom-kill where the system ended the process for its memory, else
// crash, with the stack of the thread that crashed; samples of virtual sizes and counts of the region types.
func DecodeCrash(in *source.Input, b *table.Builder) error {
	r, err := open(in, b)
	if err != nil {
		return err
	}
	if r.doc.more() && r.doc.text[r.doc.at] == '{' {
		root, fault := r.doc.next()
		r.roots = append(r.roots, root)
		switch {
		case fault != "":
			r.b.Problems.Add(r.doc.pos(in, r.doc.at), "want JSON, have %s: what stands before it is kept", fault)
		case !r.doc.more():
		case r.doc.text[r.doc.at] == '{':
			r.all()
		default:
			r.textCrash(root)
		}
	} else {
		r.textCrash(value{})
	}
	for _, root := range r.roots {
		if root.get("exception").ok() || root.get("termination").ok() {
			(&crash{report: r, root: root}).read()
		}
	}
	if r.rows == 0 {
		return r.heldNothing("an exception or termination, as a crash report has it")
	}
	return nil
}

// crash is an .ips report.
type crash struct {
	*report
	root value
}

func (c *crash) read() {
	c.b.Snapshot(table.Stamp{Wall: c.wall(c.root.get("captureTime")), Line: c.line(c.root)})
	c.b.Process(c.pid(c.root.get("pid")), c.sym(c.root.get("procName").text()))
	c.fact("device", c.root.get("modelCode"))
	c.fact("arch", c.root.get("cpuType"))
	c.fact("launch_time", c.root.get("procLaunch"))
	c.fact("OS", c.root.get("osVersion", "train"))
	c.fact("note", c.root.get("ktriageinfo"))
	c.fault()
	if v := c.root.get("vmSummary"); v.ok() {
		s := vmSummary{r: c.report}
		if strings.ContainsRune(v.text(), 0) {
			c.b.Problems.Add(c.at(v), "want lines of sizes in the vmSummary, have a NUL among them")
		}
		for line := range strings.Lines(v.text()) {
			s.read([]byte(strings.TrimRight(line, "\r\n")), c.line(v))
		}
		s.close()
	}
}

func (c *crash) fault() {
	e, t := c.root.get("exception"), c.root.get("termination")
	at := e
	if !at.ok() {
		at = t
	}
	w := ending{kind: e.get("type").text(), signal: e.get("signal").text(), what: firstOf(e.get("subtype").text(), e.get("message").text(), e.get("codes").text()),
		more: e.get("message").text(), space: t.get("namespace").text(), code: t.get("code").int()}
	t.get("reasons").each(func(_, s value) { w.reasons += " " + s.text() })
	w.reasons += " " + t.get("indicator").text()
	stack := callstack.Add(c.b, c.frames(), c.line(at))
	c.writeFault(&w, stack.Leaf, c.line(at))
}

// frames are those of the thread that crashed.
func (c *crash) frames() (out []callstack.Frame) {
	thread := c.root.get("threads").item(c.root.get("faultingThread").int().V)
	if at := c.root.get("faultingThread"); at.ok() && (!at.int().OK || at.int().V < 0) {
		c.b.Problems.Add(c.at(at), "want the number of a thread, have %q", clip(at.raw()))
	}
	if !c.root.get("faultingThread").int().OK {
		thread = value{}
		c.root.get("threads").each(func(_, t value) {
			if t.get("triggered").text() == "true" {
				thread = t
			}
		})
	}
	var images []image
	c.root.get("usedImages").each(func(_, v value) {
		base, ok := v.get("base").uint()
		images = append(images, image{firstOf(v.get("name").text(), baseName(v.get("path").text())), base, ok})
	})
	thread.get("frames").each(func(_, f value) {
		call := callstack.Frame{Function: f.get("symbol").text(), SourceFile: f.get("sourceFile").text(), SourceLine: f.get("sourceLine").int()}
		if index := f.get("imageIndex").int(); index.OK && index.V >= 0 && index.V < int64(len(images)) {
			image := images[index.V]
			offset, ok := f.get("imageOffset").uint()
			call.Module, call.Address, call.HasAddress = image.name, image.base+offset, ok && image.based
		}
		out = append(out, call)
	})
	return out
}

// image is a binary that was loaded.
type image struct {
	name  string
	base  uint64
	based bool
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// ending is how a process ended, as a report tells it.
type ending struct {
	kind, signal, what, more string
	space                    string // namespace of the termination
	code                     table.Int
	reasons                  string
}

// memoryCodes are the codes of the namespace JETSAM that are about memory (xnu, bsd/sys/reason.h): high water, page shortage,
// thrashing, limit of the process, zone map, compressor, swap, sustained pressure, page-out, conclave.
var memoryCodes = map[int64]bool{2: true, 4: true, 5: true, 6: true, 7: true, 10: true, 11: true, 12: true, 13: true, 14: true, 15: true, 16: true}

// ofMemory says whether the system ended the process for its memory. Notes of the kernel on short resources do not tell so.
func (w *ending) ofMemory() bool {
	if w.kind == "EXC_RESOURCE" && strings.Contains(strings.ToUpper(w.what+" "+w.more), "MEMORY") {
		return true
	}
	if w.space != "JETSAM" {
		return false
	}
	if w.code.OK && memoryCodes[w.code.V] {
		return true
	}
	for word := range strings.FieldsSeq(strings.ToLower(w.reasons)) {
		if isMemory(strings.Trim(word, "(),.")) {
			return true
		}
	}
	return false
}

// detail is "EXC_BAD_ACCESS (SIGSEGV), KERN_INVALID_ADDRESS at 0x10".
func (w *ending) detail() string {
	s := w.kind
	if w.signal != "" && !strings.Contains(s, "(") {
		s += " (" + w.signal + ")"
	}
	parts := []string{}
	for _, p := range []string{strings.TrimSpace(s), w.what, w.more} {
		if p != "" && (len(parts) == 0 || p != parts[len(parts)-1]) {
			parts = append(parts, p)
		}
	}
	if w.space != "" && w.space != "SIGNAL" {
		parts = append(parts, strings.TrimSpace(w.space+" "+strings.TrimSpace(w.reasons)))
	}
	return strings.Join(parts, ", ")
}

// address is the one behind " at ".
func (w *ending) address() (uint64, bool) {
	_, rest, ok := strings.Cut(w.what, " at 0x")
	if !ok {
		return 0, false
	}
	rest, _, _ = strings.Cut(rest, " ")
	return hexadecimal("0x" + rest)
}

func (r *report) writeFault(w *ending, stack int64, line int) {
	kind := "crash"
	if w.ofMemory() {
		kind = "oom-kill"
	}
	f := table.Fault{Kind: r.word(kind), Detail: r.b.Text(w.detail()), Stack: stack, Line: line}
	f.Address, f.HasAddress = w.address()
	r.b.Fault(f)
	r.rows++
}
