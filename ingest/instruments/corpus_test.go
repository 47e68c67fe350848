package instruments

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// check is one thing that is known of a capture: over the rows of a table whose columns have these values ("-" for not
// known), an aggregate of a column.
type check struct {
	file  string
	table table.ID
	where string // column=value;…
	op    string // count, sum, max, last
	of    string
	want  int64
}

var checks = []check{
	{"xctrace-sysmon-process-constructed.xml", table.Samples, "scope=process;metric=footprint", "max", "value", 100025480},
	{"xctrace-sysmon-process-constructed.xml", table.Samples, "scope=process;metric=rss", "sum", "value", 618135552},
	{"xctrace-sysmon-process-constructed.xml", table.Samples, "scope=process;metric=purgeable", "count", "", 2},
	{"xctrace-sysmon-process-constructed.xml", table.Samples, "pid=12588;process=Demo", "count", "", 23},
	{"xctrace-metal-resource-allocations-constructed.xml", table.Events, "op=free", "count", "", 2},
	{"xctrace-metal-resource-allocations-constructed.xml", table.Events, "class=-", "count", "", 1},
	{"xctrace-metal-resource-allocations-constructed.xml", table.Samples, "scope=process;metric=gpu_allocated", "last", "value", 4194304},
	{"xctrace-metal-resource-allocations-constructed.xml", table.Samples, "scope=process;metric=gpu_allocated", "max", "value", 8388608},
	{"xctrace-virtual-memory-table.xml", table.Events, "op=use", "count", "", 1914},
	{"xctrace-virtual-memory-table.xml", table.Events, "class=Zero Fill", "sum", "size", 15319040},
	{"xctrace-virtual-memory-table.xml", table.Events, "class=Page Cache Hit", "sum", "size", 16039936},
	{"xctrace-virtual-memory-table.xml", table.Events, "stack=-", "count", "", 107},
	{"xctrace-virtual-memory-table.xml", table.Events, "", "max", "time_ns", 4497524583},
	{"xctrace-virtual-memory-table.xml", table.Events, "pid=3189", "count", "", 944},
	{"xctrace-virtual-memory-table.xml", table.Events, "pid=125", "count", "", 464},
	{"xctrace-virtual-memory-table.xml", table.Events, "time_ns=0;tid=195656;object=4297605120;size=16384", "count", "", 1},
	{"xctrace-os-signpost-intervals-xcode27.xml", table.Events, "op=mark", "count", "", 4},
	{"xctrace-os-signpost-intervals-xcode27.xml", table.Events, "class=PreFlight", "max", "time_ns", 820000000},
	{"xctrace-allocations-list-address-reuse-constructed.xml", table.Samples, "scope=process;metric=live_bytes", "sum", "value", 1114240},
	{"xctrace-allocations-list-address-reuse-constructed.xml", table.Sites, "class=Demo.Node", "sum", "live_count", 2},
	{"xctrace-allocations-list-backtraces-xcode27.xml", table.Sites, "", "sum", "total_bytes", 196784},
	{"xctrace-allocations-list-backtraces-xcode27.xml", table.Sites, "", "sum", "live_bytes", 128},
	{"xctrace-allocations-list-backtraces-xcode27.xml", table.Frames, "function=malloc", "count", "", 3},
	{"xctrace-allocations-list-hosted-instruments16-cut.xml", table.Sites, "stack=-", "sum", "live_bytes", 160},
	{"xctrace-allocations-statistics-orbit-small.xml", table.Sites, "", "count", "", 3},
	{"xctrace-allocations-statistics-orbit-small.xml", table.Sites, "class=Malloc 256.0 KiB", "sum", "live_count", 128},
	{"xctrace-allocations-statistics-orbit-small.xml", table.Samples, "scope=process;metric=live_bytes", "sum", "value", 33782272},
	{"xctrace-allocations-statistics-xcode27-cut.xml", table.Sites, "class=_ContiguousArrayStorage<UInt8>", "sum", "total_bytes", 313065216},
	{"xctrace-leaks-detail-xcode27.xml", table.Samples, "scope=process;metric=leaked_bytes", "sum", "value", 1232},
	{"xctrace-leaks-detail-xcode27.xml", table.Samples, "scope=class;metric=leaked_bytes", "sum", "value", 1232},
	{"xctrace-leaks-detail-xcode27.xml", table.Sites, "class=NSData", "sum", "live_count", 2},
	{"xctrace-leaks-detail-xcode27.xml", table.Sites, "", "count", "", 6},
	{"xctrace-leaks-detail-xcode27.xml", table.Frames, "module=AppKit;function=-", "sum", "address", 0x197c882ef},
	{"xctrace-vmtracker-regions-map-xcode27.xml", table.Mappings, "", "count", "", 3},
	{"xctrace-vmtracker-regions-map-xcode27.xml", table.Mappings, "", "sum", "dirty", 4096},
	{"xctrace-vmtracker-regions-map-xcode27.xml", table.Samples, "scope=process;metric=rss", "sum", "value", 32768},
	{"instruments-deepcopy-allocations-7.3.1.txt", table.Sites, "", "sum", "live_count", 84671},
	{"instruments-allocations-summary-copy-constructed.txt", table.Samples, "scope=process;metric=live_count", "sum", "value", 122702},
	{"instruments-allocations-summary-copy-constructed.txt", table.Sites, "class=Malloc 1.25 KiB", "sum", "live_bytes", 7518290},
}

// TestCorpus holds real captures against what is known of them.
func TestCorpus(t *testing.T) {
	for _, c := range checks {
		r := read(t, corpus(t, c.file))
		if r.err != nil || len(r.problems) > 1 {
			t.Fatalf("%s: %v, problems %q", c.file, r.err, r.problems)
		}
		if got := c.value(t, r); got != c.want {
			t.Errorf("%s: %s of %q where %q is %d, want %d", c.file, c.op, c.of, c.where, got, c.want)
		}
	}
}

// value is the aggregate that the check asks for.
func (c *check) value(t *testing.T, r result) (got int64) {
	var columns, want []string
	for cond := range strings.SplitSeq(c.where, ";") {
		if k, v, ok := strings.Cut(cond, "="); ok {
			columns, want = append(columns, k), append(want, v)
		}
	}
	rows := r.dump(t, c.table, strings.Join(append(columns, c.of, "line"), " "))
	for _, row := range rows {
		cells := strings.Split(row, " | ")
		if strings.Join(cells[:len(want)], ";") != strings.Join(want, ";") {
			continue
		}
		v := int64(1)
		if c.of != "" && cells[len(want)] != "-" {
			v, _ = strconv.ParseInt(cells[len(want)], 0, 64)
		}
		switch c.op {
		case "max":
			got = max(got, v)
		case "last":
			got = v
		default:
			got += v
		}
	}
	return got
}

// TestCorpusHoldsNothing: recognised, and refused with the reason.
func TestCorpusHoldsNothing(t *testing.T) {
	for file, want := range map[string]string{
		"xctrace-potential-hangs-xcode27.xml":                   "have potential-hangs (rows: 23)",
		"xctrace-time-sample-kperf-nofmt-instruments16-cut.xml": "have time-sample (rows: 2)",
		"xctrace-toc-cpu-profiler-xcode14.xml":                  "no table and no detail that tells of memory",
		"xctrace-toc-pmc-recording-settings-xcode14.xml":        "no table and no detail that tells of memory",
		"xctrace-toc-allocations-hosted-instruments16.xml":      `/trace-toc/run[@number="1"]/tracks/track[@name="VM Tracker"]/details/detail[@name="Regions Map"]`,
		"instruments-deepcopy-timeprofile-16.0-figurespace.txt": `x:2:1: held nothing: want weights in bytes, have "s"`,
	} {
		r := read(t, corpus(t, file))
		if r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, r.err, want)
		}
	}
	r := read(t, corpus(t, "xctrace-toc-allocations-hosted-instruments16.xml"))
	if r.facts["target_pid"] != "22113" || r.facts["target_process"] != "bend2-lsp" {
		t.Error(r.facts)
	}
	r = read(t, corpus(t, "xctrace-toc-cpu-profiler-xcode14.xml"))
	if r.facts["target_pid"] != "12946" || r.facts["OS"] != "macOS 13.5.1 (22G90)" || r.facts["version"] != "14.3.1 (14E300c)" || r.facts["start"] != "2023-08-27T19:45:02.632+02:00" {
		t.Error(r.facts)
	}
}

// TestOthersUnclaimed sniffs all the rest of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "SOURCES.md")
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "*", "*.*"))
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "xctrace-") || strings.HasPrefix(name, "instruments-") {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		in, err := source.NewInput(name, f)
		f.Close()
		if err != nil {
			continue // a folder
		}
		for _, format := range formats {
			if format.sniff(in.Head) {
				t.Errorf("%s is claimed by %s", file, format.name)
			}
		}
	}
}
