// Package applereport reads the reports that Apple's systems and the crash reporters of apps write about memory: jetsam events,
// crash reports (.ips and text), MetricKit payloads, reports of KSCrash, the memory metrics of XCTest, the JSON of
// footprint, and tables of retains and releases. Nearly all of them are JSON. It is a family of formats of ingest,
// beside the others.
package applereport

import (
	"bytes"
	"io"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// maxReport bounds a report that is read as a whole; the largest of practice have some megabytes.
const maxReport = 256 << 20

// report is a document and where its rows go.
type report struct {
	in    *source.Input
	b     *table.Builder
	doc   *document
	roots []value
	rows  int
	words map[string]table.Sym
}

// open reads an input of one or more JSON documents, one behind the other. What stands before damage is kept.
func open(in *source.Input, b *table.Builder) (*report, error) {
	text, err := io.ReadAll(io.LimitReader(in.Reader(), maxReport+1))
	if err != nil {
		return nil, err
	}
	r := &report{in: in, b: b, words: map[string]table.Sym{}}
	if len(text) > maxReport {
		return nil, source.Errorf(in.At(1, 0), "held nothing: want a report of at most %d MiB, have a larger one", maxReport>>20)
	}
	r.doc = newDocument(text, in.Skip)
	return r, nil
}

// all reads every document of the input, and tells of damage.
func (r *report) all() {
	for r.doc.more() {
		root, err := r.doc.next()
		r.roots = append(r.roots, root)
		if err != "" {
			r.b.Problems.Add(r.doc.pos(r.in, r.doc.at), "want JSON, have %s: what stands before it is kept", err)
			return
		}
	}
}

func (r *report) at(v value) source.Pos { return r.doc.pos(r.in, v.offset()) }

// line is that of a value.
func (r *report) line(v value) int { return r.doc.pos(r.in, v.offset()).Line }

// pid is the number of a process; one that is there and cannot be read is a problem.
func (r *report) pid(v value) table.Int {
	n := v.int()
	if !n.OK && v.ok() && !v.isNull() {
		r.b.Problems.Add(r.at(v), "want the pid of a process, have %q", clip(v.raw()))
	}
	return n
}

// sym numbers a string; Null for an empty one.
func (r *report) sym(s string) table.Sym {
	if s == "" {
		return table.Null
	}
	return r.b.Text(s)
}

// word numbers a word of the tables.
func (r *report) word(s string) table.Sym {
	w, ok := r.words[s]
	if !ok {
		w = r.b.Text(s)
		r.words[s] = w
	}
	return w
}

// sample writes a figure that is known.
func (r *report) sample(scope, name, metric string, v table.Int, at value) {
	if v.OK {
		r.sampleAt(table.Sample{Scope: r.word(scope), Name: r.b.Text(name), Metric: r.word(metric), Line: r.line(at)}, v)
	}
}

// sampleAt is sample for a row that is filled but for its value.
func (r *report) sampleAt(s table.Sample, v table.Int) {
	if v.OK {
		s.Value = v.V
		r.b.Add(s)
		r.rows++
	}
}

// figure is a value as a whole number. A value that is there and none is a problem.
func (r *report) figure(v value, what string) table.Int {
	n := v.int()
	if !n.OK && v.ok() && !v.isNull() {
		r.b.Problems.Add(r.at(v), "want %s as a whole number, have %s", what, clip(v.raw()))
	}
	return n
}

// times is a figure in units of so many bytes; not known beyond 63 bits.
func (r *report) times(v value, what string, unit int64) table.Int {
	n := r.figure(v, what)
	if !n.OK {
		return n
	}
	if unit <= 0 || n.V > (1<<63-1)/unit || n.V < -(1<<63-1)/unit {
		r.b.Problems.Add(r.at(v), "want %s below 2^63 bytes, have %s", what, clip(v.raw()))
		return table.Int{}
	}
	return table.Known(n.V * unit)
}

// fact notes a string of the document.
func (r *report) fact(name string, v value) {
	if s := strings.Join(strings.FieldsFunc(v.text(), func(c rune) bool { return c == '\n' || c == '\r' }), "; "); s != "" {
		r.b.Fact(name, s)
	}
}

// wall reads a date.
func (r *report) wall(v value) table.Int {
	s := v.text()
	t, ok := source.ParseTime(s)
	if !ok && s != "" {
		r.b.Problems.Add(r.at(v), "want a date and time such as 2026-01-02 03:04:05.67 +0100, have %q", clip([]byte(s)))
	}
	return table.Int{V: t, OK: ok}
}

// heldNothing is the error of a report without rows.
func (r *report) heldNothing(want string) error {
	return source.Errorf(r.in.At(1, 1), "held nothing: want %s", want)
}

// clip shortens what a message quotes.
func clip(s []byte) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(string(s[:60]), "") + "…"
	}
	return string(s)
}

// bugTypeOf is the kind of report that the first line of an .ips file states; empty if it is none.
func bugTypeOf(head []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n"), []byte{'\n'})
	if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`"bug_type"`)) {
		return ""
	}
	root, _ := newDocument(line, 0).next()
	return root.get("bug_type").text()
}

// holds says whether a text that begins like JSON has all of these words.
func holds(head []byte, begins string, words ...string) bool {
	head = bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n")
	if len(head) == 0 || strings.IndexByte(begins, head[0]) < 0 {
		return false
	}
	for _, w := range words {
		if !bytes.Contains(head, []byte(w)) {
			return false
		}
	}
	return true
}
