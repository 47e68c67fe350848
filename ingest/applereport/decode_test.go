package applereport

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
	faultColumns  = "kind pid process size address detail stack line"
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

func (r result) sound(t *testing.T) {
	t.Helper()
	if r.err != nil || len(r.problems) > 0 {
		t.Error(r.format, r.err, r.problems)
	}
}

func TestJetsam(t *testing.T) {
	r := read(t, fixture(t, "jetsam/killed.ips"))
	r.sound(t)
	samples := r.dump(t, table.Samples, sampleColumns)
	same(t, "two of one name", wanted(r.dump(t, table.Samples, "process pid metric value"), "helperd | "), "86 | footprint | 2080768", "86 | rss_anon | 1097728", "86 | compressed | 737280", "86 | footprint_peak | 2162688",
		"87 | footprint | 3276800", "87 | footprint_peak | 3440640")
	same(t, "system", wanted(samples, "0 | - | - | system | - | mem_"), "compressor | 471105536 | 8", "active | 2184806400 | 15", "throttled | 0 | 16", "file_backed | 1863696384 | 17", "wired | 1090027520 | 18",
		"anonymous | 2513911808 | 19", "purgeable | 185712640 | 20", "inactive | 2178252800 | 21", "free | 63406080 | 22", "speculative | 14548992 | 23")
	same(t, "zones", append(wanted(samples, "0 | - | - | system | - | zone_"), wanted(samples, "0 | - | - | kernel | ")...), "map_cap | 2203631616 | 9", "map | 253018112 | 13", "APFS_4K_OBJS | live_bytes | 34013184 | 11")
	same(t, "who was killed", r.dump(t, table.Faults, faultColumns), "oom-kill | 501 | Sketch | 1468006400 | - | per-process-limit, frontmost resume | - | 31", "kill | 502 | Widget | 15728640 | - | idle-exit, idle | - | 32",
		"oom-kill | 503 | Notes | 65536000 | - | vm-compressor-space-shortage, suspended | - | 33")
	if r.facts["device"] != "iPhone0,0" || r.facts["page_size"] != "16384" || r.set.Clock != "wall" || r.set.Start.V != 1767319445670000000 {
		t.Error(r.facts, r.set.Clock, r.set.Start)
	}
	r = read(t, fixture(t, "jetsam/quiet.ips"))
	r.sound(t)
	if r.set.Len(table.Faults) > 0 || r.set.Len(table.Samples) != 2 {
		t.Error("the largest process is not accused", r.dump(t, table.Faults, faultColumns))
	}
}

func TestCrash(t *testing.T) {
	r := read(t, fixture(t, "apple-crash/access.ips"))
	r.sound(t)
	same(t, "fault", r.dump(t, table.Faults, faultColumns), "crash | 501 | Sketch | - | 16 | EXC_BAD_ACCESS (SIGSEGV), KERN_INVALID_ADDRESS at 0x0000000000000010 | 3 | 9")
	same(t, "frames", r.dump(t, table.Frames, frameColumns), "1 | - | start | dyld | 6871947673700 | - | -", "2 | 1 | - | Sketch | 4294975488 | - | -", "3 | 2 | Board.load(depth:) | Sketch | 4294971392 | Board.swift | 37")
	same(t, "regions", r.dump(t, table.Samples, "scope name metric value"), "category | Activity Tracing | vss | 262144", "category | Activity Tracing | count | 1", "category | Memory Tag 240 | vss | 16384", "category | Memory Tag 240 | count | 2",
		"category | MALLOC_MEDIUM (reserved) | vss | 125829120", "category | MALLOC_MEDIUM (reserved) | count | 1", "process | - | count | 4", "process | - | vss | 278528")

	r = read(t, fixture(t, "apple-crash/limit.ips"))
	r.sound(t)
	same(t, "ended at its limit", r.dump(t, table.Faults, faultColumns), "oom-kill | 77 | Tunnel | - | - | EXC_RESOURCE, MEMORY, (Limit 50 MB) Crossed High Water Mark, JETSAM per-process-limit | - | 3")

	r = read(t, fixture(t, "apple-crash/text.crash"))
	r.sound(t)
	same(t, "text", r.dump(t, table.Faults, faultColumns), "crash | 31152 | Sketch Helper | - | 5028556808 | EXC_BAD_ACCESS (SIGSEGV), KERN_INVALID_ADDRESS at 0x000000012bb9b008 | 4 | 12")
	same(t, "its frames", r.dump(t, table.Frames, frameColumns), "1 | - | thread_start | libsystem_pthread.dylib | 140703539748715 | - | -", "2 | 1 | main | Sketch Helper | 4488698672 | main.cpp | 7",
		"3 | 2 | - | Sketch Helper | 4488698661 | - | -", "4 | 3 | Board::load(int, void const*) | Sketch Helper | 4488694848 | - | -")
	same(t, "its regions", wanted(r.dump(t, table.Samples, sampleColumns), "0 | 31152 | Sketch Helper | process | - | "), "count | 42 | 48", "vss | 159488410 | 48")
}

// TestCrashKinds: what is an end for memory, and what only looks like one.
func TestCrashKinds(t *testing.T) {
	for text, want := range map[string]string{
		`"exception":{"type":"EXC_CRASH","signal":"SIGKILL"},"termination":{"namespace":"JETSAM","code":7}`:                           "oom-kill",
		`"exception":{"type":"EXC_CRASH","signal":"SIGKILL"},"termination":{"namespace":"JETSAM","code":3,"indicator":"vnode-limit"}`: "crash",
		`"exception":{"type":"EXC_CRASH","signal":"SIGKILL"},"termination":{"namespace":"JETSAM","code":9,"reasons":["low-swap"]}`:    "oom-kill",
		`"exception":{"type":"EXC_RESOURCE","subtype":"CPU"}`:                                                                         "crash",
		`"exception":{"type":"EXC_GUARD"},"ktriageinfo":"VM - memory shortage"`:                                                       "crash",
		`"exception":{"type":"EXC_BAD_ACCESS"},"termination":{"namespace":"SIGNAL","code":11}`:                                        "crash",
	} {
		r := read(t, `{"bug_type":"309"}`+"\n{"+text+"}")
		r.sound(t)
		if got := r.dump(t, table.Faults, "kind"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %s", text, got, want)
		}
	}
}

func TestKSCrash(t *testing.T) {
	r := read(t, fixture(t, "kscrash/memory.json"))
	r.sound(t)
	same(t, "fault", r.dump(t, table.Faults, faultColumns), "oom-kill | 501 | Sketch | 1468006400 | - | memory_termination, limit 1468006400 | - | 8")
	same(t, "samples", r.dump(t, table.Samples, "pid scope metric value"), "- | system | mem_free | 337657856", "- | system | mem_total | 25769803776", "501 | process | footprint | 1468006400", "501 | process | mem_limit | 1468006400")
	r = read(t, fixture(t, "kscrash/signal.json"))
	r.sound(t)
	same(t, "crash", r.dump(t, table.Faults, faultColumns), "crash | 501 | Sketch | - | 16 | mach, EXC_BAD_ACCESS, SIGSEGV | 2 | 4")
	same(t, "frames", r.dump(t, table.Frames, "parent function module address"), "- | - | Sketch | 4294971500", "1 | load | Sketch | 4294971392")
}

func TestMetricKit(t *testing.T) {
	r := read(t, fixture(t, "metrickit/payload.json"))
	r.sound(t)
	same(t, "payload", wanted(r.dump(t, table.Samples, sampleColumns), "0 | - | org.example.Sketch | "), "process | - | footprint_peak | 200000000 | 4", "process | - | footprint_suspended | 100000000 | 5",
		"class | background/MemoryPressure | count | 3 | 8", "class | foreground/MemoryResourceLimit | count | 1 | 9", "class | foreground/BadAccess | count | 0 | 9", "class | signpost Canvas/draw | footprint | 64500000 | 11")
	r = read(t, fixture(t, "metrickit/languages.json"))
	same(t, "languages", r.dump(t, table.Samples, "process metric value"), "fr | footprint_peak | 1106818000", "de | footprint_peak | 1106818000", "de | footprint_suspended | 228145000", "zh | footprint_peak | 818000")
	r.sound(t)
}

func TestSizeIn(t *testing.T) {
	for text, want := range map[string]int64{"1,106,818千字节": 1106818000, "200000 kB": 200000000, "64.5 MB": 64500000, "1\u00a0000 ko": 1000000, "12 КБ": 12000, "1 GB": 1000000000, "7 bytes": 7, "-1 kB": -1000} {
		if v, ok := sizeIn(text, ','); !ok || v.V != want {
			t.Errorf("%q: %v %v, want %d", text, v, ok, want)
		}
	}
	for _, text := range []string{"", "kB", "12", "12 stones", "x12 kB", "99999999999999999999 GB"} {
		if v, ok := sizeIn(text, ','); ok {
			t.Errorf("%q: %v", text, v)
		}
	}
	for text, want := range map[string]byte{`["1,234"]`: ',', `["1.234.567 kB"]`: '.', `["1.234,5"]`: '.', `["1,5 kB","1.234 kB"]`: '.', `["12.5"]`: ',', `[]`: ','} {
		d := newDocument([]byte(text), 0)
		d.next()
		if got := groupingOf(d); got != want {
			t.Errorf("%s: %c, want %c", text, got, want)
		}
	}
}

func TestXCTest(t *testing.T) {
	r := read(t, fixture(t, "xctest-metrics/metrics.json"))
	r.sound(t)
	same(t, "growth", wanted(r.dump(t, table.Samples, "metric time_ns iteration value"), "footprint_growth | "), "0 | 0 | 0", "1 | 1 | 16384", "2 | 2 | -131072")
	same(t, "peak, of the second device behind the first", wanted(r.dump(t, table.Samples, "metric time_ns iteration value"), "footprint_peak | "), "0 | 0 | 15000000", "1 | 1 | 15200500", "2 | 2 | 14000000")
	if r.set.Clock != "order" || r.facts["baselineAverage of PerfTests/testScroll() footprint_peak"] != "14800" || r.facts["device"] != "iPhone 16" {
		t.Error(r.set.Clock, r.facts)
	}
	r = read(t, fixture(t, "xctest-metrics/legacy.json"))
	r.sound(t)
	same(t, "legacy", r.dump(t, table.Samples, "process metric iteration value"), "PerfTests/testScroll() | footprint_peak | 0 | 15000000", "PerfTests/testScroll() | footprint_peak | 1 | 15200000")
}

func TestFootprint(t *testing.T) {
	r := read(t, fixture(t, "footprint-json/one.json"))
	same(t, "in pages", wanted(r.dump(t, table.Samples, sampleColumns), "0 | 501 | Sketch | "), "process | - | footprint | 117440512 | 10", "process | - | footprint_peak | 121634816 | 10", "category | MALLOC_SMALL | dirty | 8388608 | 12",
		"category | MALLOC_SMALL | swap | 1048576 | 12", "category | MALLOC_SMALL | clean | 0 | 12", "category | MALLOC_SMALL | reclaimable | 65536 | 12", "category | MALLOC_SMALL | wired | 0 | 12",
		"category | MALLOC_SMALL | count | 7 | 12", `category | Owned "unmapped" | dirty | 4194304 | 13`, `category | Owned "unmapped" | count | 1 | 13`)
	same(t, "one is gone", r.problems, `x:16:48: footprint says: "Unable to get task for pid 502"`)
	r = read(t, fixture(t, "footprint-json/samples.json"))
	r.sound(t)
	same(t, "two times", r.dump(t, table.Samples, "time_ns process scope metric value"), "0 | Sketch | process | footprint | 104857600", "0 | - | system | dirty | 104000000",
		"2000000000 | Sketch | process | footprint | 106954752", "2000000000 | - | system | dirty | 106000000")
}

func TestRefcount(t *testing.T) {
	r := read(t, fixture(t, "refcount-csv/node.csv"))
	r.sound(t)
	same(t, "events", r.dump(t, table.Events, "time_ns op object refcount stack"), "0 | alloc | 1 | 1 | 1", "100000 | retain | 1 | 2 | 2", "200000 | retain | 1 | 3 | 3", "300000 | release | 1 | 2 | 4", "400000 | mark | 1 | 2 | 5",
		"500000000 | release | 1 | 1 | 6", "1000000000 | free | 1 | 0 | 7")
	same(t, "frames", r.dump(t, table.Frames, "function module address")[1:4], "Graph.add(_:, at:) | Sketch | -", "swift_retain | libswiftCore.dylib | -", "- | libswiftCore.dylib | 439041101")
	r = read(t, fixture(t, "refcount-csv/two-objects.txt"))
	r.sound(t)
	same(t, "two objects", r.dump(t, table.Events, "op object refcount"), "alloc | 105553116332032 | 1", "alloc | 105553116397568 | 1", "retain | 105553116332032 | 2")
}

// TestProblems: every value that cannot be read is told with its place, and the others stay.
func TestProblems(t *testing.T) {
	for name, want := range map[string][]string{
		"footprint-json/bad-cut.json":    {`x:3:53: want phys_footprint as a whole number, have "plenty"`, `x:3:103: want phys_footprint_peak`, `x:4:105: want JSON, have the end of the file`, `x:4:65: want regions as a whole number, have 1.5`},
		"jetsam/bad-cut.ips":             {`x:2:12: want a date`, `x:2:86: want pages as a whole number, have "few"`, `x:5:16: want rpages below 2^63`, `x:7:1: want JSON, have the end of the file`},
		"apple-crash/bad-text.crash":     {`x:1:1: want a process with its pid in brackets, have "Sketch [many]"`, `x:2:1: want a date`, `x:10:1: want a frame`, `x:16:1: want a region type`},
		"kscrash/bad-cut.json":           {`x:1:57: want a date`, `x:2:31: want the pid`, `x:2:61: want memory.free`, `x:3:104: want memory_footprint`, `x:4:1: want JSON, have the end`},
		"metrickit/bad-units.json":       {`x:1:103: want a size with a unit`, `x:2:127: want a date`, `x:2:95: want a count of exits`},
		"xctest-metrics/bad-values.json": {`x:2:3: want a unit of memory`, `x:3:117: want a measurement, have "none"`, `x:3:125: want a measurement, have 1e99`, `x:4:1: want JSON`},
		"refcount-csv/bad-rows.csv": {`x:3:1: want a count of 2, which is 1 with a change of 1, have 4`, `x:4:1: want Malloc, Retain, Release, Autorelease or Free, have "Teleport"`, `x:5:1: want a time`, `x:5:1: want a count of references, have "none"`,
			`x:6:1: want Malloc, Retain, Release, Autorelease or Free, have "Rel"`},
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

// TestHeldNothing: recognised, and refused with the reason.
func TestHeldNothing(t *testing.T) {
	for text, want := range map[string]string{
		`{"bug_type":"298"}` + "\n{}":                                   "x:1:1: held nothing: want memoryStatus and processes",
		`{"bug_type":"309"}` + "\nno crash at all":                      "x:1:1: held nothing: want an exception",
		`{"callStackTree":{"callStacks":[{"callStackRootFrames":[]}]}}`: "call stacks tell of no memory",
		`[{"testIdentifier":"T/a()","testRuns":[]}]`:                    "held nothing: want measurements",
		`{"bytes per unit":1,"processes":[]}`:                           "held nothing: want processes",
		"Event Type,Delta,RefCt\n":                                      "x:1: held nothing: want rows of events",
	} {
		if r := read(t, text); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, r.err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for bugType, want := range map[string]string{"288": "ips-stackshot", "210": "ips-panic", "202": "ips-resource-cpu", "206": "ips-resource-wakeups", "145": "ips-other", "298": "", "309": "", "109": ""} {
		text, got := `{"bug_type":"`+bugType+`","timestamp":"x"}`+"\n{}", ""
		for _, k := range Refused() {
			if k.Sniff([]byte(text)) {
				got += k.Name
				in, _ := source.NewInput("x", strings.NewReader(text))
				if err := k.Decode(in, nil); err == nil || !strings.Contains(err.Error(), "JetsamEvent") {
					t.Error(err)
				}
			}
		}
		if got != want {
			t.Errorf("%s is refused as %q, want %q", bugType, got, want)
		}
	}
}

// TestDocument: what is damaged keeps what stands before it, with its places.
func TestDocument(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1,2,{"b":"c\/d\n"}],"e":-1.5e3}`: "", `{"a":1,}`: "", `{"a":1`: "the end of the file", `{"a":12`: "the end of the file", `{"a"`: "the end of the file", `{"a":`: "the end of the file", `[1 2]`: `"2]"`,
		`{1:2}`: `"1:2}"`, `[`: "the end of the file", `["x`: "the end of the file", ``: "the end of the file", `{"a":"b" "c":1}`: `"\"c\":1}"`, strings.Repeat("[", maxDepth+1): "more than 4096 levels", "\xef\xbb\xbf[1]": "",
	} {
		d := newDocument([]byte(text), 0)
		root, fault := d.next()
		if fault != want {
			t.Errorf("%.40q: %s, want %s", text, fault, want)
		}
		n := 0
		var walk func(v value)
		walk = func(v value) { n++; v.each(func(_, item value) { walk(item) }) }
		walk(root)
		if n > len(text)+1 {
			t.Errorf("%q: %d values", text, n)
		}
	}
	d := newDocument([]byte("{\n \"a\" : [ 1,\n  {\"b\":\"c\\/d\\n\"} ] }"), 0)
	root, _ := d.next()
	b := root.get("a").item(1).get("b")
	in, _ := source.NewInput("x", strings.NewReader(""))
	if b.text() != "c/d\n" || d.pos(in, b.offset()).String() != "x:3:8" || root.get("a", "z").ok() || root.get("a").item(2).ok() {
		t.Error(b.text(), d.pos(in, b.offset()))
	}
}

// each visits the fixtures of a format.
func each(t testing.TB, visit func(f format, file string, text []byte)) {
	for _, f := range formats {
		files, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", f.name, "*.*"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, ".md") {
				visit(f, file, text)
			}
		}
	}
}

// TestCutAnywhere: a report that ends at any byte gives rows or a reason, and never a figure that is not in the whole one.
func TestCutAnywhere(t *testing.T) {
	each(t, func(f format, file string, text []byte) {
		whole := map[string]bool{}
		for _, row := range decodeAs(t, f, bytes.NewReader(text)).dump(t, table.Samples, "metric value line") {
			whole[row] = true
		}
		for n := range text {
			r := decodeAs(t, f, bytes.NewReader(text[:n]))
			if r.err == nil && rowsOf(r) == 0 {
				t.Fatalf("%s cut at %d: neither rows nor an error", file, n)
			}
			if !strings.HasSuffix(file, ".json") && !strings.HasSuffix(file, ".ips") || f.name == "metrickit" || f.name == "kscrash" || f.name == "footprint-json" {
				continue // what a cut key leaves is read from the next best one
			}
			for _, row := range r.dump(t, table.Samples, "metric value line") {
				if !whole[row] && !strings.HasPrefix(row, "vss") {
					t.Fatalf("%s cut at %d: %s is not in the whole", file, n, row)
				}
			}
		}
	})
}

func rowsOf(r result) (n int) {
	for id := table.ID(0); id < table.NumTables; id++ {
		n += r.set.Len(id)
	}
	return n
}

func FuzzDecode(f *testing.F) {
	each(f, func(_ format, _ string, text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, x := range formats {
			x.sniff(text[:min(len(text), source.HeadSize)])
			if n := rowsOf(decodeAs(t, x, bytes.NewReader(text))); n > 20+2*len(text) {
				t.Errorf("%s: %d rows of %d bytes", x.name, n, len(text))
			}
		}
		for _, k := range Refused() {
			k.Sniff(text)
		}
	})
}

// TestAbsurd: depth and length take neither time nor memory out of proportion.
func TestAbsurd(t *testing.T) {
	const n = 1 << 19
	for name, text := range map[string]string{
		"depth":  `{"memoryStatus":{},"processes":` + strings.Repeat("[", n),
		"keys":   `{"exception":{},"threads":[{"triggered":true,"frames":[` + strings.Repeat(`{"imageIndex":0},`, n/8) + `{}]}],"usedImages":[{` + strings.Repeat(`"a":1,`, n/8) + `"base":1}]}`,
		"values": `{"bytes per unit":1,"processes":[` + strings.Repeat("1,", n) + "1]}",
		"text":   "Process: x [1]\nException Type: y\nThread 0 Crashed:\n0 l 0x1" + strings.Repeat(" + ", n),
		"cells":  "Event,Delta,RefCt\n" + strings.Repeat(",", n),
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

// TestCrashTextCut: a line of the older text that the end of the file cuts is not used.
func TestCrashTextCut(t *testing.T) {
	text := fixture(t, "apple-crash/text.crash")
	at := strings.Index(text, "\nVM Region Summary") // behind the frames
	if at < 0 {
		at = len(text) - 1
	}
	r := read(t, text[:at-2])
	if len(r.problems) == 0 || !strings.Contains(r.problems[len(r.problems)-1], "want the end of the line, have that of the file") {
		t.Errorf("%q", r.problems)
	}
}
