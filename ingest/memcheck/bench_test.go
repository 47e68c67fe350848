package memcheck

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
	rows := table.NewBuilder("x", "memcheck")
	if err := Decode(in, rows); err != nil {
		b.Fatal(err)
	}
	table.Assemble([]*table.Part{rows.Done()})
}

// long repeats the loss records of a fixture.
func long(b *testing.B, file, from, to string, n int) string {
	text := fixture(b, file)
	i, j := strings.Index(text, from), strings.Index(text, to)
	return text[:i] + strings.Repeat(text[i:j], n) + text[j:]
}

func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{"text": long(b, "mix.txt", "==26430== 10 bytes in 1", "==26430== LEAK SUMMARY", 2000), "xml": long(b, "mix.xml", "<error>\n  <unique>0x5", "<errorcounts>", 500)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				decodeAll(b, text)
			}
		})
	}
}

// BenchmarkRatios runs the decoder, a bare search for line ends, and what a script does, over the same bytes in turn.
func BenchmarkRatios(b *testing.B) {
	text := long(b, "mix.txt", "==26430== 10 bytes in 1", "==26430== LEAK SUMMARY", 2000)
	frame := regexp.MustCompile(`^==\d+==\s+(?:at|by) 0x([0-9A-F]+): (.+) \((.+)\)$`)
	var d, n, f time.Duration
	timed := func(sum *time.Duration, f func()) {
		from := time.Now()
		f()
		*sum += time.Since(from)
	}
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
