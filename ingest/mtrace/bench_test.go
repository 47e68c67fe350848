package mtrace

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

// log builds a log of n entries.
func log(n int) []byte {
	var w bytes.Buffer
	w.WriteString("= Start\n")
	for i := range n / 2 {
		fmt.Fprintf(&w, "@ /opt/app/bin/viewer:[0x%x] + 0x%x 0x%x\n", 0x1192+i%500, 0x558934a5d500+i*64, 40+i%100)
		fmt.Fprintf(&w, "@ /opt/app/bin/viewer:[0x1251] - 0x%x\n", 0x558934a5d500+i*64)
	}
	return w.Bytes()
}

func read(b *testing.B, text []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(text))
	if err := Decode(in, table.NewBuilder("x", "mtrace")); err != nil {
		b.Fatal(err)
	}
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

// script is what a script does: the fields of each line, a map of live blocks.
func script(_ *testing.B, text []byte) {
	live := map[string]uint64{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		switch f := strings.Fields(s.Text()); {
		case len(f) == 5 && f[2] == "+":
			live[f[3]], _ = strconv.ParseUint(f[4], 0, 64)
		case len(f) == 4 && f[2] == "-":
			delete(live, f[3])
		}
	}
}

// BenchmarkRatios runs the ways over the same bytes in turn, by the CPU time of the whole process.
func BenchmarkRatios(b *testing.B) {
	const many = 400_000
	text := log(many)
	var d, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { read(b, text) })
		n += tabletest.CPUOf(func() { newlines(b, text) })
		f += tabletest.CPUOf(func() { script(b, text) })
	}
	b.ReportMetric(float64(many)*float64(b.N)/d.Seconds(), "events/CPUs")
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/d.Seconds(), "MB/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-script")
}
