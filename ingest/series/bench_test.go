package series

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func million() []byte {
	var b bytes.Buffer
	b.WriteString("time_s,rss_kb\n")
	for i := 0; i < 1_000_000; i++ {
		fmt.Fprintf(&b, "%d.%03d,%d\n", i/2, i%2*500, 300000+i*7919%50000)
	}
	return b.Bytes()
}

func benchmark(b *testing.B, text []byte, f decoderFunc) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in, err := source.NewInput("x", bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if err := f(in, table.NewBuilder("x", "series-csv")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeCSV reads a million lines of two columns.
func BenchmarkDecodeCSV(b *testing.B) { benchmark(b, million(), DecodeCSV) }

// BenchmarkDecodeCSVDates is the same with dates, which are the dearest times.
func BenchmarkDecodeCSVDates(b *testing.B) {
	var text strings.Builder
	text.WriteString("time,rss_kb,pss_kb\n")
	for i := 0; i < 100_000; i++ {
		fmt.Fprintf(&text, "2024-01-31T%02d:%02d:%02d.%03dZ,%d,%d\n", i/36000, i/600%60, i/10%60, i%10*100, 300000+i, 200000+i)
	}
	benchmark(b, []byte(text.String()), DecodeCSV)
}

// BenchmarkLines is the bare search for line ends, the floor of all decoders.
func BenchmarkLines(b *testing.B) {
	benchmark(b, million(), func(in *source.Input, _ *table.Builder) error {
		l := source.NewLines(in)
		for l.Scan() {
		}
		return l.Err()
	})
}
