package instruments

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const (
	sampleColumns = "time_ns pid process scope name metric value line"
	eventColumns  = "time_ns seq pid tid op class object size stack line"
	siteColumns   = "time_ns class stack live_bytes live_count total_bytes total_count line"
	frameColumns  = "id parent function module address line"
	mapColumns    = "start end perms path category size rss dirty swap line"
)

func TestSysmon(t *testing.T) {
	r := read(t, fixture(t, "xctrace-table/sysmon.xml"))
	same(t, "samples", r.dump(t, table.Samples, sampleColumns),
		"0 | 501 | Sketch & Go | process | - | footprint | 104857600 | 4",
		"0 | 501 | Sketch & Go | process | - | purgeable | 0 | 4",
		"0 | 501 | Sketch & Go | process | - | rss | 209715200 | 4",
		"0 | 502 | Helper | process | - | footprint | 1048576 | 5",
		"0 | 502 | Helper | process | - | purgeable | 0 | 5",
		"0 | 502 | Helper | process | - | rss_shared | 0 | 5",
		"0 | 502 | Helper | process | - | rss | 1048576 | 5",
		"1000000000 | 501 | Sketch & Go | process | - | footprint | 105906176 | 6",
		"1000000000 | 501 | Sketch & Go | process | - | rss | 209715200 | 6")
	if r.err != nil || len(r.problems) > 0 || r.set.Clock != "trace" || r.facts["schema"] != "sysmon-process" {
		t.Error(r.err, r.problems, r.set.Clock, r.facts)
	}
}

func TestMetal(t *testing.T) {
	r := read(t, fixture(t, "xctrace-table/metal.xml"))
	same(t, "events", r.dump(t, table.Events, eventColumns),
		"0 | 3 | 77 | - | free | Old | - | 65536 | - | 8",
		"50000000 | 0 | 77 | - | alloc | Atlas | - | 1048576 | - | 4",
		"150000000 | 2 | 77 | - | free | Atlas | - | 1048576 | - | 7",
		"250000000 | 1 | 77 | - | alloc | - | - | 65536 | - | 5")
	same(t, "sum in the order of time, held at 0", r.dump(t, table.Samples, "time_ns process metric value"),
		"0 | Viewer | gpu_allocated | 0", "50000000 | Viewer | gpu_allocated | 1048576", "150000000 | Viewer | gpu_allocated | 0", "250000000 | Viewer | gpu_allocated | 65536")
	same(t, "problems", r.problems, "x:8: deallocations beyond all allocations, of resources from before the recording: gpu_allocated is held at 0")
}

func TestVirtualMemory(t *testing.T) {
	r := read(t, fixture(t, "xctrace-table/virtual-memory-one-line.xml"))
	same(t, "events", r.dump(t, table.Events, eventColumns),
		"0 | 0 | 42 | 9001 | use | Zero Fill | 18446744069414584320 | 16384 | 4 | 1",
		"2000 | 2 | 43 | 47 | use | Zero Fill | - | - | - | 1",
		"4000 | 1 | 42 | 9001 | use | Copy On Write | 18446744069414584320 | 16384 | 4 | 1")
	same(t, "frames", r.dump(t, table.Frames, frameColumns),
		"1 | - | - | - | 6979321924 | 1", "2 | 1 | walk | Demo | 4294975488 | 1", "3 | 2 | walk | Demo | 4294975488 | 1", "4 | 3 | grow(std::vector<int>&) | Demo | 4294971632 | 1")
	if r.facts["partial"] != "true" || len(r.problems) > 0 {
		t.Error(r.facts, r.problems)
	}
}

func TestDetails(t *testing.T) {
	r := read(t, fixture(t, "xctrace-detail/allocations-list.xml"))
	same(t, "allocations", r.dump(t, table.Sites, siteColumns),
		"0 | Malloc 64 Bytes | 1 | 0 | 0 | 64 | 1 | 4", "0 | Demo.Node | 2 | 128 | 2 | 128 | 2 | 5", "0 | Malloc 64,00 KiB | 4 | 131072 | 2 | 131072 | 2 | 6",
		"0 | VM: Stack | - | 1048576 | 1 | 1048576 | 1 | 9", "0 | CFString | 5 | 0 | 0 | 48 | 1 | 10")
	same(t, "their totals", r.dump(t, table.Samples, "pid process scope metric value"),
		"- | - | process | live_bytes | 1179776", "- | - | process | live_count | 5", "- | - | process | total_bytes | 1179888", "- | - | process | total_count | 7")
	same(t, "frames", r.dump(t, table.Frames, frameColumns),
		"1 | - | Cache.load() | Demo | - | 4", "2 | - | Node.init() | Demo | - | 5", "3 | - | -[Canvas load] | Demo | 4294983680 | 6",
		"4 | 3 | malloc | libsystem_malloc.dylib | 6758907463 | 6", "5 | - | - | CoreFoundation | 6761611265 | 10")

	r = read(t, fixture(t, "xctrace-detail/statistics.xml"))
	same(t, "statistics", r.dump(t, table.Sites, siteColumns), "0 | Array<Pixel> | - | 2000000 | 10 | 2000000 | 10 | 6", "0 | Malloc 1.25 KiB | - | 0 | 0 | 2000000 | 20 | 7")
	same(t, "totals", r.dump(t, table.Samples, "scope name metric value")[3:5], "process | - | total_count | 50", "category | All VM Regions | live_bytes | 9000000")

	r = read(t, fixture(t, "xctrace-detail/leaks.xml"))
	same(t, "leaks", r.dump(t, table.Sites, siteColumns), "0 | Malloc 32 Bytes | - | 32 | 1 | - | - | 2", "0 | NSData | 1 | 1344 | 3 | - | - | 3", "0 | NSData | 2 | 100 | 1 | - | - | 4")
	same(t, "leaked", r.dump(t, table.Samples, "scope name metric value"), "process | - | leaked_bytes | 1476", "process | - | leaked_count | 5",
		"class | Malloc 32 Bytes | leaked_bytes | 32", "class | Malloc 32 Bytes | leaked_count | 1", "class | NSData | leaked_bytes | 1444", "class | NSData | leaked_count | 4")

	r = read(t, fixture(t, "xctrace-detail/regions-map.xml"))
	same(t, "regions", r.dump(t, table.Mappings, mapColumns), "4294967296 | 4295000064 | r-x | Demo | __TEXT | 32768 | 16384 | 0 | 0 | 3",
		"105553116266496 | 105553116332032 | rw- | - | MALLOC_TINY | 65536 | 49152 | 32768 | 16384 | 4", "105553116332032 | 105553116348416 | rw- | - | MALLOC_TINY | 16384 | 0 | 0 | 0 | 5")
	same(t, "derived", r.dump(t, table.Samples, "scope name metric value")[:4], "process | - | vss | 114688", "process | - | rss | 65536", "process | - | swap | 16384", "process | - | dirty | 32768")

	r = read(t, fixture(t, "xctrace-detail/attached.xml"))
	if r.facts["attached"] != "true" || len(r.problems) > 0 || r.set.Len(table.Frames) > 0 {
		t.Error(r.facts, r.problems)
	}
	if r := read(t, fixture(t, "xctrace-detail/allocations-list.xml")); r.facts["attached"] != "" {
		t.Error("one allocation at time 0 is no attaching", r.facts)
	}
}

func TestHeldNothing(t *testing.T) {
	for name, want := range map[string]string{
		"xctrace-table/hangs.xml":     "VM Tracker, have potential-hangs (rows: 1)",
		"xctrace-detail/empty.xml":    "have no row",
		"instruments-copy/time.txt":   `x:2:1: held nothing: want weights in bytes, have "s"`,
		"xctrace-toc/two-runs.xml":    `/trace-toc/run[@number="1"]/tracks/track[@name="Leaks"]/details/detail[@name="Leaks"]`,
		"xctrace-toc/allocations.xml": `/trace-toc/run[@number="1"]/data/table[@schema="sysmon-process"], `,
	} {
		if r := read(t, fixture(t, name)); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, r.err, want)
		}
	}
}

// TestTOC: the facts that exports of the run are completed by; of two processes none is that of an export.
func TestTOC(t *testing.T) {
	f := read(t, fixture(t, "xctrace-toc/allocations.xml")).facts
	for name, want := range map[string]string{"target_process": "Sketch & Go", "target_pid": "501", "device": "iPhone 15", "OS": "iOS 18.5 (22F76)",
		"version": "16.0 (16A242d)", "start": "2026-01-02T03:04:05.678+01:00", "duration_s": "30.000125"} {
		if f[name] != want {
			t.Errorf("%s is %q, want %q", name, f[name], want)
		}
	}
	if f := read(t, fixture(t, "xctrace-toc/two-runs.xml")).facts; f["target_pid"] != "" {
		t.Error(f)
	}
	same(t, "cut", read(t, fixture(t, "xctrace-toc/bad-truncated.xml")).problems, "x:14:44: truncated: want </trace-toc>, have the end of the file; xctrace may have crashed: export again")
}

func TestCopy(t *testing.T) {
	r := read(t, fixture(t, "instruments-copy/tree.txt"))
	same(t, "tree", r.dump(t, table.Sites, "stack class live_bytes live_count line"), "2 | - | 2096128 | 10 | 3", "4 | - | 8388608 | 80 | 5", "5 | - | 524288 | 5 | 6", "6 | - | 1024 | 10 | 7")
	same(t, "frames", r.dump(t, table.Frames, "id parent function address"), "1 | - | start | -", "2 | 1 | main | -", "3 | 2 | load(int, char) | -", "4 | 3 | malloc | -", "5 | 2 | - | 4294987564", "6 | 2 | operator new(unsigned long) | -")
	r = read(t, fixture(t, "instruments-copy/tree-self.txt"))
	same(t, "own weights", r.dump(t, table.Sites, "stack live_bytes live_count line"), "3 | 1310720 | - | 4", "4 | 262144 | - | 5")
	r = read(t, fixture(t, "instruments-copy/summary.txt"))
	same(t, "categories", r.dump(t, table.Sites, siteColumns), "0 | Malloc 1.25 KiB | - | 7518290 | 5877 | 7518290 | 5877 | 4", "0 | CFString | - | 48 | 1 | 144 | 3 | 5")
	same(t, "totals", r.dump(t, table.Samples, "scope name metric value")[:5], "process | - | live_bytes | 55448699", "process | - | live_count | 122702", "process | - | total_bytes | 506609009",
		"process | - | total_count | 771039", "category | All VM Regions | live_bytes | 1073741824")
}

// TestBad: what is wrong is told where it stands, and nothing is made up for it.
func TestBad(t *testing.T) {
	r := read(t, fixture(t, "xctrace-table/bad-cells.xml"))
	same(t, "cells", r.problems,
		"x:5:160: want a ref to an element that was met before, have none with its id: the value is left out",
		"x:5: want 8 cells in a row of sysmon-process, have 5: what fits is read",
		"x:6: want a time in ns in a row of sysmon-process, have none: the row is left out",
		`x:7:104: want a number as id, have "x"`,
		`x:7:167: want </pid>, have "tid": the row is left out`,
		"x:8: want a number of 0 and more in a column of sysmon-process, have something else: it is left out")
	same(t, "what is left", r.dump(t, table.Samples, "time_ns pid process metric value"), "0 | 501 | &b; | footprint | 104857600", "2000000000 | 501 | &b; | footprint | 104857600")

	r = read(t, fixture(t, "xctrace-table/bad-truncated.xml"))
	same(t, "cut", r.problems, "x:6:184: truncated after row 2: want </trace-query-result>, have the end of the file; xctrace may have crashed: export again")
	if len(r.dump(t, table.Samples, "line")) != 7 || r.facts["truncated"] != "true" || r.facts["lossy"] != "true" {
		t.Error(r.facts, r.dump(t, table.Samples, sampleColumns))
	}

	r = read(t, fixture(t, "xctrace-detail/bad-truncated.xml"))
	if len(r.problems) != 1 || !strings.Contains(r.problems[0], "truncated after row 4") || r.set.Len(table.Samples) > 0 || r.set.Len(table.Sites) != 3 {
		t.Errorf("want the sites of four rows and no total, have %d and %d, %q", r.set.Len(table.Sites), r.set.Len(table.Samples), r.problems)
	}

	r = read(t, fixture(t, "xctrace-detail/bad-rows.xml"))
	same(t, "rows", r.problems,
		`x:3:105: want 0xSTART - 0xEND, have "0x1000"`,
		`x:3:143: want resident-size as a whole number, have "16 kB": no sum over it is known`,
		`x:4:76: want resident-size as a whole number, have "99999999999999999999": no sum over it is known`,
		`x:5:122: want live="true" or "false", have "maybe": what is live is not known`,
		`x:6:74: want size as a whole number, have "": no sum over it is known`,
		"x:7: want a row of Statistics, the Allocations List, Leaks or the Regions Map, have one of colour shape: it is left out",
		"x:8:21: want the tables of one run, have those of run 2 beside those of run 1: they are left out")
	same(t, "sums that are known", r.dump(t, table.Samples, "scope name metric value"), "process | - | vss | 32768", "process | - | swap | 0", "process | - | dirty | 0",
		"category | Stack | vss | 32768", "category | Stack | swap | 0", "category | Stack | dirty | 0", "process | - | total_count | 2")

	r = read(t, fixture(t, "instruments-copy/bad-rows.txt"))
	same(t, "copy", r.problems, `x:3:1: want a size with a unit of bytes, have " lots"`, `x:4:22: want a count, have "4x"`, `x:5:1: want a size with a unit of bytes, have "  1.00 parsec   1.0%"`, "x:6:1: want 4 columns, have 2")
	same(t, "what is known of it", r.dump(t, table.Sites, "live_bytes live_count line"), "- | 60 | 3", "4194304 | - | 4", "- | 1 | 5")
}

// TestCopyCut: the last cell of a line without an end may be a part of the true one.
func TestCopyCut(t *testing.T) {
	summary := "Graph\tCategory\tPersistent Bytes\t# Persistent\n1\tCFString\t48 Bytes\t12345"
	r := read(t, summary[:len(summary)-2])
	same(t, "summary", r.problems, `x:2:21: want the end of the line behind "123", have that of the file: the cell may be cut and is left out`)
	same(t, "its rows", r.dump(t, table.Sites, "class live_bytes live_count"), "CFString | 48 | -")
	r = read(t, "Bytes Used\tCount\tSymbol Name\n2.00 MB\t20\tmain\n1.00 MB\t10\t gro")
	same(t, "tree", r.problems, `x:3:12: want the end of the line behind " gro", have that of the file: the cell may be cut and is left out`)
	same(t, "its rows", r.dump(t, table.Sites, "live_bytes live_count line"), "1048576 | 10 | 2", "1048576 | 10 | 3")
}
