package memcheck

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// maxDepth is far below any document of valgrind: frames stand at depth 5.
const maxDepth = 32

// document reads the XML, element by element: a killed process leaves it without an end.
type document struct {
	d        *xml.Decoder
	in       *source.Input
	b        *table.Builder
	path     []string
	value    []byte
	rec      *record
	frame    *callstack.Frame
	pid      table.Int
	name     table.Sym
	state    string   // the last state: RUNNING, FINISHED
	args     []string // of valgrind
	lost     total    // of the loss records
	indirect bool     // indirectly lost blocks have records
	mixed    bool     // a record counts indirect blocks in its bytes
	unsure   bool     // the total cannot be told
	closed   bool
}

func decodeXML(in *source.Input, b *table.Builder) error {
	d := &document{d: xml.NewDecoder(in.Reader()), in: in, b: b}
	d.d.Strict = false
	d.d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if err := d.read(); err != nil {
		return err
	}
	d.total()
	if !d.closed {
		b.Problems.Add(d.pos(), "want </valgrindoutput>, have the end: the process was killed or the file is cut")
	}
	if !d.pid.OK && !b.HasData() {
		return source.Errorf(in.At(in.Skip+1, 1), "held nothing: want an XML document of memcheck with a pid or an error")
	}
	return nil
}

// read takes tokens to the end of the document, or to where it is none any more. Only a fault of reading is an error.
func (d *document) read() error {
	for !d.closed {
		tok, err := d.d.RawToken()
		var syntax *xml.SyntaxError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &syntax):
			d.b.Problems.Add(d.pos(), "want XML, have: %s", syntax.Msg)
			return nil
		case err != nil:
			return err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if len(d.path) == maxDepth {
				d.b.Problems.Add(d.pos(), "want elements in at most %d others, have more: nothing is read from here on", maxDepth)
				return nil
			}
			d.start(t.Name.Local)
		case xml.CharData:
			if len(d.value) < 1<<16 {
				d.value = append(d.value, t...)
			}
		case xml.EndElement:
			d.end(t.Name.Local)
		}
	}
	return nil
}

func (d *document) pos() source.Pos {
	line, column := d.d.InputPos()
	return d.in.At(d.in.Skip+line, column)
}

func (d *document) start(name string) {
	d.path, d.value = append(d.path, name), d.value[:0]
	switch {
	case name == "error" || name == "fatal_signal":
		d.rec, d.frame = &record{line: d.pos().Line}, nil
	case d.rec != nil && name == "stack":
		if n := len(d.rec.stacks); n == 0 || d.rec.stacks[n-1].frames != nil {
			d.rec.stacks = append(d.rec.stacks, stack{})
		}
	case d.rec != nil && name == "frame":
		d.frame = &callstack.Frame{}
	}
}

// end takes an element with its text. An end tag that closes no open element is passed over.
func (d *document) end(name string) {
	i := len(d.path) - 1
	for i >= 0 && d.path[i] != name {
		i--
	}
	if i < 0 {
		return
	}
	d.path = d.path[:i]
	value := string(bytes.TrimSpace(d.value))
	d.value = d.value[:0]
	parent := ""
	if i > 0 {
		parent = d.path[i-1]
	}
	switch {
	case name == "valgrindoutput":
		d.closed = true
	case d.frame != nil && name != "error" && name != "fatal_signal":
		d.call(name, value)
	case d.rec != nil:
		d.detail(parent, name, value)
	default:
		d.head(parent, name, value)
	}
}

// head reads what stands outside the errors.
func (d *document) head(parent, name, value string) {
	switch {
	case name == "pid" && parent == "valgrindoutput":
		if d.pid = leading(value); !d.pid.OK {
			d.b.Problems.Add(d.pos(), "want a pid, have %q", clip(value))
		}
		d.b.Process(d.pid, d.name)
	case name == "exe" && parent == "argv":
		d.name = d.b.Text(program(value))
		d.b.Process(d.pid, d.name)
	case name == "arg" && parent == "vargv":
		d.args = append(d.args, value)
	case name == "line" && parent == "preamble":
		if command, ok := strings.CutPrefix(value, "Command: "); ok {
			d.b.Fact("command", command)
		} else if version, ok := strings.CutPrefix(value, "Using Valgrind-"); ok {
			version, _, _ = strings.Cut(version, " ")
			d.b.Fact("version", version)
		}
	case name == "state" && parent == "status":
		d.state = value
	}
}

// call reads an element of a frame, or its end.
func (d *document) call(name, value string) {
	if name != "frame" {
		xmlFrame(d.frame, name, value)
		return
	}
	if n := len(d.rec.stacks); n > 0 {
		last := &d.rec.stacks[n-1]
		last.frames = append(last.frames, *d.frame)
	}
	d.frame = nil
}

// detail reads an element of an error.
func (d *document) detail(parent, name, value string) {
	r := d.rec
	switch {
	case name == "error" || name == "fatal_signal":
		d.finish()
	case name == "what", name == "text" && parent == "xwhat":
		r.what = value
	case name == "kind":
		r.kind = value
	case name == "leakedbytes":
		r.bytes = leading(value)
	case name == "leakedblocks":
		r.blocks = leading(value)
	case name == "auxwhat", name == "text" && parent == "xauxwhat":
		r.about(value)
		r.stacks = append(r.stacks, stack{about: value})
	case name == "signame":
		r.what = "Fatal signal " + value
	case name == "event":
		r.what += ": " + value
	case name == "siaddr":
		r.about("at address " + value)
	}
}

// finish writes the record. Of a loss record the text tells the direct bytes, leakedbytes the indirect ones too.
func (d *document) finish() {
	r := d.rec
	d.rec, d.frame = nil, nil
	i := slices.IndexFunc(lossKinds, func(k struct{ words, xml, fault string }) bool { return k.xml == r.kind })
	if i < 0 {
		if r.isError() {
			r.write(d.b)
		}
		return
	}
	line, own := r.line, loss(r.what)
	if own == nil {
		own = &record{what: r.what, bytes: r.bytes, blocks: r.blocks}
	}
	own.lost, own.kind, own.line, own.stacks = true, lossKinds[i].fault, line, r.stacks
	if !own.bytes.OK || !own.blocks.OK {
		d.b.Problems.Count(d.pos(), "want leakedbytes and leakedblocks of a loss record, have none that can be read")
	}
	own.write(d.b)
	d.count(own)
}

// count adds a loss record to the total.
func (d *document) count(r *record) {
	if r.kind == "leak-definite" || r.kind == "leak-indirect" {
		d.indirect = d.indirect || r.kind == "leak-indirect"
		d.mixed = d.mixed || strings.Contains(r.what, " indirect) ")
		var ok1, ok2 bool
		d.lost.bytes, ok1 = table.Sum(d.lost.bytes, r.bytes.V)
		d.lost.blocks, ok2 = table.Sum(d.lost.blocks, r.blocks.V)
		d.lost.line = r.line
		d.unsure = d.unsure || !ok1 || !ok2 || !r.bytes.OK || !r.blocks.OK
	}
}

// total writes what is lost: the document has no summary, but one that is complete names all that was lost, unless it was
// told to leave it out. Where indirect blocks are not listed the sum of the direct ones is not the total.
func (d *document) total() {
	if !d.closed || d.state != "FINISHED" || d.unsure || d.rec != nil || d.mixed && !d.indirect || d.leavesOut() {
		return
	}
	if d.lost.line == 0 {
		d.lost.line = d.pos().Line
	}
	sample(d.b, "leaked_bytes", d.lost.bytes, d.lost.line)
	sample(d.b, "leaked_count", d.lost.blocks, d.lost.line)
}

// leavesOut says whether options keep lost blocks out of the document. Definite ones are in it by default, indirect ones
// are named by those that lead to them.
func (d *document) leavesOut() bool {
	for _, a := range d.args {
		v, isCheck := strings.CutPrefix(a, "--leak-check=")
		kinds, isKinds := strings.CutPrefix(a, "--show-leak-kinds=")
		if isCheck && v != "full" && v != "yes" || isKinds && kinds != "all" && !strings.Contains(kinds, "definite") || strings.HasPrefix(a, "--suppressions=") {
			return true
		}
	}
	return false
}
