package heaptrack

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const (
	siteColumns = "time_ns process class stack live_bytes live_count total_bytes total_count line"
	problemEnd  = ": want the counts of strings and addresses at the end, have none: the capture is cut, rows go up to there"
)

// formats are those of this package, with the number of sites, samples, frames and problems of each fixture.
var formats = []struct {
	name     string
	sniff    func([]byte) bool
	decode   decoderFunc
	fixtures map[string][4]int
}{
	{"heaptrack", Sniff, Decode, map[string][4]int{"leakmix.txt": {28, 9, 17, 0}, "inlined.txt": {4, 6, 6, 0}, "version-0.txt": {2, 3, 2, 0},
		"from-tomorrow.txt": {1, 3, 1, 2}, "bad-records.txt": {2, 3, 1, 10}}},
	{"heaptrack-raw", SniffRaw, DecodeRaw, map[string][4]int{"leakmix.txt": {28, 9, 20, 0}, "modules.txt": {5, 4, 4, 0}, "bad-cut.txt": {1, 2, 1, 6}}},
}

func fixture(t testing.TB, format, file string) string {
	return read(t, filepath.Join(root(t), "fixtures", format, file))
}

func TestFixtures(t *testing.T) {
	for _, f := range formats {
		for file, want := range f.fixtures {
			text := fixture(t, f.name, file)
			for _, other := range formats {
				if other.sniff([]byte(text)) != (other.name == f.name) {
					t.Errorf("%s/%s: claimed by %s: %v", f.name, file, other.name, other.name != f.name)
				}
			}
			r := decode(t, f.decode, file, text)
			got := [4]int{r.set.Len(table.Sites), r.set.Len(table.Samples), r.set.Len(table.Frames), len(r.problems)}
			if got != want || r.err != nil {
				t.Errorf("%s/%s: sites, samples, frames, problems %v, want %v; %v\n%s", f.name, file, got, want, r.err, strings.Join(r.problems, "\n"))
			}
		}
	}
}

// TestTruth: what the program leakmix did in 30 ticks is what its sites say at the end, from both files.
func TestTruth(t *testing.T) {
	want := map[string]string{"leak_linear": "3000 | 30 | 3000 | 30", "leak_batch": "12288 | 3 | 12288 | 3", "cache_plateau": "7680 | 30 | 7680 | 30",
		"pool_sawtooth": "30720 | 30 | 30720 | 30", "churn": "0 | 0 | 15360 | 30", "realloc_grow": "1920 | 1 | 29760 | 30"}
	r := decode(t, Decode, "x", fixture(t, "heaptrack", "leakmix.txt"))
	rows := r.dump(t, table.Sites, "time_ns class live_bytes live_count total_bytes total_count")
	last := strings.Split(rows[len(rows)-1], " | ")[0]
	found := 0
	for _, row := range rows {
		at, rest, _ := strings.Cut(row, " | ")
		class, figures, _ := strings.Cut(rest, " | ")
		if at == last && want[class] != "" {
			if found++; figures != want[class] {
				t.Errorf("%s: %s, want %s", class, figures, want[class])
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d sites at %s, want %d", found, last, len(want))
	}
	var sums []string
	for _, row := range decode(t, DecodeRaw, "x", fixture(t, "heaptrack-raw", "leakmix.txt")).dump(t, table.Sites, "time_ns live_bytes live_count total_bytes total_count") {
		sums = append(sums, row[strings.Index(row, " | ")+3:])
	}
	raw := strings.Join(sums[len(sums)-7:], "\n")
	for class, figures := range want {
		if !strings.Contains(raw, figures) {
			t.Errorf("raw: no site has the figures of %s, %s:\n%s", class, figures, raw)
		}
	}
}

func TestInlined(t *testing.T) {
	r := decode(t, Decode, "x", fixture(t, "heaptrack", "inlined.txt"))
	same(t, "frames", r.dump(t, table.Frames, "id parent function source_file source_line module address"), []string{
		"1 | - | main | /src/main.cpp | 12 | server | 4198400", "2 | 1 | main | /src/main.cpp | 30 | server | 4198432",
		"3 | 2 | fill(std::vector<int>&) | /src/fill.cpp | 20 | server | 4198432", "4 | 3 | operator new(unsigned long) | - | - | libc.so.6 | 139637976731648",
		"5 | 1 | keep_forever | - | - | server | 4198464", "6 | 5 | - | - | - | libc.so.6 | 139637976735744"})
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{
		"10000000 | server | fill(std::vector<int>&) | 4 | 160 | 3 | 160 | 3 | 26", "10000000 | server | 0x7f0000002000 | 6 | 256 | 1 | 256 | 1 | 28",
		"20000000 | server | fill(std::vector<int>&) | 4 | 128 | 3 | 192 | 4 | 26", "20000000 | server | 0x7f0000002000 | 6 | 256 | 1 | 256 | 1 | 28"})
	same(t, "samples", r.dump(t, table.Samples, "time_ns metric value"), []string{"0 | heap_alloc | 0", "0 | rss | 262144", "10000000 | heap_alloc | 416",
		"10000000 | rss | 524288", "20000000 | heap_alloc | 384", "20000000 | rss | 540672"})
	want := map[string]string{"tool": "heaptrack", "clock": "trace", "unit": "requested", "version": "1.2.80", "file_version": "2", "page_size": "16384",
		"command": "/opt/app/server --port 80", "suppressed": "1"}
	if fmt.Sprint(r.facts) != fmt.Sprint(want) {
		t.Errorf("facts %v, want %v", r.facts, want)
	}
}

// TestModules: an address is named by what is loaded when it is met; a running process has no empty heap at the start.
func TestModules(t *testing.T) {
	r := decode(t, DecodeRaw, "x", fixture(t, "heaptrack-raw", "modules.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{
		"0 | raw | libx y.so+0x10 | 2 | 16 | 1 | 16 | 1 | 12", "0 | raw | 0x500000 | 3 | 32 | 1 | 32 | 1 | 13",
		"1000000 | raw | libx y.so+0x10 | 2 | 0 | 0 | 16 | 1 | 12", "1000000 | raw | 0x500000 | 3 | 32 | 1 | 32 | 1 | 13",
		"1000000 | raw | z.so+0x10 | 4 | 48 | 1 | 48 | 1 | 20"})
	if s := r.dump(t, table.Samples, "time_ns metric value"); s[0] != "0 | heap_alloc | 48" || r.facts["attached"] != "true" {
		t.Errorf("%q, %v", s, r.facts)
	}
}

func TestProblems(t *testing.T) {
	same(t, "data file", decode(t, Decode, "x", fixture(t, "heaptrack", "bad-records.txt")).problems, []string{
		`x:7:11: want a record of heaptrack, have one of kind "i" that cannot be read`, `x:9:5: want a record of heaptrack, have one of kind "t" that cannot be read (2 times)`,
		`x:12:2: want a record of heaptrack, have one of kind "a" that cannot be read (3 times)`,
		`x:16: want + and - of a record a that can be read, have 1 of others: they are not counted, the last of them is here`, `x:17:3: want a record of heaptrack, have one of kind "+" that cannot be read (2 times)`,
		`x:20:1: want a free of a block that is allocated, have one more than allocations of its kind`, `x:22:3: want time stamps that rise, have one before the last: it is not used`,
		`x:23:17: want a record of heaptrack, have one of kind "R" that cannot be read`,
		`x:27:4: want the end of a record, have the end of the file: it is cut, and this record not counted`, "x:27" + problemEnd})
	same(t, "version", decode(t, Decode, "x", fixture(t, "heaptrack", "from-tomorrow.txt")).problems, []string{
		"x:1:1: want a file version of at most 3, have 4: only the records that are known are read",
		`x:9:2: want a record of heaptrack, have one of kind "Q" that cannot be read`})
	raw := decode(t, DecodeRaw, "x", fixture(t, "heaptrack-raw", "bad-cut.txt"))
	if raw.facts["lossy"] != "true" || !strings.HasPrefix(raw.problems[2], "x:10:12: want a block that is free") {
		t.Errorf("%v %q", raw.facts, raw.problems)
	}
}

// TestCRLF: line ends make no difference, nor does the fast way over allocations, which takes only lines with LF.
func TestCRLF(t *testing.T) {
	for _, f := range formats {
		for file := range f.fixtures {
			text := fixture(t, f.name, file)
			one, two := decode(t, f.decode, "x", text), decode(t, f.decode, "x", strings.ReplaceAll(text, "\n", "\r\n"))
			same(t, file, two.dump(t, table.Sites, siteColumns), one.dump(t, table.Sites, siteColumns))
			same(t, file, two.dump(t, table.Samples, "time_ns metric value line"), one.dump(t, table.Samples, "time_ns metric value line"))
		}
	}
}

// TestTruncation: a capture that ends anywhere says so, and has nothing that the whole one has not.
func TestTruncation(t *testing.T) {
	for _, f := range formats {
		text := fixture(t, f.name, "leakmix.txt")
		whole := map[string]bool{}
		for _, s := range decode(t, f.decode, "x", text).dump(t, table.Samples, "time_ns metric value line") {
			whole[s] = true
		}
		for n := range len(text) - 1 {
			r := decode(t, f.decode, "x", text[:n])
			if r.err == nil && len(r.problems) == 0 && f.name == "heaptrack" && n < strings.Index(text, "# strings") {
				t.Fatalf("%s: cut at %d of %d: no problem", f.name, n, len(text))
			}
			for _, s := range r.dump(t, table.Samples, "time_ns metric value line") {
				if !whole[s] && !strings.HasPrefix(s, "0 | heap_alloc | 0") {
					t.Fatalf("%s: cut at %d: has %q", f.name, n, s)
				}
			}
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "v 10400 3\n", "v 10400 3\nX a b\nI 1000 1000\n", "hello\n", "+ 0\n- 0\n", "a 10 0\n"} {
		if r := decode(t, Decode, "x", text); r.err == nil {
			t.Errorf("%q: want an error, have %d rows", text, r.set.Files[0].Rows)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string][2]bool{"v 10400 3\nX /bin/x\n": {true, false}, "v 10000\nX x\n": {true, false}, "v 10400 3\nx 1 a\n": {false, true},
		"v 10400 3\r\nX x\r\n": {true, false}, "v 10400 3": {}, "v 10400 3 extra\nX x\n": {}, "v zz\nX x\n": {}, "v 1\nhello\n": {}, "": {}, "version 2\nX x": {}} {
		if got := [2]bool{Sniff([]byte(text)), SniffRaw([]byte(text))}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestDepth: a stack of a hundred thousand calls with a site on each costs no more than its lines.
func TestDepth(t *testing.T) {
	var w strings.Builder
	w.WriteString("v 10400 3\nX /x\ns 1 x\ns 1 f\n")
	for i := 1; i <= 100_000; i++ {
		fmt.Fprintf(&w, "i %x 1 2\nt %x %x\na 1 %x\n+ %x\n", 4096+i, i, i-1, i, i-1)
	}
	w.WriteString("c 1\n# strings: 2\n")
	r := decode(t, Decode, "x", w.String())
	if r.set.Len(table.Sites) != 100_000 || r.set.Len(table.Frames) != 100_000 || len(r.problems) > 0 {
		t.Errorf("%d sites, %d frames, %q", r.set.Len(table.Sites), r.set.Len(table.Frames), r.problems)
	}
}

// TestModulesWithoutEnd: lists of modules that grow while they are in use do not cost time without end.
func TestModulesWithoutEnd(t *testing.T) {
	var w strings.Builder
	w.WriteString("v 10400 3\nx 2 /x\nX /x\n")
	for i := range 100_000 {
		fmt.Fprintf(&w, "m 2 /y %x 0 10\nt %x 0\n", 1<<28-i*16, 1<<28-i*16)
	}
	w.WriteString("+ 1 1 1\nc 1\n")
	r := decode(t, DecodeRaw, "x", w.String())
	if len(r.problems) != 1 || !strings.Contains(r.problems[0], "want modules listed anew") || r.set.Len(table.Sites) != 1 {
		t.Errorf("%d sites, %q", r.set.Len(table.Sites), r.problems)
	}
}

// TestIdle: a site that has nothing live and does nothing has no row before the last; one that does something has.
func TestIdle(t *testing.T) {
	text := "v 10400 3\nX x\na 10 0\ns 1 f\ni 1 0 1\nt 1 0\na 20 1\n+ 0\n- 0\n+ 1\nc 1\nc 2\n- 1\nc 3\nc 4\n+ 0\n- 0\nc 5\nc 6\n# strings: 1\n"
	same(t, "sites", decode(t, Decode, "x", text).dump(t, table.Sites, "time_ns class live_bytes live_count total_bytes total_count"), []string{
		"1000000 | - | 0 | 0 | 16 | 1", "1000000 | f | 32 | 1 | 32 | 1", "2000000 | f | 32 | 1 | 32 | 1", "3000000 | f | 0 | 0 | 32 | 1",
		"5000000 | - | 0 | 0 | 32 | 2", "6000000 | - | 0 | 0 | 32 | 2", "6000000 | f | 0 | 0 | 32 | 1"})
}

// TestHugeNumbers: sizes that add up beyond 63 bits are problems, never negative rows.
func TestHugeNumbers(t *testing.T) {
	r := decode(t, Decode, "x", "v 10400 3\nX x\na 7fffffffffffffff 0\n+ 0\n+ 0\nc 1\nc ffffffffffffffff\nR 1\n# strings: 0\n")
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{"1000000 | x | - | - | 9223372036854775807 | 1 | 9223372036854775807 | 1 | 3"})
	if len(r.problems) != 3 {
		t.Errorf("%q", r.problems)
	}
}

// TestPoints: sites have rows at the stamps ceil(k n / 20), all with the state of that time; a journal that was thinned
// loses places, not figures.
func TestPoints(t *testing.T) {
	for _, n := range []int{1, 7, 20, 45, 400} {
		var g ledger
		g.sites.Add(site{epoch: ^uint32(0)})
		for i := 1; i <= n; i++ {
			g.alloc(0, 10)
			g.stamp(int64(i))
		}
		checkPoints(t, &g, n, 1)
		for len(g.marks) > points {
			g.thin(1)
			checkPoints(t, &g, n, 2*n/len(g.marks)+1)
		}
	}
}

func checkPoints(t *testing.T, g *ledger, n, slack int) {
	t.Helper()
	chosen, count, from := g.chosen(), 0, 0
	var now state
	for k, m := range g.marks {
		for i := from; i < m.end; i++ {
			now = g.notes.At(i).state
		}
		if from = m.end; now.liveCount != int64(m.stamp) || m.at != int64(m.stamp) {
			t.Fatalf("n %d: mark %d of time %d has %d live", n, m.stamp, m.at, now.liveCount)
		}
		if chosen[k] {
			if count++; m.stamp*points/n <= (m.stamp-slack)*points/n {
				t.Errorf("n %d: stamp %d is no ceil(k n / %d)", n, m.stamp, points)
			}
		}
	}
	if want := min(n, points) - 1; slack == 1 && count != want {
		t.Errorf("n %d: %d points before the last, want %d", n, count, want)
	}
	if g.marks[len(g.marks)-1].stamp != n {
		t.Errorf("n %d: the last mark is gone", n)
	}
}

func TestSuppressions(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"foo", "xfoox", true}, {"^foo", "xfoo", false}, {"foo$", "xfoo", true}, {"foo$", "foox", false}, {"^a*z$", "abcz", true}, {"^a*z$", "abcy", false},
		{"^leak*Supp$", "leakTwoSupp", true}, {"a*a", "a", false}, {"^foo$", "foo", true}, {"^foo$", "fofoo", false}, {"*", "x", true}} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%s against %s: %v", c.pattern, c.name, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, format := range formats {
		for file := range format.fixtures {
			f.Add(fixture(f, format.name, file))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range formats {
			r := decode(t, format.decode, "x", text)
			if rows := r.set.Files[0].Rows; rows > 4+4*len(text) {
				t.Errorf("%d rows of %d bytes", rows, len(text))
			}
			if r.err == nil && r.set.Files[0].Rows == 0 {
				t.Error("no rows and no error")
			}
		}
	})
}

// TestEventsOfADamagedRecord: one record that cannot be read takes all events that name it along, and their number is told.
func TestEventsOfADamagedRecord(t *testing.T) {
	text := "v 10400 3\nX ./a\nI 1000 1000\ns 3 ./a\ns 4 main\ni 401000 1 2\nt 1 0\na zz 1\na 20 1\n+ 0\n+ 0\n- 0\n+ 1\nc 64\n# strings: 2\n# ips: 1\n"
	r := decode(t, Decode, "x", text)
	if said := fmt.Sprint(r.problems); r.err != nil || !strings.Contains(said, "x:12: ") || !strings.Contains(said, "have 3 of others") {
		t.Error(said)
	}
}
