package perf_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/perf"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func fixtures(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"../../fixtures/perf-script/*.txt", "../../fixtures/ftrace/*.txt"} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(filepath.Dir(p))+"/"+filepath.Base(p)] = string(text)
		}
	}
	if len(out) < 8 {
		t.Fatalf("%d fixtures", len(out))
	}
	return out
}

func (r result) all(t testing.TB) []string {
	t.Helper()
	rows := append(r.dump(t, table.Samples, sampleColumns), r.dump(t, table.Events, eventColumns)...)
	return append(rows, r.dump(t, table.Frames, frameColumns)...)
}

// TestKprobes: kernel functions with such names are none of the allocator.
func TestKprobes(t *testing.T) {
	for _, line := range []string{"a 1 [000] 1.000001: probe:free_pages: (ffffffff81263a70) arg1=0x5\n", "a-1 [000] ..... 1.000001: free_pages: (free_pages+0x0/0x90) arg1=0x5\n"} {
		if r := decode(t, perf.DecodeScript, line); r.err == nil {
			t.Errorf("%s: %d events", line, r.set.Len(table.Events))
		}
	}
}

func TestClaims(t *testing.T) {
	for name, text := range fixtures(t) {
		s, f := perf.SniffScript([]byte(text)), perf.SniffFtrace([]byte(text))
		if isScript := strings.HasPrefix(name, "perf-script/"); s != isScript || f == isScript {
			t.Errorf("%s: claimed as perf-script %v, as ftrace %v", name, s, f)
		}
	}
	for _, text := range []string{"", "\n", "1234 12.5: GC\n", "kernel: [   12.345678] usb 1-1: new device\n", "app 12.5: malloc of 3\n",
		"01-31 10:15:00.123  1234  1250 I Tag: text\n", "  -0.5 [001] 1.2: x\n"} {
		if perf.SniffScript([]byte(text)) || perf.SniffFtrace([]byte(text)) {
			t.Errorf("%q is claimed", text)
		}
	}
}

func TestLineEnds(t *testing.T) {
	for name, text := range fixtures(t) {
		same(t, name, decode(t, perf.DecodeScript, strings.ReplaceAll(text, "\n", "\r\n")).all(t), decode(t, perf.DecodeScript, text).all(t)...)
	}
}

// TestCut: a trace that ends anywhere gives no sample and no event that the whole one does not; only the stack of the last
// event may be shorter.
func TestCut(t *testing.T) {
	columns := map[table.ID]string{table.Samples: "pid metric value line", table.Events: "seq pid tid op object line"}
	for name, text := range fixtures(t) {
		if strings.Contains(name, "bad-") {
			continue
		}
		for id, c := range columns {
			whole := map[string]bool{}
			for _, row := range decode(t, perf.DecodeScript, text).dump(t, id, c) {
				whole[row] = true
			}
			last := strings.LastIndexByte(strings.TrimSpace(text), '\n')
			for cut := 0; cut < last; cut += 7 {
				end := strings.LastIndexByte(text[:cut], '\n') + 1 // a number that is cut is another number
				for _, row := range decode(t, perf.DecodeScript, text[:end]).dump(t, id, c) {
					if !whole[row] && !strings.HasPrefix(row, "- ") {
						t.Fatalf("%s cut at %d has the row %s", name, end, row)
					}
				}
			}
		}
	}
}

// TestRefused: what is refused is claimed by one kind each, and its error says what to take.
func TestRefused(t *testing.T) {
	texts := map[string]string{
		"perf-data": "PERFILE2\x68\x00\x00\x00", "jitdump": "DTiJ\x01\x00\x00\x00\x28\x00\x00\x00", "memray-bin": "memray\x00\x0d\x00",
		"perf-kmem-stat":  "\n---\n Callsite                           | Total_alloc/Per |\n---\n",
		"perf-probe-list": "  probe_libc:free      (on free@malloc/malloc.c in /lib/libc.so.6 with ptr)\n",
		"buildid-list":    "a868d8c2b7d0af8e96fe0a28fa8bb53893bb64f8 /opt/app\n93ac61ec5a8eb1396f9fbd350e3169a558528a40 /lib/libc.so.6\n",
		"perf-map":        "18c4000 300 Builtin:A\n18c4340 304 LazyCompile:~b c.js:1\n18c4680 aa0 Stub:C\n",
		"heaptrack-print": "reading file \"heaptrack.app.1.zst\"\nMOST CALLS TO ALLOCATION FUNCTIONS\n1000 calls\n",
		"ms-print":        "-----\nCommand:            app\nMassif arguments:   (none)\nms_print arguments: massif.out.1\n----\n",
		"pprof-text":      "Total: 1630208 B\n 1024000  62.8%  62.8%  1024000  62.8% leak\n",
	}
	if len(texts) != len(perf.Refused()) {
		t.Errorf("%d texts for %d kinds", len(texts), len(perf.Refused()))
	}
	for name, text := range texts {
		for _, k := range perf.Refused() {
			if k.Sniff([]byte(text)) != (k.Name == name) {
				t.Errorf("%s: claimed by %s: %v", name, k.Name, k.Name != name)
			}
			if k.Name == name {
				in, _ := source.NewInput("x", strings.NewReader(text))
				if err := k.Decode(in, nil); err == nil || !strings.Contains(err.Error(), "; take ") || !strings.HasPrefix(err.Error(), "x:1:1: a") && !strings.HasPrefix(err.Error(), "x:1:1: the") {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for _, text := range []string{"1234 567 89 1 0 99 0\n", "4242 20480 shop\n4243 20481 shop\n4244 1 x\n", "64\t1\n100\t1000\n", "00400000-0040b000 r-xp 00000000 08:01 12 /bin/a\n"} {
		for _, k := range perf.Refused() {
			if k.Sniff([]byte(text)) {
				t.Errorf("%q is claimed by %s", text, k.Name)
			}
		}
	}
}

// TestDepth: entries whose returns are lost, and stacks of any depth, cost what their text does.
func TestDepth(t *testing.T) {
	entry := "a 1/1 [000] 1.000001: p:malloc: (1) size=1\n"
	ret := "a 1/1 [000] 1.000002: p:malloc__return: (1 <- 2) ret=0x10\n"
	again := strings.Replace(ret, "0x10", "0x20", 1)
	frames := strings.Repeat("\t1 f+0x1 (/a)\n", 20000)
	r := decode(t, perf.DecodeScript, strings.Repeat(entry, 20000)+ret+frames+"\n"+again+frames)
	if r.set.Len(table.Events) != 2 || r.set.Len(table.Frames) != 20000 {
		t.Errorf("%d events, %d frames", r.set.Len(table.Events), r.set.Len(table.Frames))
	}
}

func fuzz(f *testing.F, d decoder) {
	for _, text := range fixtures(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { hold(t, d, text) })
}

// hold checks what is true of every text.
func hold(t *testing.T, d decoder, text string) {
	t.Helper()
	perf.SniffScript([]byte(text))
	perf.SniffFtrace([]byte(text))
	for _, k := range perf.Refused() {
		k.Sniff([]byte(text))
	}
	r := decode(t, d, text)
	lines := 1 + strings.Count(text, "\n")
	samples, events, frames := r.set.Len(table.Samples), r.set.Len(table.Events), r.set.Len(table.Frames)
	if (r.err == nil) != (samples+events > 0) || samples > lines || events > 2*lines || frames > 2*lines {
		t.Fatalf("%d samples, %d events, %d frames from %d lines, %v", samples, events, frames, lines, r.err)
	}
	for _, p := range r.set.Problems() {
		if p.Line < 0 || p.Line > lines {
			t.Fatalf("%v, the text has %d lines", p, lines)
		}
	}
	same(t, "again", decode(t, d, text).all(t), r.all(t)...)
}

// TestMutations damages the fixtures as bad cables and disks do: bytes changed, pieces lost, doubled, or of another file.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	all := fixtures(t)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		texts = append(texts, all[name])
	}
	for range 400 {
		text := texts[r.IntN(len(texts))]
		for range 1 + r.IntN(4) {
			text = damage(r, text, texts[r.IntN(len(texts))])
		}
		hold(t, perf.DecodeScript, text)
	}
}

func damage(r *rand.Rand, text, other string) string {
	i := r.IntN(len(text) + 1)
	j := min(len(text), i+r.IntN(120))
	switch r.IntN(5) {
	case 0:
		return text[:i] + string("0 :[](/-=\t\r\xffx+,@"[r.IntN(16)]) + text[j:]
	case 1:
		return text[:i] + text[j:]
	case 2:
		return text[:j] + text[i:]
	case 3:
		return text[:i] + other[r.IntN(len(other)):]
	}
	return text[:i] + "99999999999999999999"[:1+r.IntN(19)] + text[i:]
}

func FuzzDecodeScript(f *testing.F) { fuzz(f, perf.DecodeScript) }
func FuzzDecodeFtrace(f *testing.F) { fuzz(f, perf.DecodeFtrace) }

// TestTornLine: an event whose process, CPU or thread group cannot be read is told and left out; the return of another call
// is not taken for its own.
func TestTornLine(t *testing.T) {
	for _, c := range []struct{ path, old, bad string }{
		{"perf-script/heap.txt", "880/900 [000]  200.000032", "880/900 [00O]  200.000032"},
		{"perf-script/heap.txt", "880/900 [000]  200.000032", "880/9x0 [000]  200.000032"},
		{"ftrace/trace-cmd.txt", "(26700) [001]  1394.754100", "(267x0) [001]  1394.754100"},
		{"ftrace/trace-cmd.txt", "leakmix-26701 (26700) [001]  1394.754100", "leakmix-26x01 (26700) [001]  1394.754100"},
	} {
		text := fixture(t, c.path)
		whole, bad := decode(t, perf.DecodeScript, text), decode(t, perf.DecodeScript, strings.Replace(text, c.old, c.bad, 1))
		if got := bad.problems(); !strings.Contains(strings.Join(got, "\n"), "want the process and the CPU of the event") {
			t.Errorf("%s: %q", c.bad, got)
		}
		for _, row := range bad.dump(t, table.Events, "pid size") {
			if !slices.Contains(whole.dump(t, table.Events, "pid size"), row) {
				t.Errorf("%s: a row %q", c.bad, row)
			}
		}
	}
}
