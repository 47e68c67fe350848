package bpftrace

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const eventColumns = "time_ns seq pid tid op class object size refcount stack line"

func TestHeap(t *testing.T) {
	r := decode(t, DecodeEvents, fixtures(t, "bpftrace-events")["heap.txt"])
	same(t, "rows", r.rows(t, table.Events, eventColumns),
		"0 1 31615 31616 alloc heap 0x558c9e54e310 4096 - 4 8",
		"56873 0 31615 31615 alloc heap 0x558c9e54e2a0 100 - 3 3",
		"256873 2 31615 31615 free heap 0x558c9e54e2a0 - - 6 13",
		"256873 3 31615 31615 realloc heap 0x558c9e54f320 200 - 6 13",
		"356873 4 31615 31615 realloc heap 0x558c9e54f320 64 - 8 17",
		"456873 5 31615 31615 free heap 0x558c9e54f320 0 - - 21")
	same(t, "frames", r.rows(t, table.Frames, "id parent function module address"),
		"1 - main - -", "2 1 tick - -", "3 2 load_image - -",
		"4 1 std::vector<int, std::allocator<int> >::reserve(unsigned long) - -",
		"5 - - - 139997511238819", "6 5 grow viewer 94354554405844", "7 - - - 16045690984503098046", "8 7 - - 94062228755314")
	same(t, "problems", r.problems)
	same(t, "facts", []string{r.facts["lost"], r.facts["lossy"], r.facts["clock"], r.facts["unit"], r.facts["tool"]}, "12", "true", "boot", "requested", "bpftrace")
	if r.set.Clock != "boot" {
		t.Errorf("clock %s", r.set.Clock)
	}
}

func TestCounts(t *testing.T) {
	r := decode(t, DecodeEvents, fixtures(t, "bpftrace-events")["counts.txt"])
	same(t, "rows", r.rows(t, table.Events, "tid op class object size refcount line"),
		"15510 create buffer 0x5578f38c4eb0 256 1 2", "15511 retain buffer 0x5578f38c4eb0 - 2 6", "15510 use - 0x5578f38c4eb0 0 - 7",
		"15510 release buffer 0x5578f38c4eb0 0 1 8", "15510 destroy texture 0x4d 256 -1 9", "15510 mark frame 0x7 - - 10")
	same(t, "problems", r.problems)
	same(t, "lossy", []string{r.facts["lossy"]}, "")
}

// TestJSON: what printf wrote is joined, whatever the records hold of it.
func TestJSON(t *testing.T) {
	r := decode(t, DecodeEvents, fixtures(t, "bpftrace-events")["heap.jsonl"])
	same(t, "rows", r.rows(t, table.Events, eventColumns), "0 0 30604 30604 alloc heap 0x5564379202a0 100 - 2 3",
		"113223 1 30604 30604 alloc heap 0x556437920310 4096 - 2 6", "266754 2 30604 30604 free heap 0x5564379202a0 0 - 3 7")
	same(t, "problems", r.problems)
	same(t, "lost", []string{r.facts["lost"]}, "5")
}

func TestBadLines(t *testing.T) {
	r := decode(t, DecodeEvents, fixtures(t, "bpftrace-events")["bad-lines.txt"])
	same(t, "rows", r.rows(t, table.Events, "op class object size refcount line"), "alloc heap 0x558c9e54e2a0 100 - 1",
		"alloc heap 0x558c9e54e310 - - 7", "release 1 0x558c9e54e400 0 - 9")
	same(t, "problems", r.problems,
		"x:4:1: want frames right behind their event, have them behind a blank line: they are left out",
		`x:5:21: want a tid, have "alloc"`,
		`x:6:27: want an op and its object (0x…), have "allocate"`,
		`x:7:48: want a size in bytes, have "18446744073709551615"`,
		`x:8:52: want old=0x…, have "old=558c9e54e310"`,
		`x:9:54: want a count, have "two"`,
		"x:10:1: lines that are no events are left out",
		"x:13:17: want a line end, have the end of the input: the last event is left out")
	r = decode(t, DecodeEvents, fixtures(t, "bpftrace-events")["bad-cut.jsonl"])
	same(t, "rows", r.rows(t, table.Events, "op size line"), "alloc 100 1")
	if len(r.problems) != 2 || !strings.HasPrefix(r.problems[0], "x:3:1: want a record") || !strings.HasPrefix(r.problems[1], "x:4:1: want a record") {
		t.Errorf("%q", r.problems)
	}
}

// TestEventLines: the forms of the line of an event, and what is none.
func TestEventLines(t *testing.T) {
	for line, want := range map[string]string{
		"1000000000 1 2 alloc 0x10 5":                 "2 alloc heap 0x10 5 -",
		"1000000000 1 2 comm alloc 0x10 5":            "2 alloc heap 0x10 5 -",
		"1000000000 1 2 free free 0x10":               "2 free free 0x10 - -",
		"1000000000 1 2 retain 1 0x10 0 2":            "2 retain 1 0x10 0 2",
		"1000000000 1 2 create fd 3":                  "2 create fd 0x3 - -",
		"1000000000 1 2 use 0x0":                      "2 use - 0x0 - -",
		"1000000000\t1\t2\tuse\t0x10":                 "2 use - 0x10 - -",
		"1000000000, 1, 2, alloc, 0x10, 5":            "2 alloc heap 0x10 5 -",
		"1000000000,1,2,alloc,,0x10,5":                "2 alloc heap 0x10 5 -",
		"1000000000,1,2,,alloc,malloc,0x10,5":         "2 alloc malloc 0x10 5 -",
		"1000000000 1 2 lock 0x70":                    "2 lock - 0x70 - -",
		"1000000000 1 2 fork thread 7":                "2 fork thread 0x7 - -",
		"1000000000 1 2 wait alloc 0x10 5":            "2 alloc heap 0x10 5 -", // of a thread called wait
		"1000000000 1 2 mark":                         "2 mark - - - -",
		"1000000000 1 2 alloc 0x10":                   "2 alloc heap 0x10 - -",
		"100000000 1 2 alloc 0x10 5":                  "", // a number too short for a time
		"1000000000 1 2 alloc 0x10000000000000000":    "",
		"99999999999999999999 1 2 alloc 0x10 5":       "",
		"1000000000 1 2 realloc 0x0 9 old=0x10":       "",
		"1000000000 1 2 free 0x0 0":                   "",
		"1000000000 1 2 realloc 0x20 9 old=0x10":      "2 free heap 0x10 - -|2 realloc heap 0x20 9 -",
		"1000000000 1 2 realloc 0x20 9 old=0x0":       "2 realloc heap 0x20 9 -",
		"1000000000 1 2 a b c d e f g h i alloc 0x10": "",
	} {
		r := decode(t, DecodeEvents, line+"\n")
		if got := strings.Join(r.rows(t, table.Events, "tid op class object size refcount"), "|"); got != want || (r.err == nil) != (want != "") {
			t.Errorf("%q: %q, want %q; %v", line, got, want, r.err)
		}
	}
}

// TestKinds: where a log names the kinds of memory, a line without one is of none.
func TestKinds(t *testing.T) {
	r := decode(t, DecodeEvents, "1000000000 1 2 alloc slab 0x10 5\n1000000001 1 2 free 0x10\n")
	same(t, "rows", r.rows(t, table.Events, "op class"), "alloc slab", "free -")
}
