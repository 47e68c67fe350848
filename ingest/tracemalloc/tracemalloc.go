// Package tracemalloc reads the statistics that Python's tracemalloc prints into sites: one row a line of source, with what
// it has allocated and not freed.
package tracemalloc

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/sample"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// sniffLines is how many lines are looked at: titles and output of the program may stand first.
const sniffLines = 500

// Sniff claims a text with a line FILE:LINE: size=N UNIT, count=N, average=N UNIT.
func Sniff(head []byte) bool {
	for range sniffLines {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		if _, column := parse(bytes.TrimRight(line, "\r")); column == 0 {
			return true
		}
		if !more {
			return false
		}
		head = rest
	}
	return false
}

// Decode reads statistics by line or by file, as print and str write them (Lib/tracemalloc.py, Statistic.__str__ and
// StatisticDiff.__str__). Other lines are passed over; a time between two lists begins a new moment. The error is that of
// the reading, or says that there are none.
func Decode(in *source.Input, b *table.Builder) error {
	d := &decoder{b: b, l: source.NewLines(in)}
	d.log = sample.New(d.l, b)
	for d.l.Scan() {
		line := d.l.Bytes()
		s, column := parse(line)
		switch {
		case column == 0:
			d.site(&s)
		case bytes.Contains(line, size):
			b.Problems.Add(d.l.Pos(column), "want FILE:LINE: size=N UNIT, count=N, average=N UNIT, have %q", clip(line[column-1:]))
		default:
			if at := bytes.LastIndexByte(line, ':'); d.begun && at > 0 && line[0] == '/' {
				if _, ok := whole(line[at+1:]); ok {
					b.Problems.Add(d.l.Pos(len(line)+1), "want : size=N UNIT behind FILE:LINE, have %q", clip(line))
				}
			}
			d.log.Other(line, func() { d.begun = false })
		}
	}
	b.Fact("tool", "tracemalloc")
	b.Fact("unit", "requested")
	b.Fact("rounded", strconv.FormatBool(d.rounded))
	return d.log.End("lines FILE:LINE: size=N UNIT, count=N, average=N UNIT")
}

type decoder struct {
	b       *table.Builder
	l       *source.Lines
	log     *sample.Log
	begun   bool // the sample has a row
	rounded bool // a size is in a larger unit than bytes
}

func (d *decoder) site(s *statistic) {
	if !d.begun {
		d.log.Record(table.Int{}, table.Null, d.l.Line())
		d.begun = true
	}
	d.rounded = d.rounded || s.rounded
	file := string(s.file)
	class := file[strings.LastIndexAny(file, `/\`)+1:]
	if s.line > 0 {
		class += ":" + strconv.FormatInt(s.line, 10)
	}
	leaf := d.b.Frame(table.Frame{SourceFile: d.b.Text(file), SourceLine: table.Int{V: s.line, OK: s.line > 0}}, d.l.Line())
	d.b.Site(table.Site{Class: d.b.Text(class), Stack: leaf, LiveBytes: table.Known(s.size), LiveCount: table.Known(s.count), Line: d.l.Line()})
}

// statistic is one line. Line 0 stands for a whole file (key_type filename).
type statistic struct {
	file        []byte
	line        int64
	size, count int64
	rounded     bool
}

var (
	size    = []byte(": size=")
	counted = []byte(", count=")
	average = []byte(", average=")
)

// parse reads a line; column is where it is no statistic, and 0 where it is one. A difference to an older snapshot may
// stand in parentheses behind size and count: it is passed over.
func parse(line []byte) (s statistic, column int) {
	at := bytes.LastIndex(line, size)
	if at < 0 {
		return s, 1
	}
	place := line[:at]
	colon := bytes.LastIndexByte(place, ':')
	if colon <= 0 {
		return s, 1
	}
	var ok bool
	if s.line, ok = whole(place[colon+1:]); !ok {
		return s, colon + 2
	}
	s.file = place[:colon]
	at += len(size)
	behind := bytes.Index(line[at:], counted)
	if behind < 0 {
		return s, at + 1
	}
	if s.size, s.rounded, ok = sizeOf(undiffed(line[at : at+behind])); !ok {
		return s, at + 1
	}
	at += behind + len(counted)
	behind = bytes.Index(line[at:], average)
	if behind < 0 {
		return s, at + 1
	}
	if s.count, ok = whole(undiffed(line[at : at+behind])); !ok {
		return s, at + 1
	}
	return s, 0
}

// undiffed takes " (+500)" off.
func undiffed(s []byte) []byte {
	if i := bytes.Index(s, []byte(" (")); i >= 0 && s[len(s)-1] == ')' {
		return s[:i]
	}
	return s
}

// whole reads a number from 0 up that fits in 63 bits.
func whole(s []byte) (int64, bool) {
	v, err := strconv.ParseUint(string(s), 10, 63)
	return int64(v), err == nil
}

// units of sizes; all are powers of 1024.
var units = map[string]int64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// sizeOf reads "3986 KiB" or "12.3 KiB".
func sizeOf(s []byte) (v int64, rounded, ok bool) {
	digits, unit, _ := bytes.Cut(s, []byte{' '})
	scale := units[string(unit)]
	n, err := strconv.ParseFloat(string(digits), 64)
	if err != nil || scale == 0 || !(n >= 0 && n*float64(scale) < 1<<63) || bytes.ContainsAny(digits, "xXpPeE_") {
		return 0, false, false
	}
	return int64(math.Round(n * float64(scale))), scale > 1, true
}

func clip(s []byte) []byte { return s[:min(len(s), 60)] }
