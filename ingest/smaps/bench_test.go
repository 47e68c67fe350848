package smaps_test

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
	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// log builds a log of n snapshots with 2,000 mappings each, of the fields and widths that a 6.18 kernel prints.
func log(n int) []byte {
	var w bytes.Buffer
	for i := range n {
		fmt.Fprintf(&w, "### %d pid=4242\n", 1795950000+30*i)
		for m := range 2000 {
			fmt.Fprintf(&w, "%x-%x rw-p 00000000 fe:01 %-26d/usr/lib/libexample%03d.so.1\n", 0x7f0000000000+m<<24, 0x7f0000000000+m<<24+4096*(m%61+1), 1000+m, m%500)
			for _, f := range []string{"Size", "KernelPageSize", "MMUPageSize", "Rss", "Pss", "Pss_Dirty", "Shared_Clean", "Shared_Dirty", "Private_Clean", "Private_Dirty", "Referenced", "Anonymous", "KSM", "LazyFree", "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped", "Shared_Hugetlb", "Private_Hugetlb", "Swap", "SwapPss", "Locked"} {
				fmt.Fprintf(&w, "%-15s %8d kB\n", f+":", 4*(m%61+1))
			}
			w.WriteString("THPeligible:           0\nVmFlags: rd wr mr mw me ac sd \n")
		}
	}
	return w.Bytes()
}

func decodeText(b *testing.B, text []byte) {
	in, _ := source.NewInput("smaps.log", bytes.NewReader(text))
	rows := table.NewBuilder("smaps.log", "smaps")
	if err := smaps.Decode(in, rows); err != nil {
		b.Fatal(err)
	}
	table.Assemble([]*table.Part{rows.Done()})
}

// newlines is the limit: chunks of 1 MiB, every line end found, nothing read from it.
func newlines(_ *testing.B, text []byte) {
	r := bytes.NewReader(text)
	for {
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

var chunk = make([]byte, 1<<20)

// fields is what a script does: bufio.Scanner, strings.Fields and a map of sums.
func fields(_ *testing.B, text []byte) {
	sums := map[string]int64{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		f := strings.Fields(s.Text())
		if len(f) == 3 && f[2] == "kB" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			sums[f[0]] += n
		}
	}
}

// BenchmarkDecode reads logs of growing length into tables, derived samples included: the cost grows with the length.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{4, 16, 64} {
		text := log(n)
		b.Run(fmt.Sprintf("%dMB", len(text)>>20), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				decodeText(b, text)
			}
		})
	}
}

// BenchmarkRatios runs the three ways over the same bytes in turn and reports how they compare, by the CPU time of the
// whole process: what else runs on the machine moves all three alike.
func BenchmarkRatios(b *testing.B) {
	text := log(16)
	b.SetBytes(3 * int64(len(text)))
	var d, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { decodeText(b, text) })
		n += tabletest.CPUOf(func() { newlines(b, text) })
		f += tabletest.CPUOf(func() { fields(b, text) })
	}
	mb := float64(len(text)) / 1e6 * float64(b.N)
	b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
	b.ReportMetric(mb/n.Seconds(), "newlines-MB/CPUs")
	b.ReportMetric(mb/f.Seconds(), "fields-MB/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-fields")
}
