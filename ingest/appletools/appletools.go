// Package appletools reads the text of the command line tools for memory of macOS: vmmap, footprint, leaks, heap and
// malloc_history. They share a header (process, times, versions, physical footprint) and sizes that are rounded to a
// tenth of a unit of 1024. It is a family of formats of ingest, beside the others.
//
// The forms are those of macOS 10.13 to 26 and of the simulators of iOS 15 to 17.
package appletools

import (
	"bytes"
	"unicode/utf8"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// reader is what the formats have in common: the lines, the header of a report, and where its rows go.
type reader struct {
	in   *source.Input
	l    *source.Lines
	b    *table.Builder
	tool string
	// levels says that the header's physical footprint gives samples.
	levels bool
	// end is called where a report ends: before the next one, and at the end of the input.
	end func()
	report
	scope       scopes
	empty       table.Sym
	rows        int
	mark        table.Int // wall clock of a line between reports
	said        []byte    // what the tool said in place of figures
	saidLine    int
	heads, body int // lines: of the last header begun, and of the last body
}

// report is one run of the tool.
type report struct {
	begun   bool
	timed   bool
	pid     table.Int
	process table.Sym
	// footprints are what the header says of the physical footprint.
	footprints []footprintOf
}

// footprintOf is a line of the header with a physical footprint.
type footprintOf struct {
	metric string
	v      table.Int
	line   int
}

// scopes are the scopes of samples, numbered once.
type scopes struct{ process, category, zone, class table.Sym }

func newReader(in *source.Input, b *table.Builder, tool string) *reader {
	return &reader{in: in, l: source.NewLines(in), b: b, tool: tool, levels: true, end: func() {}, empty: b.Text(""),
		scope: scopes{b.Text("process"), b.Text("category"), b.Text("zone"), b.Text("class")}}
}

// read gives every line that is not of a header to body.
func (r *reader) read(body func(line []byte), want string) error {
	for r.l.Scan() {
		if line := r.l.Bytes(); !r.header(line) {
			body(line)
		}
	}
	r.finish()
	r.b.Fact("tool", r.tool)
	switch {
	case r.l.Err() != nil:
		return r.l.Err()
	case r.rows == 0 && r.said != nil:
		return source.Errorf(r.in.At(r.saidLine, 1), "held nothing: want %s, have what %s says: %q", want, r.tool, r.said)
	case r.rows == 0:
		return source.Errorf(r.in.At(max(1, r.l.Line()), 0), "held nothing: want %s", want)
	}
	return nil
}

// begin begins a report that has no header.
func (r *reader) begin() {
	if !r.begun {
		r.start()
	}
}

// start begins a report at the current line.
func (r *reader) start() {
	if r.begun {
		r.finish()
	}
	r.report = report{begun: true}
	r.b.Snapshot(table.Stamp{Wall: r.mark, Line: r.l.Line()})
	r.timed, r.mark = r.mark.OK, table.Int{}
	r.b.Process(r.pid, r.process)
}

// finish ends a report.
func (r *reader) finish() {
	for _, f := range r.footprints {
		r.level(f.metric, f.v, f.line)
	}
	r.footprints = nil
	r.end()
}

// again begins a report where a second body follows without a header between.
func (r *reader) again() {
	if !r.begun || r.body > r.heads {
		r.start()
	}
	r.body = r.l.Line()
}

// subject sets the process of the report where the header did not tell it.
func (r *reader) subject(pid table.Int, name table.Sym) {
	if !r.pid.OK {
		r.pid = pid
	}
	if r.process == table.Null {
		r.process = name
	}
	r.b.Process(r.pid, r.process)
}

// sample writes a figure; one that is not known is no row.
func (r *reader) sample(scope, name table.Sym, metric string, v table.Int, line int) {
	if v.OK {
		r.b.Add(table.Sample{Scope: scope, Name: name, Metric: r.b.Text(metric), Value: v.V, Line: line})
		r.rows++
	}
}

// level writes a figure of the process.
func (r *reader) level(metric string, v table.Int, line int) {
	r.sample(r.scope.process, r.empty, metric, v, line)
}

// other takes a line that is no part of the tool's output: a time between two runs, a message of the tool, a note of the
// system before the header.
func (r *reader) other(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if message(line, r.tool) {
		r.say(line)
	} else if m, ok := source.ParseMark(line); ok {
		if m.HasWall {
			r.mark = table.Known(m.Wall)
		}
	} else if !r.begun {
		r.b.Fact("note", string(clip(line)))
	}
}

// say notes what the tool printed in place of figures.
func (r *reader) say(line []byte) {
	r.b.Problems.Add(r.l.Pos(1), "%s says: %q", r.tool, clip(line))
	if r.said == nil {
		r.said, r.saidLine = bytes.Clone(clip(line)), r.l.Line()
	}
}

// message says whether a line is one by which a tool tells that something went wrong: "vmmap: …", "vmmap[123]: …".
func message(line []byte, tool string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(tool))
	if !ok || len(rest) == 0 {
		return false
	}
	return rest[0] == ':' || rest[0] == '[' || bytes.HasPrefix(rest, []byte(" cannot")) || bytes.HasPrefix(rest, []byte(" could not"))
}

// symOf numbers a string of a capture; what is no UTF-8 in it is replaced.
func symOf(b *table.Builder, s []byte) table.Sym {
	if utf8.Valid(s) {
		return b.Sym(s)
	}
	return b.Sym(bytes.ToValidUTF8(s, []byte("\uFFFD")))
}

// clip shortens what a message quotes.
func clip(s []byte) []byte {
	if len(s) > 80 {
		return append(bytes.ToValidUTF8(bytes.Clone(s[:80]), nil), "…"...)
	}
	return s
}

// eachLine gives the lines of a head to visit until that is true.
func eachLine(head []byte, visit func(line []byte) bool) bool {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if visit(bytes.TrimRight(line, "\r ")) {
			return true
		}
		head = rest
	}
	return false
}

// isOf says whether the header in a head, or a message in its first line, is of a tool.
func isOf(line []byte, tool string) bool {
	v, ok := bytes.CutPrefix(line, []byte("Analysis Tool:"))
	return ok && string(base(bytes.TrimSpace(v))) == tool
}

// isMessage says whether the first line that is not empty is a message of a tool.
func isMessage(head []byte, tool string) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte{'\n'})
	return message(line, tool)
}

// base is the last part of a path.
func base(s []byte) []byte { return s[bytes.LastIndexByte(s, '/')+1:] }
