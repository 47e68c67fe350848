package meminfo

import (
	"bytes"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func benchmark(b *testing.B, decode decodeFunc, text string) {
	data := bytes.Repeat([]byte(text), max(1, 8<<20/len(text)))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		in, _ := source.NewInput("bench", bytes.NewReader(data))
		t := table.NewBuilder("bench", "bench")
		if err := decode(in, t); err != nil {
			b.Fatal(err)
		}
		t.Done()
	}
}

func BenchmarkDecode(b *testing.B) {
	benchmark(b, Decode, corpus(b, "series-meminfo-vlc-leak/2017-11-24-09-14-08.meminfo.txt"))
}
func BenchmarkDecodeSystem(b *testing.B) {
	benchmark(b, Decode, corpus(b, "sailfish-android10-dumpsys-meminfo-all.txt"))
}
func BenchmarkDecodeCheckin(b *testing.B) {
	benchmark(b, DecodeCheckin, corpus(b, "sailfish-android10-meminfo-checkin.txt"))
}

// BenchmarkLines is the bare reading of lines, to hold the others against.
func BenchmarkLines(b *testing.B) {
	benchmark(b, func(in *source.Input, t *table.Builder) error {
		l := source.NewLines(in)
		for l.Scan() {
		}
		return l.Err()
	}, corpus(b, "series-meminfo-vlc-leak/2017-11-24-09-14-08.meminfo.txt"))
}
