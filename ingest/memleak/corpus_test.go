package memleak_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/memleak"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// TestCorpus holds the rows of the real captures against what the traced program is known to do.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(corpus(t), "ebpf")
	for _, c := range []struct {
		file  string
		sites int
		want  map[string]string // of a class: live_bytes/live_count of its rows
	}{
		{"memleak.leakmix.txt", 18, map[string]string{"leak_linear": "82500/825 174700/1747 292800/2928 416300/4163 522700/5227",
			"leak_batch":                 "339968/83 716800/175 1204224/294 1708032/417 2146304/524",
			"sysmalloc_mmap.constprop.0": "135168/1 135168/1 135168/1 135168/1 135168/1"}},
		{"memleak.a.leakmix.txt", 8, map[string]string{"leak_linear": "25100/251 54300/543"}},
		{"memleak.o0.top3.leakmix.txt", 12, map[string]string{"leak_linear": "189900/1899 248900/2489",
			"realloc_grow": "156800/1 200064/1 238272/1 275392/1"}},
		{"memleak.s10.leakmix.txt", -1, map[string]string{"leak_linear": "314352/95 326052/212 336152/313"}},
		{"memleak.z1000-5000.leakmix.txt", 4, map[string]string{"leak_batch": "315392/77 729088/178"}},
		{"memleak.combined.leakmix.txt", -1, map[string]string{"cache_plateau": "51200/200 51200/200 51200/200 51200/200",
			"churn": "3584/7 3584/7 3584/7 3584/7", "leak_linear": "153600/1536 306200/3062 457000/4570 608400/6084"}},
	} {
		text := read(t, filepath.Join(dir, c.file))
		if !memleak.Sniff([]byte(text)[:min(len(text), source.HeadSize)]) {
			t.Errorf("%s is not claimed", c.file)
		}
		r := decode(t, text)
		rows := map[string][]string{}
		for _, row := range r.dump(t, table.Sites, "class live_bytes live_count process total_bytes") {
			f := strings.Fields(row)
			rows[f[0]] = append(rows[f[0]], f[1]+"/"+f[2])
			if f[3] != "leakmix" || f[4] != "-" {
				t.Errorf("%s: %s", c.file, row)
			}
		}
		if n := r.set.Len(table.Sites); c.sites >= 0 && n != c.sites || r.err != nil || len(r.problems()) > 0 {
			t.Errorf("%s: %d sites, want %d; %v %v", c.file, n, c.sites, r.err, r.problems())
		}
		for class, want := range c.want {
			same(t, c.file+" "+class, rows[class], strings.Fields(want)...)
		}
	}
}

// TestCorpusFrames: a function called from two places is one node, and modules are base names.
func TestCorpusFrames(t *testing.T) {
	r := decode(t, read(t, filepath.Join(corpus(t), "ebpf/memleak.leakmix.txt")))
	tick := 0
	for _, row := range r.dump(t, table.Frames, "function module") {
		switch row {
		case "tick leakmix":
			tick++
		case "main leakmix", "leak_linear leakmix", "leak_batch leakmix", "cache_plateau leakmix", "__libc_start_call_main libc.so.6", "sysmalloc_mmap.constprop.0 libc.so.6":
		default:
			t.Errorf("frame %s", row)
		}
	}
	if tick != 1 {
		t.Errorf("%d nodes of tick, want 1", tick)
	}
	if got := r.dump(t, table.Sites, "time_ns"); got[len(got)-1] != "8000000000" {
		t.Errorf("the last interval is at %s", got[len(got)-1])
	}
}

func TestCorpusKernel(t *testing.T) {
	r := decode(t, read(t, filepath.Join(corpus(t), "ebpf/memleak.kernel.txt")))
	sum := int64(0)
	for _, row := range r.dump(t, table.Sites, "live_bytes pid process") {
		f := strings.Fields(row)
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || f[1] != "-" || f[2] != "kernel" {
			t.Errorf("%s, %v", row, err)
		}
		sum += n
	}
	if r.set.Len(table.Sites) != 30 || sum != 877759280 {
		t.Errorf("%d sites, %d bytes", r.set.Len(table.Sites), sum)
	}
}

// TestCorpusExamples: the manual of an old version, in which captures stand between prose.
func TestCorpusExamples(t *testing.T) {
	r := decode(t, read(t, filepath.Join(corpus(t), "ebpf/public/bcc.memleak_example.txt")))
	same(t, "sites", r.dump(t, table.Sites, "pid class live_bytes live_count"),
		"5193 main 80 5", "5193 main 160 10", "5193 main 64 4", "5193 main 160 10", "2614 main 16 1", "2614 main 16 1", "2614 main 32 2", "2623 zmalloc 45 45")
	if f := r.facts(); f["sampled"] != "true" || f["period"] != "10" || f["blocks_listed"] != "14" {
		t.Errorf("facts %v", f)
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for a memleak log.
func TestCorpusIsNotClaimed(t *testing.T) {
	err := filepath.WalkDir(corpus(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(d.Name(), "memleak") || d.Name() == "SOURCES.md" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		head, err := io.ReadAll(io.LimitReader(f, source.HeadSize))
		if memleak.Sniff(slices.Clone(head)) {
			t.Errorf("%s is claimed", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
