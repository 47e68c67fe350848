package regions

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// librankColumns are the titles behind RSStot; uss is no column of mappings.
var librankColumns = map[string]field{
	"VSS": field(table.MapSize), "RSS": field(table.MapRSS), "PSS": field(table.MapPSS), "USS": skipped, "Swap": field(table.MapSwap), "Name/PID": object,
}

// librank is the state of the decoder.
type librank struct {
	*book
	columns []field
	indent  int       // where the title RSStot ends: the rows of processes begin behind it
	path    table.Sym // library of the rows that follow
	footer  bool      // the lines before the table promise one behind it, and it was not there yet
}

// DecodeLibrank reads the table of librank: a mapping for each library of each process.
func DecodeLibrank(in *source.Input, b *table.Builder) error {
	d := &librank{book: newBook(in, b)}
	d.android = true
	for d.l.Scan() {
		d.line(d.l.Bytes())
	}
	if len(d.rows) > 0 && (d.footer || !d.l.Ended()) {
		d.b.Problems.Add(d.l.Pos(0), "want the line that ends librank, have the end of the file: the capture may be cut")
	}
	d.flush()
	return d.log.End("a table of librank")
}

func (d *librank) line(line []byte) {
	switch {
	case len(line) == 0:
	case bytes.HasPrefix(line, []byte("------ LIBRANK")):
		d.flush()
		d.footer = true
	case bytes.HasPrefix(line, []byte("[librank: ")), bytes.Contains(line, []byte("was the duration of")):
		d.footer = false
		d.log.Other(line, d.flush)
	case bytes.Contains(line, []byte("RSStot")) && hasWords(line, "RSStot", "Name/PID"):
		d.flush()
		d.header(line)
	case d.columns != nil && d.row(line):
	default:
		d.log.Other(line, d.flush)
	}
}

func (d *librank) header(line []byte) {
	d.columns, d.first, d.path = d.columns[:0], d.l.Line(), table.Null
	t := tokens{line: line}
	t.next()
	d.indent = t.end
	for {
		w := t.next()
		if len(w) == 0 {
			return
		}
		f, known := librankColumns[string(w)]
		if !known {
			d.b.Problems.Count(d.l.Pos(t.at+1), "unknown column %q", w)
			f = skipped
		}
		d.columns = append(d.columns, f)
	}
}

// row takes "309423K   library", or below it "188416K 86440K 84507K 84440K   command [pid]". A last line that stops
// inside drops the table, since the library it belongs to is not whole.
func (d *librank) row(line []byte) bool {
	m := table.Mapping{Line: d.l.Line(), Path: d.path}
	t := tokens{line: line}
	n, first := 0, len(line)
	for ; n < len(d.columns); n++ {
		at := t
		w := t.next()
		if !isKilobytes(w) {
			t = at
			break
		}
		first = min(first, t.at)
		if n < len(d.columns) && d.columns[n] >= 0 {
			v, ok := kilobytes(w)
			if !ok {
				d.b.Problems.Add(d.l.Pos(t.at+1), "want a size that fits in 63 bits, have %q", clip(w))
				return true
			}
			m.Set(table.Size(d.columns[n]), v)
		}
	}
	rest := t.rest()
	switch {
	case n == 0 && d.l.Ended() && sizeLike(line):
		d.b.Problems.Add(d.l.Pos(1), "want sizes in K, have %q: the row is left out, and what stands below it if it named a library", clip(line))
		if trimmed := bytes.TrimLeft(line, " "); len(line)-len(trimmed) < d.indent {
			d.path = table.Null
		}
		return true
	case n == 0:
		return d.half(line)
	case n == 1 && first < d.indent:
		d.path = d.b.Sym(rest)
		return true
	case n == len(d.columns)-1:
		if o, ok := commandPID(rest, d.b); ok && d.path != table.Null {
			d.rows, d.owners = append(d.rows, m), append(d.owners, o)
			return true
		}
	}
	if !d.half(line) {
		d.b.Problems.Add(d.l.Pos(t.end+1), "want a library, or %d sizes and a command [pid], have %q", len(d.columns)-1, clip(line))
	}
	return true
}

// sizeLike says whether a line begins with a size whose digits are damaged.
func sizeLike(line []byte) bool {
	t := tokens{line: line}
	w := t.next()
	return len(w) > 2 && w[len(w)-1] == 'K' && bytes.ContainsAny(w, "0123456789")
}

// half drops the table where its last line has no end.
func (d *librank) half(line []byte) bool {
	if d.l.Ended() || len(trim(line)) == 0 {
		return false
	}
	d.drop(d.l.Line(), "the file ends inside a row")
	return true
}

// commandPID reads "com.example.app [1234]".
func commandPID(s []byte, b *table.Builder) (owner, bool) {
	i := bytes.LastIndex(s, []byte(" ["))
	if i < 0 || s[len(s)-1] != ']' {
		return owner{}, false
	}
	n, ok := decimal(s[i+2 : len(s)-1])
	return owner{table.Known(n), b.Sym(trim(s[:i]))}, ok
}

// flush writes the table, which has no last line by which its end could be told.
func (d *librank) flush() {
	if len(d.rows) > 0 {
		d.log.Machine(d.first)
		d.write()
	}
	d.columns, d.path = nil, table.Null
}
