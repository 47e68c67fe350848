package perf_test

import (
	"testing"

	"github.com/memtide/memtide/ingest/perf"
	"github.com/memtide/memtide/ingest/table"
)

const (
	sampleColumns = "time_ns pid process scope name metric value line"
	eventColumns  = "time_ns seq pid tid op class object size stack line"
	frameColumns  = "id parent function module source_file source_line address"
)

// TestRSS: another task's change belongs to the owner of the mm, seen before or behind it; of an mm nobody owned, the
// process is not known.
func TestRSS(t *testing.T) {
	r := decode(t, perf.DecodeScript, fixture(t, "perf-script/rss.txt"))
	same(t, "samples", r.dump(t, table.Samples, "time_ns pid metric value line"),
		"0 410 rss_anon 4096 1", "50000 410 rss_file 65536 2", "100000 410 rss_anon 8192 3", "150000 410 swap 4096 4",
		"250000 410 rss_shmem 12288 5", "350000 - rss_anon 20480 6", "550000 410 rss_anon 16384 8")
	for _, row := range r.dump(t, table.Samples, "process") {
		if row != "make: job 1" && row != "-" {
			t.Errorf("process %q", row)
		}
	}
	same(t, "problems", r.problems())
}

// TestHeap: one row for an allocation, however many functions pass it on; the free of a block that moved stands at the
// call of realloc, before another thread can get its address.
func TestHeap(t *testing.T) {
	r := decode(t, perf.DecodeScript, fixture(t, "perf-script/heap.txt"))
	same(t, "events", r.dump(t, table.Events, eventColumns),
		"0 0 880 900 alloc heap 0x5565447562a0 100 2 8",
		"12000 1 880 900 alloc heap 0x556544756310 96 3 20",
		"20000 3 880 900 free heap 0x5565447562a0 - 2 39",
		"22000 2 880 901 alloc heap 0x5565447562a0 100 6 34",
		"23000 4 880 900 realloc heap 0x556544756500 200 2 39",
		"30000 5 880 900 free heap 0x556544756310 - 8 43",
		"50000 6 880 900 free heap 0x556544756500 - 2 55")
	load := "load(std::map<int, (anonymous namespace)::X> const&) shop - - 0x1397"
	same(t, "frames", r.dump(t, table.Frames, frameColumns),
		"1 - main shop - - 0x142e", "2 1 "+load, "3 2 calloc libc.so.6 - - 0x98a40",
		"4 - - - - - 0x7f1199999999", "5 4 libgfx.so.1+0x31ef libgfx.so.1 - - 0x31ef", "6 5 libplug in.so+0x2123 libplug in.so - - 0x7f10a0000123",
		"7 - draw shop src/draw.cpp 41 0x150f", "8 7 operator delete(void*) libstdc++.so.6 - - 0x138b00")
	if f := r.facts(); f["lossy"] != "true" || f["lost"] != "12" || f["unit"] != "requested" || f["clock"] != "boot" || f["partial"] != "" {
		t.Errorf("facts %v", f)
	}
	same(t, "problems", r.problems())
}

func TestKmem(t *testing.T) {
	r := decode(t, perf.DecodeScript, fixture(t, "perf-script/kmem.txt"))
	same(t, "events", r.dump(t, table.Events, eventColumns),
		"0 0 16374 16374 alloc kmalloc 0xffff88810442e040 32 1 1",
		"127000 1 16374 16374 free kmalloc 0xffff88810442e040 - 1 2",
		"132000 2 16374 16374 alloc - 0xa1b2c3d4 4096 2 4",
		"156000 3 16374 16374 free lsm_file_cache 0xffff88810773f960 - 3 5",
		"1943000 4 16273 16273 alloc page 0x10a43a 16384 6 6",
		"1963000 5 16273 16273 free page 0x10a43a - - 12")
	same(t, "frames", r.dump(t, table.Frames, "id parent function module"), "1 - sched_setaffinity kernel", "2 - - kernel", "3 - __fput kernel",
		"4 - - -", "5 4 ext4_writepages ext4", "6 5 __alloc_frozen_pages_noprof kernel")
	if f := r.facts(); f["lossy"] != "true" || f["partial"] != "true" || f["unit"] != "usable" || f["lost"] != "" {
		t.Errorf("facts %v", f)
	}
	same(t, "problems", r.problems())
}

func TestBare(t *testing.T) {
	r := decode(t, perf.DecodeScript, fixture(t, "perf-script/bare.txt"))
	same(t, "events", r.dump(t, table.Events, eventColumns),
		"0 0 16066 16066 alloc heap 0x5565447562a0 100 - 2",
		"42580 1 - - alloc heap 0x556544756310 4096 - 4",
		"55716 2 16070 16070 free heap 0x556544756310 - - 5")
}

func TestBadLines(t *testing.T) {
	r := decode(t, perf.DecodeScript, fixture(t, "perf-script/bad-lines.txt"))
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), "0 16485 leakmix process - rss_anon 8192 1")
	same(t, "problems", r.problems(),
		`x:2: want mm_id=, curr=, type= and size= in bytes, have "mm_id=2244242654 curr=1 type=MM_OTHER size=12288B"`,
		`x:3:31: want seconds since boot before the event, have a number too large`,
		`x:4:1: want the time before a memory event (perf script -F +time), have none`,
		`x:5: want ptr= and, of an allocation, bytes_alloc=, have "call_site=f+0x1 ptr=0xzz bytes_req=1 bytes_alloc=8"`,
		`x:6: want ptr= with the address to free, have "(7f13a4838ef0) arg"`,
		`x:7: want a probe on the return of malloc too (malloc%return ret=$retval), have its entry alone, 1 times: no address, so no row`,
		`x:8: want pfn= and order=, have "page=0x1 pfn=0x1 order=99"`,
		`x:9:1: want an event, [COMMAND] PID [CPU] SECONDS: EVENT: …, have another line`,
		`x:10: want mm_id=, curr=, type= and size= in bytes, have "mm_id=2244242654 curr=1 type=MM_ANON"`)
}

func TestFtrace(t *testing.T) {
	r := decode(t, perf.DecodeFtrace, fixture(t, "ftrace/trace.txt"))
	same(t, "samples", r.dump(t, table.Samples, "time_ns pid process metric value line"),
		"0 26700 Chrome_IO-1 rss_file 1118208 13", "233000 26700 Chrome_IO-1 rss_anon 299008 14", "339000 26700 Chrome_IO-1 swap 4096 17")
	if f := r.facts(); f["lossy"] != "true" || f["lost"] != "223" || f["change_only"] != "true" {
		t.Errorf("facts %v", f)
	}
	same(t, "problems", r.problems())
	r = decode(t, perf.DecodeFtrace, fixture(t, "ftrace/trace-cmd.txt"))
	same(t, "samples", r.dump(t, table.Samples, "time_ns pid process metric value"), "0 26700 leakmix rss_anon 299008")
	same(t, "events", r.dump(t, table.Events, eventColumns),
		"233000 0 26700 26700 alloc kmalloc 0xffff888102b0f700 32 1 3", "939000 1 26700 26701 alloc heap 0x5565447562a0 100 - 5")
	same(t, "problems", r.problems())
	r = decode(t, perf.DecodeFtrace, fixture(t, "ftrace/bad-lines.txt"))
	same(t, "samples", r.dump(t, table.Samples, "time_ns pid process metric value"), "0 26700 leakmix rss_file 4096")
	same(t, "problems", r.problems(),
		`x:3: want mm_id=, curr=, type= and size= in bytes, have "mm_id=3119807350 curr=1 type=MM_FILEPAGES size=-1B"`,
		`x:5:1: want an event, [COMMAND] PID [CPU] SECONDS: EVENT: …, have another line`,
		`x:6: want mm_id=, curr=, type= and size= in bytes, have "mm_id=31198"`)
}
