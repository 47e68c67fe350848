package pprof_test

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// tables decodes and joins, as a command does.
func tables(b *testing.B, f decoder, data []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(data))
	rows := table.NewBuilder("x", "pprof")
	if err := f(in, rows); err != nil {
		b.Fatal(err)
	}
	table.Assemble([]*table.Part{rows.Done()})
}

// BenchmarkParse compares reading a profile into tables with profile.Parse of the same bytes alone, which every tool that
// uses that library begins with; by CPU time, in turn.
func BenchmarkParse(b *testing.B) {
	data := large(20000)
	b.SetBytes(int64(len(data)))
	var ours, parse time.Duration
	for b.Loop() {
		ours += tabletest.CPUOf(func() { tables(b, formats[0].decode, data) })
		parse += tabletest.CPUOf(func() {
			if _, err := profile.Parse(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		})
	}
	mb := float64(len(data)) / 1e6 * float64(b.N)
	b.ReportMetric(mb/ours.Seconds(), "decode-MB/CPUs")
	b.ReportMetric(mb/parse.Seconds(), "parse-MB/CPUs")
	b.ReportMetric(ours.Seconds()/parse.Seconds(), "x-parse")
}

// texts are long profiles of the two forms of text.
func texts() map[int][]byte {
	var legacy, jemalloc bytes.Buffer
	const n = 20000
	fmt.Fprintf(&legacy, "heap profile: %6d: %8d [%6d: %8d] @ heapprofile\n", n, 64*n, 2*n, 128*n)
	fmt.Fprintf(&jemalloc, "heap_v2/1\n  t*: %d: %d [0: 0]\n", n, 64*n)
	for i := range n {
		fmt.Fprintf(&legacy, "     1:       64 [     2:      128] @")
		jemalloc.WriteByte('@')
		for depth := 23; depth >= 0; depth-- {
			fmt.Fprintf(&legacy, " %#x", 0x55d0c0a01000+5*shared(i, depth))
			fmt.Fprintf(&jemalloc, " %#x", 0x55d0c0a01000+5*shared(i, depth))
		}
		legacy.WriteByte('\n')
		jemalloc.WriteString("\n  t*: 1: 64 [0: 0]\n  t0: 1: 64 [0: 0]\n")
	}
	for _, w := range []*bytes.Buffer{&legacy, &jemalloc} {
		w.WriteString("\nMAPPED_LIBRARIES:\n55d0c0a01000-55d0c0b04000 r-xp 00001000 08:01 1201   /opt/app/server\n")
	}
	return map[int][]byte{1: legacy.Bytes(), 2: jemalloc.Bytes()}
}

// fields is what a script does with the stacks.
func fields(text []byte) {
	sums := map[string]int64{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		figures, stack, ok := strings.Cut(s.Text(), "@")
		if f := strings.Fields(figures); ok && len(f) > 1 {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			for _, a := range strings.Fields(stack) {
				sums[a] += n
			}
		}
	}
}

// BenchmarkRatios runs the decoders of text, the bare search for line ends and a script's way in turn, by CPU time.
func BenchmarkRatios(b *testing.B) {
	for i, text := range texts() {
		b.Run(formats[i].name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var d, n, f time.Duration
			for b.Loop() {
				d += tabletest.CPUOf(func() { tables(b, formats[i].decode, text) })
				n += tabletest.CPUOf(func() {
					in, _ := source.NewInput("x", bytes.NewReader(text))
					for l := source.NewLines(in); l.Scan(); {
					}
				})
				f += tabletest.CPUOf(func() { fields(text) })
			}
			mb := float64(len(text)) / 1e6 * float64(b.N)
			b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
			b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
			b.ReportMetric(f.Seconds()/d.Seconds(), "x-fields")
		})
	}
}
