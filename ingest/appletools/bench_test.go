package appletools

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// captures are long ones of the formats that get long: reports of a loop.
var captures = []struct {
	name   string
	text   func() []byte
	decode func(*source.Input, *table.Builder) error
}{
	{"vmmap", manyRegions, DecodeVmmap},
	{"leaks", manyLeaks, DecodeLeaks},
}

func manyRegions() []byte {
	var w bytes.Buffer
	for i := range 16 {
		fmt.Fprintf(&w, "Process:         Sketch [501]\nDate/Time:       2026-01-02 03:%02d:05.678 +0100\nAnalysis Tool:   /usr/bin/vmmap\n----\n\nVirtual Memory Map of process 501 (Sketch)\n\n", i)
		w.WriteString("==== Writable regions for process 501\nREGION TYPE                    START - END         [ VSIZE  RSDNT  DIRTY   SWAP] PRT/MAX SHRMOD PURGE    REGION DETAIL\n")
		for m := range 10000 {
			fmt.Fprintf(&w, "%-27s %x-%x    [   16K    16K    %2dK     0K] rw-/rw- SM=COW          /System/Library/Frameworks/Framework%03d.framework/Versions/A/Framework\n",
				[]string{"__DATA", "MALLOC_SMALL (empty)", "VM_ALLOCATE"}[m%3], 0x100000000+m<<14, 0x100004000+m<<14, m%17, m%500)
		}
	}
	return w.Bytes()
}

func manyLeaks() []byte {
	var w bytes.Buffer
	w.WriteString("Process 501: 37528 nodes malloced for 6828 KB\nProcess 501: 20000 leaks for 1280000 total leaked bytes.\n\n")
	for i := range 10000 {
		fmt.Fprintf(&w, "STACK OF 1 INSTANCE OF 'ROOT CYCLE: <Node%d>':\n", i%100)
		for k := 30; k >= 0; k-- {
			fmt.Fprintf(&w, "%-3d org.example.Sketch                    0x%x Board.load%d(depth:) + 34  Board.swift:%d\n", k, 0x10f00d542+i%100+k, k+i%100, k)
		}
		fmt.Fprintf(&w, "====\n    2 (128 bytes) ROOT CYCLE: <Node%d 0x%x> [32]\n       1 (32 bytes) next --> <Node 0x600002424880> [32]\n          __strong previous --> CYCLE BACK TO <Node%d 0x%x> [32]\n\n", i%100, 0x600002424860+i<<5, i%100, 0x600002424860+i<<5)
	}
	return w.Bytes()
}

func decodeText(b testing.TB, s []byte, f func(*source.Input, *table.Builder) error) {
	in, _ := source.NewInput("x", bytes.NewReader(s))
	if err := f(in, table.NewBuilder("x", "x")); err != nil {
		b.Fatal(err)
	}
}

// newlines is the limit: chunks of 1 MiB, every line end found, nothing read from it.
func newlines(s []byte) {
	chunk := make([]byte, 1<<20)
	for r := bytes.NewReader(s); ; {
		n, err := r.Read(chunk)
		for at := chunk[:n]; ; {
			i := bytes.IndexByte(at, '\n')
			if i < 0 {
				break
			}
			at = at[i+1:]
		}
		if err == io.EOF {
			return
		}
	}
}

// fields is what a script does: bufio.Scanner, strings.Fields and a map of sums.
func fields(s []byte) {
	sums := map[string]float64{}
	for sc := bufio.NewScanner(bytes.NewReader(s)); sc.Scan(); {
		if f := strings.Fields(sc.Text()); len(f) > 4 {
			for _, w := range f[2:6] {
				n, _ := strconv.ParseFloat(strings.TrimRight(w, "K]"), 64)
				sums[f[0]] += n
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range captures {
		s := c.text()
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				decodeText(b, s, c.decode)
			}
		})
	}
}

// BenchmarkRatios runs the three ways over the same bytes in turn and reports how they compare, by the CPU time of the
// whole process: what else runs on the machine moves all alike.
func BenchmarkRatios(b *testing.B) {
	for _, c := range captures {
		s := c.text()
		b.Run(c.name, func(b *testing.B) {
			var d, n, f time.Duration
			for b.Loop() {
				d += tabletest.CPUOf(func() { decodeText(b, s, c.decode) })
				n += tabletest.CPUOf(func() { newlines(s) })
				f += tabletest.CPUOf(func() { fields(s) })
			}
			mb := float64(len(s)) / 1e6 * float64(b.N)
			b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
			b.ReportMetric(mb/n.Seconds(), "newlines-MB/CPUs")
			b.ReportMetric(mb/f.Seconds(), "fields-MB/CPUs")
			b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
			b.ReportMetric(f.Seconds()/d.Seconds(), "x-fields")
		})
	}
}
