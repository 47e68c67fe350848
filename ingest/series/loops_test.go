package series

import (
	"strings"
	"testing"
)

const psrecordHead = "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"

func TestPsrecord(t *testing.T) {
	want := []string{"0 process rss 8412725", "0 process vss 15095300", "500000000 process rss 8388608", "500000000 process vss 15728640"}
	for name, text := range map[string]string{
		"as written": psrecordHead + "       0.000        0.000        8.023       14.396\n       0.500       99.900        8.000       15.000\n",
		"started":    "START_TIME: 1700000000.5\n" + psrecordHead + "0.000 0.000 8.023 14.396\nfoo\n0.500 99.9 8.000 15.000\n",
		"more columns": "# Timestamp    Elapsed time   CPU (%)     Real (MB)   Virtual (MB)   Read count  Write count\n" +
			"2024-01-31 10:15:00.000 0.000 0.000 8.023 14.396 3 4\n2024-01-31 10:15:00.500 0.500 99.9 8.000 15.000 3 4\n",
	} {
		r := decode(t, DecodePsrecord, "x", text)
		if r.err != nil || len(r.problems) > 0 || !SniffPsrecord([]byte(text)) || SniffCSV([]byte(text)) || SniffPS([]byte(text)) {
			t.Errorf("%s: %v %v", name, r.err, r.problems)
		}
		same(t, name, short(r.rows(t)), want)
	}
}

func TestPsrecordProblems(t *testing.T) {
	r := decode(t, DecodePsrecord, "x", psrecordHead+"0.000 0.000 8.000 14.000\n0.500 0.000 8.000\n1.000 0.000 -8.000 x\n1.250 0.000 8.000 14.000\n1.500 0.000 8.000 14.0")
	same(t, "problems", r.problems, []string{"x:3:18: want 4 figures, have 3", `x:4:13: want a size in MB, have "-8.000"`, `x:4:20: want a size in MB, have "x"`,
		`x:6:19: want the end of the line behind "14.0", have the end of the file: the figure may be cut and is left out`})
	if r = decode(t, DecodePsrecord, "x", psrecordHead); r.err == nil {
		t.Error("a header alone holds nothing")
	}
}

func TestPidstat(t *testing.T) {
	want := []string{"0 7 my app process vss 39432192", "0 7 my app process rss 12222464", "1000000000 7 my app process vss 39432192", "1000000000 7 my app process rss 12222464"}
	const head = "   UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
	const cpu = "   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
	const row = "  1000         7      0.00      0.00   38508   11936   0.05  my app\n"
	for name, text := range map[string]string{
		"24 hours": "Linux 6.1.0 (h) \t01/31/24 \t_x86_64_\t(2 CPU)\n\n10:15:00" + head + "10:15:01" + row + "10:15:02" + row + "Average:" + row,
		"12 hours": "Linux 6.1.0 (h) \t01/31/24\n\n11:59:59 AM" + head + "11:59:59 AM" + row + "12:00:00 PM" + row,
		"midnight": "Linux 6.1.0 (h) \t2024-01-31\n\n23:59:59" + head + "23:59:59" + row + "\n23:59:59" + head + "00:00:00" + row,
		"-h":       "# Time     " + head + "10:15:01" + row + "\n# Time     " + head + "10:15:02" + row,
		"-H":       "# Time     " + head + "1700000000" + row + "1700000001" + row,
		"-u too":   "10:15:00" + cpu + "10:15:01     0         7    0.00    0.00    0.00    0.00    0.00     0  x\n\n10:15:00" + head + "10:15:01" + row + "10:15:02" + row,
		"threads": "10:15:00   UID      TGID       TID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n" +
			"10:15:01     0         7         -      0.00      0.00   38508   11936   0.05  my app\n10:15:01     0         -         7      0.00      0.00   38508   11936   0.05  |__my app\n" +
			"10:15:02     0         7         -      0,00      0,00   38508   11936   0,05  my app\n",
		"no line end": "10:15:00" + head + "10:15:01" + row + "10:15:02" + strings.TrimRight(row, "\n"),
	} {
		r := decode(t, DecodePidstat, "x", text)
		if r.err != nil || len(r.problems) > 0 || !SniffPidstat([]byte(text)) || SniffPS([]byte(text)) || SniffCSV([]byte(text)) {
			t.Errorf("%s: %v %v", name, r.err, r.problems)
		}
		same(t, name, short(r.rows(t)), want)
		if n := r.set.Files[0].Snapshots; n != 2 {
			t.Errorf("%s: %d samples, want 2", name, n)
		}
	}
}

func TestPidstatDetails(t *testing.T) {
	const head = "# Time        UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
	r := decode(t, DecodePidstat, "x", "Linux 6.1.0 (h) \t2024-01-31\n"+head+"12:00:00        0         1      0.00      0.00    7.4G  972.0k   0.0%  a b --c\n")
	same(t, "human", short(r.rows(t)), []string{"0 1 a b --c process vss 7945689498", "0 1 a b --c process rss 995328"})
	if r.facts["rounded"] == "" || r.facts["date"] != "2024-01-31" || r.facts["kernel"] != "6.1.0" || r.set.Start.V != 1706702400e9 {
		t.Error(r.facts, r.set.Start)
	}
	r = decode(t, DecodePidstat, "x", head+"12:00:00 0 1 0.00 0.00 5 6 0.0 a\n12:00:01 0 x 0.00 0.00 5 6 0.0 a\n12:00:02 0 1 0.00 0.00 y 6 0.0 a\n12:00:03 0 1 0.00\n12:00:04 0 1 0.00 0.00 5 6 0.0 ab")
	same(t, "problems", r.problems, []string{`x:3:12: want a pid, have "x"`, `x:4:24: want a size in kB, have "y"`, "x:5:18: want 8 columns behind the time, have 3",
		"x:6:32: want a whole line, have one without an end: taken for cut"})
	if r = decode(t, DecodePidstat, "x", head); r.err == nil {
		t.Error("a header alone holds nothing")
	}
}

func TestPS(t *testing.T) {
	want := []string{"0 7 my app process rss 1024", "0 7 my app process vss 2048", "1000000000 7 my app process rss 3072", "1000000000 7 my app process vss 4096"}
	for name, text := range map[string]string{
		"dates":          "1700000000\n  PID   RSS    VSZ COMMAND\n    7     1      2 my app\n1700000001\n  PID   RSS    VSZ COMMAND\n    7     3      4 my app\n",
		"date in words":  "Sun Nov 29 11:25:15 UTC 2026\nPID RSS VSZ COMMAND\n7 1 2 my app\nSun Nov 29 11:25:16 UTC 2026\nPID RSS VSZ COMMAND\n7 3 4 my app\n",
		"no dates":       "PID RSS VSZ COMMAND\n7 1 2 my app\nPID RSS VSZ COMMAND\n7 3 4 my app\n",
		"header once":    "PID RSS VSZ COMMAND\n7 1 2 my app\n7 3 4 my app\n",
		"command inside": "PID COMMAND RSS %CPU VSZ\n7 my app 1 0.0 2\n7 my app 3 0.0 4\n",
		"aux": "USER       PID %CPU %MEM    RSS   VSZ TTY      STAT START   TIME COMMAND\nroot         7  0.0  0.0  1 2 ?        S<Ll 12:32   0:00 my app\n" +
			"USER       PID %CPU %MEM    RSS   VSZ TTY      STAT START   TIME COMMAND\nroot         7  0.0  0.0  3 4 ?        S<Ll 12:32   0:00 my app\n",
		"lstart":  "PID STARTED RSS VSZ CMD\n7 Sun Nov 29 12:32:00 2026 1 2 my app\n7 Sun Nov 29 12:32:00 2026 3 4 my app\n",
		"start":   "PID STARTED RSS VSZ CMD\n7 Nov 29 1 2 my app\n7 12:32:00 3 4 my app\n",
		"threads": "PID LWP RSS VSZ CMD\n7 7 1 2 my app\n7 8 1 2 worker\nPID LWP RSS VSZ CMD\n7 7 3 4 my app\n",
		"toybox":  "USER PID PPID RSS VSZ WCHAN ADDR S NAME\nu0 7 1 1 2 0 0 S my app\n\nUSER PID PPID RSS VSZ WCHAN ADDR S NAME\nu0 7 1 3 4 0 0 S my app\n",
		"prompt":  "$ while :; do ps -o pid,rss,vsz,comm; done\nPID RSS VSZ COMMAND\n7 1 2 my app\nPID RSS VSZ COMMAND\n7 3 4 my app\n^C\n",
	} {
		r := decode(t, DecodePS, "x", text)
		if r.err != nil || len(r.problems) > 0 || !SniffPS([]byte(text)) || SniffCSV([]byte(text)) || SniffPidstat([]byte(text)) {
			t.Errorf("%s: %v %v", name, r.err, r.problems)
		}
		same(t, name, short(r.rows(t)), want)
		r = decode(t, DecodeCSV, "x", text) // what --format series-csv does
		same(t, name+" as series-csv", short(r.rows(t)), want)
	}
}

func TestPSDetails(t *testing.T) {
	r := decode(t, DecodePS, "x", "PID NLWP PSS USS RSS CMD\n1 4 1 2 3 a\n2 5 - 5 6m b\n1 4 1 2 3 a\n")
	same(t, "rows", short(r.rows(t)), []string{"0 1 a handle threads count 4", "0 1 a process pss 1024", "0 1 a process uss 2048", "0 1 a process rss 3072",
		"0 2 b handle threads count 5", "0 2 b process uss 5120", "0 2 b process rss 6291456",
		"1000000000 1 a handle threads count 4", "1000000000 1 a process pss 1024", "1000000000 1 a process uss 2048", "1000000000 1 a process rss 3072"})
	r = decode(t, DecodePS, "x", "1700000000\nPID RSS\n7 1\n1700000001\nPID RSS\n1700000002\nPID RSS\n7 2\n")
	if same(t, "gone once", short(r.rows(t)), []string{"0 7 process rss 1024", "2000000000 7 process rss 2048"}); r.noData != 1 {
		t.Errorf("%d samples without data, want 1", r.noData)
	}
	r = decode(t, DecodePS, "x", "RSS\n10\nRSS\n20\n")
	same(t, "one column", short(r.rows(t)), []string{"0 process rss 10240", "1000000000 process rss 20480"})
	r = decode(t, DecodePS, "x", "PID RSS\n7 1\n7 x\n8\n9 1 2\n7 1")
	same(t, "problems", r.problems, []string{`x:3:3: want a size in kB, have "x"`, "x:4:2: want 2 columns, have 1", "x:5:6: want 2 columns, have 3", "x:6:4: want a whole line, have one without an end: taken for cut"})
	for _, text := range []string{"PID RSS\n", "12\n13\n", ""} {
		if r = decode(t, DecodePS, "x", text); r.err == nil {
			t.Errorf("%q holds nothing", text)
		}
	}
}
