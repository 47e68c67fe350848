package smaps_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

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

// BenchmarkDecode reads a log into tables, derived samples included.
func BenchmarkDecode(b *testing.B) {
	text := log(10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		in, _ := source.NewInput("smaps.log", bytes.NewReader(text))
		rows := table.NewBuilder("smaps.log", "smaps")
		if err := smaps.Decode(in, rows); err != nil {
			b.Fatal(err)
		}
		table.Assemble([]*table.Part{rows.Done()})
	}
}

// BenchmarkNewlines is the limit: chunks of 1 MiB, every line end found, nothing read from it.
func BenchmarkNewlines(b *testing.B) {
	text := log(10)
	b.SetBytes(int64(len(text)))
	buf := make([]byte, 1<<20)
	for b.Loop() {
		r := bytes.NewReader(text)
		for {
			n, err := r.Read(buf)
			for at := buf[:n]; ; {
				i := bytes.IndexByte(at, '\n')
				if i < 0 {
					break
				}
				at = at[i+1:]
			}
			if err == io.EOF {
				break
			}
		}
	}
}

// BenchmarkFields is what a script does: bufio.Scanner, strings.Fields and a map of sums.
func BenchmarkFields(b *testing.B) {
	text := log(10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
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
}
