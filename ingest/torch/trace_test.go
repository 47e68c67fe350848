package torch

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/memtide/memtide/ingest/table"
)

func traceOf(t testing.TB, name string) result {
	t.Helper()
	return decodeBytes(t, DecodeTrace, "x", fixture(t, "torch-trace/"+name))
}

func TestTrace(t *testing.T) {
	r := traceOf(t, "two-steps.json")
	if r.err != nil || len(r.problems) > 0 || r.set.Clock != "trace" {
		t.Errorf("%v %q, clock %s", r.err, r.problems, r.set.Clock)
	}
	const gpu = " device GPU 1 Example GPU 16GB "
	same(t, "samples", lines(r.tables[table.Samples], "time_ns", "iteration", "pid", "process", "scope", "name", "metric", "value", "line"),
		"0 ? ? ?"+gpu+"gpu_total 17179869184 30",
		"0 3 4242 python3"+gpu+"gpu_allocated 1024 30", "0 3 4242 python3"+gpu+"gpu_reserved 2097152 30",
		"20375 3 4242 python3"+gpu+"gpu_allocated 3072 22", "20375 3 4242 python3"+gpu+"gpu_reserved 2097152 22",
		"39876 4 4242 python3"+gpu+"gpu_allocated 2048 46", "39876 4 4242 python3"+gpu+"gpu_reserved 2097152 46",
		"50625 ? 4242 python3"+gpu+"gpu_allocated 0 75", "50625 ? 4242 python3"+gpu+"gpu_reserved 2097152 75")
	same(t, "events", lines(r.tables[table.Events], "time_ns", "seq", "pid", "tid", "op", "class", "object", "size", "device", "stack"),
		"0 1 4242 4243 alloc gpu-memory 139637976727552 1024 1 ?", "20375 0 4242 4243 alloc gpu-memory 139637976728064 2048 1 ?",
		"29875 2 4242 4243 alloc host-memory 12345678 64 ? ?", "39876 3 4242 4243 free gpu-memory 139637976727552 1024 1 ?",
		"50625 4 4242 4243 free gpu-memory 139637976728064 2048 1 ?", "59875 5 4242 4243 free host-memory 12345678 64 ? ?")
	if got := fmt.Sprint(r.facts); got != "map[clock:trace device:GPU 1 Example GPU 16GB rank:1 start:2026-01-01T00:00:00.001010125Z tool:torch.profiler unit:usable]" {
		t.Errorf("facts %s", got)
	}
}

// TestBareList: the list of events alone, of a version that wrote no totals.
func TestBareList(t *testing.T) {
	r := traceOf(t, "list.json")
	same(t, "events", lines(r.tables[table.Events], "time_ns", "seq", "size", "device"), "0 1 4096 0", "10000 0 1024 0")
	if len(r.tables[table.Samples]) > 0 || r.err != nil {
		t.Errorf("%v, samples %v", r.err, r.tables[table.Samples])
	}
}

func TestDamagedTraces(t *testing.T) {
	r := traceOf(t, "bad-cut.json")
	if len(r.tables[table.Events]) != 4 || r.facts["partial"] != "true" {
		t.Errorf("%d events, facts %v", len(r.tables[table.Events]), r.facts)
	}
	same(t, "problems of a cut trace", r.problems, "x:75:3: the file ends inside the trace: the rows are those of what stands before")
	r = traceOf(t, "bad-events.json")
	same(t, "events around bad ones", lines(r.tables[table.Events], "time_ns", "op"), "0 alloc", "4000 free")
	same(t, "problems", r.problems, "x:30: want ts, Device Type and Bytes in a [memory] event that is JSON, have one without")
	r = traceOf(t, "bad-no-memory.json")
	if r.err == nil || r.err.Error() != "x:33: held nothing: no [memory] event, profile_memory was off; record with torch.profiler.profile(profile_memory=True)" {
		t.Errorf("%v", r.err)
	}
}

// TestBrokenPack: where unpacking fails, the rows of what came out stay beside the error.
func TestBrokenPack(t *testing.T) {
	text := fixture(t, "torch-trace/two-steps.json")
	for _, c := range []struct {
		decode decoder
		data   []byte
	}{{DecodeTrace, text[:len(text)*3/4]}, {DecodeSnapshot, fixture(t, "torch-snapshot/bad-cut-trace.pickle")}, {DecodeTimeline, fixture(t, "torch-memory-timeline/bad-cut.raw.json")}} {
		r, part := decodeFrom(t, c.decode, "x", io.MultiReader(bytes.NewReader(append([]byte{}, c.data...)), iotest.ErrReader(io.ErrUnexpectedEOF)))
		_ = r
		if !part.HasRows() {
			t.Errorf("no rows before %v", r.err)
		}
	}
}

func TestCorpusWithoutMemory(t *testing.T) {
	r := decodeBytes(t, DecodeTrace, "x", corpus(t, "torch-trace-rocm-mi250.json.gz"))
	if r.err == nil || !strings.Contains(r.err.Error(), "profile_memory was off") {
		t.Errorf("%v", r.err)
	}
}

func TestMicros(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "1": 1000, "4203669604595.407": 4203669604595407, "1669783687464300": 1669783687464300000, "1.5": 1500, "-1.25": -1250,
		"0.0009": 0, "1.2345678": 1234, "1.5e+3": 1500000, "-0.5": -500} {
		if got, ok := micros([]byte(in)); !ok || got != want {
			t.Errorf("%s: %d %v, want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "x", "1.x", "99999999999999999999", "9223372036854775807", "1e300", "NaN", `"1"`} {
		if got, ok := micros([]byte(in)); ok {
			t.Errorf("%q: %d", in, got)
		}
	}
}

func TestTimeline(t *testing.T) {
	r := decodeBytes(t, DecodeTimeline, "x", fixture(t, "torch-memory-timeline/step.raw.json"))
	if r.err != nil || len(r.problems) > 0 || r.set.Clock != "trace" || len(r.tables[table.Events]) > 0 {
		t.Errorf("%v %q, clock %s", r.err, r.problems, r.set.Clock)
	}
	same(t, "samples", lines(r.tables[table.Samples], "time_ns", "scope", "name", "metric", "value"),
		"0 category parameter gpu_allocated 37888", "0 device GPU gpu_allocated 37888", "0 category optimizer-state gpu_allocated 512", "0 device GPU gpu_allocated 38400",
		"0 category activation gpu_allocated 1000", "0 device GPU gpu_allocated 39400",
		"5000 category optimizer-state gpu_allocated 0", "5000 category unknown gpu_allocated 512", "5000 device GPU gpu_allocated 39400",
		"7000 category gradient gpu_allocated 4096", "7000 device GPU gpu_allocated 43496", "9000 category activation gpu_allocated 0", "9000 device GPU gpu_allocated 42496",
		"9500 category gradient gpu_allocated 0", "9500 device GPU gpu_allocated 38400")
}

func TestDamagedTimelines(t *testing.T) {
	r := decodeBytes(t, DecodeTimeline, "x", fixture(t, "torch-memory-timeline/bad-rows.raw.json"))
	same(t, "problems", r.problems, "x:5:31: want a time from -1 on, an action from 1 to 4 and a category from 0 to 7, have others",
		"x:6:36: want rows that free no more than there was, have a sum below 0 (4 times)", "x:8:23: want a whole number: the rows are those of what stands before")
	r = decodeBytes(t, DecodeTimeline, "x", fixture(t, "torch-memory-timeline/bad-cut.raw.json"))
	same(t, "problems", r.problems, "x:1:133: the file ends inside a row: the rows are those of what stands before")
	if n := len(r.tables[table.Samples]); n != 7 {
		t.Errorf("%d samples", n)
	}
	for _, text := range []string{"", "[]", "[", "{}", "[[]]", "[[1, 2, 3, 4, 5]]", "[[1, 2, 3, 9]]"} {
		if r := decodeBytes(t, DecodeTimeline, "x", []byte(text)); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}
