package computesanitizer

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func decodeAll(b *testing.B, text string) {
	in, _ := source.NewInput("x", strings.NewReader(text))
	rows := table.NewBuilder("x", "compute-sanitizer")
	if err := Decode(in, rows); err != nil {
		b.Fatal(err)
	}
	rows.Done()
}

// BenchmarkRatios runs the decoder, a bare search for line ends, and what a script does, over the same bytes in turn.
func BenchmarkRatios(b *testing.B) {
	text := strings.Repeat(fixtures(b)["leaks.txt"], 2000)
	frame := regexp.MustCompile(`^=+\s+(?:Leaked ([\d,]+) bytes|Host Frame:(.*) \[0x([0-9a-f]+)\])`)
	var d, n, f time.Duration
	timed := func(sum *time.Duration, f func()) {
		from := time.Now()
		f()
		*sum += time.Since(from)
	}
	b.ReportAllocs()
	for b.Loop() {
		timed(&d, func() { decodeAll(b, text) })
		timed(&n, func() {
			for rest := []byte(text); len(rest) > 0; {
				rest = rest[bytes.IndexByte(rest, '\n')+1:]
			}
		})
		timed(&f, func() {
			for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
				frame.FindStringSubmatch(s.Text())
			}
		})
	}
	b.ReportMetric(float64(len(text))/1e6*float64(b.N)/d.Seconds(), "decode-MB/s")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-regexp")
}
