package bpftrace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

func count(rows []string, what string) (n int) {
	for _, r := range rows {
		if strings.HasPrefix(r+" ", what+" ") {
			n++
		}
	}
	return n
}

// TestCorpusEvents: logs of programs of which it is known what they do.
func TestCorpusEvents(t *testing.T) {
	for _, c := range []struct {
		file, columns string
		want          map[string]int
	}{
		{"alloc_events.leakmix.txt", "op size", map[string]int{"alloc": 2461, "alloc 100": 600, "alloc 4096": 60, "realloc": 600, "free": 1550 + 53}},
		{"alloc_events.leakmix.jsonl", "op size", map[string]int{"alloc 100": 120, "alloc 4096": 12, "free": 259, "free 0": 220}},
		{"alloc_events.twopids.leakmix.txt", "pid op size", map[string]int{"30444 alloc 100": 600, "30444 alloc 4096": 60, "30440 alloc 100": 556, "30440 alloc 4096": 55}},
		{"refcnt.txt", "op class", map[string]int{"create 1": 100, "create 0": 25, "create 2": 2}},
		{"refcnt.jsonl", "op class", map[string]int{"create 0": 10}},
		{"uafrace.txt", "op class", map[string]int{"create -": 30, "destroy -": 30, "use -": 88}},
	} {
		r := decode(t, DecodeEvents, corpus(t, "ebpf/bt."+c.file))
		rows := r.rows(t, table.Events, c.columns)
		for what, n := range c.want {
			if got := count(rows, what); got != n {
				t.Errorf("%s: %d %s, want %d", c.file, got, what, n)
			}
		}
		same(t, c.file, r.problems)
		if r.facts["lossy"] != "" || r.set.Clock != "boot" {
			t.Errorf("%s: lossy %s, clock %s", c.file, r.facts["lossy"], r.set.Clock)
		}
	}
}

// TestCorpusLost: 53 records of lost events, and a log whose file order is not its order of time.
func TestCorpusLost(t *testing.T) {
	r := decode(t, DecodeEvents, corpus(t, "ebpf/bt.alloc_events.lossy.leakmix.jsonl"))
	pids := r.rows(t, table.Events, "pid")
	slices.Sort(pids)
	same(t, "lost", []string{r.facts["lost"], r.facts["lossy"], strconv.Itoa(len(slices.Compact(pids)))}, "495", "true", "2")
	r = decode(t, DecodeEvents, corpus(t, "ebpf/bt.alloc_events.lossy.leakmix.txt"))
	last := int64(-1)
	for _, s := range r.rows(t, table.Events, "time_ns") {
		n, _ := strconv.ParseInt(s, 10, 64)
		if n < last {
			t.Fatalf("%d behind %d", n, last)
		}
		last = n
	}
	if got := len(r.set.Restarts); got != 0 {
		t.Errorf("%d restarts", got)
	}
}

// TestCorpusMaps: the sums of 2500 rounds at exit.
func TestCorpusMaps(t *testing.T) {
	for _, file := range []string{"bt.maps.leakmix.txt", "bt.maps.leakmix.jsonl"} {
		r := decode(t, DecodeMaps, corpus(t, "ebpf/"+file))
		var sums [2]int64
		for _, row := range r.rows(t, table.Sites, "time_ns total_bytes total_count live_bytes live_count") {
			cells := strings.Fields(row)
			if cells[3] != "-" || cells[4] != "-" {
				t.Fatalf("%s: live: %s", file, row)
			}
			if ns, _ := strconv.ParseInt(cells[0], 10, 64); ns > 2000000000 {
				for i := range sums {
					n, _ := strconv.ParseInt(cells[1+i], 10, 64)
					sums[i] += n
				}
			}
		}
		if sums != [2]int64{5754064, 10251} {
			t.Errorf("%s: bytes and calls at exit %v", file, sums)
		}
		samples := r.rows(t, table.Samples, "name value")
		if count(samples, "@ticks 3") != 2 || count(samples, "@mx") != 0 || count(samples, "@av") != 0 {
			t.Errorf("%s: %q", file, samples)
		}
		same(t, file, r.problems)
	}
}

// TestOthersUnclaimed sniffs all the rest of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "ebpf/SOURCES.md")
	n := 0
	for _, pattern := range []string{"*/*.*", "*/*/*.*", "*/*/*/*.*"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", pattern))
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				continue
			}
			n++
			ours := strings.HasPrefix(filepath.Base(f), "bt.")
			maps := strings.HasPrefix(filepath.Base(f), "bt.maps.")
			head := text[:min(len(text), 64<<10)]
			if SniffEvents(head) != (ours && !maps) || SniffMaps(head) != maps {
				t.Errorf("%s: events %v, maps %v", f, SniffEvents(head), SniffMaps(head))
			}
		}
	}
	if n < 100 {
		t.Errorf("%d files", n)
	}
}

// all are the tables as text.
func (r result) all(t testing.TB) string {
	return fmt.Sprint(r.problems, r.facts, r.err, r.rows(t, table.Events, eventColumns), r.rows(t, table.Sites, siteColumns), r.rows(t, table.Samples, sampleColumns))
}

// hold decodes any text and checks what must be true of every result.
func hold(t *testing.T, text string) {
	t.Helper()
	SniffMaps([]byte(text))
	lines := 1 + strings.Count(text, "\n")
	for _, f := range []decoder{DecodeEvents, DecodeMaps} {
		r := decode(t, f, text)
		rows := r.set.Len(table.Events) + r.set.Len(table.Sites) + r.set.Len(table.Samples)
		if (r.err == nil) != (rows > 0) || rows > len(text) || r.set.Len(table.Frames) > len(text) {
			t.Fatalf("%d rows, %d frames of %d bytes, %v", rows, r.set.Len(table.Frames), len(text), r.err)
		}
		for _, p := range r.set.Problems() {
			if p.Line < 0 || p.Line > lines || p.Line == 0 && !strings.Contains(p.Message, "clock") || p.Column > len(text)+2 {
				t.Fatalf("%v, the text has %d lines", p, lines)
			}
		}
		if a, b := r.all(t), decode(t, f, text).all(t); a != b {
			t.Fatalf("%s\nthe second time\n%s", a, b)
		}
	}
}

func seeds(t testing.TB) map[string]string {
	out := fixtures(t, "bpftrace-events")
	for name, text := range fixtures(t, "bpftrace-maps") {
		out["maps/"+name] = text
	}
	return out
}

func FuzzDecode(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(hold)
}

// TestCut: a capture cut anywhere holds; what a cut log of events has, the whole one has.
func TestCut(t *testing.T) {
	const columns = "op class object size refcount pid tid line"
	for name, text := range seeds(t) {
		whole := decode(t, DecodeEvents, text).rows(t, table.Events, columns)
		if strings.HasPrefix(name, "bad-") {
			continue // its last event is cut, and so not among its rows
		}
		for cut := range text {
			for _, row := range decode(t, DecodeEvents, text[:cut]).rows(t, table.Events, columns) {
				if !slices.Contains(whole, row) {
					t.Fatalf("%s cut at %d has the row %s", name, cut, row)
				}
			}
			decode(t, DecodeMaps, text[:cut])
		}
	}
}

// TestCRLF: line ends make no difference.
func TestCRLF(t *testing.T) {
	for name, text := range seeds(t) {
		for _, f := range []decoder{DecodeEvents, DecodeMaps} {
			if a, b := decode(t, f, text).all(t), decode(t, f, strings.ReplaceAll(text, "\n", "\r\n")).all(t); a != b {
				t.Errorf("%s:\n%s\n%s", name, a, b)
			}
		}
	}
}

// TestDepth: what is nested or long without end is a line like any other.
func TestDepth(t *testing.T) {
	const deep = 1 << 20
	for what, text := range map[string]string{
		"arrays":  `{"type": "map", "data": {"@a": ` + strings.Repeat("[", deep),
		"objects": `{"type": "map", "data": ` + strings.Repeat(`{"@a":`, deep),
		"escapes": `{"type": "printf", "data": "` + strings.Repeat(`\`, deep),
		"fields":  "1000000000 1 2 " + strings.Repeat("alloc ", deep) + "\n",
		"frames":  "1000000000 1 2 alloc 0x1 2\n" + strings.Repeat("  f+1\n", deep) + "\n",
		"keys":    strings.Repeat("@a[", deep),
	} {
		for _, f := range []decoder{DecodeEvents, DecodeMaps} {
			if r := decode(t, f, text); r.set.Len(table.Events) > 1 {
				t.Errorf("%s: %d events", what, r.set.Len(table.Events))
			}
		}
	}
}
