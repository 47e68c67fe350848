package gometrics_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/gometrics"
	"github.com/memtide/memtide/ingest/table"
)

func TestMetrics(t *testing.T) {
	r := decode(t, gometrics.Decode, fixture(t, "go-metrics", "go-0.txt"))
	same(t, "samples", r.dump(t, table.Samples, sampleColumns),
		"0 | - | process | - | live_bytes | 341024 | 27", "0 | - | process | - | live_count | 510 | 28", "0 | - | process | - | heap_alloc | 1588568 | 84", "0 | - | process | - | heap_size | 8485128 | 96")
	if len(r.problems) > 0 || r.set.Clock != "order" {
		t.Errorf("%q %s", r.problems, r.set.Clock)
	}
}

// TestLoop: a time between two lists begins a new moment, and so does a metric that comes again.
func TestLoop(t *testing.T) {
	text := fixture(t, "go-metrics", "loop.log")
	for clock, text := range map[string][]byte{"wall": text, "order": bytes.ReplaceAll(text, []byte("###"), []byte("# at"))} {
		r := decode(t, gometrics.Decode, text)
		rows := r.dump(t, table.Samples, "time_ns metric value")
		at := map[string]string{"wall": "5000000000", "order": "1000000000"}[clock]
		if len(rows) != 8 || rows[0] != "0 | live_bytes | 341024" || rows[4] != at+" | live_bytes | 568632" || r.set.Clock != clock {
			t.Errorf("%s: %s\n%s", clock, r.set.Clock, strings.Join(rows, "\n"))
		}
	}
}

func TestBad(t *testing.T) {
	r := decode(t, gometrics.Decode, fixture(t, "go-metrics", "bad-lines.txt"))
	const want = "want a number that fits in 63 bits and a line end, have "
	same(t, "problems", r.problems, "x:6:21: "+want+`"unknown 341024"`, "x:10:36: "+want+`"999999999999991588568"`, "x:22:29: "+want+`"8485128"`)
	same(t, "samples", r.dump(t, table.Samples, "metric value"), "live_count | 510")
	for _, text := range []string{"", "/gc/heap/live 12\n", "/gc/heap/live:bytes\n", "/gc/heap/live:bytes x\n", "/gc/gogc:percent 100\n", " /gc/heap/live:bytes 1\n"} {
		if r := decode(t, gometrics.Decode, []byte(text)); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") || gometrics.Sniff([]byte(text)) {
			t.Errorf("%q: %v, or claimed", text, r.err)
		}
	}
}

// TestEnds: line ends of Windows change nothing, and a list that ends anywhere has no row that the whole one has not.
func TestEnds(t *testing.T) {
	for _, name := range fixtures(t, "go-metrics") {
		text := fixture(t, "go-metrics", name)
		whole := decode(t, gometrics.Decode, text)
		same(t, name, decode(t, gometrics.Decode, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))).all(t), whole.all(t)...)
		all := strings.Join(whole.dump(t, table.Samples, sampleColumns), "\n")
		for cut := 0; cut < len(text); cut += 3 {
			for _, row := range decode(t, gometrics.Decode, text[:cut]).dump(t, table.Samples, sampleColumns) {
				if !strings.Contains(all, row) {
					t.Fatalf("%s cut at %d: %s", name, cut, row)
				}
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	data := corpus(t, "heap/go.leak.3.metrics.txt")
	r := decode(t, gometrics.Decode, data)
	same(t, "samples", r.dump(t, table.Samples, "metric value"), "live_bytes | 7599368", "live_count | 19625", "heap_alloc | 9538192", "heap_size | 22124808")
	if !gometrics.Sniff(data) || len(r.problems) > 0 {
		t.Errorf("%q", r.problems)
	}
}
