package proc

import (
	"bytes"

	"github.com/memtide/memtide/ingest/sample"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// kind is what the value of a field is.
type kind uint8

const (
	sizeField kind = iota // kB
	countField
	nameField
	pidField
	skipField
)

// key is a field as it was met in this capture, with the row that it gives.
type key struct {
	text                []byte
	scope, name, metric table.Sym
	kind                kind
	part                int // place in record.parts, from 1
	unknown             bool
	seen                int // number of the record that has it last
}

type row struct {
	*key
	value int64
	line  int
}

// record collects the fields of one dump and writes them when it is whole, because one that the end of the file cuts
// gives no row.
type record struct {
	b    *table.Builder
	l    *source.Lines
	log  *sample.Log
	find func(text, rest []byte) *key // meaning of a key that is met first; nil: it is no field
	// headed says that a record begins with a header line, and only there; else with a field that comes again.
	headed  bool
	machine bool // the figures belong to no process

	keys    map[string]*key
	order   []*key // prediction: the kernel prints the same fields in the same order each time
	next    int
	n       int // number of the record, from 1
	open    bool
	first   int // its first line
	rows    []row
	parts   [3]table.Int // private_clean, private_dirty, shared_dirty
	fields  int          // sizes of this record, readable or not
	usual   int          // of the one before
	cut     bool         // the last line stops inside a value
	half    []byte       // or before its colon
	pid     table.Int
	process table.Sym
}

func newRecord(in *source.Input, b *table.Builder) *record {
	l := source.NewLines(in)
	return &record{b: b, l: l, log: sample.New(l, b), keys: map[string]*key{}, n: 1}
}

// read takes all lines of the input; want names what is looked for. header takes the lines that are no fields and says
// whether they are the format's.
func (r *record) read(want string, header func(line []byte) bool) error {
	before := func() { r.flush(false) }
	for r.l.Scan() {
		if line := r.l.Bytes(); len(line) > 0 && !r.field(line) && !header(line) {
			r.damaged(line)
			r.log.Other(line, before)
			r.halfKey(line)
		}
	}
	r.flush(true)
	return r.log.End(want)
}

// field takes a line if it is a field.
func (r *record) field(line []byte) bool {
	k, rest := r.lookup(line)
	if k == nil {
		return false
	}
	if k.unknown {
		r.b.Problems.Count(r.l.Pos(1), "unknown field %q", k.text)
	}
	if k.kind == skipField || r.headed && !r.mayStand(k) {
		return true
	}
	if k.seen == r.n || k.kind == nameField && r.open {
		next := r.next
		r.flush(false)
		r.next = next
	}
	r.begin()
	k.seen = r.n
	switch k.kind {
	case nameField:
		r.process = r.b.Sym(bytes.TrimLeft(rest, " \t"))
	case pidField:
		n, _, _, ok := value(rest)
		if r.pid = (table.Int{V: n, OK: ok}); !ok {
			r.b.Problems.Add(r.l.Pos(len(line)-len(rest)+1), "want a pid, have %q", clip(bytes.TrimSpace(rest)))
		}
	case sizeField:
		r.fields++
		r.value(k, line, rest)
	default:
		r.value(k, line, rest)
	}
	return true
}

// mayStand says whether a field can be part of the record that a header began.
func (r *record) mayStand(k *key) bool {
	switch {
	case !r.open:
		r.b.Problems.Count(r.l.Pos(1), "want a header line before its fields, have a field")
	case k.seen == r.n:
		r.b.Problems.Count(r.l.Pos(1), "field %q comes again in one record", k.text)
	default:
		return true
	}
	return false
}

func (r *record) begin() {
	if !r.open {
		r.open, r.first = true, r.l.Line()
	}
}

// lookup gives the key of a field line and what stands behind its colon.
func (r *record) lookup(line []byte) (*key, []byte) {
	if r.next < len(r.order) {
		k := r.order[r.next]
		if n := len(k.text); len(line) > n && line[n] == ':' && string(line[:n]) == string(k.text) {
			r.next++
			return k, line[n+1:]
		}
	}
	text, rest, ok := cutKey(line)
	if !ok {
		return nil, nil
	}
	k := r.keys[string(text)]
	if k == nil {
		if k = r.find(text, rest); k == nil {
			return nil, nil
		}
		k.text = append([]byte(nil), text...)
		r.keys[string(text)] = k
		r.order = append(r.order, k)
	}
	for r.next = 0; r.next < len(r.order) && r.order[r.next] != k; r.next++ {
	}
	r.next++
	return k, rest
}

// value stores the figure of a field. The unit of a size is kB, which the kernel always prints.
func (r *record) value(k *key, line, rest []byte) {
	n, at, kb, ok := value(rest)
	switch {
	case !r.l.Ended() && k.kind == sizeField && !(ok && kb):
		r.cut = true
	case !r.l.Ended() && k.kind == countField:
		r.b.Problems.Add(r.l.Pos(1), "want a line end behind a number, have the end of the file: it may be cut, and is left out: %q", clip(line))
	case !ok || kb != (k.kind == sizeField):
		r.b.Problems.Add(r.l.Pos(len(line)-len(rest)+at+1), "want %s, have %q", wanted[k.kind], clip(line))
	default:
		if kb {
			n <<= 10
		}
		r.rows = append(r.rows, row{k, n, r.l.Line()})
		if k.part > 0 {
			r.parts[k.part-1] = table.Known(n)
		}
	}
}

var wanted = [...]string{sizeField: "a size in kB", countField: "a number"}

// damaged tells of a line inside a record that is a size behind one word that is no name of a field.
func (r *record) damaged(line []byte) {
	i := bytes.IndexByte(line, ':')
	if i < 0 || !r.open || bytes.IndexByte(line[:i], ' ') >= 0 || line[0] < 'A' || line[0] > 'Z' {
		return
	}
	if _, _, kb, ok := value(line[i+1:]); ok && kb {
		r.b.Problems.Count(r.l.Pos(1), "want the name of a field, have %q: its figure is left out", clip(line[:i]))
	}
}

// halfKey notes a last line that stops before its colon.
func (r *record) halfKey(line []byte) {
	if r.l.Ended() || !r.open {
		return
	}
	for _, c := range line {
		if !isKey(c) {
			return
		}
	}
	r.half = append([]byte(nil), clip(line)...)
}

// flush writes the record. At the end of the file one that stops inside a value, or has fewer fields than the one before,
// is cut.
func (r *record) flush(eof bool) {
	if !r.open {
		return
	}
	switch {
	case r.cut || eof && r.fields > 0 && r.fields < r.usual:
		r.b.Problems.Add(r.l.Pos(0), "sample dropped: the file ends in the middle of it (%d fields, %d are usual)", r.fields, max(r.usual, r.fields))
	case r.fields == 0: // a kernel thread or a zombie
		r.log.Missing(r.first, "no memory figures, as in a kernel thread or a zombie")
	case len(r.rows) == 0:
	default:
		if r.half != nil {
			r.b.Problems.Add(r.l.Pos(1), "want a whole line, have the end of the file behind %q", r.half)
		}
		r.write()
		r.usual = r.fields
	}
	r.open, r.rows, r.fields, r.parts, r.next = false, r.rows[:0], 0, [3]table.Int{}, 0
	r.pid, r.process = table.Int{}, table.Null
	r.n++
}

func (r *record) write() {
	if r.machine {
		r.log.Machine(r.first)
	} else {
		r.log.Record(r.pid, r.process, r.first)
	}
	for _, w := range r.rows {
		r.b.Add(table.Sample{Scope: w.scope, Name: w.name, Metric: w.metric, Value: w.value, Line: w.line})
		if w.part == privateDirty {
			r.b.Parts(w.scope, w.name, r.parts[privateClean-1], r.parts[privateDirty-1], r.parts[sharedDirty-1], w.line)
		}
	}
}

func clip(line []byte) []byte { return line[:min(len(line), 80)] }
