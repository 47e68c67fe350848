package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// events builds a log of n events: allocations from 200 stacks of 6 frames, each block freed later.
func events(n int) []byte {
	var w bytes.Buffer
	for i := range n / 2 {
		stack := fmt.Sprintf(`["site_%d+19","load_%d+88","decode_image+16","session_run+77","main+88","__libc_start_call_main+122"]`, i%200, i%20)
		fmt.Fprintf(&w, `{"ts_ns": %d, "pid": 31615, "tid": %d, "op": "alloc", "kind": "malloc", "addr": "0x%x", "size": %d, "stack": %s}`+"\n",
			1630295756873+int64(i)*1000, 31615+i%8, 0x558c9e54e2a0+i%4096*64, 64+i%100, stack)
		fmt.Fprintf(&w, `{"ts_ns": %d, "pid": 31615, "tid": %d, "op": "free", "addr": "0x%x", "stack": ["free+0","tick+61","main+88"]}`+"\n",
			1630295756873+int64(i)*1000+500, 31615+i%8, 0x558c9e54e2a0+i%4096*64)
	}
	return w.Bytes()
}

// comma is the same log as CSV.
func comma(n int) []byte {
	var w bytes.Buffer
	w.WriteString("ts_ns,pid,tid,op,kind,addr,size,stack\n")
	for i := range n {
		fmt.Fprintf(&w, "%d,31615,%d,alloc,malloc,0x%x,%d,site_%d+19;load_%d+88;decode_image+16;session_run+77;main+88\n",
			1630295756873+int64(i)*1000, 31615+i%8, 0x558c9e54e2a0+i*64, 64+i%100, i%200, i%20)
	}
	return w.Bytes()
}

func read(b *testing.B, text []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(text))
	if err := Decode(in, table.NewBuilder("x", "memtide-events")); err != nil {
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

// script is what a script does: a line, encoding/json, a map of live blocks.
func script(_ *testing.B, text []byte) {
	live := map[string]int64{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var e struct {
			TS    int64    `json:"ts_ns"`
			Op    string   `json:"op"`
			Addr  string   `json:"addr"`
			Size  int64    `json:"size"`
			Stack []string `json:"stack"`
		}
		if json.Unmarshal(s.Bytes(), &e) == nil && e.Op == "alloc" {
			live[strings.Join(e.Stack, ";")] += e.Size
		}
	}
}

const many = 400_000

// BenchmarkRatios runs the ways over the same bytes in turn, by the CPU time of the whole process.
func BenchmarkRatios(b *testing.B) {
	text, cells := events(many), comma(many)
	b.SetBytes(int64(3*len(text) + len(cells)))
	var d, c, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { read(b, text) })
		c += tabletest.CPUOf(func() { read(b, cells) })
		n += tabletest.CPUOf(func() { newlines(b, text) })
		f += tabletest.CPUOf(func() { script(b, text) })
	}
	count := float64(many) * float64(b.N)
	b.ReportMetric(count/d.Seconds(), "events/CPUs")
	b.ReportMetric(count/c.Seconds(), "csv-events/CPUs")
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/d.Seconds(), "MB/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-script")
}
