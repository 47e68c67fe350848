package tracemalloc_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// BenchmarkRatios runs the decoder, the bare search for line ends and a script's way over the same bytes in turn, by CPU
// time.
func BenchmarkRatios(b *testing.B) {
	text := bytes.Repeat(append([]byte("### 1795951517\n"), fixture(b, formats[0].name, "lines-2.txt")...), 2000)
	b.SetBytes(int64(len(text)))
	var d, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() {
			in, _ := source.NewInput("x", bytes.NewReader(text))
			rows := table.NewBuilder("x", formats[0].name)
			if err := formats[0].decode(in, rows); err != nil {
				b.Fatal(err)
			}
			table.Assemble([]*table.Part{rows.Done()})
		})
		n += tabletest.CPUOf(func() {
			in, _ := source.NewInput("x", bytes.NewReader(text))
			for l := source.NewLines(in); l.Scan(); {
			}
		})
		f += tabletest.CPUOf(func() {
			words := map[string]int{}
			for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
				if w := strings.Fields(s.Text()); len(w) > 1 {
					words[w[0]] += len(w[1])
				}
			}
		})
	}
	mb := float64(len(text)) / 1e6 * float64(b.N)
	b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-fields")
}
