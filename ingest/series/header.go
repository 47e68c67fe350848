package series

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// column is one column of a file.
type column struct {
	meaning
	name      string // as printed
	at        int    // its column in the header's line
	syms      [3]table.Sym
	missing   int
	confirmed bool // of a guess: its first value was a number
	odd       int  // of a guess: so many cells that are none, before the first that is,
	oddAt     source.Pos
	oddText   string // of which this is the first
}

// header is the first line of a CSV: what its columns are for. The indices are -1 for columns that are not there.
type header struct {
	sep                                       byte
	comma                                     bool // a decimal comma is allowed
	columns                                   []column
	clock, dayTime, iteration, pid, app, mark int
	sure                                      bool // it has a figure with a name that is known
	text                                      []byte
}

// separators in the order in which they are tried.
const separators = ",;\t|"

// parseHeader reads a line as a header; false when it is none, or that of a table which another format owns.
func parseHeader(line []byte) (*header, bool) {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if rest, ok := bytes.CutPrefix(line, []byte("#")); ok {
		if h, ok := parseHeader(rest); ok {
			return h, true
		}
	}
	for i := 0; i < len(separators); i++ {
		if bytes.IndexByte(line, separators[i]) < 0 {
			continue
		}
		if h := newHeader(line, separators[i]); h.good() {
			return h, true
		}
	}
	return nil, false
}

func newHeader(line []byte, sep byte) *header {
	h := &header{sep: sep, comma: sep == ';' || sep == '\t', clock: -1, dayTime: -1, iteration: -1, pid: -1, app: -1, mark: -1}
	h.text = append(h.text, line...)
	cells, _ := split(h.text, sep, nil)
	for _, c := range cells {
		name := string(unquote(c))
		h.columns = append(h.columns, column{name: name, at: columnOf(h.text, c), meaning: meaningOf(name)})
	}
	for i := range h.columns {
		h.place(i)
	}
	return h
}

// place gives a column that may be there once its index; a second one is no figure.
func (h *header) place(i int) {
	c := &h.columns[i]
	var slot *int
	switch c.role {
	case figure:
		h.sure = true
		return
	case clockRole:
		slot = &h.clock
		if h.clock >= 0 && h.dayTime < 0 && h.dateThenTime(c) {
			slot, c.role = &h.dayTime, dayTime
		}
	case iteration:
		slot = &h.iteration
	case pidRole:
		slot = &h.pid
	case nameRole:
		slot = &h.app
	case markRole:
		slot = &h.mark
	default:
		return
	}
	if *slot >= 0 {
		c.role = skipped
		return
	}
	*slot = i
}

func (h *header) dateThenTime(c *column) bool {
	second := normal(c.name)
	return normal(h.columns[h.clock].name) == "date" && (second == "time" || second == "clock")
}

// good says whether the columns make a series: a time or an iteration in front (behind a row number, or anywhere
// if a figure is named beyond doubt), and at least one column that can be a figure.
func (h *header) good() bool {
	if len(h.columns) < 2 || h.foreign() || !h.isDump() && h.clock < 0 && h.iteration < 0 {
		return false
	}
	first := h.columns[0].role
	inFront := first == clockRole || first == iteration || idNames[normal(h.columns[0].name)]
	return h.isDump() || h.sure || inFront && h.has(guess) || h.has(refused)
}

func (h *header) has(r role) bool {
	for i := range h.columns {
		if h.columns[i].role == r {
			return true
		}
	}
	return false
}

// foreign knows the tables of other formats, and lines of data.
func (h *header) foreign() bool {
	bareGPU, others := false, false
	for i := range h.columns {
		c := &h.columns[i]
		name := normal(c.name)
		if _, ok := parseDecimal([]byte(c.name), true); ok || foreignNames[name] || strings.HasPrefix(c.name, "memory.") || strings.HasPrefix(c.name, "utilization.") {
			return true
		}
		bare := name == "memory_used" || name == "memory_total" || name == "gpu_memory_used"
		bareGPU = bareGPU || bare
		others = others || !bare && c.role == figure
	}
	return bareGPU && !others
}

// dumpColumns are those of this program's own table samples, in which every line names its metric.
var dumpColumns = []string{"time_ns", "scope", "name", "metric", "value"}

func (h *header) isDump() bool {
	for _, want := range dumpColumns {
		if h.find(want) < 0 {
			return false
		}
	}
	return true
}

func (h *header) find(name string) int {
	for i := range h.columns {
		if h.columns[i].name == name {
			return i
		}
	}
	return -1
}

// drive takes the columns of these names as counts of the work given, as the user said.
func (h *header) drive(names []string) {
	for i := range h.columns {
		c := &h.columns[i]
		for _, n := range names {
			if c.role != clockRole && normal(n) == normal(c.name) {
				c.meaning = driver(normal(c.name))
			}
		}
	}
}
