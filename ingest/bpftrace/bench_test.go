package bpftrace

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

// log builds a log of n events with stacks of 5 frames, as text and as JSON.
func log(n int) (text, records []byte) {
	var w, j bytes.Buffer
	for i := range n {
		line := fmt.Sprintf("%d 31615 %d alloc 0x%x %d\n        site_%d+19\n        load_%d+88\n        tick+16\n        main+88\n        __libc_start_call_main+122\n\n",
			1630295756873+int64(i)*1000, 31615+i%8, 0x558c9e54e2a0+i*64, 64+i%100, i%200, i%20)
		w.WriteString(line)
		fmt.Fprintf(&j, "{\"type\": \"printf\", \"data\": %s}\n", strconv.Quote(line))
	}
	return w.Bytes(), j.Bytes()
}

func read(b *testing.B, text []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(text))
	if err := DecodeEvents(in, table.NewBuilder("x", "bpftrace-events")); err != nil {
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

// script is what a script does: the fields of each line, a map of bytes by stack.
func script(_ *testing.B, text []byte) {
	sums := map[string]int64{}
	var stack strings.Builder
	var size int64
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		switch f := strings.Fields(s.Text()); {
		case len(f) == 0:
			sums[stack.String()] += size
			stack.Reset()
		case len(f) == 6:
			size, _ = strconv.ParseInt(f[5], 10, 64)
		default:
			stack.WriteString(f[0] + ";")
		}
	}
}

const many = 200_000

// BenchmarkRatios runs the ways over the same events in turn, by the CPU time of the whole process.
func BenchmarkRatios(b *testing.B) {
	text, records := log(many)
	var d, j, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { read(b, text) })
		j += tabletest.CPUOf(func() { read(b, records) })
		n += tabletest.CPUOf(func() { newlines(b, text) })
		f += tabletest.CPUOf(func() { script(b, text) })
	}
	count := float64(many) * float64(b.N)
	b.ReportMetric(count/d.Seconds(), "events/CPUs")
	b.ReportMetric(count/j.Seconds(), "json-events/CPUs")
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/d.Seconds(), "MB/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-script")
}
