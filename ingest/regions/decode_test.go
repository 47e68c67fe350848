package regions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
)

// pick gives the samples that hold a word.
func pick(rows []string, word string) (out []string) {
	for _, r := range rows {
		if strings.Contains(r, word) {
			out = append(out, r)
		}
	}
	return out
}

func TestShowmap(t *testing.T) {
	r := read(t, DecodeShowmap, fixtureNamed(t, "showmap/android10.txt"))
	check(t, "mappings", r.mappings, `
		0|1234|com.example.app||||/apex/com.android.conscrypt/javalib/conscrypt.jar|.jar mmap|size=428 rss=336 pss=44 dirty=0 shared_clean=336 shared_dirty=0 private_clean=0 private_dirty=0 swap=0 swap_pss=0|5
		0|1234|com.example.app||||/system/lib64/libcrypto.so|.so mmap|size=1244 rss=512 pss=239 dirty=72 shared_clean=344 shared_dirty=72 private_clean=96 private_dirty=0 swap=0 swap_pss=0|6
		0|1234|com.example.app||||[anon:libc_malloc]|Native Heap|size=2048 rss=1800 pss=1800 dirty=1800 shared_clean=0 shared_dirty=0 private_clean=0 private_dirty=1800 swap=64 swap_pss=32|7
		0|1234|com.example.app||||[anon:dalvik-main space (region space)]|Dalvik Heap|size=524288 rss=9000 pss=9000 dirty=9000 shared_clean=0 shared_dirty=0 private_clean=0 private_dirty=9000 swap=0 swap_pss=0|8
		0|1234|com.example.app||||/data/app/My App/lib x.so|.so mmap|size=16 rss=8 pss=8 dirty=8 shared_clean=0 shared_dirty=0 private_clean=0 private_dirty=8 swap=0 swap_pss=0|9
		0|1234|com.example.app||||[anon]|Unknown|size=4096 rss=100 pss=90 dirty=84 shared_clean=10 shared_dirty=4 private_clean=6 private_dirty=80 swap=0 swap_pss=0|10
		0|1234|com.example.app||||[stack]|Stack|size=8188 rss=36 pss=36 dirty=36 shared_clean=0 shared_dirty=0 private_clean=0 private_dirty=36 swap=0 swap_pss=0|11`)
	// the rows add up to 11217 kB of Pss, and TOTAL says 11218: it goes before
	check(t, "totals", pick(r.samples, "|process|"), `
		0|1234|com.example.app|process||vss|553275392|16
		0|1234|com.example.app|process||rss|12075008|16
		0|1234|com.example.app|process||pss|11487232|16
		0|1234|com.example.app|process||shared_clean|706560|16
		0|1234|com.example.app|process||shared_dirty|77824|16
		0|1234|com.example.app|process||private_clean|104448|16
		0|1234|com.example.app|process||private_dirty|11186176|16
		0|1234|com.example.app|process||swap|65536|16
		0|1234|com.example.app|process||swap_pss|32768|16
		0|1234|com.example.app|process||uss|11290624|16
		0|1234|com.example.app|process||dirty|11264000|16`)
	check(t, "a category", pick(r.samples, "|subcategory|.Heap|rss"), "0|1234|com.example.app|subcategory|.Heap|rss|9216000|8")
	check(t, "problems", r.problems, "")
}

func TestShowmapAddresses(t *testing.T) {
	r := read(t, DecodeShowmap, fixtureNamed(t, "showmap/addresses.txt"))
	check(t, "mappings", r.mappings, `
		0|||7000000000|7000010000||/system/lib64/liba.so|.so mmap|size=64 rss=48 pss=12 dirty=0 shared_clean=40 shared_dirty=0 private_clean=8 private_dirty=0 swap=0 swap_pss=0|5
		0|||7000010000|7000011000|||.so mmap|size=4 rss=4 pss=4 dirty=4 shared_clean=0 shared_dirty=0 private_clean=0 private_dirty=4 swap=0 swap_pss=0|6
		0|||7000020000|7000021000|||Unknown|size=4 rss=4 pss=4 dirty=4 shared_clean=0 shared_dirty=0 private_clean=0 private_dirty=4 swap=0 swap_pss=0|7`)
	check(t, "totals", pick(r.samples, "|process||rss"), "0|||process||rss|57344|12")
	check(t, "problems", r.problems, "")
}

// TestShowmapDamaged has a bad cell, a table that another begins in, an old layout and a total that is not the sum.
func TestShowmapDamaged(t *testing.T) {
	const head = " virtual                     shared   shared  private  private\n    size      RSS      PSS    clean    dirty    clean    dirty    # object\n"
	const rule = "-------- -------- -------- -------- -------- -------- -------- ---- ------------------------------\n"
	row := func(rss, name string) string {
		return fmt.Sprintf("%8d %8s %8d %8d %8d %8d %8d %4d %s\n", 100, rss, 9, 1, 1, 1, 1, 1, name)
	}
	r := read(t, DecodeShowmap, "### 1700000000 pid=7\n"+head+rule+row("x", "/a")+row("10", "/b")+rule+head+rule+row("5000", "TOTAL")+
		"### 1700000001 pid=7\n"+head+rule+row("10", "/a")+
		"### 1700000002 pid=7\n"+head+rule+row("10", "/c [bss]")+rule+head+rule+row("10", "TOTAL"))
	check(t, "mappings", r.mappings, `
		0|7|||||/b|Other mmap|size=100 rss=10 pss=9 dirty=2 shared_clean=1 shared_dirty=1 private_clean=1 private_dirty=1|6
		2000000000|7|||||/c [bss]|Other mmap|size=100 rss=10 pss=9 dirty=2 shared_clean=1 shared_dirty=1 private_clean=1 private_dirty=1|21`)
	check(t, "problems", r.problems, `
		x:1: the capture prints a total rss of 5120000 bytes, but its 1 rows add up to 10240
		x:5:17: want a number of kB, have "     100        x        9        1        1        1        1    1 /a"
		x:15: table dropped: another sample begins before its TOTAL (1 rows)`)
}

func TestLibrank(t *testing.T) {
	r := read(t, DecodeLibrank, fixtureNamed(t, "librank/small.txt"))
	check(t, "mappings", r.mappings, `
		0|1234|com.example.app||||[anon:libc_malloc]|Native Heap|size=4096 rss=2000 pss=1900 swap=64|4
		0|929|system_server||||[anon:libc_malloc]|Native Heap|size=2048 rss=1200 pss=1100 swap=0|5
		0|1234|com.example.app||||/system/lib64/libc.so|.so mmap|size=972 rss=300 pss=200 swap=0|7
		0|77|/system/bin/app process||||/system/lib64/libc.so|.so mmap|size=972 rss=290 pss=150 swap=0|8
		0|929|system_server|||||Unknown|size=100 rss=100 pss=100 swap=0|10`)
	check(t, "totals", pick(r.samples, "|process||pss"), `
		0|1234|com.example.app|process||pss|2150400|4
		0|929|system_server|process||pss|1228800|5
		0|77|/system/bin/app process|process||pss|153600|8`)
	check(t, "problems", r.problems, "")
	r = read(t, DecodeLibrank, fixtureNamed(t, "librank/bad-cell.txt"))
	check(t, "a bad cell", r.problems, `x:4:18: want a library, or 4 sizes and a command [pid], have "            4096K    many    1900K    1800K    com.example.b [1235]"`)
	if len(r.mappings) != 1 {
		t.Errorf("a bad cell: want the row before it, have %v", r.mappings)
	}
}

// TestLibrankEnd: a table that may be cut between two rows is told.
func TestLibrankEnd(t *testing.T) {
	const cut = "want the line that ends librank, have the end of the file: the capture may be cut"
	text := fixtureNamed(t, "librank/small.txt")
	footer := strings.Index(text, "[librank:")
	_, table, _ := strings.Cut(text[:footer], "\n")
	for name, c := range map[string]struct{ text, want string }{
		"no footer": {text[:footer], "x:10: " + cut}, "no line end": {strings.TrimSuffix(table, "\n"), "x:9: " + cut}, "no banner": {table, ""},
	} {
		if r := read(t, DecodeLibrank, c.text); len(r.mappings) != 5 {
			t.Errorf("%s: %d mappings", name, len(r.mappings))
		} else {
			check(t, name, r.problems, c.want)
		}
	}
}

// TestLargeSums: a sum beyond 63 bits is no row but a problem.
func TestLargeSums(t *testing.T) {
	text := strings.Replace(fixtureNamed(t, "showmap/android10.txt"), "336        0        0        0        0", "336        9007199254740991        0        9007199254740991        0", 1)
	r := read(t, DecodeShowmap, text)
	for _, row := range append(r.samples, r.mappings...) {
		if strings.Contains(row, "-9") {
			t.Errorf("a sum that went round: %s", row)
		}
	}
	if p := strings.Join(r.problems, "\n"); !strings.Contains(p, "want a sum of dirty below 2^63 bytes") {
		t.Errorf("problems %s", p)
	}
}

func TestPmapExtended(t *testing.T) {
	r := read(t, DecodePmap, fixtureNamed(t, "pmap/x.txt"))
	if len(r.mappings) != 37 {
		t.Fatalf("want 37 mappings, have %d", len(r.mappings))
	}
	check(t, "mappings", []string{r.mappings[0], r.mappings[5], r.mappings[24], r.mappings[35]}, `
		0|29866|sleep 20|55804194f000|558041951000|r--p|sleep|file|size=8 rss=8 dirty=0|3
		0|29866|sleep 20|55804a66b000|55804a68c000|rw-p||anon|size=132 rss=16 dirty=16|8
		0|29866|sleep 20|7f3b0d69f000|7f3b0d6a6000|r--s|gconv-modules.cache|file|size=28 rss=28 dirty=0|27
		0|29866|sleep 20|7ffe347af000|7ffe347d0000|rw-p|[stack]|stack|size=132 rss=16 dirty=16|38`)
	check(t, "totals", pick(r.samples, "|process|"), `
		0|29866|sleep 20|process||vss|2994176|3
		0|29866|sleep 20|process||rss|1798144|3
		0|29866|sleep 20|process||dirty|114688|3`)
	check(t, "problems", r.problems, "")
}

func TestPmapSmapsColumns(t *testing.T) {
	r := read(t, DecodePmap, fixtureNamed(t, "pmap/XX.txt"))
	check(t, "mappings", []string{r.mappings[1], r.mappings[8]}, `
		0|29866|sleep 20|558041951000|558041956000|r-xp|sleep|file|size=20 rss=20 pss=20 pss_dirty=0 dirty=0 shared_clean=0 shared_dirty=0 private_clean=20 private_dirty=0 referenced=20 anonymous=0 swap=0 swap_pss=0|4
		0|29866|sleep 20|7f3b0d4b1000|7f3b0d4b2000|r--p|LC_TIME|file|size=4 rss=4 pss=0 pss_dirty=0 dirty=0 shared_clean=4 shared_dirty=0 private_clean=0 private_dirty=0 referenced=4 anonymous=0 swap=0 swap_pss=0|11`)
	check(t, "problems", r.problems, "")
	r = read(t, DecodePmap, fixtureNamed(t, "pmap/X-loop.log"))
	check(t, "a loop", pick(r.samples, "|process||rss"), "0|29866|sleep 20|process||rss|1798144|4\n1000000000|29866|sleep 20|process||rss|1798144|46")
	check(t, "problems", r.problems, "")
}

// TestPmapKinds reads the same process by all forms of procps: what each prints must agree.
func TestPmapKinds(t *testing.T) {
	for _, kind := range []string{"x.txt", "XX.txt", "bare.txt", "d.txt"} {
		r := read(t, DecodePmap, fixtureNamed(t, "pmap/"+kind))
		if len(r.mappings) != 37 || len(r.problems) != 0 || len(pick(r.samples, "|process||vss|2994176|")) != 1 {
			t.Errorf("%s: want 37 mappings of 2994176 bytes and no problem, have %d, %v, %v", kind, len(r.mappings), pick(r.samples, "|process||vss"), r.problems)
		}
	}
}

// TestPmapOthers are the pmaps of busybox and of toybox, which is Android's: their Dirty is that of Private_Dirty.
func TestPmapOthers(t *testing.T) {
	check(t, "busybox", read(t, DecodePmap, fixtureNamed(t, "pmap/busybox.txt")).mappings, `
		0|1017|/bin/app|55c423976000|55c42397c000|r-xp|/usr/local/bin/app|file|size=24 pss=24 private_dirty=0 swap=0|3
		0|1017|/bin/app|55c4251e2000|55c4252e2000|rw-p|[heap]|heap|size=1024 pss=900 private_dirty=896 swap=4|4
		0|1017|/bin/app|7fffaa5c8000|7fffaa5e9000|rw-p|[stack]|stack|size=132 pss=8 private_dirty=8 swap=0|5
		0|1017|/bin/app|7fffaa5ed000|7fffaa5ef000|r-xp|[vdso]|special|size=8 pss=0 private_dirty=0 swap=0|6`)
	r := read(t, DecodePmap, fixtureNamed(t, "pmap/toybox.txt"))
	check(t, "toybox", r.mappings, `
		0|4321|com.example.app|12c00000|32c00000|rw-p|[anon:dalvik-main space (region space)]|Dalvik Heap|size=524288 pss=11884 private_dirty=11884 swap=0|3
		0|4321|com.example.app|6f04a000|6f2d9000|rw-p|boot.art]|.art mmap|size=2620 pss=1278 private_dirty=1256 swap=4|4
		0|4321|com.example.app|73a338f000|73a3393000|r-xp|libc.so|.so mmap|size=16 pss=16 private_dirty=0 swap=0|5
		0|4321|com.example.app|73a3393000|73a3394000|rw-p|[anon:.bss]|Unknown|size=4 pss=4 private_dirty=4 swap=0|6
		0|4321|com.example.app|73a3394000|73a339a000|rw-p||Unknown|size=24 pss=12 private_dirty=12 swap=0|7`)
	check(t, "problems", r.problems, "")
}

// TestPmapProcesses has two processes in one sample, then one of them again.
func TestPmapProcesses(t *testing.T) {
	const rows = "000055c423976000      8K r-xp  memfd:a b (deleted)\n total        8K\n"
	r := read(t, DecodePmap, "1700000000\n1:   a\n"+rows+"2:   b\n"+rows+"1700000010\n2:   b\n"+rows+"1700000020\n")
	check(t, "mappings", r.mappings, `
		0|1|a|55c423976000|55c423978000|r-xp|memfd:a b (deleted)|shared|size=8|3
		0|2|b|55c423976000|55c423978000|r-xp|memfd:a b (deleted)|shared|size=8|6
		10000000000|2|b|55c423976000|55c423978000|r-xp|memfd:a b (deleted)|shared|size=8|10`)
	if r.noData != 1 || r.problems != nil {
		t.Errorf("want one sample without data and no problem, have %d and %v", r.noData, r.problems)
	}
}

func TestPmapDamaged(t *testing.T) {
	r := read(t, DecodePmap, fixtureNamed(t, "pmap/bad-values.txt"))
	check(t, "problems", r.problems, `
		x:4:31: want a number of kB, have "0000558041951000      20      xx       0 r-x-- sleep"
		x:41:29: the table prints a total rss of 9990144 bytes, but its 36 rows add up to 1777664`)
	r = read(t, DecodePmap, fixtureNamed(t, "pmap/bad-cut.txt"))
	if r.mappings != nil || r.err == nil {
		t.Errorf("a table without its totals: want no row and an error, have %v and %v", r.mappings, r.err)
	}
	r = read(t, DecodePmap, "1:   a\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n000055c423976000 8 8 0 q---- x\n000055c423976000 8 - 0 r---- y\ntotal kB 8 0 0\n")
	check(t, "permissions", r.problems, `x:3:24: want permissions like r-x--, have "000055c423976000 8 8 0 q---- x"`)
	check(t, "a missing figure", r.mappings, "0|1|a|55c423976000|55c423978000|r--p|y|file|size=8 dirty=0|4")
}

// TestCorpus holds real captures against what is known of them.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		decode   int
		file     string
		mappings int
		totals   string
		problem  string
	}{
		{0, "memorylab-honor-showmap.txt", 1109, "vss|35323879424 rss|374816768 pss|289143808 private_dirty|244248576 swap|25251840 swap_pss|165888 uss|263626752", ""},
		{0, "sailfish-android10-showmap-system_server-929.txt", 716, "rss|273907712 pss|137650176", ""},
		{0, "sailfish-android10-showmap-systemui-1497.txt", 629, "rss|194822144 pss|111535104", ""},
		{0, "sailfish-android10-showmap-launcher3-1878.txt", 611, "rss|103800832 pss|38353920", ""},
		{1, "sailfish-android10-librank-truncated.txt", 0, "", "x:3500: want the line that ends librank, have the end of the file: the capture may be cut"},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", "android", c.file))
		if err != nil {
			t.Skip("no corpus of real captures beside the checkout")
		}
		r := read(t, formats[c.decode].decode, string(data))
		if r.err != nil || strings.Join(r.problems, " ") != c.problem || c.mappings > 0 && len(r.mappings) != c.mappings {
			t.Errorf("%s: want %d mappings and the problem %q, have %d, %v, error %v", c.file, c.mappings, c.problem, len(r.mappings), r.problems, r.err)
		}
		for _, want := range strings.Fields(c.totals) {
			if len(pick(r.samples, "|process||"+want+"|")) != 1 {
				t.Errorf("%s: want a total %s, have %q", c.file, want, pick(r.samples, "|process|"))
			}
		}
		for i, f := range formats {
			if f.sniff(data[:min(len(data), source.HeadSize)]) != (i == c.decode) {
				t.Errorf("%s: claimed by %s, or not by its own", c.file, f.name)
			}
		}
	}
}

// TestLibrankCorpus counts the rows of a real librank with other means.
func TestLibrankCorpus(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", "android", "sailfish-android10-librank-truncated.txt"))
	if err != nil {
		t.Skip("no corpus of real captures beside the checkout")
	}
	rows, rss := 0, int64(0)
	for _, line := range strings.Split(string(data), "\n") {
		if f := strings.Fields(line); len(f) > 4 && strings.HasSuffix(f[len(f)-1], "]") && strings.HasSuffix(f[3], "K") {
			var v int64
			fmt.Sscanf(f[1], "%dK", &v)
			rows, rss = rows+1, rss+v
		}
	}
	r := read(t, DecodeLibrank, string(data))
	var have int64
	for _, m := range r.mappings {
		var v int64
		fmt.Sscanf(m[strings.Index(m, "rss="):], "rss=%d", &v)
		have += v
	}
	if rows < 3000 || len(r.mappings) != rows || have != rss {
		t.Errorf("want %d rows of %d kB, have %d of %d", rows, rss, len(r.mappings), have)
	}
	check(t, "the first", r.mappings[:1], "0|1497|com.android.systemui||||[anon:libc_malloc]|Native Heap|size=188416 rss=86440 pss=84507|4")
}

// TestOthersUnclaimed sniffs all the rest of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "*", "*.*"))
	for _, path := range files {
		data, err := os.ReadFile(path)
		if base := filepath.Base(path); err != nil || strings.Contains(base, "showmap") || strings.Contains(base, "librank") {
			continue
		}
		for _, f := range formats {
			if f.sniff(data[:min(len(data), source.HeadSize)]) {
				t.Errorf("%s claims %s", f.name, path)
			}
		}
	}
}
