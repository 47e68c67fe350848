package memleak_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/memleak"
	"github.com/memtide/memtide/ingest/table"
)

const siteColumns = "time_ns pid process class live_bytes live_count line"

func TestPython(t *testing.T) {
	r := decode(t, fixture(t, "python.txt"))
	load, unnamed := "load_page(std::vector<char, std::allocator<char> >&)", "0x7f20a4e11223"
	same(t, "sites", r.dump(t, table.Sites, siteColumns),
		"0 4242 shop pool_take 2048 2 4", "0 4242 shop "+load+" 40960 10 8",
		"2000000000 4242 shop "+unnamed+" 640 5 13", "2000000000 4242 shop "+load+" 81920 20 16",
		"6000000000 4242 shop pool_take 1024 1 24", "6000000000 4242 shop "+load+" 163840 40 28")
	same(t, "frames", r.dump(t, table.Frames, "id parent function module address line"),
		"1 - main shop 0x55d0a1c0142e 5", "2 1 pool_take shop 0x55d0a1c012b2 5", "3 2 operator new(unsigned long) libstdc++.so.6.0.30 0x7f20a4e99a33 5",
		"4 1 serve [abi:cxx11](int) shop 0x55d0a1c01397 9", "5 4 "+load+" shop 0x55d0a1c011bc 9",
		"6 - - - 0x7f20a4e11999 14", "7 6 - libplugin.so 0x7f20a4e11223 14")
	if f := r.facts(); f["blocks_listed"] != "2" || f["clock"] != "wall" || f["unit"] != "requested" || f["sampled"] != "" || f["lossy"] != "" {
		t.Errorf("facts %v", f)
	}
	same(t, "problems", r.problems())
}

// TestCombined: what stands before the first interval of a capture is of none; a time that falls is another capture.
func TestCombined(t *testing.T) {
	r := decode(t, fixture(t, "combined.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), "0 77 - read_all 96 3 4", "0 77 - - 48 1 7",
		"1000000000 77 - read_all 96 3 10", "300000000000 - kernel __alloc_skb 8192 2 19")
	same(t, "frames", r.dump(t, table.Frames, "parent function module address"), "- main tool -", "1 read_all tool -",
		"- sock_alloc_send_pskb kernel -", "3 __alloc_skb kernel -")
	if f := r.facts(); f["sampled"] != "true" || f["period"] != "10" {
		t.Errorf("facts %v", f)
	}
	same(t, "problems", r.problems())
}

func TestLibbpf(t *testing.T) {
	r := decode(t, fixture(t, "libbpf.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), "0 - - _ZN4shop4PoolC2Ev 4000 1 6", "0 - - copy 16 2 11",
		"10000000000 - - _ZN4shop4PoolC2Ev 8000 2 18")
	same(t, "frames", r.dump(t, table.Frames, "parent function module source_file source_line address"),
		"- - - - - 0x55d0a1c0142e", "1 _ZN4shop4PoolC2Ev shop - - 0x55d0a1c012b2", "2 _Znwm libstdc++.so.6.0.30 - - 0x7f348d6e1dad",
		"- keep - /src/shop/str.c 40 0x55d0a1c01500", "4 copy - /src/shop/str.c 14 0x55d0a1c01500", "5 malloc - /src/malloc.c 3301 0x7f348d6e1dad")
	if f := r.facts(); f["lossy"] != "true" || f["page_size"] != "4096" || f["blocks_listed"] != "1" {
		t.Errorf("facts %v", f)
	}
	same(t, "problems", r.problems())
}

func TestBad(t *testing.T) {
	r := decode(t, fixture(t, "bad-figures.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns), "0 9 - keep - 3 6", "0 9 - keep 100 1 8")
	same(t, "problems", r.problems(),
		`x:2:1: want "[12:00:00] Top 10 stacks with outstanding allocations:", have "[25:00:00] Top 10 stacks with outstanding allocations:": what stands below it is left out`,
		`x:6:1: want bytes and allocations that fit in 63 bits, have "18446744073709551515 bytes in 3 allocations from stack": a count that fell below 0 is printed so`,
		`x:10:3: want a frame such as "0x000055ce75c5f1bc main+0x13 [app]", have "0x000055d0a1c0 main+0x": the stack is cut there`,
		`x:13:3: want a frame such as "0x000055ce75c5f1bc main+0x13 [app]", have "0x000055d0a1c0 gar": the stack is cut there`,
		`x:14: want the frames of a stack, have the end of the file: the group is left out`)
}

func TestHeldNothing(t *testing.T) {
	for text, want := range map[string]string{
		fixture(t, "bad-no-interval.txt"):                          "x:5: held nothing: want intervals such as",
		"[10:00:00] Top 10 stacks with outstanding allocations:\n": "x:1: held nothing: want groups such as",
		"": "x: held nothing",
	} {
		r := decode(t, text)
		if r.err == nil || !strings.HasPrefix(r.err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, r.err, want)
		}
	}
	if !memleak.Sniff([]byte(fixture(t, "bad-no-interval.txt"))) {
		t.Error("a capture without an interval is not claimed")
	}
}

// TestCut: wherever a file ends, it has no group that the whole one has not, and each of its groups has the class that it
// has there.
func TestCut(t *testing.T) {
	for _, name := range []string{"python.txt", "combined.txt", "libbpf.txt"} {
		text := fixture(t, name)
		whole := map[string]bool{}
		for _, row := range decode(t, text).dump(t, table.Sites, "pid process class live_bytes live_count line") {
			whole[row] = true
		}
		for cut := range text {
			for _, row := range decode(t, text[:cut]).dump(t, table.Sites, "pid process class live_bytes live_count line") {
				f := strings.Fields(row)
				if !whole[row] && !strings.HasPrefix(f[2], "operator") && f[2] != "_Znwm" && f[2] != "malloc" && f[2] != "-" {
					t.Fatalf("%s cut at %d has the row %s", name, cut, row)
				}
			}
		}
	}
}

func TestLineEnds(t *testing.T) {
	for _, name := range []string{"python.txt", "combined.txt", "libbpf.txt", "bad-figures.txt"} {
		text := fixture(t, name)
		same(t, name, decode(t, strings.ReplaceAll(text, "\n", "\r\n")).dump(t, table.Sites, siteColumns), decode(t, text).dump(t, table.Sites, siteColumns)...)
	}
}

func FuzzDecode(f *testing.F) {
	paths, _ := filepath.Glob("../../fixtures/bcc-memleak/*.txt")
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(hold)
}

// hold checks what is true of every text.
func hold(t *testing.T, text string) {
	t.Helper()
	memleak.Sniff([]byte(text))
	r := decode(t, text)
	lines := 1 + strings.Count(text, "\n")
	if n := r.set.Len(table.Sites); (r.err == nil) != (n > 0) || n > lines || r.set.Len(table.Frames) > lines {
		t.Fatalf("%d sites and %d frames from %d lines, %v", n, r.set.Len(table.Frames), lines, r.err)
	}
	for _, p := range r.set.Problems() {
		if p.Line < 1 || p.Line > lines {
			t.Fatalf("%v, the text has %d lines", p, lines)
		}
	}
	same(t, "again", decode(t, text).dump(t, table.Sites, siteColumns), r.dump(t, table.Sites, siteColumns)...)
}

// TestMutations damages the fixtures as bad cables and disks do: bytes changed, pieces lost, doubled, or of another file.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var texts []string
	for _, name := range []string{"python.txt", "combined.txt", "libbpf.txt", "bad-figures.txt"} {
		texts = append(texts, fixture(t, name))
	}
	for range 400 {
		text := texts[r.IntN(len(texts))]
		for range 1 + r.IntN(4) {
			text = damage(r, text, texts[r.IntN(len(texts))])
		}
		hold(t, text)
	}
}

func damage(r *rand.Rand, text, other string) string {
	i := r.IntN(len(text) + 1)
	j := min(len(text), i+r.IntN(120))
	switch r.IntN(5) {
	case 0:
		return text[:i] + string("0 :[](/-=\t\r\xffx+,@"[r.IntN(16)]) + text[j:]
	case 1:
		return text[:i] + text[j:]
	case 2:
		return text[:j] + text[i:]
	case 3:
		return text[:i] + other[r.IntN(len(other)):]
	}
	return text[:i] + "99999999999999999999"[:1+r.IntN(19)] + text[i:]
}
