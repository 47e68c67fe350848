package instruments

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// document reads one result of xctrace export from its first tag to its last.
type document struct {
	cells
	words   words
	tag     tag // the one at the start of what is unread
	size    int // its bytes
	root    string
	closed  bool
	rows    int
	run     string // the one that is read
	skip    bool   // a node of another run
	plan    *plan
	begun   bool
	schemas []string // met
	names   []string // of the details met
	events  int64
	gpu     gpuLog
	details details
}

func decode(in *source.Input, b *table.Builder) error {
	d := &document{words: newWords(b)}
	d.s, d.b = newStream(in), b
	for d.next() {
		d.take()
	}
	if d.s.err != nil {
		return d.s.err
	}
	if !d.closed {
		d.truncated()
	}
	d.finish()
	b.Fact("tool", "xctrace")
	d.fact("schema", d.schemas)
	d.fact("detail", d.names)
	if !b.HasData() {
		return d.heldNothing()
	}
	return nil
}

// next finds the next tag; text between rows says nothing.
func (d *document) next() bool {
	s := d.s
	for {
		rest := s.rest()
		n := bytes.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		s.pos += n
		if rest = rest[n:]; len(rest) > 1 {
			if rest[1] != '!' && rest[1] != '?' {
				if d.size = d.tag.parse(rest, 0); d.size > 0 {
					if d.tag.broken {
						d.b.Problems.Add(d.s.at(rest[d.size:]), "want the end of a tag, have another tag: what stands between is left out")
					}
					return true
				}
			} else if end := markupEnd(rest); end > 0 {
				s.pos += end
				continue
			}
		}
		if !s.more() {
			return false
		}
	}
}

// take reads the element that the tag begins, or the tag alone.
func (d *document) take() {
	t := &d.tag
	switch string(t.name) {
	case "row":
		if !t.end {
			d.row()
			return
		}
	case "schema":
		if !t.end {
			d.schema()
			return
		}
	case "node":
		if !t.end {
			d.node()
		}
	case "trace-query-result", "trace-toc":
		if !t.end {
			d.root, d.closed, d.ids = string(t.name), t.empty, ids{}
		} else {
			d.closed = true
		}
	}
	d.s.pos += d.size
}

// whole gives what stands between the start tag at hand and its end tag, and passes both. It is false at the end of the
// input.
func (d *document) whole(end string) ([]byte, bool) {
	s := d.s
	searched := d.size
	for {
		rest := s.rest()
		if d.size > 0 && d.tag.empty {
			s.pos += d.size
			return nil, true
		}
		if d.size > 0 {
			if n := bytes.Index(rest[searched:], []byte(end)); n >= 0 {
				s.pos += searched + n + len(end)
				return rest[d.size : searched+n], true
			}
		}
		searched = max(d.size, len(rest)-len(end))
		if !s.more() {
			return nil, false
		}
		d.size = d.tag.parse(s.rest(), 0)
	}
}

// node begins a result of its own. One without a schema has that of the node before, unless it is a detail.
func (d *document) node() {
	xpath := d.tag.value("xpath")
	d.details.kind = nil
	if bytes.Contains(xpath, []byte("/tracks")) {
		d.plan = nil
	}
	run := runOf(xpath)
	if d.run == "" {
		d.run = run
	}
	if d.skip = run != "" && run != d.run; d.skip {
		d.s.count(d.s.pos)
		d.b.Problems.Count(d.s.at(xpath), "want the tables of one run, have those of run %s beside those of run %s: they are left out", clip([]byte(run)), clip([]byte(d.run)))
	}
}

// runOf is the number in run[1] or run[@number="1"] of a path.
func runOf(xpath []byte) string {
	_, rest, ok := bytes.Cut(xpath, []byte("/run["))
	if !ok {
		return ""
	}
	rest, _, _ = bytes.Cut(rest, []byte("]"))
	return string(bytes.Trim(rest, "@number=&quot;'\" "))
}

// row reads a row: of a table if its node has a schema, else of a detail.
func (d *document) row() {
	d.line, d.read = d.s.here(), d.read+int64(d.size)
	content, ok := d.whole("</row>")
	if !ok {
		d.s.pos = d.s.end
		return
	}
	d.rows++
	d.read += int64(len(content))
	if d.loss = "the row"; d.plan == nil {
		d.loss = "its stack"
	}
	d.cells.row(content)
	switch {
	case d.skip:
	case d.plan != nil:
		if !d.bad {
			d.tableRow()
		}
	case len(d.tag.attrs) > 0:
		d.detailRow(content)
	default:
		d.b.Problems.Count(d.at(), "want a schema before the rows of a table, have none: export each table by itself")
	}
}

func (d *document) tableRow() {
	p := d.plan
	if n := len(d.list); n != p.columns && !p.warned {
		p.warned = true
		d.b.Problems.Add(d.at(), "want %d cells in a row of %s, have %d: what fits is read", p.columns, p.schema, n)
	}
	if p.table == nil {
		return
	}
	if !d.begun {
		d.begun = true
		d.b.Snapshot(table.Stamp{Trace: table.Known(0), Line: d.line})
	}
	p.table.row(d)
}

// truncated says where a document ends that was not written to its end, as happens when xctrace crashes.
func (d *document) truncated() {
	s := d.s
	s.count(s.end)
	pos := s.in.At(s.line, s.column+1)
	want := "</" + cmp.Or(d.root, "trace-query-result") + ">"
	switch {
	case s.tooLong:
		d.b.Problems.Add(pos, "truncated after row %d: want tags and rows of at most 64 MiB", d.rows)
	case d.rows == 0:
		d.b.Problems.Add(pos, "truncated: want %s, have the end of the file; xctrace may have crashed: export again", want)
	default:
		d.b.Problems.Add(pos, "truncated after row %d: want %s, have the end of the file; xctrace may have crashed: export again", d.rows, want)
	}
	d.b.Fact("truncated", "true")
	d.b.Fact("lossy", "true")
}

func (d *document) finish() {
	d.gpu.write(d)
	d.details.write(d)
}

func (d *document) fact(name string, met []string) {
	if len(met) > 0 {
		d.b.Fact(name, strings.Join(met, ", "))
	}
}

// note adds a name to those met, for the facts and messages.
func note(met []string, s string) []string {
	if len(met) < 32 && !slices.Contains(met, s) {
		return append(met, s)
	}
	return met
}

func (d *document) heldNothing() error {
	const want = "held nothing: want a table that tells of memory (sysmon-process, activity-monitor-process-live, metal-resource-allocations, " +
		"metal-current-allocated-size, virtual-memory) or a detail of Allocations, Leaks or VM Tracker, have "
	pos := d.s.in.At(1, 1)
	switch {
	case d.rows == 0:
		return source.Errorf(pos, want+"no row: a Regions Map without snapshots and Leaks without leaks look so")
	case len(d.schemas)+len(d.names) == 0:
		return source.Errorf(pos, want+"others (rows: %d)", d.rows)
	}
	return source.Errorf(pos, want+"%s (rows: %d)", strings.Join(append(d.schemas, d.names...), ", "), d.rows)
}
