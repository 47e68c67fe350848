package meminfo

import (
	"compress/gzip"
	"io"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// TestCorpus holds what is read from real captures against what their sources say of them.
func TestCorpus(t *testing.T) {
	const (
		honor    = "memorylab-honor-meminfo.txt"
		unity    = "unity-android11-meminfo-total-row-bug.txt"
		launcher = "launcher3-android11plus-full-swap-rss.txt"
		sailfish = "sailfish-android10-dumpsys-meminfo-all.txt"
		galaxy   = "galaxy-android4-dumpsys-meminfo-excerpt.txt"
		shield   = "shield-tv-procstate-suffix-excerpt.txt"
		emulator = "emulator-android15plus-16kpages-rss-truncated.txt"
		nexus    = "nexusone-android2.3-dumpsys-meminfo-crlf.txt"
		vlc      = "series-meminfo-vlc-leak/2017-11-24-09-14-08.meminfo.txt"
	)
	values := []struct{ file, where, want string }{
		{honor, "pid=20602;scope=process;metric=pss", "345896960"},
		{honor, "pid=20602;scope=process;metric=rss", "431407104"},
		{honor, "pid=20602;scope=process;metric=swap_pss", "165888"},
		{honor, "scope=category;name=Native Heap;metric=heap_alloc", "133049344"},
		{honor, "scope=subcategory;name=.AppJIT;metric=private_dirty", "1294336"},
		{honor, "scope=summary;name=Java Heap;metric=pss", "71389184"},
		{honor, "scope=summary;name=Unknown;metric=rss", "77570048"},
		{honor, "scope=summary;name=Unknown;metric=pss", ""},
		{honor, "scope=class;name=WebViews;metric=count", "4"},
		{honor, "scope=pool;name=Parcel memory;metric=live_bytes", "44032"},
		{unity, "pid=14978;scope=process;metric=rss", "764039168"},
		{launcher, "pid=21936;scope=process;metric=dirty", "128151552"},
		{launcher, "scope=process;metric=swap", "0"},
		{launcher, "scope=process;metric=swap_pss", ""},
		{sailfish, "pid=1878;scope=category;name=Native Heap;metric=heap_alloc", "17296384"},
		{sailfish, "scope=oom;name=Cached;metric=pss", "157954048"},
		{sailfish, "scope=system;metric=lost_ram", "136159232"},
		{sailfish, "scope=category;pid=;name=Native;metric=pss", "301024256"},
		{sailfish, "scope=system;metric=swap_total", "536866816"},
		{galaxy, "scope=category;name=Dalvik;metric=pss", "279443456"},
		{shield, "pid=4799;scope=process;metric=pss", "164879360"},
		{emulator, "pid=3276;scope=process;metric=rss", "70582272"},
		{nexus, "pid=808;scope=category;name=Other;metric=pss", "1209344"},
		{nexus, "pid=151;scope=process;metric=private_dirty", "19001344"},
		{vlc, "scope=class;name=Activities;metric=count", "3"},
		{vlc, "scope=process;metric=swap", "36864"},
	}
	for _, v := range values {
		if got := read(t, Decode, v.file, corpus(t, v.file)).value(v.where); got != v.want {
			t.Errorf("%s: %s is %q, want %q", v.file, v.where, got, v.want)
		}
	}
	counts := []struct {
		file, where string
		want        int
	}{
		{honor, "metric=dirty", 0},
		{sailfish, "scope=process;metric=pss", 129},
		{sailfish, "scope=process;metric=private_dirty", 29},
		{galaxy, "scope=process;metric=pss", 9},
		{nexus, "scope=process;metric=pss", 26},
		{nexus, "scope=category;name=Other;metric=heap_size", 0},
		{emulator, "metric=pss", 0},
		{emulator, "metric=rss", 22},
	}
	for _, c := range counts {
		if got := len(read(t, Decode, c.file, corpus(t, c.file)).where(c.where)); got != c.want {
			t.Errorf("%s: %d rows with %s, want %d", c.file, got, c.where, c.want)
		}
	}
}

// TestCorpusIsClean wants no problem in captures that are whole.
func TestCorpusIsClean(t *testing.T) {
	dir := filepath.Join(moduleRoot(t), "..", "shared", "corpus", "android")
	files, _ := filepath.Glob(filepath.Join(dir, "series-meminfo-*", "*.meminfo.txt"))
	if len(files) == 0 {
		t.Skip("no corpus of real captures")
	}
	for i, f := range files {
		if i%7 != 0 && len(files) > 100 {
			continue
		}
		name, _ := filepath.Rel(dir, f)
		text := corpus(t, name)
		r := read(t, Decode, name, text)
		if !Sniff([]byte(text)) || SniffCheckin([]byte(text)) || SniffCompact([]byte(text)) {
			t.Errorf("%s: claimed by the wrong form", name)
		}
		if strings.Contains(text, "Got RemoteException!") || strings.Contains(text, "No process found") {
			if r.err == nil || r.noData != 1 || len(r.rows) != 0 {
				t.Errorf("%s: want no data, have %d rows and %v", name, len(r.rows), r.err)
			}
			continue
		}
		if r.err != nil || len(r.problems) != 0 || len(r.where("scope=process;metric=pss")) != 1 {
			t.Errorf("%s: %v\n%s", name, r.err, r.messages())
		}
	}
}

// TestColumnsAddUp sums the categories of the real capture: they make the total less its swap.
func TestColumnsAddUp(t *testing.T) {
	r := read(t, Decode, "honor", corpus(t, "memorylab-honor-meminfo.txt"))
	var sum int64
	for _, v := range r.values("scope=category;metric=pss", "value") {
		n, _ := strconv.ParseInt(v, 10, 64)
		sum += n
	}
	if sum != 345731072 {
		t.Errorf("the categories add up to %d, want 345731072", sum)
	}
}

func TestCorpusWholeSystemLog(t *testing.T) {
	dir := filepath.Join(moduleRoot(t), "..", "shared", "corpus", "android", "series-meminfo-all-gello-noleak")
	files, _ := filepath.Glob(filepath.Join(dir, "*.gz"))
	if len(files) == 0 {
		t.Skip("no corpus of real captures")
	}
	sort.Strings(files)
	var log strings.Builder
	for _, f := range files {
		log.WriteString(unpack(t, f))
	}
	r := read(t, Decode, "log", log.String())
	if r.err != nil || len(r.problems) != 0 {
		t.Errorf("%v\n%s", r.err, r.messages())
	}
	if got := r.values("scope=system;metric=lost_ram", "value"); len(got) != 11 || got[0] != "235251712" {
		t.Errorf("lost_ram is %v, want 11 values from 235251712 on", got)
	}
	if got := r.values("pid=2900;scope=process;metric=pss", "value"); len(got) != 11 || got[0] != "52302848" {
		t.Errorf("pss of 2900 is %v, want 11 values from 52302848 on", got)
	}
	if r.clock != "boot" {
		t.Errorf("clock %s, want boot", r.clock)
	}
}

func TestCorpusCheckin(t *testing.T) {
	text := corpus(t, "sailfish-android10-meminfo-checkin.txt")
	r := read(t, DecodeCheckin, "checkin", text)
	if !SniffCheckin([]byte(text)) || Sniff([]byte(text)) || SniffCompact([]byte(text)) {
		t.Error("want it claimed by the checkin form alone")
	}
	if r.err != nil || len(r.problems) != 0 {
		t.Errorf("%v\n%s", r.err, r.messages())
	}
	if got := len(r.where("scope=process;metric=pss")); got != 29 {
		t.Errorf("%d processes, want 29", got)
	}
	for where, want := range map[string]string{
		"pid=1878;scope=category;name=Native Heap;metric=pss": "9962496",
		"pid=1878;scope=category;name=Dalvik Heap;metric=pss": "2946048",
		"pid=1878;scope=process;metric=pss":                   "58012672",
		"pid=929;scope=class;name=Proxy Binders":              "589",
		"pid=929;scope=pool;name=SQL MALLOC_SIZE":             "119808",
		"pid=1878;scope=process;metric=swap":                  "0",
		"pid=1878;scope=process;metric=swap_pss":              "",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if got := r.values("pid=929;scope=process;metric=pss", "process"); len(got) != 1 || got[0] != "unknown" {
		t.Errorf("pid 929 is named %v", got)
	}
}

func unpack(t *testing.T, path string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(readFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCorpusSeries joins the files of a folder into one run, as the program does.
func TestCorpusSeries(t *testing.T) {
	for _, c := range []struct {
		folder              string
		files, noData, pids int
		last                string
	}{
		{"series-meminfo-vlc-leak", 252, 0, 1, "2340132000000"},
		{"series-meminfo-vlc-leak-restart", 301, 1, 2, ""},
	} {
		dir := filepath.Join(moduleRoot(t), "..", "shared", "corpus", "android", c.folder)
		files, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
		if len(files) == 0 {
			t.Skip("no corpus of real captures")
		}
		var parts []*table.Part
		noData := 0
		for _, f := range files {
			in, err := source.NewInput(filepath.Base(f), strings.NewReader(readFile(t, f)))
			if err != nil {
				t.Fatal(err)
			}
			b := table.NewBuilder(in.Name, "dumpsys-meminfo")
			_ = Decode(in, b)
			parts = append(parts, b.Done())
			noData += b.NoData
		}
		r := rowsOf(t, table.Assemble(parts))
		pids := map[string]bool{}
		for _, row := range r.where("scope=process;metric=pss") {
			pids[row["pid"]] = true
		}
		n := len(r.where("scope=process;metric=pss"))
		if len(files) != c.files || n != c.files-c.noData || noData != c.noData || len(pids) != c.pids {
			t.Errorf("%s: %d files, %d samples, %d without data, %d pids", c.folder, len(files), n, noData, len(pids))
		}
		if at := r.rows[len(r.rows)-1]["time_ns"]; c.last != "" && at != c.last {
			t.Errorf("%s: the last sample is at %s, want %s", c.folder, at, c.last)
		}
	}
}
