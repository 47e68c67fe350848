package bpftrace

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const (
	siteColumns   = "time_ns class stack live_bytes live_count total_bytes total_count line"
	sampleColumns = "time_ns scope name metric value line"
)

func TestInterval(t *testing.T) {
	r := decode(t, DecodeMaps, fixtures(t, "bpftrace-maps")["interval.txt"])
	same(t, "sites", r.rows(t, table.Sites, siteColumns),
		"0 load_image 2 - - 5096 - 3", "0 load_image 2 - - - 2 11", "1000000000 load_image 2 - - 8192 - 17",
		"1000000000 load_image 2 - - - 4 21", "2000000000 0x555bd2c1e372 3 - - - 6 28", "2000000000 0x555bd2c1e372 3 - - 12288 - 33")
	same(t, "samples", r.rows(t, table.Samples, sampleColumns), "0 class @ticks count 1 15", "1000000000 class @ticks count 2 25",
		"2000000000 class @calls[uprobe:/lib/libc.so.6:free, viewer, 30726] count 7 36", "2000000000 class @ticks count 3 43")
	same(t, "problems", r.problems)
	same(t, "facts", []string{r.facts["cumulative"], r.facts["clock"], r.facts["lossy"]}, "true", "wall", "")
}

// TestDuplicateKeys: an entry of each thread has the same key, also in one object of JSON.
func TestDuplicateKeys(t *testing.T) {
	r := decode(t, DecodeMaps, fixtures(t, "bpftrace-maps")["exit.jsonl"])
	same(t, "sites", r.rows(t, table.Sites, siteColumns), "0 f 2 - - 100 - 3", "0 - - - - 5 - 3", "0 f 3 - - - 2 4", "1000000000 f 2 - - 200 - 7")
	same(t, "samples", r.rows(t, table.Samples, sampleColumns), "0 class @calls[viewer,30861] count 3 4", "0 class @n count 1 5")
	same(t, "problems", r.problems)
	same(t, "lost", []string{r.facts["lost"], r.facts["lossy"]}, "2", "true")
}

func TestUntimed(t *testing.T) {
	r := decode(t, DecodeMaps, fixtures(t, "bpftrace-maps")["untimed.txt"])
	same(t, "samples", r.rows(t, table.Samples, sampleColumns), "0 class @ count 5 1", "0 class @count[1] count 10 2", "0 class @count[2] count 20 3",
		"1000000000 class @ count 6 6", "1000000000 class @count[1] count 11 7")
	same(t, "problems", r.problems, "x:4:1: want maps of whole numbers, have other values: they are left out")
	same(t, "clock", []string{r.set.Clock, r.facts["clock"]}, "order", "order")
}

func TestBadMaps(t *testing.T) {
	r := decode(t, DecodeMaps, fixtures(t, "bpftrace-maps")["bad-cut.txt"])
	same(t, "sites", r.rows(t, table.Sites, "class total_bytes total_count line"), "f - 9223372036854775807 3")
	same(t, "problems", r.problems,
		`x:3:1: want the end of a key (]: value), have "@allocs["`,
		"x:6:1: want values whose sum fits in 63 bits, have larger ones",
		"x:12:1: lines that are no prints of maps are left out",
		"x:13:1: want maps of whole numbers, have other values: they are left out",
		"x:14:1: want a line end, have the end of the input: the last value is left out")
}

// TestTimes: dumps before the first time, between two and behind the last; midnight; a clock that is set back.
func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"@a[1]: 1\n10:00:05\n@a[1]: 2\n":                                   "0 1000000000",
		"10:00:00\n@a: 1\n@b[1]: 1\n@a: 2\n@b[1]: 2\n10:00:10\n@b[1]: 3\n": "0 0 5000000000 5000000000 10000000000",
		"10:00:00\n@a: 1\n@b[1]: 1\n@a: 2\n@b[1]: 2\n@a: 3\n":              "0 0 1000000000 1000000000 2000000000",
		"23:00:00\n@a[1]: 1\n01:00:00\n@a[1]: 2\n23:00:00\n@a[1]: 3\n":     "0 7200000000000 86400000000000",
		"10:00:00\n10:00:01\n@a[1]: 1\n":                                   "0",
	} {
		r := decode(t, DecodeMaps, text)
		if got := strings.Join(r.rows(t, table.Samples, "time_ns"), " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if r := decode(t, DecodeMaps, "10:00:05\n@a[1]: 1\n10:00:00\n@a[1]: 2\n"); len(r.set.Restarts) != 1 {
		t.Errorf("restarts %v", r.set.Restarts)
	}
}

func TestSniff(t *testing.T) {
	const e, m, none = "events", "maps", ""
	for text, want := range map[string]string{
		"Attaching 2 probes...\n1000000000 1 2 alloc 0x10 5\n":                         e,
		"# x\n\n1000000000,1,2,ui,use,,0x10\n@a[1]: 2\n":                               e,
		`{"type": "printf", "data": "1000000000 1 2 free 0x10\n"}` + "\n":              e,
		"{\"type\":\"time\",\"data\":\"1\"}\n{\"type\":\"map\",\"data\":{\"@a\":1}}\n": m,
		"Attaching 2 probes...\n@a[\n    f+1\n]: 2\n":                                  m,
		"@a[comm, 1]: 2\n":                                m,
		"@h[comm]: \n[0]   1 |@@|\n":                      m,
		"@param x: y\n@return: z\n":                       none,
		"@@ -1,3 +1,4 @@\n":                               none,
		"@ /opt/bin/mtr:[0x11bb] + 0x55e5dd1dd530 0x28\n": none,
		"ts_ns,pid,tid,thread,op,kind,addr\n1630295756873,31615,31615,,alloc,m,0x558c9\n": none,
		"1630295756873 31615 31615 GET /index 200\n":                                      none,
		"{\"type\": \"printf\", \"data\": \"hello\\n\"}\n":                                none,
		"": none,
	} {
		got := none
		if SniffEvents([]byte(text)) {
			got += e
		}
		if SniffMaps([]byte(text)) {
			got += m
		}
		if got != want {
			t.Errorf("%q: claimed as %q, want %q", text, got, want)
		}
	}
	for _, format := range []string{"bpftrace-events", "bpftrace-maps"} {
		for name, text := range fixtures(t, format) {
			if SniffEvents([]byte(text)) != (format == "bpftrace-events") || SniffMaps([]byte(text)) != (format == "bpftrace-maps") {
				t.Errorf("%s/%s: events %v, maps %v", format, name, SniffEvents([]byte(text)), SniffMaps([]byte(text)))
			}
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "Attaching 1 probe...\n", "Lost 5 events\n", "{\"type\": \"map\", \"data\": {}}\n", "@a:", "@h: \n[1] 2 |@|\n"} {
		for _, f := range []decoder{DecodeEvents, DecodeMaps} {
			if r := decode(t, f, text); r.err == nil || !strings.Contains(r.err.Error(), "x:1:1: held nothing") {
				t.Errorf("%q: %v", text, r.err)
			}
		}
	}
}
