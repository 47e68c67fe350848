package fault

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// TestKernelOOM holds every row of the fixtures.
func TestKernelOOM(t *testing.T) {
	r := decode(t, DecodeOOM, "x", fixture(t, "kernel-oom", "cgroup.txt"))
	same(t, "fault", r.dump(t, table.Faults, faultColumns), []string{
		"0 | 63214 | npm start | oom-kill | - | 222474240 | CONSTRAINT_MEMCG, cgroup /docker/609e7ec0, limit 524288kB | 14"})
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), []string{
		"0 | - | - | system | /docker/609e7ec0 | cgroup_usage | 536870912 | 5",
		"0 | - | - | system | /docker/609e7ec0 | mem_limit | 536870912 | 5",
		"0 | 63200 | pause | process | - | vss | 991232 | 11",
		"0 | 63200 | pause | process | - | rss | 4096 | 11",
		"0 | 63200 | pause | process | - | swap | 0 | 11",
		"0 | 63214 | npm start | process | - | vss | 3225055232 | 12",
		"0 | 63214 | npm start | process | - | rss | 222453760 | 12",
		"0 | 63214 | npm start | process | - | swap | 491520 | 12",
		"0 | 63214 | npm start | process | - | rss_anon | 168951808 | 14",
		"0 | 63214 | npm start | process | - | rss_file | 53428224 | 14",
		"0 | 63214 | npm start | process | - | rss_shmem | 94208 | 14"})
	if r.set.Clock != "boot" {
		t.Errorf("clock %s, want boot", r.set.Clock)
	}

	r = decode(t, DecodeOOM, "x", fixture(t, "kernel-oom", "syslog-old.txt"))
	same(t, "old form", r.dump(t, table.Faults, faultColumns), []string{
		"0 | 902 | db (worker) | oom-kill | - | 81920000 | Memory cgroup out of memory, cgroup /jobs, limit 102400kB | 9",
		"1947000000000 | 77 | idle | oom-kill | - | - | Out of memory | 10"})
	same(t, "pages of 16 kB", r.dump(t, table.Samples, "pid metric value")[2:5], []string{"901 | vss | 327680000", "901 | rss | 81920000", "901 | swap | 114688"})
	if r.facts["page size"] != "16 kB" {
		t.Error(r.facts)
	}

	r = decode(t, DecodeOOM, "x", fixture(t, "kernel-oom", "lines.txt"))
	same(t, "lines", r.dump(t, table.Faults, faultColumns), []string{"0 | 15784 | python3 | oom-kill | - | 7491584 | Out of memory | 1",
		"1000000000 | 15925 | (resolved) | oom-kill | - | 7847936 | Out of memory | 2"})
	if r.set.Clock != "wall" || r.set.Start.V != 1715807370e9 {
		t.Errorf("clock %s, start %d", r.set.Clock, r.set.Start.V)
	}
}

// TestOOMForms are single lines as people paste them.
func TestOOMForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Killed process 1234 (httpd) vsz:8kB, anon-rss:2kB, file-rss:1kB\n", "1234 | httpd | 3072 | Out of memory"},
		{"Out of memory: Killed process 7 (a) total-vm:8kB, anon-rss:2kB, file-rss:1kB, shmem-rss:1kB", "7 | a | 4096 | Out of memory"},
		{"Out of memory: Killed process 4242 (micd)\n", "4242 | micd | - | Out of memory"},
		{"Out of memory: Kill process 9 (b) score 900 or sacrifice child\nKilled process 9 (b) total-vm:8kB, anon-rss:2kB, file-rss:0kB\n", "9 | b | 2048 | Out of memory"},
		{"Memory cgroup out of memory: Kill process 9 (b) score 900 or sacrifice child\nKilled process 9 (b) total-vm:8kB, anon-rss:2kB, file-rss:0kB\n", "9 | b | 2048 | Memory cgroup out of memory"},
		{"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/a,task=c,pid=5,uid=0\n", "5 | c | - | CONSTRAINT_NONE"},
		{"<3>[39291577.009543] Memory cgroup out of memory: Killed process 1 (d) total-vm:4kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB\n", "1 | d | 4096 | Memory cgroup out of memory"},
	} {
		r := decode(t, DecodeOOM, "x", c.text)
		if !SniffOOM([]byte(c.text)) || r.err != nil || len(r.problems) > 0 {
			t.Errorf("%q: %v %v", c.text, r.err, r.problems)
		}
		same(t, c.text, r.dump(t, table.Faults, "pid process size detail"), []string{c.want})
	}
}

// TestGroupKill: all tasks of a cgroup are killed for one reason.
func TestGroupKill(t *testing.T) {
	r := decode(t, DecodeOOM, "x", `a invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/g,task_memcg=/g,task=a,pid=1,uid=0
Tasks in /g are going to be killed due to memory.oom.group set
Memory cgroup out of memory: Killed process 1 (a) total-vm:4kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB
Memory cgroup out of memory: Killed process 2 (b) total-vm:4kB, anon-rss:8kB, file-rss:0kB, shmem-rss:0kB
`)
	same(t, "faults", r.dump(t, table.Faults, "pid process size detail"), []string{"1 | a | 4096 | CONSTRAINT_MEMCG, cgroup /g", "2 | b | 8192 | CONSTRAINT_MEMCG, cgroup /g"})
}

func TestLMKD(t *testing.T) {
	r := decode(t, DecodeLMKD, "x", fixture(t, "lmkd", "logcat.txt"))
	same(t, "daemon", r.dump(t, table.Faults, faultColumns), []string{
		"0 | 17933 | com.example.maps | oom-kill | - | 143900672 | low watermark is breached and swap is low (144184kB < 267412kB), oom_score_adj 900 | 2",
		"758000000 | 18001 | com.example.mail:sync | oom-kill | - | 2097152 | device is not responding, oom_score_adj -100 | 3"})
	r = decode(t, DecodeLMKD, "x", fixture(t, "lmkd", "driver.txt"))
	same(t, "driver", r.dump(t, table.Faults, faultColumns), []string{
		"0 | 17589 | ample.gallery | oom-kill | - | 54435840 | cache 199320kB is below limit 221184kB for oom_score_adj 900, adj 904 | 1",
		"6088992000 | 2711 | id.process.acor | oom-kill | - | 5664768 | adj 15 | 5"})
	r = decode(t, DecodeLMKD, "x", `6,2302,533604004,-;lowmemorykiller: Killing 'x.y' (21742), adj 1000,\x0a   to free 27320kB on behalf of 'kswapd0' (47) because\x0a   cache 181920kB is below limit 184320kB for oom_score_adj 1000\x0a   Free memory is 1228kB above reserved`+"\n")
	same(t, "kmsg", r.dump(t, table.Faults, "pid process size detail"), []string{"21742 | x.y | 27975680 | cache 181920kB is below limit 184320kB for oom_score_adj 1000, oom_score_adj 1000"})
}

func TestMemorystatus(t *testing.T) {
	r := decode(t, DecodeMemorystatus, "x", fixture(t, "memorystatus", "console.txt"))
	same(t, "console", r.dump(t, table.Faults, faultColumns), []string{
		"0 | 38382 | PacketTunnel | oom-kill | - | 52429824 | per-process-limit, ActiveHard 50 MB | 1",
		"2000000000 | 86 | photoanalysisd | kill | - | 2097152 | idle-exit | 4"})
	same(t, "limit", r.dump(t, table.Samples, sampleColumns), []string{"0 | 38382 | PacketTunnel | process | - | mem_limit | 52428800 | 1"})
	r = decode(t, DecodeMemorystatus, "x", fixture(t, "memorystatus", "newer.txt"))
	same(t, "newer", r.dump(t, table.Faults, "pid process kind size detail line"), []string{
		"- | com.example.Web | oom-kill | 8785477632 | highwater | 2",
		"14871 | keyboard | oom-kill | 80742400 | per-process-limit, ActiveHard 77 MB | 3"})
}

// TestUnendedKill: a last line without an end may lack a digit of the pid or of the size.
func TestUnendedKill(t *testing.T) {
	for _, text := range []string{
		"10-24 14:24:26.342   710   710 I lowmemorykiller: Kill 'a.b' (17933), uid 1, oom_score_adj 900 to free 140528kB rss; reason: low water",
		"memorystatus: killing_specific_process pid 8 [mail] (per-process-limit 100) 7885",
		"process a [7] exceeded mem limit: ActiveHard 5",
	} {
		r := decode(t, DecodeLMKD, "x", text)
		if r.err == nil || !strings.Contains(r.err.Error(), "a kill that may be cut is left out") || r.set.Len(table.Faults)+r.set.Len(table.Samples) > 0 {
			t.Errorf("%q: %v, %d faults", text, r.err, r.set.Len(table.Faults))
		}
		if r = decode(t, DecodeLMKD, "x", text+"\n"); r.err == nil && r.set.Len(table.Faults)+r.set.Len(table.Samples) == 0 {
			t.Errorf("%q with its end: nothing", text)
		}
	}
}

// TestMixedLog: the kills of the other killers in a log are not lost.
func TestMixedLog(t *testing.T) {
	text := "[1.5] lowmemorykiller: Killing 'a' (1), adj 900,\n[1.5]    to free 4kB on behalf of 'kswapd0' (43) because\n" +
		"[2.5] Out of memory: Killed process 2 (b) total-vm:4kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB\n"
	if !SniffOOM([]byte(text)) || SniffLMKD([]byte(text)) {
		t.Error("a mixed log is one of the kernel")
	}
	r := decode(t, DecodeOOM, "x", text)
	same(t, "faults", r.dump(t, table.Faults, "time_ns pid process size"), []string{"0 | 1 | a | 4096", "1000000000 | 2 | b | 4096"})
}

func TestTombstones(t *testing.T) {
	r := decode(t, DecodeTombstone, "x", fixture(t, "android-tombstone", "gwp-asan.txt"))
	same(t, "fault", r.dump(t, table.Faults, faultColumns+" stack alloc_stack free_stack"), []string{
		"0 | 20099 | com.example.notes | use-after-free | 513831727088 | 48 | SIGSEGV SEGV_ACCERR: [GWP-ASan]: Use After Free, 16 bytes into a 48-byte allocation at 0x77a2c1efe0 | 12 | 3 | 5 | 7"})
	same(t, "frames", r.dump(t, table.Frames, "id parent function module address"), []string{
		"1 | - | __start_thread | /apex/com.android.runtime/lib64/bionic/libc.so | 794412",
		"2 | 1 | notes::draw() | /data/app/~~aa==/com.example.notes-bb==/base.apk!libnotes.so | 17440",
		"3 | 2 | notes::Cache::get(std::string const&) const | /data/app/~~aa==/com.example.notes-bb==/base.apk!libnotes.so | 37536",
		"4 | - | notes::Cache::put(std::string const&) | /memfd:jit-cache (deleted) | 20480",
		"5 | 4 | malloc | /apex/com.android.runtime/lib64/bionic/libc.so | 284160",
		"6 | - | notes::Cache::evict() | /data/app/~~aa==/com.example.notes-bb==/base.apk!libnotes.so | 20736",
		"7 | 6 | free | /apex/com.android.runtime/lib64/bionic/libc.so | 284280"})
	for name, want := range map[string]string{"android": "acme/demo64/demo64:14/TEST.2/2:userdebug/dev-keys", "abi": "arm64", "kernel": "6.1.57-android14", "timestamp": "2026-01-14 21:32:17.933551025+0100"} {
		if r.facts[name] != want {
			t.Errorf("%s: %q, want %q", name, r.facts[name], want)
		}
	}
	r = decode(t, DecodeTombstone, "x", fixture(t, "android-tombstone", "abort.txt"))
	same(t, "abort", r.dump(t, table.Faults, faultColumns), []string{
		"0 | 2301 | com.example.player:media | crash | - | - | SIGABRT SI_TKILL: buffer.cpp:73] no more buffers: asked for 4096 | 6"})
	same(t, "path with a blank", r.dump(t, table.Frames, "function module")[:2], []string{"- | <anonymous:b3700000>", "_ZN6player5Queue4pushERKS0_ | /data/app/x y/libplayer.so"})
	r = decode(t, DecodeTombstone, "x", fixture(t, "android-tombstone", "logcat.txt"))
	same(t, "logcat", r.dump(t, table.Faults, faultColumns), []string{"0 | 411 | /system/bin/surfaceflinger | crash | 24 | - | SIGSEGV SEGV_MAPERR: null pointer dereference | 6"})
	if n := r.set.Len(table.Frames); n != 2 {
		t.Errorf("%d frames of logcat, want 2", n)
	}
}

func TestTwoTombstones(t *testing.T) {
	text := fixture(t, "android-tombstone", "abort.txt") + fixture(t, "android-tombstone", "gwp-asan.txt")
	r := decode(t, DecodeTombstone, "x", text)
	same(t, "faults", r.dump(t, table.Faults, "pid kind"), []string{"2301 | crash", "20099 | use-after-free"})
}

func TestCauses(t *testing.T) {
	for cause, want := range map[string]string{
		"[GWP-ASan]: Double Free, 0 bytes into a 32-byte allocation at 0x7a": "double-free", "[GWP-ASan]: Invalid (Wild) Free, 33 bytes right of a 8-byte allocation at 0x1": "invalid-free",
		"[MTE]: Buffer Overflow, 4 bytes right of a 16-byte allocation at 0x1": "heap-buffer-overflow", "[MTE]: Buffer Underflow, 1 byte left of a 16-byte allocation at 0x1": "heap-buffer-underflow",
		"null pointer dereference": "crash", "stack pointer is not in a rw map; likely due to stack overflow.": "crash", "": "crash",
	} {
		if got, _ := kindOf([]byte(cause)); got != want {
			t.Errorf("%q: %s, want %s", cause, got, want)
		}
	}
	if _, size := kindOf([]byte("[MTE]: Use After Free, 0 bytes into a 32-byte allocation at 0x7a")); size != table.Known(32) {
		t.Error(size)
	}
}

func TestStamps(t *testing.T) {
	for text, want := range map[string]table.Stamp{
		"[12345.678901] x":                        {Boot: table.Known(12345678901000)},
		"[ 7093.5@3] x":                           {Boot: table.Known(7093500000000)},
		"[Mon Jan 15 10:15:01 2024] x":            {Wall: table.Known(1705313701e9)},
		"2024-01-15T10:15:01.5+0100 host kernel:": {Wall: table.Known(1705310101500e6)},
		"2024-01-15 10:15:01.500 1 2 I x":         {Wall: table.Known(1705313701500e6)},
		"May  1 00:00:01 h kernel: [ 5.5] x":      {Boot: table.Known(5500000000), Trace: table.Known(121*86400e9 + 1e9)},
		"01-02 00:00:00.250  1  2 I lmkd: x":      {Trace: table.Known(86400e9 + 250e6)},
		"default\t10:15:01.123456+0100\tkernel x": {Trace: table.Known(36901123456000)},
		"77.250 memorystatus: killing":            {Boot: table.Known(77250e6)},
		"Killed process 1":                        {},
		"":                                        {},
	} {
		if got := stampOf([]byte(text), 0); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestNothing(t *testing.T) {
	for _, f := range formats {
		for _, text := range []string{"", "\n", "hello\n", strings.Repeat("*** ", 16) + "\n"} {
			if r := decode(t, f.decode, "x", text); r.err == nil {
				t.Errorf("%s: %q holds nothing", f.name, text)
			}
		}
	}
}

// TestDamagedRows: a row of the task table without a pid, a frame without a number and a limit without a figure are told;
// other lines between them are not.
func TestDamagedRows(t *testing.T) {
	table1 := fixture(t, "kernel-oom", "cgroup.txt")
	row := "[ 7093.543763] [  63200]     0 63200      242        1    28672        0          -998 pause"
	for _, c := range []struct{ in, want string }{
		{strings.Replace(row, "63200]", "6x200]", 1), "x:11:16: want a row of the task table, [PID] and 8 columns"},
		{"[ 7093.543763] [  63", "x:11:16: want a row of the task table, [PID] and 8 columns"},
		{row + "\n[ 7093.543763] [drm] a line of another driver", ""},
		{row + "\n[ 7093.543763] usb 1-1: new device", ""},
	} {
		got := strings.Join(decode(t, DecodeOOM, "x", strings.Replace(table1, row, c.in, 1)).problems, "; ")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	crash := strings.Replace(fixture(t, "android-tombstone", "abort.txt"), "#01 pc", "#0x pc", 1)
	r := decode(t, DecodeTombstone, "x", crash)
	if len(r.problems) != 1 || !strings.HasPrefix(r.problems[0], "x:14:5: want a frame, #NN pc ADDRESS PLACE") {
		t.Errorf("%q", r.problems)
	}
	same(t, "the calls around it do not call each other", r.dump(t, table.Frames, "id parent function")[2:4], []string{"3 | 2 | -", "4 | 3 | tgkill"})
	log := "kernel[0] <Notice>: EXC_RESOURCE -> a[1] exceeded mem limit: ActiveHard x0 MB (fatal)\n"
	same(t, "limit", decode(t, DecodeMemorystatus, "x", log).problems, []string{`x:1:62: want a limit such as ActiveHard 50 MB, have "ActiveHard x0 MB (fatal)"`})
}
