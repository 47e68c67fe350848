package category

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	cases := []struct {
		path           string
		android, linux Class
	}{
		{"", Class{"Unknown", ""}, Class{"anon", ""}},
		{"[heap]", Class{native, ""}, Class{"heap", ""}},
		{"[heap] more", Class{native, ""}, Class{"file", ""}},
		{"[heap stuff]", Class{"Other mmap", ""}, Class{"special", ""}},
		{"/opt/app/sp/[heap]", Class{"Other mmap", ""}, Class{"file", ""}},
		{"/x/looks (deleted)", Class{"Other mmap", ""}, Class{"file", ""}},
		{"[stack]", Class{"Stack", ""}, Class{"stack", ""}},
		{"[stack:1234]", Class{"Stack", ""}, Class{"stack", ""}},
		{"[anon: glibc: malloc]", Class{"Unknown", ""}, Class{"heap", ""}},
		{"[anon: glibc: pthread stack: 77]", Class{"Unknown", ""}, Class{"stack", ""}},
		{"[anon: glibc: loader malloc]", Class{"Unknown", ""}, Class{"anon", ""}},
		{"[anon:libc_malloc]", Class{native, ""}, Class{"anon", ""}},
		{"[anon:scudo:primary]", Class{native, ""}, Class{"anon", ""}},
		{"[anon:GWP-ASan Guard Page]", Class{native, ""}, Class{"anon", ""}},
		{"[anon:stack_and_tls:1878]", Class{"Stack", ""}, Class{"anon", ""}},
		{"[anon:.bss]", Class{"Unknown", ""}, Class{"anon", ""}},
		{"/dev/ashmem/libc malloc (deleted)", Class{native, ""}, Class{"special", ""}},
		{"/system/lib64/libc.so", Class{so, ""}, Class{"file", ""}},
		{"/data/app/base.apk!/libx.so (deleted)", Class{so, ""}, Class{"file", ""}},
		{"/usr/lib/libc.so.6", Class{"Other mmap", ""}, Class{"file", ""}},
		{"/data/app/split_config.apk", Class{".apk mmap", ""}, Class{"file", ""}},
		{"/data/app/base.odex", Class{dex, ".App dex"}, Class{"file", ""}},
		{"/data/classes.dex.flock", Class{dex, ".App dex"}, Class{"file", ""}},
		{"[anon:dalvik-classes.dex extracted in memory from /x]", Class{dex, ".App dex"}, Class{"anon", ""}},
		{".dex", Class{"Other mmap", ""}, Class{"file", ""}},
		{"/data/app/base.vdex", Class{dex, ".App vdex"}, Class{"file", ""}},
		{"/system/framework/boot.vdex", Class{dex, ".Boot vdex"}, Class{"file", ""}},
		{"/apex/x.vdex", Class{dex, ".Boot vdex"}, Class{"file", ""}},
		{"/system/framework/arm64/x.oat", Class{".oat mmap", ""}, Class{"file", ""}},
		{"[anon:dalvik-/system/framework/boot.art]", Class{art, ".Boot art"}, Class{"anon", ""}},
		{"[anon:dalvik-/data/oat/base.art]", Class{art, ".App art"}, Class{"anon", ""}},
		{"/data/dalvik-cache/arm/system@framework@boot.art", Class{art, ".Boot art"}, Class{"file", ""}},
		{"/data/dalvik-cache/arm/system@framework.art", Class{art, ".App art"}, Class{"file", ""}},
		{"/dev/kgsl-3d0", Class{"Gfx dev", ""}, Class{"special", ""}},
		{"/dev/ashmem/CursorWindow: /data/x.db", Class{"Cursor", ""}, Class{"special", ""}},
		{"/dev/ashmem/jit-zygote-cache", Class{dalvikOther, ".ZygoteJIT"}, Class{"special", ""}},
		{"/dev/ashmem/GFXStats-1 (deleted)", Class{"Ashmem", ""}, Class{"special", ""}},
		{"/dev/ashmem/dalvik-main space (region space) (deleted)", Class{dalvik, ".Heap"}, Class{"special", ""}},
		{"/dev/mali0", Class{"Other dev", ""}, Class{"special", ""}},
		{"/dev/nvidia0", Class{"Other dev", ""}, Class{"gpu", ""}},
		{"/dev/nvidiactl", Class{"Other dev", ""}, Class{"gpu", ""}},
		{"/dev/dri/renderD128", Class{"Other dev", ""}, Class{"gpu", ""}},
		{"/dev/kfd", Class{"Other dev", ""}, Class{"gpu", ""}},
		{"/dmabuf:", Class{"Other mmap", ""}, Class{"gpu", ""}},
		{"anon_inode:dmabuf", Class{"Other mmap", ""}, Class{"gpu", ""}},
		{"anon_inode:[perf_event]", Class{"Other mmap", ""}, Class{"special", ""}},
		{"/memfd:jit-cache (deleted)", Class{dalvikOther, ".AppJIT"}, Class{"shared", ""}},
		{"/memfd:jit-zygote-cache (deleted)", Class{dalvikOther, ".ZygoteJIT"}, Class{"shared", ""}},
		{"/memfd:x (deleted)", Class{"Other mmap", ""}, Class{"shared", ""}},
		{"/SYSV00000000 (deleted)", Class{"Other mmap", ""}, Class{"shared", ""}},
		{"/dev/shm/x", Class{"Other dev", ""}, Class{"shared", ""}},
		{"/dev/zero (deleted)", Class{"Other dev", ""}, Class{"shared", ""}},
		{"[anon_shmem:x]", Class{"Other mmap", ""}, Class{"shared", ""}},
		{"//anon", Class{"Other mmap", ""}, Class{"shared", ""}},
		{"[vdso]", Class{"Other mmap", ""}, Class{"special", ""}},
		{"socket:[123]", Class{"Other mmap", ""}, Class{"special", ""}},
		{"pipe:[123]", Class{"Other mmap", ""}, Class{"special", ""}},
		{"[anon:dalvik-alloc space]", Class{dalvik, ".Heap"}, Class{"anon", ""}},
		{"[anon:dalvik-main space 1]", Class{dalvik, ".Heap"}, Class{"anon", ""}},
		{"[anon:dalvik-large object space allocation]", Class{dalvik, ".LOS"}, Class{"anon", ""}},
		{"[anon:dalvik-free list large object space]", Class{dalvik, ".LOS"}, Class{"anon", ""}},
		{"[anon:dalvik-non moving space]", Class{dalvik, ".NonMoving"}, Class{"anon", ""}},
		{"[anon:dalvik-zygote space]", Class{dalvik, ".Zygote"}, Class{"anon", ""}},
		{"[anon:dalvik-LinearAlloc]", Class{dalvikOther, ".LinearAlloc"}, Class{"anon", ""}},
		{"[anon:dalvik-indirect ref table]", Class{dalvikOther, ".IndirectRef"}, Class{"anon", ""}},
		{"[anon:dalvik-jit-code-cache]", Class{dalvikOther, ".AppJIT"}, Class{"anon", ""}},
		{"[anon:dalvik-data-code-cache]", Class{dalvikOther, ".AppJIT"}, Class{"anon", ""}},
		{"[anon:dalvik-CompilerMetadata]", Class{dalvikOther, ".CompilerMetadata"}, Class{"anon", ""}},
		{"[anon:dalvik-card table]", Class{dalvikOther, ".GC"}, Class{"anon", ""}},
		{"[anon:v8]", Class{"Unknown", ""}, Class{"anon", ""}},
	}
	for _, c := range cases {
		if got := OfAndroid.Classify([]byte(c.path)); got != c.android {
			t.Errorf("Android, %q: want %v, have %v", c.path, c.android, got)
		}
		if got := OfLinux.Classify([]byte(c.path)); got != c.linux {
			t.Errorf("Linux, %q: want %v, have %v", c.path, c.linux, got)
		}
	}
}

func TestAndroid(t *testing.T) {
	for _, m := range marks {
		if !mayMark[m[1]] || !Android([]byte(m+"x")) {
			t.Errorf("%q does not mark a capture as Android's", m)
		}
	}
	for _, s := range []string{"", "[heap]", "/usr/lib/x.so", "/system/x", "[anon: glibc: malloc]", "/dev/zero", "/opt/apex/x"} {
		if Android([]byte(s)) {
			t.Errorf("%q marks a capture as Android's", s)
		}
	}
}

func TestChained(t *testing.T) {
	if c := OfAndroid.Chained(); c != OfAndroid.Classify([]byte("/x/liba.so")).Category {
		t.Errorf("on Android: want the category of libraries, have %q", c)
	}
	if c := OfLinux.Chained(); c != "" {
		t.Errorf("on Linux: want none, have %q", c)
	}
}

func TestClassifyAllocatesNothing(t *testing.T) {
	paths := [][]byte{[]byte("/dev/ashmem/dalvik-main space (deleted)"), []byte("[heap]"), []byte("/data/x.otf"), nil}
	if n := testing.AllocsPerRun(100, func() {
		for _, p := range paths {
			OfAndroid.Classify(p)
			OfLinux.Classify(p)
			Android(p)
		}
	}); n != 0 {
		t.Errorf("want no allocation, have %v", n)
	}
}

// corpus opens a capture of the corpus beside the checkout, which is not part of it.
func corpus(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", name))
	if err != nil {
		t.Skip("no corpus of real captures beside the checkout")
	}
	return data
}

// TestSmapsAgainstMeminfo adds up the smaps of an Android process by the rules, and holds the sums against the meminfo
// table that Android printed of it at the same moment.
func TestSmapsAgainstMeminfo(t *testing.T) {
	zipped, err := gzip.NewReader(bytes.NewReader(corpus(t, "android/memorylab-honor-smaps.txt.gz")))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]map[string]int64{}
	var class Class
	add := func(name, field string, v int64) {
		if sums[name] == nil {
			sums[name] = map[string]int64{}
		}
		sums[name][field] += v
	}
	var before uint64
	for lines := bufio.NewScanner(zipped); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if from, to, ok := strings.Cut(f[0], "-"); ok && len(f) >= 5 {
			start, _ := strconv.ParseUint(from, 16, 64)
			end, _ := strconv.ParseUint(to, 16, 64)
			path := strings.Join(f[5:], " ")
			if path != "" || start != before || class.Category != OfAndroid.Chained() {
				class = OfAndroid.Classify([]byte(path))
			}
			before = end
		} else if v, err := strconv.ParseInt(f[1], 10, 64); err == nil {
			add(class.Category, f[0], v)
			if class.Subcategory != "" {
				add(class.Subcategory, f[0], v)
			}
		}
	}
	rows, seen := 0, map[string]bool{}
	for _, line := range strings.Split(string(corpus(t, "android/memorylab-honor-meminfo.txt")), "\n") {
		label, cells := splitRow(line)
		sum, known := sums[label]
		if !known || len(cells) < 5 {
			continue
		}
		rows++
		seen[label] = true
		for i, field := range []string{"Pss:", "Private_Dirty:", "Private_Clean:", "SwapPss:", "Rss:"} {
			if d := sum[field] - cells[i]; d < 0 && -d > slack(field) || d > slack(field) {
				t.Errorf("%s %s want %d kB, have %d", label, field, cells[i], sum[field])
			}
		}
	}
	if rows != 16+12 {
		t.Errorf("want 16 rows and 12 of details, have %d", rows)
	}
	for label, sum := range sums { // Android leaves out what is empty
		if sum["Rss:"] != 0 && !seen[label] {
			t.Errorf("%s is no row of the meminfo", label)
		}
	}
}

// slack is for the moment between the two captures.
func slack(field string) int64 {
	if field == "Pss:" {
		return 2
	}
	return 0
}

// splitRow parts a row of the table in its label and its numbers.
func splitRow(line string) (string, []int64) {
	f := strings.Fields(line)
	var cells []int64
	var label []string
	for _, w := range f {
		if v, err := strconv.ParseInt(w, 10, 64); err == nil {
			cells = append(cells, v)
		} else {
			label = append(label, w)
		}
	}
	return strings.Join(label, " "), cells
}

func FuzzClassify(f *testing.F) {
	for _, r := range androidByName {
		f.Add([]byte(r.starts + r.ends))
	}
	f.Fuzz(func(t *testing.T, path []byte) {
		for _, r := range []Rules{OfAndroid, OfLinux} {
			if r.Classify(path).Category == "" {
				t.Errorf("%q has no category", path)
			}
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	paths := [][]byte{[]byte("/data/app/~~x==/com.example-y==/lib/arm64/libfoo.so"), []byte("/system/fonts/Roboto.otf"),
		[]byte("[anon:dalvik-card table]"), []byte("[anon:libc_malloc]"), []byte("/usr/share/icons/x.png"), nil}
	for _, r := range []struct {
		name string
		Rules
	}{{"android", OfAndroid}, {"linux", OfLinux}} {
		b.Run(r.name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				r.Classify(paths[i%len(paths)])
			}
		})
	}
}
