package applereport

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// check is one thing that is known of a capture: over the rows of a table whose columns have these values, an aggregate of a
// column.
type check struct {
	file  string
	table table.ID
	where string // column=value;…
	op    string // count, sum, max
	of    string
	want  int64
}

var checks = []check{
	{"footprint-json-constructed.json", table.Samples, "scope=category;name=MALLOC_SMALL;metric=swap", "sum", "value", 1048576},
	{"footprint-json-pages-unit-samples-constructed.json", table.Samples, "scope=process;metric=footprint", "max", "value", 109051904},
	{"footprint-json-pages-unit-samples-constructed.json", table.Samples, "scope=system;metric=dirty", "max", "value", 6256 * 16384},
	{"jetsamevent-iphone14-ios18.5-cut.ips", table.Faults, "", "count", "", 0},
	{"jetsamevent-iphone14-ios18.5-cut.ips", table.Samples, "scope=process;metric=footprint", "count", "", 9},
	{"jetsamevent-iphone14-ios18.5-cut.ips", table.Samples, "process=kernel_task;metric=footprint", "sum", "value", 211976192},
	{"jetsamevent-iphone14-ios18.5-cut.ips", table.Samples, "scope=system;metric=mem_free", "sum", "value", 63406080},
	{"jetsamevent-iphone14-ios18.5-cut.ips", table.Samples, "process=MTLCompilerService;pid=266;metric=footprint", "count", "", 1},
	{"jetsamevent-iphone14-ios18.5-cut.ips", table.Samples, "process=MTLCompilerService;pid=269;metric=footprint", "count", "", 1},
	{"jetsamevent-two-kills-constructed.ips", table.Faults, "kind=oom-kill", "count", "", 2},
	{"jetsamevent-two-kills-constructed.ips", table.Faults, "process=MemoryTest", "sum", "size", 1468006400},
	{"crash-text-exc-bad-access-vmregion-macos12.crash", table.Faults, "kind=crash", "sum", "address", 5028556808},
	{"crash-text-exc-bad-access-vmregion-macos12.crash", table.Samples, "scope=category;metric=vss", "count", "", 24},
	{"crash-text-exc-bad-access-vmregion-macos12.crash", table.Samples, "scope=process;metric=count", "sum", "value", 874},
	{"crash-text-exc-bad-access-vmregion-macos12.crash", table.Frames, "", "count", "", 17},
	{"crash-ips309-sigsegv-simulator.ips", table.Faults, "kind=crash;pid=8592", "count", "", 1},
	{"crash-ips309-sigsegv-simulator.ips", table.Frames, "function=__pthread_kill", "count", "", 1},
	{"crash-ips309-exc-breakpoint-iphone-ios16.ips", table.Faults, "kind=crash;pid=455", "count", "", 1},
	{"kscrash-memory-termination-report.json", table.Faults, "kind=oom-kill;pid=13565", "sum", "size", 100},
	{"metrickit-payload-zh-CN-localized-cut.json", table.Samples, "scope=process;metric=footprint_peak", "sum", "value", 1106818000},
	{"metrickit-payload-zh-CN-localized-cut.json", table.Samples, "scope=process;metric=footprint_suspended", "sum", "value", 228145000},
	{"metrickit-payload-zh-CN-localized-cut.json", table.Samples, "scope=class;name=background/MemoryPressure;metric=count", "sum", "value", 13},
	{"metrickit-payload-en-simulated-cut.json", table.Samples, "process=com.raywenderlich.ShoppingTrolley27;metric=footprint_peak", "sum", "value", 200000000},
	{"metrickit-payload-en-simulated-cut.json", table.Samples, "scope=class;metric=count", "sum", "value", 5},
	{"xcresult-test-metrics-constructed.json", table.Samples, "scope=process;metric=footprint_growth", "max", "value", 131072},
	{"xcresult-test-metrics-constructed.json", table.Samples, "scope=process;metric=footprint_peak", "sum", "value", 76000000},
	{"refcount-history-constructed.csv", table.Events, "", "max", "time_ns", 500000000},
	{"refcount-history-constructed.csv", table.Events, "op=retain", "count", "", 2},
}

// TestCorpus holds real captures against what is known of them.
func TestCorpus(t *testing.T) {
	for _, c := range checks {
		r := read(t, corpus(t, c.file))
		r.sound(t)
		if got := c.value(t, r); got != c.want {
			t.Errorf("%s: %s of %q where %q is %d, want %d", c.file, c.op, c.of, c.where, got, c.want)
		}
	}
	r := read(t, corpus(t, "metrickit-callstacktree-real.json"))
	if r.err == nil || !strings.Contains(r.err.Error(), "call stacks tell of no memory") {
		t.Error(r.err)
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
		if c.op == "max" {
			got = max(got, v)
		} else {
			got += v
		}
	}
	return got
}

// owners are the beginnings of the names of captures, with the format of each.
var owners = map[string]string{"footprint-json": "footprint-json", "jetsam": "jetsam", "crash-": "apple-crash", "kscrash": "kscrash", "metrickit": "metrickit", "xcresult": "xctest-metrics", "refcount": "refcount-csv"}

// TestOthersUnclaimed sniffs all of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "SOURCES.md")
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "*", "*.*"))
	for _, file := range files {
		name, owner := filepath.Base(file), ""
		for start, format := range owners {
			if strings.HasPrefix(name, start) && strings.Contains(filepath.ToSlash(file), "/apple/") {
				owner = format
			}
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
			if format.sniff(in.Head) != (format.name == owner) {
				t.Errorf("%s: claimed by %s: %v", file, format.name, format.name != owner)
			}
		}
		for _, k := range Refused() {
			if k.Sniff(in.Head) {
				t.Errorf("%s is refused as %s", file, k.Name)
			}
		}
	}
}
