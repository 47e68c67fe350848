package pprof_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/pprof"
	"github.com/memtide/memtide/ingest/table"
)

func TestGperftools(t *testing.T) {
	r := decode(t, pprof.DecodeLegacy, fixture(t, "pprof-legacy", "server.0001.heap"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns),
		"server+0x11b4 | 40960 | 40 | 40960 | 40 | 2", "server+0x120b | 10240 | 100 | 30720 | 300 | 3", "server+0x1259 | 0 | 0 | 109568 | 264 | 4",
		"server+0x11b4 | 8192 | 2 | 8192 | 5 | 5", "- | 1024 | 1 | 1024 | 3 | 6")
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), "server | process | - | heap_alloc | 60416 | 1")
	same(t, "frames", r.dump(t, table.Frames, frameColumns)[2:4], "3 | 2 | server+0x11b4 | - | - | server | 94355073274292", "4 | 3 | libtcmalloc.so.4+0x12345 | - | - | libtcmalloc.so.4 | 139887621776197")
	if len(r.problems) > 0 || r.facts["sampled"] != "false" || r.facts["unit"] != "requested" || r.facts["clock"] != "order" {
		t.Errorf("%q %v", r.problems, r.facts)
	}
}

// TestSampled: a sampled profile is scaled stack by stack; heap/P has twice its period in the header.
func TestSampled(t *testing.T) {
	want := []string{"server+0x11b4 | 829411 | 2 | 829411 | 2 | 3", "server+0x120b | 4198401 | 4100 | 13899461 | 679 | 4", "server+0x1259 | 1576964 | 578 | 1576964 | 578 | 5"}
	text := fixture(t, "pprof-legacy", "sampled.heap")
	for _, kind := range []string{"heap_v2/524288", "heapz_v2/524288", "heap/1048576"} {
		r := decode(t, pprof.DecodeLegacy, bytes.Replace(text, []byte("heap_v2/524288"), []byte(kind), 1))
		same(t, kind, r.dump(t, table.Sites, siteColumns), want...)
		if r.facts["period"] != "524288" || r.facts["sampled"] != "true" || len(r.problems) > 0 {
			t.Errorf("%s: %v %v", kind, r.facts, r.problems)
		}
	}
	r := decode(t, pprof.DecodeLegacy, bytes.Replace(text, []byte("heap_v2/524288"), []byte("heap/2"), 1))
	same(t, "period 1", r.dump(t, table.Sites, "live_bytes"), "524288", "8192", "8192")
}

func TestGrowth(t *testing.T) {
	r := decode(t, pprof.DecodeLegacy, fixture(t, "pprof-legacy", "growth.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), "batch+0x11b4 | - | - | 4194304 | 2 | 2", "batch+0x120b | - | - | 4194304 | 2 | 4")
	if r.set.Len(table.Samples) != 0 || r.facts["cumulative"] != "true" {
		t.Errorf("%d samples, %v", r.set.Len(table.Samples), r.facts)
	}
}

func TestJava(t *testing.T) {
	r := decode(t, pprof.DecodeLegacy, fixture(t, "pprof-legacy", "java.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns),
		"com.example.Cache.put | 1658823 | 3 | - | - | 4", "com.example.Names.<init> | 524728 | 596 | - | - | 5", "GC | 2097184 | 131074 | - | - | 6")
	same(t, "frames", r.dump(t, table.Frames, "function source_file source_line address"),
		"java.lang.Thread.run | Thread.java | 840 | -", "com.example.Server.handle | Server.java | 118 | -", "com.example.Cache.put | Cache.java | 31 | -",
		"com.example.Names.<init> | Names.java | 7 | -", "- | - | - | 9", "GC | - | - | -")
}

func TestJemalloc(t *testing.T) {
	r := decode(t, pprof.DecodeJemalloc, fixture(t, "jemalloc-heap", "server.1.0.m0.heap"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns+" process"),
		"server+0x11b4 | 102400 | 100 | - | - | 6 | server", "server+0x120b | 20480 | 20 | - | - | 10 | server", "libjemalloc.so.2+0x12ed9 | 81920 | 1 | - | - | 13 | server")
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), "server | process | - | heap_alloc | 204800 | 2")
	if len(r.problems) > 0 || r.facts["unit"] != "usable" || r.facts["sampled"] != "false" || r.facts["period"] != "1" {
		t.Errorf("%q %v", r.problems, r.facts)
	}
	r = decode(t, pprof.DecodeJemalloc, fixture(t, "jemalloc-heap", "sampled.heap"))
	same(t, "sampled", r.dump(t, table.Sites, siteColumns),
		"server+0x11b4 | 1149300 | 1122 | 2298601 | 2244 | 6", "server+0x120b | 584663 | 70 | 584663 | 70 | 10", "libjemalloc.so.2+0x12ed9 | 82476 | 1 | 82476 | 1 | 13")
}

// TestBad: what is wrong, where, and what is still read.
func TestBad(t *testing.T) {
	for _, c := range []struct {
		format, file string
		sites        int
		problems     []string
	}{
		{"pprof-legacy", "bad-lines.heap", 3, []string{
			"x:1: want stacks of 60416 bytes in all, have 50176: the sum is not known",
			`x:3:29: want N: B [N: B] @ and addresses, have "30720] @ 0x55d0c0a0120b 0x55d0c0a01305 0"`,
			`x:4:29: want N: B [N: B] @ and addresses, have "99999999999999999999] @ 0x55d0c0a01259 0"`,
			`x:5:54: want an address, have "0xq9990000"`}},
		{"pprof-legacy", "bad-cut.heap", 0, []string{"x:1: snapshot dropped: want stacks of 143 blocks and 60416 bytes in all, have 140 and 51200: the profile is cut"}},
		{"jemalloc-heap", "bad-lines.heap", 2, []string{
			"x:2: want stacks of 204800 bytes in all, have 184320: the sum is not known",
			`x:6:48: want an address, have "0x55d0c0a012e8zz 0x7f3a1004524a"`,
			"x:10: want t*: N: B [N: B] below the stack, have none: it is left out",
			`x:11:1: want t*: N: B [N: B], have "  t*: twenty: 20480 [0: 0]"`}},
		{"jemalloc-heap", "bad-cut.heap", 0, []string{
			"x:2: snapshot dropped: want stacks of 121 blocks and 204800 bytes in all, have 100 and 102400: the profile is cut",
			`x:11:1: want t*: N: B [N: B], have "  t*: 20:"`}},
	} {
		f := pprof.DecodeLegacy
		if c.format == "jemalloc-heap" {
			f = pprof.DecodeJemalloc
		}
		r := decode(t, f, fixture(t, c.format, c.file))
		same(t, c.file, r.problems, c.problems...)
		if r.err != nil || r.set.Len(table.Sites) != c.sites || r.set.Len(table.Samples) != 0 {
			t.Errorf("%s: %v, %d sites, %d samples", c.file, r.err, r.set.Len(table.Sites), r.set.Len(table.Samples))
		}
	}
}

// TestHeaders: what is no header says where.
func TestHeaders(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "x:1:1: held nothing: want a line heap profile: N: B [N: B] @ …",
		"heap profile: 1: 2 [3: x] @ heap_v2": `x:1:24: held nothing: want heap profile: N: B [N: B] @ heapprofile, heap_v2/PERIOD or heap/PERIOD, have "x] @ heap_v2"`,
		"heap profile: 1: 2 [3: 4] @ cpu":     `x:1:29: held nothing: want heap profile: N: B [N: B] @ heapprofile, heap_v2/PERIOD or heap/PERIOD, have "cpu"`,
		"heap profile: 1: 2 [3: 4] @ heap/-5": `x:1:34: held nothing: want heap profile: N: B [N: B] @ heapprofile, heap_v2/PERIOD or heap/PERIOD, have "-5"`,
		"--- heapz 1 ---\nformat = java\n":    "x:1: held nothing: want BYTES COUNT @ and ids behind the header",
	} {
		if r := decode(t, pprof.DecodeLegacy, []byte(text)); r.err == nil || r.err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, r.err, want)
		}
	}
	for text, want := range map[string]string{
		"junk\n":        "x:1:1: held nothing: want a line heap_v2/PERIOD",
		"heap_v2/1\n\n": "x:1: held nothing: want the totals of all threads, t*: N: B [N: B], behind the header",
	} {
		if r := decode(t, pprof.DecodeJemalloc, []byte(text)); r.err == nil || r.err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, r.err, want)
		}
	}
}

// TestCRLF: line ends of Windows change nothing.
func TestCRLF(t *testing.T) {
	for _, f := range formats[1:] {
		for _, name := range fixtures(t, f.name) {
			text := fixture(t, f.name, name)
			windows := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
			if f.sniff(text) != f.sniff(windows) {
				t.Errorf("%s is claimed with one line end only", name)
			}
			same(t, name, decode(t, f.decode, windows).all(t), decode(t, f.decode, text).all(t)...)
		}
	}
}

// TestCut: a profile that ends anywhere gives all its stacks or none, since a missing one would look like freed memory; or
// it says that it may be cut, which the other files of a run decide.
func TestCut(t *testing.T) {
	for _, f := range formats {
		for _, name := range fixtures(t, f.name) {
			if strings.HasPrefix(name, "bad-") || name == "java.txt" {
				continue // the functions of a Java profile stand behind its stacks, of which it states no sum
			}
			text := fixture(t, f.name, name)
			whole := decode(t, f.decode, text).dump(t, table.Sites, "live_bytes live_count total_bytes total_count line")
			for cut := 0; cut < len(text); cut += 1 + len(text)/2000 {
				r := decode(t, f.decode, text[:cut])
				rows := r.dump(t, table.Sites, "live_bytes live_count total_bytes total_count line")
				if len(rows) > 0 && fmt.Sprint(rows) != fmt.Sprint(whole) {
					if strings.Contains(strings.Join(r.problems, "\n"), "cut") {
						continue
					}
					t.Fatalf("%s cut at %d of %d: %d rows of %d, %v %v", name, cut, len(text), len(rows), len(whole), r.problems, r.err)
				}
			}
		}
	}
}
