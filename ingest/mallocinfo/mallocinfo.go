// Package mallocinfo reads the XML that malloc_info of the GNU C library writes into samples of the process: what its heaps
// took from the system, what of it is free, and so what is in use.
package mallocinfo

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// begin is how every document begins.
var begin = []byte("<malloc version=")

// Sniff claims a text with a line that begins with <malloc version=; a time or a word of the program may stand before it.
func Sniff(head []byte) bool {
	for range 50 {
		if head = bytes.TrimLeft(head, " \t\r\n"); bytes.HasPrefix(head, begin) {
			return true
		}
		_, rest, more := bytes.Cut(head, []byte{'\n'})
		if !more {
			return false
		}
		head = rest
	}
	return false
}

// figure is a size that stands behind the heaps.
type figure struct {
	table.Int
	line int
}

// document is the totals of one call of malloc_info. Those of single heaps are parts of them.
type document struct {
	system, mapped, fast, rest figure
}

type decoder struct {
	in      *source.Input
	b       *table.Builder
	xml     *xml.Decoder
	depth   int
	wall    table.Int // of the time that stood before the document
	doc     document
	any     bool
	foreign string // the version of another allocator's document
	open    bool   // a document has begun
}

// Decode reads one or several documents (glibc, malloc/malloc.c, __malloc_info), each of which is a moment. The error is
// that of the reading, or says that none was whole.
func Decode(in *source.Input, b *table.Builder) error {
	d := &decoder{in: in, b: b, xml: xml.NewDecoder(in.Reader())}
	d.xml.Strict = false // what a program prints between two documents need not be XML
	b.Fact("tool", "malloc_info")
	b.Fact("unit", "usable")
	for {
		t, err := d.xml.RawToken()
		if err == nil {
			d.token(t)
			continue
		}
		if syntax := new(xml.SyntaxError); err != io.EOF && !errors.As(err, &syntax) {
			return err
		}
		return d.end(err)
	}
}

// end says what is wrong with the last document.
func (d *decoder) end(err error) error {
	switch {
	case d.open && d.any:
		d.b.Problems.Add(d.pos(), "want </malloc>, have the end or damage: the last document is left out: %v", err)
		d.b.NoSample()
	case d.any && err != io.EOF:
		d.b.Problems.Add(d.pos(), "want XML, have %v", err)
	case !d.any && d.foreign != "":
		return source.Errorf(d.in.At(1, 0), "held nothing: want malloc_info of the GNU C library, version 1, have version %q", d.foreign)
	case !d.any:
		return source.Errorf(d.pos(), "held nothing: want a whole <malloc version=\"1\">, have %v", err)
	}
	return nil
}

func (d *decoder) pos() source.Pos {
	line, column := d.xml.InputPos()
	return d.in.At(d.in.Skip+line, column)
}

func (d *decoder) line() int { return d.pos().Line }

func (d *decoder) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		d.start(&t)
	case xml.EndElement:
		d.depth = max(0, d.depth-1)
		if t.Name.Local == "malloc" && d.open {
			d.rows()
			d.open, d.depth = false, 0
		}
	case xml.CharData:
		if !d.open {
			d.marks(t)
		}
	}
}

// start takes the totals, which stand directly below malloc.
func (d *decoder) start(e *xml.StartElement) {
	d.depth++
	if e.Name.Local == "malloc" {
		if d.open {
			d.b.Problems.Add(d.pos(), "want </malloc>, have another <malloc>: the document before is left out")
			d.b.NoSample()
		}
		d.depth, d.doc, d.open = 1, document{}, attribute(e, "version") == "1"
		if !d.open {
			d.foreign = attribute(e, "version")
			d.b.Problems.Add(d.pos(), "want malloc_info of the GNU C library, version 1, have version %q: the document is left out", d.foreign[:min(len(d.foreign), 40)])
			d.b.NoSample()
		}
		return
	}
	if !d.open || d.depth != 2 {
		return
	}
	for _, f := range []struct {
		element, kind string
		to            *figure
	}{{"system", "current", &d.doc.system}, {"total", "mmap", &d.doc.mapped}, {"total", "fast", &d.doc.fast}, {"total", "rest", &d.doc.rest}} {
		if e.Name.Local == f.element && attribute(e, "type") == f.kind {
			*f.to = d.size(e)
		}
	}
}

func (d *decoder) size(e *xml.StartElement) figure {
	text := attribute(e, "size")
	v, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		d.b.Problems.Add(d.pos(), "want a size that fits in 63 bits, have %q", text[:min(len(text), 40)])
	}
	return figure{table.Int{V: int64(v), OK: err == nil}, d.line()}
}

func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// marks looks for a time between two documents.
func (d *decoder) marks(text []byte) {
	for line := range bytes.Lines(text) {
		if m, ok := source.ParseMark(bytes.TrimSpace(line)); ok && m.HasWall {
			d.wall = table.Known(m.Wall)
		}
	}
}

// rows writes the samples of a document. Blocks with a mapping of their own are in use, and no part of the heaps. What
// could not be read makes the sums unknown that it is in.
func (d *decoder) rows() {
	x := &d.doc
	d.b.Snapshot(table.Stamp{Wall: d.wall, Line: d.line()})
	d.wall = table.Int{}
	d.b.Process(table.Int{}, table.Null)
	d.missing()
	if x.mapped.line == 0 && x.system.OK {
		x.mapped = figure{table.Known(0), x.system.line}
		d.b.Problems.Count(d.in.At(x.system.line, 0), "want the total of type mmap, have none, as in older versions: blocks with a mapping of their own are not counted")
	}
	size, ok := sum(x.system.Int, x.mapped.Int)
	d.sample("heap_size", size, ok, x.system.line)
	free, known := sum(x.fast.Int, x.rest.Int)
	d.sample("heap_free", free, known, x.rest.line)
	if ok && known && free > size {
		d.b.Problems.Add(d.in.At(x.rest.line, 0), "want at most %d bytes free, have %d", size, free)
	} else {
		d.sample("heap_alloc", size-free, ok && known, x.system.line)
	}
	if !d.b.HasData() {
		d.b.NoSample()
	}
}

// missing names the totals that every version writes and this document has not.
func (d *decoder) missing() {
	for _, f := range [...]struct {
		name string
		figure
	}{{"<system type=\"current\">", d.doc.system}, {"<total type=\"fast\">", d.doc.fast}, {"<total type=\"rest\">", d.doc.rest}} {
		if f.line == 0 {
			d.b.Problems.Add(d.pos(), "want %s in the document that ends here, have none: what it is part of is not known", f.name)
		}
	}
}

func sum(a, b table.Int) (int64, bool) {
	v, ok := table.Sum(a.V, b.V)
	return v, ok && a.OK && b.OK
}

func (d *decoder) sample(metric string, v int64, known bool, line int) {
	if !known {
		return
	}
	d.any = true
	d.b.Add(table.Sample{Scope: d.b.Text("process"), Name: d.b.Text(""), Metric: d.b.Text(metric), Value: v, Line: line})
}
