package tracemalloc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/ingest/tracemalloc"
)

func TestLines(t *testing.T) {
	r := decode(t, tracemalloc.Decode, fixture(t, "tracemalloc", "lines-0.txt"))
	same(t, "sites", r.dump(t, table.Sites, siteColumns),
		"0 | grow.py:7 | 103424 | 51 | - | - | 1", "0 | grow.py:9 | 40448 | 16 | - | - | 2", "0 | grow.py:10 | 5177 | 12 | - | - | 3", "0 | grow.py:4 | 464 | 2 | - | - | 4", "0 | grow.py:5 | 48 | 1 | - | - | 5")
	same(t, "first frame", r.dump(t, table.Frames, frameColumns)[:1], "1 | - | - | /opt/app/grow.py | 7 | - | -")
	if len(r.problems) > 0 || r.facts["rounded"] != "true" || r.facts["unit"] != "requested" || r.set.Clock != "order" {
		t.Errorf("%q %v %s", r.problems, r.facts, r.set.Clock)
	}
}

// TestForms: differences to another snapshot are passed over, statistics of files have no line, paths may be anything.
func TestForms(t *testing.T) {
	for line, want := range map[string]string{
		"/opt/app/grow.py:7: size=302 KiB (+201 KiB), count=151 (+100), average=2046 B": "grow.py:7 | 309248 | 151",
		"/opt/app/grow.py:0: size=12 B, count=3, average=4 B":                           "grow.py | 12 | 3",
		`C:\app\grow.py:12: size=1.5 MiB, count=2, average=768 KiB`:                     "grow.py:12 | 1572864 | 2",
		"<frozen importlib._bootstrap>:241: size=4 GiB, count=1, average=4 GiB":         "<frozen importlib._bootstrap>:241 | 4294967296 | 1",
		"/opt/a: size=b/x.py:3: size=1 TiB, count=0, average=0 B":                       "x.py:3 | 1099511627776 | 0",
	} {
		r := decode(t, tracemalloc.Decode, []byte("[ Top 1 ]\n"+line+"\nTotal: 12 KiB\n"))
		same(t, line, r.dump(t, table.Sites, "class live_bytes live_count"), want)
		if !tracemalloc.Sniff([]byte("[ Top 1 ]\r\n"+line+"\r\n")) || len(r.problems) > 0 {
			t.Errorf("%s: not claimed, or %q", line, r.problems)
		}
	}
}

// TestLoop: a time between two lists begins a new moment.
func TestLoop(t *testing.T) {
	r := decode(t, tracemalloc.Decode, fixture(t, "tracemalloc", "loop.log"))
	rows := r.dump(t, table.Sites, "time_ns class live_bytes")
	if len(rows) != 15 || rows[0] != "0 | grow.py:7 | 103424" || rows[5] != "10000000000 | grow.py:7 | 309248" || r.set.Start.V != 1795951517_500000000 {
		t.Errorf("start %d\n%s", r.set.Start.V, strings.Join(rows, "\n"))
	}
}

func TestBad(t *testing.T) {
	r := decode(t, tracemalloc.Decode, fixture(t, "tracemalloc", "bad-lines.txt"))
	const want = "want FILE:LINE: size=N UNIT, count=N, average=N UNIT, have "
	same(t, "problems", r.problems, "x:2:26: "+want+`"39.5 KB, count=16, average=2528 B"`, "x:3:41: "+want+`"sixteen, average=338 B"`,
		"x:5:46: "+want+`"99999999 TiB, count=11, average=48 B"`, "x:11:39: "+want+`"1"`)
	if n := r.set.Len(table.Sites); n != 7 {
		t.Errorf("%d sites", n)
	}
	for _, text := range []string{"", "hello\n", "a: size=1\n", ":3: size=1 B, count=1, average=1 B"} {
		if r := decode(t, tracemalloc.Decode, []byte(text)); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") || tracemalloc.Sniff([]byte(text)) {
			t.Errorf("%q: %v", text, r.err)
		}
	}
}

// TestEnds: line ends of Windows change nothing, and a list that ends anywhere has no row that the whole one has not.
func TestEnds(t *testing.T) {
	for _, name := range fixtures(t, "tracemalloc") {
		text := fixture(t, "tracemalloc", name)
		whole := decode(t, tracemalloc.Decode, text)
		same(t, name, decode(t, tracemalloc.Decode, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))).all(t), whole.all(t)...)
		all := strings.Join(whole.dump(t, table.Sites, siteColumns), "\n")
		for cut := range text {
			for _, row := range decode(t, tracemalloc.Decode, text[:cut]).dump(t, table.Sites, siteColumns) {
				if !strings.Contains(all, row) {
					t.Fatalf("%s cut at %d: %s", name, cut, row)
				}
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	for file, want := range map[string]string{"heap/py.leak.3.txt": "0 | pyleak.py:5 | 4081664 | 2001", "heap/py.leak.0.txt": "0 | pyleak.py:5 |", "heap/py.leak.2.txt": "0 | pyleak.py:7 | 507904 |"} {
		data := corpus(t, file)
		r := decode(t, tracemalloc.Decode, data)
		if rows := strings.Join(r.dump(t, table.Sites, siteColumns), "\n"); !strings.Contains(rows, want) || len(r.problems) > 0 || r.err != nil || !tracemalloc.Sniff(data) {
			t.Errorf("%s: %v %q\n%s", file, r.err, r.problems, rows)
		}
	}
}
