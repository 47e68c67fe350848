package memleak_test

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/memleak"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// log is n intervals of 50 groups with 12 frames.
func log(n int) []byte {
	var w bytes.Buffer
	w.WriteString("Attaching to pid 4242, Ctrl+C to quit.\n")
	for i := range n {
		fmt.Fprintf(&w, "[%02d:%02d:%02d] Top 50 stacks with outstanding allocations:\n", i/3600%24, i/60%60, i%60)
		for g := range 50 {
			fmt.Fprintf(&w, "\t%d bytes in %d allocations from stack\n", 64*(g+1)*(i+1), i+1)
			for f := range 12 {
				fmt.Fprintf(&w, "\t\t0x%016x\tfunction_%d_of_%d+0x%x [program]\n", 0x55d0a1c00000+g<<12+f<<4, f, g, 16+f)
			}
		}
	}
	return w.Bytes()
}

func decodeAll(b *testing.B, text []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(text))
	rows := table.NewBuilder("x", "bcc-memleak")
	if err := memleak.Decode(in, rows); err != nil {
		b.Fatal(err)
	}
}

// fields is what a script does: a scanner, words, and a map of sums.
func fields(_ *testing.B, text []byte) {
	sums := map[string]int{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		if f := strings.Fields(s.Text()); len(f) > 1 {
			sums[f[1]]++
		}
	}
}

func newlines(_ *testing.B, text []byte) {
	for at := text; ; {
		i := bytes.IndexByte(at, '\n')
		if i < 0 {
			return
		}
		at = at[i+1:]
	}
}

// BenchmarkRatios reads the same bytes in three ways in turn: what else runs on the machine moves all three alike.
func BenchmarkRatios(b *testing.B) {
	text := log(400)
	var took [3]time.Duration
	for b.Loop() {
		for i, read := range []func(*testing.B, []byte){decodeAll, newlines, fields} {
			from := tabletest.CPU()
			read(b, text)
			took[i] += tabletest.CPU() - from
		}
	}
	mb := float64(len(text)) / 1e6 * float64(b.N)
	for i, name := range []string{"decode", "newlines", "fields"} {
		b.ReportMetric(mb/took[i].Seconds(), name+"-MB/CPUs")
	}
	b.ReportMetric(took[2].Seconds()/took[0].Seconds(), "x-fields")
}
