// Package gometrics reads what the package runtime/metrics of Go tells of the heap, printed one metric a line, into samples.
package gometrics

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/sample"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// metrics are those that are kept (runtime/metrics, description.go), with the name they get.
var metrics = map[string]string{
	"/memory/classes/total:bytes":        "heap_size",
	"/memory/classes/heap/objects:bytes": "heap_alloc",
	"/gc/heap/live:bytes":                "live_bytes",
	"/gc/heap/objects:objects":           "live_count",
}

// sniffLines is how many lines are looked at; Go has some hundred metrics, which are sorted.
const sniffLines = 500

// Sniff claims a text with a line of one of the metrics that are kept.
func Sniff(head []byte) bool {
	for range sniffLines {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		if name, value, ok := split(bytes.TrimRight(line, "\r")); ok && metrics[string(name)] != "" {
			if _, ok := number(value); ok {
				return true
			}
		}
		if !more {
			return false
		}
		head = rest
	}
	return false
}

// Decode reads lines /path:unit NUMBER into samples of scope process. Other metrics are passed over; a time between, or a
// metric that comes again, begins a new moment. The error is that of the reading, or says that there are none.
func Decode(in *source.Input, b *table.Builder) error {
	l := source.NewLines(in)
	log := sample.New(l, b)
	scope, empty, seen := b.Text("process"), b.Text(""), map[string]bool{}
	b.Fact("tool", "runtime/metrics")
	for l.Scan() {
		name, value, ok := split(l.Bytes())
		if !ok {
			log.Other(l.Bytes(), func() { clear(seen) })
			continue
		}
		metric := metrics[string(name)]
		if metric == "" {
			continue
		}
		v, ok := number(value)
		if !ok || !l.Ended() {
			b.Problems.Add(l.Pos(len(l.Bytes())-len(value)+1), "want a number that fits in 63 bits and a line end, have %q", value[:min(len(value), 40)])
			continue
		}
		if len(seen) == 0 || seen[metric] {
			clear(seen)
			log.Record(table.Int{}, table.Null, l.Line())
		}
		seen[metric] = true
		b.Add(table.Sample{Scope: scope, Name: empty, Metric: b.Text(metric), Value: v, Line: l.Line()})
	}
	return log.End("lines /path:unit NUMBER of runtime/metrics, such as /gc/heap/live:bytes")
}

// split cuts a line at its blank: the name begins with a slash and has a unit behind a colon.
func split(line []byte) (name, value []byte, ok bool) {
	if len(line) == 0 || line[0] != '/' {
		return nil, nil, false
	}
	i := bytes.IndexAny(line, " \t")
	if i < 0 || bytes.IndexByte(line[:i], ':') < 0 {
		return nil, nil, false
	}
	return line[:i], bytes.TrimSpace(line[i:]), true
}

func number(s []byte) (int64, bool) {
	v, err := strconv.ParseUint(string(s), 10, 63)
	return int64(v), err == nil
}
