package massif_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/massif"
	"github.com/memtide/memtide/ingest/table"
)

func TestMassif(t *testing.T) {
	r := decode(t, massif.Decode, fixture(t, "massif", "instructions.out"))
	samples := r.dump(t, table.Samples, sampleColumns)
	if len(samples) != 180 || len(r.problems) > 0 || r.facts["clock"] != "instructions" || r.facts["unit"] != "requested" || r.facts["command"] != "/opt/app/native 40" {
		t.Errorf("%d samples, %q, %v", len(samples), r.problems, r.facts)
	}
	same(t, "last samples", samples[177:], "148994 | native | process | - | heap_alloc | 105600 | 501", "148994 | native | process | - | heap_extra | 776 | 502", "148994 | native | process | - | stacks | 0 | 503")
	sites := r.dump(t, table.Sites, siteColumns+" stack")
	same(t, "last sites", sites[len(sites)-3:], "148994 | grab | 65536 | - | - | - | 508 | 3", "148994 | grab | 40000 | - | - | - | 510 | 5", "148994 | grab | 64 | - | - | - | 511 | 6")
	same(t, "frames", r.dump(t, table.Frames, frameColumns),
		"1 | - | main | heapdemo.c | 9 | - | 1085946", "2 | 1 | fill | heapdemo.c | 6 | - | 1085879", "3 | 2 | grab | heapdemo.c | 4 | - | 1085793",
		"4 | 1 | keep | heapdemo.c | 5 | - | 1085822", "5 | 4 | grab | heapdemo.c | 4 | - | 1085793", "6 | - | grab | heapdemo.c | 4 | - | 1085793")
}

// TestMilliseconds: time in ms is time, the snapshots of one millisecond stay apart, stacks are known.
func TestMilliseconds(t *testing.T) {
	r := decode(t, massif.Decode, fixture(t, "massif", "ms-stacks.out"))
	all := strings.Join(r.dump(t, table.Samples, "time_ns metric value"), "\n")
	if !strings.Contains(all, "221000000 | stacks | 632") || !strings.Contains(all, "216000000 | heap_alloc | 84536") || strings.Count(all, "heap_alloc") != 9 || r.facts["clock"] != "trace" {
		t.Errorf("%v\n%s", r.facts, all)
	}
}

func TestNames(t *testing.T) {
	r := decode(t, massif.Decode, fixture(t, "massif", "names.out"))
	const buffer = "bt::Buffer::Buffer(unsigned int, std::vector<int, std::allocator<int> >&)"
	same(t, "sites", r.dump(t, table.Sites, siteColumns+" stack"),
		"7021305210 | "+buffer+" | 4000000000 | - | - | - | 22 | 2", "7021305210 | "+buffer+" | 1000000000 | - | - | - | 23 | 3",
		"7021305210 | 0x4288a9 | 20000000 | - | - | - | 25 | 5", "7021305210 | (below threshold) | 1305210 | - | - | - | 26 | -")
	same(t, "frames", r.dump(t, table.Frames, frameColumns)[:3],
		"1 | - | Window::operator()(void (*)(int)) const | window.cpp | 118 | - | 5163926", "2 | 1 | "+buffer+" | - | - | libbuffer.so.1.0.1 | 5199424",
		"3 | - | "+buffer+" | - | - | libbuffer.so.1.0.1 | 5199424")
	if f := r.facts["clock"]; f != "bytes" || len(r.problems) > 0 {
		t.Errorf("clock %s, %q", f, r.problems)
	}
}

func TestBad(t *testing.T) {
	r := decode(t, massif.Decode, fixture(t, "massif", "bad-lines.out"))
	same(t, "problems", r.problems,
		`x:3:11: want the time unit i, ms or B, have " s"`, `x:17:18: want a number that fits in 63 bits, have "64x"`,
		`x:22:7: want nCHILDREN: BYTES and a function, have "n0: 99999999999999999999 0x4ECB96: Window::operator()(void ("`,
		`x:24:3: want nCHILDREN: BYTES and a function, have "nx: 20000000 0x4288A9: ??? (in /opt/app/server)"`)
	same(t, "sites", r.dump(t, table.Sites, "live_bytes line"), "1000000000 | 23", "1305210 | 26")
	r = decode(t, massif.Decode, fixture(t, "massif", "bad-cut.out"))
	same(t, "cut", r.problems, "x:22:21: want a line end, have the end of the file: the line is left out", "x:22: want all callers of a node, have fewer: the tree is cut or damaged (2 times)")
	if r.set.Len(table.Samples) != 6 || r.set.Len(table.Sites) != 0 {
		t.Errorf("cut: %d samples, %d sites", r.set.Len(table.Samples), r.set.Len(table.Sites))
	}
	if r = decode(t, massif.Decode, []byte("desc: x\ncmd: y\ntime_unit: i\n")); r.err == nil || r.err.Error() != "x:1:1: held nothing: want snapshots with mem_heap_B=, have none" {
		t.Errorf("empty: %v", r.err)
	}
}

func TestDHAT(t *testing.T) {
	r := decode(t, massif.DecodeDHAT, fixture(t, "dhat", "native.json"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns+" stack pid process"),
		"0 | grab | 40000 | 40 | 40000 | 40 | 11 | 4 | 18691 | native", "0 | grab | 65536 | 16 | 163840 | 40 | 20 | 7 | 18691 | native", "0 | grab | 0 | 0 | 2560 | 40 | 28 | 10 | 18691 | native")
	r = decode(t, massif.DecodeDHAT, fixture(t, "dhat", "rust.json"))
	same(t, "Rust", r.dump(t, table.Sites, siteColumns+" pid process"),
		"0 | alloc::alloc::alloc | 65536 | 16 | 65536 | 16 | 3 | 4242 | indexer", "0 | alloc::alloc::alloc | 0 | 0 | 512 | 2 | 4 | 4242 | indexer")
	same(t, "Rust's frames", r.dump(t, table.Frames, "function source_file source_line")[:2], "indexer::main | src/main.rs | 12", "indexer::Index::insert | src/index.rs | 41")
	if r.set.Len(table.Samples) != 0 || len(r.problems) > 0 {
		t.Errorf("%d samples, %q", r.set.Len(table.Samples), r.problems)
	}
}

func TestBadDHAT(t *testing.T) {
	r := decode(t, massif.DecodeDHAT, fixture(t, "dhat", "bad-values.json"))
	same(t, "problems", r.problems, "x:11: want a function below 9, have number 400: it is left out", `x:11: want a number from 0 up that fits in 63 bits, have "many"`)
	same(t, "first site", r.dump(t, table.Sites, siteColumns)[:1], "0 | grab | 40000 | 40 | - | 40 | 11")
	for text, want := range map[string]string{
		string(fixture(t, "dhat", "bad-cut.json")): "x:40:41: held nothing: the JSON is cut or damaged: unexpected EOF",
		`[]`: "x:1:2: held nothing: the JSON is cut or damaged: want an object",
		"{\"dhatFileVersion\":2,\"mode\":\"copy\"}":                          `x:1:1: held nothing: want DHAT in the mode heap, have "copy"`,
		"{\"dhatFileVersion\":2,\n\"pps\":[],\"ftbl\":[]}":                   "x:1:1: held nothing: want program points (pps) and functions (ftbl), have 0 and 0",
		"{\"dhatFileVersion\":2,\n\"pps\":[{\"tb\":1,}]}":                    "x:2:16: held nothing: the JSON is cut or damaged: invalid character '}' looking for beginning of object key string",
		"{\"dhatFileVersion\":2,\"pps\":" + strings.Repeat("[", 20000) + "}": "exceeded max depth",
	} {
		if r := decode(t, massif.DecodeDHAT, []byte(text)); r.err == nil || !strings.Contains(r.err.Error(), want) || r.set.Len(table.Sites) > 0 {
			t.Errorf("%.40q: %v\nwant %s", text, r.err, want)
		}
	}
}

// TestEnds: line ends of Windows change nothing, and a file that ends anywhere has no row that the whole one has not.
func TestEnds(t *testing.T) {
	for _, f := range formats {
		for _, name := range fixtures(t, f.name) {
			text := fixture(t, f.name, name)
			if !strings.HasPrefix(name, "bad-") && !f.sniff(text) {
				t.Errorf("%s is not claimed", name)
			}
			whole := decode(t, f.decode, text)
			if f.name == "massif" {
				same(t, name, decode(t, f.decode, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))).all(t), whole.all(t)...)
			}
			all := map[string]bool{}
			for _, row := range whole.values(t) {
				all[row] = true
			}
			for cut := 0; cut < len(text); cut += 1 + len(text)/2000 {
				for _, row := range decode(t, f.decode, text[:cut]).values(t) {
					if !all[row] {
						t.Fatalf("%s cut at %d: %s", name, cut, row)
					}
				}
			}
		}
	}
}

// values gives the rows without their times, which the first snapshot settles.
func (r result) values(t testing.TB) []string {
	return append(r.dump(t, table.Sites, "class live_bytes live_count total_bytes total_count line"), r.dump(t, table.Samples, "process metric value line")...)
}
