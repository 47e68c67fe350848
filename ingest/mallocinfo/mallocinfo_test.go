package mallocinfo_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/mallocinfo"
	"github.com/memtide/memtide/ingest/table"
)

func TestLoop(t *testing.T) {
	r := decode(t, mallocinfo.Decode, fixture(t, "malloc-info", "loop.log"))
	same(t, "samples", r.dump(t, table.Samples, sampleColumns),
		"0 | - | process | - | heap_free | 18737 | 15", "0 | - | process | - | heap_size | 843776 | 17", "0 | - | process | - | heap_alloc | 825039 | 17",
		"5000000000 | - | process | - | heap_free | 42609 | 36", "5000000000 | - | process | - | heap_size | 1687552 | 38", "5000000000 | - | process | - | heap_alloc | 1644943 | 38",
		"10000000000 | - | process | - | heap_free | 66481 | 57", "10000000000 | - | process | - | heap_size | 2531328 | 59", "10000000000 | - | process | - | heap_alloc | 2464847 | 59")
	if len(r.problems) > 0 || r.set.Clock != "wall" || r.facts["unit"] != "usable" {
		t.Errorf("%q %s %v", r.problems, r.set.Clock, r.facts)
	}
}

// TestHeaps: the totals stand behind the heaps; those of single heaps are parts of them.
func TestHeaps(t *testing.T) {
	r := decode(t, mallocinfo.Decode, fixture(t, "malloc-info", "two-heaps.xml"))
	same(t, "samples", r.dump(t, table.Samples, "metric value"), "heap_free | 3128", "heap_size | 335872", "heap_alloc | 332744")
	same(t, "problems", r.problems, "x:22: want the total of type mmap, have none, as in older versions: blocks with a mapping of their own are not counted")
}

func TestBad(t *testing.T) {
	r := decode(t, mallocinfo.Decode, fixture(t, "malloc-info", "bad-sizes.xml"))
	same(t, "problems", r.problems, `x:15:41: want a size that fits in 63 bits, have "-1"`, "x:34: want at most 1687552 bytes free, have 42609000")
	same(t, "samples", r.dump(t, table.Samples, "metric value"), "heap_free | 18737", "heap_free | 42609000", "heap_size | 1687552")
	r = decode(t, mallocinfo.Decode, fixture(t, "malloc-info", "bad-cut.log"))
	if r.set.Len(table.Samples) != 6 || len(r.problems) != 1 || !strings.HasPrefix(r.problems[0], "x:58:21: want </malloc>") || r.set.Files[0].NoData != 1 {
		t.Errorf("cut: %d samples, %q", r.set.Len(table.Samples), r.problems)
	}
	for text, want := range map[string]string{
		"": `x:1:1: held nothing: want a whole <malloc version="1">, have EOF`,
		string(fixture(t, "malloc-info", "bad-scudo.xml")): `x:1: held nothing: want malloc_info of the GNU C library, version 1, have version "scudo-1"`,
		"<malloc version=\"1\">\n<total type=\"fast\" siz": `x:2:23: held nothing: want a whole <malloc version="1">`,
		"<malloc version=\"1\">\n</malloc>\n":              `x:3:1: held nothing: want a whole <malloc version="1">, have EOF`,
	} {
		if r := decode(t, mallocinfo.Decode, []byte(text)); r.err == nil || !strings.HasPrefix(r.err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, r.err, want)
		}
	}
}

// TestSniff: words of the program may stand before the document.
func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{"<malloc version=\"1\">": true, "2026-11-29\n  <malloc version=\"1\">": true, "<mallocs>": false, "": false, "see <malloc version=": false} {
		if mallocinfo.Sniff([]byte(text)) != want {
			t.Errorf("%q: claimed %v", text, !want)
		}
	}
}

// TestEnds: line ends of Windows change nothing, and a log that ends anywhere has no row that the whole one has not.
func TestEnds(t *testing.T) {
	for _, name := range fixtures(t, "malloc-info") {
		text := fixture(t, "malloc-info", name)
		whole := decode(t, mallocinfo.Decode, text)
		same(t, name, decode(t, mallocinfo.Decode, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))).all(t), whole.all(t)...)
		all := strings.Join(whole.dump(t, table.Samples, sampleColumns), "\n")
		for cut := range text {
			for _, row := range decode(t, mallocinfo.Decode, text[:cut]).dump(t, table.Samples, sampleColumns) {
				if !strings.Contains(all, row) {
					t.Fatalf("%s cut at %d: %s", name, cut, row)
				}
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	for file, want := range map[string]string{"heap/malloc_info.after.xml": "heap_free | 136053\nheap_size | 10276864\nheap_alloc | 10140811", "heap/malloc_info.before.xml": "heap_alloc | "} {
		data := corpus(t, file)
		r := decode(t, mallocinfo.Decode, data)
		if got := strings.Join(r.dump(t, table.Samples, "metric value"), "\n"); !strings.Contains(got, want) || r.err != nil || len(r.problems) > 0 || !mallocinfo.Sniff(data) {
			t.Errorf("%s: %v %q\n%s", file, r.err, r.problems, got)
		}
	}
}
