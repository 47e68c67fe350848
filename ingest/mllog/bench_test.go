package mllog

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

func decodeAll(b *testing.B, f decoderFunc, text string) {
	in, _ := source.NewInput("x", strings.NewReader(text))
	rows := table.NewBuilder("x", "test")
	if err := f(in, rows); err != nil {
		b.Fatal(err)
	}
	rows.Done()
}

// long is a fixture, many times.
func long(b *testing.B, format, file string) string {
	return strings.Repeat(fixtures(b, format)[file], 2000)
}

func BenchmarkDecode(b *testing.B) {
	for format, file := range map[string]string{"vllm-log": "old.log", "deepspeed-log": "steps.log"} {
		text := long(b, format, file)
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				decodeAll(b, decoders[format], text)
			}
		})
	}
}

// BenchmarkRatios runs the decoder of vLLM's log, a bare search for line ends, and what a script does, over the same bytes in
// turn.
func BenchmarkRatios(b *testing.B) {
	text := long(b, "vllm-log", "old.log")
	usage := regexp.MustCompile(`(\d\d-\d\d \d\d:\d\d:\d\d).*Running: (\d+) reqs.*GPU KV cache usage: ([0-9.]+)%`)
	var d, n, f time.Duration
	timed := func(sum *time.Duration, f func()) {
		from := time.Now()
		f()
		*sum += time.Since(from)
	}
	for b.Loop() {
		timed(&d, func() { decodeAll(b, DecodeVLLM, text) })
		timed(&n, func() {
			for rest := []byte(text); len(rest) > 0; {
				rest = rest[bytes.IndexByte(rest, '\n')+1:]
			}
		})
		timed(&f, func() {
			for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
				usage.FindStringSubmatch(s.Text())
			}
		})
	}
	b.ReportMetric(float64(len(text))/1e6*float64(b.N)/d.Seconds(), "decode-MB/s")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-regexp")
}
