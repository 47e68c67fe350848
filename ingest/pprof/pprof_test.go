package pprof_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/pprof"
	"github.com/memtide/memtide/ingest/table"
)

// TestNative has what Go's profiles have not: kilobytes, inlined functions, allocator frames, nameless addresses.
func TestNative(t *testing.T) {
	r := decode(t, pprof.Decode, fixture(t, "pprof", "native.pb"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns+" stack process"),
		"parse | 28672 | 12 | 114688 | 48 | 25 | 5 | server",
		"libfilter.so.2+0x450 | 3072 | 3 | 3072 | 3 | 67 | 8 | server",
		"libfilter.so.2+0x450 | -1024 | -1 | 9216 | 9 | 80 | 9 | server",
		"- | 4096 | 1 | 4096 | 1 | 108 | - | server")
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), "server | process | - | heap_alloc | 34816 | 1")
	same(t, "frames", r.dump(t, table.Frames, frameColumns)[:6],
		"1 | - | load | src/load.cc | 52 | server | 4864",
		"2 | 1 | intern | src/names.cc | 7 | server | 4864",
		"3 | 2 | parse | src/parse.cc | 31 | server | 4608",
		"4 | 3 | malloc | - | - | server | 4480",
		"5 | 4 | operator new(unsigned long) | - | - | server | 4352",
		"6 | - | - | - | - | - | 2576977920")
	same(t, "problems", r.problems, "x:80: want counts from 0 up, have less: kept as it is (2 times)")
	if r.set.Start.V != 1795951517_250000000 || r.facts["period"] != "524288" || r.facts["sampled"] != "true" || r.facts["unit"] != "requested" {
		t.Errorf("start %d, facts %v", r.set.Start.V, r.facts)
	}
}

func TestJAXFixture(t *testing.T) {
	r := decode(t, pprof.Decode, fixture(t, "pprof", "jax.pb"))
	same(t, "sites", r.dump(t, table.Sites, "class device live_bytes live_count total_bytes stack"),
		"buffer | 1 | 8192 | 2 | - | 3", "buffer | 0 | 4096 | 1 | - | 3", "executable | - | 2664 | 1 | - | 2")
	if f := r.dump(t, table.Frames, "function source_line"); f[0] != "<module> | 30" || r.set.Len(table.Samples) != 0 {
		t.Errorf("frames %q, %d samples", f, r.set.Len(table.Samples))
	}
}

// TestGoOnce: 100 blocks of 1 KiB kept and a ring of 16 of 8 KiB, sampled at 4 KiB, in both forms that Go writes. The
// estimates are of one sample; Go cuts them off where the text is rounded.
func TestGoOnce(t *testing.T) {
	got := map[string]string{}
	for file, f := range map[string]decoder{"pprof/go-0.pb": pprof.Decode, "pprof-legacy/go-debug1.txt": pprof.DecodeLegacy} {
		format, name, _ := strings.Cut(file, "/")
		r := decode(t, f, fixture(t, format, name))
		if len(r.problems) > 0 || r.facts["period"] != "4096" {
			t.Errorf("%s: %v %v", file, r.problems, r.facts)
		}
		for _, row := range r.dump(t, table.Sites, "class live_bytes live_count") {
			if strings.HasPrefix(row, "main.keep") || strings.HasPrefix(row, "main.fill") {
				got[format] += row + "\n"
			}
		}
	}
	same(t, "protobuf", []string{got["pprof"]}, "main.fill | 123164 | 15\nmain.keep | 134250 | 131\n")
	same(t, "text", []string{got["pprof-legacy"]}, "main.keep | 134250 | 131\nmain.fill | 123165 | 15\n")
}

// TestRefused: what is no heap profile, and where a damaged one is damaged.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cpu":     {encoded(t, &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}), "x:1: held nothing: want a sample type that measures memory, such as inuse_space or space, have samples/count, cpu/nanoseconds"},
		"cut":     {fixture(t, "pprof", "bad-cut.pb"), "x:403: the profile is cut or damaged: want a field of 33 bytes, have 1 to the end"},
		"string":  {fixture(t, "pprof", "bad-string.pb"), "x:11: the profile is damaged: want a string below 19, have number 127"},
		"empty":   {nil, "x:1: the profile is cut or damaged: want the types of its samples, have none"},
		"tiny":    {[]byte("\x0a\x02\x08\x01\x12\x00\x32\x00"), "x:5: the profile is cut or damaged: want a record, have one of 0 bytes"},
		"hostile": {[]byte("\x0a\x02\x08\x01\x32\x00" + strings.Repeat("\x12\x02\x10\x01", 1<<19)), "x:1048583: the profile is cut or damaged: want records of 10 bytes and more, have 262145 in 1048586 bytes"},
		"missing": {[]byte("\x0a\x02\x08\x01\x12\x04\x08\x07\x10\x01\x32\x00\x32\x05space"), "x:7: the profile is damaged: want a location of the profile, have number 7"},
		"twice":   {[]byte("\x0a\x02\x08\x01\x22\x02\x08\x01\x22\x02\x08\x01\x32\x00\x32\x05space"), "x:9: the profile is damaged: want an id that no record of its kind has yet, have 1"},
		"number":  {[]byte("\x0a\x02\x08\x01\x12\x04\x10\x01\x10\x01\x32\x00\x32\x05space"), "x:5: the profile is damaged: want 1 values of a sample, have 2"},
	} {
		r := decode(t, pprof.Decode, c.data)
		if r.err == nil || !strings.Contains(r.err.Error(), c.want) || r.set.Len(table.Sites) > 0 {
			t.Errorf("%s: %v, want %s", name, r.err, c.want)
		}
	}
}

func encoded(t testing.TB, p *profile.Profile) []byte {
	var w bytes.Buffer
	if err := p.WriteUncompressed(&w); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// TestHuge: figures that do not fit are unknown, and no sum is made of them.
func TestHuge(t *testing.T) {
	r := decode(t, pprof.Decode, fixture(t, "pprof", "bad-huge.pb"))
	same(t, "first site", r.dump(t, table.Sites, siteColumns)[:1], "parse | - | 12 | 114688 | 48 | 25")
	if r.set.Len(table.Samples) != 0 || r.problems[0] != "x:25: want a size that fits in 63 bits, have a larger one: it is not known" {
		t.Errorf("%d samples, %q", r.set.Len(table.Samples), r.problems)
	}
}

// TestValueNames: types are found by name, wherever they stand.
func TestValueNames(t *testing.T) {
	for types, want := range map[string]string{
		"objects/count space/bytes":                                 "4 | 3 | - | -",
		"space/bytes objects/count alloc_space/bytes":               "3 | 4 | 5 | -",
		"alloc_objects/count alloc_space/bytes":                     "- | - | 4 | 3",
		"idle/x inuse_objects/count inuse_space/MB":                 "5242880 | 4 | - | -",
		"Unreleased_malloc_count/count Unreleased_malloc_size/byte": "4 | 3 | - | -",
	} {
		p := &profile.Profile{Sample: []*profile.Sample{{}}}
		for i, f := range strings.Fields(types) {
			name, unit, _ := strings.Cut(f, "/")
			p.SampleType = append(p.SampleType, &profile.ValueType{Type: strings.ReplaceAll(name, "_malloc_", " malloc "), Unit: unit})
			p.Sample[0].Value = append(p.Sample[0].Value, int64(3+i))
		}
		r := decode(t, pprof.Decode, encoded(t, p))
		got := r.dump(t, table.Sites, "live_bytes live_count total_bytes total_count")
		if len(got) != 1 || got[0] != want || (r.facts["cumulative"] == "true") != strings.HasPrefix(want, "- | -") {
			t.Errorf("%s: %q %v, want %s", types, got, r.facts, want)
		}
	}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "space", Unit: "pages"}}}
	if r := decode(t, pprof.Decode, encoded(t, p)); r.err == nil || len(r.problems) != 1 {
		t.Errorf("pages: %v %q", r.err, r.problems)
	}
}

// TestNothingLive: a profile without a sample has measured that nothing is live.
func TestNothingLive(t *testing.T) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}}}
	r := decode(t, pprof.Decode, encoded(t, p))
	same(t, "protobuf", r.dump(t, table.Samples, sampleColumns), "- | process | - | heap_alloc | 0 | 1")
	r = decode(t, pprof.DecodeLegacy, []byte("heap profile: 0: 0 [0: 0] @ heapprofile\n"))
	same(t, "text", r.dump(t, table.Samples, sampleColumns), "- | process | - | heap_alloc | 0 | 1")
}

// TestSniff: other binaries and texts are not claimed, a large profile is by its head.
func TestSniff(t *testing.T) {
	big := large(2000)
	if len(big) < 70000 || !pprof.Sniff(big[:64<<10]) || pprof.Sniff(big[:30]) {
		t.Errorf("a profile of %d bytes", len(big))
	}
	for _, other := range []string{"", "\n", "\n\n\n", "\x0a\x00", "\x0a\x02\x08\x01", "SQLite format 3\x00", "\x0a\x04text", "\x08\x01\x10\x02", "\x0a\x02\x08\x01\x32\x04text",
		"\n\x04\x08\x01\x10\x02hello", strings.Repeat("\x00", 5000), "PK\x03\x04\x0a\x00\x00\x00", "heap profile"} {
		for _, f := range formats {
			if f.sniff([]byte(other)) {
				t.Errorf("%s claims %q", f.name, other)
			}
		}
	}
}

// large is a profile of n stacks.
func large(n int) []byte {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		Mapping: []*profile.Mapping{{ID: 1, Start: 0x400000, Limit: 0x900000, File: "/opt/app/server"}}, TimeNanos: 1795951517_000000000, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 524288}
	for i := range uint64(n/4 + 50) {
		f := &profile.Function{ID: i + 1, Name: fmt.Sprintf("example.org/server/internal/part%d.(*Handler).step%d", i%40, i), Filename: fmt.Sprintf("example.org/server/internal/part%d/step.go", i%40)}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: i + 1, Mapping: p.Mapping[0], Address: 0x400000 + 64*i, Line: []profile.Line{{Function: f, Line: int64(i%900) + 1}}})
	}
	for i := range n {
		s := &profile.Sample{Value: []int64{int64(i + 9), int64(i+9) * 512, int64(i % 9), int64(i%9) * 512}, NumLabel: map[string][]int64{"bytes": {512}}}
		for depth := range 24 {
			s.Location = append(s.Location, p.Location[shared(i, depth)%len(p.Location)])
		}
		slices.Reverse(s.Location)
		p.Sample = append(p.Sample, s)
	}
	var w bytes.Buffer
	_ = p.WriteUncompressed(&w)
	return w.Bytes()
}

// shared gives the place of stack i at a depth from the root: as in a server, callers are shared, and stacks part one by
// one on the way to their leaves.
func shared(i, depth int) int { return i%(1<<(depth*2/3)) + 31*depth }
