package android

import (
	"bytes"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var forms = []struct {
	format string
	decode decodeFunc
	sniff  func([]byte) bool
}{
	{"procrank", DecodeProcrank, SniffProcrank},
	{"dumpsys-gfxinfo", DecodeGfxinfo, SniffGfxinfo},
	{"dumpsys-gpu", DecodeGPU, SniffGPU},
	{"zram-mm-stat", DecodeZRAM, SniffZRAM},
	{"dumpsys-procstats", DecodeProcstats, SniffProcstats},
}

func fixtureNames(t testing.TB, format string) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(moduleRoot(t), "fixtures", format, "*.txt"))
	if len(files) < 2 {
		t.Fatalf("no fixtures of %s", format)
	}
	var out []string
	for _, f := range files {
		out = append(out, format+"/"+filepath.Base(f))
	}
	return out
}

func isBad(name string) bool { return strings.Contains(name, "/bad-") }

func TestFixturesAreClaimedByOneForm(t *testing.T) {
	for _, owner := range forms {
		for _, name := range fixtureNames(t, owner.format) {
			for _, f := range forms {
				if got := f.sniff([]byte(fixture(t, name))); got != (f.format == owner.format) {
					t.Errorf("%s: claimed by %s: %v", name, f.format, got)
				}
			}
		}
	}
}

func TestGoodFixturesAreClean(t *testing.T) {
	for _, f := range forms[:4] {
		for _, name := range fixtureNames(t, f.format) {
			r := read(t, f.decode, name, fixture(t, name))
			none := name == "dumpsys-gpu/bad-lines.txt" // cut in its only dump
			if (r.messages() != "") != isBad(name) || (r.err != nil) != none || (len(r.rows) == 0) != none {
				t.Errorf("%s: %d rows, %v\n%s", name, len(r.rows), r.err, r.messages())
			}
		}
	}
}

// keys renders the rows without their times and lines.
func keys(r result) []string {
	var out []string
	for _, row := range r.rows {
		out = append(out, row["pid"]+"|"+row["process"]+"|"+row["scope"]+"|"+row["name"]+"|"+row["metric"]+"|"+row["value"])
	}
	sort.Strings(out)
	return out
}

func TestLineEndsDoNotMatter(t *testing.T) {
	for _, f := range forms[:4] {
		for _, name := range fixtureNames(t, f.format) {
			lf := strings.ReplaceAll(fixture(t, name), "\r\n", "\n")
			a, b := read(t, f.decode, name, lf), read(t, f.decode, name, strings.ReplaceAll(lf, "\n", "\r\n"))
			if strings.Join(keys(a), "\n") != strings.Join(keys(b), "\n") {
				t.Errorf("%s: other rows with CR LF", name)
			}
		}
	}
}

// TestTruncationYieldsNoWrongRow cuts the fixtures at every byte. Only the sum over several GPUs may differ.
func TestTruncationYieldsNoWrongRow(t *testing.T) {
	for _, f := range forms[:4] {
		for _, name := range fixtureNames(t, f.format) {
			if isBad(name) || name == "dumpsys-gpu/two-gpus.txt" {
				continue
			}
			text := fixture(t, name)
			whole := map[string]bool{}
			for _, k := range keys(read(t, f.decode, name, text)) {
				whole[k] = true
			}
			for n := range text {
				r := read(t, f.decode, name, text[:n])
				for _, k := range keys(r) {
					if !whole[k] {
						t.Fatalf("%s cut at %d, behind %q: wrong row %s", name, n, text[max(0, n-40):n], k)
					}
				}
				if len(r.rows) == 0 && r.err == nil {
					t.Fatalf("%s cut at %d: no row and no error", name, n)
				}
			}
		}
	}
}

func check(t *testing.T, r result, want map[string]string) {
	t.Helper()
	for where, v := range want {
		if got := r.value(where); got != v {
			t.Errorf("%s is %q, want %q", where, got, v)
		}
	}
}

func TestProcrank(t *testing.T) {
	check(t, read(t, DecodeProcrank, "x", fixture(t, "procrank/bugreport.txt")), map[string]string{
		"pid=929;process=system_server;scope=process;metric=vss": "7992422400",
		"pid=929;metric=rss":                            "275496960",
		"pid=929;metric=pss":                            "139701248",
		"pid=929;metric=uss":                            "95039488",
		"pid=929;metric=swap":                           "1622016",
		"pid=649;metric=swap_pss":                       "350208",
		"pid=649;metric=swap_uss":                       "217088",
		"pid=649;metric=zswap":                          "76800",
		"process=TOTAL":                                 "",
		"process=/vendor/bin/demo daemon -x;metric=uss": "49152",
		"scope=system;metric=mem_total":                 "3936227328",
		"scope=system;metric=slab":                      "223145984",
		"scope=system;metric=zram_physical":             "6991872",
		"scope=system;metric=swap_total":                "536866816",
	})
	r := read(t, DecodeProcrank, "x", fixture(t, "procrank/loop-crlf.txt"))
	if got := strings.Join(r.values("pid=929;metric=pss", "time_ns"), " "); got != "0 30000000000" || r.clock != "wall" {
		t.Errorf("times %s by %s", got, r.clock)
	}
}

func TestProcrankColumns(t *testing.T) {
	check(t, read(t, DecodeProcrank, "x", "  PID   oom       Vss      Rss      Pss      Uss  Shiny  cmdline\n    1  -900  44K  30K  20K  10K  5K  /init\n"), map[string]string{
		"pid=1;process=/init;metric=uss": "10240", "pid=1;metric=oom": ""})
	r := read(t, DecodeProcrank, "x", "  PID       Vss      Rss      Pss      Uss  Shiny  cmdline\n    1  44K  30K  20K  10K  5K  /init\n")
	if got := r.messages(); got != `x:1: unknown column "Shiny"` {
		t.Errorf("have %s", got)
	}
}

func TestProcrankProblems(t *testing.T) {
	r := read(t, DecodeProcrank, "x", fixture(t, "procrank/bad-rows.txt"))
	want := "x:2:1: Pss is larger than Rss, which cannot be; the row is kept as printed\n" +
		"x:3:1: Rss is larger than Vss, which cannot be; the row is kept as printed\n" +
		"x:4:20: want Rss in K, have \"4x0K\": the row is dropped\n" +
		"x:5:1: want the end of the line, have the end of the file: a row whose name may be cut is dropped"
	if got := r.messages(); got != want {
		t.Errorf("have\n%s", got)
	}
	if got := len(r.where("metric=pss")); got != 2 {
		t.Errorf("%d processes, want 2", got)
	}
}

func TestProcrankThatIsCutIsDropped(t *testing.T) {
	text := fixture(t, "procrank/loop-crlf.txt")
	r := read(t, DecodeProcrank, "x", text[:strings.LastIndex(text, "649")])
	if got := len(r.where("metric=pss")); got != 3 || !strings.Contains(r.messages(), "the last sample is dropped") || r.noData != 1 {
		t.Errorf("%d processes, want the 3 of the first sample\n%s", got, r.messages())
	}
}

func TestGfxinfo(t *testing.T) {
	check(t, read(t, DecodeGfxinfo, "x", fixture(t, "dumpsys-gfxinfo/two-processes.txt")), map[string]string{
		"pid=20602;process=org.memtide.demo;scope=process;metric=gpu_used":      "4450992",
		"pid=20602;scope=pool;name=HWUI CPU caches;metric=live_bytes":           "134369",
		"pid=20602;scope=pool;name=GraphicBufferAllocator;metric=gpu_allocated": "55296512",
		"pid=1878;scope=process;metric=gpu_used":                                "2758957",
		"pid=1878;scope=pool":                                                   "",
	})
	r := read(t, DecodeGfxinfo, "x", fixture(t, "dumpsys-gfxinfo/loop-crlf.txt"))
	if got := strings.Join(r.values("pid=77", "time_ns"), " "); got != "0 10000000000" || r.clock != "boot" {
		t.Errorf("times %s by %s", got, r.clock)
	}
}

func TestGfxinfoProblems(t *testing.T) {
	r := read(t, DecodeGfxinfo, "x", fixture(t, "dumpsys-gfxinfo/bad-sizes.txt"))
	for _, want := range []string{`want a size with its unit, have "54000.00 pages"`, `want a size in bytes behind "Total GPU memory usage:", have "five bytes`, `want a pid, have "? [x] **"`} {
		if !strings.Contains(r.messages(), want) {
			t.Errorf("want %q in\n%s", want, r.messages())
		}
	}
	for text, want := range map[string]string{
		"No process found for: org.x\n":                   `x:1: held nothing: "No process found for: org.x"`,
		string(gfxHeader) + "\n":                          "held nothing: want \"Total GPU memory usage:\" of a process",
		string(gfxHeader) + "\nTotal GPU memory usage:\n": "want a size in bytes behind",
	} {
		if r := read(t, DecodeGfxinfo, "x", text); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

func TestGPU(t *testing.T) {
	check(t, read(t, DecodeGPU, "x", fixture(t, "dumpsys-gpu/two-gpus.txt")), map[string]string{
		"scope=device;name=GPU 0;metric=gpu_used": "104857600",
		"scope=device;name=GPU 1;metric=gpu_used": "2097152",
		"scope=process;pid=889;metric=gpu_used":   "53477376",
		"scope=process;pid=644;metric=gpu_used":   "40000000",
	})
	r := read(t, DecodeGPU, "x", fixture(t, "dumpsys-gpu/loop.txt"))
	if got := strings.Join(r.values("pid=889", "value"), " "); got != "52428800 53428800" {
		t.Errorf("pid 889: %s", got)
	}
	bad := read(t, DecodeGPU, "x", fixture(t, "dumpsys-gpu/bad-lines.txt"))
	for _, want := range []string{`x:2:15: want a size in bytes, have "lots"`, `x:4:6: want "N total: BYTES", have "? total: 12"`, `x:5:17: want a size in bytes, have "99999999999999999999"`, "x:6:17: want the end of the line"} {
		if !strings.Contains(bad.messages(), want) {
			t.Errorf("want %q in\n%s", want, bad.messages())
		}
	}
	if len(bad.rows) != 0 || !strings.Contains(bad.messages(), "x:6: want the rest of the GPUs, have the end of the file: the sums of 1 processes are dropped") {
		t.Errorf("%d rows of a dump that is cut, %s", len(bad.rows), bad.messages())
	}
	const first, second = "Memory snapshot for GPU 0:\nGlobal total: 9\nProc 1 total: 5\n", "Memory snapshot for GPU 1:\nGlobal total: 3\nProc 1 total: 2\n"
	cut := read(t, DecodeGPU, "x", first+second+first)
	if got := strings.Join(cut.values("pid=1", "value"), " "); got != "7" || !strings.Contains(cut.messages(), "x:9: want the rest of the GPUs") {
		t.Errorf("cut between two GPUs: %s, %s", got, cut.messages())
	}
	if r := read(t, DecodeGPU, "x", "Memory snapshot for GPU 0:\n"); r.err == nil {
		t.Error("want an error: nothing in it")
	}
}

func TestZRAM(t *testing.T) {
	check(t, read(t, DecodeZRAM, "x", fixture(t, "zram-mm-stat/single.txt")), map[string]string{
		"scope=system;name=;pid=;metric=zram_orig": "104857600", "metric=zram_compr": "20971520", "metric=zram_physical": "23068672"})
	r := read(t, DecodeZRAM, "x", fixture(t, "zram-mm-stat/loop.txt"))
	if got := strings.Join(r.values("metric=zram_orig", "time_ns"), " "); got != "0 10000000000 20000000000" {
		t.Errorf("times %s", got)
	}
	bad := read(t, DecodeZRAM, "x", fixture(t, "zram-mm-stat/bad-lines.txt"))
	if got := len(bad.problems); got != 2 || len(bad.rows) != 3 {
		t.Errorf("%d rows\n%s", len(bad.rows), bad.messages())
	}
	for _, no := range []string{"", "1 2 3 4 5 6 7\n", "4096 1 4096 0 4096 0 0\n", "4097 1 4096 0 4096 0 0 0\n", "4096 5000 4096 0 4096 0 0 0\n", "4096 1 8192 0 4096 0 0 0\n", "4096 1 4096 0 4096 0 0 0 0 0\n",
		"a\nb\nc\n4096 1 4096 0 4096 0 0 0\n", "1795951515\n"} {
		if SniffZRAM([]byte(no)) {
			t.Errorf("%q: claimed", no)
		}
	}
}

func TestProcstatsIsRefused(t *testing.T) {
	for name, want := range map[string]string{"dumpsys-procstats/text.txt": "x:1:1: ", "dumpsys-procstats/checkin.txt": "x:1:1: "} {
		r := read(t, DecodeProcstats, "x", fixture(t, name))
		if r.err == nil || !strings.HasPrefix(r.err.Error(), want+"dumpsys procstats gives minimum, mean and maximum") {
			t.Errorf("%s: %v", name, r.err)
		}
	}
}

func TestFraction(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int64
	}{{"54000.00 KB", 55296000}, {"12 KB", 12288}, {" 0.5 KiB", 512}, {"1.5MB", 1572864}, {"0.0005 KB", 1}, {"0.00 KB", 0}} {
		if v, ok := fraction([]byte(c.s)); !ok || v != c.want {
			t.Errorf("%q: %d, %v", c.s, v, ok)
		}
	}
	for _, bad := range []string{"", "KB", "1", "1.KB", "1.x KB", "1 GB", "1.0000001 KB", "-1 KB", "9223372036854775807 KB", "1.5 K"} {
		if v, ok := fraction([]byte(bad)); ok {
			t.Errorf("%q: taken as %d", bad, v)
		}
	}
}

func TestFailuresAreSamplesWithoutData(t *testing.T) {
	one := "Memory snapshot for GPU 0:\nGlobal total: 10\n"
	r := read(t, DecodeGPU, "x", "1795951515\n"+one+"1795951516\nerror: device offline\n1795951517\n"+one)
	if r.noData != 1 || len(r.rows) != 2 {
		t.Errorf("%d without data, %d rows", r.noData, len(r.rows))
	}
}

func fuzz(f *testing.F, form int) {
	for _, name := range fixtureNames(f, forms[form].format) {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := read(t, forms[form].decode, "fuzz", text)
		if r.err == nil && len(r.rows) == 0 {
			t.Error("no row and no error")
		}
		forms[form].sniff([]byte(text))
	})
}

func FuzzDecodeProcrank(f *testing.F)  { fuzz(f, 0) }
func FuzzDecodeGfxinfo(f *testing.F)   { fuzz(f, 1) }
func FuzzDecodeGPU(f *testing.F)       { fuzz(f, 2) }
func FuzzDecodeZRAM(f *testing.F)      { fuzz(f, 3) }
func FuzzDecodeProcstats(f *testing.F) { fuzz(f, 4) }

func TestCorpus(t *testing.T) {
	r := read(t, DecodeProcrank, "x", corpus(t, "sailfish-android10-procrank.txt"))
	check(t, r, map[string]string{"pid=929;metric=uss": "95039488", "pid=929;metric=vss": "7992422400", "scope=system;metric=mem_total": "3948359680"})
	if got := len(r.where("scope=process;metric=pss")); got != 130 || r.messages() != "" {
		t.Errorf("%d processes, want 130\n%s", got, r.messages())
	}
	r = read(t, DecodeProcrank, "x", corpus(t, "nexusone-android2.3-procrank-garbage-crlf.txt"))
	check(t, r, map[string]string{"pid=121;metric=pss": "2248146944"})
	if !strings.Contains(r.messages(), "Pss is larger than Rss") {
		t.Errorf("want a warning, have %s", r.messages())
	}
	check(t, read(t, DecodeProcrank, "x", corpus(t, "incident-procrank-swap-zram.txt")), map[string]string{"pid=1119;metric=pss": "184604672", "pid=1119;metric=swap": "1622016", "scope=system;metric=swap_used": "31821824"})
	check(t, read(t, DecodeGfxinfo, "x", corpus(t, "memorylab-honor-gfxinfo.txt")), map[string]string{"pid=20602;metric=gpu_used": "4450992", "name=GraphicBufferAllocator": "55296000", "name=HWUI CPU caches": "134369"})
	check(t, read(t, DecodeGfxinfo, "x", corpus(t, "sailfish-android10-gfxinfo-truncated.txt")), map[string]string{"pid=1878;metric=gpu_used": "2758957"})
	check(t, read(t, DecodeZRAM, "x", corpus(t, "libmeminfo-zram-mm_stat.txt")), map[string]string{"metric=zram_physical": "31236096"})
	for _, name := range []string{"sailfish-android10-procstats-truncated.txt", "sailfish-android10-procstats-checkin-truncated.txt"} {
		if text := corpus(t, name); !SniffProcstats([]byte(text)) || read(t, DecodeProcstats, "x", text).err == nil {
			t.Errorf("%s: want it refused", name)
		}
	}
}

// TestCorpusSniff: of the real captures each form claims its own and no other.
func TestCorpusSniff(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(moduleRoot(t), "..", "shared", "corpus", "*", "*.*"))
	if len(files) == 0 {
		t.Skip("no corpus of real captures")
	}
	owner := map[string]string{"sailfish-android10-procrank.txt": "procrank", "incident-procrank-swap-zram.txt": "procrank", "nexusone-android2.3-procrank-garbage-crlf.txt": "procrank",
		"memorylab-honor-gfxinfo.txt": "dumpsys-gfxinfo", "sailfish-android10-gfxinfo-truncated.txt": "dumpsys-gfxinfo", "libmeminfo-zram-mm_stat.txt": "zram-mm-stat",
		"sailfish-android10-procstats-truncated.txt": "dumpsys-procstats", "sailfish-android10-procstats-checkin-truncated.txt": "dumpsys-procstats"}
	for _, file := range files {
		name := filepath.Base(file)
		in, err := source.NewInput(name, strings.NewReader(readFile(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range forms {
			if got := f.sniff(in.Head); got != (owner[name] == f.format) && !strings.HasSuffix(name, ".md") {
				t.Errorf("%s: claimed by %s: %v", name, f.format, got)
			}
		}
	}
}

func benchmark(b *testing.B, decode decodeFunc, text string) {
	data := bytes.Repeat([]byte(text), max(1, 8<<20/len(text)))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		in, _ := source.NewInput("bench", bytes.NewReader(data))
		t := table.NewBuilder("bench", "bench")
		if err := decode(in, t); err != nil {
			b.Fatal(err)
		}
		t.Done()
	}
}

func BenchmarkDecodeProcrank(b *testing.B) {
	benchmark(b, DecodeProcrank, fixture(b, "procrank/bugreport.txt"))
}
func BenchmarkDecodeGfxinfo(b *testing.B) {
	benchmark(b, DecodeGfxinfo, fixture(b, "dumpsys-gfxinfo/two-processes.txt"))
}
func BenchmarkLines(b *testing.B) {
	benchmark(b, func(in *source.Input, _ *table.Builder) error {
		l := source.NewLines(in)
		for l.Scan() {
		}
		return l.Err()
	}, fixture(b, "procrank/bugreport.txt"))
}
