package meminfo

import (
	"strings"
	"testing"
)

const (
	dump1 = "Applications Memory Usage (in Kilobytes):\nUptime: 1000 Realtime: 2000\n\n" + start + short10 + rows
	dump2 = "Applications Memory Usage (in Kilobytes):\nUptime: 11000 Realtime: 12000\n\n" + start + short10 + rows
)

// TestSamples: what separates the dumps of a log, and what time each has.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		name, text string
		times      string
		clock      string
		noData     int
	}{
		{"headers", dump1 + dump2, "0 10000000000", "boot", 0},
		{"commas in the time", dump1 + strings.Replace(dump2, "12000", "1,012,000", 1), "0 1010000000000", "boot", 0},
		{"dates", "Sun Nov 29 11:25:15 UTC 2026\n" + dump1 + "Sun Nov 29 11:26:15 UTC 2026\n" + dump2, "0 60000000000", "wall", 0},
		{"epochs", "1795951515.5\n" + dump1 + "1795951516.25\n" + dump2, "0 750000000", "wall", 0},
		{"date in a rule", "==========date: Sun Nov 29 11:25:15 UTC 2026; count: 1==========\\n\n" + dump1 + "\\n\n==========date: Sun Nov 29 11:27:15 UTC 2026; count: 2==========\\n\n" + dump2, "0 120000000000", "wall", 0},
		{"rules around a time", "================\n2026-05-03 10:00:50\n================\n" + dump1 + "================\n2026-05-03 10:01:50\n================\n" + dump2, "0 60000000000", "wall", 0},
		{"rules alone", "================\n" + dump1 + "================\n" + dump2, "0 10000000000", "boot", 0},
		{"no process", dump1 + "No process found for: app\n" + dump2, "0 10000000000", "boot", 1},
		{"no process, dates", "1795951515\n" + dump1 + "1795951516\nNo process found for: app\n1795951517\n" + dump2, "0 2000000000", "wall", 1},
		{"timeout", dump1 + "*** SERVICE 'meminfo' DUMP TIMEOUT (10000ms) EXPIRED ***\n" + dump2, "0 10000000000", "boot", 1},
		{"exception", dump1 + "Applications Memory Usage (kB):\nUptime: 1 Realtime: 5000\n\n" + start + "Got RemoteException!\n" + dump2, "0 10000000000", "boot", 1},
		{"two dates, one dump", "1795951515\n1795951516\n" + dump1, "0", "wall", 1},
		{"date at the end", "1795951515\n" + dump1 + "1795951516\n", "0", "wall", 1},
		{"no headers", start + short10 + rows + start + short10 + rows, "0 1000000000", "order", 0},
		{"no headers, no pids", short10 + rows + short10 + rows, "0 1000000000", "order", 0},
		{"ending at", "DUMP OF SERVICE HIGH meminfo:\n" + dump1 + "--------- 0.5s was the duration of dumpsys meminfo, ending at: 2020-01-08 15:31:35\n", "0", "wall", 0},
		{"shell prompt", "shell@m0:/ $ dumpsys meminfo app\n" + dump1 + "shell@m0:/ $ ", "0", "boot", 0},
		{"reboot", dump2 + dump1, "0 1", "boot", 0},
	} {
		r := read(t, Decode, "x", c.text)
		times := strings.Join(r.values("scope=process;metric=pss", "time_ns"), " ")
		if times != c.times || r.clock != c.clock || r.noData != c.noData || r.err != nil {
			t.Errorf("%s: times %s by %s, %d without data, %v; want %s by %s, %d", c.name, times, r.clock, r.noData, r.err, c.times, c.clock, c.noData)
		}
	}
}

// TestNothing: a file without data is an error that quotes the reason.
func TestNothing(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"No process found for: org.x\r\n", `x:1: held nothing: "No process found for: org.x"`},
		{"Applications Memory Usage (kB):\nUptime: 5 Realtime: 5\n\n** MEMINFO in pid 9 [a] **\nGot RemoteException!\n", `x:5: held nothing: "Got RemoteException!"`},
		{"\n*** SERVICE 'meminfo' DUMP TIMEOUT (1ms) EXPIRED ***\n", "DUMP TIMEOUT"},
		{"Can't find service: meminfo\n", "x:1: held nothing: \"Can't find service: meminfo\""},
		{"Applications Memory Usage (kB):\n", "x:1: held nothing: want the table of a process or a list of processes"},
		{start + short10 + "  Native Heap       10        8        1        0       40       30       10\n", "held nothing: want the TOTAL row"},
		{"", "held nothing"},
	} {
		r := read(t, Decode, "x", c.text)
		if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
			t.Errorf("%q: want %q, have %v", c.text, c.want, r.err)
		}
		if c.text != "" && !Sniff([]byte(c.text)) {
			t.Errorf("%q: not claimed", c.text)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"header", "Applications Memory Usage (kB):\n", true},
		{"bare table", short10 + rows, true},
		{"bare summary", " App Summary\n                       Pss(KB)\n", true},
		{"list", "Total RSS by process:\n", true},
		{"oom only", "shell:/ $ dumpsys meminfo --oom\r\nTotal PSS by OOM adjustment:\r\n", true},
		{"bug report", "== dumpstate: 2020-01-08 15:30:07\nApplications Memory Usage (kB):\n", false},
		{"proc", "MemTotal:        518440 kB\nMemFree:         176252 kB\n", false},
		{"gfxinfo", "Applications Graphics Acceleration Info:\nUptime: 1 Realtime: 1\n", false},
		{"OpenHarmony", "Total Pss by OOM adjustment:\n", false},
		{"prose", "See dumpsys meminfo, whose TOTAL row ...\n", false},
		{"empty", "", false},
	} {
		if got := Sniff([]byte(c.text)); got != c.want {
			t.Errorf("%s: claimed %v", c.name, got)
		}
	}
}

// TestJunkBetween: log lines and other sections between the lines of a dump do not matter.
func TestJunkBetween(t *testing.T) {
	text := strings.Replace(dump1, "      Unknown", "11-29 11:25:24.005   929   929 I ActivityManager: Killing 12\n      Unknown", 1) +
		"DUMP OF SERVICE package:\n  Native Heap       99\n Free RAM: 12\n[procrank: 0.7s elapsed]\n"
	r := read(t, Decode, "x", text)
	if r.messages() != "" || len(r.where("scope=process;metric=pss")) != 1 || len(r.where("scope=category;metric=pss")) != 2 {
		t.Errorf("have %v\n%s", keys(r, true), r.messages())
	}
}

func TestUptimeIsAFactAndBadTimesAreProblems(t *testing.T) {
	r := read(t, Decode, "x", strings.Replace(dump1, "2000", "99999999999999999", 1))
	if !strings.Contains(r.messages(), `x:2:14: want milliseconds since boot, have "Realtime: 99999999999999999"`) {
		t.Errorf("have %s", r.messages())
	}
	if len(r.facts) != 2 || r.facts[1].Name != "uptime" || r.facts[1].Value != "1000 ms" {
		t.Errorf("facts %v", r.facts)
	}
}
