package event

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// TestCorpus: the logs of three programs of which it is known what they do. NDJSON and CSV hold the same events.
func TestCorpus(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"leakmix": {"alloc": 2461, "realloc": 600, "free": 1603, "use": 0},
		"refcnt":  {"create buffer": 100, "create texture": 25, "create sampler": 2, "alloc": 0},
		"uafrace": {"create conn": 30, "destroy conn": 30, "use conn": 88},
	} {
		const columns = "op class object size refcount time_ns seq pid tid stack"
		r := decode(t, corpus(t, "ebpf/events."+name+".ndjson"))
		rows := r.rows(t, table.Events, columns)
		for what, n := range want {
			if got := count(rows, what); got != n {
				t.Errorf("%s: %d %s, want %d", name, got, what, n)
			}
		}
		c := decode(t, corpus(t, "ebpf/events."+name+".csv"))
		same(t, name+" as CSV", c.rows(t, table.Events, columns), rows...)
		same(t, name+" as CSV", c.rows(t, table.Frames, "id parent function module address"), r.rows(t, table.Frames, "id parent function module address")...)
		same(t, "problems", append(r.problems, c.problems...))
	}
}

// TestCorpusRows holds single truths: sizes, the span of time, counts below 0, and counts that are not given.
func TestCorpusRows(t *testing.T) {
	r := decode(t, corpus(t, "ebpf/events.leakmix.ndjson"))
	if n := count(r.rows(t, table.Events, "op size"), "alloc 4096"); n != 60 {
		t.Errorf("%d allocations of 4096 bytes", n)
	}
	times := r.rows(t, table.Events, "time_ns")
	same(t, "span", []string{times[0], times[len(times)-1]}, "0", "19632532747")
	r = decode(t, corpus(t, "ebpf/events.refcnt.ndjson"))
	rows := r.rows(t, table.Events, "op refcount")
	if len(rows) != 709 || count(rows, "release -1") != 1 || count(rows, "use -") != count(r.rows(t, table.Events, "op"), "use") {
		t.Errorf("%d rows, %d releases to -1, %d uses without a count", len(rows), count(rows, "release -1"), count(rows, "use -"))
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
			if err != nil || strings.HasPrefix(filepath.Base(f), "events.") {
				continue
			}
			n++
			if Sniff(text[:min(len(text), 64<<10)]) {
				t.Errorf("%s is claimed", f)
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
	if r.err == nil && r.set.Len(table.Events) == 0 {
		t.Fatal("no row and no error")
	}
	if r.set.Len(table.Events) > 2*lines || r.set.Len(table.Frames) > len(text) {
		t.Fatalf("%d events, %d frames from %d lines", r.set.Len(table.Events), r.set.Len(table.Frames), lines)
	}
	for _, p := range r.set.Problems() {
		if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Column > len(text)+2 {
			t.Fatalf("%v, the text has %d lines", p, lines)
		}
	}
	again := decode(t, text)
	if a, b := fmt.Sprint(r.problems, r.facts, r.rows(t, table.Events, eventColumns)), fmt.Sprint(again.problems, again.facts, again.rows(t, table.Events, eventColumns)); a != b {
		t.Fatalf("%s\nthe second time\n%s", a, b)
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range fixtures(f) {
		f.Add(text)
	}
	f.Fuzz(hold)
}

// TestCut: a log that is cut anywhere has no row that the whole one has not.
func TestCut(t *testing.T) {
	const columns = "op class object size refcount pid tid line"
	for name, text := range fixtures(t) {
		whole := decode(t, text).rows(t, table.Events, columns)
		for cut := range text {
			for _, row := range decode(t, text[:cut]).rows(t, table.Events, columns) {
				if !slices.Contains(whole, row) {
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

// TestDepth: what is nested or long without end is a line like any other.
func TestDepth(t *testing.T) {
	const deep = 1 << 20
	for what, text := range map[string]string{
		"arrays":  `{"ts_ns":1,"op":"alloc","addr":"0x1","x":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}\n",
		"open":    strings.Repeat("[", deep),
		"objects": strings.Repeat(`{"a":`, deep),
		"slashes": `{"ts_ns":1,"op":"` + strings.Repeat(`\`, deep),
		"quotes":  "ts_ns,op,addr\n1," + strings.Repeat(`"`, deep) + "\n",
		"frames":  `{"ts_ns":1,"op":"alloc","addr":"0x1","stack":[` + strings.Repeat(`"f",`, deep) + `"f"]}` + "\n",
	} {
		if r := decode(t, text); r.set.Len(table.Events) > 1 || r.set.Len(table.Frames) > deep+1 {
			t.Errorf("%s: %d events", what, r.set.Len(table.Events))
		}
	}
}
