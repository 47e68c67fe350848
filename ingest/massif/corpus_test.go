package massif_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/massif"
	"github.com/memtide/memtide/ingest/table"
)

func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		file       string
		snapshots  int
		metric     string
		max        int64
		pagesFact  string
		processTag string
	}{
		{"heap/massif.leakmix.out", 63, "heap_alloc", 388460, "", "leakmix"},
		{"heap/massif.pages.leakmix.out", 32, "heap_alloc", 0, "true", "leakmix"},
		{"heap/massif.timeB.stacks.leakmix.out", 69, "stacks", 0, "", "leakmix"},
		{"heap/public/massif.out.huge", 1, "stacks", 5021305212, "", "a.out"},
		{"heap/public/massif.out.32406", 2, "heap_alloc", 100, "", "a.out"},
		{"heap/public/massif.out.stack", 0, "stacks", 0, "", "main2.noopt"},
		{"heap/public/massif.out.ktorrent.gz", 0, "heap_alloc", 0, "", "ktorrent"},
	} {
		data := corpus(t, c.file)
		if strings.HasSuffix(c.file, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			data, _ = io.ReadAll(z)
		}
		r := decode(t, massif.Decode, data)
		if !massif.Sniff(data) || r.err != nil || len(r.problems) > 0 || r.facts["pages_as_heap"] != c.pagesFact {
			t.Errorf("%s: %v %q %v", c.file, r.err, r.problems, r.facts)
		}
		n, top := 0, int64(0)
		for _, row := range r.dump(t, table.Samples, "metric process value") {
			if cells := strings.Split(row, " | "); cells[0] == c.metric && cells[1] == c.processTag {
				v, _ := strconv.ParseInt(cells[2], 10, 64)
				n, top = n+1, max(top, v)
			}
		}
		if n == 0 || c.snapshots > 0 && n != c.snapshots || c.max > 0 && top != c.max {
			t.Errorf("%s: %d of %s, up to %d, want %d up to %d", c.file, n, c.metric, top, c.snapshots, c.max)
		}
	}
}

// TestTreesAddUp: the sites of a snapshot are all of its heap.
func TestTreesAddUp(t *testing.T) {
	for _, file := range []string{"heap/massif.leakmix.out", "heap/massif.timeB.stacks.leakmix.out"} {
		r := decode(t, massif.Decode, corpus(t, file))
		heap, sites := map[string]int64{}, map[string]int64{}
		for _, row := range r.dump(t, table.Samples, "time_ns metric value") {
			cells := strings.Split(row, " | ")
			if v, _ := strconv.ParseInt(cells[2], 10, 64); cells[1] == "heap_alloc" {
				heap[cells[0]] = v
			}
		}
		for _, row := range r.dump(t, table.Sites, "time_ns live_bytes") {
			at, v, _ := strings.Cut(row, " | ")
			n, _ := strconv.ParseInt(v, 10, 64)
			sites[at] += n
		}
		if len(sites) == 0 {
			t.Errorf("%s has no sites", file)
		}
		for at, n := range sites {
			if heap[at] != n {
				t.Errorf("%s: at %s sites of %d bytes, a heap of %d", file, at, n, heap[at])
			}
		}
	}
}

func TestCorpusDHAT(t *testing.T) {
	data := corpus(t, "heap/dhat.leakmix.json")
	r := decode(t, massif.DecodeDHAT, data)
	rows := strings.Join(r.dump(t, table.Sites, "class live_bytes live_count pid process"), "\n")
	for _, want := range []string{"leak_linear | 20000 | 200 | 5478 | leakmix", "leak_batch | 81920 | 20", "cache_plateau | 51200 | 200", "realloc_grow | 12800 | 1", "churn | 0 | 0"} {
		if !strings.Contains(rows, want) {
			t.Errorf("want %s, have\n%s", want, rows)
		}
	}
	if !massif.SniffDHAT(data) || massif.Sniff(data) || r.err != nil || len(r.problems) > 0 {
		t.Errorf("%v %q", r.err, r.problems)
	}
}
