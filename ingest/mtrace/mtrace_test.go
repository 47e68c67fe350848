package mtrace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const eventColumns = "time_ns seq pid tid op class object size stack line"

func TestViewer(t *testing.T) {
	r := decode(t, fixtures(t)["viewer.txt"])
	same(t, "rows", r.rows(t, table.Events, eventColumns),
		"0 0 - - alloc heap 0x558934a5d500 40 1 2", "0 1 - - alloc heap 0x558934a5d530 40 1 3", "0 2 - - alloc heap 0x558934a5d560 40 1 4",
		"0 3 - - alloc heap 0x558934a5d590 60 2 5", "0 4 - - free heap 0x558934a5d590 - 3 6",
		"0 5 - - alloc heap 0x558934a5d2a0 16 4 7", "0 6 - - alloc heap 0x558934a5d5e0 8 5 8",
		"0 7 - - realloc heap 0x558934a5d2a0 24 4 10",
		"0 8 - - free heap 0x558934a5d2a0 - 4 12", "0 9 - - realloc heap 0x558934a5d600 4096 4 12",
		"0 10 - - alloc heap 0x558934a5e610 300 6 13", "0 11 - - alloc heap 0x558934a5d2a0 0 7 14", "0 12 - - free heap 0x558934a5d2a0 - 8 15",
		"0 13 - - free heap 0x558934a5d600 - 4 16", "0 14 - - free heap 0x558934a5d2c0 - 9 17")
	same(t, "frames", r.rows(t, table.Frames, "function module address")[:2], "viewer+0x1192 viewer -", "viewer+0x11e5 viewer -")
	same(t, "facts", []string{r.facts["clock"], r.facts["tool"], r.facts["unit"], r.set.Clock}, "order", "mtrace", "requested", "order")
	same(t, "problems", r.problems)
}

// TestSymbols: the sites have names, the events are the same.
func TestSymbols(t *testing.T) {
	r, plain := decode(t, fixtures(t)["symbols.txt"]), decode(t, fixtures(t)["viewer.txt"])
	same(t, "events", r.rows(t, table.Events, "op size line"), plain.rows(t, table.Events, "op size line")...)
	same(t, "frames", r.rows(t, table.Frames, "function module address"), "load viewer2 -", "main viewer2 -", "grow viewer2 -")
	same(t, "problems", r.problems)
}

func TestOld(t *testing.T) {
	r := decode(t, fixtures(t)["old.txt"])
	same(t, "rows", r.rows(t, table.Events, "op object size stack line"), "alloc 0x8049a0 40 1 2", "alloc 0x8049d0 60 2 3", "free 0x8049a0 - 3 4", "alloc 0x8049a0 16 - 5")
	same(t, "frames", r.rows(t, table.Frames, "function module address"), "viewer+0x4005d4 viewer -",
		"std::vector<int>::reserve(unsigned long) viewer -", "- - 139842155242058")
	same(t, "problems", r.problems)
}

func TestBadLines(t *testing.T) {
	r := decode(t, fixtures(t)["bad-lines.txt"])
	same(t, "rows", r.rows(t, table.Events, "op object size line"), "alloc 0x558934a5d500 40 2", "free 0x558934a5d500 - 7",
		"free 0x558934a5d510 - 9", "realloc 0x558934a5d600 24 9", "realloc 0x558934a5d700 32 11")
	same(t, "problems", r.problems,
		`x:3:23: want an address (0x…), have "558934a5d530 0x28"`,
		`x:4:37: want a size (0x…), have ""`,
		`x:5:21: want one of + - < > !, have "* 0x558934a5d590 0x28"`,
		`x:6:3: want a site that ends with [0x…], have "./viewer + 0x558934a5d590 0x28"`,
		"x:7:1: want the new block of a realloc (>) behind the old one, have none",
		`x:10:38: want a size (0x…), have "0xzz"`,
		"x:11:1: want the old block of a realloc (<) above the new one, have none",
		`x:12:1: want one of + - < > !, have "hello"`,
		"x:13:41: want a line end, have the end of the input: the last line is left out")
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"= Start\n@ a:[0x1] + 0x1 0x2\n":       true,
		"\n= Start\r\n@ a:[0x1] - 0x1\r\n":     true,
		"= Start\n= End\n":                     false,
		"= Start\nhello\n":                     false,
		"@ a:[0x1] + 0x1 0x2\n":                false,
		"= Start\n@ 0x1234 0x5678\n  t*: 1: 2": false,
		"":                                     false,
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

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "= Start\n= End\n", "hello\n", "- 0x0\n", "+ (nil) 0x4\n"} {
		if r := decode(t, text); r.err == nil || !strings.Contains(r.err.Error(), "x:1:1: held nothing") {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

// TestCorpus: what the program of the capture does: 5 × 40 B, 5 × 60 B freed, a realloc chain that ends with 64 B, one
// free of a block from before.
func TestCorpus(t *testing.T) {
	r := decode(t, corpus(t, "heap/mtrace.log"))
	live, ops := map[string]string{}, map[string]int{}
	for _, row := range r.rows(t, table.Events, "op object size") {
		f := strings.Fields(row)
		if ops[f[0]]++; f[0] == "free" {
			delete(live, f[1])
		} else {
			live[f[1]] = f[2]
		}
	}
	var sizes []string
	for _, s := range live {
		sizes = append(sizes, s)
	}
	slices.Sort(sizes)
	same(t, "live", sizes, "40", "40", "40", "40", "40", "64")
	same(t, "ops", []string{fmt.Sprint(ops)}, "map[alloc:11 free:7 realloc:2]")
	same(t, "problems", r.problems)
}

// TestOthersUnclaimed sniffs all the rest of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "heap/SOURCES.md")
	n := 0
	for _, pattern := range []string{"*/*.*", "*/*/*.*", "*/*/*/*.*"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", pattern))
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				continue
			}
			n++
			if Sniff(text[:min(len(text), 64<<10)]) != (filepath.Base(f) == "mtrace.log") {
				t.Errorf("%s: claimed wrongly, or not at all", f)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d files", n)
	}
}

// hold decodes any text and checks what must be true of every result.
func hold(t *testing.T, text string) {
	t.Helper()
	Sniff([]byte(text))
	lines := 1 + strings.Count(text, "\n")
	r := decode(t, text)
	n := r.set.Len(table.Events)
	if (r.err == nil) != (n > 0) || n > lines || r.set.Len(table.Frames) > lines {
		t.Fatalf("%d events, %d frames from %d lines, %v", n, r.set.Len(table.Frames), lines, r.err)
	}
	for _, p := range r.set.Problems() {
		if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Column > len(text)+2 {
			t.Fatalf("%v, the text has %d lines", p, lines)
		}
	}
	again := decode(t, text)
	if a, b := fmt.Sprint(r.problems, r.rows(t, table.Events, eventColumns)), fmt.Sprint(again.problems, again.rows(t, table.Events, eventColumns)); a != b {
		t.Fatalf("%s\nthe second time\n%s", a, b)
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range fixtures(f) {
		f.Add(text)
	}
	f.Fuzz(hold)
}

// TestCut: a log that is cut anywhere has no row that the whole one has not, but for the free of a realloc whose second
// half is gone.
func TestCut(t *testing.T) {
	for name, text := range fixtures(t) {
		whole := decode(t, text).rows(t, table.Events, "op object size stack")
		for cut := range text {
			r := decode(t, text[:cut])
			for _, row := range r.rows(t, table.Events, "op object size stack") {
				if !slices.Contains(whole, row) && !strings.HasPrefix(row, "free") {
					t.Fatalf("%s cut at %d has the row %s", name, cut, row)
				}
			}
		}
	}
}

// TestCRLF: line ends make no difference.
func TestCRLF(t *testing.T) {
	for name, text := range fixtures(t) {
		a, b := decode(t, text), decode(t, strings.ReplaceAll(text, "\n", "\r\n"))
		same(t, name, b.rows(t, table.Events, eventColumns), a.rows(t, table.Events, eventColumns)...)
		same(t, name, b.problems, a.problems...)
	}
}
