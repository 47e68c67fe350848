package nsight

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// statsMarks are what `nsys stats` prints round its tables, and the headers of its CSV.
var statsMarks = []struct{ begin, then string }{
	{"Processing [", "] with ["},
	{" ** ", "sum):"},
	{"Time (%),Total Time (", ","},
	{"Time(%),Total Time (", ","},
	{"Start (ns),Duration (ns),CorrId,", ""},
}

// SniffStats claims the output of `nsys stats`, as text or CSV.
func SniffStats(head []byte) bool {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		for _, m := range statsMarks {
			if after, ok := bytes.CutPrefix(line, []byte(m.begin)); ok && bytes.Contains(after, []byte(m.then)) {
				return true
			}
		}
		if bytes.Contains(line, []byte("Executing '")) && bytes.HasSuffix(bytes.TrimRight(line, "\r "), []byte("stats report")) {
			return true
		}
	}
	return false
}

// report is one table of calls: how often each was made.
type report struct {
	line    int // of its header
	csv     bool
	count   int // column of the number of calls
	name    int // column of the name in CSV; in text it is the last word
	made    [numClasses]int64
	gone    [numClasses]int64
	counted bool
}

// statsReader reads the tables of calls one after the other; transfers, kernels and what the OS did tell nothing of
// memory in use.
type statsReader struct {
	b       *table.Builder
	l       *source.Lines
	now     *report
	skipped int
	rows    int
	row     [][]byte
}

// DecodeStats reads the output of `nsys stats`. It fails if no table of CUDA calls is in it that allocate or free, create
// or destroy.
func DecodeStats(in *source.Input, b *table.Builder) error {
	r := &statsReader{b: b, l: source.NewLines(in)}
	b.Fact("tool", "nsys stats")
	b.Fact("clock", "order")
	for r.l.Scan() {
		r.line(lastBar(r.l.Bytes()))
	}
	r.finish()
	if r.l.Err() != nil || r.rows > 0 {
		return r.l.Err()
	}
	if r.skipped > 0 {
		return source.Errorf(in.At(0, 0), "held nothing: %d reports were skipped, as the capture has no such data; trace it with `nsys profile --trace=cuda`", r.skipped)
	}
	return source.Errorf(in.At(0, 0), "held nothing: want the report of CUDA calls, `nsys stats --report cuda_api_sum FILE`; transfers and kernels tell nothing of memory in use")
}

// lastBar drops what a progress bar overwrote.
func lastBar(line []byte) []byte { return line[bytes.LastIndexByte(line, '\r')+1:] }

func (r *statsReader) line(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("SKIPPED: ")):
		r.skipped++
	case bytes.Contains(line, []byte("Num Calls")):
		r.finish()
		r.now = header(line, r.l.Line())
	case len(bytes.TrimSpace(line)) == 0, bytes.HasPrefix(bytes.TrimSpace(line), []byte("---")):
	case bytes.Contains(line, []byte("Total Time")) || bytes.HasPrefix(line, []byte("Start (")) || bytes.HasPrefix(line, []byte(" ** ")) || bytes.HasPrefix(line, []byte("Processing [")):
		r.finish()
	case r.now != nil:
		r.call(line)
	}
}

// header reads the names of columns: in text two blanks or more stand between them.
func header(line []byte, n int) *report {
	h := &report{line: n, count: -1, name: -1, csv: bytes.Contains(line, []byte("Num Calls,"))}
	var columns [][]byte
	if h.csv {
		columns, _ = cells(line, nil)
	} else {
		for _, c := range bytes.Split(line, []byte("  ")) {
			if c = bytes.TrimSpace(c); len(c) > 0 {
				columns = append(columns, c)
			}
		}
	}
	for i, c := range columns {
		switch string(c) {
		case "Num Calls":
			h.count = i
		case "Name":
			h.name = i
		}
	}
	if h.count < 0 || h.name < 0 {
		return nil
	}
	return h
}

// call counts a row: the number of calls and the name of what was called.
func (r *statsReader) call(line []byte) {
	h := r.now
	name := h.name
	if r.row = r.row[:0]; h.csv {
		r.row, _ = cells(line, r.row)
	} else if r.row = bytes.Fields(line); len(r.row) > name {
		name = len(r.row) - 1
	}
	if len(r.row) <= max(name, h.count) { // a note between tables
		if _, err := strconv.ParseFloat(string(r.row[0]), 64); err == nil && len(r.row) > 2 {
			r.b.Problems.Add(r.l.Pos(len(line)+1), "want a row with a name in its last column, have %q", clip(line))
		}
		return
	}
	a, ok := apis[plainName(string(r.row[name]))]
	if !ok || a.class == noClass {
		return
	}
	n, ok := calls64(r.row[h.count])
	if !ok {
		r.b.Problems.Add(r.l.Pos(0), "want a number of calls, have %q", clip(r.row[h.count]))
		return
	}
	h.counted = true
	if a.op == opAlloc || a.op == opCreate {
		h.made[a.class] = sum(h.made[a.class], n)
	} else {
		h.gone[a.class] = sum(h.gone[a.class], n)
	}
}

// calls64 reads a count, with whatever a locale puts between thousands.
func calls64(s []byte) (int64, bool) {
	digits := make([]byte, 0, 20)
	for _, c := range string(s) {
		switch {
		case c >= '0' && c <= '9':
			digits = append(digits, byte(c))
		case c != ',' && c != '.' && c != '\'' && c != '\u00a0' && c != '\u202f':
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, err == nil && n < 1<<53
}

// finish writes the sites of a report that has ended: a snapshot of its own.
func (r *statsReader) finish() {
	h := r.now
	if r.now = nil; h == nil || !h.counted {
		return
	}
	r.b.Snapshot(table.Stamp{Line: h.line})
	for c := range numClasses {
		if h.made[c] == 0 && h.gone[c] == 0 {
			continue
		}
		live := h.made[c] - h.gone[c]
		r.b.Site(table.Site{Class: r.b.Text(classNames[c]), TotalCount: table.Known(h.made[c]), LiveCount: table.Int{V: live, OK: live >= 0}, Line: h.line})
		r.rows++
	}
}
