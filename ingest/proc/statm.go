package proc

import (
	"math"

	"github.com/memtide/memtide/ingest/sample"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// statmFields is the number of integers of /proc/PID/statm: size resident shared text lib data dt, in pages.
const statmFields = 7

// statmMetrics are those of the fields that are stored.
var statmMetrics = [...]string{"vss", "rss", "rss_shared"}

// DecodeStatm gives the decoder of /proc/PID/statm for a page size in bytes, which the file does not tell: it comes from
// another capture of the run. Without one (0) the file is refused, since a guess would be wrong by 4 or 16 times on
// some arm64 machines.
func DecodeStatm(pageSize int64) func(*source.Input, *table.Builder) error {
	return func(in *source.Input, b *table.Builder) error {
		if pageSize <= 0 {
			return source.Errorf(in.At(1, 0), "statm counts pages, and nothing in this run tells their size: want a smaps or a status of the process beside it")
		}
		d := statm{b: b, l: source.NewLines(in), page: pageSize, process: b.Text("process"), empty: b.Text("")}
		for i, m := range statmMetrics {
			d.metrics[i] = b.Text(m)
		}
		return d.read()
	}
}

type statm struct {
	b              *table.Builder
	l              *source.Lines
	log            *sample.Log
	page           int64
	process, empty table.Sym
	metrics        [len(statmMetrics)]table.Sym
}

func (d *statm) read() error {
	d.log = sample.New(d.l, d.b)
	for d.l.Scan() {
		line := d.l.Bytes()
		switch fields, n, stop := integers(line); {
		case n == statmFields:
			d.row(&fields)
		case n > 1 && (stop == len(line) || n > statmFields):
			d.b.Problems.Add(d.l.Pos(stop+1), "want the 7 integers of a statm, have %q", clip(line))
		default:
			d.log.Other(line, func() {})
		}
	}
	return d.log.End("the 7 integers of a statm")
}

func (d *statm) row(fields *[statmFields]pages) {
	d.log.Record(table.Int{}, table.Null, d.l.Line())
	for i, m := range d.metrics {
		f := fields[i]
		if !f.ok || f.n > math.MaxInt64/d.page {
			d.b.Problems.Add(d.l.Pos(f.at+1), "want a number of pages that fits in 63 bits, have a larger one")
			continue
		}
		d.b.Add(table.Sample{Scope: d.process, Name: d.empty, Metric: m, Value: f.n * d.page, Line: d.l.Line()})
	}
}

// pages is a field of statm; ok is false where the number is too large.
type pages struct {
	n  int64
	at int
	ok bool
}

// integers reads the integers of a line that holds nothing else; n is their number, one too many if there are more, and
// 0 if there is anything else. stop is where the reading stopped.
func integers(line []byte) (fields [statmFields]pages, n, stop int) {
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		v, end, ok := whole(line, i)
		if end == i || end < len(line) && line[end] != ' ' && line[end] != '\t' {
			return fields, 0, end
		}
		if n == statmFields {
			return fields, n + 1, i
		}
		fields[n] = pages{v, i, ok}
		n++
		i = end
	}
	return fields, n, len(line)
}

// whole reads the digits from i on; ok is false if they do not fit in 63 bits.
func whole(line []byte, i int) (v int64, end int, ok bool) {
	ok = true
	for ; i < len(line) && line[i]-'0' <= 9; i++ {
		d := int64(line[i] - '0')
		if v > (math.MaxInt64-d)/10 {
			ok = false
		}
		if ok {
			v = v*10 + d
		}
	}
	return v, i, ok
}
