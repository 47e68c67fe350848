package meminfo

import (
	"strings"
	"testing"
)

func TestCheckin(t *testing.T) {
	r := read(t, DecodeCheckin, "x", fixture(t, "dumpsys-meminfo-checkin/bugreport.txt"))
	for where, want := range map[string]string{
		"pid=1878;scope=process;metric=pss":                          "31891456",
		"pid=1878;scope=process;metric=swap":                         "73728",
		"pid=1878;scope=process;metric=swap_pss":                     "47104",
		"pid=929;scope=process;metric=swap_pss":                      "",
		"pid=1878;scope=category;name=Native Heap;metric=heap_size":  "34816000",
		"pid=1878;scope=category;name=.so mmap;metric=shared_clean":  "17408000",
		"pid=1878;scope=category;name=.so mmap;metric=private_clean": "102400",
		"pid=1878;scope=category;name=.so mmap;metric=swap_pss":      "6144",
		"pid=1878;scope=class;name=Activities":                       "2",
		"pid=1878;scope=pool;name=SQL MEMORY_USED":                   "122880",
		"pid=1878;name=other":                                        "",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if got := len(r.where("pid=1878;scope=category;metric=pss")); got != 19 {
		t.Errorf("%d categories, want 19", got)
	}
}

func TestCheckinVersion3(t *testing.T) {
	r := read(t, DecodeCheckin, "x", fixture(t, "dumpsys-meminfo-checkin/loop-version3-crlf.txt"))
	if got := strings.Join(r.values("scope=process;metric=pss", "value"), " "); got != "16531456 17043456" {
		t.Errorf("pss %s", got)
	}
	if got := strings.Join(r.values("scope=process;metric=pss", "time_ns"), " "); got != "0 10000000000" || r.clock != "wall" {
		t.Errorf("times %s by %s", got, r.clock)
	}
	if got := r.values("scope=category;name=.so mmap;metric=swap", "value"); len(got) != 2 || got[0] != "12288" {
		t.Errorf("swap of .so mmap %v", got)
	}
}

func TestCheckinProblems(t *testing.T) {
	r := read(t, DecodeCheckin, "x", fixture(t, "dumpsys-meminfo-checkin/bad-rows.txt"))
	want := "x:3:259: want an integer or N/A in field 58, have \"4x4\": the row is dropped\n" +
		"x:4:1: want a row of version 3 or 4, have version 9: it is dropped\n" +
		"x:5: want 214 fields or more, have 192: the row is cut and dropped"
	if got := r.messages(); got != want {
		t.Errorf("have\n%s", got)
	}
	if got := r.values("scope=process;metric=pss", "process"); len(got) != 1 || got[0] != "odd,name" {
		t.Errorf("processes %v, want the one with a comma in its name", got)
	}
}

func TestCheckinNothing(t *testing.T) {
	for text, want := range map[string]string{
		"time,1,2\nNo process found for: x\n": `x:2: held nothing: "No process found for: x"`,
		"time,1,2\n4,5,a,1,2\n":               "held nothing: want \"Dalvik Other\" behind 44 figures",
		"time,1,2\n":                          "x:1: held nothing: want the rows of a process",
	} {
		if r := read(t, DecodeCheckin, "x", text); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

func TestCompact(t *testing.T) {
	r := read(t, DecodeCompact, "x", fixture(t, "dumpsys-meminfo-compact/android13.txt"))
	for where, want := range map[string]string{
		"pid=889;process=org.memtide.demo;scope=process;metric=rss": "9216000",
		"pid=889;scope=process;metric=pss":                          "3072000",
		"scope=oom;name=native;metric=rss":                          "3072000",
		"scope=category;name=.dex mmap;metric=pss":                  "2048000",
		"scope=subcategory;name=.App dex;metric=pss":                "1536000",
		"scope=subcategory;name=.Heap;metric=rss":                   "2457600",
		"scope=system;metric=free_ram":                              "3174639616",
		"scope=system;metric=lost_ram":                              "370899968",
		"scope=system;metric=swap_used":                             "1764417536",
		"scope=system;metric=dmabuf":                                "120540160",
		"scope=system;metric=ksm":                                   "1228800",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if len(r.where("metric=swap_pss")) != 0 || r.clock != "boot" {
		t.Errorf("N/A gave rows, or clock %s", r.clock)
	}
}

func TestCompactLoop(t *testing.T) {
	r := read(t, DecodeCompact, "x", fixture(t, "dumpsys-meminfo-compact/loop-android9.txt"))
	if got := strings.Join(r.values("pid=889;scope=process;metric=pss", "value"), " "); got != "3072000 3174400" {
		t.Errorf("pss %s", got)
	}
	if len(r.where("metric=rss")) != 0 || r.value("pid=889;metric=swap_pss") != "12288" {
		t.Error("one part is pss, and swap is that of the second dump alone")
	}
}

func TestCompactNamesMayHaveCommas(t *testing.T) {
	text := strings.Replace(fixture(t, "dumpsys-meminfo-compact/loop-android9.txt"), "proc,native,logd,", "proc,native,/bin/a,b,c,", 1)
	if got := read(t, DecodeCompact, "x", text).values("pid=187", "process"); len(got) < 1 || got[0] != "/bin/a,b,c" {
		t.Errorf("named %v", got)
	}
}

func TestShiftedColumns(t *testing.T) {
	text := fixture(t, "dumpsys-meminfo-checkin/loop-version3-crlf.txt")
	whole := len(read(t, DecodeCheckin, "x", text).rows)
	for _, at := range []int{strings.LastIndex(text, ",6304,"), strings.LastIndex(text, ",46")} {
		r := read(t, DecodeCheckin, "x", text[:at+2]+","+text[at+3:])
		if len(r.rows) >= whole || !strings.Contains(r.messages(), "x:6") || strings.Contains(strings.Join(r.values("scope=process;metric=pss", "process"), " "), ",") {
			t.Errorf("%d rows of %d, %s", len(r.rows), whole, r.messages())
		}
	}
	text = strings.Replace(fixture(t, "dumpsys-meminfo-compact/android13.txt"), "logd,187,100,", "logd,187,1,0,", 1)
	if r := read(t, DecodeCompact, "x", text); len(r.values("pid=1", "process")) > 0 || !strings.Contains(r.messages(), "want a name before the pid") {
		t.Errorf("compact: %s", r.messages())
	}
}

func TestCompactProblems(t *testing.T) {
	r := read(t, DecodeCompact, "x", fixture(t, "dumpsys-meminfo-compact/bad-lines.txt"))
	want := "x:5: want a pid, have \"x187\"\nx:6: want a label and two figures, have \"sys,5000\"\nx:10: want a size in kB, have \"4o00\"\nx:20: want the rest of the line, have the end of the file: it is dropped"
	if got := r.messages(); got != want {
		t.Errorf("have\n%s", got)
	}
}

func TestCompactWithoutItsEndIsDropped(t *testing.T) {
	text, _, _ := strings.Cut(fixture(t, "dumpsys-meminfo-compact/android13.txt"), "ram,")
	r := read(t, DecodeCompact, "x", text)
	if r.err == nil || len(r.rows) != 0 || !strings.Contains(r.err.Error(), "want the line ram") {
		t.Errorf("%d rows, %v", len(r.rows), r.err)
	}
}
