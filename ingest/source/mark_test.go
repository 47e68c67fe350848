package source

import (
	"testing"
	"time"
)

// at is a time in nanoseconds since 1970.
func at(t testing.TB, rfc3339 string) int64 {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, rfc3339)
	if err != nil {
		t.Fatal(err)
	}
	return v.UnixNano()
}

var wallMarks = []struct{ line, want string }{
	{"Sun Nov 29 11:25:15 UTC 2026", "2026-11-29T11:25:15Z"},
	{"Tue Dec  1 01:02:03 2026", "2026-12-01T01:02:03Z"},
	{"Sun Nov 29 11:25:15 CET 2026", "2026-11-29T11:25:15+01:00"},
	{"Sun Nov 29 11:25:15 CST 2026", "2026-11-29T11:25:15Z"}, // China or Chicago
	{"Sun Nov 29 11:25:15 -03 2026", "2026-11-29T11:25:15-03:00"},
	{"Sun Nov 29 11:25:15 GMT+05:30 2026", "2026-11-29T11:25:15+05:30"},
	{"Sun Nov 29 11:25:15 PM UTC 2026", "2026-11-29T23:25:15Z"},
	{"Sun Nov 29 12:00:01 AM UTC 2026", "2026-11-29T00:00:01Z"},
	{"Sun 29 Nov 2026 01:25:15 PM UTC", "2026-11-29T13:25:15Z"},
	{"Sun, 29 Nov 2026 11:25:15 +0000", "2026-11-29T11:25:15Z"},
	{"So 29. Nov 11:25:15 CET 2026", "2026-11-29T11:25:15+01:00"},
	{"Mo 1. Mär 11:25:15 CET 2027", "2027-03-01T11:25:15+01:00"},
	{"Do 1. Okt 11:25:15 CEST 2026", "2026-10-01T11:25:15+02:00"},
	{"Di 1. Dez 11:25:15 CET 2026", "2026-12-01T11:25:15+01:00"},
	{"Sa 1. Mai 11:25:15 CEST 2027", "2027-05-01T11:25:15+02:00"},
	{"dim. 29 nov. 2026 11:25:15 CET", "2026-11-29T11:25:15+01:00"},
	{"dimanche 29 novembre 2026, 11:25:15 (UTC+0100)", "2026-11-29T11:25:15+01:00"},
	{"lun. 1 févr. 2027 11:25:15 CET", "2027-02-01T11:25:15+01:00"},
	{"jeu. 1 juil. 2027 11:25:15 CEST", "2027-07-01T11:25:15+02:00"},
	{"mar. 1 juin 2027 11:25:15 CEST", "2027-06-01T11:25:15+02:00"},
	{"dom 29 nov 2026 11:25:15 CET", "2026-11-29T11:25:15+01:00"},
	{"vie 1 ene 2027 11:25:15 CET", "2027-01-01T11:25:15+01:00"},
	{"dom 29 nov 2026, 11:25:15, CET", "2026-11-29T11:25:15+01:00"},
	{"dom 29 de nov de 2026 11:25:15 -03", "2026-11-29T11:25:15-03:00"},
	{"zo 29 mrt 2026 11:25:15 CEST", "2026-03-29T11:25:15+02:00"},
	{"Вс 29 ноя 2026 11:25:15 MSK", "2026-11-29T11:25:15+03:00"},
	{"2026年 11月 29日 星期日 11:25:15 UTC", "2026-11-29T11:25:15Z"},
	{"2026年 11月 29日 日曜日 11:25:15 JST", "2026-11-29T11:25:15+09:00"},
	{"2026. 11. 29. (일) 11:25:15 KST", "2026-11-29T11:25:15+09:00"},
	{"2026. 11. 29. (일) 오후 01:25:15 KST", "2026-11-29T13:25:15+09:00"},
	{"29.11.2026 11:25:15", "2026-11-29T11:25:15Z"},
	{"2026-11-29T11:25:15+00:00", "2026-11-29T11:25:15Z"},
	{"2026-11-29T11:25:15+02:00", "2026-11-29T09:25:15Z"},
	{"2026-11-29T11:25:15-0330", "2026-11-29T14:55:15Z"},
	{"2026-11-29T11:25:15+02", "2026-11-29T09:25:15Z"},
	{"2026-11-29T11:25:24,005123456+00:00", "2026-11-29T11:25:24.005123456Z"},
	{"2026-11-29 11:25:24.5Z", "2026-11-29T11:25:24.5Z"},
	{"2026-11-29 11:25:15 UTC", "2026-11-29T11:25:15Z"},
	{"2026/11/29 11:25:15", "2026-11-29T11:25:15Z"},
	{"1795951515", "2026-11-29T11:25:15Z"},
	{"1795951515.123", "2026-11-29T11:25:15.123Z"},
	{"1795951515.123456789", "2026-11-29T11:25:15.123456789Z"},
	{"1795951515,5", "2026-11-29T11:25:15.5Z"},
	{"1795951515123", "2026-11-29T11:25:15.123Z"},
	{"1795951515123456", "2026-11-29T11:25:15.123456Z"},
	{"1795951515123456789", "2026-11-29T11:25:15.123456789Z"},
	{"### 1795951515", "2026-11-29T11:25:15Z"},
	{"==== 2026-11-29 11:25:24,005 ====", "2026-11-29T11:25:24.005Z"},
	{"----- 2026-11-29 11:25:24 -----", "2026-11-29T11:25:24Z"},
	{"*** Sun Nov 29 11:25:15 UTC 2026 ***", "2026-11-29T11:25:15Z"},
	{"[2026-11-29 11:25:24]", "2026-11-29T11:25:24Z"},
	{"<<< 1795951515 >>>", "2026-11-29T11:25:15Z"},
	{"date: Sun Nov 29 11:25:15 UTC 2026", "2026-11-29T11:25:15Z"},
	{"Date: 2026-11-29T11:25:15Z", "2026-11-29T11:25:15Z"},
	{"time: 1795951515", "2026-11-29T11:25:15Z"},
	{"timestamp=1795951515", "2026-11-29T11:25:15Z"},
	{`==========date: Sun Nov 29 11:25:15 UTC 2026; count: 3==========\n`, "2026-11-29T11:25:15Z"},
	{"== 1795951515.25 pid=4242 ==", "2026-11-29T11:25:15.25Z"},
}

func TestParseMarkWall(t *testing.T) {
	for _, c := range wallMarks {
		m, ok := ParseMark([]byte(c.line))
		if !ok || !m.HasWall {
			t.Errorf("%q: no mark", c.line)
		} else if want := at(t, c.want); m.Wall != want {
			t.Errorf("%q: %s, want %s", c.line, time.Unix(0, m.Wall).UTC().Format(time.RFC3339Nano), c.want)
		}
	}
}

func TestParseMarkWithoutTime(t *testing.T) {
	for line, pid := range map[string]int64{
		"================": 0, "########": 0, "****************": 0, "11-29 11:25:24.005": 0, "=== 11:25:15 ===": 0,
		"========== pid=77 ==========": 77, "# pid: 4242 # 1795951515": 4242, "### 1795951515 pid=4242": 4242,
	} {
		m, ok := ParseMark([]byte(line))
		if !ok || m.PID != pid || m.HasPID != (pid > 0) {
			t.Errorf("%q: %v %+v, want pid %d", line, ok, m, pid)
		}
	}
}

var noMarks = []string{
	"", "=", "=======", "--------", "----------------------------", "=== ===", "# comment", "### sample 3",
	"Pss:                  12 kB", "VmFlags: rd wr mr mw me ac sd ",
	"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 ",
	"MemTotal:        3882732 kB", "VmRSS:\t 1234 kB", "12345 678 90 12 0 34 0",
	"123456789", "987654321", "2147483648", "4294967296", // sizes in bytes
	"12345.67 54321.00", // /proc/uptime
	"--------- 8.530s was the duration of dumpsys meminfo, ending at: 2020-01-08 15:31:35",
	"Process started at 2026-11-29 11:25:15", "2026-11-29 11:25:15 INFO starting", "log of 2026/11/29 11:25:15",
	"11-29 11:25:24.005  1234  1234 I ActivityManager: Killing 9",
	"Uptime: 4240520 Realtime: 9240520", "time,1234,5678", "version,1",
	"11/29/2026 11:25:15",   // day and month could be either
	"9999-12-31 23:59:59",   // does not fit into 64 bits of nanoseconds
	"0001-01-01 00:00:00",   // nor this
	"2026-13-01 00:00:00",   // no month
	"2026-11-29 11:61:15",   // no minute
	"2026-11-29 11:25:15 X", // no zone
	"Sun Foo 29 11:25:15 UTC 2026", "Sun Nov 31 11:25:15 UTC 2026", "Sun Nov 29 11:25:15 UTC",
	"10:25:15 up 3 days,  2:11,  1 user,  load average: 0.00, 0.01, 0.05",
	"    61986 kB: com.example.app (pid 1795951515)",
	"*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***x",
}

func TestParseMarkNone(t *testing.T) {
	for _, line := range noMarks {
		if m, ok := ParseMark([]byte(line)); ok {
			t.Errorf("%q is taken as a mark: %+v", line, m)
		}
	}
	long := make([]byte, maxMark+1)
	for i := range long {
		long[i] = '='
	}
	if _, ok := ParseMark(long); ok {
		t.Error("a line beyond the bound is taken as a mark")
	}
}

func TestNameTime(t *testing.T) {
	for name, want := range map[string]string{
		"smaps-9203-1795951515.311.txt":       "2026-11-29T11:25:15.311Z",
		"a/b/smaps-9203-1795951515.txt":       "2026-11-29T11:25:15Z",
		"meminfo-1795951515311.txt":           "2026-11-29T11:25:15.311Z",
		"2017-11-24-09-14-08.meminfo.txt":     "2017-11-24T09:14:08Z",
		"meminfo_20240131_101500.txt":         "2024-01-31T10:15:00Z",
		"20240131T101500.txt":                 "2024-01-31T10:15:00Z",
		"x-2024-01-31 10.15.00.log":           "2024-01-31T10:15:00Z",
		"bugreport-x-2024-01-31-10-15-00.zip": "2024-01-31T10:15:00Z",
		"2024-01-31/smaps_1":                  "", "smaps_17": "", "20241331_101500": "", "123456789012345678901234567890": "",
	} {
		got, ok := NameTime(name)
		if ok != (want != "") || ok && got != at(t, want) {
			t.Errorf("%s: %v %v, want %q", name, got, ok, want)
		}
	}
}

func TestNamePID(t *testing.T) {
	for name, want := range map[string]int64{
		"smaps-9203-1795951515.311.txt": 9203, "smaps_rollup-9203.txt": 9203, "status_9203": 9203, "meminfo.4242.txt": 4242, "SMAPS9203.TXT": 9203,
		"x/1234/smaps": 1234, "1234/smaps.txt": 1234, "proc/1234/smaps_rollup.gz": 1234, "app-pid77.log": 77,
		"meminfo_20240131_101500.txt": -1, "meminfo-2024-01-31-10-15-00.txt": -1, "smaps-1795951515.txt": -1, "2017-11-24-09-14-08.meminfo": -1,
		"9203.txt": -1, "1234/other": -1,
	} {
		got, ok := NamePID(name)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%s: %d %v, want %d", name, got, ok, want)
		}
	}
}

func TestEndingAt(t *testing.T) {
	got, ok := EndingAt([]byte("--------- 8.530s was the duration of dumpsys meminfo, ending at: 2020-01-08 15:31:35"))
	if !ok || got != at(t, "2020-01-08T15:31:35Z") {
		t.Errorf("%d %v", got, ok)
	}
	if _, ok := EndingAt([]byte("ending at: noon")); ok {
		t.Error("noon is no time")
	}
}

func TestNoData(t *testing.T) {
	for line, want := range map[string]bool{
		"cat: /proc/9203/smaps: No such file or directory": true, "cat: /proc/9203/smaps: No such process": true, "No process found for: com.example": true,
		"Got RemoteException!": true, "/system/bin/sh: cat: /proc/1/smaps: Permission denied": true, "*** SERVICE 'meminfo' DUMP TIMEOUT (10000ms) EXPIRED ***": true,
		"Can't find service: meminfo": true, "Pss: 12 kB": false, "": false,
	} {
		if NoData([]byte(line)) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}
