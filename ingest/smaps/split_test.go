package smaps_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/table"
)

// heaps gives time and pid of each [heap].
func heaps(t testing.TB, s *table.Set) []string {
	var out []string
	for _, row := range dump(t, s, table.Mappings, "path", "time_ns", "pid") {
		if heap, ok := strings.CutPrefix(row, "[heap] "); ok {
			out = append(out, heap)
		}
	}
	return out
}

func TestSnapshots(t *testing.T) {
	one := heap + lib + stack
	for _, c := range []struct {
		name, text, clock string
		want              []string
	}{
		{"falling addresses", one + one + one, "order", []string{"0 ", "1000000000 ", "2000000000 "}},
		{"epoch", "### 1795951515.25 pid=7\n" + one + "### 1795951516.5\n" + one, "wall", []string{"0 7", "1250000000 7"}},
		{"date", "Sun Nov 29 11:25:15 UTC 2026\n" + one + "Sun Nov 29 11:25:25 UTC 2026\n" + one, "wall", []string{"0 ", "10000000000 "}},
		{"rules", "================\n" + one + "================\n" + one, "order", []string{"0 ", "1000000000 "}},
		{"time and rule", "1795951515\n================\n" + one + "1795951517\n================\n" + one, "wall", []string{"0 ", "2000000000 "}},
		{"rule, time, rule", "========\n1795951515\n========\n" + one + "========\n1795951517\n========\n" + one, "wall", []string{"0 ", "2000000000 "}},
		{"two processes behind one time", "1795951515\n" + one + one + "1795951517\n" + one, "wall", []string{"0 ", "0 ", "2000000000 "}},
		{"another process", "1795951515 pid=7\n" + one + "1795951517 pid=8\n" + one, "wall", []string{"0 7", "2000000000 8"}},
		{"no data between", "1795951515\n" + one + "1795951516\ncat: /proc/7/smaps: No such file or directory\n1795951517\n" + one, "wall", []string{"0 ", "2000000000 "}},
	} {
		s := decode(t, c.text)
		if s.Clock != c.clock {
			t.Errorf("%s: clock %s", c.name, s.Clock)
		}
		check(t, c.name, heaps(t, s), c.want...)
		if p := problems(s); p != "" {
			t.Errorf("%s: %s", c.name, p)
		}
	}
}

// TestUnendedLine: a last line without an end must show that nothing of it is missing, whether its figure is stored or not.
func TestUnendedLine(t *testing.T) {
	body := func(last string) string {
		return heap + lib + strings.TrimSuffix(stack, "VmFlags: rd wr mr mw me ac \n") + last
	}
	for last, whole := range map[string]bool{
		"VmFlags: ": false, "VmFlags:": false, "VmFlags: rd": true, "THPeligible:     ": false, "THPeligible:           0": false, "AnonHugePages:        ": false,
		"AnonHugePages:        0 k": false, "AnonHugePages:        0 kB": true, "Fro": false, "VmFlags: rd \n": true,
	} {
		s, err := decodeWith(t, smaps.Decode, body(last))
		if got := s.Len(table.Mappings) == 3; got != whole || got != (err == nil) || !got && !strings.Contains(err.Error(), "it ends in the middle of a mapping") {
			t.Errorf("%q: kept %v, %v", last, got, err)
		}
	}
}

// TestManyBlanks: empty lines are counted, in whatever number.
func TestManyBlanks(t *testing.T) {
	s := decode(t, strings.Repeat("\n", 3<<20)+heap+"\n\n\n"+lib+"\r\n"+stack)
	check(t, "lines", dump(t, s, table.Mappings, "line"), "3145729", "3145744", "3145757")
}

// TestDied: the kernel stops between two mappings of a process that ends while it is read.
func TestDied(t *testing.T) {
	one := heap + lib + stack
	for name, c := range map[string]struct {
		text, problem string
		heaps, noData int
	}{
		"with a message":     {"1795951515\n" + heap + lib + "cat: /proc/7/smaps: No such process\n1795951516\n" + one, "the process ended while it was read", 1, 1},
		"silently":           {"1795951515\n" + one + "1795951516\n" + heap + lib + "1795951517\ncat: /proc/7/smaps: No such file or directory\n", "it ends before the mappings that the kernel puts last", 1, 1},
		"at the end":         {one + heap + lib, "it ends before the mappings that the kernel puts last", 1, 0},
		"message for others": {one + "cat: /proc/7/smaps_rollup: Permission denied\n", "", 1, 1},
		"dead before":        {one + "cat: /proc/7/smaps: No such process\n", "", 1, 1},
	} {
		s := decode(t, c.text)
		if n := len(heaps(t, s)); n != c.heaps || s.Files[0].NoData != c.noData {
			t.Errorf("%s: %d snapshots, %d without data", name, n, s.Files[0].NoData)
		}
		if p := problems(s); (p == "") != (c.problem == "") || !strings.Contains(p, c.problem) {
			t.Errorf("%s: %s", name, p)
		}
	}
}

// TestExcerpt: a capture that does not end as the kernel ends one is kept, with a warning.
func TestExcerpt(t *testing.T) {
	s := decode(t, heap+lib)
	if s.Len(table.Mappings) != 2 || !strings.Contains(problems(s), `x:24: the last mapping is "/usr/lib/libc.so.6"`) {
		t.Errorf("%d mappings, %s", s.Len(table.Mappings), problems(s))
	}
}

// TestRollupBeside: a rollup in the same sample is not read as a mapping.
func TestRollupBeside(t *testing.T) {
	rollup := strings.Replace(vma("55d000000000-7ffc00021000 ---p 00000000 00:00 0                          [rollup]", 0, 999), "VmFlags: rd wr mr mw me ac \n", "", 1)
	s := decode(t, heap+lib+stack+rollup)
	check(t, "mappings", dump(t, s, table.Mappings, "path", "rss"), "[heap] 102400", "/usr/lib/libc.so.6 40960", "[stack] 12288")
}

// TestTruncation breaks logs of two samples off: the rows are always those of whole samples.
func TestTruncation(t *testing.T) {
	one := heap + lib + strings.ReplaceAll(lib, "7f00000", "7f10000") + stack
	truncate(t, "### 1795951515.25 pid=7\n"+one+"### 1795951516.5 pid=7\n", one, 1, 4)
	captured := fixture(t, "smaps/grow-loop.log")
	first := strings.Index(captured, "### ")
	second := first + strings.Index(captured[first+1:], "### ") + 1
	third := strings.LastIndex(captured, "### ")
	truncate(t, captured[:second+strings.IndexByte(captured[second:], '\n')+1], captured[second+strings.IndexByte(captured[second:], '\n')+1:third], 61, 17)
}

// truncate breaks a + b off behind every step-th byte; a is a sample and the separator of the second, which is b. The
// one thing that the text cannot show is a first sample that ends between two mappings: it has a warning.
func truncate(t *testing.T, a, b string, step, n int) {
	whole, first := decode(t, a+b), decode(t, a)
	mappings := dump(t, whole, table.Mappings, undated(table.Mappings)...)
	samples := dump(t, whole, table.Samples, undated(table.Samples)...)
	firstSamples := dump(t, first, table.Samples, undated(table.Samples)...)
	if first.Len(table.Mappings) != n || len(mappings) != 2*n {
		t.Fatalf("%d and %d mappings, want %d", first.Len(table.Mappings), len(mappings), n)
	}
	for cut := 0; cut < len(a+b); cut += step {
		s, err := decodeWith(t, smaps.Decode, (a + b)[:cut])
		got := s.Len(table.Mappings)
		switch {
		case got == 0 && (err == nil || s.Len(table.Samples) != 0):
			t.Fatalf("%d bytes: nothing is left and no error", cut)
		case got == n:
			check(t, "samples", dump(t, s, table.Samples, undated(table.Samples)...), firstSamples...)
		case got == 2*n:
			check(t, "samples", dump(t, s, table.Samples, undated(table.Samples)...), samples...)
		case got%n == n-1 && strings.Contains(mappings[n-1], "[vsyscall]"):
			// that one alone is missing, which has no memory
		case got > 0 && got < n && strings.Contains(problems(s), "the capture may be cut"):
		case got != 0:
			t.Fatalf("%d bytes: %d mappings, a sample has %d; %s", cut, got, n, problems(s))
		}
		if rows := dump(t, s, table.Mappings, undated(table.Mappings)...); got > 1 && !slices.Equal(rows, mappings[:got]) {
			t.Fatalf("%d bytes: wrong mappings", cut)
		}
		if t.Failed() {
			t.Fatalf("%d bytes", cut)
		}
	}
}

// TestConcatenation: captures read one behind the other give the rows of each. The pid of a separator holds on.
func TestConcatenation(t *testing.T) {
	all := fixtures(t)
	names := []string{"smaps/sleep.txt", "smaps/special.txt", "smaps/android13.txt", "smaps/kernel3-tabs.txt", "smaps/grow-loop.log"}
	for _, a := range names {
		for _, b := range names {
			if strings.HasPrefix(all[b], "5") && !strings.Contains(all[a], "[vsyscall]") {
				continue // without a separator only falling addresses tell that another sample begins
			}
			x, y, both := decode(t, all[a]), decode(t, all[b]), decode(t, all[a]+all[b])
			for _, id := range []table.ID{table.Mappings, table.Samples} {
				columns := slices.DeleteFunc(undated(id), func(c string) bool { return c == "pid" })
				want := append(dump(t, x, id, columns...), dump(t, y, id, columns...)...)
				if !slices.Equal(dump(t, both, id, columns...), want) {
					t.Fatalf("%s + %s: %s differ", a, b, table.Schemas[id].Name)
				}
			}
		}
	}
}

// TestLineEnds: CR LF makes no difference.
func TestLineEnds(t *testing.T) {
	for name, text := range fixtures(t) {
		if strings.Contains(text, "\r") || strings.Contains(name, "SOURCE") {
			continue
		}
		for _, end := range []string{"\r\n", "\r\r\n"} {
			a, errA := decodeWith(t, smaps.Decode, text)
			b, errB := decodeWith(t, smaps.Decode, strings.ReplaceAll(text, "\n", end))
			if (errA == nil) != (errB == nil) || problems(a) != problems(b) || !slices.Equal(dump(t, a, table.Samples, undated(table.Samples)...), dump(t, b, table.Samples, undated(table.Samples)...)) {
				t.Errorf("%s with %q differs", name, end)
			}
		}
	}
}

// TestRushIsNoShortcut: the quick way and the careful one give the same rows, wherever the buffer ends.
func TestRushIsNoShortcut(t *testing.T) {
	for name, text := range fixtures(t) {
		if strings.Contains(name, "SOURCE") {
			continue
		}
		quick, errA := decodeWith(t, smaps.Decode, text)
		// two blanks before the unit are read with care only
		slow, errB := decodeWith(t, smaps.Decode, strings.ReplaceAll(text, " kB", "  kB"))
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%s: %v, %v", name, errA, errB)
		}
		for _, id := range []table.ID{table.Mappings, table.Samples} {
			columns := append(undated(id), "line")
			if !slices.Equal(dump(t, quick, id, columns...), dump(t, slow, id, columns...)) {
				t.Errorf("%s: %s differ", name, table.Schemas[id].Name)
			}
		}
	}
}
