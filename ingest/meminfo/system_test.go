package meminfo

import (
	"strings"
	"testing"
)

func TestSystemOfAndroid13(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/system-android13.txt"))
	for where, want := range map[string]string{
		"pid=644;process=system;scope=process;metric=rss":       "299450368",
		"pid=644;scope=process;metric=pss":                      "137896960",
		"pid=644;scope=process;metric=swap_pss":                 "1048576",
		"pid=3276;process=.adservices;scope=process;metric=pss": "31670272",
		"pid=4100;process=com.example.work;metric=rss":          "12451840",
		"scope=oom;name=Persistent Service;metric=rss":          "70582272",
		"scope=oom;name=System;metric=swap_pss":                 "1048576",
		"scope=category;name=.so mmap;metric=rss;pid=;process=": "245760000",
		"scope=subcategory;name=.Heap;metric=rss":               "40960000",
		"scope=subcategory;name=.Heap;metric=pss":               "40960000",
		"scope=system;metric=mem_total":                         "7883632640",
		"scope=system;metric=mem_free":                          "402246656",
		"scope=system;metric=dmabuf":                            "120540160",
		"scope=system;metric=gpu_used":                          "265007104",
		"scope=system;metric=used_kernel":                       "1798085632",
		"scope=system;metric=swap_used":                         "1764417536",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if r.clock != "wall" {
		t.Errorf("clock %s, want that of 'ending at'", r.clock)
	}
}

func TestSystemOfAndroid6(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/system-android6.txt"))
	for where, want := range map[string]string{
		"pid=834;scope=process;metric=pss":               "9830400",
		"pid=834;scope=process;metric=swap":              "88064",
		"pid=901;process=org.memtide.demo;metric=pss":    "7168000",
		"pid=1;process=/init;metric=pss":                 "448512",
		"scope=oom;name=Native;metric=pss":               "448512",
		"scope=subcategory;name=.LinearAlloc;metric=pss": "1024000",
		"scope=system;metric=lost_ram":                   "-1228800",
		"scope=system;metric=cached_kernel":              "51707904",
		"scope=system;metric=ksm":                        "1228800",
		"scope=system;metric=zram_physical":              "88678400",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if got := r.messages(); got != `x:20:1: no data of a process: "Got RemoteException!"` {
		t.Errorf("have %s", got)
	}
}

func TestListProblems(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/bad-system.txt"))
	want := []string{
		`x:7:6: want a size in kB and a label, have "96,2x4K: org.memtide.demo (pid 889 / activities)"`,
		`x:8:14: want a name and (pid N), have ".adservices"`,
		`x:9:31: want (pid N) at the end, have " (pid seven)"`,
		`x:11:1: unknown part of a dump: "Total PSS by colour:"`,
		`x:18:12: want a size in kB, have "lots"`,
		`x:19:2: unknown line in the sums of RAM: "Odd RAM"`,
		`x:20:1: want the rest of the line, have the end of the file: it is dropped`,
	}
	if got := r.messages(); got != strings.Join(want, "\n") {
		t.Errorf("have\n%s", got)
	}
	if len(r.rows) != 3 {
		t.Errorf("%d rows, want 3", len(r.rows))
	}
}

func TestEntry(t *testing.T) {
	for _, c := range []struct {
		line, label string
		kb, pid     int64
		swap        int64 // -1: none
	}{
		{"    134,665K: system (pid 929)", "system", 134665, 929, -1},
		{"    61986 kB: system (pid 2352)", "system", 61986, 2352, -1},
		{"  1.234.567K: a (b) (pid 5) (pid 7 / activities)", "a (b) (pid 5)", 1234567, 7, -1},
		{"  1 234K: x (pid 1 state 14 oom 150 / activities)", "x", 1234, 1, -1},
		{"  1\u00a0234K: x (pid 1) (user 10)", "x", 1234, 1, -1},
		{"  1\u202f234K: x (pid 1)          (    1,024K in swap)", "x", 1234, 1, 1024},
		{"     12K: .adservices (pid 3)", ".adservices", 12, 3, -1},
		{"     12K: Persistent Service", "Persistent Service", 12, -1, -1},
		{"     12K: Native                 (  3K in swap)", "Native", 12, -1, 3},
		{"  1234567K: x (pid 1)", "x", 1234567, 1, -1},
	} {
		var e entry
		if at, want := e.parse([]byte(c.line)); want != "" {
			t.Errorf("%q: at %d want %s", c.line, at, want)
			continue
		}
		pid, swapped := int64(-1), int64(-1)
		if e.pid.OK {
			pid = e.pid.V
		}
		if e.hasSwap {
			swapped = e.swapKB
		}
		if string(e.label) != c.label || e.kb != c.kb || pid != c.pid || swapped != c.swap {
			t.Errorf("%q: %q %d pid %d swap %d", c.line, e.label, e.kb, pid, swapped)
		}
	}
	for _, bad := range []string{"", "x", "12", "12K", "12K:", "12K: ", "12M: x", "K: x", "12K: (pid 3)", "12K: x (pid 3", "12K: x (pid 3) more", "12K: x (pid -3)", "12K: x (many in swap)", "12K:  (1K in swap)",
		"999999999999999999999K: x"} {
		var e entry
		if _, want := e.parse([]byte(bad)); want == "" {
			t.Errorf("%q: taken as %q %d", bad, e.label, e.kb)
		}
	}
}

// TestProcessIsThereOnce: the block comes first, then the list of processes, then that of OOM levels.
func TestProcessIsThereOnce(t *testing.T) {
	list := "\nTotal PSS by process:\n     99K: app (pid 77)\n     98K: other (pid 78)\n\nTotal PSS by OOM adjustment:\n    197K: Native\n         99K: app (pid 77)\n         98K: other (pid 78)\n         97K: third (pid 79)\n"
	r := read(t, Decode, "x", dump1+list)
	for where, want := range map[string]string{"pid=77;metric=pss;scope=process": "15360", "pid=78;metric=pss": "100352", "pid=79;metric=pss": "99328", "scope=oom": "201728"} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
}

// TestInner: parts of a category are told by their indent, which a size of 10 GB moves by one, or by their label.
func TestInner(t *testing.T) {
	text := "Total PSS by category:\n    12,345,678K: Native\n     1,000K: Dalvik\n         900K: .Heap\n     800K: .so mmap\n.LOS\n"
	text = strings.Replace(text, ".LOS\n", "1K: .LOS\n2K: Stack\n", 1)
	r := read(t, Decode, "x", text)
	if got := strings.Join(r.values("scope=subcategory", "name"), " "); got != ".Heap .LOS" {
		t.Errorf("parts: %s", got)
	}
	if got := strings.Join(r.values("scope=category", "name"), ","); got != "Native,Dalvik,.so mmap,Stack" {
		t.Errorf("categories: %s", got)
	}
}

// TestDumpWithoutItsEndIsDropped: in a log whose dumps end in the sums of RAM, the last one that lacks them is cut.
func TestDumpWithoutItsEndIsDropped(t *testing.T) {
	one := "Applications Memory Usage (kB):\nUptime: 1 Realtime: 1000\n\nTotal PSS by process:\n     10K: a (pid 1)\n     9K: b (pid 2)\n"
	footer := "\nTotal RAM: 100K (status normal)\n Lost RAM: 5K\n"
	r := read(t, Decode, "x", one+footer+one)
	if got := len(r.where("scope=process")); got != 2 || r.noData != 1 || !strings.Contains(r.messages(), "the last dump is dropped") {
		t.Errorf("%d processes, %d without data\n%s", got, r.noData, r.messages())
	}
	if got := len(read(t, Decode, "x", one).where("scope=process")); got != 2 {
		t.Errorf("alone: %d processes, want 2", got)
	}
}

func TestGrouped(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int64
		end  int
	}{{"1,234,567K", 1234567, 9}, {"1.234", 1234, 5}, {"12,34", 12, 2}, {"1,2345", 1, 1}, {"-1,234K", -1234, 6}, {"7", 7, 1}, {"1'234", 1234, 5}} {
		if v, end, ok := grouped([]byte(c.s), 0); !ok || v != c.want || end != c.end {
			t.Errorf("%q: %d, %d, %v", c.s, v, end, ok)
		}
	}
	for _, bad := range []string{"", "-", "x", "9223372036854775808", "9,223,372,036,854,775,808"} {
		if v, _, ok := grouped([]byte(bad), 0); ok {
			t.Errorf("%q: taken as %d", bad, v)
		}
	}
}
