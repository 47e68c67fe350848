package torch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

func snapshotOf(t testing.TB, name string) result {
	t.Helper()
	return decodeBytes(t, DecodeSnapshot, "x", fixture(t, "torch-snapshot/"+name))
}

var (
	sampleColumns = []string{"time_ns", "iteration", "name", "metric", "value"}
	eventColumns  = []string{"time_ns", "seq", "op", "class", "object", "size", "device"}
	siteColumns   = []string{"time_ns", "device", "class", "live_bytes", "live_count", "total_bytes"}
)

// levels are the samples that follow the trace.
func levels(r result) []string {
	return slices.DeleteFunc(lines(r.where(table.Samples, "scope=device"), sampleColumns...), func(s string) bool {
		return !strings.Contains(s, " gpu_allocated ") && !strings.Contains(s, " gpu_reserved ")
	})
}

// traced are the events of a trace, without what is only listed as alive.
func traced(r result) []map[string]string {
	return slices.DeleteFunc(slices.Clone(r.tables[table.Events]), func(e map[string]string) bool { return e["op"] == "live" })
}

func TestSnapshot(t *testing.T) {
	r := snapshotOf(t, "three-devices.pickle")
	if r.err != nil || len(r.problems) != 1 || r.set.Clock != "trace" { // the last segment was cut below its block
		t.Errorf("%v %q, clock %s", r.err, r.problems, r.set.Clock)
	}
	// Live at the end are 1000 + 700 + 300 + 4000000, the last waiting for another stream; the trace adds 4001200 net.
	same(t, "samples", levels(r),
		"0 0 GPU 0 gpu_reserved 2097152", "0 0 GPU 0 gpu_allocated 1800", "10000 0 GPU 0 gpu_allocated 4800", "25000 0 GPU 0 gpu_allocated 4300",
		"40000 1 GPU 0 gpu_allocated 1300", "50000 1 GPU 0 gpu_reserved 6291456", "55000 1 GPU 0 gpu_allocated 4001300", "70000 2 GPU 0 gpu_reserved 4194304",
		"75000 2 GPU 0 gpu_allocated 4002000", "80000 ? GPU 1 gpu_allocated 20480000", "80000 ? GPU 1 gpu_reserved 20971520")
	same(t, "events", lines(traced(r), eventColumns...),
		"0 0 alloc gpu-segment 139758235811840 2097152 0", "0 1 alloc gpu-memory 139758235811840 1000 0", "10000 2 alloc gpu-memory 139758235812864 3000 0",
		"20000 3 release gpu-memory 139758235848704 500 0", "25000 4 free gpu-memory 139758235848704 500 0", "30000 5 release gpu-memory 139758235812864 3000 0",
		"40000 6 free gpu-memory 139758235812864 3000 0", "50000 7 alloc gpu-segment 139758237908992 4194304 0", "55000 8 alloc gpu-memory 139758237908992 4000000 0",
		"60000 9 release gpu-memory 139758237908992 4000000 0", "70000 11 free gpu-segment 139758240006144 2097152 0", "75000 12 alloc gpu-memory 139758235813888 700 0",
		"80000 13 mark gpu-memory 0 0 0")
	// Blocks lie one behind the other in their segment; what the trace shows to be made is not listed again.
	same(t, "listed", lines(r.where(table.Events, "op=live"), eventColumns...), "80000 14 live gpu-memory 139758235814912 300 0",
		"80000 0 live gpu-segment 139758504247296 20971520 1", "80000 1 live gpu-memory 139758504247296 20480000 1")
	same(t, "sites", lines(r.tables[table.Sites], siteColumns...), "80000 0 gpu-memory 4001000 2 ?", "80000 0 gpu-memory 1000 2 ?", "80000 1 gpu-memory 20480000 1 ?")
	same(t, "faults", lines(r.tables[table.Faults], "time_ns", "pid", "kind", "size", "detail"), "65000 ? gpu-oom 5308694528 GPU 0, device_free 95682560")
	same(t, "stacks", []string{r.stack(r.tables[table.Events][2]["stack"]), r.stack(r.tables[table.Sites][1]["stack"])},
		`torch::unwind::unwind() : < backward C:\model\net.py:77 < <module> /opt/model/train.py:9`, "")
	want := "map[allocator_settings:PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, max_split_size=-1, garbage_collection_threshold=0.5, expandable_segments=true " +
		"clock:trace lossy:true preexisting_frees:1 tool:torch.cuda.memory unit:requested]"
	if got := fmt.Sprint(r.facts); got != want {
		t.Errorf("facts %s", got)
	}
}

// TestLines: the line of a row is the offset of its dict in a pickle, and the line of its brace in a JSON text.
func TestLines(t *testing.T) {
	pickle, text := fixture(t, "torch-snapshot/three-devices.pickle"), fixture(t, "torch-snapshot/three-devices.json")
	for i, e := range snapshotOf(t, "three-devices.pickle").tables[table.Events] {
		if at := number(t, e["line"]); pickle[at] != opEmptyDict {
			t.Errorf("event %d: offset %d is no dict", i, at)
		}
	}
	for i, e := range snapshotOf(t, "three-devices.json").tables[table.Events] {
		if s := strings.Split(string(text), "\n")[number(t, e["line"])-1]; strings.TrimSpace(s) != "{" {
			t.Errorf("event %d: line %s is %q", i, e["line"], s)
		}
	}
}

// TestSameInJSON: what is written as JSON gives the rows of the pickle, but for their places.
func TestSameInJSON(t *testing.T) {
	a, b := snapshotOf(t, "three-devices.pickle"), snapshotOf(t, "three-devices.json")
	for _, r := range []result{a, b} {
		for i, p := range r.problems {
			_, r.problems[i], _ = strings.Cut(p, " ")
		}
		for id := range r.tables {
			for _, row := range r.tables[id] {
				delete(row, "line")
			}
		}
	}
	if printout(a) != printout(b) {
		t.Errorf("pickle:\n%s\nJSON:\n%s", printout(a), printout(b))
	}
}

func TestSnapshotWithoutTime(t *testing.T) {
	r := snapshotOf(t, "no-time.pickle")
	if r.err != nil || r.set.Clock != "order" || r.facts["clock"] != "order" {
		t.Errorf("%v, clock %s %s", r.err, r.set.Clock, r.facts["clock"])
	}
	same(t, "samples", levels(r), "0 ? GPU 0 gpu_reserved 2097152", "1000000000 ? GPU 0 gpu_allocated 2500",
		"2000000000 ? GPU 0 gpu_allocated 5500", "4000000000 ? GPU 0 gpu_allocated 5000", "6000000000 ? GPU 0 gpu_allocated 2000")
}

// TestSegmentsOnly: torch 1.12 wrote the list of segments, and sizes in the history of a block.
func TestSegmentsOnly(t *testing.T) {
	r := snapshotOf(t, "segments-only.pickle")
	same(t, "samples", levels(r), "0 ? GPU 0 gpu_allocated 1512", "0 ? GPU 0 gpu_reserved 2097152")
	same(t, "sites", lines(r.tables[table.Sites], siteColumns...), "0 0 gpu-memory 1000 1 ?", "0 0 gpu-memory 512 1 ?")
	if got := r.stack(r.tables[table.Sites][0]["stack"]); !strings.Contains(got, "forward /opt/model/net.py:41") {
		t.Errorf("stack %q", got)
	}
}

func TestOverflow(t *testing.T) {
	r := snapshotOf(t, "overflowed.json")
	if r.facts["lossy"] != "true" || r.facts["preexisting_frees"] != "" || len(r.problems) != 1 { // its blocks do not fill their segment
		t.Errorf("facts %v, problems %q", r.facts, r.problems)
	}
	for _, flag := range []string{"false", "[false]", "0", "null", "{}"} {
		text := bytes.Replace(fixture(t, "torch-snapshot/overflowed.json"), []byte(`"trace_alloc_overflowed": [true]`), []byte(`"trace_alloc_overflowed": `+flag), 1)
		if r := decodeBytes(t, DecodeSnapshot, "x", text); r.facts["lossy"] != "" || len(traced(r)) != 2 {
			t.Errorf("%s: facts %v", flag, r.facts)
		}
	}
	for _, flag := range []string{"true", "1", `{"0": true}`} {
		text := bytes.Replace(fixture(t, "torch-snapshot/overflowed.json"), []byte(`"trace_alloc_overflowed": [true]`), []byte(`"trace_alloc_overflowed": `+flag), 1)
		if r := decodeBytes(t, DecodeSnapshot, "x", text); r.facts["lossy"] != "true" {
			t.Errorf("%s: facts %v", flag, r.facts)
		}
	}
}

// TestRefusedPickles: a pickle that would load or call anything gives no row, and the error names it and its place.
func TestRefusedPickles(t *testing.T) {
	global, stackGlobal := fixture(t, "torch-snapshot/bad-global-2.pickle"), fixture(t, "torch-snapshot/bad-global.pickle")
	for _, c := range []struct {
		data []byte
		want string
	}{
		{global, fmt.Sprintf("x: byte %d: refused: it would load posix.getcwd (opcode GLOBAL)", bytes.Index(global, []byte("cposix\n")))},
		{stackGlobal, fmt.Sprintf("x: byte %d: refused: it would load posix.getcwd (opcode STACK_GLOBAL)", bytes.IndexByte(stackGlobal, opStackGlobal))},
		{[]byte("\x80\x04}(\x8c\x08segments]R"), "x: byte 15: refused: opcode REDUCE"},
		{[]byte("\x80\x04}\x81"), "x: byte 3: refused: opcode NEWOBJ"},
		{[]byte("\x80\x04}\x07"), "x: byte 3: refused: opcode 0x07, which no pickler writes"},
		{[]byte("\x80\x09}."), "x: byte 0: refused: "},
	} {
		r := decodeBytes(t, DecodeSnapshot, "x", c.data)
		if r.err == nil || !strings.HasPrefix(r.err.Error(), c.want) || r.set.Len(table.Events)+r.set.Len(table.Sites) > 0 {
			t.Errorf("%v, want %s", r.err, c.want)
		}
	}
}

// TestRefusedOpcodes: no opcode is both read and refused, and those that are neither are those of no pickler.
func TestRefusedOpcodes(t *testing.T) {
	n := 0
	for op := range 256 {
		_, no := refusedOpcodes[byte(op)]
		yes := arguments[op].known || op == opPut || op == opGet
		if yes && no {
			t.Errorf("opcode %#x is read and refused", op)
		}
		if yes || no {
			n++
		}
	}
	if n != 68 { // pickletools.opcodes of Python 3.13
		t.Errorf("%d opcodes are known", n)
	}
}

func TestCutSnapshots(t *testing.T) {
	r := snapshotOf(t, "bad-cut-trace.pickle")
	same(t, "events", lines(traced(r), "seq", "op", "size"), "0 alloc 2097152", "1 alloc 1000", "2 alloc 3000", "3 release 500", "4 free 500")
	same(t, "samples of the device with a whole trace", levels(r), "25000 ? GPU 1 gpu_allocated 20480000", "25000 ? GPU 1 gpu_reserved 20971520")
	same(t, "problems", r.problems, "x:583: want blocks that fill their segment, have some that do not: what is free in the segments of this device is not known",
		"x:1242: byte 1242: the file ends inside the pickle: the rows are those of what stands before")
	if r.facts["partial"] != "true" {
		t.Errorf("facts %v", r.facts)
	}
	r = snapshotOf(t, "bad-cut-segments.pickle")
	same(t, "sites", lines(r.tables[table.Sites], siteColumns...), "0 0 gpu-memory 1000 1 ?", "0 0 gpu-memory 1000 2 ?")
	same(t, "samples", levels(r))
}

func TestDamagedEvents(t *testing.T) {
	r := snapshotOf(t, "bad-events.json")
	same(t, "events", lines(traced(r), "time_ns", "seq", "op", "size"), "0 0 alloc 1000", "10000 2 free 500", "40000 3 free ?")
	same(t, "problems", r.problems,
		`x:124:5: an action that memtide does not know: "alloc_sideways"`,
		"x:125: want a time_us in every event of this snapshot, have one without: it is taken to be that of the event before",
		"x:176:5: want a number of bytes as the size of an event, have something else",
		"x:177:2: want a list of records of one kind, have something else in it",
		"x:177:2: want ',' or the end of the list or object, have 'N': the rows are those of what stands before")
}

func TestNothingHeld(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "{}", "7", `"segments"`, `{"segments": [], "device_traces": [[], []]}`, "\x80\x04}.", "\x80\x04].", "\x80\x04.", "\x80\x02", "\x80\x04K\x01.", `[{"segments": 5}]`} {
		if r := decodeBytes(t, DecodeSnapshot, "x", []byte(text)); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

// TestSharedLists: lists that a hostile pickle gives to many owners count once.
func TestSharedLists(t *testing.T) {
	var w bytes.Buffer
	p := newPickler(&w)
	p.dict(func() {
		p.text("segments")
		p.list(func() {
			var blocks uint32
			for i := range 3 {
				p.dict(func() {
					p.intItem("device", 0)
					p.intItem("total_size", 4096)
					p.text("blocks")
					if i > 0 {
						p.get(blocks)
						return
					}
					blocks = p.list(func() {
						p.dict(func() { p.intItem("requested_size", 100); p.textItem("state", "active_allocated") })
					})
				})
			}
		})
		p.text("device_traces")
		p.list(func() {
			trace := p.list(func() {
				p.dict(func() {
					p.textItem("action", "alloc")
					p.intItem("addr", 1)
					p.intItem("size", 100)
					p.intItem("time_us", 5)
				})
			})
			p.get(trace)
		})
	})
	p.stop()
	r := decodeBytes(t, DecodeSnapshot, "x", w.Bytes())
	if r.err != nil || len(r.problems) == 0 {
		t.Errorf("%v %q", r.err, r.problems)
	}
	same(t, "events", lines(traced(r), "size", "device"), "100 0")
	same(t, "sites", lines(r.tables[table.Sites], "live_bytes", "live_count"), "100 1")
}

// TestSlowReads: what is read does not depend on where the reads end.
func TestSlowReads(t *testing.T) {
	for _, name := range []string{"three-devices.pickle", "three-devices.json", "no-time.pickle", "bad-events.json"} {
		data := fixture(t, "torch-snapshot/"+name)
		whole := printout(snapshotOf(t, name))
		for _, n := range []int{1, 7, 64} {
			r, _ := decodeFrom(t, DecodeSnapshot, "x", &chunked{slices.Clone(data), n})
			for id := range r.tables {
				r.tables[id] = rowsOf(t, r.set, table.ID(id))
			}
			if printout(r) != whole {
				t.Errorf("%s in pieces of %d differs", name, n)
			}
		}
	}
}
