package appletools

import (
	"bytes"
	"slices"

	"github.com/memtide/memtide/ingest/table"
)

// summary reads the two tables below vmmap's list of regions: REGION TYPE and MALLOC ZONE. Their heads have two lines, of
// which the first tells the columns.
type summary struct {
	*reader
	first   []string // metrics of the columns, of the first line of a head
	columns []string // of the open table
	zones   bool
	open    bool
	list    []entry
	index   map[table.Sym]int
	parts   []entrySum
	totals  [2]*total // TOTAL, and TOTAL without reserved address space
	run     []cell
	line    int
}

// entry is what the rows of one name add up to.
type entry struct {
	name    table.Sym
	line    int
	figures []table.Int
}

// entrySum is the sum of a column over all rows, and how far it may be from the printed total.
type entrySum struct {
	v, slack int64
	unknown  bool
}

type total struct {
	figures []size
	line    int
	at      []int
}

// columnMetrics are the words of the first line of a head. The column of percents has none.
var columnMetrics = map[string]string{
	"VIRTUAL": "vss", "RESIDENT": "rss", "DIRTY": "dirty", "SWAPPED": "swap", "VOLATILE": "volatile", "NONVOL": "nonvolatile", "EMPTY": "empty",
	"REGION": "count", "ALLOCATION": "live_count", "BYTES": "live_bytes", "DIRTY+SWAP": "frag_bytes",
}

// above takes the first line of a head; false if the line is none.
func (s *summary) above(line []byte) bool {
	w, next := wordAt(line, 0)
	if string(w.text) != "VIRTUAL" {
		return false
	}
	s.first = s.first[:0]
	for len(w.text) > 0 && len(s.first) < 16 {
		s.first = append(s.first, columnMetrics[string(w.text)])
		w, next = wordAt(line, next)
	}
	return true
}

// second takes the line with the name of a table, and opens it.
func (s *summary) second(line []byte) bool {
	zones := bytes.HasPrefix(line, []byte("MALLOC ZONE"))
	if len(s.first) < 2 || !zones && !bytes.HasPrefix(line, []byte("REGION TYPE")) {
		return false
	}
	s.columns, s.first = slices.Clone(s.first), s.first[:0]
	if bytes.Contains(line, []byte(" % ")) {
		s.columns = slices.Insert(s.columns, len(s.columns)-1, "") // before the count of regions
	}
	s.open, s.zones, s.line = true, zones, s.l.Line()
	s.list, s.index, s.parts, s.totals = s.list[:0], map[table.Sym]int{}, make([]entrySum, len(s.columns)), [2]*total{}
	return true
}

// row reads a line of the open table.
func (s *summary) row(line []byte) {
	if line[0] == '=' {
		return
	}
	name, cells, ok := figures(line, len(s.columns), s.run)
	s.run = cells[:0]
	if !ok {
		s.b.Problems.Add(s.l.Pos(1), "want a name and %d figures below REGION TYPE or MALLOC ZONE, have %q: the row is left out", len(s.columns), clip(line))
		s.spoil()
		return
	}
	switch string(name) {
	case "TOTAL":
		s.totals[0] = s.total(cells)
	case "TOTAL, minus reserved VM space":
		s.totals[1] = s.total(cells)
	default:
		s.add(name, cells)
	}
}

// spoil says that a row is missing: no column adds up to its total.
func (s *summary) spoil() {
	for i := range s.parts {
		s.parts[i].unknown = true
	}
}

func (s *summary) total(cells []cell) *total {
	t := &total{line: s.l.Line()}
	for i, c := range cells {
		t.figures, t.at = append(t.figures, s.figure(i, c)), append(t.at, c.at)
	}
	return t
}

// figure reads the cell of a column.
func (s *summary) figure(i int, c cell) size {
	switch metric := s.columns[i]; metric {
	case "":
		return size{}
	case "count", "live_count":
		n := count(c.text)
		if !n.OK {
			s.b.Problems.Add(s.l.Pos(c.at+1), "want a whole number, have %q: it is left out", clip(c.text))
		}
		return size{n.V, 0, n.OK}
	}
	v := sizeOf(c.text)
	if !v.ok {
		s.b.Problems.Add(s.l.Pos(c.at+1), "want a size such as 16K, have %q: it is left out", clip(c.text))
	}
	return v
}

// add adds a row to the others of its name: two zones may differ by their address alone.
func (s *summary) add(name []byte, cells []cell) {
	if s.zones {
		name = withoutAddress(name)
	}
	sym := symOf(s.b, name)
	at, ok := s.index[sym]
	if !ok {
		at = len(s.list)
		s.index[sym] = at
		s.list = append(s.list, entry{sym, s.l.Line(), make([]table.Int, len(cells))})
	}
	e := &s.list[at]
	for i, c := range cells {
		v := s.figure(i, c)
		p := &s.parts[i]
		p.add(v)
		switch sum, fine := table.Sum(e.figures[i].V, v.v); {
		case !ok:
			e.figures[i] = v.int()
		default:
			e.figures[i] = table.Int{V: sum, OK: fine && v.ok && e.figures[i].OK}
		}
	}
}

func (p *entrySum) add(v size) {
	sum, ok := table.Sum(p.v, v.v)
	slack, fine := table.Sum(p.slack, v.half)
	if p.unknown = p.unknown || !v.ok || !ok || !fine; !p.unknown {
		p.v, p.slack = sum, slack
	}
}

// close writes the table.
func (s *summary) close() {
	s.first = s.first[:0]
	if !s.open {
		return
	}
	s.open = false
	s.begin()
	scope := s.scope.category
	if s.zones {
		scope = s.scope.zone
	}
	for i := range s.list {
		for k, metric := range s.columns {
			if metric != "" {
				s.sample(scope, s.list[i].name, metric, s.list[i].figures[k], s.list[i].line)
			}
		}
	}
	s.check()
	if !s.zones {
		s.b.Incomplete() // what the list of regions adds up to, which rounds each of them, is not written beside it
		s.writeTotals()
	}
}

// writeTotals gives the figures of the process.
func (s *summary) writeTotals() {
	all, minus := s.totals[0], s.totals[1]
	if all == nil {
		if len(s.list) > 0 {
			s.b.Problems.Add(s.in.At(s.line, 1), "want a row TOTAL below the region types, have none: the capture may be cut")
		}
		return
	}
	for k, metric := range s.columns {
		t := all
		if metric == "vss" && minus != nil {
			t = minus
		}
		if metric != "" {
			s.level(metric, t.figures[k].int(), t.line)
		}
	}
}

// check compares the rows with the total that is printed below them.
func (s *summary) check() {
	t := s.totals[0]
	if t == nil {
		return
	}
	for k, metric := range s.columns {
		p, all := s.parts[k], t.figures[k]
		if metric == "" || p.unknown || !all.ok {
			continue
		}
		if diff := p.v - all.v; diff > p.slack+all.half || -diff > p.slack+all.half {
			s.b.Problems.Add(s.in.At(t.line, t.at[k]+1), "want a total %s of %d, which its rows add up to, have %d", metric, p.v, all.v)
		}
	}
}

// withoutAddress cuts _0x… off the name of a zone.
func withoutAddress(name []byte) []byte {
	if i := bytes.LastIndex(name, []byte("_0x")); i > 0 {
		if _, ok := hexadecimal(name[i+1:]); ok {
			return name[:i]
		}
	}
	return name
}
