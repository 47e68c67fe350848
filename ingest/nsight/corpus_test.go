package nsight

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// truths are what is known of real exports: rows that match a filter, and the count of them or a figure of theirs.
var truths = []struct {
	file   string
	id     table.ID
	filter string
	op     string // count, sum, max, last, all, distinct
	column string
	want   string
}{
	{"nsys-constructed-memory-events.sqlite", table.Events, "", "count", "", "182"},
	{"nsys-constructed-memory-events.sqlite", table.Events, "class=gpu-memory;op=alloc;device=0", "count", "", "38"},
	{"nsys-constructed-memory-events.sqlite", table.Events, "class=gpu-memory;op=alloc", "sum", "size", "102039027712"},
	{"nsys-constructed-memory-events.sqlite", table.Events, "class=pinned-host", "all", "device", ""},
	{"nsys-constructed-memory-events.sqlite", table.Events, "class=cuda-event;op=create", "count", "", "40"},
	{"nsys-constructed-memory-events.sqlite", table.Events, "class=cuda-graph-exec;op=create", "count", "", "12"},
	{"nsys-constructed-memory-events.sqlite", table.Samples, "scope=device;metric=gpu_used;name=GPU 0 NVIDIA A100-SXM4-80GB", "max", "value", "82678128640"},
	{"nsys-constructed-memory-events.sqlite", table.Samples, "scope=device;metric=gpu_used;name=GPU 0 NVIDIA A100-SXM4-80GB", "last", "value", "81604386816"},
	{"nsys-constructed-memory-events.sqlite", table.Samples, "scope=device;metric=gpu_used;name~GPU 1", "max", "value", "33554432"},
	{"nsys-constructed-memory-events.sqlite", table.Samples, "metric=gpu_total", "all", "value", "84990623744"},
	{"nsys-constructed-memory-events.sqlite", table.Samples, "scope=handle;name=cuda-graph-exec;metric=count", "last", "value", "10"},
	{"nsys-constructed-memory-events.sqlite", table.Faults, "", "count", "", "1"},
	{"nsys-constructed-memory-events.sqlite", table.Faults, "", "all", "kind", "gpu-oom"},
	{"nsys-constructed-memory-events.sqlite", table.Frames, "function=KvCache::grow(int)", "count", "", "1"},
	{"nsys-2022.1.3-pytorch-handles.sqlite", table.Events, "class=cuda-event;op=create", "count", "", "36"},
	{"nsys-2022.1.3-pytorch-handles.sqlite", table.Events, "class=cuda-event;op=destroy", "count", "", "6"},
	{"nsys-2022.1.3-pytorch-handles.sqlite", table.Samples, "scope=handle;name=cuda-event;metric=count", "last", "value", "30"},
	{"nsys-2022.1.3-pytorch-handles.sqlite", table.Samples, "scope=handle;name=cuda-stream;metric=count", "last", "value", "12"},
	{"nsys-2022.1.3-rtx2080.sqlite", table.Events, "class=gpu-memory;op=free", "count", "", "9"},
	{"nsys-2022.1.3-rtx2080.sqlite", table.Samples, "scope=class;name=gpu-memory;metric=live_count", "last", "value", "0"},
	{"nsys-2022.2.1-4xa100-80gb.sqlite", table.Samples, "metric=gpu_total", "distinct", "name", "4"},
	{"nsys-2022.2.1-4xa100-80gb.sqlite", table.Samples, "metric=gpu_total", "all", "value", "84990623744"},
	{"nsys-2022.4.1-4xv100-leak.sqlite", table.Events, "class=gpu-memory", "count", "", "4"},
	{"nsys-2022.4.1-4xv100-leak.sqlite", table.Events, "class=pinned-host", "count", "", "2"},
	{"nsys-2022.4.2-t4-streams.sqlite", table.Samples, "name=cuda-stream", "last", "value", "0"},
	{"nsys-2022.4.2-t4-streams.sqlite", table.Samples, "name=pinned-host", "last", "value", "0"},
	{"nsys-2023.3.3-a30-mig.sqlite", table.Samples, "metric=gpu_total", "all", "name", "GPU 0 NVIDIA A30 MIG 2g.12gb"},
	{"nsys-2023.3.3-rtx3060-event-leak.sqlite", table.Samples, "scope=handle;name=cuda-event;metric=count", "last", "value", "2"},
	{"nsys-2024.4.1-2x2080ti-managed.sqlite", table.Events, "class=gpu-memory", "count", "", "4"},
	{"nsys-2024.5.4-jetson-orin.sqlite", table.Samples, "metric=gpu_total", "all", "name", "GPU 0 Orin"},
	{"nsys-2024.5.4-jetson-orin.sqlite", table.Samples, "name=pinned-host", "last", "value", "12"},
	{"nsys-2024.6.2-rtx3050-leak.sqlite", table.Samples, "scope=class;name=gpu-memory;metric=live_count", "last", "value", "7"},
	{"nsys-2025.1.3-rtx4060-nvtx.sqlite", table.Samples, "name=gpu-memory", "last", "value", "0"},
	{"nsys-2025.1.3-rtx5060ti-stream-leak.sqlite", table.Events, "", "all", "class", "cuda-stream"},
	{"nsys-2025.1.3-rtx5060ti-stream-leak.sqlite", table.Events, "", "all", "pid", "1466890"},
	{"nsys-2025.3.2-windows-gtx1650.sqlite", table.Samples, "metric=gpu_total", "count", "", "1"},
	{"nsys-2025.3.2-windows-gtx1650.sqlite", table.Events, "", "all", "tid", "17036"},
	{"nsys-2025.5.1-2x3090.sqlite", table.Samples, "name=gpu-memory", "last", "value", "0"},
	{"nsys-2026.1.1-rtx4060ti-balanced.sqlite", table.Samples, "name=cuda-event", "last", "value", "0"},
	{"nsys-2026.1.3-a4500-leak.sqlite", table.Samples, "name=gpu-memory", "last", "value", "3"},
	{"nsys-2026.2.1-h100-2gpu-slice.sqlite", table.Events, "class=cuda-event;op=create", "count", "", "120"},
	{"nsys-2026.2.1-h100-2gpu-slice.sqlite", table.Samples, "scope=handle;name=cuda-event;metric=count;pid=148", "last", "value", "0"},
}

func TestCorpus(t *testing.T) {
	read := map[string]result{}
	for _, c := range truths {
		r, ok := read[c.file]
		if !ok {
			r = decodeBytes(t, DecodeSQLite, c.file, corpus(t, c.file))
			if read[c.file] = r; r.err != nil || len(r.problems) > 0 {
				t.Errorf("%s: %v %q", c.file, r.err, r.problems)
			}
		}
		if got := figure(t, r.where(c.id, c.filter), c.op, c.column, c.want); got != c.want {
			t.Errorf("%s %s %s: %s %s is %s, want %s", c.file, table.Schemas[c.id].Name, c.filter, c.op, c.column, got, c.want)
		}
	}
}

// figure is what an operation gives over a column of rows; "all" gives the first value that is not the one wanted.
func figure(t *testing.T, rows []map[string]string, op, column, want string) string {
	t.Helper()
	if op == "count" {
		return strconv.Itoa(len(rows))
	}
	if len(rows) == 0 {
		return "no row"
	}
	total, most, distinct := int64(0), int64(0), map[string]bool{}
	for _, row := range rows {
		v := row[column]
		distinct[v] = true
		if op == "all" && v != want {
			return v
		}
		if op == "sum" || op == "max" {
			total, most = total+number(t, v), max(most, number(t, v))
		}
	}
	switch op {
	case "sum":
		return strconv.FormatInt(total, 10)
	case "max":
		return strconv.FormatInt(most, 10)
	case "distinct":
		return strconv.Itoa(len(distinct))
	case "last":
		return rows[len(rows)-1][column]
	}
	return want
}

func TestCorpusWithoutCUDA(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", corpus(t, "nsys-2024.6.2-no-cuda.sqlite"))
	if r.err == nil || !strings.Contains(r.err.Error(), "no CUDA data") {
		t.Errorf("want no CUDA data, have %v", r.err)
	}
}

// TestCorpusCrossing: the memory of the constructed capture crosses 75 GB 51.7 s after its first event.
func TestCorpusCrossing(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", corpus(t, "nsys-constructed-memory-events.sqlite"))
	for _, row := range r.where(table.Samples, "metric=gpu_used;name~GPU 0") {
		if number(t, row["value"]) > 75e9 {
			if row["time_ns"] != "51700037000" {
				t.Errorf("above 75 GB at %s", row["time_ns"])
			}
			break
		}
	}
	same(t, "faults", lines(r.tables[table.Faults], "pid", "process", "kind", "size", "detail"), "4242 /usr/bin/python3.11 gpu-oom ? cudaMalloc returned 2")
	if r.facts["preexisting_bytes"] != "2097152" || r.facts["preexisting_frees"] != "1" || r.facts["device_memory_tracing"] != "yes" || r.facts["tool"] != "nsys 2024.6.2.225" {
		t.Errorf("facts %v", r.facts)
	}
}
