package sanitizer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const (
	siteColumns = "pid process class stack live_bytes live_count total_bytes line"
	faultRow    = "pid kind address size stack alloc_stack free_stack line"
)

// fixtures have so many sites, faults and problems.
var fixtures = map[string][3]int{"leak-clang.txt": {2, 2, 0}, "double-free-clang.txt": {0, 1, 0}, "errors-gcc.txt": {0, 6, 0}, "race-gcc.txt": {0, 1, 0},
	"use-after-free-tsan.txt": {0, 1, 0}, "logcat.txt": {0, 1, 0}, "bad-cut.txt": {1, 2, 4}}

func fixture(t testing.TB, file string) string {
	return read(t, filepath.Join(root(t), "fixtures", "sanitizer", file))
}

func TestFixtures(t *testing.T) {
	for file, want := range fixtures {
		text := fixture(t, file)
		r := decode(t, Decode, file, text)
		got := [3]int{r.set.Len(table.Sites), r.set.Len(table.Faults), len(r.problems)}
		if got != want || r.err != nil || !Sniff([]byte(text)) {
			t.Errorf("%s: sites, faults, problems %v, want %v; %v\n%s", file, got, want, r.err, strings.Join(r.problems, "\n"))
		}
	}
}

func TestLeaks(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "leak-clang.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{"26480 | - | leak_batch | 2 | 12288 | 3 | - | 6", "26480 | - | leak_linear | 4 | 3000 | 30 | - | 10"})
	same(t, "faults", r.dump(t, table.Faults, faultRow+" detail"), []string{
		"26480 | leak-definite | - | 12288 | 2 | - | - | 6 | Direct leak of 12288 byte(s) in 3 object(s) allocated from:",
		"26480 | leak-definite | - | 3000 | 4 | - | - | 10 | Direct leak of 3000 byte(s) in 30 object(s) allocated from:"})
	same(t, "frames", r.dump(t, table.Frames, "id parent function source_file source_line module"), []string{
		"1 | - | leak_batch | /app/src/leakmix.cpp | 19 | -", "2 | 1 | malloc | - | - | leakmix_clang",
		"3 | - | leak_linear | /app/src/leakmix.cpp | 18 | -", "4 | 3 | malloc | - | - | leakmix_clang"})
	indirect := strings.Replace(fixture(t, "leak-clang.txt"), "Direct leak of 3000", "Objects leaked above:\n0x1 (2 bytes)\n\nIndirect leak of 3000", 1)
	same(t, "indirect", decode(t, Decode, "x", indirect).dump(t, table.Faults, "kind size"), []string{"leak-definite | 12288", "leak-indirect | 3000"})
}

// TestErrors: six reports in one log; a freed or an accessed address, the stacks by their headings.
func TestErrors(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "errors-gcc.txt"))
	same(t, "faults", r.dump(t, table.Faults, faultRow), []string{
		"26607 | mismatched-free | 105690555219984 | - | 6 | 9 | - | 2", "26613 | overflow | 105827994173496 | 4 | 11 | 13 | - | 20",
		"26619 | overflow | 140721629002504 | 4 | 15 | - | - | 37", "26625 | invalid-free | 105690555219987 | - | 17 | 19 | - | 56",
		"26636 | crash | 0 | - | 20 | - | - | 73", "26642 | crash | - | - | 22 | - | - | 85"})
	same(t, "double free", decode(t, Decode, "x", fixture(t, "double-free-clang.txt")).dump(t, table.Faults, faultRow),
		[]string{"26471 | double-free | 105827994173456 | 48 | 6 | 12 | 10 | 2"})
	same(t, "logcat", decode(t, Decode, "x", fixture(t, "logcat.txt")).dump(t, table.Faults, faultRow), []string{"1234 | overflow | 66 | 2 | 2 | 4 | - | 1"})
}

// TestThreads: the write before a use after free is the free; of a race only the access that was caught has a stack.
func TestThreads(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "use-after-free-tsan.txt"))
	same(t, "use after free", r.dump(t, table.Faults, faultRow), []string{"26495 | use-after-free | 135308649693184 | 4 | 8 | - | 11 | 3"})
	frames := r.dump(t, table.Frames, "id function module source_line")
	if frames[0] != "1 | libstdc++.so.6+0xd44a2 | libstdc++.so.6 | -" || frames[7] != "8 | conn_use | uafrace_clang | 21" || frames[10] != "11 | free | uafrace_clang | -" {
		t.Errorf("%q", frames)
	}
	same(t, "race", decode(t, Decode, "x", fixture(t, "race-gcc.txt")).dump(t, table.Faults, faultRow), []string{"26643 | race | 93824992247980 | 4 | 2 | - | - | 2"})
}

func TestProblems(t *testing.T) {
	same(t, "problems", decode(t, Decode, "x", fixture(t, "bad-cut.txt")).problems, []string{
		`x:8:1: want a leak of BYTES byte(s) in N object(s), have "Direct leak of many byte(s) in 2 object(s) allocated from:"`,
		"x:11:1: want leaks that add up to the summary, 48 bytes in 4 allocations, have 16 in 2: the report is cut or mixed up",
		"x:14:1: want a call, #N 0xADDRESS in FUNCTION PLACE, have a line that is none or is cut (2 times)",
		"x:16: want a SUMMARY at the end of a report, have none: it is cut, or print_summary=0 was set"})
}

func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"AddressSanitizer: heap-use-after-free on address 0x1": "use-after-free", "AddressSanitizer: stack-use-after-return on address 0x1": "invalid-access",
		"AddressSanitizer: use-after-poison on address 0x1": "invalid-access", "AddressSanitizer: attempting double-free on 0x1": "double-free",
		"AddressSanitizer: new-delete-type-mismatch on 0x1": "mismatched-free", "AddressSanitizer: global-buffer-overflow on address 0x1": "overflow",
		"AddressSanitizer: stack-buffer-underflow on address 0x1": "overflow", "AddressSanitizer: container-overflow on address 0x1": "overflow",
		"AddressSanitizer: stack-overflow on address 0x1": "crash", "AddressSanitizer: ABRT on unknown address 0x1": "crash", "LeakSanitizer: SEGV on unknown address 0x1": "crash",
		"AddressSanitizer: memcpy-param-overlap: memory ranges": "invalid-access", "ThreadSanitizer: data race (pid=1)": "race",
		"ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=1)": "race", "ThreadSanitizer: heap-use-after-free (virtual call vs free) (pid=1)": "use-after-free",
		"MemorySanitizer: use-of-uninitialized-value": "uninitialised",
	} {
		tool, _, _ := strings.Cut(text, ":")
		if got := kindOf(head{tool: tool, text: text}); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestFrames(t *testing.T) {
	at := func(function, module, file string, line int64, addr uint64) call {
		return call{Function: function, Module: module, SourceFile: file, SourceLine: table.Int{V: line, OK: line > 0}, Address: addr, HasAddress: addr > 0}
	}
	for text, want := range map[string]call{
		"0x7f in read_node /app/src/uaf.c:8:69":                            at("read_node", "", "/app/src/uaf.c", 8, 0x7f),
		"0x7f in main files/asan.cpp:5":                                    at("main", "", "files/asan.cpp", 5, 0x7f),
		"0x7f in free (/app/uaf+0xa2ea2) (BuildId: d5199e9a)":              at("free", "uaf", "", 0, 0x7f),
		"0x7f  (/lib/libstdc++.so.6+0xd44a2)":                              at("libstdc++.so.6+0xd44a2", "libstdc++.so.6", "", 0, 0x7f),
		"0x7f (/lib/x.so+0x2)":                                             at("x.so+0x2", "x.so", "", 0, 0x7f),
		"0x7f in __libc_start_main (??)":                                   at("__libc_start_main", "", "", 0, 0x7f),
		"0x7f in operator new(unsigned long) /a b/new.cc:3":                at("operator new(unsigned long)", "", "/a b/new.cc", 3, 0x7f),
		"0x7f in A<b, c>::f(int) const x.h:3:4":                            at("A<b, c>::f(int) const", "", "x.h", 3, 0x7f),
		"0x7f in main::$_0::operator()() const (/x/y+0x1)":                 at("main::$_0::operator()() const", "y", "", 0, 0x7f),
		"0x7f in main C:\\src\\a.cpp:12":                                   at("main", "", "C:\\src\\a.cpp", 12, 0x7f),
		"0x7f in __invoke<main(int, char**)::<lambda()> > /usr/invoke.h:9": at("__invoke<main(int, char**)::<lambda()> >", "", "/usr/invoke.h", 9, 0x7f),
		"<null> <null> (libstdc++.so.6+0xd44a2)":                           at("libstdc++.so.6+0xd44a2", "libstdc++.so.6", "", 0, 0),
		"free <null> (app+0x52254) (BuildId: 98e1)":                        at("free", "app", "", 0, 0),
		"bump() /app/src/mis.cpp:5 (mis+0x126c)":                           at("bump()", "mis", "/app/src/mis.cpp", 5, 0),
		"0x7f in f(int) const":                                             at("f(int) const", "", "", 0, 0x7f),
	} {
		if got, ok := frameOf(text); !ok || got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{"0xzz in f", "", "<null>", "0x11112222333344445 in f"} {
		if got, ok := frameOf(text); ok {
			t.Errorf("%q is taken as a call: %+v", text, got)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{"==1==ERROR: LeakSanitizer: detected memory leaks\n": true, "out==12==ERROR: AddressSanitizer: heap-use-after-free\r\n": true,
		"WARNING: ThreadSanitizer: data race (pid=2)\n": true, "==3==WARNING: MemorySanitizer: use-of-uninitialized-value\n": true, "ERROR: AddressSanitizer: x\n": false,
		"==1==ERROR: HWAddressSanitizer: tag-mismatch\n": false, "==1== Memcheck\n": false, "ERROR: SanitizerX\n": false, "": false} {
		if Sniff([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func (r result) rows(t testing.TB) []string {
	return append(r.dump(t, table.Faults, faultRow+" detail"), r.dump(t, table.Sites, siteColumns)...)
}

// TestCRLF: line ends make no difference.
func TestCRLF(t *testing.T) {
	for file := range fixtures {
		text := fixture(t, file)
		same(t, file, decode(t, Decode, "x", strings.ReplaceAll(text, "\n", "\r\n")).rows(t), decode(t, Decode, "x", text).rows(t))
	}
}

// TestTruncation: a report that ends anywhere before its summary says so, and has no leak with other figures.
func TestTruncation(t *testing.T) {
	for _, file := range []string{"leak-clang.txt", "double-free-clang.txt"} {
		text := fixture(t, file)
		whole := map[string]bool{}
		for _, s := range decode(t, Decode, "x", text).dump(t, table.Sites, "live_bytes live_count line") {
			whole[s] = true
		}
		from := strings.Index(text, "==ERROR") + 80
		for n := from; n < strings.Index(text, "SUMMARY"); n++ {
			r := decode(t, Decode, "x", text[:n])
			if r.err == nil && len(r.problems) == 0 {
				t.Fatalf("%s: cut at %d of %d: no problem", file, n, len(text))
			}
			for _, s := range r.dump(t, table.Sites, "live_bytes live_count line") {
				if !whole[s] {
					t.Fatalf("%s: cut at %d: has %q", file, n, s)
				}
			}
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "hello\n", "==1==ERROR: LeakSanitizer: detected memory leaks\n", "SUMMARY: LeakSanitizer: 1 byte(s) leaked in 1 allocation(s).\n"} {
		if r := decode(t, Decode, "x", text); r.err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

// TestAcceptance is the part of the acceptance table that concerns rows, and what the captures' program did.
func TestAcceptance(t *testing.T) {
	for file, want := range map[string]string{
		"asan.uaf.txt": "use-after-free | 4", "asan.doublefree.txt": "double-free | 48", "asan.uafrace.txt": "use-after-free | 4", "tsan.uafrace.txt": "use-after-free | 4",
		"lsan.leakmix.txt": "leak-definite | 204800; leak-definite | 50000", "asan.leak.leakmix.txt": "leak-definite | 204800; leak-definite | 50000",
		"lsan.objects.leakmix.txt": "leak-definite | 8192; leak-definite | 2000", "public/codechecker.asan.out": "use-after-free | 4",
		"public/codechecker.lsan.out": "leak-definite | 7", "public/codechecker.tsan.out": "crash | -",
	} {
		for _, path := range corpus(t, "heap/"+file) {
			text := read(t, path)
			r := decode(t, Decode, path, text)
			if got := strings.Join(r.dump(t, table.Faults, "kind size"), "; "); got != want || r.err != nil || !Sniff([]byte(text)) || len(r.problems) > 0 && file != "asan.uafrace.txt" {
				t.Errorf("%s: %s, want %s; %v %q", file, got, want, r.err, r.problems)
			}
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

// TestDamagedFrames: a call with a number or an address that is none is told and keeps its place; the same line twice is
// one call.
func TestDamagedFrames(t *testing.T) {
	text := fixture(t, "leak-clang.txt")
	whole := decode(t, Decode, "x", text).dump(t, table.Frames, "id parent function")
	first := strings.Split(text, "\n")[6]
	for _, c := range [][2]string{{"#0 0x5646a3b4a16e", "#x 0x5646a3b4a16e"}, {"#1 0x5646a3b8756a in", "#1 xx5646a3b8756a in"},
		{first, first + "\n" + first}} {
		r := decode(t, Decode, "x", strings.Replace(text, c[0], c[1], 1))
		same(t, c[1], r.dump(t, table.Frames, "id parent function"), whole)
		if len(r.problems) != 1 {
			t.Errorf("%s: %q", c[1], r.problems)
		}
	}
	prose := strings.Replace(text, "    #0", "    #define X 1\n    #0", 1)
	if r := decode(t, Decode, "x", prose); len(r.problems) > 0 {
		t.Errorf("words of the program are told: %q", r.problems)
	}
}
