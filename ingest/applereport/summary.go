package applereport

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// vmSummary reads the table of region types of a crash report, line by line: virtual sizes and counts alone.
type vmSummary struct {
	r     *report
	above bool // the first line of its head was read
	open  bool
	total table.Int
	line  int
}

// read takes a line; false if it is none of the table.
func (s *vmSummary) read(line []byte, number int) bool {
	name, size, count, row := summaryRow(line)
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		s.close()
		s.above = false
		return true
	case !s.open:
		return s.head(line)
	case bytes.HasPrefix(line, []byte("=====")):
	case !row:
		s.r.b.Problems.Add(s.r.in.At(number, 1), "want a region type with its virtual size and count, have %q: the row is left out", clip(line))
	case string(name) == "TOTAL":
		s.total, s.line = size, number
		s.put("process", "", "count", count, number)
	case string(name) == "TOTAL, minus reserved VM space":
		s.total, s.line = size, number
	default:
		text := string(bytes.ToValidUTF8(name, []byte("\uFFFD")))
		s.put("category", text, "vss", size, number)
		s.put("category", text, "count", count, number)
	}
	return true
}

// head takes the two lines above the table.
func (s *vmSummary) head(line []byte) bool {
	if w, _, next := wordAt(line, 0); string(w) == "VIRTUAL" {
		w, _, _ = wordAt(line, next)
		s.above = string(w) == "REGION"
		return s.above
	}
	s.open = s.above && bytes.HasPrefix(line, []byte("REGION TYPE"))
	s.above = false
	return s.open
}

// close writes what is known at the end: reserved address space is no memory, where the table counts it by itself.
func (s *vmSummary) close() {
	if s.open {
		s.put("process", "", "vss", s.total, s.line)
	}
	s.open, s.total = false, table.Int{}
}

func (s *vmSummary) put(scope, name, metric string, v table.Int, line int) {
	s.r.sampleAt(table.Sample{Scope: s.r.word(scope), Name: s.r.b.Text(name), Metric: s.r.word(metric), Line: line}, v)
}

// summaryRow finds a name, a size, a count and perhaps a note. A name may end in a number.
func summaryRow(line []byte) (name []byte, size, count table.Int, ok bool) {
	var last, before []byte
	start, run := 0, 0
	for i := 0; ; {
		w, at, next := wordAt(line, i)
		if len(w) > 0 && isDigit(w[0]) && len(bytes.Trim(w, "0123456789.,KMGT")) == 0 {
			if run++; run > 1 {
				name = line[:start]
			}
			before, last, start = last, w, at
		} else if run > 1 || len(w) == 0 {
			break
		} else {
			run = 0
		}
		i = next
	}
	if run < 2 {
		return nil, size, count, false
	}
	n, err := strconv.ParseInt(string(last), 10, 64)
	name, size = bytes.TrimSpace(name), printedSize(before)
	return name, size, table.Int{V: n, OK: err == nil}, len(name) > 0 && size.OK && err == nil
}
