package smaps_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/table"
)

// vma is a mapping as the kernel prints it, with the fields that every one has.
func vma(header string, kb ...int) string {
	var w strings.Builder
	w.WriteString(header + "\n")
	for i, f := range []string{"Size", "Rss", "Pss", "Shared_Clean", "Shared_Dirty", "Private_Clean", "Private_Dirty", "Referenced", "Anonymous", "Swap"} {
		n := 0
		if i < len(kb) {
			n = kb[i]
		}
		fmt.Fprintf(&w, "%-15s %8d kB\n", f+":", n)
	}
	w.WriteString("VmFlags: rd wr mr mw me ac \n")
	return w.String()
}

var (
	heap  = vma("55d000000000-55d000021000 rw-p 00000000 00:00 0                          [heap]", 132, 100, 90, 0, 20, 0, 80, 100, 100, 7)
	lib   = vma("7f0000000000-7f0000010000 r-xp 00002000 08:01 4711                       /usr/lib/libc.so.6", 64, 40, 10, 40, 0, 0, 0, 40)
	stack = vma("7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]", 132, 12, 12, 0, 0, 0, 12, 12, 12)
)

func TestMappings(t *testing.T) {
	s := decode(t, heap+lib+stack)
	check(t, "mappings", dump(t, s, table.Mappings, "start", "end", "perms", "offset", "inode", "path", "category", "size", "rss", "pss", "pss_dirty", "dirty", "shared_clean", "private_dirty", "swap", "line"),
		"94351841558528 94351841693696 rw-p 0 0 [heap] heap 135168 102400 92160  102400 0 81920 7168 1",
		"139637976727552 139637976793088 r-xp 8192 4711 /usr/lib/libc.so.6 file 65536 40960 10240  0 40960 0 0 13",
		"140720308486144 140720308621312 rw-p 0 0 [stack] stack 135168 12288 12288  12288 0 12288 0 25")
	if p := problems(s); p != "" {
		t.Error(p)
	}
	check(t, "process", dump(t, s, table.Samples, "scope", "metric", "value")[:11], "process vss 335872", "process rss 155648", "process pss 114688", "process shared_clean 40960", "process shared_dirty 20480",
		"process private_clean 0", "process private_dirty 94208", "process referenced 155648", "process anonymous 114688", "process swap 7168", "process uss 94208")
}

// TestPaths: a name is all behind the inode, as it is printed.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ tail, path, category string }{
		{"0", "", "anon"}, {"0 ", "", "anon"}, {"7                          /a b  c", "/a b  c", "file"}, {"7 /x/looks (deleted)", "/x/looks (deleted)", "file"},
		{`7 /with\012newline`, `/with\012newline`, "file"}, {"7 /äö 文件.so", "/äö 文件.so", "file"}, {"7 /opt/[heap]", "/opt/[heap]", "file"}, {"0\t[heap]", "[heap]", "heap"},
		{"0 [anon: glibc: malloc]", "[anon: glibc: malloc]", "heap"}, {"0 //anon", "//anon", "shared"}, {"0 anon_inode:[perf_event]", "anon_inode:[perf_event]", "special"}, {"7 /bad\xffname", "/bad\ufffdname", "file"},
		{"7 Size: 4 kB", "Size: 4 kB", "file"}, {"7 [rollup] x", "[rollup] x", "file"},
	} {
		s := decode(t, vma("7f00-8f00 rw-p 00000000 00:01 "+c.tail, 4)+stack)
		check(t, c.tail, dump(t, s, table.Mappings, "path", "category")[:1], c.path+" "+c.category)
	}
}

// TestHeaders: 1 to 16 digits, devices of three digits, any of the permissions.
func TestHeaders(t *testing.T) {
	for header, row := range map[string]string{
		"00008000-0000f000 r-xp 00000000 1f:03 563 /bin/x":                       "32768 61440 r-xp 0 563",
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0     [vsyscall]": "18446744073699065856 18446744073699069952 --xp 0 0",
		"7f0-8f0 ---s 7ffffffff000 103:fff 18446744073709 /dev/x":                "2032 2288 ---s 140737488351232 18446744073709",
		"0-1000 rwxp ffffffffffff0000 00:00 5 /dev/x":                            "0 4096 rwxp  ", // an offset beyond 2^63: not known
	} {
		s := decode(t, vma(header, 4))
		check(t, header, dump(t, s, table.Mappings, "start", "end", "perms", "offset", "inode"), row)
	}
}

func TestKernel3(t *testing.T) {
	s := decode(t, fixture(t, "smaps/kernel3-tabs.txt"))
	check(t, "mappings", dump(t, s, table.Mappings, "path", "category", "rss", "swap_pss"), "/system/bin/app_process Other mmap 28672 ", "[anon:libc_malloc] Native Heap 8192 ",
		"/system/lib/libc.so .so mmap 12288 ", " .so mmap 4096 ", "[stack] Stack 16384 ", "[vectors] Other mmap 0 ")
	if p := problems(s); p != "" {
		t.Error(p)
	}
}

func TestAndroid(t *testing.T) {
	s := decode(t, fixture(t, "smaps/android13.txt"))
	var got []string
	for _, row := range dump(t, s, table.Samples, "scope", "name", "metric", "value") {
		if strings.HasSuffix(row, " 0") || !strings.Contains(row, " rss ") {
			continue
		}
		got = append(got, row)
	}
	check(t, "rss", got, "process  rss 21876736", "category Dalvik Heap rss 11640832", "subcategory .Heap rss 9216000", "category .art mmap rss 2457600", "subcategory .Boot art rss 2457600",
		"category .oat mmap rss 1228800", "subcategory .Zygote rss 262144", "subcategory .NonMoving rss 65536", "subcategory .LOS rss 2097152", "category Dalvik Other rss 548864", "subcategory .LinearAlloc rss 307200",
		"subcategory .IndirectRef rss 8192", "subcategory .AppJIT rss 131072", "subcategory .GC rss 102400", "category Native Heap rss 4608000", "category Stack rss 81920", "category .apk mmap rss 409600",
		"category .so mmap rss 389120", "category Unknown rss 20480", "category .ttf mmap rss 81920", "category .dex mmap rss 368640", "subcategory .App vdex rss 368640", "category Other dev rss 16384", "category Cursor rss 20480", "category Other mmap rss 4096")
}

// TestUnknownFields are told once with their number, and change nothing else.
func TestUnknownFields(t *testing.T) {
	odd := strings.ReplaceAll(heap+lib+stack, "VmFlags", "Frobs:   3 kB\nTwiddles: x y\nVmFlags")
	s := decode(t, odd)
	if got := problems(s); got != "x:12:1: unknown field \"Frobs\" (3 times)\nx:13:1: unknown field \"Twiddles\" (3 times)" {
		t.Error(got)
	}
	check(t, "samples", dump(t, s, table.Samples, undated(table.Samples)...), dump(t, decode(t, heap+lib+stack), table.Samples, undated(table.Samples)...)...)
}

// TestJunk between records is passed over: prompts, banners, messages of the kernel.
func TestJunk(t *testing.T) {
	clean := decode(t, heap+lib+stack)
	noisy := decode(t, "shell@m0:/ $ cat /proc/7/smaps\r\n* daemon started successfully\n\n"+heap+"\n[ 12.3] usb 1-1: new device\n"+lib+stack+"\nshell@m0:/ $ \n")
	for _, id := range []table.ID{table.Mappings, table.Samples} {
		check(t, table.Schemas[id].Name, dump(t, noisy, id, undated(id)...), dump(t, clean, id, undated(id)...)...)
	}
	if p := problems(noisy); p != "" {
		t.Error(p)
	}
}

// TestPositions: the sign ∑ stands where the problem must point.
func TestPositions(t *testing.T) {
	for _, c := range []struct{ text, message string }{
		{strings.Replace(heap, "Pss:                  90 kB", "Pss:                  9∑x kB", 1), `want a size in kB, have "Pss:                  9x kB"`},
		{strings.Replace(heap, "Rss:                 100 kB", "Rss:                 100∑ pages", 1), `want a size in kB, have "Rss:                 100 pages"`},
		{strings.Replace(heap, "Rss:                 100 kB", "Rss:                 100∑", 1), `want a size in kB, have "Rss:                 100"`},
		{strings.Replace(heap, "Rss:                 100 kB", "Rss:∑", 1), `want a size in kB, have "Rss:"`},
		{strings.Replace(heap, "Rss:                 100 kB", "Rss: ∑-100 kB", 1), `want a size in kB, have "Rss: -100 kB"`},
		{strings.Replace(heap, "Rss:                 100 kB", "Rss: 1152921504606846977∑ kB", 1), `want a size in kB, have "Rss: 1152921504606846977 kB"`},
		{strings.Replace(lib, "r-xp", "∑rx", 1), `want permissions like rw-p in a map header`},
		{strings.Replace(lib, "00002000", "∑zz", 1), `want an offset in a map header`},
		{strings.Replace(lib, "08:01", "08∑ 01", 1), `want a device like 08:01 in a map header`},
		{strings.Replace(lib, "4711", "∑x", 1), `want an inode in a map header`},
		{strings.Replace(lib, "7f0000010000", "6f0000010000∑", 1), `want an end behind the start in a map header`},
		{strings.Replace(lib, "7f0000000000-7f0000010000 r", "g\n∑", 1)[:0] + "junk\n" + "∑" + lib[strings.Index(lib, "\n")+1:], `want a map header before its fields, have a field`},
	} {
		text := c.text + heap + stack
		at := strings.Index(text, "∑")
		line := 1 + strings.Count(text[:at], "\n")
		want := fmt.Sprintf("x:%d:%d: %s", line, at-strings.LastIndex("\n"+text[:at], "\n")+1, c.message)
		s := decode(t, strings.Replace(text, "∑", "", 1))
		if got := problems(s); !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestDamagedHeader: fields of a mapping whose header cannot be read are not those of the one before.
func TestDamagedHeader(t *testing.T) {
	for name, bad := range map[string]string{"address": strings.Replace(lib, "7f0000000000", "7f00g0000000", 1), "missing": lib[strings.Index(lib, "\n")+1:], "permissions": strings.Replace(lib, "r-xp", "r-xq", 1)} {
		s := decode(t, heap+bad+stack)
		check(t, name, dump(t, s, table.Mappings, "path", "rss"), "[heap] 102400", "[stack] 12288")
		check(t, name+": samples", dump(t, s, table.Samples, "metric"))
		if n := strings.Count(problems(s), "\n"); problems(s) == "" || n > 0 {
			t.Errorf("%s: %s", name, problems(s))
		}
		whole := decode(t, heap+bad+stack+heap+lib+stack)
		if got := dump(t, whole, table.Samples, "scope", "metric", "value"); len(got) == 0 || got[1] != "process rss 155648" {
			t.Errorf("%s: the next snapshot is not whole: %q", name, got)
		}
	}
}

// TestBadFigure: what one mapping does not tell has no sum.
func TestBadFigure(t *testing.T) {
	s := decode(t, strings.Replace(heap, "Pss:                  90 kB", "Pss:                  9x kB", 1)+lib+stack)
	check(t, "mappings", dump(t, s, table.Mappings, "path", "rss", "pss"), "[heap] 102400 ", "/usr/lib/libc.so.6 40960 10240", "[stack] 12288 12288")
	var got []string
	for _, row := range dump(t, s, table.Samples, "scope", "name", "metric", "value") {
		if strings.Contains(row, " pss ") || strings.HasPrefix(row, "process  rss") {
			got = append(got, row)
		}
	}
	check(t, "samples", got, "process  rss 155648", "category file pss 10240", "category stack pss 12288")
}

func TestPageSize(t *testing.T) {
	with := func(kb int, v string) string {
		return strings.Replace(v, "Rss:", fmt.Sprintf("KernelPageSize: %d kB\nMMUPageSize: 4 kB\nRss:", kb), 1)
	}
	s := decode(t, with(2048, heap)+with(16, lib)+with(64, stack))
	for _, f := range s.Facts() {
		if f.Name == "page_size" && f.Value == "16384" {
			return
		}
	}
	t.Errorf("facts %v", s.Facts())
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"": "x: held nothing: want mappings of /proc/PID/smaps",
		"cat: /proc/7/smaps: No such file or directory\n": `x:1: held nothing: "cat: /proc/7/smaps: No such file or directory"`,
		fixture(t, "smaps/bad-headers.txt"):               "x:2:1: held nothing: want a map header before its fields, have a field",
	} {
		if _, err := decodeWith(t, smaps.Decode, text); err == nil || err.Error() != want {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string][2]bool{
		heap: {true, false}, "prompt $ \n" + lib: {true, false}, strings.ReplaceAll(lib, "\n", "\r\n"): {true, false},
		"7f00-8f00 rw-p 0 0:0 0 \n8f00-9f00 rw-p 0 0:0 0 \n":       {false, true},
		"7f00-8f00 rw-p 0 0:0 0 \n":                                {false, false},
		"7f00-8f00 ---p 00000000 00:00 0    [rollup]\nRss: 4 kB\n": {false, false},
		"7f00000000-8f00000000 rwp 0\nSize: 4 kB\n":                {true, false}, // a damaged header is still one
		"7f00-8f00\nSize: 4 kB\n":                                  {false, false},
		"MemTotal: 4 kB\nMemFree: 4 kB\n":                          {false, false},
		"":                                                         {false, false},
		fixture(t, "proc-maps/special.txt"):                        {false, true},
		"7f00-8f00 rw-p 0 0:0 0 /a\n7f00-8f00 rw-p 0 0:0 0 /b\nFrobs: 3\n" + "x\n": {false, true},
	} {
		if got := [2]bool{smaps.Sniff([]byte(text)), smaps.SniffMaps([]byte(text))}; got != want {
			t.Errorf("%.40q: smaps, maps %v, want %v", text, got, want)
		}
	}
}

func TestMaps(t *testing.T) {
	s, err := decodeWith(t, smaps.DecodeMaps, fixture(t, "proc-maps/special.txt"))
	if err != nil || problems(s) != "" {
		t.Fatal(err, problems(s))
	}
	check(t, "samples", dump(t, s, table.Samples, "scope", "name", "metric", "value"), "process  vss 2818048", "category heap vss 745472", "category anon vss 1069056",
		"category shared vss 20480", "category file vss 811008", "category special vss 36864", "category stack vss 135168")
	if rows := dump(t, s, table.Mappings, "path", "size", "rss"); len(rows) != 17 || rows[0] != "[heap] 745472 " {
		t.Errorf("%q", rows)
	}
	cut := strings.TrimSuffix(fixture(t, "proc-maps/special.txt"), "\n")
	if s, _ := decodeWith(t, smaps.DecodeMaps, cut); s.Len(table.Mappings) != 17 {
		t.Error("a last line without its end that is whole is dropped")
	}
	if s, _ := decodeWith(t, smaps.DecodeMaps, cut[:len(cut)-200]); s.Len(table.Mappings) != 0 {
		t.Error("a list that ends in half a line is kept")
	}
}
