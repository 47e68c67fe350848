package appletools

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const (
	sampleColumns = "time_ns pid process scope name metric value line"
	siteColumns   = "class stack live_bytes live_count line"
	frameColumns  = "id parent function module address source_file source_line"
)

// wanted gives the rows that begin with a text, without it.
func wanted(rows []string, start string) (out []string) {
	for _, r := range rows {
		if rest, ok := strings.CutPrefix(r, start); ok {
			out = append(out, rest)
		}
	}
	return out
}

func TestVmmap(t *testing.T) {
	r := read(t, fixture(t, "vmmap/full.txt"))
	samples := r.dump(t, table.Samples, sampleColumns)
	same(t, "process", wanted(samples, "0 | 501 | Sketch | process | - | "), "footprint | 2113536 | 17", "footprint_peak | 3145728 | 18", "rss | 26948403 | 62",
		"dirty | 2113536 | 62", "swap | 16384 | 62", "volatile | 0 | 62", "nonvolatile | 2097152 | 62", "empty | 0 | 62", "count | 9 | 62", "vss | 992477184 | 63")
	same(t, "a category whose name ends in a number", wanted(samples, "0 | 501 | Sketch | category | Memory Tag 240 | ")[:3], "vss | 65536 | 55", "rss | 16384 | 55", "dirty | 16384 | 55")
	same(t, "two zones of one name", wanted(samples, "0 | 501 | Sketch | zone | Graph data | "), "vss | 49152 | 69", "rss | 49152 | 69", "dirty | 49152 | 69", "swap | 0 | 69",
		"live_count | 10 | 69", "live_bytes | 3520 | 69", "frag_bytes | 46080 | 69", "count | 3 | 69")
	same(t, "regions", r.dump(t, table.Mappings, "start end perms path category size rss dirty swap line")[4:],
		"5173673984 | 5174722560 | rw- | DefaultMallocZone_0x105348000 | MALLOC_TINY | 1048576 | 32768 | 32768 | 16384 | 35",
		"5174722560 | 5175771136 | rw- | DefaultMallocZone_0x105348000 | MALLOC_TINY | 1048576 | 16384 | 16384 | 0 | 36",
		"4362076160 | 4364173312 | rw- | SurfaceID: 0x12 [wide] 'CAMetalLayer' | IOSurface | 2097152 | 2097152 | 2048000 | 0 | 37")
	if len(r.problems) > 0 || r.set.Start.V != 1767319445678000000 || r.facts["page_size"] != "16384" || r.facts["OS"] != "macOS 15.5 (24F74)" {
		t.Error(r.problems, r.set.Start, r.facts)
	}
}

// TestVmmapDerived: without a summary the figures are the sums of the regions.
func TestVmmapDerived(t *testing.T) {
	r := read(t, fixture(t, "vmmap/loop.txt"))
	same(t, "a minute later", wanted(r.dump(t, table.Samples, sampleColumns), "60000000000 | 77 | Demo | process | - | "), "count | 2 | 17", "vss | 8650752 | 17", "rss | 294912 | 17", "swap | 16384 | 17", "dirty | 294912 | 17")
	same(t, "problems", r.problems, `x:19:1: vmmap says: "vmmap: terminated; resuming target task"`)

	r = read(t, fixture(t, "vmmap/old.txt"))
	same(t, "10.11", r.dump(t, table.Mappings, "start end perms path size rss dirty"), "4294967296 | 4294971392 | r-x | /opt/demo/Demo | 4096 | - | -", "4294975488 | 4294991872 | r-- | /opt/demo/Demo | 16384 | - | -")
	if len(r.problems) > 0 || r.set.Clock != "order" {
		t.Error(r.problems, r.set.Clock)
	}
}

func TestFootprint(t *testing.T) {
	r := read(t, fixture(t, "footprint/one.txt"))
	same(t, "process", wanted(r.dump(t, table.Samples, sampleColumns), "0 | 501 | Sketch | process | - | "), "dirty | 119537664 | 13", "clean | 1114112 | 13", "reclaimable | 1064960 | 13",
		"count | 1299 | 13", "footprint_peak | 125829120 | 16", "footprint | 118489088 | 17")
	same(t, "a name with brackets", wanted(r.dump(t, table.Samples, "name metric value"), "Owned physical footprint (unmapped) (graphics) | "), "dirty | 44040192", "clean | 0", "reclaimable | 1064960", "count | 3")

	r = read(t, fixture(t, "footprint/several.txt"))
	samples := r.dump(t, table.Samples, sampleColumns)
	same(t, "first", wanted(samples, "0 | 601 | App Helper | process | - | ")[:3], "footprint | 1293942784 | 3", "dirty | 1293942784 | 11", "swap | 10485760 | 11")
	same(t, "second", wanted(samples, "0 | 602 | Widget | process | - | "), "dirty | 2670592 | 21", "clean | 0 | 21", "reclaimable | 0 | 21", "count | 12 | 21", "footprint | 2670592 | 24", "footprint_peak | 3145728 | 25")
	same(t, "a minute later", wanted(samples, "60000000000 | 601 | App Helper | process | - | ")[:1], "footprint | 1363148800 | 38")
	if len(r.problems) > 0 || len(wanted(samples, "0 | - ")) > 0 {
		t.Error(r.problems, samples)
	}
}

func TestLeaks(t *testing.T) {
	r := read(t, fixture(t, "leaks/cycles.txt"))
	same(t, "process", wanted(r.dump(t, table.Samples, sampleColumns), "0 | 501 | Sketch | process | - | "), "footprint | 65955430 | 14", "footprint_peak | 66479718 | 15",
		"live_count | 37528 | 20", "live_bytes | 6991872 | 20", "leaked_count | 11 | 21", "leaked_bytes | 1936 | 21", "cycle_count | 3 | 21")
	same(t, "sites", r.dump(t, table.Sites, siteColumns), "malloc<176> | 4 | 176 | 1 | 29", "Sketch.Node<Int> | 8 | 128 | 4 | 40", "Panel | - | 64 | 2 | 48", "NSURL | - | 1567 | 4 | 51")
	same(t, "classes", wanted(r.dump(t, table.Samples, "scope name metric value"), "class | Sketch.Node<Int> | "), "leaked_bytes | 128", "leaked_count | 4", "cycle_count | 2")
	same(t, "frames", r.dump(t, table.Frames, frameColumns)[1:7], "2 | 1 | main | org.example.Sketch | 4546675182 | <compiler-generated> | -",
		"3 | 2 | leakText | org.example.Sketch | 4546674862 | text.c | 29", "4 | 3 | _malloc_zone_malloc | libsystem_malloc.dylib | 4578139537 | - | -",
		"5 | 1 | Board.load(depth:) | org.example.Sketch | 4546680130 | Board.swift | 37", "6 | 5 | - | org.example.Sketch | 4546680695 | - | -",
		"7 | 6 | swift_allocObject | libswiftCore.dylib | 4587194231 | - | -")
	same(t, "what closes the cycles", r.dump(t, table.Faults, "kind detail size alloc_stack stack line"), "leak-cycle | Sketch.Node<Int>.previous --> Sketch.Node<Int> | 128 | 8 | - | 40",
		"leak-cycle | Swift closure context.[capture] --> Panel | 64 | - | - | 48")
	if len(r.problems) > 0 || r.facts["note"] != "Invalid connection: com.apple.coresymbolicationd" {
		t.Error(r.problems, r.facts)
	}

	r = read(t, fixture(t, "leaks/zero.txt"))
	same(t, "0 is a measured 0", r.dump(t, table.Samples, "pid metric value"), "26089 | live_count | 749", "26089 | live_bytes | 87040", "26089 | leaked_count | 0", "26089 | leaked_bytes | 0", "26089 | cycle_count | 0")
	r = read(t, fixture(t, "leaks/excluded.txt"))
	same(t, "excluded", r.dump(t, table.Sites, siteColumns), "Leaky object (🦊) | - | 32 | 1 | 22")
	if len(r.problems) > 0 {
		t.Error(r.problems)
	}
}

func TestHeap(t *testing.T) {
	r := read(t, fixture(t, "apple-heap/classes.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), "non-object | - | 57600 | 900 | 30", "CFString | - | 3200 | 100 | 31", "NSArray | - | 960 | 30 | 32", "NSArray | - | 384 | 3 | 34",
		"Sketch.Node<Swift.Array<Int>> | - | 10240 | 20 | 35", "NSMethodSignature._frameDescriptor (struct NSMethodFrameDescriptor) | - | 64 | 1 | 36", "SVGAttribute | - | 4800 | 10 | 37")
	same(t, "process", r.dump(t, table.Samples, "pid metric value")[2:], "501 | live_count | 1064", "501 | live_bytes | 77248")
	if len(r.problems) > 0 {
		t.Error(r.problems)
	}
}

func TestHistory(t *testing.T) {
	r := read(t, fixture(t, "malloc-history/address.txt"))
	same(t, "events", r.dump(t, table.Events, "time_ns seq tid op object size stack line"), "0 | 0 | 76700200 | alloc | 167597808 | 425 | 5 | 9", "0 | 1 | 76700200 | free | 167597808 | 425 | 7 | 11",
		"0 | 2 | - | alloc | 10785849344 | 16384 | 10 | 13", "0 | 3 | - | free | 10785849344 | 16384 | 8 | 14")
	same(t, "frames", r.dump(t, table.Frames, frameColumns)[7:], "8 | - | start | dyld | 7277185236 | - | -", "9 | 8 | Board.grow() | Sketch | 4546675182 | Board.swift | 12", "10 | 9 | - | Sketch | 4546680695 | - | -")
	if len(r.problems) > 0 || r.facts["partial"] != "true" || r.set.Len(table.Samples) > 0 {
		t.Error(r.problems, r.facts)
	}
}

// TestProblems: every record that cannot be read is told with its place, and the others stay.
func TestProblems(t *testing.T) {
	for name, want := range map[string][]string{
		"vmmap/bad-rows.txt": {`x:2:1: want a date and time`, `x:6:1: want a size such as 100.3M, have "much"`, `x:11:52: want 4 sizes in brackets, have 3`, `x:12:1: want TYPE START-END`,
			`x:13:61: want a size such as 16K, have "1.234K"`, `x:19:100: want a whole number, have "1.5"`, `x:22:36: want a total vss of 10444800, which its rows add up to, have 9437184`, `x:22:45: want a total rss of 59392`, `x:28:1: want a name and 9 figures`},
		"footprint/bad-rows.txt": {`x:2:1: want a footprint such as 922 MB, have "1.234 MB"`, `x:5:21: want a column that is known, have "Weight"`, `x:8:3: want a figure in each column`, `x:9:43: want a category`,
			`x:14:1: want a size such as 922 MB, have "many"`, `x:24:1: want a total dirty of 32768`, `x:25:1: footprint says: "footprint: Unable`},
		"leaks/bad-rows.txt": {`x:13:1: want a size such as 100.3M, have "plenty"`, `x:19:18: want a count and a size`, `x:24:1: want a frame`, `x:27:5: want a size in brackets`, `x:30:1: leaks says: "leaks: the process exited"`,
			`x:31:1: want N (size) and a block`},
		"apple-heap/bad-rows.txt":      {`x:6:5: want a count, bytes, an average and a class`, `x:7:7: want a count`},
		"apple-heap/bad-short.txt":     {`x:1:1: want 50 nodes, as the rows below add up to, have 100`},
		"malloc-history/bad-lines.txt": {`x:2:1: want ALLOC or FREE`, `x:3:6: want a size`, `x:4:7: want a size`, `x:5:1: malloc_history says: "malloc_history: no stack logs`, `x:6:7: want a size`},
	} {
		r := read(t, fixture(t, name))
		if r.err != nil || len(r.problems) != len(want) {
			t.Fatalf("%s: %v\n%s", name, r.err, strings.Join(r.problems, "\n"))
		}
		for i := range want {
			if !strings.HasPrefix(r.problems[i], want[i]) {
				t.Errorf("%s: have %q, want %q", name, r.problems[i], want[i])
			}
		}
	}
}

// TestHeldNothing: a tool that failed is quoted, and no figure is made up.
func TestHeldNothing(t *testing.T) {
	for text, want := range map[string]string{
		"vmmap: no process 4711\n":                                              `x:1:1: held nothing: want vmmap's list of regions or its summary, have what vmmap says: "vmmap: no process 4711"`,
		"Analysis Tool:   /usr/bin/heap\n\nProcess 1: 1 zone\n":                 `held nothing: want heap's line All zones`,
		"malloc_history Report Version:  2.0\nno stack logs found for 0x3000\n": `x:2:1: held nothing: want events of an address`,
		"footprint: Unable to find process\n":                                   `x:1:1: held nothing: want a process and its categories`,
		"leaks Report Version: 4.0\n":                                           `x:1: held nothing: want the counts of leaks`,
	} {
		if r := read(t, text); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, r.err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{"Process:  X [1]\nAnalysis Tool:   /usr/bin/stringdups\n", "malloc_history Report Version:  2.0\n\n231 calls for 15246 bytes: thread_1 | start\n"} {
		n := 0
		for _, k := range Refused() {
			if k.Sniff([]byte(text)) {
				n++
				in, _ := source.NewInput("x", strings.NewReader(text))
				if err := k.Decode(in, nil); err == nil || !strings.Contains(err.Error(), "instead") {
					t.Error(err)
				}
			}
		}
		if n != 1 {
			t.Errorf("%q: refused by %d", text, n)
		}
	}
}

func TestSizeOf(t *testing.T) {
	for text, want := range map[string]size{
		"100.3M": {105172173, 52428, true}, "227.6M": {238655898, 52428, true}, "1520": {1520, 0, true}, "0K": {0, 512, true}, "64,5K": {66048, 51, true}, "1,234 MB": {1293942784, 524288, true},
		"1,234,567": {1234567, 0, true}, "1.234,5 KB": {1264128, 51, true}, "176 bytes": {176, 0, true}, "1.53K": {1567, 5, true}, "1.234M": {}, "9999999T": {}, "": {}, "K": {}, "1.": {}, "1 ston": {}, "999999999999999999999": {},
	} {
		if got := sizeOf([]byte(text)); got.ok != want.ok || got.ok && got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestCutAnywhere: a capture that ends at any byte gives rows or a reason, and CR LF changes nothing.
func TestCutAnywhere(t *testing.T) {
	for _, f := range formats {
		files, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", f.name, "*.txt"))
		if len(files) < 2 {
			t.Fatal(f.name, files)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for n := range text {
				if r := decodeAs(t, f, bytes.NewReader(text[:n])); r.err == nil && rowsOf(r) == 0 {
					t.Fatalf("%s cut at %d: neither rows nor an error", file, n)
				}
			}
			lf, crlf := decodeAs(t, f, bytes.NewReader(text)), decodeAs(t, f, bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))))
			for id := table.ID(0); id < table.NumTables; id++ {
				same(t, file, crlf.dump(t, id, "line"), lf.dump(t, id, "line")...)
			}
			same(t, file, crlf.problems, lf.problems...)
		}
	}
}

func rowsOf(r result) (n int) {
	for id := table.ID(0); id < table.NumTables; id++ {
		n += r.set.Len(id)
	}
	return n
}

func FuzzDecode(f *testing.F) {
	for _, x := range formats {
		files, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", x.name, "*.txt"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, x := range formats {
			x.sniff(text[:min(len(text), source.HeadSize)])
			if n := rowsOf(decodeAs(t, x, bytes.NewReader(text))); n > 20+3*len(text) {
				t.Errorf("%s: %d rows of %d bytes", x.name, n, len(text))
			}
		}
		for _, k := range Refused() {
			k.Sniff(text)
		}
	})
}

// TestLongLines: time does not grow with the square of a line.
func TestLongLines(t *testing.T) {
	const n = 1 << 20
	head := "Process 1: 2 leaks for 64 total leaked bytes.\n"
	for name, text := range map[string]string{
		"brackets":   virtualMap + "1 (x)\nREGION TYPE START - END [ VSIZE]\n" + strings.Repeat(" [", n),
		"blanks":     virtualMap + "1 (x)\nREGION TYPE START - END [ VSIZE]\n" + strings.Repeat(" ", n) + "[",
		"figures":    virtualMap + "1 (x)\n VIRTUAL RESIDENT REGION\nREGION TYPE SIZE\nA" + strings.Repeat(" 1", n),
		"addresses":  head + "1 (32 bytes) ROOT LEAK: <" + strings.Repeat("T 0x1", n) + "\n",
		"offsets":    head + "STACK OF 1 INSTANCE OF 'ROOT LEAK: <T>':\n1 lib 0x1 f" + strings.Repeat(" + x", n) + "\n====\n",
		"bars":       "ALLOC 0x1000-0x103f [size=64]: " + strings.Repeat("f|", n),
		"categories": strings.Repeat("=", n) + "\nx [1]: 64-bit    Footprint: 1 KB (16384 bytes per page)\n Dirty Category\n" + strings.Repeat("1 KB", n) + "\n",
	} {
		for _, f := range formats {
			from := time.Now()
			decodeAs(t, f, strings.NewReader(text))
			if d := time.Since(from); d > 5*time.Second {
				t.Errorf("%s as %s took %s", name, f.name, d)
			}
		}
	}
}
