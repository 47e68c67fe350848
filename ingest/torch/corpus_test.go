package torch

import (
	"strconv"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// truths are figures of real captures that were had from them by other programs.
var truths = []struct {
	file   string
	decode decoder
	id     table.ID
	filter string
	op     string
	column string
	want   string
}{
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "class=gpu-memory;op=alloc", "count", "", "2058"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "class=gpu-memory;op=release", "count", "", "1155"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "class=gpu-memory;op=free", "count", "", "1155"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "class=gpu-segment;op=alloc", "count", "", "289"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "", "max", "time_ns", "295399000"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "", "all", "device", "0"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Events, "", "all", "pid", ""},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Sites, "", "sum", "live_bytes", "19352504320"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Samples, "metric=gpu_allocated", "last", "value", "19352504320"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Samples, "metric=gpu_reserved", "last", "value", "19667091456"},
	{"torch-snapshot-fullstep.pickle.gz", DecodeSnapshot, table.Samples, "metric=gpu_allocated", "max", "value", "54868051972"},
	{"torch-snapshot-fullstep.pickle.gz", DecodeSnapshot, table.Samples, "metric=gpu_reserved", "last", "value", "62830673920"},
	{"torch-snapshot-fullstep.pickle.gz", DecodeSnapshot, table.Samples, "", "distinct", "iteration", "2"},
	{"torch-snapshot-old-no-time.pickle.gz", DecodeSnapshot, table.Samples, "metric=gpu_reserved", "last", "value", "6471811072"},
	{"torch-snapshot-old-no-time.pickle.gz", DecodeSnapshot, table.Events, "class=gpu-memory;op=free", "count", "", "3325"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Samples, "metric=gpu_allocated;name=GPU 1", "max", "value", "84063351764"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Samples, "metric=gpu_reserved;name=GPU 1", "last", "value", "84202749952"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Faults, "", "count", "", "1"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Faults, "kind=gpu-oom", "sum", "size", "5308694528"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Faults, "", "all", "detail", "GPU 1, device_free 95682560, inactive 139390976, fitting 138832384, largest_free 17313792, expandable"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Samples, "scope=device;name=GPU 0;metric=gpu_inactive", "last", "value", "168671232"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Samples, "scope=device;name=GPU 0;metric=gpu_largest_free", "last", "value", "4194304"},
	{"torch-snapshot-forward.pickle", DecodeSnapshot, table.Samples, "scope=pool;name=GPU 0 large;metric=gpu_split_segments", "last", "value", "42"},
	{"torch-snapshot-fullstep.pickle.gz", DecodeSnapshot, table.Samples, "scope=device;name=GPU 0;metric=gpu_inactive", "last", "value", "8032493056"},
	{"torch-snapshot-fullstep.pickle.gz", DecodeSnapshot, table.Samples, "scope=device;name=GPU 0;metric=gpu_largest_free", "last", "value", "104857600"},
	{"torch-snapshot-fullstep.pickle.gz", DecodeSnapshot, table.Samples, "scope=device;name=GPU 0;metric=gpu_non_releasable", "last", "value", "1107697152"},
	{"torch-snapshot-old-no-time.pickle.gz", DecodeSnapshot, table.Samples, "scope=device;name=GPU 0;metric=gpu_non_releasable", "last", "value", "1616002560"},
	{"torch-snapshot-old-no-time.pickle.gz", DecodeSnapshot, table.Samples, "scope=pool;name=GPU 0 small;metric=gpu_inactive", "last", "value", "16375296"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Samples, "scope=device;name=GPU 1;metric=gpu_largest_free", "last", "value", "27493662720"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Samples, "scope=device;name=GPU 1;metric=gpu_non_releasable", "last", "value", "0"},
	{"torch-snapshot-expandable-4gpu-oom.pickle.gz", DecodeSnapshot, table.Samples, "scope=device", "distinct", "name", "3"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Samples, "metric=gpu_allocated;name=GPU 1 Tesla V100-SXM2-32GB", "count", "", "26770"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Samples, "metric=gpu_allocated", "max", "value", "6629508096"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Samples, "metric=gpu_reserved", "max", "value", "12782141440"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Samples, "metric=gpu_total", "count", "", "1"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Events, "class=host-memory", "count", "", "1240"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Events, "class=gpu-memory;op=free", "count", "", "13385"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Samples, "metric=gpu_allocated", "distinct", "iteration", "5"},
	{"torch-trace-with-memory-events.json.gz", DecodeTrace, table.Samples, "metric=gpu_allocated", "all", "process", "python3.8"},
	{"torch-memory-timeline.raw.json.gz", DecodeTimeline, table.Samples, "scope=device;metric=gpu_allocated", "max", "value", "3082832104"},
	{"torch-memory-timeline.raw.json.gz", DecodeTimeline, table.Samples, "scope=category", "count", "", "16845"},
}

func TestCorpus(t *testing.T) {
	read := map[string]result{}
	for _, c := range truths {
		r, ok := read[c.file]
		if !ok {
			r = decodeBytes(t, c.decode, c.file, corpus(t, c.file))
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
