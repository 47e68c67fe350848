package perf_test

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/perf"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// probes is a log of n allocations with entry, return and free, on 200 stacks of six frames.
func probes(n int) []byte {
	var w bytes.Buffer
	stack := func(i int, leaf string) {
		fmt.Fprintf(&w, "\t%16x %s+0x0 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n", 0x98930, leaf)
		for f := range 6 {
			fmt.Fprintf(&w, "\t%16x function_%d_%d+0x%x (/opt/shop/bin/shop)\n", 0x1000+f<<8+i%200, f, i%200, 16+f)
		}
		w.WriteString("\n")
	}
	for i := range n {
		at := fmt.Sprintf("%d.%06d", 200+i/10000, i%10000*100)
		fmt.Fprintf(&w, "shop 16066/16066 [001]  %s:       probe_libc:mallocin: (7f13a4838930) size=%d\n", at, 16+i%900)
		stack(i, "malloc")
		fmt.Fprintf(&w, "shop 16066/16066 [001]  %s: probe_libc:malloc__return: (7f13a4838930 <- 55652b8de1bc) ret=0x%x\n", at, 0x556544756000+i<<5)
		stack(i, "caller")
		fmt.Fprintf(&w, "shop 16066/16066 [001]  %s:           probe_libc:free: (7f13a4838ef0) ptr=0x%x\n", at, 0x556544756000+i<<5)
		stack(i, "free")
	}
	return w.Bytes()
}

func faults(n int) []byte {
	var w bytes.Buffer
	for i := range n {
		fmt.Fprintf(&w, "         leakmix 16485 [001]  %d.%06d: kmem:rss_stat: mm_id=2244242654 curr=1 type=%s size=%dB\n", 1229+i/100000, i%100000*10,
			[]string{"MM_ANONPAGES", "MM_FILEPAGES"}[i%7/6], 4096*(i+1))
	}
	return w.Bytes()
}

func slabs(n int) []byte {
	var w bytes.Buffer
	for i := range n {
		fmt.Fprintf(&w, "       perf-exec 16386 [001]  %d.%06d: kmem:kmem_cache_alloc: call_site=function_%d+0x24 ptr=0x%x name=names_cache bytes_req=4096 bytes_alloc=4096 gfp_flags=GFP_KERNEL node=-1 accounted=false\n",
			1229+i/100000, i%100000*10, i%300, uint64(0xffff888100000000)+uint64(i)<<12)
	}
	return w.Bytes()
}

func decodeAll(b *testing.B, text []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(text))
	if err := perf.DecodeScript(in, table.NewBuilder("x", "perf-script")); err != nil {
		b.Fatal(err)
	}
}

// words is what a script does: a scanner, words, and a map of sums.
func words(_ *testing.B, text []byte) {
	sums := map[string]int{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		if f := strings.Fields(s.Text()); len(f) > 4 {
			sums[f[4]]++
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
	for name, text := range map[string][]byte{"probes": probes(20000), "rss": faults(200000), "slab": slabs(100000)} {
		b.Run(name, func(b *testing.B) {
			var took [3]time.Duration
			for b.Loop() {
				for i, read := range []func(*testing.B, []byte){decodeAll, newlines, words} {
					from := tabletest.CPU()
					read(b, text)
					took[i] += tabletest.CPU() - from
				}
			}
			mb := float64(len(text)) / 1e6 * float64(b.N)
			for i, name := range []string{"decode", "newlines", "words"} {
				b.ReportMetric(mb/took[i].Seconds(), name+"-MB/CPUs")
			}
			b.ReportMetric(took[2].Seconds()/took[0].Seconds(), "x-words")
		})
	}
}
