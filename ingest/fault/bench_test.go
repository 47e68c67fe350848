package fault

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func benchmark(b *testing.B, text string, f decoderFunc) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in, err := source.NewInput("x", strings.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if err := f(in, table.NewBuilder("x", "fault")); err != nil {
			b.Fatal(err)
		}
	}
}

// kernelLog is a long log with a report of the OOM killer in every 200 lines.
func kernelLog(b *testing.B) string {
	quiet := strings.Repeat("[ 1234.500000] audit: type=1400 apparmor=\"ALLOWED\" operation=\"open\" profile=\"x\" name=\"/proc/1/stat\" pid=1\n", 200)
	return strings.Repeat(quiet+fixture(b, "kernel-oom", "cgroup.txt"), 300)
}

func BenchmarkDecodeOOM(b *testing.B) { benchmark(b, kernelLog(b), DecodeOOM) }

func BenchmarkDecodeTombstone(b *testing.B) {
	rest := strings.Repeat("    00000000'02000000-00000000'0dffffff rw-         0   c000000  [anon:scudo:primary]\n", 3000)
	benchmark(b, strings.Repeat(fixture(b, "android-tombstone", "gwp-asan.txt")+rest, 20), DecodeTombstone)
}

// BenchmarkLines is the bare search for line ends, the floor of all decoders.
func BenchmarkLines(b *testing.B) {
	benchmark(b, kernelLog(b), func(in *source.Input, _ *table.Builder) error {
		l := source.NewLines(in)
		for l.Scan() {
		}
		return l.Err()
	})
}
