package proc

import (
	"strings"
	"testing"
)

const header = "55db7ba83000-7fff9eb5d000 ---p 00000000 00:00 0                          [rollup]\n"

func TestRollup(t *testing.T) {
	r := read(t, DecodeRollup, "$ cat /proc/77/smaps_rollup\n"+header+`Rss:               20880 kB
Pss_Anon:           7144 kB
Shared_Dirty:         16 kB
Private_Clean:      2048 kB
Private_Dirty:      3464 kB
LazyFree:              0 kB
SwapPss:               8 kB
Brand_New:             4 kB
`)
	check(t, "rows", r.rows, `
		0 77 ? process ? rss 21381120 3
		0 77 ? process ? pss_anon 7315456 4
		0 77 ? process ? shared_dirty 16384 5
		0 77 ? process ? private_clean 2097152 6
		0 77 ? process ? private_dirty 3547136 7
		0 77 ? process ? uss 5644288 7
		0 77 ? process ? dirty 3563520 7
		0 77 ? process ? lazy_free 0 8
		0 77 ? process ? swap_pss 8192 9
		0 77 ? process ? brand_new 4096 10`)
	check(t, "problems", r.problems, `x:10:1: unknown field "Brand_New"`)
}

// TestRollupLoop has the separators that loops print, a sample that failed, and two processes in one sample.
func TestRollupLoop(t *testing.T) {
	r := read(t, DecodeRollup, `================
Sun Nov 29 11:25:15 UTC 2026
================
`+header+`Rss:  1 kB
### 1795951517 pid=12
`+header+`Rss:  2 kB
### 1795951518
cat: /proc/12/smaps_rollup: No such file or directory
### 1795951519 pid=13
`+header+`Rss:  3 kB
==> /proc/14/smaps_rollup <==
`+header+`Rss:  4 kB
### 1795951520
`)
	check(t, "rows", r.rows, `
		0 ? ? process ? rss 1024 5
		2000000000 12 ? process ? rss 2048 8
		4000000000 13 ? process ? rss 3072 13
		4000000000 14 ? process ? rss 4096 16`)
	check(t, "problems", r.problems, "")
	if r.noData != 2 {
		t.Errorf("want 2 samples without data, have %d", r.noData)
	}
}

func TestStatus(t *testing.T) {
	r := read(t, DecodeStatus, `Name:	web server (x)
State:	S (sleeping)
Pid:	1791
FDSize:	256
VmSize:	     100 kB
VmRSS:	      10 kB
VmFuture:	      10 kB
Threads:	21
SigQ:	4/28542
2467 2155 274 1 0 1937 0
Name:	web server (x)
Pid:	1791
VmRSS:	      11 kB
Name:	other
Pid:	1792
VmRSS:	      12 kB
`)
	check(t, "rows", r.rows, `
		0 1791 web server (x) process ? vss 102400 5
		0 1791 web server (x) process ? rss 10240 6
		0 1791 web server (x) handle threads count 21 8
		1000000000 1791 web server (x) process ? rss 11264 13
		1000000000 1792 other process ? rss 12288 16`)
	check(t, "problems", r.problems, `x:7:1: unknown field "VmFuture"`)
}

// TestStatusParts are the lines that grep takes, without a separator: a key that comes again is the next sample.
func TestStatusParts(t *testing.T) {
	r := read(t, DecodeStatus, "VmRSS:\t 1 kB\nVmSwap:\t 0 kB\nVmRSS:\t 2 kB\nVmSwap:\t 1 kB\nVmRSS:  3 kB\n")
	check(t, "rows", r.rows, `
		0 ? ? process ? rss 1024 1
		0 ? ? process ? swap 0 2
		1000000000 ? ? process ? rss 2048 3
		1000000000 ? ? process ? swap 1024 4`)
	// the last sample has one field where two are usual
	check(t, "problems", r.problems, "x:5: sample dropped: the file ends in the middle of it (1 fields, 2 are usual)")
}

func TestStatusWithoutMemory(t *testing.T) {
	r := read(t, DecodeStatus, "1795951517\nName:\tapp\nPid:\t7\nVmRSS:\t 1 kB\nThreads:\t1\n1795951518\nName:\tapp\nState:\tZ (zombie)\nPid:\t7\nThreads:\t1\n")
	check(t, "rows", r.rows, "0 7 app process ? rss 1024 4\n0 7 app handle threads count 1 5")
	if r.noData != 1 || r.problems != nil {
		t.Errorf("want one sample without data and no problem, have %d and %v", r.noData, r.problems)
	}
}

func TestMeminfo(t *testing.T) {
	r := read(t, DecodeMeminfo, `Uptime: 12
/ # cat /proc/meminfo
MemTotal:         518440 kB
Active(anon):       4 kB
HugePages_Total:       3
DirectMap1G:           0 kB

Node 0 MemTotal:  8 kB
Node 1 MemTotal:  9 kB
MemTotal:         518440 kB
`)
	check(t, "rows", r.rows, `
		0 ? ? system ? mem_total 530882560 3
		0 ? ? system ? active_anon 4096 4
		0 ? ? system ? huge_pages_total 3 5
		0 ? ? system ? direct_map1g 0 6
		0 ? ? system Node 0 mem_total 8192 8
		0 ? ? system Node 1 mem_total 9216 9`)
	check(t, "problems", r.problems, "x:10: sample dropped: the file ends in the middle of it (1 fields, 5 are usual)")
}

func TestStatm(t *testing.T) {
	r := read(t, DecodeStatm(16384), "# cat /proc/5/statm\n10 5 2 1 0 3 0\n1 2 3\n\n20 6 18446744073709551615 1 0 3 0")
	check(t, "rows", r.rows, `
		0 5 ? process ? vss 163840 2
		0 5 ? process ? rss 81920 2
		0 5 ? process ? rss_shared 32768 2
		1000000000 5 ? process ? vss 327680 5
		1000000000 5 ? process ? rss 98304 5`)
	check(t, "problems", positions(r.problems), "x:3:6\nx:5:6")
	if r := read(t, DecodeStatm(0), "10 5 2 1 0 3 0\n"); r.err == nil || r.rows != nil {
		t.Errorf("without a page size: want a refusal, have %v and %v", r.err, r.rows)
	}
	if r := read(t, DecodeStatm(1<<40), "99999999999 5 2 1 0 3 0\n"); len(r.rows) != 2 || len(r.problems) != 1 {
		t.Errorf("beyond 63 bits: want 2 rows and a problem, have %v and %v", r.rows, r.problems)
	}
}

// TestPositions marks with ∑ where a problem must point.
func TestPositions(t *testing.T) {
	for _, text := range []string{
		"VmSize:\t  ∑many kB\nVmRSS:\t1 kB\n",
		"VmRSS:\t1 kB\nVmSwap:\t 12∑ MB\n",
		"VmRSS:\t∑9223372036854775807 kB\nVmSwap:\t0 kB\n",
		"VmRSS:\t∑99999999999999999999 kB\nVmSwap:\t0 kB\n",
		"VmRSS:\t1 kB\nThreads:\t∑-4\n",
		header + "Rss:  1 kB\n∑Rss:  2 kB\nPss:  1 kB\n",
		header + "Rss:  1 kB\n∑aaaaaaaa-bbbbbbbb rw-p\n∑Rss: 3 kB\nPss: 3 kB\n",
		header + "Rss:  1 kB\nPss:  1∑\n",
		"MemTotal:  1 kB\nMemFree:  ∑\nCached: 1 kB\n",
		"MemTotal:  ∑x kB\nMemFree: 1 kB\n",
	} {
		text, want := marked(text)
		decode := []int{1, 0, 3}[map[byte]int{'V': 0, '5': 1, 'M': 2}[text[0]]]
		check(t, strings.TrimSpace(text), positions(read(t, formats[decode].decode, text).problems), strings.Join(want, "\n"))
	}
}

// TestNothing are files without a sample: the error says why.
func TestNothing(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x: held nothing: want"},
		{"hello\n", "x:1: held nothing: want"},
		{"# \ncat: /proc/9/status: No such file or directory\n", `x:2: held nothing: "cat: /proc/9/status: No such file or directory"`},
		{"Name:\tkthreadd\nState:\tS\nThreads:\t1\n", "x:1: held nothing: no memory figures"},
		{"VmRSS:\t12", "x:1: held nothing: sample dropped: the file ends in the middle of it"},
	} {
		if r := read(t, DecodeStatus, c.text); r.err == nil || !strings.HasPrefix(r.err.Error(), c.want) {
			t.Errorf("%q\nwant: %s\nhave: %v", c.text, c.want, r.err)
		}
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"MemAvailable": "mem_available", "Active(anon)": "active_anon", "Committed_AS": "committed_as", "SReclaimable": "s_reclaimable",
		"KReclaimable": "k_reclaimable", "NFS_Unstable": "nfs_unstable", "AnonHugePages": "anon_huge_pages", "DirectMap1G": "direct_map1g",
		"VmallocUsed": "vmalloc_used", "HighTotal": "high_total", "SwapPss": "swap_pss", "KSM": "ksm", "HugePages_Total": "huge_pages_total",
		"Pss_Anon": "pss_anon", "CmaFree": "cma_free", "Hugetlb": "hugetlb", "ShmemPmdMapped": "shmem_pmd_mapped",
	} {
		if have := snake([]byte(in)); have != want {
			t.Errorf("%s: want %s, have %s", in, want, have)
		}
	}
}
