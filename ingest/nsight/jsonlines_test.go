package nsight

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// TestJSONLines: the strings may stand before the records or, one a line, behind them.
func TestJSONLines(t *testing.T) {
	for name, first := range map[string]int64{"strings-first.jsonl": 3, "strings-last.json": 2} {
		r := decodeBytes(t, DecodeJSONLines, "x", fixture(t, "nsys-jsonlines/"+name))
		if r.err != nil || len(r.problems) > 0 {
			t.Error(name, r.err, r.problems)
		}
		same(t, name+" events", lines(r.tables[table.Events], "time_ns", "pid", "tid", "op", "class"),
			"0 90 91 create cuda-event", "200 90 91 alloc gpu-memory", "1100 90 91 create cuda-event", "1500 90 91 destroy cuda-event", "1700 90 91 free gpu-memory")
		same(t, name+" levels", lines(r.tables[table.Samples], "iteration", "scope", "name", "metric", "value"),
			"1 handle cuda-event count 1", "1 class gpu-memory live_count 1", "2 handle cuda-event count 2", "2 handle cuda-event count 1", "2 class gpu-memory live_count 0")
		same(t, name+" faults", lines(r.tables[table.Faults], "detail"), "cudaMalloc returned 2")
		if line := number(t, r.tables[table.Events][0]["line"]); line != first {
			t.Errorf("%s: line %d, want %d", name, line, first)
		}
	}
}

func TestJSONLinesBad(t *testing.T) {
	r := decodeBytes(t, DecodeJSONLines, "x", fixture(t, "nsys-jsonlines/bad-lines.jsonl"))
	same(t, "events", lines(r.tables[table.Events], "op", "class", "line"), "create cuda-event 2", "create cuda-event 4")
	same(t, "problems", r.problems,
		"x:3: want an object of JSON, have one that is cut or damaged (2 times)",
		`x:4: want a whole number as "startNs", have none`, `x:5: want a whole number as "endNs", have none`,
		"x:5: CUPTI_ACTIVITY_KIND_RUNTIME: want a time in ns, have none")
	r = decodeBytes(t, DecodeJSONLines, "x", []byte(`{"Type":41,"SchedEvent":{}}`))
	if r.err == nil || !strings.Contains(r.err.Error(), "no CUDA data") {
		t.Error(r.err)
	}
}

// TestJSONLinesUnknownKinds: what is not read is counted by its kind; what is known to hold nothing of memory is not told.
func TestJSONLinesUnknownKinds(t *testing.T) {
	text := `{"data":["[Unknown]","cudaEventCreate_v3020"]}
{"Type":48,"TraceProcessEvent":{"startNs":"1000","endNs":"1100","correlationId":1,"eventClass":0,"name":"1","returnValue32":0,"globalTid":"281476486660187"}}
{"Type":27,"CommEvent":{"x":1}}
{"Type":80,"CudaEvent":{"startNs":"1","memcpy":{"sizebytes":"4"}}}
{"Type":300,"CudaEvent":{"startNs":"1","memoryUsage":{"bytes":"4"}}}
{"Type":300,"CudaEvent":{"startNs":"2","memoryUsage":{"bytes":"4"}}}
{"Type":301,"WeatherEvent":{"x":1}}

{"Type":302
not JSON
`
	r := decodeBytes(t, DecodeJSONLines, "x", []byte(text))
	if r.err != nil || len(r.tables[table.Events]) != 1 {
		t.Error(r.err, r.tables[table.Events])
	}
	same(t, "problems", r.problems, "x:5: records of kind CudaEvent.memoryUsage are not read, and may be of memory: sizes need nsys export --type sqlite (2 times)",
		"x:7: records of kind WeatherEvent are not read: their layout is not known", "x:9: want a record of nsys, have another line (2 times)")
}

func TestPairs(t *testing.T) {
	for text, want := range map[string]string{`{"a":1,"b":"x"}`: `a=1;b="x";`, `{}`: "", `{ "a" : {"b":[1,"}"]} , "c":-2}`: `a={"b":[1,"}"]};c=-2;`, `{"a\"b":"\\"}`: `a\"b="\\";`,
		`{"a":1`: "!", `{"a":`: "!", `{"a"`: "!", ``: "!", `[1]`: "!", `{"a":1,}`: "!", `{"a":"x`: "!"} {
		got := ""
		if !pairs([]byte(text), func(k, v []byte) { got += string(k) + "=" + string(v) + ";" }) {
			got = "!"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzJSONLines(f *testing.F) {
	for _, name := range []string{"strings-first.jsonl", "strings-last.json", "bad-lines.jsonl"} {
		f.Add(fixture(f, "nsys-jsonlines/"+name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { SniffJSONLines(data); bounded(t, DecodeJSONLines, data) })
}
