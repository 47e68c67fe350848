package massif_test

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// long is a file of each format of some megabytes: trees of 400 sites, 8 calls deep.
func long() [][]byte {
	var m, d, names bytes.Buffer
	m.WriteString("desc: x\ncmd: /opt/app/server\ntime_unit: i\n")
	d.WriteString(`{"dhatFileVersion":2,"mode":"heap","cmd":"/opt/app/server","pid":1,"pps":[`)
	for s := range 60 {
		fmt.Fprintf(&m, "#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=40000\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=detailed\nn400: 40000 (heap allocation functions) malloc\n", s, 1000*s)
		for i := range 400 {
			for depth := range 8 {
				fmt.Fprintf(&m, "%sn%d: 100 0x%X: part%d::step%d(int, char const*) (part.cpp:%d)\n", strings.Repeat(" ", depth+1), min(1, 7-depth), 4096+i*8+depth, i, depth, i)
			}
			fmt.Fprintf(&d, "{\"tb\":100,\"tbk\":1,\"tl\":5,\"mb\":1,\"mbk\":1,\"gb\":2,\"gbk\":1,\"eb\":100,\"ebk\":1,\"rb\":0,\"wb\":0,\"acc\":[3,4,-1],\"fs\":[1,%d,%d,%d,2]}\n,", 3+i, 4+i, 5+s)
		}
	}
	for i := range 500 {
		fmt.Fprintf(&names, ",\"0x%X: part%d::step(int, char const*) (part.cpp:%d)\"\n", 4096+i, i, i)
	}
	d.WriteString(`{"tb":1,"fs":[1]}],"ftbl":["[root]"` + names.String() + "]}")
	return [][]byte{m.Bytes(), d.Bytes()}
}

// fields is what a script does.
func fields(text []byte) {
	sums := map[string]int64{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		if f := strings.Fields(s.Text()); len(f) > 3 {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			sums[strings.Join(f[3:], " ")] += n
		}
	}
}

// BenchmarkRatios runs the decoders, the bare search for line ends and a script's way in turn, by CPU time.
func BenchmarkRatios(b *testing.B) {
	for i, text := range long() {
		b.Run(formats[i].name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var d, n, f time.Duration
			for b.Loop() {
				d += tabletest.CPUOf(func() {
					in, _ := source.NewInput("x", bytes.NewReader(text))
					rows := table.NewBuilder("x", "massif")
					if err := formats[i].decode(in, rows); err != nil {
						b.Fatal(err)
					}
					table.Assemble([]*table.Part{rows.Done()})
				})
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
