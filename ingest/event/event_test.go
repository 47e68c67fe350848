package event

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const eventColumns = "time_ns seq pid tid op class object size refcount stack line"

func TestPass(t *testing.T) {
	r := decode(t, fixtures(t)["pass.ndjson"])
	same(t, "rows", r.rows(t, table.Events, eventColumns),
		"0 0 4242 4242 alloc heap 0x5500aa10 4096 - 2 3",
		"100 1 4242 4242 alloc heap 0x5500ba20 64 - 5 4",
		"200 2 4242 4243 use - 0x5500aa10 16 - 7 5",
		"300 3 4242 4242 free heap 0x5500ba20 - - 5 6",
		"300 4 4242 4242 realloc heap 0x5500ca30 128 - 5 6",
		"400 5 4242 4242 free - 0x5500aa10 - - 10 7",
		"700 6 4242 - mark level 2 loaded - - - - 10",
		"800 7 4242 - mark - - - - - 11")
	same(t, "frames", r.rows(t, table.Frames, "id parent function source_file source_line module line"),
		"1 - main src/main.c 12 - 2", "2 1 load_texture src/texture.c 41 - 2",
		"3 - main src/main.c 14 - 4", "4 3 list_push src/list.h 19 - 4", "5 4 node_new src/list.h 7 - 4",
		"6 - worker src/draw.cpp 120 - 5", "7 6 draw src/draw.cpp 88 - 5",
		"8 - main src/main.c 20 - 7", "9 8 unload - - texturedemo 7", "10 9 free - - libc.so.6 7")
	same(t, "facts", []string{fmt.Sprint(r.facts)}, "map[clock:mono lossy:true lost:3 process:texturedemo tool:memtide-pass version:1]")
	same(t, "problems", r.problems)
	if r.set.Clock != "trace" {
		t.Errorf("clock %s", r.set.Clock)
	}
}

func TestCounts(t *testing.T) {
	r := decode(t, fixtures(t)["counts.csv"])
	same(t, "rows", r.rows(t, table.Events, "time_ns seq pid tid op class size refcount line"),
		"0 0 910 910 create texture 256 1 3", "50 4 910 910 create jni_global - - 7", "100 1 910 910 retain texture - 2 4",
		"200 2 910 911 use texture - - 5", "300 3 910 910 release texture - 1 6", "400 5 910 910 destroy jni_global - - 8")
	objects := r.rows(t, table.Events, "object")
	if objects[1] != objects[5] || objects[1] == objects[0] {
		t.Errorf("a handle that is a text is one object: %q", objects)
	}
	functions := strings.Join(r.rows(t, table.Frames, "function"), "|")
	for _, want := range []string{"make_texture(int, int)", `Java_pool_"get"`, "draw"} {
		if !strings.Contains(functions, want) {
			t.Errorf("no %s in %s", want, functions)
		}
	}
	same(t, "problems", r.problems)
	same(t, "clock", []string{r.set.Clock, r.facts["clock"]}, "boot", "boot")
}

// TestSeconds: decimal seconds keep their last nanosecond, which float64 does not.
func TestSeconds(t *testing.T) {
	r := decode(t, fixtures(t)["seconds.ndjson"])
	same(t, "rows", r.rows(t, table.Events, "time_ns seq op size line"), "0 2 free - 4", "1 0 alloc 32 1", "2 1 alloc 32 3")
	same(t, "sampled", []string{r.facts["sampled"]}, "true")
	same(t, "problems", r.problems)
}

func TestBadLines(t *testing.T) {
	r := decode(t, fixtures(t)["bad-lines.ndjson"])
	same(t, "rows", r.rows(t, table.Events, "time_ns op object size stack line"),
		"0 alloc 0x10 1 - 2", "20 alloc 0x30 2 - 5", "60 free 0x30 - - 10", "70 alloc 0x80 - - 11")
	same(t, "problems", r.problems,
		`x:1:1: want the clock mono, boot or wall, have "sundial"`,
		`x:3:19: want one of alloc free realloc retain release create destroy use mark lock unlock signal wait fork begin join, have "allocate"`,
		`x:4:10: want whole ns below 2^63, have "-5"`,
		`x:5:56: want each field once, have one twice: the last is taken`,
		`x:6:33: want an address in quotes: as a number it may have lost its last digits, have "94124567890123456"`,
		`x:7:47: want a whole number below 2^63, have "1e3"`,
		`x:8:1: want an addr, have a line without: "{\"ts_ns\":60,\"op\":\"free\"}"`,
		`x:9:1: want ts_ns or ts, have a line without: "{\"op\":\"free\",\"addr\":\"0x30\"}"`,
		`x:10:53: unknown field "colour"`,
		`x:10:50: want a stack_id that a line above explains, have one that none does`,
		`x:11:48: want an array of frames in quotes, or frames joined by ;, have "[{\"function\":\"f\"}]"`,
		`x:12:1: want an object in one line, have "oops"`,
		`x:13:40: want a name in quotes, have "\"si"`)
}

func TestBadCells(t *testing.T) {
	r := decode(t, fixtures(t)["bad-cells.csv"])
	same(t, "rows", r.rows(t, table.Events, "op object size line"), "alloc 0x10 8 2", "free 0x10 - 6")
	same(t, "problems", r.problems, `x:1:24: unknown field "colour"`, "x:3:16: want 6 cells, have the end of the line",
		`x:4:23: want 6 cells, have more: "green"`, `x:5:17: want a whole number below 2^63, have "many"`,
		"x:7:19: want a line end: without one the last line is taken for cut, and left out")
}

// TestSchema: another version, or another format's schema, is no log that could be half understood.
func TestSchema(t *testing.T) {
	for _, head := range []string{`{"schema":"memtide-events/2"}`, `{"schema":"other/1"}`, `{"schema":1}`, "# memtide-events/2 clock=mono"} {
		r := decode(t, head+"\n"+`{"ts_ns":1,"op":"alloc","addr":"0x1"}`+"\n")
		if r.err == nil || !strings.Contains(r.err.Error(), `x:1:1: want the schema "memtide-events/1"`) {
			t.Errorf("%s: %v", head, r.err)
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "{}", `{"schema":"memtide-events/1"}`, "ts_ns,op,addr\n", `{"ts_ns":1,"op":"free","addr":"0x0"}`, "\ufeff"} {
		if r := decode(t, text); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		`{"schema":"memtide-events/1"}`:                        true,
		`{"schema":"memtide-events/7","x":[1,{"y":2}]}`:        true,
		"\ufeff\n\n" + `{"op":"free","ts":1.5}`:                true,
		`{"op":"stack","stack_id":1,"stack":[]}`:               true,
		"# made by hand\nts,op,addr\n":                         true,
		"# memtide-events/1 clock=mono\n":                      true,
		"ts_ns,pid,op,addr\r\n1,2,free,0x3\r\n":                true,
		`{"op":"free"}`:                                        false,
		`{"type": "printf", "data": "op ts_ns"}`:               false,
		`{"schema":"other/1","op":"free","ts":1}`:              false,
		`[{"op":"free","ts":1}]`:                               false,
		"time_ns,pid,op,addr\n":                                false,
		"op\n":                                                 false,
		"":                                                     false,
		"1630295756873 31615 31615 alloc 0x558c9e54e2a0 100\n": false,
	} {
		if Sniff([]byte(text)) != want {
			t.Errorf("%q: claimed %v", text, !want)
		}
	}
	for name, text := range fixtures(t) {
		if !Sniff([]byte(text)) {
			t.Errorf("%s is not claimed", name)
		}
	}
}

// TestRealloc: what one line of realloc becomes.
func TestRealloc(t *testing.T) {
	for line, want := range map[string]string{
		`"addr":"0x2","old_addr":"0x1","size":8`:   "free 0x1 -|realloc 0x2 8",
		`"addr":"0x1","old_addr":"0x1","size":8`:   "realloc 0x1 8",
		`"addr":"0x2","old_addr":"0x0","size":8`:   "realloc 0x2 8",
		`"addr":"0x2","old_addr":null,"size":8`:    "realloc 0x2 8",
		`"addr":"0x2","size":8`:                    "realloc 0x2 8",
		`"addr":"0x0","old_addr":"0x1","size":8`:   "", // failed: the old block stays
		`"addr":"(nil)","old_addr":"0x1","size":0`: "free 0x1 -",
	} {
		r := decode(t, `{"ts_ns":1,"op":"realloc",`+line+"}\n")
		if got := strings.Join(r.rows(t, table.Events, "op object size"), "|"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestObjects: 0 is the null pointer of memory, and a handle elsewhere; numbers of any width are exact in quotes.
func TestObjects(t *testing.T) {
	for line, want := range map[string]string{
		`"op":"alloc","addr":"0"`:                  "",
		`"op":"create","addr":"0"`:                 "0x0",
		`"op":"create","addr":"0x0"`:               "",
		`"op":"create","addr":7`:                   "0x7",
		`"op":"use","addr":"18446744073709551615"`: "0xedf2a76b38fc3c54", // beyond int64: a text like any other
		`"op":"use","addr":"0xFFFFFFFFFFFFFFFF"`:   "0xffffffffffffffff",
		`"op":"use","addr":"0x1\u0032"`:            "0x12",
		`"op":"use","addr":""`:                     "0xcbf29ce484222325",
	} {
		r := decode(t, `{"ts_ns":1,`+line+"}\n")
		if got := strings.Join(r.rows(t, table.Events, "object"), "|"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestEscapes: names of fields, ops and texts may hold any escape of JSON.
func TestEscapes(t *testing.T) {
	r := decode(t, `{"ts_ns":1,"\u006fp":"\u0061lloc","kind":"a\\\"b\ud83d\ude00","addr":"0x1","stack":["f\"g\\h+0x1 [m]","C:\\x\\app.exe+0x10"]}`+"\n")
	same(t, "rows", r.rows(t, table.Events, "op class object"), `alloc a\"b😀 0x1`)
	same(t, "frames", r.rows(t, table.Frames, "function module"), "app.exe+0x10 app.exe", `f"g\h m`)
	same(t, "problems", r.problems)
	r = decode(t, `{"ts_ns":1,"op":"alloc","kind":"\x","addr":"0x1"}`+"\n")
	same(t, "problems", r.problems, `x:1:33: want a text, have "\\x"`)
}

// TestLate: a line that is earlier than the first is sorted to its place, and the whole begins with it.
func TestLate(t *testing.T) {
	r := decode(t, `{"ts_ns":50,"op":"alloc","addr":"1"}`+"\n"+`{"ts_ns":20,"op":"use","addr":"1"}`+"\n"+`{"ts_ns":70,"op":"free","addr":"1"}`+"\n")
	same(t, "rows", r.rows(t, table.Events, "time_ns seq op"), "0 1 use", "30 0 alloc", "50 2 free")
	if len(r.set.Restarts) > 0 {
		t.Errorf("restarts %v", r.set.Restarts)
	}
}

// TestJoined: two logs, one behind the other, give the rows of both.
func TestJoined(t *testing.T) {
	for name, text := range fixtures(t) {
		if strings.HasPrefix(name, "bad-") || strings.HasSuffix(name, ".csv") {
			continue
		}
		one, two := decode(t, text), decode(t, text+strings.TrimPrefix(text, "\ufeff"))
		if a, b := one.set.Len(table.Events), two.set.Len(table.Events); 2*a != b || one.set.Len(table.Frames) != two.set.Len(table.Frames) {
			t.Errorf("%s: %d events once, %d twice", name, a, b)
		}
	}
}

// TestThreads: what orders threads is a row like any other; without a thread it says nothing.
func TestThreads(t *testing.T) {
	r := decode(t, `{"ts_ns":1,"tid":7,"op":"fork","kind":"thread","addr":"0x90"}
{"ts_ns":2,"tid":8,"op":"begin","addr":"0x90"}
{"ts_ns":3,"tid":8,"op":"lock","kind":"mutex","addr":"0x70","stack":["f"]}
{"ts_ns":4,"tid":8,"op":"unlock","addr":"0x70"}
{"ts_ns":5,"tid":8,"op":"signal","addr":"queue"}
{"ts_ns":6,"tid":7,"op":"wait","addr":"queue"}
{"ts_ns":7,"tid":7,"op":"join","addr":8}
{"ts_ns":8,"op":"lock","addr":"0x70"}
{"ts_ns":9,"tid":7,"op":"lock","addr":null}
`)
	same(t, "rows", r.rows(t, table.Events, "time_ns tid op class object stack"), "0 7 fork thread 0x90 -", "1 8 begin - 0x90 -", "2 8 lock mutex 0x70 1", "3 8 unlock - 0x70 -",
		"4 8 signal - 0xb11e8b146c5a21d8 -", "5 7 wait - 0xb11e8b146c5a21d8 -", "6 7 join - 0x8 -")
	same(t, "problems", r.problems, `x:8:1: want a tid, have a line without: "{\"ts_ns\":8,\"op\":\"lock\",\"addr\":\"0x70\"}"`)
}

// TestManual: the two logs in front of the manual are the same log; the one further down is read too.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats/memtide-events.md")
	if err != nil {
		t.Fatal(err)
	}
	var logs []string
	for part := range strings.SplitSeq(string(text), "\n\n") {
		if one := strings.ReplaceAll("\n"+part+"\n", "\n    ", "\n"); strings.HasPrefix(part, "    ") && Sniff([]byte(one[1:])) {
			logs = append(logs, one[1:])
		}
	}
	if len(logs) != 3 {
		t.Fatalf("%d logs", len(logs))
	}
	order := decode(t, logs[2])
	same(t, "order between threads", order.rows(t, table.Events, "time_ns tid op object"), "0 1 fork 0x90", "10 2 begin 0x90", "20 2 use 0x5500aa10", "30 1 join 0x90", "40 1 free 0x5500aa10")
	same(t, "its problems", order.problems)
	const columns = "time_ns seq pid tid op object size stack"
	object, cells := decode(t, logs[0]), decode(t, logs[1])
	same(t, "rows", object.rows(t, table.Events, columns), "0 0 4242 4242 alloc 0x5500aa10 4096 2", "800 1 4242 4242 free 0x5500aa10 - -")
	same(t, "rows of the CSV", cells.rows(t, table.Events, columns), object.rows(t, table.Events, columns)...)
	same(t, "facts", []string{fmt.Sprint(cells.facts)}, fmt.Sprint(object.facts))
	same(t, "problems", append(object.problems, cells.problems...))
}
