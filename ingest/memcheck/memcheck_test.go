package memcheck

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

const (
	siteColumns   = "pid process class stack live_bytes live_count total_bytes total_count line"
	faultRow      = "pid process kind address size stack alloc_stack free_stack line"
	sampleFigures = "time_ns pid process metric value line"
)

// fixtures have so many sites, faults, samples and problems.
var fixtures = map[string][4]int{"mix.txt": {5, 9, 2, 0}, "mix.xml": {6, 12, 2, 0}, "double-free.txt": {0, 1, 2, 0}, "clean.txt": {0, 0, 2, 0},
	"clean.xml": {0, 0, 2, 0}, "fork.txt": {0, 2, 2, 0}, "bad-lines.txt": {1, 1, 0, 4}, "bad-cut.xml": {1, 7, 0, 2}}

func fixture(t testing.TB, file string) string {
	return read(t, filepath.Join(root(t), "fixtures", "memcheck", file))
}

func TestFixtures(t *testing.T) {
	for file, want := range fixtures {
		text := fixture(t, file)
		r := decode(t, Decode, file, text)
		got := [4]int{r.set.Len(table.Sites), r.set.Len(table.Faults), r.set.Len(table.Samples), len(r.problems)}
		if got != want || r.err != nil || !Sniff([]byte(text)) {
			t.Errorf("%s: sites, faults, samples, problems %v, want %v; %v\n%s", file, got, want, r.err, strings.Join(r.problems, "\n"))
		}
	}
}

// TestText: loss records add up to the summary, because a site has its direct bytes alone.
func TestText(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "mix.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{"26430 | mix | main | 3 | 10 | 1 | - | - | 41", "26430 | mix | grow | 15 | 64 | 2 | - | - | 45",
		"26430 | mix | main | 16 | 77 | 1 | - | - | 51", "26430 | mix | grow | 15 | 32 | 1 | - | - | 55", "26430 | mix | main | 16 | 100 | 1 | - | - | 61"})
	same(t, "faults", r.dump(t, table.Faults, faultRow)[:5], []string{
		"26430 | mix | overflow | 81194122 | 1 | 2 | 3 | - | 7", "26430 | mix | invalid-free | 81194114 | - | 4 | 3 | - | 14",
		"26430 | mix | uninitialised | - | - | 6 | 7 | - | 21", "26430 | mix | mismatched-free | 81194880 | - | 10 | 11 | - | 28",
		"26430 | mix | leak-definite | - | 10 | 3 | - | - | 41"})
	same(t, "samples", r.dump(t, table.Samples, sampleFigures), []string{"0 | 26430 | mix | leaked_bytes | 106 | 67", "0 | 26430 | mix | leaked_count | 4 | 67"})
	same(t, "frames", r.dump(t, table.Frames, "id parent function source_file source_line module address")[1:3],
		[]string{"2 | 1 | over | mix.c | 8 | - | 1085930", "3 | 1 | malloc | - | - | vgpreload_memcheck-amd64-linux.so | 75765684"})
	if r.facts["version"] != "3.19.0" || r.facts["command"] != "/app/bin/mix" || r.facts["clock"] != "order" || r.facts["unit"] != "requested" {
		t.Errorf("facts %v", r.facts)
	}
}

// TestXML: the same program, and its crash; leakedbytes counts the indirect bytes twice, the rows do not.
func TestXML(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "mix.xml"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns)[:4], []string{"26431 | mix | main | 3 | 10 | 1 | - | - | 231", "26431 | mix | grow | 15 | 64 | 2 | - | - | 257",
		"26431 | mix | main | 16 | 77 | 1 | - | - | 299", "26431 | mix | grow | 15 | 32 | 1 | - | - | 325"})
	same(t, "faults", r.dump(t, table.Faults, faultRow)[4:6], []string{
		"26431 | mix | invalid-access | 0 | 4 | 11 | - | - | 188", "26431 | mix | crash | 0 | - | 11 | - | - | 206"})
	same(t, "samples", r.dump(t, table.Samples, sampleFigures), []string{"0 | 26431 | mix | leaked_bytes | 96 | 325", "0 | 26431 | mix | leaked_count | 3 | 325"})
	same(t, "frames", r.dump(t, table.Frames, "id parent function source_file source_line module address")[1:2], []string{"2 | 1 | over | /app/src/mix.c | 8 | mix | 1085930"})
}

// TestNothingLost: that all was freed is an answer, in the text and in a document; where it is not said there is no row.
func TestNothingLost(t *testing.T) {
	same(t, "text", decode(t, Decode, "x", fixture(t, "clean.txt")).dump(t, table.Samples, sampleFigures),
		[]string{"0 | 4001 | tidy | leaked_bytes | 0 | 11", "0 | 4001 | tidy | leaked_count | 0 | 11"})
	xml := fixture(t, "clean.xml")
	same(t, "document", decode(t, Decode, "x", xml).dump(t, table.Samples, "pid process metric value"), []string{"4002 | tidy | leaked_bytes | 0", "4002 | tidy | leaked_count | 0"})
	for _, c := range [][2]string{{"FINISHED", "RUNNING"}, {"</valgrindoutput>", ""}, {"--xml=yes", "--leak-check=no"}, {"--xml=yes", "--show-leak-kinds=reachable"},
		{"--xml=yes", "--suppressions=known.supp"}} {
		if r := decode(t, Decode, "x", strings.Replace(xml, c[0], c[1], 1)); r.set.Len(table.Samples) != 0 || r.err != nil {
			t.Errorf("%s for %s: %d samples, %v", c[1], c[0], r.set.Len(table.Samples), r.err)
		}
	}
}

// TestProcesses: lines of two processes interleave, words of a test driver stand before them, one is ended by a signal
// that is no fault of its own.
func TestProcesses(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "fork.txt"))
	same(t, "faults", r.dump(t, table.Faults, faultRow), []string{"51 | parent | invalid-access | 20480 | 8 | 2 | - | - | 6", "52 | - | overflow | 4096 | 2 | 3 | 5 | - | 7"})
	same(t, "frames", r.dump(t, table.Frames, "id function module source_file")[1:3], []string{"2 | use(item*, int (*)(int)) | - | item.cpp", "3 | - | lib child.so | -"})
	same(t, "samples", r.dump(t, table.Samples, sampleFigures), []string{"0 | 52 | - | leaked_bytes | 1040 | 19", "0 | 52 | - | leaked_count | 3 | 19"})
}

func TestProblems(t *testing.T) {
	same(t, "text", decode(t, Decode, "x", fixture(t, "bad-lines.txt")).problems, []string{
		`x:4:1: want BYTES bytes in N blocks are definitely, indirectly or possibly lost or still reachable in loss record I of N, have "many bytes in 3 blocks are definitely lost in loss record 1 "`,
		`x:9:1: want a call, at 0xADDRESS: FUNCTION (PLACE), have a line that is none or is cut (3 times)`,
		`x:14:1: want BYTES bytes in N blocks, have "definitely lost: some bytes in 1 blocks"`,
		`x:17: want an ERROR SUMMARY of process 61, have none: it was killed or the log is cut`})
	same(t, "document", decode(t, Decode, "x", fixture(t, "bad-cut.xml")).problems, []string{
		"x:255:9: want leakedbytes and leakedblocks of a loss record, have none that can be read", "x:284:7: want </valgrindoutput>, have the end: the process was killed or the file is cut"})
}

// TestKinds: what an error is, by its words and the block that its address is of.
func TestKinds(t *testing.T) {
	for _, c := range []struct{ what, about, kind string }{
		{"Invalid read of size 4", "Address 0x1 is 8 bytes inside a block of size 64 free'd", "use-after-free"},
		{"Invalid write of size 4", "Address 0x1 is 4,096 bytes inside a block of size 5,000 free'd", "use-after-free"},
		{"Invalid read of size 4", "Address 0x1 is 0 bytes after a block of size 64 alloc'd", "overflow"},
		{"Invalid read of size 4", "Address 0x1 is 60 bytes inside a block of size 64 alloc'd", "invalid-access"},
		{"Invalid read of size 4", "Address 0x1 is 8 bytes inside an unallocated block of size 4,096 in arena \"client\"", "invalid-access"},
		{"Invalid read of size 4", "Address 0x1 is on thread 1's stack", "invalid-access"},
		{"Invalid free() / delete / delete[] / realloc()", "Address 0x1 is 0 bytes inside a block of size 48 free'd", "double-free"},
		{"Invalid free() / delete / delete[] / realloc()", "Address 0x1 is 4 bytes inside a block of size 48 free'd", "invalid-free"},
		{"Mismatched free() / delete / delete []", "Address 0x1 is 0 bytes inside a block of size 48 alloc'd", "mismatched-free"},
		{"Mismatched new/delete size value: 16", "", "mismatched-free"},
		{"Use of uninitialised value of size 8", "", "uninitialised"},
		{"Syscall param write(buf) points to uninitialised byte(s)", "", "uninitialised"},
		{"Syscall param write(buf) points to unaddressable byte(s)", "", "invalid-access"},
		{"Jump to the invalid address stated on the next line", "", "invalid-access"},
		{"Process terminating with default action of signal 11 (SIGSEGV)", "", "crash"},
	} {
		r := record{what: c.what}
		r.about(c.about)
		if got := r.kindOf(); got != c.kind {
			t.Errorf("%s, %s: %s, want %s", c.what, c.about, got, c.kind)
		}
	}
}

func TestFrames(t *testing.T) {
	for text, want := range map[string]callstack.Frame{
		"   at 0x1091C2: read_node (uaf.c:8)":                {Function: "read_node", SourceFile: "uaf.c", SourceLine: table.Known(8), Address: 0x1091c2, HasAddress: true},
		"   by 0x10: ??? (in /usr/lib/my lib (old).so)":      {Module: "my lib (old).so", Address: 0x10, HasAddress: true},
		"   by 0x1FFF0009F6: ???":                            {Address: 0x1fff0009f6, HasAddress: true},
		"   by 0x2: A::operator()(int) const (src/a b.h:12)": {Function: "A::operator()(int) const", SourceFile: "src/a b.h", SourceLine: table.Known(12), Address: 2, HasAddress: true},
		"   by 0x3: f(int)":                                  {Function: "f(int)", Address: 3, HasAddress: true},
	} {
		if got, ok := frameOf(text); !ok || got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{"at 0x", "by 0xzz: f", "at 0x12345678901234567: f", "by 0x1", "  Address 0x1 is"} {
		if _, ok := frameOf(text); ok {
			t.Errorf("%s is taken as a call", text)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{"==1== Memcheck, a memory error detector\n": true, "x\n--1-- y\n==12== HEAP SUMMARY:\n": true,
		"==00:00:00:01.450 5067== Memcheck, a memory error detector\n": true, "==1== Helgrind, a thread error detector\n": false, "==1==ERROR: LeakSanitizer: HEAP\n": false,
		"Memcheck, a memory error detector\n": false, "<valgrindoutput><protocoltool>helgrind</protocoltool>": false, "<valgrindoutput>\n<tool>memcheck</tool>": true, "": false} {
		if Sniff([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// rows gives every row of a result.
func (r result) rows(t testing.TB) []string {
	out := append(r.dump(t, table.Faults, faultRow), r.dump(t, table.Samples, sampleFigures)...)
	return append(out, r.dump(t, table.Sites, siteColumns)...)
}

// TestCRLF: line ends make no difference.
func TestCRLF(t *testing.T) {
	for file := range fixtures {
		text := fixture(t, file)
		same(t, file, decode(t, Decode, "x", strings.ReplaceAll(text, "\n", "\r\n")).rows(t), decode(t, Decode, "x", text).rows(t))
	}
}

// TestTruncation: a report that ends anywhere says so, and has no site with other figures.
func TestTruncation(t *testing.T) {
	for file, end := range map[string]string{"mix.txt": "ERROR SUMMARY", "mix.xml": "</valgrindoutput>"} {
		text := fixture(t, file)
		whole := map[string]bool{}
		for _, s := range decode(t, Decode, "x", text).dump(t, table.Sites, "live_bytes live_count line") {
			whole[s] = true
		}
		for n := max(strings.Index(text, "Parent")+200, strings.Index(text, "</pid>")+6); n < strings.Index(text, end); n += 7 {
			r := decode(t, Decode, "x", text[:n])
			if r.err != nil || len(r.problems) == 0 {
				t.Fatalf("%s: cut at %d of %d: %v, no problem", file, n, len(text), r.err)
			}
			for _, s := range r.dump(t, table.Sites, "live_bytes live_count line") {
				if !whole[s] {
					t.Fatalf("%s: cut at %d: has %q", file, n, s)
				}
			}
		}
	}
}

// TestDepth: a document of absurd depth is given up, with what was read before.
func TestDepth(t *testing.T) {
	deep := strings.Replace(fixture(t, "mix.xml"), "<fatal_signal>", strings.Repeat("<a>", 100_000), 1)
	r := decode(t, Decode, "x", deep)
	if r.err != nil || r.set.Len(table.Faults) != 5 || len(r.problems) != 2 || !strings.Contains(r.problems[0], "want elements in at most") {
		t.Errorf("%v, %d faults, %q", r.err, r.set.Len(table.Faults), r.problems)
	}
}

// TestUnclosed: an error that ends inside a call is written with the calls before it.
func TestUnclosed(t *testing.T) {
	for _, tag := range []string{"error", "fatal_signal"} {
		text := "<valgrindoutput><pid>1</pid><" + tag + "><what>Invalid read of size 4</what><signame>SIGSEGV</signame><stack><frame><ip>0x1</ip></frame><frame><ip>0x2</ip></" + tag +
			"></frame><fn>f</fn></valgrindoutput>"
		if r := decode(t, Decode, "x", text); r.err != nil || r.set.Len(table.Faults) != 1 || r.set.Len(table.Frames) != 1 {
			t.Errorf("%s: %v, %d faults, %d frames", tag, r.err, r.set.Len(table.Faults), r.set.Len(table.Frames))
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "hello\n", "<valgrindoutput>", "<valgrindoutput></valgrindoutput>", "<a/>"} {
		if r := decode(t, Decode, "x", text); r.err == nil && r.set.Files[0].Rows == 0 {
			t.Errorf("%q: want an error", text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for file := range fixtures {
		f.Add(fixture(f, file))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r := decode(t, Decode, "x", text); r.set.Files[0].Rows > 4+len(text)/3 {
			t.Errorf("%d rows of %d bytes", r.set.Files[0].Rows, len(text))
		}
	})
}

// TestDamagedLines: a frame without an address keeps its name; a line without a pid is of the only process, and is left out
// where there are several.
func TestDamagedLines(t *testing.T) {
	text := fixture(t, "double-free.txt")
	whole := decode(t, Decode, "x", text).dump(t, table.Frames, "id parent function")
	for from, want := range map[string]string{"==26323==    by 0x10918B": "by xx10918B", "==26323==    at 0x484417B": "at xx484417B"} {
		r := decode(t, Decode, "x", strings.Replace(text, from, "==26323==    "+want, 1))
		if len(r.problems) != 1 || !strings.Contains(r.problems[0], "want a call, at 0xADDRESS") {
			t.Errorf("%s: %q", from, r.problems)
		}
		if got := r.dump(t, table.Frames, "function"); len(got) < len(whole) {
			t.Errorf("%s: %q", from, got)
		}
	}
	r := decode(t, Decode, "x", strings.Replace(text, "==26323==    by 0x10918B", "==x6323==    by 0x10918B", 1))
	same(t, "one process", r.dump(t, table.Frames, "id parent function"), whole)
	if len(r.problems) != 1 || !strings.Contains(r.problems[0], "taken as of process 26323, the only one before it") {
		t.Errorf("%q", r.problems)
	}
	r = decode(t, Decode, "x", strings.Replace(fixture(t, "fork.txt"), "==51==    by 0x401010", "==x1==    by 0x401010", 1))
	if len(r.problems) != 1 || !strings.Contains(r.problems[0], "the line is left out") {
		t.Errorf("%q", r.problems)
	}
	if r := decode(t, Decode, "x", "== a table ==\n====\na == b\n==end==\n"+text); len(r.problems) > 0 {
		t.Errorf("words of the program are told: %q", r.problems)
	}
}
