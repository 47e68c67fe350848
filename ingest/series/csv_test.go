package series

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// TestHeaders is the table of the format's description: what each header gives.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		header, line string
		want         []string
	}{
		{"time_s,rss_kb", "0,1", []string{"0 process rss 1024"}},
		{"timestamp,rss_mb,pss_kb,private_dirty_kb", "0,1,1,1", []string{"0 process rss 1048576", "0 process pss 1024", "0 process private_dirty 1024"}},
		{"epoch,gpu_used_mib,threads", "1700000000,2,7", []string{"0 process gpu_used 2097152", "0 handle threads count 7"}},
		{"iteration,uss", "3,4096", []string{"0 3 process uss 4096"}},
		{"t,pid,comm,rss", "0,12,sh,1", []string{"0 12 sh process rss 1"}},
		{"elapsed_ms,image_cache_mb,cpu_pct", "5,1,99", []string{"0 pool image_cache live_bytes 1048576"}},
		{"time,dalvik_heap_private_dirty_kb", "0,1", []string{"0 category dalvik_heap private_dirty 1024"}},
		{"time,jit_cache_mb", "0,1", []string{"0 pool jit_cache live_bytes 1048576"}},
		{"Time (s),RSS (MB),CPU (%)", "0,1,5", []string{"0 process rss 1048576"}},
		{"time [ms],Private-Dirty [KiB]", "0,1", []string{"0 process private_dirty 1024"}},
		{"ts,vmrss kB,VmHWM", "0,1,2", []string{"0 process rss 1024", "0 process vm_hwm 2"}},
		{"time,res,virt,shr", "0,1,2,3", []string{"0 process rss 1", "0 process vss 2", "0 process rss_shared 3"}},
		{"time,heapUsed,heapTotal,rssMB,rsskb", "0,1,2,3,4", []string{"0 process heap_alloc 1", "0 process heap_size 2", "0 process rss 3145728"}},
		{"time,num_fds,open_fds,nr_maps,timer_count,Activities,views", "0,1,2,3,4,5,6", []string{"0 handle fds count 1",
			"0 handle maps count 3", "0 handle timer count 4", "0 class Activities count 5", "0 class Views count 6"}},
		{"time,mem_total_kb,mem_available_kb,cached", "0,1,2,3", []string{"0 system mem_total 1024", "0 system mem_available 2048", "0 system cached 3"}},
		{"time,live_bytes,total_bytes,gfx_live_bytes", "0,1,2,3", []string{"0 process live_bytes 1", "0 process total_bytes 2", "0 category gfx live_bytes 3"}},
		{"time,rss_g,pss_k,uss_m,swap_b", "0,1.5,1,1,1", []string{"0 process rss 1610612736", "0 process pss 1024", "0 process uss 1048576", "0 process swap 1"}},
		{"time,rss,latency_ms,ppid,phase", "0,1,20,1,warm", []string{"0 process rss 1"}},
		{"row,time_s,rss", "1,0,9", []string{"0 process rss 9"}},
		{",time_s,rss", "1,0,9", []string{"0 process rss 9"}},
		{"pid,time_s,rss", "1,0,9", []string{"0 1 process rss 9"}},
		{"date,time,rss", "2024-01-31,10:15:00,9", []string{"0 process rss 9"}},
		{"time,anon_pages_kb", "0,1", []string{"0 system anon_pages 1024"}},
	} {
		text := c.header + "\n" + c.line + "\n"
		if !SniffCSV([]byte(text)) {
			t.Errorf("%s: not claimed", c.header)
		}
		r := decode(t, DecodeCSV, "x.csv", text)
		if r.err != nil {
			t.Errorf("%s: %v", c.header, r.err)
			continue
		}
		same(t, c.header, short(r.rows(t)), c.want)
	}
}

// TestWorkedExample holds the figures of the format's description.
func TestWorkedExample(t *testing.T) {
	r := decode(t, DecodeCSV, "x.csv", "time_s,rss_kb\n0,1000.5\n0.5,\n1,2000\n1.5,x\n")
	same(t, "rows", r.rows(t), []string{"0,,,,process,,rss,1024512,2", "1000000000,,,,process,,rss,2048000,4"})
	same(t, "problems", r.problems, []string{`x.csv:5:5: want a size for rss_kb, have "x"`})
	if got := r.facts["missing values"]; got != "rss_kb 1" {
		t.Errorf("missing values: %q", got)
	}
}

// TestPositions holds the places of problems: ∑ stands where the problem must point.
func TestPositions(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text in a number", "t,rss\n0,1\n1, ∑oops\n", `want a size for rss, have "oops"`},
		{"negative size", "t,rss,pss\n0,1,1\n1,1,∑-5\n", `want a size for pss, have "-5"`},
		{"too few cells", "t,rss,pss\n0,1,1\n1,1∑\n2,1,1\n", "want 3 cells, have 2"},
		{"too many cells", "t,rss\n0,1\n1,1,∑7\n", "want 2 cells, have 3"},
		{"no time", "t,rss\n0,1\n∑soon,1\n", `want a time, have "soon"`},
		{"empty time", "t,rss\n0,1\n∑,1\n", `want a time, have ""`},
		{"pid", "t,pid,rss\n0,1,1\n1,∑-1,1\n", `want a pid, have "-1"`},
		{"too large", "t,rss_gb\n0,1\n1,∑99999999999\n", `want a size for rss_gb below 2^63, have "99999999999"`},
		{"pages", "t,rss,∑vm_pages\n0,1,1\n", `want bytes, kB or MB, have column "vm_pages" in pages, whose size the file does not tell: not read`},
		{"column twice", "t,rss,∑vmrss\n0,1,1\n", `want one column for each figure, have "vmrss" beside "rss": not read`},
		{"iteration", "iter,rss\n0,1\n∑1.5,1\n", `want the number of an iteration, have "1.5"`},
		{"count", "t,fds\n0,1\n1,∑many\n", `want a count for fds, have "many"`},
		{"open quote", "t,rss\n0,1\n1,∑\"5\n2,3\n", `want a size for rss, have "\"5"`},
		{"cut", "t,rss_kb\n0,1000\n1,∑10", `want the end of the line behind "10", have the end of the file: the cell may be cut and is left out`},
	} {
		before, after, _ := strings.Cut(c.text, "∑")
		line := strings.Count(before, "\n") + 1
		column := len(before) - strings.LastIndex(before, "\n")
		r := decode(t, DecodeCSV, "x", before+after)
		want := "x:" + itoa(line) + ":" + itoa(column) + ": " + c.want
		same(t, c.name, r.problems, []string{want})
		if r.err != nil || len(r.rows(t)) == 0 {
			t.Errorf("%s: the other lines must stay: %v", c.name, r.err)
		}
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

// TestNoLineEnd: the last cell may be half, the others are whole; of when or whose the figures are must be known.
func TestNoLineEnd(t *testing.T) {
	for text, want := range map[string]string{
		"time_s,rss_kb\n0,98000\n1,99000\n2,10000":       "0 process rss 100352000;1000000000 process rss 101376000",
		"time_s,rss_kb,pss_kb\n0,9,9\n1,8,8":             "0 process rss 9216;0 process pss 9216;1000000000 process rss 8192",
		"rss_kb,time_s\n9,0\n8,1":                        "0 process rss 9216",
		"time_s,rss_kb,note\n0,9,a\n1,8,b":               "0 process rss 9216;1000000000 process rss 8192",
		"time_s,rss_kb\n0,98000\n1,99000\n2,\"10000\"\n": "0 process rss 100352000;1000000000 process rss 101376000;2000000000 process rss 10240000",
	} {
		r := decode(t, DecodeCSV, "x", text)
		same(t, text, short(r.rows(t)), strings.Split(want, ";"))
		if cut := !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "b"); cut != (len(r.problems) == 1) {
			t.Errorf("%q: problems %q", text, r.problems)
		}
	}
}

// TestLayouts are spellings of the same two samples.
func TestLayouts(t *testing.T) {
	want := []string{"0 process rss 1024", "1000000000 process rss 2048"}
	for name, text := range map[string]string{
		"comma":           "t,rss_kb\n0,1\n1,2\n",
		"no line end":     "t,rss_kb\n0,1\n1,\"2\"",
		"CR LF":           "t,rss_kb\r\n0,1\r\n1,2\r\n",
		"semicolon":       "t;rss_kb\n0,0;1,0\n1,0;2,0\n",
		"tab":             "t\trss_kb\n0\t1\n1\t2\n",
		"bar":             "t | rss_kb\n0 | 1\n1 | 2\n",
		"blanks":          "t, rss_kb\n0, 1\n1, 2\n",
		"quotes":          "\"t\",\"rss_kb\"\n\"0\",\"1\"\n\"1\",\"2\"\n",
		"BOM":             "\ufefft,rss_kb\n0,1\n1,2\n",
		"comments":        "# host a\n\nt,rss_kb\n# begin\n0,1\n\n1,2\n# end\n",
		"comment header":  "# t,rss_kb\n0,1\n1,2\n",
		"header again":    "t,rss_kb\n0,1\nt,rss_kb\n1,2\n",
		"empty column":    "t,rss_kb,\n0,1,\n1,2,\n",
		"missing":         "t,rss_kb,pss\n0,1,-\n1,2,NaN\n",
		"exponent":        "t,rss_kb\n0e0,1.0e+00\n1,.2e1\n",
		"epoch ms":        "timestamp,rss_kb\n1700000000000,1\n1700000001000,2\n",
		"epoch s":         "timestamp,rss_kb\n1700000000,1\n1700000001,2\n",
		"epoch us":        "timestamp,rss_kb\n1700000000000000,1\n1700000001000000,2\n",
		"epoch ns":        "timestamp,rss_kb\n1700000000000000000,1\n1700000001000000000,2\n",
		"ISO":             "time,rss_kb\n2024-01-31T10:15:00Z,1\n2024-01-31T10:15:01Z,2\n",
		"ISO, zones":      "time,rss_kb\n2024-01-31T10:15:00+01:00,1\n2024-01-31T09:15:01Z,2\n",
		"date and time":   "time;rss_kb\n2024-01-31 10:15:00,000;1\n2024-01-31 10:15:01,000;2\n",
		"slashes":         "time,rss_kb\n2024/01/31 10:15:00.0,1\n2024/01/31 10:15:01.0,2\n",
		"date -R":         "date;rss_kb\nWed Jan 31 10:15:00 UTC 2024;1\nWed Jan 31 10:15:01 UTC 2024;2\n",
		"time of day":     "time,rss_kb\n10:15:00,1\n10:15:01,2\n",
		"midnight":        "clock,rss_kb\n23:59:59.5,1\n00:00:00.5,2\n",
		"quoted line end": "t,phase,rss_kb\n0,\"a\nb\",1\n1,c,2\n",
	} {
		r := decode(t, DecodeCSV, "x", text)
		if r.err != nil || len(r.problems) > 0 {
			t.Errorf("%s: %v %v", name, r.err, r.problems)
			continue
		}
		same(t, name, short(r.rows(t)), want)
		if !SniffCSV([]byte(strings.TrimPrefix(text, "\ufeff"))) {
			t.Errorf("%s: not claimed", name)
		}
	}
}

// TestClocks: a wall clock is told, an elapsed one has no start.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		text, clock string
		start       int64
	}{
		{"time_s,rss\n0,1\n", "trace", 0},
		{"epoch,rss\n1700000000.25,1\n", "wall", 1700000000250000000},
		{"timestamp_ms,rss\n1700000000123,1\n", "wall", 1700000000123000000},
		{"timestamp_ms,rss\n1234,1\n", "trace", 0},
		{"iteration,rss\n1,1\n2,2\n", "order", 0},
		{"date,rss\n1970-01-02,1\n", "wall", 86400e9},
	} {
		r := decode(t, DecodeCSV, "x", c.text)
		if r.err != nil || r.set.Clock != c.clock || r.set.Start.V != c.start {
			t.Errorf("%q: clock %s start %d, want %s %d (%v)", c.text, r.set.Clock, r.set.Start.V, c.clock, c.start, r.err)
		}
	}
}

// TestRestart: a time that falls cuts the series.
func TestRestart(t *testing.T) {
	r := decode(t, DecodeCSV, "x", "t,rss\n0,1\n10,2\n0,1\n10,2\n")
	if len(r.set.Restarts) != 1 {
		t.Errorf("restarts %v, want one", r.set.Restarts)
	}
}

// TestProcesses: lines of one time are one sample; the first process again begins the next.
func TestProcesses(t *testing.T) {
	r := decode(t, DecodeCSV, "x", "t,pid,comm,rss\n0,1,a,1\n0,2,b,2\n1,1,a,3\n1,2,b,4\n1,1,a,5\n1,2,b,6\n")
	if n := r.set.Files[0].Snapshots; n != 3 {
		t.Errorf("%d samples, want 3", n)
	}
	same(t, "rows", short(r.rows(t)), []string{"0 1 a process rss 1", "0 2 b process rss 2", "1000000000 1 a process rss 3",
		"1000000000 2 b process rss 4", "1000000000 1 a process rss 5", "1000000000 2 b process rss 6"})
}

func TestFacts(t *testing.T) {
	r := decode(t, DecodeCSV, "x", "t,rss_mb,cpu_pct,colour\n0,1,5,a\n1,,5,b\n")
	for name, want := range map[string]string{"columns skipped": "cpu_pct, colour", "missing values": "rss_mb 1", "units": "kB, MB and GB are read as 1024, 1024² and 1024³ bytes"} {
		if got := r.facts[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestFarTimes: of times that are further apart than 2^63 ns hold, those that come later are left out and told.
func TestFarTimes(t *testing.T) {
	r := decode(t, DecodeCSV, "x", "time_s,rss\n-9000000000.0,1\n-8999999999.0,2\n9000000000.0,3\n223372037,4\n")
	if n := len(r.rows(t)); r.err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, r.err)
	}
	want := "want a time at most 2^63 ns (292 years) from all others of the file, have \"9000000000.0\""
	if len(r.problems) != 2 || !strings.Contains(fmt.Sprint(r.problems[0]), want) {
		t.Errorf("%q, want two of which the first is %s", r.problems, want)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0,1\n1,2\n", "x:1:1: want a header line that names its columns, such as time_s,rss_kb or iteration,pss_kb,private_dirty_kb, have \"0,1\""},
		{"12048\n12050\n", "have \"12048\""},
		{"time_s,rss_kb\n", "x:1: held nothing: a header and no value below it, \"time_s,rss_kb\""},
		{"time_s,rss_kb\n0,\n1,NA\n", "held nothing"},
		{"time_s,rss_pages\n0,1\n", "held nothing"},
		{"", "held nothing"},
		{"# only\n# comments\n", "held nothing"},
	} {
		r := decode(t, DecodeCSV, "x", c.text)
		if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, r.err, c.want)
		}
	}
}

// TestForeign: tables that other formats own are not claimed.
func TestForeign(t *testing.T) {
	for name, text := range map[string]string{
		"nvidia-smi":       "timestamp, name, memory.used [MiB], power.draw [W]\n2026/01/03 15:36:53.507, NVIDIA, 1129 MiB, 33.09 W\n",
		"nvidia-smi apps":  "timestamp, gpu_name, pid, process_name, used_gpu_memory [MiB]\n2026/07/14 08:12:53.500, H100, 11327, a, 2566 MiB\n",
		"gpu logger":       "timestamp,gpu_utilization,memory_used,memory_total\n1746556382.8,0, 0, 15360\n",
		"ncu":              "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Kernel Time\",\"Metric Name\",\"Metric Value\"\n\"0\",\"1\",\"a\",\"k\",\"1\",\"m\",\"1\"\n",
		"nsys trace":       "Start (ns),Duration (ns),CorrId,Bytes (MB)\n1,2,3,0.5\n",
		"nsys sum":         "Time (%),Total Time (ns),Num Calls,Name\n50.0,100,2,cudaMalloc\n",
		"check-in":         "time,157710,157710\n4,1878,com.android.launcher3,1,2,3\n",
		"events":           "ts_ns,pid,tid,thread,op,kind,addr,old_addr,size,rc,stack\n1,2,2,,alloc,malloc,0x1,,100,,a;b\n",
		"reference counts": "#,Event Type,∆ RefCt,RefCt,Timestamp,Responsible Library\n0,Malloc,+1,1,00:01.000.000,Demo\n",
		"mappings":         "time_ns,pid,process,start,end,perms,offset,inode,path,category,size,rss\n0,1,a,0,1,rw-p,0,0,,heap,1,1\n",
		"sites":            "time_ns,pid,process,device,class,stack,live_bytes,live_count\n0,1,a,,x,1,5,5\n",
		"faults":           "time_ns,pid,process,kind,address,size,detail,stack,alloc_stack,free_stack,file,line\n0,1,a,crash,,,x,1,,,f,1\n",
		"text":             "time, as they say, is money\nand money, they say, talks\n",
		"figures":          "0,1\n1,2\n",
	} {
		if SniffCSV([]byte(text)) {
			t.Errorf("%s is claimed", name)
		}
	}
}

func TestDumpIsReadBack(t *testing.T) {
	text := "t,pid,comm,rss,heap_pss,fds\n0,1,\"a, \"\"b\"\"\",1,2,3\n1,1,\"a, \"\"b\"\"\",4,5,6\n1,2,c,7,8,9\n"
	first := decode(t, DecodeCSV, "x", text)
	var dumped strings.Builder
	if err := first.set.DumpCSV(&dumped, 0); err != nil {
		t.Fatal(err)
	}
	if !SniffCSV([]byte(dumped.String())) {
		t.Error("the dump is not claimed")
	}
	second := decode(t, DecodeCSV, "y", dumped.String())
	if second.err != nil || len(second.problems) > 0 {
		t.Fatal(second.err, second.problems)
	}
	same(t, "rows", short(second.rows(t)), short(first.rows(t)))
}

// TestMarks: a column of marks names what begins at a line, a phase where it changes.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"t,rss,mark\n0,1,\n1,1,login\n2,1,\n3,1,logout\n", "[{login 1000000000} {logout 3000000000}]"},
		{"t,phase,rss\n0,warm,1\n1,warm,1\n2,run,1\n3,warm,1\n", "[{warm 0} {run 2000000000}]"},
		{"t,rss\n0,1\n1,2\n", "[]"},
	} {
		if got := fmt.Sprint(table.FirstMarks(decode(t, DecodeCSV, "x", c.text).set)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestIterations: the first time of each round, from a column of iterations or one that counts them.
func TestIterations(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"t,iteration,rss\n0,,1\n1,1,1\n2,1,1\n3,2,1\n", "[{1 1000000000} {2 3000000000}]"},
		{"t,rss,rounds\n0,1,0\n1,1,1\n2,1,1\n3,1,2\n", "[{0 0} {1 1000000000} {2 3000000000}]"},
		{"t,iteration,rss\n0,5,1\n1,6,1\n2,1,1\n3,2,1\n", "[{1 2000000000} {2 3000000000}]"},
		{"t,rss\n0,1\n1,2\n", "[]"},
	} {
		if got := fmt.Sprint(table.Iterations(decode(t, DecodeCSV, "x", c.text).set)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
