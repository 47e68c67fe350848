package nsight

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffJSONLines claims the records that `nsys export --type jsonlines` writes, and `--type json` of older versions.
func SniffJSONLines(head []byte) bool {
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	switch {
	case bytes.HasPrefix(first, []byte(`{"data":["[Unknown]"`)), bytes.HasPrefix(first, []byte(`{"type":"String","id":"`)):
		return true
	case !bytes.HasPrefix(first, []byte(`{"Type":`)):
		return false
	}
	for _, key := range []string{`"TraceProcessEvent":{`, `"CudaEvent":{`, `"NvtxEvent":{`, `"CommEvent":{`, `"SchedEvent":{`} {
		if bytes.Contains(head, []byte(key)) {
			return true
		}
	}
	return false
}

// DecodeJSONLines reads `nsys export --type jsonlines`: the calls of CUDA and the NVTX ranges. What it writes for memory
// events is not documented and was seen in no file, so that sizes need the SQLite export: records of a kind that is not known
// are counted. It fails as DecodeSQLite does.
func DecodeJSONLines(in *source.Input, b *table.Builder) error {
	r := &records{in: in, b: b, l: source.NewLines(in)}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	if err := r.l.Err(); err != nil {
		return err
	}
	return decode(in, b, r)
}

// records are the tables of an export that stands in lines: all of its calls, as the names that tell which of them count
// may stand behind them.
type records struct {
	in     *source.Input
	b      *table.Builder
	l      *source.Lines
	calls  []record64
	ranges []record64
	texts  []string // of ranges that are iterations
	strs   []string // by id
	listed []string
}

// record64 is a row of a table of integers, in the order of its columns. What is not known is unknown64.
type record64 struct {
	line   int64
	values [6]int64
}

const unknown64 = -1 << 63

// Columns of the two tables, and the keys of their values in a record.
var (
	callColumns  = []string{"start", "end", "globalTid", "nameId", "returnValue", "correlationId"}
	callKeys     = map[string]int{"startNs": 0, "endNs": 1, "globalTid": 2, "name": 3, "returnValue": 4, "returnValue32": 4, "correlationId": 5}
	rangeColumns = []string{"start", "end", "globalTid", "eventType", "textId", "text"}
	rangeKeys    = map[string]int{"Timestamp": 0, "EndTimestamp": 1, "GlobalTid": 2, "Type": 3, "TextId": 4}
)

// maxStrings bounds the ids of strings that stand in lines of their own.
const maxStrings = 1 << 24

func (r *records) line(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte(`{"Type":`)):
		if call := member(line, "TraceProcessEvent"); call != nil {
			r.calls = r.record(r.calls, call, callKeys, nil)
		} else if nvtx := member(line, "NvtxEvent"); nvtx != nil {
			r.nvtx(nvtx)
		} else {
			r.unread(line)
		}
	case bytes.HasPrefix(line, []byte(`{"data":[`)) && r.strs == nil:
		r.allStrings(line)
	case bytes.HasPrefix(line, []byte(`{"type":"String"`)):
		r.oneString(line)
	default:
		r.unread(line)
	}
}

// record reads an object of integers.
func (r *records) record(list []record64, object []byte, keys map[string]int, text *[]byte) []record64 {
	rec := record64{line: int64(r.l.Line()), values: [6]int64{unknown64, unknown64, unknown64, unknown64, unknown64, unknown64}}
	ok := pairs(object, func(key, value []byte) {
		if i, known := keys[string(key)]; known {
			if v := whole(value); v.OK {
				rec.values[i] = v.V
			} else if string(value) != "null" {
				r.b.Problems.Count(r.l.Pos(0), "want a whole number as %q, have none", key)
			}
		} else if text != nil && string(key) == "Text" {
			*text = unquoted(value)
		}
	})
	if !ok {
		r.b.Problems.Count(r.l.Pos(0), "want an object of JSON, have one that is cut or damaged")
		return list
	}
	return append(list, rec)
}

// nvtx keeps the ranges that are named as iterations.
func (r *records) nvtx(object []byte) {
	var text []byte
	n := len(r.ranges)
	if r.ranges = r.record(r.ranges, object, rangeKeys, &text); len(r.ranges) == n {
		return
	}
	rec := &r.ranges[n]
	if _, ok := iterationOf(text); ok {
		rec.values[5] = int64(len(r.texts))
		r.texts = append(r.texts, string(text))
	} else if rec.values[4] == unknown64 {
		r.ranges = r.ranges[:n]
	}
}

func (r *records) allStrings(line []byte) {
	var x struct{ Data []string }
	if err := json.Unmarshal(line, &x); err != nil {
		r.b.Problems.Add(r.l.Pos(0), "want the list of strings: %v", err)
		return
	}
	r.strs = x.Data
}

func (r *records) oneString(line []byte) {
	var id table.Int
	var value []byte
	ok := pairs(line, func(k, v []byte) {
		switch string(k) {
		case "id":
			id = whole(v)
		case "value":
			value = unquoted(v)
		}
	})
	// Ids follow each other; one far beyond the others is none.
	if !ok || !id.OK || id.V < 0 || id.V > maxStrings || id.V > int64(2*len(r.strs)+1<<16) {
		r.b.Problems.Count(r.l.Pos(0), "want a string with its id, have none")
		return
	}
	for int64(len(r.strs)) <= id.V {
		r.strs = append(r.strs, "")
	}
	r.strs[id.V] = string(value)
}

func (r *records) names() []string {
	if r.listed == nil {
		for name, n := range map[string]int{runtimeTable: len(r.calls), nvtxTable: len(r.ranges), "StringIds": len(r.strs)} {
			if n > 0 {
				r.listed = append(r.listed, name)
			}
		}
	}
	return r.listed
}

func (r *records) has(name string) bool { return slices.Contains(r.names(), name) }

func (r *records) columns(name string) []string {
	switch name {
	case runtimeTable:
		return callColumns
	case nvtxTable:
		return rangeColumns
	case "StringIds":
		return []string{"id", "value"}
	}
	return nil
}

func (r *records) scan(q query, visit func(row)) error {
	at := view{r: r, filter: -1}
	for _, c := range q.columns {
		at.place = append(at.place, slices.Index(r.columns(q.table), c))
	}
	if q.filter != "" {
		at.filter = slices.Index(r.columns(q.table), q.filter)
		at.in = map[int64]bool{}
		for _, id := range q.in {
			at.in[id] = true
		}
	}
	switch q.table {
	case runtimeTable:
		at.each(r.calls, visit)
	case nvtxTable:
		at.each(r.ranges, visit)
	case "StringIds":
		for i := range r.strs {
			at.rec = &record64{values: [6]int64{int64(i), int64(i)}}
			at.str = true
			visit(&at)
		}
	}
	return nil
}

// view is the current row of a scan.
type view struct {
	r      *records
	rec    *record64
	place  []int // of the columns that were asked for, -1 for one that there is not
	filter int
	in     map[int64]bool
	str    bool // a row of StringIds
}

func (v *view) each(list []record64, visit func(row)) {
	for i := range list {
		v.rec = &list[i]
		if v.in == nil || v.filter >= 0 && v.in[v.rec.values[v.filter]] {
			visit(v)
		}
	}
}

func (v *view) number() int64 { return v.rec.line }

func (v *view) int(i int) table.Int {
	if k := v.place[i]; k >= 0 && v.rec.values[k] != unknown64 {
		return table.Known(v.rec.values[k])
	}
	return table.Int{}
}

func (v *view) text(i int) []byte {
	n := v.int(i)
	switch {
	case !n.OK:
		return nil
	case v.str:
		return []byte(v.r.strs[n.V])
	case n.V < int64(len(v.r.texts)):
		return []byte(v.r.texts[n.V])
	}
	return nil
}
